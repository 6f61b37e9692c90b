//! An open peer: sends texts, and finds their answers among all that it sends.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{SinkExt as _, StreamExt as _};
use nanojsonrpc::client::Addressee;
use nanojsonrpc::{Dialect, EnvelopeKind, ErrorObject, RawValue};
use nanojsonrpc_tokio::{Closed, Message, Text, Transport, Unreadable};
use tokio::time::{Instant, timeout, timeout_at};

use crate::fault::Fault;
use crate::peer::Peer;
use crate::print::{Shown, Style, line};

/// Receives a line for people.
pub(crate) type Tell = Arc<dyn Fn(String) + Send + Sync>;
/// The answer to a call.
pub(crate) type Answer = Result<Message, Unreadable>;

/// An open peer. Its `tell` receives all messages that are no answers.
pub(crate) struct Line {
    transport: Box<dyn Transport>,
    dialect: Dialect,
    timeout: Duration,
    sent: Bytes,
    tell: Tell,
}

impl Line {
    /// `tell` receives all messages of the peer that are no answers.
    pub(crate) async fn open(peer: &Peer, tell: Tell) -> Result<Self, Fault> {
        let transport = peer.open().await?;
        Ok(Self { transport, dialect: peer.dialect, timeout: peer.timeout, sent: Bytes::new(), tell })
    }

    /// Sends a text.
    pub(crate) async fn send(&mut self, text: Bytes) -> Result<(), Fault> {
        self.sent = text.clone();
        let sending = timeout(self.timeout, self.transport.send(text)).await;
        sending.map_err(|_| Fault::Late)?.map_err(|error| Closed::from(error).into())
    }

    /// Sends a request with this id, and waits for its answer.
    pub(crate) async fn call(&mut self, id: &str, text: Bytes) -> Result<Message, Fault> {
        let mut answers = [None];
        self.exchange(text, &[id.to_owned()], &mut answers).await?;
        let [answer] = answers;
        readable(answer.ok_or(Fault::Late)?)
    }

    /// Sends a text with requests of these ids, and waits until all have an answer, each in its place.
    pub(crate) async fn exchange(
        &mut self,
        text: Bytes,
        ids: &[String],
        answers: &mut [Option<Answer>],
    ) -> Result<(), Fault> {
        let until = Instant::now() + self.timeout;
        self.send(text).await?;
        while answers.iter().any(Option::is_none) {
            self.receive_until(until, ids, answers).await?;
        }
        Ok(())
    }

    /// [`receive`](Self::receive) up to a time, after which it is [`Fault::Late`].
    pub(crate) async fn receive_until(
        &mut self,
        until: Instant,
        ids: &[String],
        answers: &mut [Option<Answer>],
    ) -> Result<(), Fault> {
        // a peer that sends without end leaves no pause in which `timeout_at` looks at the time
        if Instant::now() >= until {
            return Err(Fault::Late);
        }
        timeout_at(until, self.receive(ids, answers)).await.map_err(|_| Fault::Late)?
    }

    /// Receives a text, puts its answers in the places of their ids, and tells all else. The last place of an id without an answer counts.
    pub(crate) async fn receive(&mut self, ids: &[String], answers: &mut [Option<Answer>]) -> Result<(), Fault> {
        match self.transport.next().await {
            None => Err(Closed::ByPeer.into()),
            Some(Err(error)) => Err(Closed::from(error).into()),
            Some(Ok(Err(fault))) if fault.loses_message() && answers.iter().any(Option::is_none) => {
                Err(Fault::Lost(format!("answer: {fault}")))
            }
            Some(Ok(Err(fault))) => {
                (self.tell)(format!("skipped: {fault}"));
                Ok(())
            }
            Some(Ok(Ok(text))) => self.sort(&text, ids, answers).await,
        }
    }

    /// Takes the answers out of a received text, and tells all else.
    async fn sort(&mut self, text: &Text, ids: &[String], answers: &mut [Option<Answer>]) -> Result<(), Fault> {
        for message in text.messages() {
            let (addressee, outcome) = match &message {
                Ok(message) => (Addressee::of(&message.envelope(), self.dialect), Ok(message)),
                Err(unreadable) => (Addressee::of_refused(&unreadable.refused()), Err(unreadable)),
            };
            let is_for = |(sent, answer): &(&String, &mut Option<Answer>)| match addressee {
                _ if answer.is_some() => false,
                Addressee::Call(id) => self.is_same(id, sent),
                Addressee::Only => true,
                Addressee::None => false,
            };
            let mut places = ids.iter().zip(answers.iter_mut()).rev().filter(is_for).map(|(_, answer)| answer);
            // an error without an id answers the whole batch
            let places: Vec<_> = if matches!(addressee, Addressee::Only) {
                places.collect()
            } else {
                places.next().into_iter().collect()
            };
            match outcome {
                _ if !places.is_empty() => {
                    let answer = outcome.cloned().map_err(Clone::clone);
                    places.into_iter().for_each(|place| *place = Some(answer.clone()));
                }
                Ok(message) => self.handle(message).await?,
                Err(unreadable) => (self.tell)(format!("skipped: {}", line(unreadable.text()))),
            }
        }
        Ok(())
    }

    /// Whether `id` is the one that was sent; in a lenient dialect, in any spelling.
    fn is_same(&self, id: RawValue<'_>, sent: &str) -> bool {
        let number = |id| Addressee::Call(id).number().map(|(number, _)| number);
        let sent = RawValue::parse(sent.as_bytes());
        sent.is_ok_and(|sent| id == sent || self.dialect.allows_any_spelling() && number(id) == number(sent))
    }

    /// A message that is no answer to a call in flight.
    async fn handle(&mut self, message: &Message) -> Result<(), Fault> {
        // a half-duplex line returns the sent text
        if message.text() == self.sent {
            return Ok(());
        }
        (self.tell)(summary(message, Style::Line));
        if message.kind() != EnvelopeKind::Request {
            return Ok(());
        }
        let mut answer = BytesMut::zeroed(message.text().len().saturating_add(128));
        let len = message.envelope().write_response::<RawValue<'_>>(Err(&ErrorObject::METHOD_NOT_FOUND), &mut answer);
        answer.truncate(len.map_err(|error| Fault::Lost(error.to_string()))?);
        self.transport.send(answer.freeze()).await.map_err(|error| Closed::from(error).into())
    }
}

/// The answer, or the fault of a text that may be it.
pub(crate) fn readable(answer: Answer) -> Result<Message, Fault> {
    answer.map_err(|answer| Fault::Unreadable(answer.refused().error, answer.text().clone()))
}

/// A message of the peer in one line.
pub(crate) fn summary(message: &Message, style: Style) -> String {
    let payload = message.payload().map_or(String::new(), |payload| Shown(payload, style).to_string());
    let id = message.id().map_or(String::new(), |id| line(id.as_bytes()));
    let method = line(message.method().to_string().as_bytes());
    match message.kind() {
        EnvelopeKind::Notification => format!("notification {method} {payload}"),
        EnvelopeKind::Request => format!("request {id} {method} {payload}"),
        EnvelopeKind::Error => format!("error for {id} {payload}"),
        _ => format!("answer to {id} {payload}"),
    }
}
