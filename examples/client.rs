//! Calls a JSON-RPC 2.0 server over TCP and prints the responses.
//!
//! ```sh
//! cargo run --example client --features embedded-io -- 127.0.0.1:4000 subtract '[42,23]'
//! ```
//!
//! Memory: one buffer for input, one for output. Up to 64 calls are in flight.

use core::time::Duration;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::process::ExitCode;
use std::time::Instant;

use embedded_io_adapters::std::FromStd;
use lexopt::Parser;
use lexopt::prelude::*;
use nanojsonrpc::client::{Answer, Incoming};
use nanojsonrpc::connection::{Connection, ConnectionError};
use nanojsonrpc::frame::{ContentLength, Frame, Framer, Lines};
use nanojsonrpc::{Client, ErrorObject, Id, RawValue, Response, Writer, json::Kind};

mod arguments;
mod limits;
mod printable;

use arguments::{address, complain};
use limits::Timed;
use printable::{json, line};

const HELP: &str = "\
Calls a JSON-RPC 2.0 server over TCP and prints the answers.

Usage: client [OPTIONS] ADDR:PORT METHOD [PARAMS]
       client [OPTIONS] --batch ADDR:PORT METHOD PARAMS [METHOD PARAMS]...

PARAMS is a JSON array or object.

Options:
      --content-length   Messages follow a Content-Length header, as in the Language Server
                         Protocol, instead of being lines
      --notify           Send notifications, which are not answered
      --batch            Send all calls in one array
      --timeout SECONDS  How long to wait for the answers [default: 10]
  -h, --help             Print this help

Results go to standard output; errors, and other messages of the server, to standard error.
Exit status: 1 if there is an error response, 2 if the command line is wrong, 3 if there is no
answer.
";

/// The maximum length of a message, including its frame.
const BUFFER: usize = 64 * 1024;

/// The calls in flight.
type Calls<'o> = Client<&'o Call, 64>;
type Failure = Box<dyn core::error::Error>;

struct Options {
    address: String,
    calls: Vec<Call>,
    is_content_length: bool,
    is_notification: bool,
    is_batch: bool,
    timeout: Duration,
}

struct Call {
    method: String,
    params: Option<String>,
}

impl Call {
    fn new(method: OsString, params: Option<OsString>) -> Result<Self, lexopt::Error> {
        let call = Self { method: method.string()?, params: params.map(ValueExt::string).transpose()? };
        if call.method.is_empty() {
            return Err("METHOD must not be empty".into());
        }
        match &call.params {
            Some(params) => match RawValue::parse(params.as_bytes()) {
                Ok(params) if matches!(params.kind(), Kind::Array | Kind::Object) => Ok(call),
                Ok(_) => Err(format!("PARAMS must be a JSON array or object, not {params}").into()),
                Err(error) => Err(format!("PARAMS are not JSON: {error}").into()),
            },
            None => Ok(call),
        }
    }

    /// Valid JSON, because [`new`](Self::new) has checked it.
    fn params(&self) -> Option<RawValue<'_>> {
        self.params.as_deref().and_then(|params| RawValue::parse(params.as_bytes()).ok())
    }
}

/// The options of the command line; `None` for help.
fn options(parser: &mut Parser) -> Result<Option<Options>, lexopt::Error> {
    let (mut is_content_length, mut is_notification, mut is_batch) = (false, false, false);
    let mut timeout = Duration::from_secs(10);
    let mut words = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("content-length") => is_content_length = true,
            Long("notify") => is_notification = true,
            Long("batch") => is_batch = true,
            Long("timeout") => timeout = arguments::timeout(parser)?,
            Short('h') | Long("help") => return Ok(None),
            Value(word) => words.push(word),
            _ => return Err(argument.unexpected()),
        }
    }
    let mut words = words.into_iter();
    let address = address(words.next().ok_or("ADDR:PORT is missing")?)?;
    let mut calls = vec![Call::new(words.next().ok_or("METHOD is missing")?, words.next())?];
    while let Some(word) = words.next() {
        if !is_batch {
            return Err(lexopt::Error::UnexpectedArgument(word));
        }
        calls.push(Call::new(word, words.next())?);
    }
    Ok(Some(Options { address, calls, is_content_length, is_notification, is_batch, timeout }))
}

fn main() -> ExitCode {
    let options = arguments::parse(HELP, options);
    let talk = if options.is_content_length { talk::<ContentLength> } else { talk::<Lines> };
    match talk(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            complain(error);
            ExitCode::from(3)
        }
    }
}

/// Prints a message of the server on standard error, without `eprintln!`, which panics if standard error is closed.
fn report(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Sends the calls and prints the received messages until all calls have responses. Returns whether all calls succeeded.
fn talk<F: Frame>(options: &Options) -> Result<bool, Failure> {
    let begin = Instant::now();
    let stream = &connect(options)?;
    let timed = Timed::new(stream, options.timeout.saturating_sub(begin.elapsed()));
    let (mut framer, mut output) = (Box::new(Framer::<F, BUFFER>::new()), vec![0; BUFFER]);
    let mut connection = Connection::new(FromStd::new(timed), FromStd::new(timed), &mut *framer, &mut output);

    let mut client = Calls::new();
    let mut text = vec![0; BUFFER];
    let mut text = Writer::new(&mut text);
    write(options, &mut client, &mut text).map_err(|error| format!("cannot send this: {error}"))?;
    connection.send_text(text.written()).map_err(|error| failure(options, error))?;

    let (mut is_good, mut is_refused) = (true, false);
    while !client.is_empty() && !is_refused {
        if !connection.read().map_err(|error| failure(options, error))? {
            return Err("the server has hung up without an answer".into());
        }
        let mut asked: Vec<Id> = Vec::new();
        while let Some(frame) = connection.next() {
            for incoming in client.receive(frame?.as_ref()) {
                match incoming {
                    Incoming::Response(answer, response) => {
                        is_refused |= matches!(answer, Answer::NullId | Answer::ToBatch);
                        is_good &= print(options, answer, &response)?;
                    }
                    Incoming::Refused(refused, answer) => {
                        is_refused |= matches!(answer, Answer::NullId | Answer::ToBatch);
                        let is_answer = is_refused || matches!(answer, Answer::To(_) | Answer::Misspelled(_));
                        is_good &= !is_answer;
                        report(&format!("unreadable {}: {refused}", if is_answer { "answer" } else { "text" }));
                    }
                    Incoming::Request(request) => asked.push(request.id),
                    Incoming::Notification(notification) => {
                        let params = notification.params.unwrap_or(RawValue::NULL);
                        report(&line(format_args!("notification {}: {}", notification.method, json(params))));
                    }
                }
            }
        }
        for id in asked {
            let refusal = Response::error(id, ErrorObject::METHOD_NOT_FOUND);
            connection.send(&refusal).map_err(|error| failure(options, error))?;
        }
    }
    Ok(is_good)
}

fn connect(options: &Options) -> Result<TcpStream, Failure> {
    let in_words = |error: io::Error| format!("cannot connect to {}: {error}", options.address);
    let mut outcome = Err(io::Error::from(ErrorKind::AddrNotAvailable));
    for address in options.address.to_socket_addrs().map_err(in_words)? {
        outcome = TcpStream::connect_timeout(&address, options.timeout);
        if outcome.is_ok() {
            break;
        }
    }
    let stream = outcome.map_err(in_words)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The failure of a read or write.
fn failure(options: &Options, error: ConnectionError<io::Error, io::Error>) -> Failure {
    match &error {
        // a socket reports its timeout as `WouldBlock` on Unix
        ConnectionError::Read(fault) | ConnectionError::Write(fault)
            if matches!(fault.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
        {
            format!("no answer within {} s", options.timeout.as_secs_f64()).into()
        }
        _ => error.into(),
    }
}

/// Writes the calls, and stores those that expect a response.
fn write<'o>(options: &'o Options, client: &mut Calls<'o>, out: &mut Writer<'_>) -> Result<(), nanojsonrpc::Error> {
    if options.is_batch {
        let mut batch = client.batch(out);
        for call in &options.calls {
            if options.is_notification {
                batch.notify(&call.method, &call.params())?;
            } else {
                batch.call(&call.method, &call.params(), call)?;
            }
        }
        batch.finish();
        return Ok(());
    }
    for call in &options.calls {
        if options.is_notification {
            client.notify(&call.method, &call.params(), out)?;
        } else {
            client.call(&call.method, &call.params(), call, out)?;
        }
    }
    Ok(())
}

/// Prints a response. Returns `true` for a result, and for a response that belongs to no call.
fn print(options: &Options, answer: Answer<&Call>, response: &Response<'_>) -> io::Result<bool> {
    let method = match answer {
        Answer::To(call) if options.is_batch => format!("{}: ", call.method),
        Answer::To(_) | Answer::More | Answer::NullId | Answer::ToBatch => String::new(),
        Answer::Misspelled(_) => {
            report(&format!("the answer has the id {} of another type", response.id));
            return Ok(false);
        }
        Answer::Duplicate | Answer::Unknown => {
            report("a response to no call in flight");
            return Ok(true);
        }
    };
    match &response.outcome {
        Ok(result) => writeln!(io::stdout(), "{method}{}", json(*result)).map(|()| true),
        Err(error) => {
            let data = error.data.map(|data| format!(", data: {}", json(data))).unwrap_or_default();
            report(&format!("{method}{error}{data}"));
            Ok(false)
        }
    }
}
