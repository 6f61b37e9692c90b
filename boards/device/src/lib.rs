//! The program of each board, apart from its pins, clocks and serial line: a lamp that serves JSON-RPC and MCP on one line.
//!
//! | direction | message |
//! |---|---|
//! | host to device | `lamp.set`, `lamp.state`, `lamp.time`; as MCP tools `lamp_set`, `lamp_state`, `lamp_time` |
//! | host to device | the notification `lamp.watch`: from now on, the device sends the messages below |
//! | device to host | the notification `lamp.tick`, once a second |
//! | device to host | the call `host.time`, until the host has answered it with seconds since 1970 |
//!
//! A client of MCP never sends `lamp.watch`, so it receives only answers.
#![no_std]

use core::cell::Cell;

use embassy_futures::select::{Either, select};
use embedded_io_async::{Read, Write};
use nanojsonrpc::connection::{CallError, Connection, ConnectionError};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::mcp::Service;
use nanojsonrpc::{Dialect, ErrorCode, Router, Schema, Server};
use serde::Serialize;

/// The longest line from the host, with its line end.
const LINE: usize = 512;
/// The longest line to the host. The list of the tools is the longest answer.
const ANSWER: usize = 1536;

const NO_TIME: (ErrorCode, &str) = (ErrorCode(-32002), "no host has told the time");

#[derive(Clone, Copy, Serialize, Schema)]
pub struct State {
    /// Whether the lamp is lit.
    on: bool,
    /// Seconds since the start of the device.
    uptime: u32,
}

/// The methods, which are also the tools.
#[nanojsonrpc::service(prefix = "lamp.", mcp)]
pub trait Lamp {
    /// Switches the lamp on or off, and returns whether it was on.
    #[tool(destructive = false, idempotent)]
    fn set(&mut self, on: bool) -> bool;
    /// Tells whether the lamp is on, and the seconds since the start.
    #[tool(read_only)]
    fn state(&self) -> State;
    /// The seconds since 1970.
    #[tool(read_only)]
    fn time(&self) -> Result<u64, (ErrorCode, &'static str)>;
    /// The host wants to receive ticks, and answers `host.time`.
    #[notification]
    fn watch(&mut self, on: bool);
}

/// The state of the device. `L` switches the lamp.
pub struct Device<L> {
    lamp: L,
    state: State,
    /// The time of the host at its answer, less the uptime at that moment.
    started: Option<u64>,
    is_watched: bool,
}

impl<L: FnMut(bool)> Device<L> {
    pub const fn new(lamp: L) -> Self {
        Self { lamp, state: State { on: false, uptime: 0 }, started: None, is_watched: false }
    }
}

impl<L: FnMut(bool)> Lamp for Device<L> {
    fn set(&mut self, on: bool) -> bool {
        (self.lamp)(on);
        core::mem::replace(&mut self.state.on, on)
    }

    fn state(&self) -> State {
        self.state
    }

    fn time(&self) -> Result<u64, (ErrorCode, &'static str)> {
        self.started.map(|started| started.saturating_add(self.state.uptime.into())).ok_or(NO_TIME)
    }

    fn watch(&mut self, on: bool) {
        self.is_watched = on;
    }
}

/// Serves one host until the line ends or fails. `tick` is ready once a second; dropping its future loses no second.
///
/// # Errors
/// Those of the reader and the writer. Call the function again for the next host: it begins a new session of MCP.
pub async fn run<R: Read, W: Write>(
    reader: R,
    writer: W,
    device: &mut Device<impl FnMut(bool)>,
    mut tick: impl AsyncFnMut(),
) -> Result<(), ConnectionError<R::Error, W::Error>> {
    // each host subscribes for itself
    device.is_watched = false;
    // one list of routes for both protocols, by the rules of MCP: params by name, no batches
    let tools = LampService::tools(Service::new("lamp", env!("CARGO_PKG_VERSION"))).router();
    let mut server = Server::new(Router::with_routes(LampService).nest("", tools)).with_dialect(Dialect::MCP);
    let (mut framer, mut output) = (Framer::<Lines, LINE>::new(), [0; ANSWER]);
    let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
    loop {
        // also the messages that arrived together with the answer to a call of the device
        connection.answer_async(&mut server, device).await?;
        if connection.has_ended() {
            return Ok(());
        }
        // a dropped read loses no bytes
        match select(connection.read_async(), tick()).await {
            Either::First(read) => _ = read?,
            Either::Second(()) => loop {
                device.state.uptime = device.state.uptime.saturating_add(1);
                if !device.is_watched {
                    break;
                }
                let (state, is_timed) = (device.state, device.started.is_some());
                let is_late = Cell::new(false);
                let deadline = async || {
                    tick().await;
                    is_late.set(true);
                };
                let mut host = connection.peer_async(&mut server, device).until_async(deadline);
                host.notify_async("lamp.tick", &state).await?;
                if is_timed {
                    break;
                }
                // until the answer or the next tick, the server handles all other messages
                let time = match host.call_async::<u64>("host.time", &()).await {
                    Ok(time) => Some(time),
                    Err(CallError::Connection(error)) => return Err(error),
                    // too late, or a host without a clock
                    Err(_) => None,
                };
                device.started = time.map(|time| time.saturating_sub(device.state.uptime.into()));
                // the deadline was a tick, too
                if !is_late.get() {
                    break;
                }
            },
        }
    }
}
