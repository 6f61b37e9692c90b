//! A table of `async` handlers.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc::{ErrorObject, ToJson};
use serde::de::DeserializeOwned;

use crate::{Request, Response};

/// The future of one call.
pub type Answering = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

type Handler<C> = Arc<dyn Fn(C, Request) -> Answering + Send + Sync>;

/// Methods with `async` handlers, which run at the same time: a [`tower::Service`] of calls. Each call gets a clone of the context `C`,
/// such as an `Arc` of the state of the program.
///
/// ```
/// use std::sync::Arc;
///
/// use nanojsonrpc_tokio::{Client, Methods, Options, connect};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let methods = Methods::new(Arc::new(40))
///     .request("add", async |base: Arc<i64>, (number,): (i64,)| Ok(*base + number))
///     .notification("log", async |_, (text,): (String,)| println!("{text}"));
/// let (near, far) = tokio::io::duplex(1024);
/// let _server = connect(far, methods, Options::new());
/// let client = Client::over(near);
/// assert_eq!(client.call::<i64>("add", &[2]).await?, 42);
/// # Ok::<(), nanojsonrpc_tokio::CallError>(()) }).unwrap();
/// ```
///
/// Clones share the table.
pub struct Methods<C> {
    context: C,
    table: Arc<Table<C>>,
}

struct Table<C> {
    requests: HashMap<String, Handler<C>>,
    notifications: HashMap<String, Handler<C>>,
    fallback: Option<Handler<C>>,
}

impl<C> Clone for Table<C> {
    fn clone(&self) -> Self {
        Self {
            requests: self.requests.clone(),
            notifications: self.notifications.clone(),
            fallback: self.fallback.clone(),
        }
    }
}

impl<C: Clone> Clone for Methods<C> {
    fn clone(&self) -> Self {
        Self { context: self.context.clone(), table: Arc::clone(&self.table) }
    }
}

impl<C: Clone + Send + 'static> Methods<C> {
    /// No methods yet.
    pub fn new(context: C) -> Self {
        let table = Table { requests: HashMap::new(), notifications: HashMap::new(), fallback: None };
        Self { context, table: Arc::new(table) }
    }

    /// The same methods with another context, for the clients of one connection, say.
    #[must_use]
    pub fn with_context(&self, context: C) -> Self {
        Self { context, table: Arc::clone(&self.table) }
    }

    /// Answers requests for `method`. The params are read into `P`; if they do not fit, the answer is -32602.
    #[must_use]
    pub fn request<P, T, F, Fut>(self, method: impl Into<String>, handler: F) -> Self
    where
        P: DeserializeOwned + Send + 'static,
        T: ToJson + Send + 'static,
        F: Fn(C, P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, ErrorObject<'static>>> + Send + 'static,
    {
        self.request_fallible(method, handler)
    }

    /// [`request`](Self::request) for a handler with its own type of error.
    #[must_use]
    pub fn request_fallible<P, T, E, F, Fut>(self, method: impl Into<String>, handler: F) -> Self
    where
        P: DeserializeOwned + Send + 'static,
        T: ToJson + Send + 'static,
        E: Into<OwnedErrorObject>,
        F: Fn(C, P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
    {
        self.raw(method, move |context, request| {
            let called = request.params().map(|params| handler(context, params));
            async {
                match called {
                    Ok(answer) => Response::of(answer.await),
                    Err(error) => Response::invalid_params(error),
                }
            }
        })
    }

    /// Answers requests for `method` with a handler that sees the whole call: its params as text, its sender.
    #[must_use]
    pub fn raw<F, Fut>(mut self, method: impl Into<String>, handler: F) -> Self
    where
        F: Fn(C, Request) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Response> + Send + 'static,
    {
        self.set(|table| _ = table.requests.insert(method.into(), boxed(handler)));
        self
    }

    /// Calls `listener` with the notifications of `method`. Params that do not fit `P` are logged.
    #[must_use]
    pub fn notification<P, F, Fut>(mut self, method: impl Into<String>, listener: F) -> Self
    where
        P: DeserializeOwned + Send + 'static,
        F: Fn(C, P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let handler = boxed(move |context, request: Request| {
            let called = request.params().map(|params| listener(context, params));
            async {
                match called {
                    Ok(listening) => {
                        listening.await;
                        Response::result(())
                    }
                    Err(error) => Response::invalid_params(error),
                }
            }
        });
        self.set(|table| _ = table.notifications.insert(method.into(), handler));
        self
    }

    /// Handles all other requests and notifications, such as those that a gateway passes on.
    #[must_use]
    pub fn fallback<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(C, Request) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Response> + Send + 'static,
    {
        self.set(|table| table.fallback = Some(boxed(handler)));
        self
    }

    fn set(&mut self, change: impl FnOnce(&mut Table<C>)) {
        change(Arc::make_mut(&mut self.table));
    }
}

fn boxed<C, F, Fut>(handler: F) -> Handler<C>
where
    F: Fn(C, Request) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Response> + Send + 'static,
{
    Arc::new(move |context, request| {
        let answer = handler(context, request);
        Box::pin(async { Ok(answer.await) })
    })
}

impl<C: Clone + Send + 'static> tower::Service<Request> for Methods<C> {
    type Response = Response;
    type Error = Infallible;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Answering {
        let method = request.method();
        let table = if request.is_notification() { &self.table.notifications } else { &self.table.requests };
        let found = match method.as_str() {
            Some(method) => table.get(method),
            None => table.get(&method.to_string()),
        };
        match found.or(self.table.fallback.as_ref()) {
            Some(handler) => handler(self.context.clone(), request),
            None => Box::pin(async { Ok(Response::error(ErrorObject::METHOD_NOT_FOUND)) }),
        }
    }
}
