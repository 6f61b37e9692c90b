//! Load, and what is measured under it.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval};

use crate::Result;
use crate::calls::Peer;
use crate::process::Process;

/// Calls a second, and the processor time of the server in nanoseconds for each.
#[derive(Clone, Copy)]
pub struct Round {
    pub rate: f64,
    pub processor: f64,
}

/// The median time of a call and that of the slowest hundredth, in microseconds.
#[derive(Clone, Copy)]
pub struct Latency {
    pub median: f64,
    pub slow: f64,
}

/// As many calls as fit into `time`, of which so many are in flight.
pub async fn throughput(peer: &Peer, server: &Process, in_flight: usize, time: Duration) -> Result<Round> {
    let (begun, before) = (Instant::now(), server.processor_time()?);
    let mut callers = JoinSet::new();
    for caller in 0..in_flight {
        let peer = peer.clone();
        callers.spawn(async move {
            let mut made = 0;
            while begun.elapsed() < time {
                // other calls in each task
                peer.call(caller * 7 + made).await?;
                made += 1;
            }
            Ok(made)
        });
    }
    let mut made = 0;
    for counted in callers.join_all().await {
        let counted: Result<usize> = counted;
        made += counted?;
    }
    let (elapsed, used) = (begun.elapsed().as_secs_f64(), server.processor_time()? - before);
    Ok(Round { rate: made as f64 / elapsed, processor: used / made as f64 })
}

/// Calls begin by the clock, whether earlier ones have ended or not; their time counts from when they should begin.
pub async fn latency(peer: &Peer, rate: f64, time: Duration) -> Result<Latency> {
    let mut callers = JoinSet::new();
    let (mut clock, begun) = (interval(Duration::from_millis(1)), Instant::now());
    let mut made = 0;
    while begun.elapsed() < time {
        let due = clock.tick().await;
        while (made as f64) < rate * (due - begun).as_secs_f64() {
            let (peer, number) = (peer.clone(), made);
            callers.spawn(async move {
                peer.call(number).await?;
                Ok(due.elapsed().as_secs_f64() * 1e6)
            });
            made += 1;
        }
    }
    let times: Result<Vec<f64>> = callers.join_all().await.into_iter().collect();
    let mut times = times?;
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    Ok(Latency { median: at(0.5), slow: at(0.99) })
}

const CALL: &[u8] = br#"{"jsonrpc":"2.0","method":"add","params":[1,2],"id":1}"#;

/// Opens WebSockets, of which each makes one call.
pub async fn idle(port: u16, count: u64) -> Result<Vec<TcpStream>> {
    let mut clients = Vec::new();
    for _ in 0..count {
        let mut client = TcpStream::connect(("127.0.0.1", port)).await?;
        let head = format!(
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        client.write_all(head.as_bytes()).await?;
        receive(&mut client, b"\r\n\r\n").await?;
        // a final frame of text, masked with zeros
        let mut frame = vec![0x81, 0x80 | CALL.len() as u8, 0, 0, 0, 0];
        frame.extend(CALL);
        client.write_all(&frame).await?;
        receive(&mut client, b"}").await?;
        clients.push(client);
    }
    Ok(clients)
}

async fn receive(client: &mut TcpStream, end: &[u8]) -> Result<()> {
    let mut received = Vec::new();
    while !received.ends_with(end) {
        if client.read_buf(&mut received).await? == 0 {
            return Err(format!("refused: {}", received.escape_ascii()).into());
        }
    }
    Ok(())
}
