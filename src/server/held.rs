//! Messages that the program has read itself.

use super::route::{Call, Routes, Stage};
use super::{Event, Exchange, Observer, Processed, Server};
use crate::json::{Aside, Output, Room};
use crate::message::{Notification, Request};

impl<R, H> Server<R, H> {
    /// Answers a request that the program has read itself. Writes the answer to `output`.
    ///
    /// ```
    /// use nanojsonrpc::{Request, Router, Server};
    ///
    /// let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong"))).ignoring_unreadable();
    /// let (request, mut output): (Request, _) = (Request::new(1, "ping"), [0; 96]);
    /// assert_eq!(server.handle(&mut (), &request, &mut output).answer(), Some(&br#"{"jsonrpc":"2.0","result":"pong","id":1}"#[..]));
    /// // unreadable texts get no answer here
    /// assert_eq!(server.process(&mut (), b"{", &mut output).answer(), None);
    /// ```
    ///
    /// # Limits
    /// As [`Exchange`], but the output needs room for the id twice.
    pub fn handle<'o, C, O: Output + ?Sized, const ID: usize, const METHOD: usize>(
        &mut self,
        context: &mut C,
        request: &Request<'_, ID, METHOD>,
        output: &'o mut O,
    ) -> Processed<'o>
    where
        R: Routes<C>,
        H: Observer<C>,
    {
        let mut aside = Aside::default();
        let Some((output, id)) = request.id.at_end_of(output.room(), &mut aside) else {
            self.observer.observe(context, Event::NoRoom);
            return Processed::unread(None, None, true);
        };
        let mut exchange = Exchange::of(&[], output, &self.dialect);
        if exchange.open(id) {
            self.route(
                context,
                Call::new(Stage::Request, &request.method, id, request.params, self.dialect),
                &mut exchange,
            );
        }
        self.end(context, &mut exchange)
    }

    /// Calls the listener of a notification that the program has read itself. The listener has no scratch buffer: it can read strings with
    /// an escape only into owned types.
    pub fn notify<C, const METHOD: usize>(&mut self, context: &mut C, notification: &Notification<'_, METHOD>)
    where
        R: Routes<C>,
        H: Observer<C>,
    {
        let mut exchange = Exchange::of(&[], Room::default(), &self.dialect);
        let call = Call::new(Stage::Notification, &notification.method, &[], notification.params, self.dialect);
        self.route(context, call, &mut exchange);
    }
}
