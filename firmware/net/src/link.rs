//! A slot: listens, serves a connection, ends it, and starts again.

use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::Poll;

use embassy_futures::poll_once;
use embassy_futures::select::{Either, select};
use embassy_net::Stack;
use embassy_net::tcp::{State, TcpSocket};
use embassy_time::{Duration, Instant, Timer, with_timeout};

use crate::board::count;
use crate::slots::{Phase, Slots};

/// Closes a connection that receives no complete message for this time.
pub const IDLE: Duration = Duration::from_secs(30);
/// Drops a peer that accepts no byte of an answer for this time.
const STALLED: Duration = Duration::from_secs(5);
/// The time limit for the last bytes of a connection.
const LAST: Duration = Duration::from_millis(500);

/// The reason why a connection ends.
pub enum End {
    /// The peer has closed the connection.
    Closed,
    /// The socket has failed, or the peer is too slow.
    Broken,
    /// This side closes the connection.
    Done,
}

impl From<embassy_net::tcp::Error> for End {
    fn from(_: embassy_net::tcp::Error) -> Self {
        Self::Broken
    }
}

/// An open connection.
pub struct Link<'l> {
    socket: TcpSocket<'l>,
    slots: &'l Slots,
    slot: usize,
    active: Instant,
}

impl Link<'_> {
    /// Records the arrival of a complete message.
    pub fn note(&mut self) {
        self.active = Instant::now();
        self.slots.enter(self.slot, Phase::Used);
    }

    /// Waits for bytes from the peer, or until `other` is ready, which returns `None`.
    ///
    /// # Errors
    /// The connection has ended, or no complete message has come for the time [`IDLE`].
    pub async fn read(&mut self, room: &mut [u8], other: impl Future<Output = ()>) -> Result<Option<usize>, End> {
        let idle = Timer::at(self.active + IDLE);
        match select(select(self.socket.read(room), other), idle).await {
            Either::First(Either::First(len)) => match len? {
                0 => Err(End::Closed),
                len => Ok(Some(len)),
            },
            Either::First(Either::Second(())) => Ok(None),
            Either::Second(()) => {
                count(|counts| counts.evicted += 1);
                Err(End::Done)
            }
        }
    }

    /// The number of bytes that can be written at once.
    pub fn room(&self) -> usize {
        self.socket.send_capacity() - self.socket.send_queue()
    }

    /// Whether the peer has acknowledged all written bytes.
    pub fn is_flushed(&self) -> bool {
        self.socket.send_queue() == 0
    }

    /// Waits until `len` bytes can be written at once.
    ///
    /// # Errors
    /// The peer accepts no bytes.
    pub async fn make_room(&mut self, len: usize) -> Result<(), End> {
        while self.room() < len {
            self.drain().await?;
        }
        Ok(())
    }

    /// Waits until the peer accepts some of the written bytes.
    async fn drain(&mut self) -> Result<(), End> {
        let before = self.socket.send_queue();
        // Only the queue tells whether the peer accepts bytes: after a timeout, a slow peer has taken some of them; after a reset,
        // `flush` returns `Ok` at once although all of them are left.
        _ = with_timeout(STALLED, self.socket.flush()).await;
        if self.socket.send_queue() < before { Ok(()) } else { Err(End::Broken) }
    }

    /// Writes `bytes`; the caller has checked the [room](Self::room).
    ///
    /// # Errors
    /// The connection is broken.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), End> {
        if bytes.is_empty() {
            return Ok(());
        }
        match poll_once(self.socket.write(bytes)) {
            Poll::Ready(Ok(len)) if len == bytes.len() => Ok(()),
            _ => Err(End::Broken),
        }
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// The peer accepts no bytes.
    pub async fn write(&mut self, mut bytes: &[u8]) -> Result<(), End> {
        while !bytes.is_empty() {
            let len = with_timeout(STALLED, self.socket.write(bytes)).await.map_err(|_| End::Broken)??;
            bytes = &bytes[len..];
        }
        Ok(())
    }
}

/// The resources of a slot.
pub struct Place {
    pub stack: Stack<'static>,
    pub slots: &'static Slots,
    pub slot: usize,
    pub port: u16,
    pub received: &'static mut [u8],
    pub sent: &'static mut [u8],
}

/// Serves one connection after another.
pub async fn serve(place: Place, mut service: impl AsyncFnMut(&mut Link<'_>) -> End) -> ! {
    let Place { stack, slots, slot, port, received, sent } = place;
    loop {
        let mut socket = TcpSocket::new(stack, received, sent);
        // detect a peer that has disappeared without closing
        socket.set_timeout(Some(Duration::from_secs(20)));
        socket.set_keep_alive(Some(Duration::from_secs(10)));
        // send each answer at once, because it is one write
        socket.set_nagle_enabled(false);
        slots.enter(slot, Phase::Listening);
        match select(open(&mut socket, port, || slots.enter(slot, Phase::Between)), slots.leave(slot)).await {
            Either::First(true) => {}
            // failed or evicted during the handshake: send nothing to the peer
            _ => continue,
        }
        let mut link = Link { socket, slots, slot, active: Instant::now() };
        slots.enter(slot, Phase::Fresh);
        let end = select(service(&mut link), slots.leave(slot)).await;
        let mut socket = link.socket;
        slots.enter(slot, Phase::Between);
        if let Either::First(End::Closed | End::Done) = end {
            socket.close();
            // drop further input, because unread input would reset the connection and lose the last answer
            _ = select(with_timeout(LAST, finish(&mut socket)), slots.leave(slot)).await;
        }
        socket.abort();
        _ = with_timeout(Duration::from_millis(50), socket.flush()).await;
    }
}

/// Waits for a connection, and calls `begins` at the start of its handshake. Returns whether it is open.
async fn open(socket: &mut TcpSocket<'_>, port: u16, begins: impl FnOnce()) -> bool {
    {
        // the first poll makes the socket listen
        let mut accept = pin!(socket.accept(port));
        let once = poll_fn(|cx| Poll::Ready(accept.as_mut().poll(cx)));
        if let Poll::Ready(Err(_)) = once.await {
            return false;
        }
    }
    let mut begins = Some(begins);
    poll_fn(|cx| {
        // registers the waker, which each change of the state wakes
        _ = pin!(socket.wait_write_ready()).poll(cx);
        match socket.state() {
            State::Listen => Poll::Pending,
            State::SynReceived => {
                if let Some(begins) = begins.take() {
                    begins();
                }
                Poll::Pending
            }
            State::Closed => Poll::Ready(false),
            _ => Poll::Ready(true),
        }
    })
    .await
}

/// Waits until both sides have closed, and drops all input.
async fn finish(socket: &mut TcpSocket<'_>) {
    let mut rest = [0; 64];
    while let Ok(1..) = socket.read(&mut rest).await {}
    _ = socket.flush().await;
}
