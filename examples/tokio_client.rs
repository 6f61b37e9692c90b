//! A tokio client that many tasks share: one task owns the connection, and each call waits for its own answer.
//!
//! ```sh
//! cargo run --example tokio_client --features embedded-io-async -- 127.0.0.1:4000
//! ```

use core::time::Duration;

use embedded_io_adapters::tokio_1::FromTokio;
use nanojsonrpc::client::{Answer, Incoming};
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::{Client, RawValue, Writer};
use serde::{Serialize, de::DeserializeOwned};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

mod arguments;

type Failure = Box<dyn core::error::Error + Send + Sync>;

/// The time limit of a call in milliseconds, which are the ticks of the client.
const PATIENCE: u32 = 10_000;
/// The maximum number of calls in flight. More calls wait in the channel.
const CALLS: usize = 64;
/// The maximum length of the params in bytes.
const PARAMS: usize = 400;
/// The number of calls of this program.
const TASKS: usize = 100;

/// The text of a result, or the message of an error.
type Outcome = Result<Vec<u8>, String>;

struct Call {
    method: &'static str,
    params: Vec<u8>,
    outcome: oneshot::Sender<Outcome>,
}

/// Calls the server from any task.
#[derive(Clone)]
struct Caller(mpsc::Sender<Call>);

impl Caller {
    async fn call<T: DeserializeOwned>(&self, method: &'static str, params: &impl Serialize) -> Result<T, Failure> {
        let mut text = [0; PARAMS];
        let mut out = Writer::new(&mut text);
        out.value(params)?;
        let (outcome, answered) = oneshot::channel();
        let params = out.written().to_vec();
        self.0.send(Call { method, params, outcome }).await.map_err(|_| "no connection")?;
        // the connection drops the sender of a late or too long call, and at its end all senders
        let result = answered.await.map_err(|_| "no answer")??;
        let result = RawValue::parse(&result).map_err(|error| error.to_string())?;
        Ok(result.read().map_err(|error| error.to_string())?)
    }
}

/// Owns the connection: sends the calls, and gives each answer to its task. Ends when all callers are dropped.
async fn connect(address: String, mut calls: mpsc::Receiver<Call>) -> Result<(), Failure> {
    let connected = TcpStream::connect(&address).await;
    let mut stream = connected.map_err(|error| format!("cannot connect to {address}: {error}"))?;
    stream.set_nodelay(true)?;
    let (reader, writer) = stream.split();
    let (mut framer, mut output) = (Framer::<Lines, 4096>::new(), [0; 512]);
    let mut connection = Connection::new(FromTokio::new(reader), FromTokio::new(writer), &mut framer, &mut output);
    let mut client: Client<oneshot::Sender<Outcome>, CALLS> = Client::new();
    let start = Instant::now();
    // the lowest 32 bits of the milliseconds
    let now = || u32::try_from(start.elapsed().as_millis() & u128::from(u32::MAX)).unwrap_or(0);
    loop {
        let left = Duration::from_millis(client.ticks_left(now()).unwrap_or(PATIENCE).into());
        tokio::select! {
            // a read that is dropped loses no byte
            is_open = connection.read_async() => if !is_open? {
                return Err("the server has closed the connection".into());
            },
            call = calls.recv(), if client.len() < CALLS => {
                let Some(Call { method, params, outcome }) = call else { return Ok(()) };
                let (params, mut text) = (RawValue::parse(&params)?, [0; 500]);
                let mut out = Writer::new(&mut text);
                let deadline = now().wrapping_add(PATIENCE);
                // a call that is refused is dropped, and its task gets an error
                if client.until(deadline).call(method, &params, outcome, &mut out).is_ok() {
                    // a server that does not read ends the connection
                    timeout(Duration::from_millis(PATIENCE.into()), connection.send_text_async(out.written())).await??;
                }
            }
            () = sleep(left) => client.expire(now()).for_each(drop),
        }
        while let Some(line) = connection.next() {
            for incoming in client.receive(line?) {
                // an error of `send` means that the task has ended
                match incoming {
                    Incoming::Response(Answer::To(outcome), response) => {
                        let result = response.outcome.map(|result| result.as_bytes().to_vec());
                        _ = outcome.send(result.map_err(|error| error.to_string()));
                    }
                    // its call gets no other answer
                    Incoming::Refused(refused, Answer::To(outcome)) => {
                        _ = outcome.send(Err(format!("answer: {refused}")))
                    }
                    Incoming::Refused(refused, _) => eprintln!("unreadable message: {refused}"),
                    // the other messages of the server
                    _ => {}
                }
            }
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let [address] = arguments::words("Calls a JSON-RPC 2.0 server over TCP from many tasks.", ["ADDR:PORT"]);
    let (sender, calls) = mpsc::channel(1);
    let connection = tokio::spawn(connect(address, calls));
    let (caller, mut tasks) = (Caller(sender), JoinSet::new());
    for number in 0..TASKS {
        let caller = caller.clone();
        tasks.spawn(async move { (number, caller.call::<i64>("subtract", &[number, 1]).await) });
    }
    let mut right = 0usize;
    for (number, difference) in tasks.join_all().await {
        right = right.wrapping_add(usize::from(difference? == i64::try_from(number)?.wrapping_sub(1)));
    }
    println!("{right} of {TASKS} answers are right");
    drop(caller);
    connection.await?
}
