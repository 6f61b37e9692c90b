//! Many connections over loopback, a tenth of which break off anywhere: each call is answered once, or its caller gets the reason.
//!
//! `NANOJSONRPC_CONNECTIONS` sets their number.
#![cfg(all(feature = "serde", feature = "embedded-io-async"))]

use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::sync::Arc;

use embedded_io_adapters::tokio_1::FromTokio;
use nanojsonrpc::connection::{CallError, Connection, ConnectionError};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::{ErrorCode, ErrorObject, Router, Server};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The answers of both sides.
#[derive(Default)]
struct Count {
    served: AtomicUsize,
    right: AtomicUsize,
    failed: AtomicUsize,
}

const CALLS: u32 = 10;

async fn double(count: &mut Arc<Count>, (number,): (u32,)) -> Result<u32, ErrorObject<'static>> {
    tokio::task::yield_now().await;
    count.served.fetch_add(1, Ordering::Relaxed);
    Ok(number.wrapping_mul(2))
}

async fn serve(stream: TcpStream, mut count: Arc<Count>) {
    stream.set_nodelay(true).unwrap();
    let (reader, writer) = stream.into_split();
    let mut server = Server::new(Router::new().request_async("double", double));
    let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
    let mut connection = Connection::new(FromTokio::new(reader), FromTokio::new(writer), &mut framer, &mut output);
    // a peer that breaks off causes an error here or the end of the stream
    _ = connection.concurrent::<2, 128, 256>().serve(&mut server, &mut count).await;
}

/// Calls ten times. If `cut` is given, the peer is reached through a stream that ends behind so many bytes.
async fn call(stream: TcpStream, cut: Option<u64>, number: u32, count: &Count) {
    stream.set_nodelay(true).unwrap();
    let (reader, mut writer) = stream.into_split();
    let (near, mut far) = tokio::io::duplex(64);
    let sending = async {
        match cut {
            Some(len) => _ = tokio::io::copy(&mut tokio::io::AsyncReadExt::take(&mut far, len), &mut writer).await,
            None => _ = tokio::io::copy(&mut far, &mut writer).await,
        }
        _ = writer.shutdown().await;
        drop(far);
    };
    let calling = async {
        let mut server = Server::new(Router::<(), _>::new());
        let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
        let mut connection = Connection::new(FromTokio::new(reader), FromTokio::new(near), &mut framer, &mut output);
        for call in 0..CALLS {
            let number = number.wrapping_add(call);
            match connection.peer_async(&mut server, &mut ()).call_async::<u32>("double", &[number]).await {
                Ok(double) => {
                    assert_eq!(double, number.wrapping_mul(2));
                    count.right.fetch_add(1, Ordering::Relaxed);
                }
                Err(error) => {
                    assert!(cut.is_some(), "{error}");
                    // the server answers the part of a request that it gets with an error for null
                    let is_refused = matches!(error, CallError::Peer(object) if object.code == ErrorCode::PARSE_ERROR);
                    let is_known = is_refused
                        || matches!(
                            error,
                            CallError::Closed
                                | CallError::Connection(
                                    ConnectionError::Write(_)
                                        | ConnectionError::OutputBroken
                                        | ConnectionError::Read(_)
                                        | ConnectionError::WriteZero
                                )
                        );
                    assert!(is_known, "{error}");
                    count.failed.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    };
    tokio::join!(sending, calling);
}

async fn connect(connections: u32, at_once: usize) {
    // `TcpListener::bind` lets 128 connections wait; the system drops more without an error
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1024).unwrap();
    let address = listener.local_addr().unwrap();
    let count = Arc::new(Count::default());
    // connections that wait to be accepted, fewer than the listener's queue has room for
    let queue = Arc::new(Semaphore::new(500));
    let serving = {
        let (count, queue) = (count.clone(), queue.clone());
        tokio::spawn(async move {
            let mut clients = JoinSet::new();
            for _ in 0..connections {
                let (stream, _) = listener.accept().await.unwrap();
                queue.add_permits(1);
                clients.spawn(serve(stream, count.clone()));
                while clients.try_join_next().is_some() {}
            }
            while let Some(client) = clients.join_next().await {
                client.unwrap();
            }
        })
    };
    let permits = Arc::new(Semaphore::new(at_once));
    let mut callers = JoinSet::new();
    let mut random = 1u64;
    for number in 0..connections {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let cut = (number % 10 == 3).then_some(random >> 33).map(|random| random % 650);
        let permit = permits.clone().acquire_owned().await.unwrap();
        queue.acquire().await.unwrap().forget();
        let count = count.clone();
        callers.spawn(async move {
            let stream = TcpStream::connect(address).await.unwrap();
            call(stream, cut, number.wrapping_mul(CALLS), &count).await;
            drop(permit);
        });
        while let Some(caller) = callers.try_join_next() {
            caller.unwrap();
        }
    }
    while let Some(caller) = callers.join_next().await {
        caller.unwrap();
    }
    // every task has ended
    timeout(Duration::from_secs(60), serving).await.unwrap().unwrap();
    let [served, right, failed] =
        [&count.served, &count.right, &count.failed].map(|count| count.load(Ordering::Relaxed));
    let calls = usize::try_from(connections.wrapping_mul(CALLS)).unwrap();
    assert_eq!(right.wrapping_add(failed), calls);
    // each whole call was answered, and each answer was read
    assert_eq!(served, right);
    assert!(failed > 0 && failed < calls / 10, "{failed} failed");
    println!("{connections} connections, {at_once} at once: {served} served, {right} right, {failed} failed");
}

fn connections() -> u32 {
    std::env::var("NANOJSONRPC_CONNECTIONS").map_or(300, |count| count.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_after_the_other() {
    connect(connections(), 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_hundred_at_once() {
    connect(connections(), 500).await;
}
