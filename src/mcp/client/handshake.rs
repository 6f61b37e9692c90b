//! The handshake, which finds a common revision: `server/discover` first, and `initialize` if that fails.

use super::call::put_head;
use super::identity::put_end;
use super::incoming::{ConnectError, Connected, Incoming, Verdict, error_object, member};
use super::{Call, Client};
use crate::client::Sent;
use crate::error::Error;
use crate::json::{ObjectWriter, RawValue, Writer};
use crate::mcp::value::write_text;
use crate::mcp::{Revision, method};
use crate::message::ErrorCode;

/// The progress of the handshake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) enum Phase {
    Idle,
    /// `server/discover` was sent.
    Discovering(Sent),
    /// It was sent again, because the server listed its revision as supported when it refused it.
    Insisting(Sent),
    /// `initialize` was sent.
    Initializing(Sent),
    Connected(Revision),
}

impl<T, const N: usize> Client<T, N> {
    /// Appends the first message to the server: `server/discover`, or `initialize` if the client [uses](Self::revision) only a revision
    /// with sessions. [`receive`](Self::receive) continues. Calls in flight stay in flight: [`drain`](Self::drain) them for a new stream.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull): no part is written.
    pub fn connect(&mut self, out: &mut Writer<'_>) -> Result<(), Error> {
        match self.wanted {
            Some(revision) if !revision.is_stateless() => self.initialize(revision, out),
            _ => self.discover(out),
        }
    }

    /// Appends `initialize`, if the handshake waits for the answer to `server/discover`: call this if the answer does not arrive in time.
    /// Returns whether `initialize` was appended. "If no response arrives within a reasonable time, [...] fall back" (2026-07-28,
    /// Versioning). A client that [uses](Self::revision) only 2026-07-28 does not fall back.
    ///
    /// ```
    /// use nanojsonrpc::mcp::Revision;
    /// use nanojsonrpc::mcp::client::{Call, Client, ConnectError, Incoming};
    /// use nanojsonrpc::mcp::types::{Implementation, LoggingLevel};
    /// use nanojsonrpc::message::Str;
    /// use nanojsonrpc::{RawValue, Writer};
    ///
    /// static ME: Implementation = Implementation::new(Str::Plain("me"), Str::Plain("1.0.0"));
    /// let mut client: Client<(), 2> = Client::new("me", "1.0.0").implementation(&ME).log_level(LoggingLevel::Error);
    /// let mut buffer = [0; 1024];
    /// let mut out = Writer::new(&mut buffer);
    /// client.connect(&mut out)?;
    /// // no answer in time: a server of an older revision
    /// assert!(client.fall_back(&mut out)?);
    /// let answer = br#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}}"#;
    /// let server = match client.receive(answer, &mut out) {
    ///     Incoming::Connected(server) => server,
    ///     Incoming::NotConnected(ConnectError::Peer(error)) => panic!("refused: {error:?}"),
    ///     _ => panic!("another message"),
    /// };
    /// assert!(server.capabilities()?.tools.is_some());
    /// assert_eq!(client.negotiated(), Some(Revision::V2025_11_25));
    ///
    /// client.send(&Call::page("tools/list", None), (), &mut out)?;
    /// assert_eq!(client.in_flight().count(), 1);
    /// let page = RawValue::parse(br#"{"tools":[],"nextCursor":"2"}"#)?;
    /// let cursor = client.next_cursor(page)?.unwrap();
    /// assert!(!client.pages().repeats(cursor));
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull): no part is written.
    pub fn fall_back(&mut self, out: &mut Writer<'_>) -> Result<bool, Error> {
        let falls_back = self.is_discovering() && self.wanted.is_none();
        if falls_back {
            self.initialize(Revision::LATEST_SESSION, out)?;
        }
        Ok(falls_back)
    }

    #[inline(never)]
    fn discover(&mut self, out: &mut Writer<'_>) -> Result<(), Error> {
        let (before, id) = (out.len(), self.pending.take_number());
        Call::new(method::SERVER_DISCOVER).open(out)?;
        self.identity.close(Some(Revision::LATEST), id, None, out);
        out.finish(before)?;
        self.phase = Phase::Discovering(Sent::written(id, before, out));
        Ok(())
    }

    #[inline(never)]
    fn initialize(&mut self, revision: Revision, out: &mut Writer<'_>) -> Result<(), Error> {
        let (before, id) = (out.len(), self.pending.take_number());
        put_head(method::INITIALIZE, out);
        out.put(b",\"params\":{");
        let mut params = ObjectWriter::over(out);
        write_text(&mut params, "protocolVersion", revision.as_str());
        params.member_with("capabilities", |out| self.identity.write_capabilities(out));
        params.member("clientInfo", &self.identity);
        out.put_byte(b'}');
        put_end(id, out);
        out.finish(before)?;
        self.phase = Phase::Initializing(Sent::written(id, before, out));
        Ok(())
    }

    /// The message of the handshake whose answer is awaited.
    pub(super) const fn greeting(&self) -> Option<&Sent> {
        match &self.phase {
            Phase::Discovering(sent) | Phase::Insisting(sent) | Phase::Initializing(sent) => Some(sent),
            Phase::Idle | Phase::Connected(_) => None,
        }
    }

    /// Continues after the answer to a message of the handshake. Appends the next message to `out`.
    #[inline(never)]
    pub(super) fn proceed<'a>(
        &mut self,
        verdict: Verdict<'a>,
        text: &'a [u8],
        out: &mut Writer<'_>,
    ) -> Incoming<'a, T> {
        let found = match verdict {
            Verdict::Result(result) if self.is_discovering() => discovered(result),
            Verdict::Result(result) => self.initialized(result, out),
            Verdict::Error(error) if self.is_worth_a_repetition(error) => {
                if let Err(full) = self.discover(out) {
                    self.phase = Phase::Idle;
                    return Incoming::NotConnected(ConnectError::Refused(full, text));
                }
                if let Phase::Discovering(sent) = self.phase {
                    self.phase = Phase::Insisting(sent);
                }
                return Incoming::ToSend;
            }
            Verdict::Error(_) => Err(None),
            Verdict::Refused(error) => Err(Some(error)),
        };
        let problem = match found {
            Ok(revision) => {
                self.phase = Phase::Connected(revision);
                let result = if let Verdict::Result(result) = verdict { result } else { RawValue::NULL };
                return Incoming::Connected(Connected { revision, result, is_lenient: self.is_lenient });
            }
            Err(problem) => problem,
        };
        let problem = match self.fall_back(out) {
            Ok(true) => return Incoming::ToSend,
            Ok(false) => problem,
            Err(full) => Some(full),
        };
        self.phase = Phase::Idle;
        Incoming::NotConnected(match (problem, verdict) {
            (Some(error), _) | (None, Verdict::Refused(error)) => ConnectError::Refused(error, text),
            (None, Verdict::Error(error)) => ConnectError::Peer(error_object(error)),
            (None, Verdict::Result(result)) => ConnectError::Unsupported(supported(result)),
        })
    }

    const fn is_discovering(&self) -> bool {
        matches!(self.phase, Phase::Discovering(_) | Phase::Insisting(_))
    }

    /// Whether `error` refuses the first `server/discover`, but lists its revision: "Use one of the versions in its advertised `supported`
    /// list" (2026-07-28, Versioning).
    fn is_worth_a_repetition(&self, error: RawValue<'_>) -> bool {
        let code = error.get("code").and_then(RawValue::as_i64);
        let is_refusal = code == Some(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION.0);
        let supported = error.get("data").and_then(|data| data.get("supported"));
        matches!(self.phase, Phase::Discovering(_)) && is_refusal && supported.is_some_and(lists_latest)
    }

    fn initialized(&self, result: RawValue<'_>, out: &mut Writer<'_>) -> Result<Revision, Option<Error>> {
        let version = member(result, "protocolVersion")?.as_str_raw().unwrap_or_default();
        let revision = Revision::negotiate(version);
        if version != *revision.as_str() || self.wanted.is_some_and(|wanted| wanted != revision) {
            return Err(None);
        }
        let before = out.len();
        put_head(method::INITIALIZED, out);
        out.put_byte(b'}');
        out.finish(before)?;
        Ok(revision)
    }
}

/// The common revision, if there is one.
fn discovered(result: RawValue<'_>) -> Result<Revision, Option<Error>> {
    let versions = member(result, "supportedVersions")?;
    if lists_latest(versions) { Ok(Revision::LATEST) } else { Err(None) }
}

/// Whether the array of revisions has the one of `server/discover`.
fn lists_latest(revisions: RawValue<'_>) -> bool {
    let is_latest =
        |version: RawValue<'_>| version.as_str_raw().is_some_and(|version| version == *Revision::LATEST.as_str());
    revisions.elements().any(is_latest)
}

/// The revisions of a server.
pub(super) fn supported(result: RawValue<'_>) -> RawValue<'_> {
    result.get("protocolVersion").or_else(|| result.get("supportedVersions")).unwrap_or(result)
}
