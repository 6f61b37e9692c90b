//! A client of the Model Context Protocol: it calls the tools of the server at 10.0.2.100:8000.
#![no_std]
#![no_main]

use embassy_net::{Stack, StackResources};
use net::mcp_client::{self, Memory};
use static_cell::{ConstStaticCell, StaticCell};

#[embassy_executor::task]
async fn client(stack: Stack<'static>, memory: &'static mut Memory) {
    mcp_client::run(stack, memory).await;
}

#[cortex_m_rt::entry]
fn main() -> ! {
    static MEMORY: ConstStaticCell<Memory> = ConstStaticCell::new(Memory::new());
    // one more socket for DHCP
    static RESOURCES: StaticCell<StackResources<3>> = StaticCell::new();
    net::start(RESOURCES.init_with(StackResources::new), |spawner, stack, _| {
        net::start_socket(spawner, client(stack, MEMORY.take()));
    })
}
