//! Reads each text of the file `texts` with its reader, and prints a line for each: the instructions. `benches/count` writes the file and
//! runs this firmware under QEMU.
#![no_std]
#![no_main]

#[path = "../../../benches/readers/mod.rs"]
mod readers;

use core::ptr::addr_of_mut;

use cortex_m_semihosting::syscall;
use probe::chip;
use readers::{OUTPUT, Record};

/// The longest text.
const LEN: usize = 1024;

/// An open file of the machine that emulates this one.
struct File(usize);

impl File {
    fn open(name: &core::ffi::CStr) -> Self {
        const READ_BINARY: usize = 1;
        // SAFETY: the name is valid for the call.
        let file = unsafe { syscall!(OPEN, name.as_ptr(), READ_BINARY, name.to_bytes().len()) };
        assert!(file != usize::MAX, "no file {name:?}");
        Self(file)
    }

    /// Fills `room`; whether the file has as many bytes.
    fn read(&self, room: &mut [u8]) -> bool {
        // SAFETY: the room is valid for the call.
        let missing = unsafe { syscall!(READ, self.0, room.as_mut_ptr(), room.len()) };
        missing == 0
    }
}

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    static mut OUT: [u8; LEN * OUTPUT] = [0; LEN * OUTPUT];
    // SAFETY: this function is called once.
    let out = unsafe { &mut *addr_of_mut!(OUT) };
    let (mut head, mut text) = ([0; 24], [0; LEN]);
    let texts = File::open(c"texts");
    while texts.read(&mut head) {
        let record = Record::of(&head);
        let text = &mut text[..record.len];
        assert!(texts.read(text), "the file ends inside a text");
        out[..text.len()].copy_from_slice(text);
        chip::hprintln!("{}", probe::instructions(record.reader(), text, out));
    }
    chip::exit(true)
}
