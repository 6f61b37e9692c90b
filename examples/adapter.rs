//! An adapter with a sensor and an LED. It connects to a hub, sends readings, answers calls of the hub, and reconnects after a lost
//! connection.
//!
//! ```sh
//! cargo run --example adapter --features embedded-io -- 127.0.0.1:4000
//! ```
//!
//! Each message has a `Content-Length` header. The program ends when the hub sends the notification `stop`.

use core::time::Duration;
use std::io::{Error, ErrorKind};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Instant;

use embedded_io_adapters::std::FromStd;
use nanojsonrpc::connection::{Connection, ConnectionError};
use nanojsonrpc::frame::{ContentLength, Framer};
use nanojsonrpc::{ErrorObject, Notification, Router, Server};
use serde::{Deserialize, Serialize};

mod arguments;

/// The time between two readings, and the maximum time between two attempts to connect.
const PERIOD: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Default)]
struct Board {
    celsius: i32,
    is_lit: bool,
    is_over: bool,
    /// Whether the hub has sent a message on this connection.
    has_read: bool,
}

#[derive(Deserialize)]
struct Led<'a> {
    state: &'a str,
}

#[derive(Serialize)]
struct Reading<'a> {
    celsius: i32,
    unit: &'a str,
}

fn main() {
    let [address] = arguments::words("Connects a sensor and an LED to a hub that listens on TCP.", ["ADDR:PORT"]);
    let mut board = Board { celsius: 20, ..Board::default() };
    let mut pause = PERIOD;
    while !board.is_over {
        board.has_read = false;
        match TcpStream::connect(&address) {
            Ok(stream) => {
                if let Err(error) = talk(&stream, &mut board) {
                    eprintln!("{error}");
                }
            }
            Err(error) => eprintln!("{address}: {error}"),
        }
        // a connection without a message counts as a failed attempt
        if board.has_read {
            pause = PERIOD;
        }
        if !board.is_over {
            sleep(pause);
            pause = pause.saturating_mul(2).min(PATIENCE);
        }
    }
}

/// Talks to the hub until the connection ends.
fn talk(stream: &TcpStream, board: &mut Board) -> Result<(), ConnectionError<Error, Error>> {
    let mut server = Server::new(
        Router::new()
            .request("led.set", |board: &mut Board, params: nanojsonrpc::Params<'_>| {
                board.is_lit = match params.read::<Led<'_>>()?.state {
                    "on" => true,
                    "off" => false,
                    _ => return Err(ErrorObject::new(-32001, "no such state")),
                };
                Ok(board.is_lit)
            })
            .request("led.get", |board: &mut Board| Ok(board.is_lit))
            .notification("stop", |board: &mut Board| board.is_over = true),
    );
    // the timeout ends a read before the next reading of the sensor
    stream.set_read_timeout(Some(PERIOD)).and_then(|()| stream.set_nodelay(true)).map_err(ConnectionError::Read)?;
    // a hub that does not read loses the connection
    stream.set_write_timeout(Some(PATIENCE)).map_err(ConnectionError::Write)?;
    // buffers as small as on a microcontroller, new ones for each connection
    let (mut framer, mut output) = (Framer::<ContentLength, 512>::new(), [0; 512]);
    let mut connection = Connection::new(FromStd::new(stream), FromStd::new(stream), &mut framer, &mut output);
    let mut due = Instant::now();
    while !board.is_over {
        if due.elapsed() >= PERIOD {
            due = Instant::now();
            board.celsius = if board.celsius < 30 { board.celsius.wrapping_add(1) } else { 20 };
            let reading = Reading { celsius: board.celsius, unit: "°C" };
            connection.send(&Notification::new("sensor.reading").with_params(&reading))?;
        }
        match connection.read() {
            Ok(true) => {
                board.has_read = true;
                connection.answer(&mut server, board)?;
            }
            Ok(false) => break,
            Err(ConnectionError::Read(error))
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
