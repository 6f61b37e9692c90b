//! JSON-RPC over MQTT 5: a client of the broker at 10.0.2.100:1883. Its name is `chip-` and the last byte of its address.
#![no_std]
#![no_main]

use embassy_net::{HardwareAddress, Stack};
use net::board::Shared;
use net::mqtt::{self, Memory};
use static_cell::{ConstStaticCell, StaticCell};

#[embassy_executor::task]
async fn client(stack: Stack<'static>, memory: &'static mut Memory, shared: &'static Shared<0>) {
    let HardwareAddress::Ethernet(address) = stack.hardware_address();
    let [.., last] = address.0;
    let digit = |digit: u8| b"0123456789abcdef"[usize::from(digit & 15)];
    let name = [b'c', b'h', b'i', b'p', b'-', digit(last >> 4), digit(last)];
    _ = mqtt::run(stack, core::str::from_utf8(&name).unwrap_or_default(), memory, shared).await;
}

#[embassy_executor::task]
async fn blink(shared: &'static Shared<0>) -> ! {
    shared.blink().await
}

#[cortex_m_rt::entry]
fn main() -> ! {
    static SHARED: StaticCell<Shared<0>> = StaticCell::new();
    static OUTPUT: ConstStaticCell<[u8; 0]> = ConstStaticCell::new([]);
    static MEMORY: ConstStaticCell<Memory> = ConstStaticCell::new(Memory::new());
    net::start(|spawner, stack, led| {
        let shared = &*SHARED.init(Shared::new(led, OUTPUT.take()));
        net::start_socket(spawner, client(stack, MEMORY.take(), shared));
        net::start_socket(spawner, blink(shared));
    })
}
