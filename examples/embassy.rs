//! A device and a hub in one program: two tasks of embassy's executor on the host, connected by a wire in memory.
//!
//! ```sh
//! cargo run --example embassy --features embedded-io-async
//! ```
//!
//! The device answers with `async` handlers, and sends a notification every 15 ms. The hub calls it and prints the received messages. On a
//! microcontroller a UART replaces the wire and `StaticCell` replaces `Box::leak`; the rest is the same.

use core::cell::Cell;
use std::process::ExitCode;

use embassy_executor::{Executor, Spawner};
use embassy_futures::select::{Either, select};
use embassy_time::{Duration, Ticker, Timer, with_timeout};
use nanojsonrpc::client::{Answer, Incoming};
use nanojsonrpc::connection::{Connection, ConnectionError};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::memory::{Pipe, PipeEnd, PipeError};
use nanojsonrpc::{Client, ErrorObject, Notification, RawValue, Router, Server, Writer};

mod arguments;
mod printable;

use printable::{json, line};

type Wire = PipeEnd<'static, 256>;
type Lost = ConnectionError<PipeError, PipeError>;

/// The context of the device's handlers.
struct Board {
    /// Tenths of a degree, added to each measurement.
    correction: i32,
}

/// Waits, to simulate a slow converter.
async fn measure(board: &mut Board, (channel,): (u8,)) -> Result<i32, ErrorObject<'static>> {
    Timer::after_millis(20).await;
    match channel {
        0..4 => Ok(i32::from(channel).saturating_add(200).saturating_add(board.correction)),
        _ => Err(ErrorObject::new(-32001, "no such channel")),
    }
}

async fn calibrate(board: &mut Board, (correction,): (i32,)) {
    Timer::after_millis(5).await;
    board.correction = correction;
}

/// Answers calls and sends a notification every 15 ms, until the wire is closed.
async fn device(wire: &Wire) -> Result<(), Lost> {
    let mut server = Server::new(
        Router::new()
            .request_async("measure", measure)
            // a converter that hangs does not hang the device
            .limited_by(|_| Timer::after_secs(1))
            .notification_async("calibrate", calibrate)
            .request("correction", |board: &mut Board| Ok(board.correction)),
    );
    let mut board = Board { correction: 0 };
    let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
    let mut connection = Connection::new(wire, wire, &mut framer, &mut output);
    let mut ticker = Ticker::every(Duration::from_millis(15));
    let mut ticks = 0u32;
    while !connection.has_ended() {
        // `select` may drop the read; that loses no bytes
        match select(connection.read_async(), ticker.next()).await {
            Either::First(read) => {
                read?;
                connection.answer_async(&mut server, &mut board).await?;
            }
            Either::Second(()) => {
                ticks = ticks.wrapping_add(1);
                match connection.send_async(&Notification::new("tick").with_params(&[ticks])).await {
                    // the hub may close the wire before the device reads its end
                    Err(ConnectionError::Write(PipeError::Closed)) => break,
                    sent => sent?,
                }
            }
        }
    }
    println!("device: the wire has ended");
    Ok(())
}

/// Calls the device, and reads until all calls have responses and three ticks have arrived.
async fn hub(wire: &Wire) -> Result<(), Box<dyn core::error::Error>> {
    let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
    let mut connection = Connection::new(wire, wire, &mut framer, &mut output);
    let mut client: Client<&str, 4> = Client::new();
    let mut text = [0; 128];
    for (method, params, tag) in
        [("measure", &[1][..], "channel 1"), ("measure", &[9], "channel 9"), ("correction", &[], "correction")]
    {
        let mut out = Writer::new(&mut text);
        client.call(method, params, tag, &mut out)?;
        connection.send_text_async(out.written()).await?;
    }
    connection.send_async(&Notification::new("calibrate").with_params(&[-5])).await?;
    let mut out = Writer::new(&mut text);
    client.call("measure", &[1], "channel 1, calibrated", &mut out)?;
    connection.send_text_async(out.written()).await?;

    let mut ticks = 0u8;
    while !client.is_empty() || ticks < 3 {
        match with_timeout(Duration::from_secs(2), connection.read_async()).await {
            Ok(read) if read? => {}
            Ok(_) => return Err("the device has gone".into()),
            Err(_) => return Err("the device is silent".into()),
        }
        while let Some(frame) = connection.next() {
            for incoming in client.receive(frame?) {
                match incoming {
                    Incoming::Response(Answer::To(tag), response) => match response.outcome {
                        Ok(result) => println!("hub: {tag}: {}", json(result)),
                        Err(error) => println!("hub: {tag}: {error}"),
                    },
                    Incoming::Notification(notification) => {
                        ticks = ticks.saturating_add(1);
                        let params = notification.params.unwrap_or(RawValue::NULL);
                        println!("hub: {} {}", line(notification.method), json(params));
                    }
                    other => return Err(format!("unexpected: {other:?}").into()),
                }
            }
        }
    }
    Ok(())
}

/// The results of the tasks.
#[derive(Default)]
struct Ends {
    device: Cell<Option<bool>>,
    hub: Cell<Option<bool>>,
}

#[embassy_executor::task]
async fn device_task(wire: Wire, ends: &'static Ends) {
    let outcome = device(&wire).await;
    if let Err(error) = &outcome {
        println!("device: {error}");
    }
    ends.device.set(Some(outcome.is_ok()));
}

#[embassy_executor::task]
async fn hub_task(wire: Wire, ends: &'static Ends) {
    let outcome = hub(&wire).await;
    if let Err(error) = &outcome {
        println!("hub: {error}");
    }
    ends.hub.set(Some(outcome.is_ok()));
    // this drops the hub's end of the wire, which ends the device
}

fn main() -> ExitCode {
    arguments::words("Connects a device and a hub by a wire in memory, and prints what they say.", []);
    let ends: &'static Ends = Box::leak(Box::default());
    let wire: &'static mut Pipe<256> = Box::leak(Box::default());
    let (here, there) = wire.ends();
    let start = |spawner: Spawner| match (device_task(here, ends), hub_task(there, ends)) {
        (Ok(device), Ok(hub)) => {
            spawner.spawn(device);
            spawner.spawn(hub);
        }
        // each task is started once, so its pool always has room
        _ => {
            ends.device.set(Some(false));
            ends.hub.set(Some(false));
        }
    };
    let executor: &'static mut Executor = Box::leak(Box::new(Executor::new()));
    executor.run_until(start, || ends.device.get().is_some() && ends.hub.get().is_some());
    if (ends.device.get(), ends.hub.get()) == (Some(true), Some(true)) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
