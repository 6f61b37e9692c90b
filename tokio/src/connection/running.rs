//! The calls of the peer that run.

use std::any::Any;
use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt as _;
use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc::{ErrorCode, ErrorObject};
use tokio::task::{Id, JoinSet};
use tower::load_shed::error::Overloaded;
use tower::timeout::error::Elapsed;

use super::answers::Place;
use crate::{BoxError, CallError, CallService, Client, Message, Options, Request, Response};

/// The answer to a call without a place in the queue.
pub(super) const BUSY: Busy = Busy;

/// The error of a call without a place in the queue: -32000.
#[derive(Clone, Copy, Debug)]
pub(super) struct Busy;

impl From<Busy> for OwnedErrorObject {
    fn from(_: Busy) -> Self {
        ErrorObject::new(-32000, "Server is busy").into()
    }
}

/// A call of the peer, and the place of its answer.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) message: Message,
    pub(super) place: Place,
    /// Keeps the connection until the call has ended.
    pub(super) peer: Client,
}

type Outcome = Result<Response, BoxError>;

/// The calls that wait for something. Each runs in a task of its own; dropping this aborts them.
#[derive(Debug)]
pub(super) struct Running {
    tasks: JoinSet<Outcome>,
    jobs: HashMap<Id, (Job, tokio::task::AbortHandle)>,
    deadline: Option<Duration>,
}

impl Running {
    pub(super) fn new(options: &Options) -> Self {
        Self { tasks: JoinSet::new(), jobs: HashMap::new(), deadline: options.deadline }
    }

    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Starts a call. Returns its outcome if it does not wait: then it needs no task.
    pub(super) fn start<S>(&mut self, service: &mut S, job: &Job, task: &mut Context<'_>) -> Option<Outcome>
    where
        S: CallService,
    {
        let request = Request::new(job.message.clone(), job.peer.clone());
        let called = match std::panic::catch_unwind(AssertUnwindSafe(|| service.call(request))) {
            Ok(called) => called,
            Err(panic) => return Some(Err(Panicked::new(&*panic).into())),
        };
        let caught = AssertUnwindSafe(called).catch_unwind().map(|ended| match ended {
            Ok(outcome) => outcome.map_err(Into::into),
            Err(panic) => Err(Panicked::new(&*panic).into()),
        });
        let mut call: Pin<Box<dyn Future<Output = Outcome> + Send>> = match self.deadline {
            None => Box::pin(caught),
            Some(time) => Box::pin(async move {
                tokio::time::timeout(time, caught).await.unwrap_or_else(|_| Err(Elapsed::new().into()))
            }),
        };
        match call.as_mut().poll(task) {
            Poll::Ready(outcome) => Some(outcome),
            Poll::Pending => {
                let handle = self.tasks.spawn(call);
                self.jobs.insert(handle.id(), (job.clone(), handle));
                None
            }
        }
    }

    /// The next call that has ended.
    pub(super) fn poll_next(&mut self, task: &mut Context<'_>) -> Option<(Job, Outcome)> {
        loop {
            let (id, outcome) = match self.tasks.poll_join_next_with_id(task) {
                Poll::Ready(Some(Ok(done))) => done,
                Poll::Ready(Some(Err(error))) => (error.id(), Err(error.into())),
                Poll::Ready(None) | Poll::Pending => return None,
            };
            // an aborted call has no job
            if let Some((job, _)) = self.jobs.remove(&id) {
                return Some((job, outcome));
            }
        }
    }

    /// Drops the future of the first such call.
    pub(super) fn abort(&mut self, is_it: impl Fn(&Job) -> bool) -> Option<Job> {
        let id = *self.jobs.iter().find(|(_, (job, _))| is_it(job))?.0;
        let (job, handle) = self.jobs.remove(&id)?;
        handle.abort();
        Some(job)
    }
}

/// A handler has panicked.
#[derive(Debug)]
struct Panicked(String);

impl Panicked {
    fn new(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        Self(text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default())
    }
}

impl std::fmt::Display for Panicked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "panic: {}", self.0)
    }
}

impl std::error::Error for Panicked {}

/// The response to a call whose service has failed.
pub(super) fn response(outcome: Outcome, call: &Message) -> Response {
    let error = match outcome {
        Ok(response) => return response,
        Err(error) => error,
    };
    let error = match error.downcast::<OwnedErrorObject>() {
        Ok(error) => return Response::error(*error),
        Err(error) => error,
    };
    let error = match error.downcast::<CallError>() {
        Ok(error) => return Response::error(*error),
        Err(error) => error,
    };
    if error.is::<Elapsed>() {
        return Response::error(ErrorObject::new(ErrorCode::TIMED_OUT, "Request timed out"));
    }
    if error.is::<Overloaded>() {
        return Response::error(BUSY);
    }
    tracing::error!(method = %call.method(), "{error}");
    Response::error(ErrorObject::INTERNAL_ERROR)
}
