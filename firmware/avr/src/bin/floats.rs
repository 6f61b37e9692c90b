//! Prints the digests of floats, on the chip and on the host.
#![cfg_attr(target_arch = "avr", no_std, no_main)]

use avr::floats::Floats;

#[cfg(not(target_arch = "avr"))]
fn main() {
    Floats::default().for_each(|digest| println!("{digest}"));
}

#[cfg(target_arch = "avr")]
#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    for digest in Floats::default() {
        avr::chip::send_number(digest);
        avr::chip::send(b'\n');
    }
    avr::chip::stop()
}
