//! A switch that answers as a Shelly of the second generation, and a client for such devices, over UDP: a datagram is a message.
//!
//! ```sh
//! cargo run --example shelly -- --device 127.0.0.1:1010 &
//! cargo run --example shelly -- 127.0.0.1:1010 Switch.Set '{"id":0,"on":true}'
//! ```
//!
//! These devices write JSON-RPC 2.0 without `jsonrpc`, and add the members `src` and `dst` to each message: the names of the sender and the
//! receiver. So both sides read with [`Dialect::LENIENT`], and add members to what they write.

use core::time::Duration;
use std::io::{self, ErrorKind, Write};
use std::net::UdpSocket;
use std::process::ExitCode;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use lexopt::Parser;
use lexopt::prelude::*;
use nanojsonrpc::client::{Answer, Client, Incoming};
use nanojsonrpc::json::{Kind, ObjectWriter};
use nanojsonrpc::server::route::{Call, Routes};
use nanojsonrpc::server::{Layer, Observer};
use nanojsonrpc::{Dialect, Envelope, ErrorCode, ErrorObject, Params, RawValue, Router, Server, Writer};
use serde::{Deserialize, Serialize};

mod arguments;
mod printable;

use arguments::{address, complain};
use printable::{json, line};

const HELP: &str = "\
Calls a Shelly device of the second generation over UDP, or answers as one.

Usage: shelly [OPTIONS] ADDR:PORT METHOD [PARAMS]
       shelly --device ADDR:PORT

PARAMS is a JSON object.

Options:
      --device           Answer at ADDR:PORT as a switch; port 0 takes a free one
      --timeout SECONDS  How long to wait for the answer [default: 2]
  -h, --help             Print this help

The result goes to standard output; an error, and the notifications before it, to standard error.
Exit status: 1 if there is an error response, 2 if the command line is wrong, 3 if there is no
answer.
";

/// The names of both sides.
const DEVICE: &str = "shellyplus1-a0b1c2d3e4f5";
const CALLER: &str = "nanojsonrpc";
/// The maximum length of a message.
const MESSAGE: usize = 1024;
/// How a Shelly reads and writes.
const DIALECT: Dialect = Dialect::LENIENT.without_version().with_max_batch(0);
/// The codes of a Shelly for wrong arguments, missing components and unknown methods.
const INVALID_ARGUMENT: ErrorCode = ErrorCode(-103);
const NOT_FOUND: ErrorCode = ErrorCode(-105);
const NO_HANDLER: ErrorCode = ErrorCode(404);

struct Options {
    address: String,
    call: Option<(String, Option<String>)>,
    timeout: Duration,
}

fn options(parser: &mut Parser) -> Result<Option<Options>, lexopt::Error> {
    let (mut is_device, mut timeout, mut words) = (false, Duration::from_secs(2), Vec::new());
    while let Some(argument) = parser.next()? {
        match argument {
            Long("device") => is_device = true,
            Long("timeout") => timeout = arguments::timeout(parser)?,
            Short('h') | Long("help") => return Ok(None),
            Value(word) => words.push(word),
            _ => return Err(argument.unexpected()),
        }
    }
    let mut words = words.into_iter();
    let address = address(words.next().ok_or("ADDR:PORT is missing")?)?;
    let call = if is_device {
        None
    } else {
        let method = words.next().ok_or("METHOD is missing")?.string()?;
        let params = words.next().map(ValueExt::string).transpose()?;
        Some((method, params))
    };
    if let Some(word) = words.next() {
        return Err(lexopt::Error::UnexpectedArgument(word));
    }
    if let Some((_, Some(params))) = &call {
        object(params).ok_or("PARAMS must be a JSON object")?;
    }
    Ok(Some(Options { address, call, timeout }))
}

fn object(params: &str) -> Option<RawValue<'_>> {
    RawValue::parse(params.as_bytes()).ok().filter(|params| params.kind() == Kind::Object)
}

fn main() -> ExitCode {
    let options = arguments::parse(HELP, options);
    let outcome = match &options.call {
        Some((method, params)) => call(&options, method, params.as_deref()),
        None => serve(&options.address),
    };
    outcome.unwrap_or_else(|error| {
        complain(error);
        ExitCode::from(3)
    })
}

/// Adds the names of the sender and the receiver to the answers of the device.
struct Addresses;

impl Layer<Device> for Addresses {
    fn members(&mut self, _: &mut Device, call: Option<&Call<'_>>, members: &mut ObjectWriter<'_, '_>) {
        put_addresses(call.and_then(|call| call.get("src")), members);
    }
}

fn put_addresses(receiver: Option<RawValue<'_>>, members: &mut ObjectWriter<'_, '_>) {
    members.member("src", DEVICE);
    if let Some(receiver) = receiver {
        members.member("dst", &receiver);
    }
}

/// The device: its switch, and whether it has just changed.
#[derive(Default)]
struct Device {
    output: bool,
    has_changed: bool,
}

#[derive(Deserialize)]
struct Component {
    id: u8,
}

#[derive(Deserialize)]
struct Set {
    id: u8,
    on: bool,
}

#[derive(Serialize)]
struct WasOn {
    was_on: bool,
}

#[derive(Serialize)]
struct Status {
    id: u8,
    source: &'static str,
    output: bool,
}

#[derive(Serialize)]
struct Changed {
    ts: u64,
    #[serde(rename = "switch:0")]
    switch: Status,
}

#[derive(Serialize)]
struct Info {
    id: &'static str,
    model: &'static str,
    r#gen: u8,
    auth_en: bool,
}

impl Device {
    fn set(&mut self, on: bool) -> WasOn {
        let was_on = core::mem::replace(&mut self.output, on);
        self.has_changed |= was_on != on;
        WasOn { was_on }
    }

    fn status(&self) -> Status {
        Status { id: 0, source: "RPC", output: self.output }
    }
}

/// Reads params that name the only component, 0.
fn read<'p, T: Deserialize<'p>>(params: Params<'p>, id: impl Fn(&T) -> u8) -> Result<T, ErrorObject<'static>> {
    let read: T = params.read().map_err(|_| ErrorObject::new(INVALID_ARGUMENT.0, "Missing or bad argument!"))?;
    if id(&read) == 0 { Ok(read) } else { Err(ErrorObject::new(NOT_FOUND.0, "Argument 'id', value not found!")) }
}

fn server() -> Server<impl Routes<Device>, impl Observer<Device>> {
    let router = Router::new()
        .request("Shelly.GetDeviceInfo", |_: &mut Device| {
            Ok(Info { id: DEVICE, model: "SNSW-001X16EU", r#gen: 2, auth_en: false })
        })
        .request("Switch.GetStatus", |device: &mut Device, params: Params<'_>| {
            read(params, |component: &Component| component.id).map(|_| device.status())
        })
        .request("Switch.Toggle", |device: &mut Device, params: Params<'_>| {
            read(params, |component: &Component| component.id).map(|_| device.set(!device.output))
        })
        .request("Switch.Set", |device: &mut Device, params: Params<'_>| {
            read(params, |set: &Set| set.id).map(|set| device.set(set.on))
        })
        .fallback(|_, method, _, reply| reply.failure(&(NO_HANDLER, ("No handler for ", method))));
    Server::new(router).with_dialect(DIALECT).with_layer(Addresses)
}

/// Answers each datagram, and notifies its sender when the switch changes.
fn serve(address: &str) -> Result<ExitCode, String> {
    let socket = UdpSocket::bind(address).map_err(|error| format!("cannot listen on {address}: {error}"))?;
    let local = socket.local_addr().map_err(|error| error.to_string())?;
    arguments::print(&format!("listening on {local}\n")).map_err(|error| error.to_string())?;
    let (mut server, mut device) = (server(), Device::default());
    let (mut input, mut output) = ([0; MESSAGE], [0; MESSAGE]);
    loop {
        // the system reports here that an earlier receiver is gone
        let Ok((len, sender)) = socket.recv_from(&mut input) else { continue };
        let text = input.get(..len).unwrap_or_default();
        let send = |message: &[u8]| {
            if let Err(error) = socket.send_to(message, sender) {
                complain(error);
            }
        };
        if let Some(answer) = server.process(&mut device, text, &mut output).answer() {
            send(answer);
        }
        if core::mem::take(&mut device.has_changed) {
            let ts = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            let changed = Changed { ts, switch: device.status() };
            let receiver = Envelope::parse_as(text, DIALECT).ok().and_then(|message| message.get("src"));
            let mut out = Writer::new(&mut output);
            let client: Client<(), 0> = Client::new().with_dialect(DIALECT);
            let written = client
                .notify("NotifyStatus", &changed, &mut out)
                .and_then(|()| out.add_members(|members| put_addresses(receiver, members)));
            match written {
                Ok(()) => send(out.written()),
                Err(error) => complain(error),
            }
        }
    }
}

/// Calls a method, and prints the answer.
fn call(options: &Options, method: &str, params: Option<&str>) -> Result<ExitCode, String> {
    let in_words = |error: io::Error| match error.kind() {
        // a socket reports its timeout as `WouldBlock` on Unix
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            format!("no answer within {} s", options.timeout.as_secs_f64())
        }
        _ => format!("{}: {error}", options.address),
    };
    let socket = UdpSocket::bind("0.0.0.0:0").map_err(in_words)?;
    socket.connect(&options.address).map_err(in_words)?;

    let mut client: Client<(), 1> = Client::new().with_dialect(DIALECT);
    let mut text = [0; MESSAGE];
    let mut out = Writer::new(&mut text);
    client
        .call(method, &params.and_then(object), (), &mut out)
        .map_err(|refused| format!("cannot send this: {refused}"))?;
    out.add_members(|members| members.member("src", CALLER)).map_err(|error| format!("cannot send this: {error}"))?;
    socket.send(out.written()).map_err(in_words)?;

    let (begin, mut input) = (Instant::now(), [0; MESSAGE]);
    loop {
        let left = options.timeout.saturating_sub(begin.elapsed());
        if left.is_zero() {
            return Err(in_words(ErrorKind::TimedOut.into()));
        }
        socket.set_read_timeout(Some(left)).map_err(in_words)?;
        let len = socket.recv(&mut input).map_err(in_words)?;
        for incoming in client.receive(input.get(..len).unwrap_or_default()) {
            match incoming {
                Incoming::Response(Answer::To(()), response) => {
                    return match response.outcome {
                        Ok(result) => arguments::print(&format!("{}\n", json(result))).map(|()| ExitCode::SUCCESS),
                        Err(error) => {
                            writeln!(io::stderr(), "{}", line(format_args!("{error}"))).map(|()| ExitCode::from(1))
                        }
                    }
                    .map_err(|error| error.to_string());
                }
                Incoming::Refused(refused, Answer::To(())) => return Err(format!("unreadable answer: {refused}")),
                Incoming::Notification(notification) => {
                    let params = notification.params.unwrap_or(RawValue::NULL);
                    complain(line(format_args!("{}: {}", notification.method, json(params))));
                }
                // of an earlier call, or of no call
                _ => {}
            }
        }
    }
}
