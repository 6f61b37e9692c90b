//! Prints the verdict on each text, and then the number of verdicts, on the chip and on the host.
#![cfg_attr(target_arch = "avr", no_std, no_main)]

use avr::verdicts::{TEXTS, verdict};

#[cfg(not(target_arch = "avr"))]
fn main() {
    let mut all = 0;
    for text in TEXTS {
        let ([kind, offset, digest], count) = verdict(&mut text.to_vec());
        println!("{kind} {offset} {digest}");
        all += count;
    }
    println!("{all}");
}

#[cfg(target_arch = "avr")]
mod firmware {
    use avr::chip::{program_byte, send, send_number, stop};
    use avr::verdicts::LONGEST;

    use super::{TEXTS, verdict};

    /// All texts, each after its length, in program memory, because ordinary constants are copied into RAM.
    #[unsafe(link_section = ".progmem.data")]
    static PROGRAM: [u8; LEN] = {
        let mut program = [0; LEN];
        let (mut at, mut rest) = (0, TEXTS);
        while let [text, tail @ ..] = rest {
            program[at] = text.len() as u8;
            at += 1;
            let mut text = *text;
            while let [byte, behind @ ..] = text {
                program[at] = *byte;
                at += 1;
                text = behind;
            }
            rest = tail;
        }
        program
    };
    const LEN: usize = {
        let (mut len, mut rest) = (0, TEXTS);
        while let [text, tail @ ..] = rest {
            assert!(text.len() < 256);
            len += 1 + text.len();
            rest = tail;
        }
        len
    };

    #[unsafe(no_mangle)]
    extern "C" fn main() -> ! {
        let mut at = (&raw const PROGRAM).cast::<u8>();
        let mut next = || {
            let byte = program_byte(at);
            at = at.wrapping_add(1);
            byte
        };
        let mut all = 0;
        let mut buffer = [0; LONGEST];
        for _ in 0..TEXTS.len() {
            let len = next();
            let text = buffer.get_mut(..len.into()).unwrap_or_default();
            text.iter_mut().for_each(|byte| *byte = next());
            let ([kind, offset, digest], count) = verdict(text);
            for (number, behind) in [(kind, b' '), (offset, b' '), (digest, b'\n')] {
                send_number(number);
                send(behind);
            }
            all += count;
        }
        send_number(all);
        send(b'\n');
        stop()
    }
}
