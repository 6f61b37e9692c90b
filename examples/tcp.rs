//! Serves JSON-RPC 2.0 over TCP to many clients at the same time, with the methods of `methods/mod.rs`.
//!
//! ```sh
//! cargo run --example tcp --features embedded-io -- --listen 127.0.0.1:4000
//! ```
//!
//! Each client has a thread with fixed buffers. A client that disconnects, sends nothing for a minute or reads no answer for a minute
//! ends only its own thread.

use std::io;
use std::net::TcpStream;
use std::process::ExitCode;

use embedded_io_adapters::std::FromStd;
use lexopt::Parser;
use lexopt::prelude::*;
use nanojsonrpc::connection::serve;
use nanojsonrpc::frame::{ContentLength, Frame, Framer, Lines};

mod arguments;
mod limits;
mod methods;

use arguments::{LOCAL, address, complain, print};
use limits::{IDLE, STACK, bind};
use methods::{INPUT, OUTPUT, Session};

const HELP: &str = "\
Serves JSON-RPC 2.0 over TCP.

Usage: tcp [OPTIONS]

Options:
      --listen ADDR:PORT  Where to listen; port 0 takes a free one [default: 127.0.0.1:0]
      --content-length    Messages follow a Content-Length header, as in the Language Server
                          Protocol, instead of being lines
  -h, --help              Print this help

Prints \"listening on ADDR:PORT\" once clients can connect.
Exit status: 1 if it cannot listen, 2 if the command line is wrong.
";

const _: () = assert!(INPUT + OUTPUT < STACK / 2);

struct Options {
    listen: String,
    is_content_length: bool,
}

/// The options of the command line; `None` for help.
fn options(parser: &mut Parser) -> Result<Option<Options>, lexopt::Error> {
    let mut options = Options { listen: LOCAL.to_owned(), is_content_length: false };
    while let Some(argument) = parser.next()? {
        match argument {
            Long("listen") => options.listen = address(parser.value()?)?,
            Long("content-length") => options.is_content_length = true,
            Short('h') | Long("help") => return Ok(None),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(Some(options))
}

fn main() -> ExitCode {
    let options = arguments::parse(HELP, options);
    let bound = bind(&options.listen).map_err(io::Error::other);
    let (address, listener) = match bound.and_then(|listener| Ok((listener.local_addr()?, listener))) {
        Ok(bound) => bound,
        Err(error) => {
            complain(error);
            return ExitCode::FAILURE;
        }
    };
    // standard output may be closed
    let _ = print(&format!("listening on {address}\n"));
    limits::serve(&listener, if options.is_content_length { talk::<ContentLength> } else { talk::<Lines> })
}

/// Answers one client until it disconnects.
fn talk<F: Frame>(stream: TcpStream) {
    // no delay, because each response is one write
    let _ = stream.set_nodelay(true);
    // errors are those of a closed connection
    let _ = stream.set_read_timeout(Some(IDLE)).and_then(|()| stream.set_write_timeout(Some(IDLE)));
    let mut framer = Framer::<F, INPUT>::new();
    let mut output = [0; OUTPUT];
    let mut server = methods::server();
    let (reader, writer) = (FromStd::new(&stream), FromStd::new(&stream));
    if let Err(error) = serve(reader, writer, &mut framer, &mut output, &mut server, &mut Session::default()) {
        complain(format_args!("a client is lost: {error}"));
    }
}
