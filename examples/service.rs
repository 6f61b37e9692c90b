//! A service from one declaration, on standard input: one call per line. `rpc.discover` returns its OpenRPC document.

use std::io::{BufRead, Write, stdin, stdout};

mod arguments;

/// A lamp on a desk.
#[nanojsonrpc::service(prefix = "lamp.", client = LampClient, openrpc)]
trait Lamp {
    /// Sets the level, and returns the one before.
    fn set(&mut self, level: u8, reason: Option<&str>) -> u8;
    /// The level now.
    fn level(&self) -> u8;
    #[notification]
    fn off(&mut self);
}

struct Desk(u8);

impl Lamp for Desk {
    fn set(&mut self, level: u8, _: Option<&str>) -> u8 {
        core::mem::replace(&mut self.0, level)
    }

    fn level(&self) -> u8 {
        self.0
    }

    fn off(&mut self) {
        self.0 = 0;
    }
}

fn main() -> std::io::Result<()> {
    arguments::words("Answers the calls of standard input, one per line.", []);
    let (mut server, mut output) = (LampService::server(Desk(3)), [0; 1024]);
    for line in stdin().lock().split(b'\n') {
        if let Some(answer) = server.process(&mut (), &line?, &mut output).answer() {
            stdout().write_all(answer)?;
            stdout().write_all(b"\n")?;
        }
    }
    Ok(())
}
