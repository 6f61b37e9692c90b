//! An open peer: sends texts, and finds their answers among all that it sends.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{SinkExt as _, StreamExt as _};
use nanojsonrpc::client::Addressee;
use nanojsonrpc::{Dialect, EnvelopeKind, ErrorObject, RawValue};
use nanojsonrpc_tokio::{Message, Text, Transport};
use tokio::time::{Instant, timeout, timeout_at};

use crate::fault::Fault;
use crate::peer::Peer;
use crate::print::{Shown, Style, line, say};

/// An open peer. What it sends beside answers is printed on standard error.
pub(crate) struct Line {
    transport: Box<dyn Transport>,
    dialect: Dialect,
    timeout: Duration,
    sent: Bytes,
}

impl Line {
    pub(crate) async fn open(peer: &Peer) -> Result<Self, Fault> {
        let transport = peer.open().await?;
        Ok(Self { transport, dialect: peer.dialect, timeout: peer.timeout, sent: Bytes::new() })
    }

    /// Sends a text.
    pub(crate) async fn send(&mut self, text: Bytes) -> Result<(), Fault> {
        self.sent = text.clone();
        let sending = timeout(self.timeout, self.transport.send(text)).await;
        sending.map_err(|_| Fault::Late)?.map_err(|error| Fault::Connection(error.to_string()))
    }

    /// Sends a request with this id, and waits for its answer.
    pub(crate) async fn call(&mut self, id: &str, text: Bytes) -> Result<Message, Fault> {
        let mut answers = [None];
        self.exchange(text, &[id.to_owned()], &mut answers).await?;
        let [answer] = answers;
        answer.ok_or(Fault::Late)
    }

    /// Sends a text with requests of these ids, and waits until all have an answer, each in its place.
    pub(crate) async fn exchange(
        &mut self,
        text: Bytes,
        ids: &[String],
        answers: &mut [Option<Message>],
    ) -> Result<(), Fault> {
        let until = Instant::now() + self.timeout;
        self.send(text).await?;
        while answers.iter().any(Option::is_none) {
            let received = timeout_at(until, self.transport.next()).await.map_err(|_| Fault::Late)?;
            match received {
                None => return Err(Fault::Connection("the peer has closed the stream before its answer".to_owned())),
                Some(Err(error)) => return Err(Fault::Connection(error.to_string())),
                Some(Ok(Err(fault))) if fault.loses_message() => return Err(Fault::Lost(format!("answer: {fault}"))),
                Some(Ok(Err(fault))) => say(format_args!("skipped: {fault}")),
                Some(Ok(Ok(text))) => self.sort(&text, ids, answers).await?,
            }
        }
        Ok(())
    }

    /// Takes the answers out of a received text, and prints all else.
    async fn sort(&mut self, text: &Text, ids: &[String], answers: &mut [Option<Message>]) -> Result<(), Fault> {
        for message in text.messages() {
            let (addressee, outcome) = match &message {
                Ok(message) => (Addressee::of(&message.envelope(), self.dialect), Ok(message)),
                Err(unreadable) => (Addressee::of_refused(&unreadable.refused()), Err(unreadable)),
            };
            let place = match addressee {
                Addressee::Call(id) => ids.iter().position(|sent| self.is_same(id, sent)),
                Addressee::Only => Some(0),
                Addressee::None => None,
            };
            match (place.and_then(|place| answers.get_mut(place)), outcome) {
                // an error without an id answers the whole batch
                (Some(_), Ok(answer)) if matches!(addressee, Addressee::Only) => answers.fill(Some(answer.clone())),
                (Some(place), Ok(answer)) => *place = Some(answer.clone()),
                (Some(_), Err(unreadable)) => {
                    return Err(Fault::Unreadable(unreadable.refused().error, unreadable.text().clone()));
                }
                (None, Ok(message)) => self.handle(message).await?,
                (None, Err(unreadable)) => say(format_args!("skipped: {}", line(unreadable.text()))),
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
        // a half-duplex line returns what was sent
        if message.text() == self.sent {
            return Ok(());
        }
        say(summary(message));
        if message.kind() != EnvelopeKind::Request {
            return Ok(());
        }
        let mut answer = BytesMut::zeroed(message.text().len().saturating_add(128));
        let len = message.envelope().write_response::<RawValue<'_>>(Err(&ErrorObject::METHOD_NOT_FOUND), &mut answer);
        answer.truncate(len.map_err(|error| Fault::Lost(error.to_string()))?);
        self.transport.send(answer.freeze()).await.map_err(|error| Fault::Connection(error.to_string()))
    }
}

/// A message of the peer in one line.
pub(crate) fn summary(message: &Message) -> String {
    let payload = message.payload().map_or(String::new(), |payload| Shown(payload, Style::Line).to_string());
    let id = message.id().map_or(String::new(), |id| line(id.as_bytes()));
    let method = line(message.method().to_string().as_bytes());
    match message.kind() {
        EnvelopeKind::Notification => format!("notification {method} {payload}"),
        EnvelopeKind::Request => format!("request {id} {method} {payload}"),
        EnvelopeKind::Error => format!("error for {id} {payload}"),
        _ => format!("answer to {id} {payload}"),
    }
}
