//! An MCP server on standard input and output, for all revisions, with the tools, resources and prompts of [`mcp_features`].
//!
//! ```sh
//! cargo build --example mcp_stdio --features mcp   # then give a client target/debug/examples/mcp_stdio
//! ```
//!
//! Memory: one buffer for the message, one for the response. The program uses `std` only to read, to write and to sleep.

use core::time::Duration;
use std::io::{self, Read, StdoutLock, Write};
use std::thread;

use nanojsonrpc::frame::{Frame, Framer, Lines};

mod arguments;
mod mcp_features;

/// The maximum length of a message.
const INPUT: usize = 64 * 1024;
/// The maximum length of a response: twice that of a message, because `echo` may have to escape every character.
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
        // ignored: sending the response will fail, too, if the client has disconnected
        _ = self.write(notification);
    }

    fn rest(&mut self) {
        thread::sleep(Duration::from_millis(100));
    }
}

fn main() -> io::Result<()> {
    arguments::words("Serves the Model Context Protocol on standard input and output.", []);
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
                Ok(line) => server.process(&mut app, line, &mut output).answer(),
                Err(error) => server.refuse(error, &mut output).answer(),
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
