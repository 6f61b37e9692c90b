//! Subscriptions over TCP: a client subscribes to the readings of a sensor, receives a notification for each, and unsubscribes.
//!
//! ```sh
//! cargo run --example subscriptions --features alloc,embedded-io-async -- --listen 127.0.0.1:4000 &
//! cargo run --example subscriptions --features alloc,embedded-io-async -- 127.0.0.1:4000
//! ```
//!
//! `subscribe` returns the number of the subscription. Each notification has this number in its params, and `unsubscribe` takes it. The
//! answer to `subscribe` precedes the first notification, because one task writes both. A slow client delays only its own sensors, no other
//! client.

use core::time::Duration;
use std::collections::HashMap;
use std::sync::Arc;

use embedded_io_adapters::tokio_1::FromTokio;
use lexopt::prelude::*;
use nanojsonrpc::connection::{Connection, OwnedCallError};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::{ErrorCode, Notification, Router, Server};
use serde::{Deserialize, Serialize};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Sender, channel};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

mod arguments;

type Failure = Box<dyn core::error::Error + Send + Sync>;

const HELP: &str = "\
Subscribes to the readings of a sensor over TCP, or serves them.

Usage: subscriptions --listen ADDR:PORT
       subscriptions ADDR:PORT
";

/// The maximum number of clients. More clients wait in the queue of the system.
const CLIENTS: usize = 128;
/// The maximum time in which a client without subscriptions sends no byte, and in which a client reads no byte.
const PATIENCE: Duration = Duration::from_secs(60);
/// The maximum number of subscriptions of a client.
const SUBSCRIPTIONS: usize = 8;
/// The maximum number of readings that wait for a slow client.
const WAITING: usize = 4;
/// The number of readings that the client of this program receives.
const WANTED: u32 = 5;

/// The params of a notification.
#[derive(Serialize, Deserialize)]
struct Reading {
    subscription: u32,
    value: u32,
}

/// A task that ends with its subscription.
struct Feed(JoinHandle<()>);

impl Drop for Feed {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The state of a client.
struct Session {
    feeds: HashMap<u32, Feed>,
    last: u32,
    readings: Sender<Reading>,
}

impl Session {
    fn subscribe(&mut self, (millis,): (u32,)) -> Result<u32, (ErrorCode, &'static str)> {
        if self.feeds.len() >= SUBSCRIPTIONS {
            return Err((ErrorCode(-32001), "too many subscriptions"));
        }
        self.last = self.last.wrapping_add(1);
        let (subscription, readings) = (self.last, self.readings.clone());
        let feed = async move {
            let mut value = 0u32;
            // `send` waits while the client has not received the earlier readings
            while readings.send(Reading { subscription, value }).await.is_ok() {
                value = value.wrapping_add(1);
                sleep(Duration::from_millis(millis.into())).await;
            }
        };
        self.feeds.insert(subscription, Feed(tokio::spawn(feed)));
        Ok(subscription)
    }

    /// Whether there was such a subscription.
    fn unsubscribe(&mut self, (subscription,): (u32,)) -> bool {
        self.feeds.remove(&subscription).is_some()
    }
}

/// Serves a client until it disconnects.
async fn serve(mut stream: TcpStream) -> Result<(), Failure> {
    stream.set_nodelay(true)?;
    let (reader, writer) = stream.split();
    let (mut framer, mut output) = (Framer::<Lines, 4096>::new(), [0; 4096]);
    let mut connection = Connection::new(FromTokio::new(reader), FromTokio::new(writer), &mut framer, &mut output);
    let mut server = Server::new(
        Router::new()
            .request_fallible("subscribe", Session::subscribe)
            .request("unsubscribe", |session: &mut Session, subscription| Ok(session.unsubscribe(subscription))),
    );
    let (sender, mut readings) = channel(WAITING);
    let mut session = Session { feeds: HashMap::new(), last: 0, readings: sender };
    while !connection.has_ended() {
        tokio::select! {
            // a read that is dropped loses no bytes
            read = connection.read_async() => { read?; }
            () = sleep(PATIENCE), if session.feeds.is_empty() => return Err("nothing subscribed, nothing sent".into()),
            Some(reading) = readings.recv() => {
                // the client may have unsubscribed while the reading waited in the channel
                if session.feeds.contains_key(&reading.subscription) {
                    let notification = Notification::new("reading").with_params(&reading);
                    timeout(PATIENCE, connection.send_async(&notification)).await??;
                }
            }
        }
        timeout(PATIENCE, connection.answer_async(&mut server, &mut session)).await??;
    }
    Ok(())
}

async fn listen(address: &str) -> Result<(), Failure> {
    let bound = TcpListener::bind(address).await;
    let listener = bound.map_err(|error| format!("cannot listen on {address}: {error}"))?;
    println!("listening on {}", listener.local_addr()?);
    let places = Arc::new(Semaphore::new(CLIENTS));
    loop {
        let place = Arc::clone(&places).acquire_owned().await?;
        match listener.accept().await {
            Ok((stream, peer)) => {
                _ = tokio::spawn(async move {
                    let _place = place;
                    if let Err(error) = serve(stream).await {
                        eprintln!("{peer}: {error}");
                    }
                })
            }
            Err(error) => {
                eprintln!("cannot serve a client: {error}");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Prints readings, as many as wanted.
async fn subscribe(address: &str) -> Result<(), Failure> {
    let connected = TcpStream::connect(address).await;
    let mut stream = connected.map_err(|error| format!("cannot connect to {address}: {error}"))?;
    stream.set_nodelay(true)?;
    let (reader, writer) = stream.split();
    let (mut framer, mut output) = (Framer::<Lines, 4096>::new(), [0; 4096]);
    let mut connection = Connection::new(FromTokio::new(reader), FromTokio::new(writer), &mut framer, &mut output);
    // receives the notifications, also those that arrive during a call
    let mut server = Server::new(Router::new().notification("reading", |received: &mut u32, reading: Reading| {
        println!("reading {} of subscription {}", reading.value, reading.subscription);
        *received = received.wrapping_add(1);
    }));
    let mut received = 0;
    let subscription: u32 = connection
        .peer_async(&mut server, &mut received)
        .call_async("subscribe", &[50])
        .await
        .map_err(OwnedCallError::from)?;
    while received < WANTED && timeout(PATIENCE, connection.read_async()).await?? {
        connection.answer_async(&mut server, &mut received).await?;
    }
    let was_subscribed: bool = connection
        .peer_async(&mut server, &mut received)
        .call_async("unsubscribe", &[subscription])
        .await
        .map_err(OwnedCallError::from)?;
    println!("unsubscribed: {was_subscribed}");
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let (address, is_server) = arguments::parse(HELP, |parser| {
        let mut address = None;
        while let Some(argument) = parser.next()? {
            match argument {
                Long("listen") if address.is_none() => address = Some((arguments::address(parser.value()?)?, true)),
                Value(word) if address.is_none() => address = Some((arguments::address(word)?, false)),
                Short('h') | Long("help") => return Ok(None),
                _ => return Err(argument.unexpected()),
            }
        }
        address.ok_or("ADDR:PORT is missing".into()).map(Some)
    });
    if is_server { listen(&address).await } else { subscribe(&address).await }
}
