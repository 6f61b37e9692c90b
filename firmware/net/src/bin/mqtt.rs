//! JSON-RPC over MQTT 5, as a client of the broker at 10.0.2.100:1883.
#![no_std]
#![no_main]

use embassy_net::{Stack, StackResources};
use net::board::Shared;
use net::mqtt::{self, Memory};
use static_cell::{ConstStaticCell, StaticCell};

#[embassy_executor::task]
async fn client(stack: Stack<'static>, memory: &'static mut Memory, shared: &'static Shared<0>) {
    _ = mqtt::run(stack, memory, shared).await;
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
    // one more socket for DHCP
    static RESOURCES: StaticCell<StackResources<2>> = StaticCell::new();
    net::start(RESOURCES.init_with(StackResources::new), |spawner, stack, led| {
        let shared = &*SHARED.init(Shared::new(led, OUTPUT.take()));
        net::start_socket(spawner, client(stack, MEMORY.take(), shared));
        net::start_socket(spawner, blink(shared));
    })
}
