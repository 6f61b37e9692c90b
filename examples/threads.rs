//! Threads that share a connection: each calls the peer and waits for its own answer. One more thread reads; it also answers the peer's
//! calls.
//!
//! ```sh
//! cargo run --example tcp --features embedded-io -- --listen 127.0.0.1:4000 &
//! cargo run --example threads -- 127.0.0.1:4000
//! ```

use core::time::Duration;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use nanojsonrpc::client::Answer;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::server::Event;
use nanojsonrpc::{Client, Envelope, Notification, RawValue, Router, Server, Writer};
use serde::{Serialize, de::DeserializeOwned};

mod arguments;

type Failure = Box<dyn core::error::Error + Send + Sync>;

/// The time limit of a call.
const PATIENCE: Duration = Duration::from_secs(10);
/// The maximum number of calls in flight.
const CALLS: usize = 16;
/// The maximum length of a message in bytes.
const LEN: usize = 4096;
/// The number of threads that call.
const THREADS: usize = 4;
const CALLS_EACH: i64 = 25;

/// The text of a result, or the message of an error.
type Outcome = Result<Vec<u8>, String>;

/// The peer at the other end of a connection. All methods may be called from any thread.
struct Peer {
    stream: TcpStream,
    /// Held while a message is written, so that messages do not mix.
    writing: Mutex<()>,
    /// The calls in flight, each with a channel to the thread that waits; `None` after the end of the connection.
    calls: Mutex<Option<Client<SyncSender<Outcome>, CALLS>>>,
}

/// Locks a mutex, even after a panic of another thread: no panic leaves this data half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Peer {
    fn new(stream: TcpStream) -> Self {
        Self { stream, writing: Mutex::new(()), calls: Mutex::new(Some(Client::new())) }
    }

    /// Calls `method` and waits for the result. Do not use it in a handler of [`read`](Self::read): that thread reads the answer.
    fn call<T: DeserializeOwned>(&self, method: &str, params: &impl Serialize) -> Result<T, Failure> {
        let (sender, answered) = sync_channel(1);
        let mut text = [0; LEN];
        let mut out = Writer::new(&mut text);
        let id = lock(&self.calls).as_mut().ok_or("no connection")?.call(method, params, sender, &mut out)?;
        self.send(out.written())?;
        let outcome = answered.recv_timeout(PATIENCE).or_else(|_| {
            match lock(&self.calls).as_mut().and_then(|calls| calls.cancel(&id.into())) {
                Some(_) => Err("no answer in time"),
                // the answer has come in this moment, or the connection has ended
                None => answered.try_recv().map_err(|_| "no connection"),
            }
        });
        let result = outcome??;
        let result = RawValue::parse(&result).map_err(|error| error.to_string())?;
        Ok(result.read().map_err(|error| error.to_string())?)
    }

    fn notify(&self, method: &str, params: &impl Serialize) -> Result<(), Failure> {
        let mut text = [0; LEN];
        let mut out = Writer::new(&mut text);
        out.message(&Notification::new(method).with_params(params))?;
        self.send(out.written())
    }

    /// Sends a message as a line.
    fn send(&self, message: &[u8]) -> Result<(), Failure> {
        let line = [message, b"\n"].concat();
        let _writing = lock(&self.writing);
        Ok((&self.stream).write_all(&line)?)
    }

    /// Reads until the connection ends: answers calls, and passes each answer to the thread that waits for it.
    fn read(&self) -> Result<(), Failure> {
        let read = self.answer();
        // drops the channels: the threads that still wait get an error
        lock(&self.calls).take();
        read
    }

    fn answer(&self) -> Result<(), Failure> {
        let router = Router::new().request("ping", |_: &mut &Self| Ok("pong")).response(Self::answered);
        let mut server = Server::new(router).observed_by(Self::dropped);
        let (mut framer, mut output) = (Framer::<Lines, LEN>::new(), [0; LEN]);
        loop {
            let len = match (&self.stream).read(framer.spare()) {
                // a signal
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                read => read?,
            };
            if len == 0 {
                return Ok(());
            }
            framer.filled(len);
            while let Some(line) = framer.next() {
                let answer = match line {
                    Ok(text) => server.process(&mut &*self, text, &mut output).answer(),
                    Err(error) => server.refuse(error, &mut output).answer(),
                };
                if let Some(answer) = answer {
                    self.send(answer)?;
                }
            }
        }
    }

    fn answered(peer: &mut &Self, response: &Envelope<'_>) {
        if let Some(Answer::To(waiting)) = lock(&peer.calls).as_mut().and_then(|calls| calls.accept(response)) {
            let outcome = response.error_object().map_or(Ok(response.result()), Err);
            let outcome = outcome.map(|result| result.map_or_else(Vec::new, |result| result.as_bytes().to_vec()));
            // an error if the thread no longer waits
            _ = waiting.send(outcome.map_err(|error| error.to_string()));
        }
    }

    /// Ends the call that a refused text may have answered, because it gets no other answer.
    fn dropped(peer: &mut &Self, event: Event<'_>) {
        let Event::Unreadable(refused) = event else { return eprintln!("{event}") };
        match lock(&peer.calls).as_mut().map(|calls| calls.accept_refused(&refused)) {
            Some(Answer::To(waiting)) => _ = waiting.send(Err(format!("answer: {refused}"))),
            _ => eprintln!("{event}"),
        }
    }
}

fn main() -> Result<(), Failure> {
    let [address] = arguments::words("Calls a JSON-RPC 2.0 server over TCP from several threads.", ["ADDR:PORT"]);
    let stream = TcpStream::connect(&address).map_err(|error| format!("cannot connect to {address}: {error}"))?;
    stream.set_nodelay(true)?;
    // a peer that does not read blocks no thread
    stream.set_write_timeout(Some(PATIENCE))?;
    let peer = Peer::new(stream);
    let right = thread::scope(|scope| {
        let reading = scope.spawn(|| peer.read());
        let calling = [(); THREADS].map(|()| {
            scope.spawn(|| -> Result<bool, Failure> {
                let answers = (0..CALLS_EACH).map(|number| peer.call("subtract", &[number, 1]));
                let answers: Vec<i64> = answers.collect::<Result<_, _>>()?;
                Ok(answers.into_iter().eq((0..CALLS_EACH).map(|number| number.wrapping_sub(1))))
            })
        });
        let right =
            calling.into_iter().filter_map(|thread| thread.join().ok()?.ok()).filter(|is_right| *is_right).count();
        let notified = peer.notify("done", &[right]);
        // ends the thread that reads; an error if the connection has ended
        _ = peer.stream.shutdown(Shutdown::Both);
        reading.join().map_err(|_| "the thread that reads panicked")??;
        notified.map(|()| right)
    })?;
    println!("{right} of {THREADS} threads have the right answers");
    if right == THREADS { Ok(()) } else { Err("a call has failed".into()) }
}
