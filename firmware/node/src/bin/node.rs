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
//! | `led.get` | – | whether the LED is lit |
//! | `led.set` | `[true]` or `{"on":true}` | whether the LED was lit; also as a notification |
//! | `blink` | `[100]` or `{"every":100}` milliseconds, at least 10; 0 to stop | the number of blinks since the last `blink` |
//! | `echo` | any | its params |
//! | `errors` | – | `{"unreadable":0,"misframed":0,"damaged":0}` |
//!
//! While the LED blinks, the program sends the notification `blinked` with `{"count":1,"led":true}`.
#![no_std]
#![no_main]

use nanojsonrpc::server::Reply;
use nanojsonrpc::{ErrorObject, Params, Router, Server};
use node::{Board, Buffers, Errors, Temperature};

#[nanojsonrpc::service]
trait Sensor {
    fn temperature(&self) -> Result<Temperature, ErrorObject<'static>>;
    fn uptime(&self) -> u64;
    #[method("led.get")]
    fn led(&mut self) -> bool;
    #[method("led.set")]
    fn switch_led(&mut self, on: bool) -> bool;
    #[notification("led.set")]
    fn set_led(&mut self, on: bool);
    fn blink(&mut self, every: u32) -> Result<u32, ErrorObject<'static>>;
    fn errors(&self) -> Errors;
}

impl Sensor for Board {
    fn temperature(&self) -> Result<Temperature, ErrorObject<'static>> {
        Board::temperature(self).ok_or_else(|| ErrorObject::new(-32001, "not measured yet"))
    }

    fn uptime(&self) -> u64 {
        Board::uptime(self)
    }

    fn led(&mut self) -> bool {
        Board::led(self)
    }

    fn switch_led(&mut self, on: bool) -> bool {
        let was_on = Board::led(self);
        Board::set_led(self, on);
        was_on
    }

    fn set_led(&mut self, on: bool) {
        Board::set_led(self, on);
    }

    fn blink(&mut self, every: u32) -> Result<u32, ErrorObject<'static>> {
        match every {
            1..10 => Err(ErrorObject::INVALID_PARAMS),
            _ => Ok(self.set_blinking(every)),
        }
    }

    fn errors(&self) -> Errors {
        Board::errors(self)
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    static mut BUFFERS: Buffers<4096, 4096> = Buffers::new();
    let echo = |_: &mut Board, params: Params<'_>, reply: Reply<'_>| reply.success(&params);
    let mut server = Server::new(Router::with_routes(SensorService).request("echo", echo));
    node::run(BUFFERS, |board, line, output| match line {
        Ok(text) => server.process(board, text, output).answer(),
        Err(error) => server.refuse(error, output).answer(),
    })
}
