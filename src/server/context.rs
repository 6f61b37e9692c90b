//! Routes with a context that differs from that of their router.

use super::route::{Call, Routes};
use super::{AsyncRoutes, Exchange};

/// Routes that own their context; see [`Router::owning`](super::Router::owning).
#[derive(Clone, Copy, Debug)]
pub struct Owning<C, R> {
    pub(super) context: C,
    pub(super) routes: R,
}

impl<C, R> Owning<C, R> {
    /// `routes` with their `context`.
    pub const fn new(context: C, routes: R) -> Self {
        Self { context, routes }
    }
}

impl<C, D, R: Routes<D>> Routes<C> for Owning<D, R> {
    const FALLS_BACK: bool = R::FALLS_BACK;
    const QUIET: &'static [&'static str] = R::QUIET;

    #[inline]
    fn route(&mut self, _: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        self.routes.route(&mut self.context, call, exchange)
    }

    fn mark(&mut self, mark: u8) {
        self.routes.mark(mark);
    }
}

impl<C, D, R: AsyncRoutes<D>> AsyncRoutes<C> for Owning<D, R> {
    const FALLS_BACK: bool = R::FALLS_BACK;

    async fn route(&mut self, _: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        self.routes.route(&mut self.context, call, exchange).await
    }

    fn waits(&mut self, _: &mut C, call: &Call<'_>) -> Option<bool> {
        self.routes.waits(&mut self.context, call)
    }

    fn quiet(&self) -> &'static [&'static str] {
        self.routes.quiet()
    }

    fn mark(&mut self, mark: u8) {
        self.routes.mark(mark);
    }
}
