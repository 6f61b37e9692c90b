//! A service that is declared once: on standard input, a call a line. `rpc.discover` answers with its OpenRPC document.

use core::mem;
use std::io::{BufRead, Write, stdin, stdout};

use nanojsonrpc::ErrorObject;

/// A lamp on a desk.
#[nanojsonrpc::service(prefix = "lamp.", client = LampClient, openrpc)]
trait Lamp {
    /// Sets the level, and returns the one before.
    fn set(&mut self, level: u8, reason: Option<&str>) -> Result<u8, ErrorObject<'static>>;
    /// The level now.
    fn level(&self) -> u8;
    /// Switches the lamp off.
    #[notification]
    fn off(&mut self);
}

#[derive(Default)]
struct Desk {
    level: u8,
}

impl Lamp for Desk {
    fn set(&mut self, level: u8, _: Option<&str>) -> Result<u8, ErrorObject<'static>> {
        if level > 100 {
            return Err(ErrorObject::new(-32001, "too bright"));
        }
        Ok(mem::replace(&mut self.level, level))
    }

    fn level(&self) -> u8 {
        self.level
    }

    fn off(&mut self) {
        self.level = 0;
    }
}

fn main() -> std::io::Result<()> {
    let (mut server, mut output) = (LampService::server(Desk::default()), [0; 1024]);
    for line in stdin().lock().split(b'\n') {
        if let Some(answer) = server.process(&mut (), &line?, &mut output) {
            stdout().write_all(answer)?;
            stdout().write_all(b"\n")?;
        }
    }
    Ok(())
}
