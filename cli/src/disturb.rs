//! What goes wrong on purpose between a service and its clients.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::response::Response;
use bytes::{Buf as _, Bytes, BytesMut};
use clap::Args;
use futures_util::{Sink, Stream};
use nanojsonrpc::{Dialect, EnvelopeKind};
use nanojsonrpc_tokio::{Received, Text, Transport};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::args::Timeout;

/// How often, in percent of the answers.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Percent(f64);

impl std::str::FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim_end_matches('%').parse().ok().filter(|number| (0.0..=100.0).contains(number));
        number.map(Self).ok_or_else(|| "expected a number from 0 to 100".to_owned())
    }
}

/// The faults of a simulated device.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Faults")]
pub(crate) struct Faults {
    /// Answer so much later: 20ms, 1s
    #[arg(long, value_name = "TIME")]
    delay: Option<Timeout>,
    /// Answer later by a random time up to this one
    #[arg(long, value_name = "TIME")]
    jitter: Option<Timeout>,
    /// Answer so many calls with an error
    #[arg(long, value_name = "PERCENT", default_value = "0", hide_default_value = true)]
    fail: Percent,
    /// Do not answer so many calls
    #[arg(long, value_name = "PERCENT", default_value = "0", hide_default_value = true)]
    drop: Percent,
    /// Write a line of a log before so many answers
    #[arg(long, value_name = "PERCENT", default_value = "0", hide_default_value = true)]
    noise: Percent,
    /// Change a byte of so many answers
    #[arg(long, value_name = "PERCENT", default_value = "0", hide_default_value = true)]
    garble: Percent,
    /// Close the connection in the middle of so many answers
    #[arg(long, value_name = "PERCENT", default_value = "0", hide_default_value = true)]
    cut: Percent,
    /// The same faults again with the same number
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// The faults, and their chance.
pub(crate) struct Disturbance {
    faults: Faults,
    chance: Mutex<fastrand::Rng>,
}

/// What becomes of an answer.
struct Disturbed {
    /// A line before it.
    noise: Option<Bytes>,
    text: Bytes,
    /// The length after which the connection ends.
    cut: Option<usize>,
}

impl Disturbance {
    pub(crate) fn new(faults: &Faults) -> Self {
        let chance = faults.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
        Self { faults: faults.clone(), chance: Mutex::new(chance) }
    }

    fn chance(&self) -> MutexGuard<'_, fastrand::Rng> {
        self.chance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn happens(&self, Percent(percent): Percent) -> bool {
        percent > 0.0 && self.chance().f64() * 100.0 < percent
    }

    /// Waits as long as an answer takes. Returns whether it is an error.
    pub(crate) async fn wait(&self) -> bool {
        let fails = self.happens(self.faults.fail);
        let time = |time: Option<Timeout>| time.map_or(Duration::ZERO, |Timeout(time)| time);
        let jitter = time(self.faults.jitter).mul_f64(self.chance().f64());
        tokio::time::sleep(time(self.faults.delay) + jitter).await;
        fails
    }

    /// `None` if the answer is dropped.
    fn disturb(&self, text: Bytes) -> Option<Disturbed> {
        if self.happens(self.faults.drop) {
            return None;
        }
        let noise = self.happens(self.faults.noise).then(|| {
            let time = self.chance().u32(..100_000);
            Bytes::from(format!("I ({time}) wifi: {{\"rssi\":-70, reconnecting\r\n"))
        });
        let text = if self.happens(self.faults.garble) { self.garbled(&text) } else { text };
        let cut = self.happens(self.faults.cut).then_some(text.len() / 2);
        Some(Disturbed { noise, text, cut })
    }

    /// `text` with another byte in one place.
    fn garbled(&self, text: &[u8]) -> Bytes {
        let mut text = BytesMut::from(text);
        let place = self.chance().usize(..text.len().max(1));
        let (front, back) = text.split_at_mut(place);
        if let Some(byte) = back.iter_mut().chain(front).find(|byte| byte.is_ascii()) {
            *byte = if *byte == b'#' { b'?' } else { b'#' };
        }
        text.freeze()
    }
}

/// Disturbs the body of a response of HTTP.
pub(crate) async fn response(
    State((disturbance, stop)): State<(Arc<Disturbance>, CancellationToken)>,
    response: Response,
) -> Response {
    let (parts, body) = response.into_parts();
    let Ok(text) = to_bytes(body, usize::MAX).await else { return Response::default() };
    if text.is_empty() {
        return Response::from_parts(parts, Body::empty());
    }
    let Some(Disturbed { noise, text, cut }) = disturbance.disturb(text) else {
        stop.cancelled().await;
        return Response::default();
    };
    let text = [noise.unwrap_or_default(), text].concat();
    let Some(cut) = cut else { return Response::from_parts(parts, text.into()) };
    let half = Bytes::copy_from_slice(text.get(..cut).unwrap_or_default());
    let pieces = [Ok(half), Err(io::Error::from(io::ErrorKind::ConnectionAborted))];
    Response::from_parts(parts, Body::from_stream(futures_util::stream::iter(pieces)))
}

/// What goes onto a stream beside its messages, and when it ends.
#[derive(Default)]
pub(crate) struct Marks {
    before: BytesMut,
    left: Option<usize>,
}

pub(crate) type Raw = Arc<Mutex<Marks>>;

fn marks(raw: &Raw) -> MutexGuard<'_, Marks> {
    raw.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A stream of bytes that writes the texts in [`Marks`].
pub(crate) struct Wire<I> {
    io: I,
    raw: Raw,
}

impl<I> Wire<I> {
    pub(crate) fn new(io: I) -> (Self, Raw) {
        let raw = Raw::default();
        (Self { io, raw: Arc::clone(&raw) }, raw)
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Wire<I> {
    fn poll_read(self: Pin<&mut Self>, task: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_read(task, out)
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Wire<I> {
    fn poll_write(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let Self { io, raw } = self.get_mut();
        let mut marks = marks(raw);
        while !marks.before.is_empty() {
            let len = ready!(Pin::new(&mut *io).poll_write(task, &marks.before))?;
            marks.before.advance(len);
        }
        let Some(left) = &mut marks.left else { return Pin::new(io).poll_write(task, bytes) };
        if *left == 0 {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let front = bytes.get(..*left).unwrap_or(bytes);
        let len = ready!(Pin::new(io).poll_write(task, front))?;
        *left = left.saturating_sub(len);
        Poll::Ready(Ok(len))
    }

    fn poll_flush(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_flush(task)
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_shutdown(task)
    }
}

/// A transport whose answers are disturbed, and that reads nothing more when the program ends.
pub(crate) struct Through {
    transport: Box<dyn Transport>,
    raw: Option<Raw>,
    disturbance: Option<Arc<Disturbance>>,
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Through {
    pub(crate) fn new(
        transport: Box<dyn Transport>,
        raw: Option<Raw>,
        disturbance: Option<Arc<Disturbance>>,
        stop: CancellationToken,
    ) -> Self {
        Self { transport, raw, disturbance, stop: Box::pin(stop.cancelled_owned()) }
    }
}

impl Stream for Through {
    type Item = io::Result<Received>;

    fn poll_next(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.stop.as_mut().poll(task).is_ready() {
            return Poll::Ready(None);
        }
        Pin::new(&mut this.transport).poll_next(task)
    }
}

/// Whether `text` is a notification, which is never disturbed.
fn is_notification(text: &Bytes) -> bool {
    let text = Text::parse(text.clone(), Dialect::LENIENT);
    let mut messages = text.messages();
    messages.next().is_some_and(|one| one.is_ok_and(|one| one.kind() == EnvelopeKind::Notification))
}

impl Sink<Bytes> for Through {
    type Error = io::Error;

    fn poll_ready(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.disturbance.is_some() {
            // so that the marks belong to the next text
            ready!(Pin::new(&mut this.transport).poll_flush(task))?;
        }
        Pin::new(&mut this.transport).poll_ready(task)
    }

    fn start_send(self: Pin<&mut Self>, text: Bytes) -> io::Result<()> {
        let this = self.get_mut();
        let mut transport = Pin::new(&mut this.transport);
        let disturbance = this.disturbance.as_ref().filter(|_| !is_notification(&text));
        let Some(disturbance) = disturbance else { return transport.start_send(text) };
        let Some(Disturbed { noise, text, cut }) = disturbance.disturb(text) else { return Ok(()) };
        match &this.raw {
            Some(raw) => {
                let mut marks = marks(raw);
                marks.before.extend_from_slice(&noise.unwrap_or_default());
                marks.left = cut;
            }
            None => {
                if let Some(noise) = noise {
                    transport.as_mut().start_send(noise)?;
                }
                if cut.is_some() {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
            }
        }
        transport.start_send(text)
    }

    fn poll_flush(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().transport).poll_flush(task)
    }

    fn poll_close(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().transport).poll_close(task)
    }
}
