//! Notifications to the clients that listen by `GET`.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use nanojsonrpc::http::{KEEP_ALIVE, Replay};
use nanojsonrpc::{Growing, ToJson, Writer};
use tokio::sync::broadcast;
use tokio::time::timeout;

use crate::CallError;

/// The bytes of stored events.
const STORED: usize = 64 * 1024;
/// The events that wait for a slow reader. A slower one is cut off, and reads the stored ones after it has connected again.
const WAITING: usize = 256;
/// The time after which an empty line shows that the stream is alive.
const ALIVE: Duration = Duration::from_secs(15);

/// Notifications for all clients that listen by `GET` with `Accept: text/event-stream`. A client that connects again with `Last-Event-ID`
/// gets what it has missed, as far as it is stored: the last 64 KiB. Clones share the listeners.
///
/// ```
/// use nanojsonrpc_tokio::Methods;
/// use nanojsonrpc_tokio::axum::{Events, Http};
///
/// let events = Events::new(1);
/// let http = Http::new(Methods::new(())).events(events.clone());
/// events.notify("tick", &[1])?;
/// # _ = http;
/// # Ok::<(), nanojsonrpc_tokio::CallError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Events(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    stored: Mutex<Box<Replay<STORED>>>,
    sender: broadcast::Sender<Bytes>,
}

impl Events {
    /// No events yet. `epoch` is another number after each restart, so that ids of earlier runs differ: seconds of the clock, or random.
    pub fn new(epoch: u32) -> Self {
        let (sender, _) = broadcast::channel(WAITING);
        Self(Arc::new(Shared { stored: Mutex::new(Box::new(Replay::new(epoch))), sender }))
    }

    /// The number of clients that listen now.
    pub fn listeners(&self) -> usize {
        self.0.sender.receiver_count()
    }

    /// Sends a notification to all listeners.
    ///
    /// # Errors
    /// [`CallError::Unwritable`] if the params cannot be written, or if the notification is longer than the store.
    pub fn notify(&self, method: &str, params: &(impl ToJson + ?Sized)) -> Result<(), CallError> {
        let mut text = Growing::new(STORED);
        let mut out = Writer::new(&mut text);
        nanojsonrpc::Client::<(), 1, 0>::new().notify(method, params, &mut out).map_err(CallError::Unwritable)?;
        self.send_text(out.written())
    }

    /// Sends a text that the program has written itself to all listeners.
    ///
    /// # Errors
    /// [`CallError::Unwritable`] if the text is longer than the store.
    pub fn send_text(&self, text: &[u8]) -> Result<(), CallError> {
        let mut stored = self.0.stored.lock().unwrap_or_else(PoisonError::into_inner);
        let before = stored.newest();
        stored.push(text).map_err(CallError::Unwritable)?;
        // sent under the lock, so that the order is that of the ids
        if let Some(event) = stored.after(Some(before.text().as_ref())).next() {
            _ = self.0.sender.send(encoded(&event));
        }
        Ok(())
    }

    /// The events after `last`, as bytes of a body.
    pub(super) fn stream(&self, last: Option<&[u8]>) -> impl Stream<Item = Result<Bytes, Infallible>> + Send + use<> {
        let (missed, receiver) = {
            let stored = self.0.stored.lock().unwrap_or_else(PoisonError::into_inner);
            let missed: Vec<_> = stored.after(last).map(|event| encoded(&event)).collect();
            (missed, self.0.sender.subscribe())
        };
        let live = stream::unfold(receiver, async |mut receiver| match timeout(ALIVE, receiver.recv()).await {
            Ok(Ok(event)) => Some((event, receiver)),
            Ok(Err(_)) => None,
            Err(_) => Some((Bytes::from_static(KEEP_ALIVE), receiver)),
        });
        stream::iter(missed).chain(live).map(Ok)
    }
}

fn encoded(event: &nanojsonrpc::http::Stored<'_>) -> Bytes {
    // `id: `, an id of 31 bytes, `data: ` and line ends
    let mut out = vec![0; event.data.len().saturating_add(64)];
    let len = event.encode(&mut out).unwrap_or(0);
    out.truncate(len);
    out.into()
}
