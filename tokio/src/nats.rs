//! Calls over NATS: a service on a subject, alone or in a queue group, and clients that call it.
//!
//! The program brings the connection ([`async_nats::Client`]), with its authentication, its TLS and its attempts to reconnect. The subjects
//! of a peer are those of [`nanojsonrpc::broker::nats::Layout`]; any other subject does as well.
//!
//! ```no_run
//! use nanojsonrpc::broker::nats::Layout;
//! use nanojsonrpc_tokio::{Methods, Options, nats};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let broker = async_nats::connect("127.0.0.1:4222").await?;
//! let lamp = Layout { prefix: "home", name: "lamp" }.requests::<64>()?;
//!
//! let methods = Methods::new(()).request("level", async |(), ()| Ok(7));
//! let service = nats::Server::new(methods).group("lamps");
//! let (serving, subject) = (broker.clone(), lamp.clone());
//! tokio::spawn(async move { service.serve(&serving, &subject, std::future::pending()).await });
//!
//! let client = nats::client(&broker, &lamp, None, Options::new())?;
//! let level: u8 = client.call("level", &()).await?;
//! # Ok(()) }
//! ```
//!
//! # Presence
//! None: NATS has no last will and retains no messages. A call to a subject without a service ends at once with [`NO_RESPONDERS`].
//!
//! # JetStream
//! Core NATS delivers a message at most once. For the messages of a JetStream consumer, use [`nanojsonrpc::broker::nats::answer`].

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{StatusCode, Subscriber};
use bytes::Bytes;
use futures_util::{StreamExt as _, sink, stream};
use nanojsonrpc::broker::TopicError;
use nanojsonrpc::broker::nats::{check_filter, check_queue_group, check_subject};
use nanojsonrpc::{ErrorCode, ErrorObject};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, timeout};

use crate::codec::Received;
use crate::ends::{Ends, has_request, received, refuse};
use crate::peers::{Answering, GRACE, WAITS};
use crate::{BoxError, CallService, Client, Options, Text, Transport};

/// The code of the error of a call to a subject to which no service is subscribed. The broker says so, and the client writes the answer.
pub const NO_RESPONDERS: ErrorCode = ErrorCode(-32003);

/// The time between two looks at the connection.
const LOOK: Duration = Duration::from_millis(250);
/// The time in which the broker says that nobody has received a call.
const UNHEARD: Duration = Duration::from_secs(10);

/// Serves a service of calls, such as [`Methods`](crate::Methods), on a subject. See the [module](self).
///
/// # Limits
/// Those of [`Options`], with these differences: [`calls`](Options::calls) and [`queue`](Options::queue) count messages, where a batch is
/// one; [`idle`](Options::idle), [`rate`](Options::rate) and [`cancelled_by`](Options::cancelled_by) have no effect. An
/// answer is at most as long as the NATS server says when [`serve`](Self::serve) begins. The [peer](crate::Request::peer) of a request is a
/// closed handle.
#[derive(Debug)]
#[must_use]
pub struct Server<S> {
    service: S,
    options: Options,
    group: Option<String>,
    grace: Duration,
}

impl<S> Server<S> {
    /// Serves `service`.
    pub const fn new(service: S) -> Self {
        Self { service, options: Options::new(), group: None, grace: GRACE }
    }

    /// The limits and rules.
    pub fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// Joins a queue group: the broker gives each message to one member of the group, so several processes share the calls.
    pub fn group(self, name: impl Into<String>) -> Self {
        Self { group: Some(name.into()), ..self }
    }

    /// The time for the calls in flight at the end; 10 s by default.
    pub fn grace(self, time: Duration) -> Self {
        Self { grace: time, ..self }
    }
}

impl<S> Server<S>
where
    S: CallService,
{
    /// Answers the messages of `subject`, which may have wildcards, until `stop` is done. Then it answers what it has received, for at most
    /// the [grace](Self::grace), and returns. The connection may be interrupted meanwhile: its client subscribes again.
    ///
    /// # Errors
    /// An invalid subject or name of the group; [`io::ErrorKind::NotConnected`] if the client of the broker has been closed.
    pub async fn serve(
        self,
        broker: &async_nats::Client,
        subject: &str,
        stop: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        check_filter(subject).map_err(invalid)?;
        let mut messages = match self.group {
            Some(group) => {
                check_queue_group(&group).map_err(invalid)?;
                broker.queue_subscribe(subject.to_owned(), group).await.map_err(closed)?
            }
            None => broker.subscribe(subject.to_owned()).await.map_err(closed)?,
        };
        // a longer answer would be lost
        let max_answer_len = match broker.server_info().max_payload {
            // not connected yet
            0 => self.options.max_answer_len,
            limit => self.options.max_answer_len.min(limit),
        };
        let mut answering = Answering::new(self.service, Options { max_answer_len, ..self.options });
        let mut stop = std::pin::pin!(stop);
        let mut has_stopped = false;
        loop {
            let message = tokio::select! {
                () = &mut stop, if !has_stopped => {
                    has_stopped = true;
                    // what the broker has sent until now still comes
                    messages.drain().await.map_err(closed)?;
                    // the subscription ends with the next thing that the connection receives, which on an idle one may take minutes; the
                    // answer that nobody listens to a new subject comes after those messages
                    _ = timeout(self.grace, broker.request(broker.new_inbox(), Bytes::new())).await;
                    continue;
                }
                message = messages.next() => message,
            };
            let Some(message) = message else { break };
            let broker = broker.clone();
            let publish = move |answer: crate::peers::Answer| async move {
                let Some(text) = answer.text else { return };
                // an answer to `$JS.ACK.…` would acknowledge a message of JetStream
                let reply =
                    message.reply.filter(|reply| check_subject(reply).is_ok() && !reply.starts_with("$JS.ACK."));
                let Some(reply) = reply else { return tracing::debug!("answer to a call without a reply subject") };
                if let Err(error) = broker.publish(reply, text).await {
                    tracing::warn!("answer not sent: {error}");
                }
            };
            answering.answer(message.payload, publish).await;
        }
        answering.finish(self.grace).await;
        if has_stopped {
            // an error means that the connection has ended
            _ = broker.flush().await;
            return Ok(());
        }
        Err(io::ErrorKind::NotConnected.into())
    }
}

/// A client of the service on `subject`. [`Client::notifications`] are the messages of the subject `events`, on which the service publishes.
///
/// Calls in flight end with [`CallError::Closed`](crate::CallError::Closed) when the connection is interrupted; later calls wait until it is
/// up again, for at most their [patience](Options::patience). A program that publishes events has a client of the subject for events, and
/// [notifies](Client::notify) it.
///
/// Answers come to an [inbox](async_nats::Client::new_inbox) of this client: `{prefix}.{client}.{call}`, where the connection sets the
/// prefix ([`custom_inbox_prefix`](async_nats::ConnectOptions::custom_inbox_prefix)) and thus the permissions that it needs.
///
/// # Errors
/// An invalid subject.
///
/// # Panics
/// Outside of a runtime of tokio.
pub fn client(
    broker: &async_nats::Client,
    subject: &str,
    events: Option<&str>,
    options: Options,
) -> Result<Client, TopicError> {
    let caller = Caller::new(broker, subject, events, &options)?;
    Ok(Client::reconnecting(move || Arc::clone(&caller).open(), WAITS, options))
}

/// The texts of a [`client`], without its calls: for a program that passes messages on, or shows them. It ends when the connection to the
/// NATS server is interrupted.
///
/// # Errors
/// An invalid subject, or no connection.
pub async fn transport(
    broker: &async_nats::Client,
    subject: &str,
    events: Option<&str>,
    options: &Options,
) -> io::Result<impl Transport + use<>> {
    Caller::new(broker, subject, events, options).map_err(invalid)?.open().await
}

struct Caller {
    broker: async_nats::Client,
    subject: String,
    events: Option<String>,
    options: Options,
}

/// The texts with calls by the last tokens of their reply subjects, until they are answered or must have been heard.
type Unheard = Arc<Mutex<BTreeMap<u64, (Instant, Bytes)>>>;

/// What receives the answers and events.
struct Receiving {
    caller: Arc<Caller>,
    answers: Subscriber,
    events: Option<Subscriber>,
    unheard: Unheard,
    looks: Interval,
    connects: u64,
}

impl Caller {
    fn new(
        broker: &async_nats::Client,
        subject: &str,
        events: Option<&str>,
        options: &Options,
    ) -> Result<Arc<Self>, TopicError> {
        check_subject(subject)?;
        events.map_or(Ok(()), check_filter)?;
        let (subject, events) = (subject.to_owned(), events.map(str::to_owned));
        Ok(Arc::new(Self { broker: broker.clone(), subject, events, options: options.clone() }))
    }

    async fn open(self: Arc<Self>) -> io::Result<Ends> {
        let connects = self.connects()?;
        let inbox = self.broker.new_inbox();
        let answers = self.broker.subscribe(format!("{inbox}.*")).await.map_err(closed)?;
        let events = match &self.events {
            Some(events) => Some(self.broker.subscribe(events.clone()).await.map_err(closed)?),
            None => None,
        };
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let unheard = Unheard::default();
        let sending = (Arc::clone(&self), inbox, 0_u64, Arc::clone(&unheard));
        let sink = sink::unfold(sending, async |(caller, inbox, number, unheard), text: Bytes| {
            caller.publish(&inbox, number, &unheard, text).await?;
            Ok((caller, inbox, number.wrapping_add(1), unheard))
        });
        let receiving = Receiving { caller: self, answers, events, unheard, looks, connects };
        let stream = stream::unfold(receiving, async |mut receiving| Some((receiving.next().await, receiving)));
        Ok(Ends { stream: Box::pin(stream), sink: Box::pin(sink) })
    }

    /// The number of this connection.
    fn connects(&self) -> io::Result<u64> {
        match self.broker.connection_state() {
            State::Connected => Ok(self.broker.statistics().connects.load(Ordering::Relaxed)),
            _ => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    async fn publish(&self, inbox: &str, number: u64, unheard: &Unheard, text: Bytes) -> io::Result<()> {
        if !has_request(&Text::parse(text.clone(), self.options.dialect)) {
            return self.broker.publish(self.subject.clone(), text).await.map_err(closed);
        }
        let now = Instant::now();
        {
            let mut unheard = unheard.lock().unwrap_or_else(PoisonError::into_inner);
            while unheard.first_entry().is_some_and(|first| now.duration_since(first.get().0) > UNHEARD) {
                unheard.pop_first();
            }
            unheard.insert(number, (now, text.clone()));
        }
        self.broker.publish_with_reply(self.subject.clone(), format!("{inbox}.{number}"), text).await.map_err(closed)
    }
}

impl Receiving {
    async fn next(&mut self) -> io::Result<Received> {
        loop {
            let events = async {
                match &mut self.events {
                    Some(events) => events.next().await,
                    None => std::future::pending().await,
                }
            };
            let (message, is_answer) = tokio::select! {
                message = self.answers.next() => (message, true),
                message = events => (message, false),
                _ = self.looks.tick() => {
                    if self.caller.connects()? != self.connects {
                        return Err(io::ErrorKind::ConnectionReset.into());
                    }
                    continue;
                }
            };
            let Some(message) = message else { return Err(io::ErrorKind::NotConnected.into()) };
            let number = message.subject.rsplit('.').next().and_then(|number| number.parse().ok());
            let sent = number
                .filter(|_| is_answer)
                .and_then(|number: u64| self.unheard.lock().unwrap_or_else(PoisonError::into_inner).remove(&number));
            if message.status == Some(StatusCode::NO_RESPONDERS) {
                let Some((_, sent)) = sent else { continue };
                let sent = Text::parse(sent, self.caller.options.dialect);
                let error = ErrorObject::new(NO_RESPONDERS, "No service on this subject").into();
                let refused = refuse(sent.messages().flatten(), sent.is_batch(), &error);
                return Ok(received(refused, &self.caller.options));
            }
            return Ok(received(message.payload, &self.caller.options));
        }
    }
}

fn invalid(error: TopicError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error.to_string())
}

fn closed(error: impl Into<BoxError>) -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, error)
}
