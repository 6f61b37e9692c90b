//! Calls a 3D printer with Klipper over the Unix socket of its API server, and prints the events of the printer.
//!
//! ```sh
//! cargo run --example klipper --features embedded-io -- /tmp/klippy_uds info
//! cargo run --example klipper --features embedded-io -- --follow /tmp/klippy_uds \
//!     gcode/subscribe_output '{"response_template":{"method":"output"}}'
//! ```
//!
//! Each message ends with U+0003. Klipper writes no `jsonrpc`, errors without a code, and events that repeat a template of the client: with
//! `{"method":"output"}` as the template, an event is a notification; with `{"key":345}` it is no message of JSON-RPC, and the observer of
//! the server gets it.

use core::fmt::Display;
use core::time::Duration;
use std::io::ErrorKind;
#[cfg(not(unix))]
use std::net::TcpStream as Stream;
#[cfg(unix)]
use std::os::unix::net::UnixStream as Stream;
use std::process::ExitCode;
use std::time::Instant;

use embedded_io_adapters::std::FromStd;
use lexopt::Parser;
use lexopt::prelude::*;
use nanojsonrpc::connection::{CallError, Connection, ConnectionError};
use nanojsonrpc::frame::{Delimited, Delimiter, Framer};
use nanojsonrpc::json::Kind;
use nanojsonrpc::server::Event;
use nanojsonrpc::{Dialect, Params, RawValue, Router, Server};

mod arguments;
mod printable;

use arguments::complain;
use printable::{json, line};

const HELP: &str = "\
Calls a 3D printer over the socket of Klipper's API server, and prints the answer.

Usage: klipper [OPTIONS] SOCKET METHOD [PARAMS]

PARAMS is a JSON object.

Options:
      --follow           After the answer, print the events of the printer until it hangs up
      --timeout SECONDS  How long to wait for the answer [default: 10]
  -h, --help             Print this help

The result and the events go to standard output; an error, and the events before the answer, to
standard error. Exit status: 1 if there is an error response, 2 if the command line is wrong, 3 if
there is no answer.
";

/// The maximum length of a message: the status of all objects of a printer.
const MESSAGE: usize = 256 * 1024;

/// The end of a message: the control character ETX.
struct EndOfText;

impl Delimiter for EndOfText {
    const ENDS: &'static [u8] = b"\x03";
}

struct Options {
    socket: String,
    method: String,
    params: Option<String>,
    follows: bool,
    timeout: Duration,
}

fn options(parser: &mut Parser) -> Result<Option<Options>, lexopt::Error> {
    let (mut follows, mut timeout, mut words) = (false, Duration::from_secs(10), Vec::new());
    while let Some(argument) = parser.next()? {
        match argument {
            Long("follow") => follows = true,
            Long("timeout") => timeout = arguments::timeout(parser)?,
            Short('h') | Long("help") => return Ok(None),
            Value(word) => words.push(word.string()?),
            _ => return Err(argument.unexpected()),
        }
    }
    let mut words = words.into_iter();
    let socket = words.next().ok_or("SOCKET is missing")?;
    let method = words.next().filter(|method| !method.is_empty()).ok_or("METHOD is missing")?;
    let params = words.next();
    if let Some(word) = words.next() {
        return Err(lexopt::Error::UnexpectedArgument(word.into()));
    }
    if let Some(params) = &params {
        object(params).ok_or("PARAMS must be a JSON object")?;
    }
    Ok(Some(Options { socket, method, params, follows, timeout }))
}

fn object(params: &str) -> Option<RawValue<'_>> {
    RawValue::parse(params.as_bytes()).ok().filter(|params| params.kind() == Kind::Object)
}

fn main() -> ExitCode {
    let options = arguments::parse(HELP, options);
    talk(&options).unwrap_or_else(|error| {
        complain(line(error));
        ExitCode::from(3)
    })
}

/// Where events go: to standard error before the answer, to standard output after it.
struct Events {
    are_followed: bool,
}

impl Events {
    fn print(&self, event: impl Display) {
        if self.are_followed {
            let _ = arguments::print(&format!("{}\n", line(event)));
        } else {
            complain(line(event));
        }
    }
}

fn talk(options: &Options) -> Result<ExitCode, String> {
    let stream =
        Stream::connect(&options.socket).map_err(|error| format!("cannot connect to {}: {error}", options.socket))?;
    stream.set_read_timeout(Some(options.timeout)).map_err(|error| error.to_string())?;
    let (mut framer, mut output) = (Box::new(Framer::<Delimited<EndOfText>, MESSAGE>::new()), vec![0; MESSAGE]);
    let (reader, writer) = (FromStd::new(&stream), FromStd::new(&stream));
    let mut connection = Connection::new(reader, writer, &mut *framer, &mut output);

    let router = Router::new().notification_fallback(|events: &mut Events, method, params: Params<'_>| {
        events.print(format_args!("{method}: {}", json(params.raw().unwrap_or(RawValue::NULL))));
    });
    let observe = |events: &mut Events, event: Event<'_>| match event {
        Event::Unreadable(refused) => match RawValue::parse(refused.text) {
            // an event with the template of another program
            Ok(event) => events.print(json(event)),
            Err(error) => events.print(format_args!("unreadable text: {error}")),
        },
        event => events.print(event),
    };
    let mut server = Server::new(router).with_dialect(Dialect::LENIENT.without_version()).observed_by(observe);

    let (begin, mut events) = (Instant::now(), Events { are_followed: false });
    let late = || format!("no answer within {} s", options.timeout.as_secs_f64());
    let params = options.params.as_deref().and_then(object);
    let mut peer = connection.peer(&mut server, &mut events).until(|| begin.elapsed() >= options.timeout);
    let status = match peer.call::<RawValue<'_>>(&options.method, &params) {
        Ok(result) => arguments::print(&format!("{}\n", json(result))).map(|()| ExitCode::SUCCESS),
        Err(CallError::Peer(error)) => {
            complain(line(format_args!("refused: {}", error.message)));
            return Ok(ExitCode::from(1));
        }
        Err(CallError::Late) => return Err(late()),
        // a socket reports its timeout as `WouldBlock` on Unix
        Err(CallError::Connection(ConnectionError::Read(fault)))
            if matches!(fault.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
        {
            return Err(late());
        }
        Err(error) => return Err(error.to_string()),
    };
    if options.follows {
        events.are_followed = true;
        stream.set_read_timeout(None).map_err(|error| error.to_string())?;
        connection.serve(&mut server, &mut events).map_err(|error| error.to_string())?;
    }
    status.map_err(|error| error.to_string())
}
