//! Messages in the envelope of voice devices.

use super::value::Member as _;
use crate::json::{ObjectWriter, Output, RawValue, Writer};
use crate::message::sealed::Sealed;
use crate::message::{Dialect, Str, ToMessage};
use crate::server::route::Routes;
use crate::server::{Observer, Server};

/// A message in the envelope `{"session_id":…,"type":"mcp","payload":{…}}`, which a family of voice devices and their servers put around
/// each message, because the same socket also carries texts of other types.
///
/// [`of`](Self::of) unwraps without a copy. As a [`ToMessage`] it writes the envelope around its payload.
///
/// ```
/// use nanojsonrpc::mcp::{Enveloped, Schema, Service, ToolCall};
/// use nanojsonrpc::{Notification, RawValue, Writer};
///
/// let mut server = Service::new("lamp", "1.0.0")
///     .tool("on", "Switches on.", Schema::NO_ARGUMENTS, |_: &mut (), call: ToolCall<'_>| call.text("on"))
///     .lenient()
///     .server();
/// let text = br#"{"session_id":"9a","type":"mcp","payload":{"jsonrpc":"2.0","id":1,"method":"ping"}}"#;
/// let mut output = [0; 128];
/// let incoming = Enveloped::of(RawValue::parse(text)?).expect("a message");
/// assert!(incoming.session().is_some_and(|session| session == "9a"));
/// assert_eq!(
///     incoming.process(&mut server, &mut (), &mut output),
///     Some(&br#"{"session_id":"9a","type":"mcp","payload":{"jsonrpc":"2.0","result":{},"id":1}}"#[..])
/// );
///
/// let mut out = Writer::new(&mut output);
/// out.message(&Enveloped::new(Notification::new("notifications/state_changed")).with_session("9a"))?;
/// assert_eq!(
///     out.written(),
///     br#"{"session_id":"9a","type":"mcp","payload":{"jsonrpc":"2.0","method":"notifications/state_changed"}}"#
/// );
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// Source: the documentation of xiaozhi-esp32, `docs/mcp-protocol.md`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Enveloped<'a, M = RawValue<'a>> {
    session: Option<Str<'a>>,
    payload: M,
}

impl<'a> Enveloped<'a> {
    /// The message in `text`; `None` if `text` is not an object with the type `mcp` and a payload. The payload is valid JSON, but not
    /// checked as a message.
    pub fn of(text: RawValue<'a>) -> Option<Self> {
        let is_message = text.get("type")?.as_str_raw()? == "mcp";
        let payload = text.get("payload").filter(|_| is_message)?;
        let session = text.get("session_id").and_then(|session| session.as_str_raw()).map(Str::Raw);
        Some(Self { session, payload })
    }

    /// Lets `server` process the payload and returns its answer in an envelope of the same session.
    ///
    /// # Limits
    /// `output` must hold the envelope and the answer of [`Server::process`]. If the envelope does not fit, the payload is processed with
    /// an empty output, so no request reaches a handler.
    pub fn process<'o, S: Routes<C>, H: Observer<C>, C, O: Output + ?Sized>(
        &self,
        server: &mut Server<S, H>,
        context: &mut C,
        output: &'o mut O,
    ) -> Option<&'o [u8]> {
        let mut output = output.room();
        let size = output.len();
        let mut out = Writer::new(&mut output);
        self.put_head(&mut out);
        let head = if out.finish(0).is_ok() { out.len() } else { usize::MAX };
        // less the closing brace
        let mut place = output.reborrow().part(head, size.saturating_sub(1)).unwrap_or_default();
        let len = server.process(context, self.payload.as_bytes(), &mut place).answer()?.len();
        let end = head.checked_add(len)?;
        let output = output.bytes(0, end.wrapping_add(1));
        *output.get_mut(end)? = b'}';
        output.get(..=end)
    }
}

impl<'a, M> Enveloped<'a, M> {
    /// A message to be written in an envelope without a session.
    pub const fn new(payload: M) -> Self {
        Self { session: None, payload }
    }

    /// Names the session in the envelope.
    #[must_use]
    pub fn with_session(self, session: &'a str) -> Self {
        Self { session: Some(Str::Plain(session)), payload: self.payload }
    }

    /// The session that the envelope names.
    pub const fn session(&self) -> Option<Str<'a>> {
        self.session
    }

    /// The message.
    pub const fn payload(&self) -> &M {
        &self.payload
    }

    fn put_head(&self, out: &mut Writer<'_>) {
        out.put_byte(b'{');
        let mut envelope = ObjectWriter::over(out);
        self.session.write_to(&mut envelope, "session_id");
        envelope.member("type", "mcp");
        out.put_name("payload");
    }
}

impl<M: ToMessage> Sealed for Enveloped<'_, M> {
    fn put(&self, out: &mut Writer<'_>, dialect: Dialect) {
        self.put_head(out);
        self.payload.put(out, dialect);
        out.put_byte(b'}');
    }
}
