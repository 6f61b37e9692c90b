//! Calls to the devices of other hubs, and calls of other hubs to the devices of this one.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use async_nats::RequestErrorKind;
use bytes::Bytes;
use futures_util::TryFutureExt as _;
use futures_util::future::{Either, MapErr};
use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc::{ErrorCode, ErrorObject, Growing, RawValue, Writer};
use nanojsonrpc_tokio::nats::NO_RESPONDERS;
use nanojsonrpc_tokio::{BoxError, CallService, Message, Request, Response};
use tokio::time::{Instant, sleep, sleep_until};
use tower::Service;

use super::Shared;
use crate::device::{late, lost};

/// The time for which a call waits for a hub to have its device.
const PATIENCE: Duration = Duration::from_secs(5);
/// The wait before another attempt, unless a device moves.
const PAUSE: Duration = Duration::from_millis(100);
/// Marks the error of [`not_here`]: no device sends it by chance.
const NOT_HERE: &str = "\"hub: not here\"";
/// The length of calls that every server takes, in bytes.
const SHORT: usize = 1 << 16;

/// What has become of a call that was sent.
enum Outcome {
    Answer(Message),
    /// It has not run.
    NotRun,
    /// It may have run.
    Lost,
    /// It will never run.
    Refused(OwnedErrorObject),
    Late,
}

/// The error of a hub that does not have the device of a call: the call has not run, and its caller looks for another hub.
pub(crate) fn not_here() -> OwnedErrorObject {
    ErrorObject::new(NO_RESPONDERS, "the device is not at this hub")
        .with_data(RawValue::parse(NOT_HERE.as_bytes()).unwrap_or(RawValue::NULL))
        .into()
}

fn is_not_here(answer: &Message) -> bool {
    let error = answer.envelope().error_object();
    error.is_some_and(|error| error.code == NO_RESPONDERS && error.data.is_some_and(|data| data.as_json() == NOT_HERE))
}

fn error(code: impl Into<ErrorCode>, message: &str) -> OwnedErrorObject {
    ErrorObject::new(code, message).into()
}

fn written(method: &str, params: Option<RawValue<'_>>) -> Result<Bytes, OwnedErrorObject> {
    let mut text = Growing::new(usize::MAX);
    let mut out = Writer::new(&mut text);
    let call = nanojsonrpc::Client::<(), 1, 0>::new().call(method, &params, (), &mut out).map(|_| ());
    call.map_err(|refused| error(ErrorCode::INTERNAL_ERROR, &refused.error.to_string()))?;
    Ok(Bytes::copy_from_slice(out.written()))
}

impl Shared {
    pub(super) async fn call(
        &self,
        device: &str,
        method: &str,
        params: Option<RawValue<'_>>,
        may_repeat: bool,
        until: Instant,
    ) -> Result<Message, OwnedErrorObject> {
        let text = written(method, params)?;
        let mut moves = self.moves.subscribe();
        let mut since = Instant::now();
        while Instant::now() < until {
            moves.mark_unchanged();
            let owner = self.view().owner(device).map(|(hub, life)| (hub.to_owned(), life));
            let link = *self.link.borrow();
            match owner.filter(|_| link.is_up) {
                Some((hub, life)) => {
                    match self.send(&hub, life, link.number, text.clone(), until).await {
                        Outcome::Answer(answer) => return Ok(answer),
                        Outcome::NotRun => {}
                        Outcome::Lost if may_repeat => {}
                        Outcome::Lost => return Err(lost("its hub or NATS has vanished")),
                        Outcome::Refused(error) => return Err(error),
                        Outcome::Late => return Err(late()),
                    }
                    since = Instant::now();
                }
                None if since.elapsed() >= PATIENCE => {
                    let message = if link.is_up { "no hub has the device" } else { "the other hubs cannot be reached" };
                    return Err(error(NO_RESPONDERS, message));
                }
                None => {}
            }
            tokio::select! {
                _ = moves.changed() => {}
                () = sleep(PAUSE) => {}
                () = sleep_until(until) => {}
            }
        }
        Err(late())
    }

    async fn send(&self, hub: &str, life: u64, link: u64, text: Bytes, until: Instant) -> Outcome {
        if text.len() > SHORT {
            let limit = self.nats.server_info().max_payload;
            if text.len() > limit {
                let message = format!("the call is longer than the {limit} bytes that NATS takes");
                return Outcome::Refused(error(ErrorCode::INVALID_REQUEST, &message));
            }
        }
        let request = async_nats::Request::new().payload(text).timeout(None);
        let subject = format!("{}.hub.{hub}.calls", self.settings.prefix);
        tokio::select! {
            biased;
            answer = self.nats.send_request(subject, request) => match answer {
                Ok(answer) => match Message::parse(answer.payload) {
                    Ok(answer) if is_not_here(&answer) => Outcome::NotRun,
                    Ok(answer) => Outcome::Answer(answer),
                    Err(fault) => {
                        Outcome::Refused(error(ErrorCode::INTERNAL_ERROR, &format!("unreadable answer: {fault}")))
                    }
                },
                Err(error) if error.kind() == RequestErrorKind::NoResponders => Outcome::NotRun,
                Err(_) => Outcome::Lost,
            },
            () = self.lost(hub, life, link) => Outcome::Lost,
            () = sleep_until(until) => Outcome::Late,
        }
    }

    /// The end of the hub, or of the connection.
    async fn lost(&self, hub: &str, life: u64, number: u64) {
        let (mut members, mut link) = (self.members.subscribe(), self.link.clone());
        loop {
            members.mark_unchanged();
            let is_here = self.view().hub(hub).is_some_and(|hub| hub.life == life);
            if !is_here || link.borrow_and_update().number != number {
                return;
            }
            tokio::select! {
                _ = members.changed() => {}
                _ = link.changed() => {}
            }
        }
    }
}

/// The service of the other hubs: the calls to devices that this hub has.
#[derive(Clone)]
pub(super) struct Gate<S> {
    pub(super) local: S,
    pub(super) shared: Arc<Shared>,
}

impl<S: CallService> Service<Request> for Gate<S> {
    type Response = Response;
    type Error = BoxError;
    type Future = Either<MapErr<S::Future, fn(S::Error) -> BoxError>, Ready<Result<Response, BoxError>>>;

    fn poll_ready(&mut self, task: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.local.poll_ready(task).map_err(Into::into)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let method = request.method().to_string();
        let device = method.split('.').next().unwrap_or_default();
        let is_here = self.shared.view().owner(device).is_some_and(|(hub, _)| hub == self.shared.settings.name);
        if is_here {
            return Either::Left(self.local.call(request).map_err(Into::into));
        }
        Either::Right(ready(Ok(Response::error(not_here()))))
    }
}
