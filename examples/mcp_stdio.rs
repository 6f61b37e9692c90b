//! A server of the Model Context Protocol on standard input and output, in both generations, with the tools, resources and prompts
//! of [`mcp_features`].
//!
//! ```sh
//! cargo build --example mcp_stdio --features mcp   # then name target/debug/examples/mcp_stdio to a client
//! ```
//!
//! Memory: one buffer for the message, one for the answer. `std` is only used to read and write, and to take its time.

use core::time::Duration;
use std::io::{self, Read, StdoutLock, Write};
use std::thread;

use nanojsonrpc::frame::{Frame, Framer, Lines};

mod mcp_features;

/// The longest message that is read.
const INPUT: usize = 64 * 1024;
/// The longest answer: twice that, for an `echo` of characters that need an escape.
const OUTPUT: usize = 2 * INPUT;

/// The context of the handlers: the output for notifications.
struct App {
    out: StdoutLock<'static>,
}

impl App {
    fn write(&mut self, message: &[u8]) -> io::Result<()> {
        self.out.write_all(message)?;
        self.out.write_all(Lines::tail())?;
        self.out.flush()
    }
}

impl mcp_features::App for App {
    fn send(&mut self, notification: &[u8]) {
        // a client that is gone is noticed when it is answered
        _ = self.write(notification);
    }

    fn rest(&mut self) {
        thread::sleep(Duration::from_millis(100));
    }
}

fn main() -> io::Result<()> {
    let mut stdin = io::stdin().lock();
    let mut framer = Framer::<Lines, INPUT>::new();
    let mut output = vec![0; OUTPUT];
    let mut server = mcp_features::server();
    let mut app = App { out: io::stdout().lock() };
    loop {
        let read = stdin.read(framer.spare())?;
        framer.filled(read);
        let has_ended = read == 0;
        while let Some(frame) = if has_ended { framer.finish() } else { framer.next() } {
            let answer = match frame {
                Ok(line) => server.process(&mut app, line, &mut output),
                Err(error) => server.refuse(error, &mut output),
            };
            if let Some(answer) = answer {
                app.write(answer)?;
            }
        }
        if has_ended {
            return Ok(());
        }
    }
}
