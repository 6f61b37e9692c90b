//! Servers of the core as services of calls.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::FutureExt as _;
use nanojsonrpc::server::route::Routes;
use nanojsonrpc::server::{BoxedRoutes, Observer, Processed, Unobserved};
use nanojsonrpc::{ErrorObject, Growing, Server};

use crate::codec::MAX_LEN;
use crate::methods::Answering;
use crate::{Request, Response};

/// A server of the core with blocking handlers: a router, a `#[service]` or an MCP service, with its context. Its handlers run where the
/// connection is read, so they must be quick; each connection has a clone of the server and of the context.
///
/// ```
/// use nanojsonrpc::{Router, Server};
/// use nanojsonrpc_tokio::{Client, Options, Served, connect};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let server = Server::new(Router::new().request("level", |level: &mut u8| Ok(*level)));
/// let (near, far) = tokio::io::duplex(1024);
/// let _server = connect(far, Served::new(server, 7), Options::new());
/// assert_eq!(Client::over(near).call::<u8>("level", &()).await?, 7);
/// # Ok::<(), nanojsonrpc_tokio::CallError>(()) }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Served<C, R, H = Unobserved> {
    server: Server<R, H>,
    context: C,
}

impl<C, R: Routes<C>, H: Observer<C>> Served<C, R, H> {
    /// `server` with the context of its handlers.
    pub const fn new(server: Server<R, H>, context: C) -> Self {
        Self { server, context }
    }
}

/// A server of the core with `async` handlers, whose routes are [boxed](nanojsonrpc::Router::boxed), with its context. Each call of an
/// `async` handler runs with a clone of both; the others run where the connection is read, as those of [`Served`].
#[derive(Clone, Debug)]
pub struct ServedAsync<C, H = Unobserved> {
    server: Server<BoxedRoutes<C>, H>,
    context: C,
}

impl<C, H: Observer<C>> ServedAsync<C, H> {
    /// `server` with the context of its handlers.
    pub const fn new(server: Server<BoxedRoutes<C>, H>, context: C) -> Self {
        Self { server, context }
    }
}

fn response(processed: Processed<'_>) -> Response {
    Response::whole(processed.answer().map(Bytes::copy_from_slice).unwrap_or_default(), processed.code())
}

impl<C, R: Routes<C>, H: Observer<C>> tower::Service<Request> for Served<C, R, H> {
    type Response = Response;
    type Error = Infallible;
    type Future = Ready<Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let mut output = Growing::new(MAX_LEN);
        ready(Ok(response(self.server.process(&mut self.context, &request.text(), &mut output))))
    }
}

impl<C, H> tower::Service<Request> for ServedAsync<C, H>
where
    C: Clone + Send + 'static,
    H: Observer<C> + Clone + Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Answering {
        let (text, mut output) = (request.text(), Growing::new(MAX_LEN));
        if self.server.waits(&mut self.context, &request.message().envelope()) != Some(true) {
            let processed = self.server.process_async(&mut self.context, &text, &mut output).now_or_never();
            let answer = processed.map_or_else(|| Response::error(ErrorObject::INTERNAL_ERROR), response);
            return Box::pin(ready(Ok(answer)));
        }
        let (mut server, mut context) = (self.server.clone(), self.context.clone());
        Box::pin(async move { Ok(response(server.process_async(&mut context, &text, &mut output).await)) })
    }
}
