//! Time limits of `async` handlers.

use core::future::poll_fn;
use core::pin::pin;
use core::task::Poll;

use super::route::Call;
use super::{AsyncRoutes, Exchange, Router};

/// Routes with a time limit; see [`Router::limited_by`].
#[derive(Clone, Copy, Debug)]
pub struct TimeLimited<R, T> {
    routes: R,
    timer: T,
}

impl<C, R> Router<C, R> {
    /// Limits the time of the `async` handlers registered so far, those of services and of MCP tools, too. `timer` makes a future that ends
    /// with the time of a call. If it ends first, the future of the handler is dropped, and with it what it borrows. A request is answered
    /// with [`ErrorCode::TIMED_OUT`](crate::ErrorCode::TIMED_OUT), `Request timed out`, unless the handler has replied. The server's
    /// [observer](super::Server::observed_by) receives [`Event::TimedOut`](super::Event::TimedOut).
    ///
    /// Call it again for other limits: a handler has the shortest limit of those set after its registration. Or let `timer` look at the
    /// call; the name of an MCP tool is its param `name`. In a nested router, the method of the call has no prefix. Only a handler that waits makes a timer. In a batch, each call has its own.
    ///
    /// ```
    /// use core::time::Duration;
    /// use nanojsonrpc::{ErrorCode, Router, Server};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// let router = Router::new()
    ///     .request_async("measure", async |_: &mut ()| core::future::pending::<Result<u8, _>>().await)
    ///     .limited_by(|_| tokio::time::sleep(Duration::from_secs(2)));
    /// let (mut server, mut context, mut output) = (Server::new(router), (), [0; 128]);
    /// let call = br#"{"jsonrpc":"2.0","method":"measure","id":1}"#;
    /// let answer = server.process_async(&mut context, call, &mut output).await.answer();
    /// let late = br#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Request timed out"},"id":1}"#;
    /// assert_eq!(answer, Some(&late[..]));
    /// assert_eq!(ErrorCode::TIMED_OUT, ErrorCode(-32001));
    /// # });
    /// ```
    ///
    /// # Limits
    /// The handler must be dropped safely at each `await`. A handler that does not wait, or computes for a long time between two `await`s,
    /// is not interrupted. A time limit counts as two routes toward the [limit](Self#limits) of the compiler.
    pub fn limited_by<T, F>(self, timer: T) -> Router<C, TimeLimited<R, T>>
    where
        T: FnMut(&Call<'_>) -> F,
        F: Future,
    {
        Router::of(TimeLimited { routes: self.routes, timer }, self.is_for_requests)
    }
}

impl<C, R: AsyncRoutes<C>, T: FnMut(&Call<'_>) -> F, F: Future> AsyncRoutes<C> for TimeLimited<R, T> {
    const FALLS_BACK: bool = R::FALLS_BACK;

    async fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        let routed = {
            let mut routed = pin!(self.routes.route(context, call, exchange));
            let mut timer = pin!(None);
            poll_fn(|task| {
                if let Poll::Ready(is_routed) = routed.as_mut().poll(task) {
                    return Poll::Ready(Some(is_routed));
                }
                if timer.is_none() {
                    timer.set(Some((self.timer)(call)));
                }
                timer.as_mut().as_pin_mut().map_or(Poll::Pending, |timer| timer.poll(task).map(|_| None))
            })
            .await
        };
        // the future of the handler is dropped here
        routed.unwrap_or_else(|| {
            exchange.time_out();
            true
        })
    }

    fn waits(&mut self, context: &mut C, call: &Call<'_>) -> Option<bool> {
        self.routes.waits(context, call)
    }

    fn quiet(&self) -> &'static [&'static str] {
        self.routes.quiet()
    }

    fn mark(&mut self, mark: u8) {
        self.routes.mark(mark);
    }
}
