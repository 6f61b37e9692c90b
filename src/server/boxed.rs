//! Routes with a name and boxed futures, for tasks that may move to another thread.

use alloc::boxed::Box;
use core::fmt;
use core::pin::Pin;

use super::route::Call;
use super::{AsyncRoutes, Exchange, Router};

/// The future of one call in [`BoxedRoutes`].
type Routing<'r> = Pin<Box<dyn Future<Output = bool> + Send + 'r>>;

/// The function that boxes the future of [`AsyncRoutes::route`], where the compiler knows the type of the routes and so whether this future
/// is `Send`; see [`Router::boxed`].
pub type RouteFn<R, C> =
    for<'r, 'c, 'i, 'o> fn(&'r mut R, &'r mut C, &'r Call<'c>, &'r mut Exchange<'i, 'o>) -> Routing<'r>;

/// Routes of any type for the context `C`, which [`Router::boxed`] makes. A server with such routes has a name, is `Clone`, `Send` and
/// `Sync`, and its futures are `Send`.
///
/// # Limits
/// Each call allocates one box for the future of its handler, and each clone of the routes another one.
pub struct BoxedRoutes<C>(Box<dyn Erased<C>>);

/// [`AsyncRoutes`] as a trait object.
trait Erased<C>: Send + Sync {
    fn route<'r>(
        &'r mut self,
        context: &'r mut C,
        call: &'r Call<'_>,
        exchange: &'r mut Exchange<'_, '_>,
    ) -> Routing<'r>;

    fn waits(&mut self, context: &mut C, call: &Call<'_>) -> Option<bool>;

    fn quiet(&self) -> &'static [&'static str];

    fn mark(&mut self, mark: u8);

    fn boxed_clone(&self) -> Box<dyn Erased<C>>;
}

struct Known<R, C> {
    routes: R,
    route: RouteFn<R, C>,
}

impl<C: 'static, R: AsyncRoutes<C> + Clone + Send + Sync + 'static> Erased<C> for Known<R, C> {
    fn route<'r>(
        &'r mut self,
        context: &'r mut C,
        call: &'r Call<'_>,
        exchange: &'r mut Exchange<'_, '_>,
    ) -> Routing<'r> {
        (self.route)(&mut self.routes, context, call, exchange)
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

    fn boxed_clone(&self) -> Box<dyn Erased<C>> {
        Box::new(Self { routes: self.routes.clone(), route: self.route })
    }
}

impl<C> AsyncRoutes<C> for BoxedRoutes<C> {
    async fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        self.0.route(context, call, exchange).await
    }

    fn waits(&mut self, context: &mut C, call: &Call<'_>) -> Option<bool> {
        self.0.waits(context, call)
    }

    fn quiet(&self) -> &'static [&'static str] {
        self.0.quiet()
    }

    fn mark(&mut self, mark: u8) {
        self.0.mark(mark);
    }
}

impl<C> Clone for BoxedRoutes<C> {
    fn clone(&self) -> Self {
        Self(self.0.boxed_clone())
    }
}

impl<C> fmt::Debug for BoxedRoutes<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BoxedRoutes")
    }
}

#[cfg(feature = "defmt")]
impl<C> defmt::Format for BoxedRoutes<C> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "BoxedRoutes");
    }
}

impl<C: 'static, R: AsyncRoutes<C> + Clone + Send + Sync + 'static> Router<C, R> {
    /// Gives routes with `async` handlers a type with a name, so that a function can return them and a task can serve them;
    /// [`route`](super::route#spawning) explains why. `route` is always the closure of this example: it is compiled where the type of the
    /// routes is known, so an error there names a handler whose future is not `Send`.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use std::sync::Arc;
    ///
    /// use nanojsonrpc::server::{AsyncRoutes, BoxedRoutes};
    /// use nanojsonrpc::{Router, Server};
    ///
    /// struct Board {
    ///     volts: u32,
    /// }
    ///
    /// fn server() -> Server<BoxedRoutes<Arc<Board>>> {
    ///     let router = Router::new().request_async("measure", async |board: &mut Arc<Board>, (channel,): (u32,)| {
    ///         tokio::task::yield_now().await;
    ///         Ok(board.volts + channel)
    ///     });
    ///     Server::new(router.boxed(|routes, board, call, exchange| Box::pin(routes.route(board, call, exchange))))
    /// }
    ///
    /// # tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap().block_on(async {
    /// let mut board = Arc::new(Board { volts: 12 });
    /// let task = tokio::spawn(async move {
    ///     let text = br#"{"jsonrpc":"2.0","method":"measure","params":[3],"id":1}"#;
    ///     server().process_async(&mut board, text, &mut [0; 96]).await.answer().map(<[u8]>::to_vec)
    /// });
    /// assert_eq!(task.await.unwrap().unwrap(), br#"{"jsonrpc":"2.0","result":15,"id":1}"#);
    /// # });
    /// # }
    /// ```
    pub fn boxed(self, route: RouteFn<R, C>) -> Router<C, BoxedRoutes<C>> {
        Router::of(BoxedRoutes(Box::new(Known { routes: self.routes, route })), self.is_for_requests)
    }
}
