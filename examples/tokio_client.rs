//! A tokio client with a hundred calls in flight.
//!
//! ```sh
//! cargo run --example tokio_client --features embedded-io-async -- 127.0.0.1:4000
//! ```

use core::time::Duration;

use embedded_io_adapters::tokio_1::FromTokio;
use nanojsonrpc::client::{Answer, Incoming};
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::{Client, Response, Writer};
use tokio::net::TcpStream;
use tokio::time::timeout;

type Failure = Box<dyn core::error::Error + Send + Sync>;

/// The time limit for all calls.
const PATIENCE: Duration = Duration::from_secs(60);
const CALLS: usize = 100;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let address = std::env::args().nth(1).ok_or("usage: tokio_client ADDR:PORT")?;
    timeout(PATIENCE, call(&address)).await?
}

/// Sends a hundred calls before it reads the first response.
async fn call(address: &str) -> Result<(), Failure> {
    let mut stream = TcpStream::connect(address).await?;
    let (reader, writer) = stream.split();
    let (mut framer, mut output) = (Framer::<Lines, 4096>::new(), [0; 512]);
    let mut connection = Connection::new(FromTokio::new(reader), FromTokio::new(writer), &mut framer, &mut output);
    let mut client: Client<usize, CALLS> = Client::new();
    let mut text = [0; 128];
    for number in 0..CALLS {
        let mut out = Writer::new(&mut text);
        client.call("subtract", &[number, 1], number, &mut out)?;
        connection.send_text_async(out.written()).await?;
    }
    let mut right = 0usize;
    while !client.is_empty() {
        if !connection.read_async().await? {
            return Err(format!("the server has gone, {} calls are not answered", client.len()).into());
        }
        while let Some(line) = connection.next() {
            for incoming in client.receive(line?) {
                if let Incoming::Response(Answer::To(number), Response { outcome: Ok(difference), .. }) = incoming? {
                    right =
                        right.wrapping_add(usize::from(difference.as_i64() == i64::try_from(number)?.checked_sub(1)));
                }
            }
        }
    }
    println!("{right} of {CALLS} answers are right");
    Ok(())
}
