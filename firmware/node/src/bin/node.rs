//! A sensor with an LED that speaks newline-delimited JSON-RPC on its UART.
//!
//! ```sh
//! $ echo '{"jsonrpc":"2.0","method":"uptime","id":1}' | cargo run -p node
//! {"jsonrpc":"2.0","result":0,"id":1}
//! ```
//!
//! | method | params | result |
//! |---|---|---|
//! | `temperature` | – | `{"millicelsius":35000}`, of the chip; error -32001 in the first 20 ms |
//! | `uptime` | – | milliseconds |
//! | `led.get` | – | whether it is lit |
//! | `led.set` | `[true]` or `{"on":true}` | whether it was; also as a notification |
//! | `blink` | `[100]` or `{"every":100}` milliseconds, at least 10; 0 to stop | the number of blinks since the last `blink` |
//! | `echo` | any | its params |
//! | `errors` | – | `{"unreadable":0,"misframed":0,"damaged":0}` |
//!
//! While it blinks, it sends the notification `blinked` with `{"count":1,"led":true}`.
#![no_std]
#![no_main]

use nanojsonrpc::server::Reply;
use nanojsonrpc::{ErrorObject, Params, Router, Server};
use node::{Board, Buffers, Temperature};

#[derive(serde::Deserialize)]
struct Led {
    on: bool,
}

#[derive(serde::Deserialize)]
struct Blink {
    every: u32,
}

fn temperature(board: &mut Board) -> Result<Temperature, ErrorObject<'static>> {
    board.temperature().ok_or_else(|| ErrorObject::new(-32001, "not measured yet"))
}

fn blink(board: &mut Board, Blink { every }: Blink) -> Result<u32, ErrorObject<'static>> {
    match every {
        1..10 => Err(ErrorObject::INVALID_PARAMS),
        _ => Ok(board.set_blinking(every)),
    }
}

fn led(board: &mut Board, Led { on }: Led) -> bool {
    let was_on = board.led();
    board.set_led(on);
    was_on
}

#[cortex_m_rt::entry]
fn main() -> ! {
    static mut BUFFERS: Buffers<4096, 4096> = Buffers::new();
    let mut server = Server::new(
        Router::new()
            .request("temperature", temperature)
            .request("uptime", |board: &mut Board| Ok(board.uptime()))
            .request("led.get", |board: &mut Board| Ok(board.led()))
            .request("led.set", |board: &mut Board, params: Led| Ok(led(board, params)))
            .notification("led.set", |board: &mut Board, params: Led| _ = led(board, params))
            .request("blink", blink)
            .request("echo", |_: &mut Board, params: Params<'_>, reply: Reply<'_>| reply.success(&params))
            .request("errors", |board: &mut Board| Ok(board.errors())),
    );
    node::run(BUFFERS, |board, line, output| match line {
        Ok(text) => server.process(board, text, output),
        Err(error) => server.refuse(error, output),
    })
}
