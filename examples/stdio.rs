//! Answers newline-delimited JSON-RPC 2.0 on standard input and output, with the methods from §7 of the specification.
//!
//! ```sh
//! echo '{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}' | cargo run --example stdio
//! ```
//!
//! Memory: one buffer for the input, one for the response. The program uses `std` only to read and write.

use std::io::{self, Read, Write};

use nanojsonrpc::frame::{Frame, Framer, Lines};
use nanojsonrpc::{ErrorObject, Id, Response};

mod arguments;
mod methods;

use methods::{INPUT, OUTPUT, Session};

fn main() -> io::Result<()> {
    arguments::words("Answers JSON-RPC 2.0 on standard input and output, one message per line.", []);
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    let mut framer = Framer::<Lines, INPUT>::new();
    let mut output = [0; OUTPUT];
    let mut server = methods::server();
    let mut session = Session::default();
    loop {
        let read = stdin.read(framer.spare())?;
        framer.filled(read);
        let has_ended = read == 0;
        while let Some(frame) = if has_ended { framer.finish() } else { framer.next() } {
            let len = match frame {
                Ok(line) => server.process(&mut session, line, &mut output).answer().map_or(0, <[u8]>::len),
                Err(error) if !error.loses_message() => 0,
                Err(error) => Response::error(Id::Null, ErrorObject::from(error)).write(&mut output).unwrap_or(0),
            };
            if let Some(answer) = output.get_mut(..len).filter(|answer| !answer.is_empty()) {
                // `echo` returns its params with their white space, which may include a line break
                Lines::replace_line_ends(answer);
                stdout.write_all(answer)?;
                stdout.write_all(Lines::tail())?;
            }
        }
        stdout.flush()?;
        if has_ended {
            return Ok(());
        }
    }
}
