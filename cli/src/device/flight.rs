//! A call on its way.

use std::sync::atomic::Ordering;

use nanojsonrpc::RawValue;
use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc_tokio::Message;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep_until};

use super::{Device, GONE, Outcome, Seen, error};

/// A call of a device, which counts until it has ended: if its caller has gone, until the device must have answered.
pub(super) struct Flight<'f> {
    pub(super) device: &'f Device,
    pub(super) user: &'f str,
    pub(super) name: &'f str,
    pub(super) params: Option<RawValue<'f>>,
    pub(super) begun: Instant,
    pub(super) until: Instant,
    pub(super) permits: Option<(OwnedSemaphorePermit, OwnedSemaphorePermit)>,
    pub(super) has_ended: bool,
}

impl Flight<'_> {
    pub(super) fn end(self, outcome: &Outcome) {
        let shown = outcome.as_ref().map(Some).map_err(Clone::clone);
        self.end_as(&shown.map(|answer| answer.cloned()));
    }

    /// `None` is the outcome of a notification that was sent.
    pub(super) fn end_as(mut self, outcome: &Result<Option<Message>, OwnedErrorObject>) {
        self.has_ended = true;
        self.permits = None;
        self.tell(outcome);
    }

    fn tell(&self, outcome: &Result<Option<Message>, OwnedErrorObject>) {
        let Self { device, user, name, params, begun, .. } = *self;
        device.counts.calls.fetch_add(1, Ordering::Relaxed);
        let is_error =
            |answer: &Option<Message>| answer.as_ref().is_some_and(|answer| answer.envelope().error().is_some());
        if outcome.as_ref().map_or(true, is_error) {
            device.counts.errors.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(around) = device.around.get() {
            around.seen(device, &Seen { method: name, params, user, time: begun.elapsed(), outcome });
        }
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        self.tell(&Err(error(GONE, None)));
        if let Some(permits) = self.permits.take() {
            let until = self.until;
            tokio::spawn(async move {
                sleep_until(until).await;
                drop(permits);
            });
        }
    }
}
