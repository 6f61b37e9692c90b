//! The message that the routes dispatch.

use super::Exchange;
use crate::json::{RawStr, RawValue, same};
use crate::message::{Dialect, Envelope, EnvelopeKind, Params, Str, member};

/// A message for dispatch: its kind, method, id and params.
///
/// ```
/// use nanojsonrpc::server::route::{Call, Routes};
/// use nanojsonrpc::{EnvelopeKind, Server, server::Exchange};
///
/// /// Routes that take no call.
/// struct Shown(Vec<String>);
///
/// impl Routes<()> for Shown {
///     const FALLS_BACK: bool = false;
///
///     fn route(&mut self, _: &mut (), call: &Call<'_>, _: &mut Exchange<'_, '_>) -> bool {
///         assert_eq!(call.kind(), EnvelopeKind::Request);
///         let id = call.id().map(|id| id.to_string()).unwrap_or_default();
///         let params = call.params().raw().map(|params| params.to_string()).unwrap_or_default();
///         self.0.push(format!("{} {} {}", call.method(), id, params));
///         false
///     }
/// }
///
/// let mut server = Server::with_routes(Shown(Vec::new()));
/// server.process(&mut (), br#"{"jsonrpc":"2.0","method":"led","params":[true],"id":1.50}"#, &mut [0; 128]);
/// assert_eq!(server.routes_mut().0, ["led 1.50 [true]"]);
/// ```
#[derive(Clone, Debug)]
pub struct Call<'a> {
    pub(super) stage: Stage,
    method: Method<'a>,
    /// As spelled in the text; empty if there is none.
    id: &'a [u8],
    pub(super) params: Option<RawValue<'a>>,
    /// The text with the message; empty for a call that the program has read itself.
    text: &'a [u8],
    /// The offset of the message in `text`, or of what separates it from the last one.
    start: usize,
    /// Whether a function without params ignores all members.
    is_extensible: bool,
}

/// [`Str`] without `Payload`, because no method is the fault of a payload. With serde 8 bytes shorter.
#[derive(Clone, Copy, Debug)]
enum Method<'a> {
    Raw(RawStr<'a>),
    Plain(&'a str),
}

/// The kind of the message, and of the handler that can take it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
// a whole register, as for `EnvelopeKind`
#[repr(u32)]
pub(super) enum Stage {
    Request,
    Notification,
    Success,
    Error,
    RequestFallback,
    NotificationFallback,
}

impl<'a> Call<'a> {
    pub(super) fn of(envelope: &Envelope<'a>) -> Self {
        let stage = match envelope.kind() {
            EnvelopeKind::Request => Stage::Request,
            EnvelopeKind::Notification => Stage::Notification,
            EnvelopeKind::Success => Stage::Success,
            EnvelopeKind::Error | EnvelopeKind::Batch => Stage::Error,
        };
        Self {
            stage,
            method: Method::Raw(envelope.method()),
            id: envelope.id_text(),
            params: envelope.params(),
            text: envelope.text(),
            start: envelope.start(),
            is_extensible: envelope.has_object_params(),
        }
    }

    /// A call that the program has read itself; `id` is its id as JSON, empty if there is none.
    pub(super) const fn new(
        stage: Stage,
        method: &'a str,
        id: &'a [u8],
        params: Option<RawValue<'a>>,
        dialect: Dialect,
    ) -> Self {
        Self {
            stage,
            method: Method::Plain(method),
            id,
            params,
            text: &[],
            start: 0,
            is_extensible: dialect.has_object_params(),
        }
    }

    /// The kind of the message: never [`EnvelopeKind::Batch`], because each element of a batch is a call of its own.
    pub const fn kind(&self) -> EnvelopeKind {
        match self.stage {
            Stage::Request | Stage::RequestFallback => EnvelopeKind::Request,
            Stage::Notification | Stage::NotificationFallback => EnvelopeKind::Notification,
            Stage::Success => EnvelopeKind::Success,
            Stage::Error => EnvelopeKind::Error,
        }
    }

    /// The id as spelled in the message; `None` if there is none. Also `None` for a request that is part of another message, such as a
    /// question of an MCP server in a result.
    pub fn id(&self) -> Option<RawValue<'a>> {
        if self.id.is_empty() { None } else { Some(RawValue::alone_in(self.id)) }
    }

    /// Returns the call without `prefix` in its method, for nested routes; `None` if the method does not begin with it.
    pub(super) fn strip_prefix(&self, prefix: &str) -> Option<Self> {
        // a response has no method
        if self.is_response() {
            return Some(self.clone());
        }
        let method = match self.method {
            Method::Raw(raw) => raw.strip_prefix(prefix).map(Method::Raw),
            Method::Plain(text) => text.strip_prefix(prefix).map(Method::Plain),
        };
        Some(Self { method: method?, ..self.clone() })
    }

    /// The method; empty for a response. In nested routes, without their prefix.
    pub const fn method(&self) -> Str<'a> {
        match self.method {
            Method::Raw(raw) => Str::Raw(raw),
            Method::Plain(text) => Str::Plain(text),
        }
    }

    /// Another member of the message, such as `src` or `auth` of some devices: for a [`Layer`](super::Layer), before the routes. `None` if it has
    /// no member `name`, and for a message that the program has read itself. Walks over the message.
    ///
    /// ```
    /// use nanojsonrpc::server::{Layer, route::Call};
    /// use nanojsonrpc::{ErrorObject, Router, Server};
    ///
    /// /// Refuses calls without a user name.
    /// struct Guard;
    ///
    /// impl<C> Layer<C> for Guard {
    ///     fn before(&mut self, _: &mut C, call: &Call<'_>) -> Result<(), ErrorObject<'static>> {
    ///         let user = call.get("auth").and_then(|auth| auth.get("username"));
    ///         if user.is_some() { Ok(()) } else { Err(ErrorObject::new(401, "who are you?")) }
    ///     }
    /// }
    ///
    /// let mut server = Server::new(Router::new().request("on", |_: &mut ()| Ok(true))).with_layer(Guard);
    /// let call = br#"{"jsonrpc":"2.0","id":1,"method":"on","auth":{"username":"admin"}}"#;
    /// assert_eq!(server.process(&mut (), call, &mut [0; 96]).code(), None);
    /// let unknown = br#"{"jsonrpc":"2.0","id":1,"method":"on"}"#;
    /// assert_eq!(server.process(&mut (), unknown, &mut [0; 96]).code().map(|code| code.0), Some(401));
    /// ```
    pub fn get(&self, name: &str) -> Option<RawValue<'a>> {
        member(self.text, self.start, name)
    }

    /// Switches to the fallbacks after no route has matched the method. Returns `false` if messages of this kind have no fallbacks.
    pub(super) fn fall_back(&mut self) -> bool {
        self.stage = match self.stage {
            Stage::Request => Stage::RequestFallback,
            Stage::Notification => Stage::NotificationFallback,
            _ => return false,
        };
        true
    }

    /// Whether this is a request for the method `name`.
    pub fn requests(&self, name: &str) -> bool {
        self.matches(Stage::Request, name)
    }

    /// Whether this is the notification `name`.
    ///
    /// ```
    /// use nanojsonrpc::server::Exchange;
    /// use nanojsonrpc::server::route::{Call, Routes};
    ///
    /// /// Routes without a router.
    /// struct Blinker;
    ///
    /// impl Routes<u32> for Blinker {
    ///     fn route(&mut self, blinks: &mut u32, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
    ///         if call.notifies("blink") {
    ///             *blinks += 1;
    ///         }
    ///         call.notifies("blink")
    ///     }
    /// }
    /// ```
    pub fn notifies(&self, name: &str) -> bool {
        self.matches(Stage::Notification, name)
    }

    /// The params, without a scratch buffer for strings with escapes.
    // separate from `requests`, because returning both in one value links `memcpy`
    pub fn params(&self) -> Params<'a> {
        Params::of(self.params, self.is_extensible)
    }

    /// The params of a notification. Strings with escapes are decoded into the output, which is free while the listener runs.
    pub(super) fn params_in<'p>(&self, exchange: &'p mut Exchange<'_, '_>) -> Params<'p>
    where
        'a: 'p,
    {
        self.params().lend(exchange.scratch(self.params))
    }

    /// Whether this is a request.
    pub(super) const fn is_request(&self) -> bool {
        matches!(self.stage, Stage::Request | Stage::RequestFallback)
    }

    /// Whether this is a response.
    pub(super) const fn is_response(&self) -> bool {
        matches!(self.stage, Stage::Success | Stage::Error)
    }

    #[inline(never)]
    pub(super) fn matches(&self, stage: Stage, name: &str) -> bool {
        let is_called = match self.method {
            Method::Raw(raw) => raw == *name,
            Method::Plain(text) => same(text.as_bytes(), name.as_bytes()),
        };
        is_called && self.stage == stage
    }
}
