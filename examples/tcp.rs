//! Serves JSON-RPC 2.0 over TCP to many clients at the same time, with the methods of `methods/mod.rs`.
//!
//! ```sh
//! cargo run --example tcp --features embedded-io -- --listen 127.0.0.1:4000
//! ```
//!
//! Each client has a thread with fixed buffers. A client that disconnects ends only its own thread.

use core::time::Duration;
use std::ffi::OsString;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::thread;

use embedded_io_adapters::std::FromStd;
use lexopt::prelude::*;
use nanojsonrpc::connection::serve;
use nanojsonrpc::frame::{ContentLength, Frame, Framer, Lines};

mod methods;

use methods::{INPUT, OUTPUT, Session};

const HELP: &str = "\
Serves JSON-RPC 2.0 over TCP.

Usage: tcp [OPTIONS]

Options:
      --listen ADDR:PORT  Where to listen; port 0 takes a free one [default: 127.0.0.1:4000]
      --content-length    Messages follow a Content-Length header, as in the Language Server
                          Protocol, instead of being lines
  -h, --help              Print this help

Prints \"listening on ADDR:PORT\" once clients can connect.
Exit status: 1 if it cannot listen, 2 if the command line is wrong.
";

/// The stack of a thread: the buffers, and the frames of std.
const STACK: usize = 512 * 1024;
const _: () = assert!(INPUT + OUTPUT < STACK / 2);

struct Options {
    listen: String,
    is_content_length: bool,
}

/// The options of the command line; `None` for help.
fn options(arguments: impl Iterator<Item = OsString>) -> Result<Option<Options>, lexopt::Error> {
    let mut options = Options { listen: "127.0.0.1:4000".to_owned(), is_content_length: false };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("listen") => options.listen = parser.value()?.string()?,
            Long("content-length") => options.is_content_length = true,
            Short('h') | Long("help") => return Ok(None),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(Some(options))
}

fn main() -> ExitCode {
    let options = match options(std::env::args_os().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => return print(HELP).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS),
        Err(error) => {
            complain(&format!("{error}\nTry 'tcp --help'."));
            return ExitCode::from(2);
        }
    };
    let bound = TcpListener::bind(&options.listen).and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (address, listener) = match bound {
        Ok(bound) => bound,
        Err(error) => {
            complain(&format!("cannot listen on {}: {error}", options.listen));
            return ExitCode::FAILURE;
        }
    };
    // standard output may be closed
    let _ = print(&format!("listening on {address}\n"));
    let talk = if options.is_content_length { talk::<ContentLength> } else { talk::<Lines> };
    loop {
        let served = listener
            .accept()
            .and_then(|(stream, _)| thread::Builder::new().stack_size(STACK).spawn(move || talk(&stream)).map(|_| ()));
        if let Err(error) = served {
            complain(&format!("cannot serve a client: {error}"));
            // the system has no more threads or descriptors: wait until clients disconnect
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Prints without `println!` and `eprintln!`, which panic if their output is closed.
fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "tcp: {text}");
}

/// Answers one client until it disconnects.
fn talk<F: Frame>(stream: &TcpStream) {
    // no delay, because each response is one write
    let _ = stream.set_nodelay(true);
    let mut framer = Framer::<F, INPUT>::new();
    let mut output = [0; OUTPUT];
    let mut server = methods::server();
    let (reader, writer) = (FromStd::new(stream), FromStd::new(stream));
    if let Err(error) = serve(reader, writer, &mut framer, &mut output, &mut server, &mut Session::default()) {
        complain(&format!("a client is lost: {error}"));
    }
}
