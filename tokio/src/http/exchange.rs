//! One request of HTTP and its response.

use std::io;
use std::sync::Arc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{HeaderMap, HeaderValue};
use hyper::{Method, Response, Uri};
use hyper_util::client::legacy::Client;
use nanojsonrpc::frame::Events;
use nanojsonrpc::http::{Request, is_json};
use nanojsonrpc::mcp::client::http::{Body, MAX_SESSION_ID_LEN, Remote, Reply};
use nanojsonrpc::mcp::{Revision, method};
use nanojsonrpc::{EnvelopeKind, ErrorKind, RawValue};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep, timeout};
use tokio_util::codec::Decoder as _;

use super::Connector;
use super::fault::Fault;
use crate::codec::Received;
use crate::ends::refuse;
use crate::{Codec, Message, Options, Text};

/// The greatest length of a head without the parts of the message that it repeats.
pub(super) const HEAD: usize = 512 + MAX_SESSION_ID_LEN;
/// The time to wait before a stream is resumed, if the server has sent none, and the least time.
const RETRY: Duration = Duration::from_secs(1);
const LEAST_RETRY: Duration = Duration::from_millis(100);
/// The doublings of this time after attempts that have failed.
const DOUBLINGS: u32 = 5;
/// The attempts to resume a stream, without an event.
const ATTEMPTS: u32 = 16;
/// The time for a server to end a stream after the last answer.
const END: Duration = Duration::from_secs(1);
/// The greatest length of the id of an event.
const MAX_ID_LEN: usize = 256;

/// A server, as one client sees it.
pub(super) struct Server {
    pub(super) client: Client<Connector, Full<Bytes>>,
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    pub(super) remote: Mutex<Remote<'static>>,
    pub(super) options: Options,
    pub(super) places: Semaphore,
    pub(super) received: mpsc::Sender<io::Result<Received>>,
}

/// Where a stream of events has stopped.
struct Stopped {
    id: Vec<u8>,
    retry: Duration,
}

impl Server {
    fn remote(&self) -> MutexGuard<'_, Remote<'static>> {
        self.remote.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a text with calls, and answers those that the server does not answer.
    pub(super) async fn call(self: Arc<Self>, text: Text) {
        let is_request = |message: &Message| message.kind() == EnvelopeKind::Request;
        let mut calls: Vec<_> = text.messages().flatten().filter(is_request).collect();
        let exchange = async {
            let place = timeout(self.options.patience, self.places.acquire()).await;
            let _place = place.map_err(|_| Fault::new("too many calls in flight"))?;
            self.exchange(&text, &mut calls).await
        };
        let fault = exchange.await.err();
        if !calls.is_empty() {
            let error = fault.clone().unwrap_or_else(|| Fault::new("a response without the answer")).error();
            let refused = refuse(calls, text.is_batch(), &error);
            // an error means that the client has gone
            _ = self.received.send(Ok(Ok(Text::parse(refused, self.options.dialect)))).await;
        }
        if let Some(fault) = fault {
            self.end_if_over(&fault).await;
        }
    }

    /// Ends the transport if its session has ended.
    pub(super) async fn end_if_over(&self, fault: &Fault) {
        if fault.is_over {
            let error = io::Error::new(io::ErrorKind::ConnectionReset, fault.to_string());
            _ = self.received.send(Err(error)).await;
        }
    }

    /// Sends a text, and receives what answers it. The answered calls leave `calls`.
    pub(super) async fn exchange(&self, text: &Text, calls: &mut Vec<Message>) -> Result<(), Fault> {
        let mut remote = self.remote().clone();
        let before = remote.session_id().map(<[u8]>::to_vec);
        let response = self.post(&mut remote, text.as_bytes()).await?;
        let reply = reply(&response);
        let body = remote.receive(&reply);
        let status = reply.status;
        let is_message = reply.content_type.is_some_and(is_json) && !matches!(status, 300..=399);
        let body = if is_message && matches!(body, Body::Nothing | Body::Failed(_)) { Body::Message } else { body };
        if remote.session_id() != before.as_deref() {
            let mut shared = self.remote();
            // another exchange may have seen the end, and the next session
            if shared.session_id() == before.as_deref() {
                *shared = remote;
            }
        }
        match body {
            Body::Message => self.message(response, calls).await,
            Body::Events => self.follow(Some(response.into_parts().1), calls).await,
            Body::Nothing if calls.is_empty() => Ok(()),
            Body::Nothing => {
                let media_type = String::from_utf8_lossy(reply.content_type.unwrap_or(b"none")).into_owned();
                Err(Fault::status(status, &format!(" without a message, media type {media_type}")))
            }
            Body::Unauthorized(status, challenge) => Err(Fault::unauthorized(status, challenge)),
            Body::SessionEnded => Err(Fault::session_ended()),
            _ => Err(Fault::status(status, "")),
        }
    }

    async fn post(&self, remote: &mut Remote<'static>, text: &Bytes) -> Result<Response<Incoming>, Fault> {
        // the head may repeat the name of a tool, in base64
        let mut out = vec![0; text.len().saturating_add(HEAD)];
        if remote.post(text, &mut out).is_err_and(|error| error.kind() == ErrorKind::OutputFull) {
            out.resize(text.len().saturating_mul(3).saturating_add(HEAD), 0);
        }
        let written = remote.post(text, &mut out).map_err(|error| Fault::of(&error))?;
        self.send(Method::POST, &written, text.clone()).await
    }

    /// Opens the stream of messages outside of calls, or the rest of a stream.
    async fn get(&self, last_id: &[u8]) -> Result<Incoming, Fault> {
        let mut remote = self.remote().clone();
        let mut out = vec![0; HEAD.saturating_add(last_id.len())];
        let written = remote.resume(last_id, &mut out).map_err(|error| Fault::of(&error))?;
        let response = self.send(Method::GET, &written, Bytes::new()).await?;
        let reply = reply(&response);
        match remote.receive(&reply) {
            Body::Events => Ok(response.into_parts().1),
            Body::Unauthorized(status, challenge) => Err(Fault::unauthorized(status, challenge)),
            Body::SessionEnded => Err(Fault::session_ended()),
            _ => Err(Fault::status(reply.status, "")),
        }
    }

    /// Ends the session.
    pub(super) async fn end(&self) {
        let (remote, mut out) = (self.remote().clone(), vec![0; HEAD]);
        if let Ok(Some(written)) = remote.end(&mut out) {
            match self.send(Method::DELETE, &written, Bytes::new()).await {
                Ok(response) => tracing::debug!("session ended: {}", response.status()),
                Err(fault) => tracing::debug!("session not ended: {fault}"),
            }
        }
    }

    async fn send(&self, method: Method, written: &Request<'_>, body: Bytes) -> Result<Response<Incoming>, Fault> {
        let mut request = hyper::Request::builder().method(method).uri(self.uri.clone());
        for (name, value) in written.headers() {
            if !matches!(name, "host" | "content-length") {
                let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|error| Fault::of(&error))?;
                request = request.header(name, value);
            }
        }
        let mut request = request.body(Full::new(body)).map_err(|error| Fault::of(&error))?;
        request.headers_mut().extend(self.headers.clone());
        let response = timeout(self.options.patience, self.client.request(request)).await;
        response.map_err(|_| Fault::new("no response in time"))?.map_err(|error| Fault::of(&error))
    }

    /// Receives a body that is one message.
    async fn message(&self, response: Response<Incoming>, calls: &mut Vec<Message>) -> Result<(), Fault> {
        let (head, body) = response.into_parts();
        let collected = timeout(self.options.patience, Limited::new(body, self.options.max_len).collect()).await;
        let text = match collected {
            Err(_) => return Err(Fault::new("no response in time")),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                return Err(Fault::new(format!("a response longer than {} bytes", self.options.max_len)));
            }
            Ok(Err(error)) => return Err(Fault::of(&*error)),
            Ok(Ok(body)) => body.to_bytes(),
        };
        if !text.is_empty() {
            self.deliver(Ok(Text::parse(text, self.options.dialect)), calls).await;
        }
        // an answer without an id may have ended the only call
        if calls.is_empty() { Ok(()) } else { Err(Fault::status(head.status.as_u16(), " without the answer")) }
    }

    /// Passes a text to the client, after the transport has read what it needs.
    async fn deliver(&self, received: Received, calls: &mut Vec<Message>) {
        let text = received.as_ref().ok();
        for message in text.into_iter().flat_map(Text::messages).flatten() {
            let envelope = message.envelope();
            if !matches!(message.kind(), EnvelopeKind::Success | EnvelopeKind::Error) {
                continue;
            }
            let id = |message: &Message| message.id().map(|id| id.as_bytes().to_vec());
            let Some(at) = calls.iter().position(|call| id(call) == id(&message)) else { continue };
            let call = calls.swap_remove(at);
            let version =
                envelope.result().and_then(|result| result.get("protocolVersion")).and_then(RawValue::as_str_raw);
            if let Some(version) = version.filter(|_| call.method() == *method::INITIALIZE) {
                self.remote().set_revision(Revision::negotiate(version));
            }
        }
        // an error means that the client has gone
        _ = self.received.send(Ok(received)).await;
    }

    /// Receives the messages of the server outside of calls.
    pub(super) async fn listen(self: Arc<Self>) {
        if let Err(fault) = self.follow(None, &mut Vec::new()).await {
            tracing::debug!("no stream of messages outside of calls: {fault}");
            self.end_if_over(&fault).await;
        }
    }

    /// Receives streams of events: `body` and what resumes it until all `calls` are answered, or without it those outside of calls.
    async fn follow(&self, body: Option<Incoming>, calls: &mut Vec<Message>) -> Result<(), Fault> {
        let is_listening = body.is_none();
        let mut stopped = Stopped { id: Vec::new(), retry: RETRY };
        let mut failed = 0_u32;
        let mut opened = match body {
            Some(body) => Ok(body),
            None => self.get(&stopped.id).await,
        };
        loop {
            let fault = match opened {
                Ok(body) => {
                    let has_event = self.events(body, &mut stopped, is_listening, calls).await;
                    failed = if has_event || is_listening { 0 } else { failed.saturating_add(1) };
                    Fault::new("the stream of events has ended without the answer")
                }
                Err(fault) => {
                    failed = failed.saturating_add(1);
                    fault
                }
            };
            if calls.is_empty() && !is_listening {
                return Ok(());
            }
            if stopped.id.is_empty() && !is_listening || fault.is_final() || failed >= ATTEMPTS {
                return Err(fault);
            }
            // "The client MUST respect the `retry` field" (2025-11-25, Sending Messages to the Server)
            sleep(stopped.retry.max(LEAST_RETRY).saturating_mul(1 << failed.min(DOUBLINGS))).await;
            opened = self.get(&stopped.id).await;
        }
    }

    /// Receives one stream of events. Returns whether there was an event.
    async fn events(
        &self,
        mut body: Incoming,
        stopped: &mut Stopped,
        is_listening: bool,
        calls: &mut Vec<Message>,
    ) -> bool {
        let codec = Codec::<Events<MAX_ID_LEN>>::new().with_max_len(self.options.max_len);
        let (mut codec, mut bytes) = (codec.with_dialect(self.options.dialect), BytesMut::new());
        let (mut has_event, mut has_ended) = (false, false);
        while !has_ended {
            let limit = if calls.is_empty() && !is_listening { END } else { Duration::MAX };
            match timeout(limit, body.frame()).await {
                Ok(Some(Ok(frame))) => bytes.extend_from_slice(&frame.into_data().unwrap_or_default()),
                // it breaks off
                _ => has_ended = true,
            }
            while let Ok(Some(received)) =
                if has_ended { codec.decode_eof(&mut bytes) } else { codec.decode(&mut bytes) }
            {
                has_event = true;
                // an event that was cut off comes again; an empty one only has an id
                if received.as_ref().map_or(!has_ended, |text| !text.as_bytes().is_empty()) {
                    self.deliver(received, calls).await;
                }
            }
        }
        let frame = codec.frame();
        if !frame.last_event_id().is_empty() {
            stopped.id = frame.last_event_id().to_vec();
        }
        stopped.retry = frame.retry().map_or(stopped.retry, |millis| Duration::from_millis(millis.into()));
        has_event
    }
}

fn reply(response: &Response<Incoming>) -> Reply<'_> {
    let mut reply = Reply::new(response.status().as_u16());
    for (name, value) in response.headers() {
        reply.header(name.as_str(), value.as_bytes());
    }
    reply
}
