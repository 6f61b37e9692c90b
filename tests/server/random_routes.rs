//! The route that takes a message: the first one that fits, in blocking and in `async` lists, and in the view of a connection.
#![cfg(feature = "serde")]

use nanojsonrpc::server::route::{Call, Routes};
use nanojsonrpc::server::{AsyncRoutes, Event, Exchange, Registry, Replied, Reply, handler};
use nanojsonrpc::{Envelope, ErrorObject, Params, Router, Server, message::Str};
use proptest::prelude::*;
use proptest::sample::select;

use crate::cases::cases;

#[derive(Debug, Default, PartialEq)]
struct Log {
    /// The route that took the message.
    reached: Option<usize>,
    events: Vec<String>,
}

impl Log {
    fn reach(&mut self, index: usize) -> Result<usize, ErrorObject<'static>> {
        self.reached = Some(index);
        Ok(index)
    }

    fn observe(&mut self, event: Event<'_>) {
        self.events.push(format!("{event:?}"));
    }
}

/// Kind, name and whether the handler is `async` where it can be. The second and third routes are nested under a prefix.
const ROUTES: [(Kind, bool); 8] = [
    (Kind::Request, true),
    (Kind::Request, false),
    (Kind::Notification, true),
    (Kind::Request, true),
    (Kind::Request, false),
    (Kind::Notification, false),
    (Kind::Notification, true),
    (Kind::Response, false),
];
const FALLBACK: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Request,
    Notification,
    Response,
}

macro_rules! routes {
    ($names:ident, $prefix:ident, $registry:expr, $request:ident $notification:ident $($late:tt)?) => {{
        let listen = |index: usize| move |log: &mut Log| _ = log.reach(index);
        let inner = Router::new()
            .request($names[1], |log: &mut Log| log.reach(1))
            .$notification($names[2], $($late)? |log: &mut Log| _ = log.reach(2));
        Router::new()
            .$request($names[0], $($late)? |log: &mut Log| log.reach(0))
            .nest($prefix, inner)
            .$request($names[3], $($late)? |log: &mut Log| log.reach(3))
            .registry($registry)
            .notification($names[5], listen(5))
            .$notification($names[6], $($late)? |log: &mut Log| _ = log.reach(6))
            .response(|log: &mut Log, _: &Envelope<'_>| _ = log.reach(7))
    }};
}

/// Routes that keep what `waits` says about the message that they take.
struct Watched<R> {
    inner: Server<R>,
    waits: Option<bool>,
}

impl<R: AsyncRoutes<Log>> AsyncRoutes<Log> for Watched<R> {
    async fn route(&mut self, log: &mut Log, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        self.waits = self.inner.routes_mut().waits(log, call);
        self.inner.routes_mut().route(log, call, exchange).await
    }

    fn waits(&mut self, log: &mut Log, call: &Call<'_>) -> Option<bool> {
        self.inner.routes_mut().waits(log, call)
    }
}

/// Sends each message to both servers; the first route that fits takes it.
fn compare<R: Routes<Log>, S: AsyncRoutes<Log>>(
    (plain, late): (Router<Log, R>, Router<Log, S>),
    names: &[String; 8],
    messages: &[(Kind, &str)],
    fallback: Option<usize>,
) {
    let mut plain = Server::new(plain).observed_by(Log::observe);
    let late = Server::with_routes(Watched { inner: Server::new(late), waits: None });
    let mut late = late.observed_by(Log::observe);
    let mut outputs = ([0; 256], [0; 256]);
    for (kind, name) in messages {
        let text = match kind {
            Kind::Request => format!(r#"{{"jsonrpc":"2.0","method":"{name}","id":1}}"#),
            Kind::Notification => format!(r#"{{"jsonrpc":"2.0","method":"{name}"}}"#),
            Kind::Response => format!(r#"{{"jsonrpc":"2.0","result":1,"id":"{name}"}}"#),
        };
        // a response has no name
        let fits = |index: &usize| ROUTES[*index].0 == *kind && (*kind == Kind::Response || names[*index] == *name);
        let fallback = fallback.filter(|_| *kind == Kind::Request);
        let expected = (0..ROUTES.len()).find(fits).or(fallback);
        let (mut log, mut other) = (Log::default(), Log::default());
        let answer = plain.process(&mut log, text.as_bytes(), &mut outputs.0).answer();
        let late_answer =
            embassy_futures::block_on(late.process_async(&mut other, text.as_bytes(), &mut outputs.1)).answer();
        assert_eq!(answer, late_answer, "{text}");
        assert_eq!(log, other, "{text}");
        assert_eq!(
            (log.reached, log.events.len()),
            (expected, usize::from(expected.is_none() && *kind != Kind::Request)),
            "{text}"
        );
        let is_waiting = expected.is_some_and(|index| index == FALLBACK || ROUTES[index].1);
        assert_eq!(late.routes_mut().waits == Some(true), is_waiting, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(500), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_first_route_that_fits_decides(
        names in proptest::array::uniform8(select(&["a", "b", "a.a"][..])),
        prefix in select(&["", "a", "a."][..]),
        falls_back in any::<bool>(),
        messages in proptest::collection::vec((
            select(&[Kind::Request, Kind::Notification, Kind::Response][..]),
            prop_oneof![4 => select(&["a", "b", "a.a", "aa", "a.b", "nope"][..]), 1 => Just(LONG)],
        ), 1..12),
    ) {
        let (mut one, mut two) = (handler(|log: &mut Log| log.reach(4)), handler(|log: &mut Log| log.reach(4)));
        let (mut plain, mut late) = (Registry::<'_, Log, 1>::new(), Registry::<'_, Log, 1>::new());
        plain.request(names[4], &mut one).unwrap();
        late.request(names[4], &mut two).unwrap();
        let routes = (
            routes!(names, prefix, plain, request notification),
            routes!(names, prefix, late, request_async notification_async async),
        );
        let full: [String; 8] = core::array::from_fn(|index| {
            if matches!(index, 1 | 2) { format!("{prefix}{}", names[index]) } else { names[index].to_owned() }
        });
        if falls_back {
            let fall = |log: &mut Log, _: Str<'_>, _: Params<'_>, reply: Reply<'_>| {
                log.reached = Some(FALLBACK);
                reply.success(&FALLBACK)
            };
            let late = async |log: &mut Log, method: Str<'_>, params: Params<'_>, reply: Reply<'_>| -> Replied {
                fall(log, method, params, reply)
            };
            compare((routes.0.fallback(fall), routes.1.fallback_async(late)), &full, &messages, Some(FALLBACK));
        } else {
            compare(routes, &full, &messages, None);
        }
    }
}

const LONG: &str = "0123456789012345678901234567890123456789012345678901234567890123456789";
