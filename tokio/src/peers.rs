//! A service whose messages arrive one by one: those of a topic.

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use backon::ExponentialBuilder;
use bytes::Bytes;
use futures_util::future::poll_fn;
use tokio::sync::{Mutex, Semaphore};
use tokio::task::JoinSet;
use tower::load_shed::error::Overloaded;
use tower::{Service, service_fn};

use crate::ends::received;
use crate::once::once_received;
use crate::{BoxError, CallService, Options, Request, Response};

/// The waits between attempts to use a connection that is down.
pub(crate) const WAITS: ExponentialBuilder = ExponentialBuilder::new()
    .with_min_delay(Duration::from_millis(50))
    .with_max_delay(Duration::from_secs(1))
    .without_max_times();

/// The time for the calls in flight at the end of a service, unless another one is set.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

type Outcome = Result<Response, BoxError>;

/// One service for all messages of a topic. Waits for its readiness in turn; then its calls run side by side.
struct Joint<S>(Arc<Mutex<S>>);

impl<S> Service<Request> for Joint<S>
where
    S: CallService,
{
    type Response = Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Outcome> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let service = Arc::clone(&self.0);
        Box::pin(async move {
            let called = {
                let mut service = service.lock().await;
                poll_fn(|task| service.poll_ready(task)).await.map_err(Into::into)?;
                service.call(request)
            };
            called.await.map_err(Into::into)
        })
    }
}

/// How a message was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The answer; `None` without one.
    pub(crate) text: Option<Bytes>,
    /// Whether handlers were called; otherwise there was no place for them.
    #[cfg_attr(not(feature = "mqtt"), expect(dead_code, reason = "MQTT alone delivers a message twice"))]
    pub(crate) has_run: bool,
}

/// The messages of a topic that are being answered: each that waits in a task of its own. Dropping it aborts them.
pub(crate) struct Answering<S> {
    service: Arc<Mutex<S>>,
    options: Options,
    places: Arc<Semaphore>,
    tasks: JoinSet<()>,
}

impl<S> Answering<S>
where
    S: CallService,
{
    pub(crate) fn new(service: S, options: Options) -> Self {
        let places = Arc::new(Semaphore::new(options.calls.min(Semaphore::MAX_PERMITS)));
        Self { service: Arc::new(Mutex::new(service)), options, places, tasks: JoinSet::new() }
    }

    /// Answers a message, and then calls `publish`. Waits only for the answer to a message without a place.
    pub(crate) async fn answer<Fut>(&mut self, payload: Bytes, publish: impl FnOnce(Answer) -> Fut + Send + 'static)
    where
        Fut: Future<Output = ()> + Send,
    {
        while self.tasks.try_join_next().is_some() {}
        let received = received(payload, &self.options);
        if self.tasks.len() >= self.options.calls.saturating_add(self.options.queue) {
            let busy = service_fn(|_| ready(Outcome::Err(Overloaded::new().into())));
            let text = once_received(received, busy, &self.options).await;
            return publish(Answer { text, has_run: false }).await;
        }
        let (places, service, options) =
            (Arc::clone(&self.places), Joint(Arc::clone(&self.service)), self.options.clone());
        let mut answering = Box::pin(async move {
            let _place = places.acquire_owned().await;
            let text = once_received(received, service, &options).await;
            publish(Answer { text, has_run: true }).await;
        });
        // handlers begin in the order of the messages; what does not wait needs no task
        if poll_fn(|task| Poll::Ready(answering.as_mut().poll(task).is_pending())).await {
            self.tasks.spawn(answering);
        }
    }

    /// Waits for the messages that are being answered, for at most `grace`.
    pub(crate) async fn finish(mut self, grace: Duration) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(grace, all).await.is_err() {
            tracing::warn!("{} messages were not answered", self.tasks.len());
        }
    }
}
