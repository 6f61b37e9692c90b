//! JSON-RPC in lines, over HTTP and over WebSocket, and MCP, on port 80 for up to six connections; and JSON-RPC as a client of the MQTT
//! broker at 10.0.2.100:1883.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use embassy_net::Stack;
use net::http::{ANSWER, REQUEST, SENT};
use net::mqtt::{self, Memory};
use static_cell::ConstStaticCell;

#[embassy_executor::task]
async fn client(stack: Stack<'static>, memory: &'static mut Memory, shared: &'static Shared) {
    _ = mqtt::run(stack, memory, shared).await;
}

fn start_client(spawner: Spawner, stack: Stack<'static>, shared: &'static Shared) {
    static MEMORY: ConstStaticCell<Memory> = ConstStaticCell::new(Memory::new());
    net::start_socket(spawner, client(stack, MEMORY.take(), shared));
}

net::image!([u8; REQUEST], [0; REQUEST], net::any::serve, ANSWER, SENT, start_client);
