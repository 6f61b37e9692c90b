//! The sessions of the revisions before 2026-07-28.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use nanojsonrpc::mcp::Revision;
use nanojsonrpc::mcp::http::{Head, Session as Found, SessionChange};
use nanojsonrpc::{Dialect, Id, RawValue};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::Message;
use crate::connection::Calls;

/// A session of a client.
pub(super) struct Session {
    revision: Revision,
    /// The stream that the client has opened by `GET`.
    listener: Option<mpsc::Sender<Bytes>>,
    /// The calls of this program, which the client answers by a `POST`.
    calls: Calls,
    /// The calls of the client that run.
    running: Vec<(Id, AbortHandle)>,
    is_used: bool,
    last: Instant,
}

/// The open sessions by their ids.
pub(super) struct Sessions {
    open: Mutex<HashMap<String, Session>>,
    max: usize,
    idle: Duration,
}

impl Sessions {
    pub(super) fn new(max: usize, idle: Duration) -> Self {
        Self { open: Mutex::default(), max: max.max(1), idle }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the head of a request says of its session, which its client uses now.
    pub(super) fn find(&self, head: &Head<'_>) -> Found {
        let Some(id) = head.session_id else { return Found::Absent };
        let mut open = self.lock();
        let found = std::str::from_utf8(id)
            .ok()
            .and_then(|id| open.get_mut(id))
            .filter(|found| found.last.elapsed() < self.idle);
        found.map_or(Found::Unknown, |session| {
            (session.is_used, session.last) = (true, Instant::now());
            Found::Open(session.revision)
        })
    }

    pub(super) fn with<T>(&self, id: Option<&str>, change: impl FnOnce(&mut Session) -> T) -> Option<T> {
        self.lock().get_mut(id?).map(change)
    }

    /// Applies a change. Returns the id of a new session, which no other client can guess; an error if the system has no random numbers.
    pub(super) fn change(&self, id: Option<&str>, change: SessionChange) -> Result<Option<String>, getrandom::Error> {
        match change {
            SessionChange::Opened(revision) => {
                let id = format!("{:016x}{:016x}", getrandom::u64()?, getrandom::u64()?);
                let mut open = self.lock();
                open.retain(|_, session| session.last.elapsed() < self.idle);
                if open.len() >= self.max {
                    // one that its client has never used, or else the one that has been idle the longest
                    let oldest = open
                        .iter()
                        .min_by_key(|(_, session)| (session.is_used, session.last))
                        .map(|(id, _)| id.clone());
                    oldest.and_then(|id| open.remove(&id));
                }
                let (calls, running, last) = (Calls::default(), Vec::new(), Instant::now());
                open.insert(id.clone(), Session { revision, listener: None, calls, running, is_used: false, last });
                return Ok(Some(id));
            }
            SessionChange::Closed => {
                if let Some(mut session) = id.and_then(|id| self.lock().remove(id)) {
                    session.calls.end(&crate::Closed::ByPeer);
                }
            }
            _ => {}
        }
        Ok(None)
    }

    /// Sends a text to each client that listens. A client that does not read its stream loses it.
    pub(super) fn tell(&self, text: &Bytes) {
        for session in self.lock().values_mut() {
            if session.listener.as_ref().is_some_and(|listener| listener.try_send(text.clone()).is_err()) {
                tracing::debug!("a listener does not read");
            }
        }
    }
}

impl Session {
    /// The stream of the client from now on; an earlier one ends.
    pub(super) fn listen(&mut self, waiting: usize) -> mpsc::Receiver<Bytes> {
        let (sender, receiver) = mpsc::channel(waiting);
        self.listener = Some(sender);
        receiver
    }

    /// Adds calls of this program.
    pub(super) fn add(&mut self, calls: Vec<crate::connection::Call>) {
        self.calls.add(calls);
    }

    /// Ends the wait for a call of this program.
    pub(super) fn forget(&mut self, id: i64) {
        self.calls.forget(id);
    }

    /// A call of the client that runs from now on.
    pub(super) fn begin(&mut self, id: Id, call: AbortHandle) {
        self.running.retain(|(_, call)| !call.is_finished());
        self.running.push((id, call));
    }

    /// Takes a message of the client that no handler sees: a response, or a cancellation.
    pub(super) fn receive(&mut self, message: Message) {
        if message.method() == *nanojsonrpc::mcp::method::CANCELLED {
            let envelope = message.envelope();
            let id = envelope
                .params()
                .and_then(|params| params.get("requestId"))
                .and_then(|id: RawValue<'_>| Id::read(id).ok());
            self.running.iter().filter(|(call, _)| Some(call) == id.as_ref()).for_each(|(_, call)| call.abort());
        } else {
            self.calls.accept(message, Dialect::MCP);
        }
    }
}
