//! What a connection does with a received text.

use std::task::Context;

use bytes::{Bytes, BytesMut};
use nanojsonrpc::frame::FrameError;
use nanojsonrpc::server::route::End;
use nanojsonrpc::{EnvelopeKind, ErrorObject, Growing, Id, Server};

use super::answers::Place;
use super::running::Job;
use super::{Connection, Transport};
use crate::codec::Received;
use crate::{CallService, Message, Response, Text, Unreadable};

/// The bytes of an unreadable text that a log shows.
const SHOWN: usize = 64;

impl<T, S> Connection<'_, T, S>
where
    T: Transport,
    S: CallService,
{
    pub(super) fn receive(&mut self, received: Received, task: &mut Context<'_>) {
        match received {
            Ok(text) => self.read(&text, task),
            Err(fault) => self.lose(fault),
        }
    }

    /// A message is lost, which may have been a request, or the answer to the only call.
    fn lose(&mut self, fault: FrameError) {
        tracing::warn!("lost: {fault}");
        if !fault.loses_message() || self.shared.calls.lose(fault) || self.service.is_none() {
            return;
        }
        if !std::mem::replace(&mut self.has_answered_unreadable, true) {
            let mut output = Growing::new(1024);
            let server = Server::with_routes(End).with_dialect(self.options.dialect);
            if let Some(answer) = server.refuse(fault, &mut output).answer() {
                self.send(Bytes::copy_from_slice(answer), true);
            }
        }
    }

    fn read(&mut self, text: &Text, task: &mut Context<'_>) {
        let batch = text.is_batch().then(|| self.answers.open(text.messages().count()));
        for (index, message) in text.messages().enumerate() {
            let place = Place { batch, index };
            match message {
                Ok(message) => self.handle(message, place, task),
                Err(unreadable) => self.refuse(&unreadable, place, task),
            }
        }
    }

    fn refuse(&mut self, unreadable: &Unreadable, place: Place, task: &mut Context<'_>) {
        let refused = unreadable.refused();
        let was_answer = self.shared.calls.refuse(unreadable);
        // no payloads in a log: the front is enough to know the sender
        let front = unreadable.text().get(..SHOWN).unwrap_or(unreadable.text());
        tracing::warn!(front = %front.escape_ascii(), "unreadable: {refused}");
        // two peers that cannot read each other would answer without end
        let is_answered = refused.is_answerable()
            && !was_answer
            && self.service.is_some()
            && (place.batch.is_some()
                || refused.id.is_some()
                || !std::mem::replace(&mut self.has_answered_unreadable, true));
        let mut answer = BytesMut::zeroed(128_usize.saturating_add(refused.id.map_or(0, |id| id.as_bytes().len())));
        let len = if is_answered { refused.write_response(&mut answer).unwrap_or(0) } else { 0 };
        answer.truncate(len);
        self.answer(place, (len != 0).then(|| answer.freeze()), task);
    }

    fn handle(&mut self, message: Message, place: Place, task: &mut Context<'_>) {
        self.has_answered_unreadable = false;
        let kind = message.kind();
        if matches!(kind, EnvelopeKind::Success | EnvelopeKind::Error) {
            self.shared.calls.accept(message, self.options.dialect);
            return self.answer(place, None, task);
        }
        if kind == EnvelopeKind::Notification {
            let cancelled = self.options.cancellation.and_then(|how| Some((how, how.cancels(&message.envelope())?)));
            if let Some((how, id)) = cancelled {
                self.cancel(&id, how.answer(), task);
            }
        }
        let Some(peer) = self.shared.handle.upgrade() else {
            tracing::debug!(method = %message.method(), "dropped: the connection is closed");
            return self.answer(place, None, task);
        };
        if kind == EnvelopeKind::Notification {
            let is_heard = peer.notify_subscribers(&message);
            if self.service.is_none() && !is_heard {
                tracing::debug!(method = %message.method(), "notification without a subscriber");
            }
        }
        let is_request = kind == EnvelopeKind::Request;
        let job = Job { message, place, peer };
        if self.service.is_none() {
            let outcome =
                if is_request { Response::error(ErrorObject::METHOD_NOT_FOUND) } else { Response::result(()) };
            return self.finish(job, Ok(outcome), task);
        }
        self.waiting.push_back(job);
        _ = self.poll_start(task);
    }

    fn cancel(&mut self, id: &Id, error: Option<ErrorObject<'static>>, task: &mut Context<'_>) {
        let has_id = |job: &Job| job.message.id().is_some_and(|sent| Id::read(sent).is_ok_and(|sent: Id| sent == *id));
        let waiting = self.waiting.iter().position(has_id).and_then(|index| self.waiting.remove(index));
        let Some(job) = waiting.or_else(|| self.running.abort(has_id)) else { return };
        match error {
            Some(error) => self.finish(job, Ok(Response::error(error)), task),
            None => self.answer(job.place, None, task),
        }
    }
}
