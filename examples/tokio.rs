//! A tokio server for many clients.
//!
//! ```sh
//! cargo run --example tokio --features embedded-io-async -- --listen 127.0.0.1:4000
//! ```
//!
//! In a program of your own: `cargo add embedded-io-adapters --features tokio-1`, for the streams of tokio.
//!
//! Each client has a task with its own buffers. A client that disconnects, sends nothing for a minute or reads no answer for a minute ends
//! only its own task. Ctrl-C ends the server: each task answers the messages that it has read and waits until its client has the answers,
//! then the process exits, after five seconds at the latest.

use core::time::Duration;

use embedded_io_adapters::tokio_1::FromTokio;
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::server::Event;
use nanojsonrpc::{ErrorCode, ErrorObject, Router, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

mod arguments;

type Failure = Box<dyn core::error::Error + Send + Sync>;

/// The maximum number of clients. More clients wait in the queue of the system.
const CLIENTS: usize = 128;
/// The maximum time without a byte from a client, and the maximum time in which a client reads no answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// The maximum time for a client to receive the last answers and close its end.
const LINGER: Duration = Duration::from_secs(2);
/// The maximum time to end the tasks of the clients.
const GRACE: Duration = Duration::from_secs(5);

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let address = arguments::listen("Serves JSON-RPC 2.0 over TCP on tokio.");
    let bound = TcpListener::bind(&address).await;
    let listener = bound.map_err(|error| format!("cannot listen on {address}: {error}"))?;
    println!("listening on {}", listener.local_addr()?);
    let (stop, stopped) = watch::channel(false);
    let mut clients = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if clients.len() < CLIENTS => {
                let (stream, peer) = match accepted {
                    Ok(accepted) => accepted,
                    Err(error) => {
                        eprintln!("cannot serve a client: {error}");
                        // the system has no more descriptors: wait until clients disconnect
                        sleep(Duration::from_millis(50)).await;
                        continue;
                    }
                };
                let stopped = stopped.clone();
                clients.spawn(async move {
                    if let Err(error) = talk(stream, stopped).await {
                        eprintln!("{peer}: {error}");
                    }
                });
            }
            // removes ended tasks from the set
            Some(_) = clients.join_next() => {}
            signal = tokio::signal::ctrl_c() => break signal?,
        }
    }
    stop.send(true)?;
    // a client that does not read may block its task
    if timeout(GRACE, async { while clients.join_next().await.is_some() {} }).await.is_err() {
        clients.shutdown().await;
    }
    println!("stopped");
    Ok(())
}

/// The state of one client.
#[derive(Default)]
struct Session {
    calls: u32,
}

async fn slow(session: &mut Session, (millis,): (u64,)) -> Result<u32, ErrorObject<'static>> {
    session.calls = session.calls.wrapping_add(1);
    timeout(Duration::from_secs(1), sleep(Duration::from_millis(millis)))
        .await
        .map_err(|_| ErrorObject::new(ErrorCode::TIMED_OUT, "too slow"))?;
    Ok(session.calls)
}

/// Answers one client until it disconnects.
async fn talk(mut stream: TcpStream, mut stopped: watch::Receiver<bool>) -> Result<(), Failure> {
    stream.set_nodelay(true)?;
    let mut server = Server::new(
        Router::new()
            .request("subtract", |_: &mut Session, (a, b): (i64, i64)| {
                a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS)
            })
            .request_async("slow", slow),
    )
    .observed_by(|_: &mut Session, event: Event<'_>| eprintln!("{event}"));
    let (mut framer, mut output, mut session) = (Framer::<Lines, 4096>::new(), [0; 8192], Session::default());
    let (reader, writer) = stream.split();
    let (reader, writer) = (FromTokio::new(reader), FromTokio::new(writer));
    let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
    while !connection.has_ended() {
        tokio::select! {
            // `select!` may drop the read; that loses no bytes
            read = timeout(PATIENCE, connection.read_async()) => { read??; }
            _ = stopped.wait_for(|stopped| *stopped) => break,
        }
        timeout(PATIENCE, connection.answer_async(&mut server, &mut session)).await??;
    }
    close(stream).await
}

/// Closes a stream whose client may still send. If a stream is closed with unread bytes, the system resets the connection at once, and
/// drops the answers that the client has not received.
async fn close(mut stream: TcpStream) -> Result<(), Failure> {
    stream.shutdown().await?;
    let mut unread = [0; 512];
    // a client that does not close its end in time is cut off
    _ = timeout(LINGER, async { while stream.read(&mut unread).await.is_ok_and(|len| len != 0) {} }).await;
    Ok(())
}
