//! The choice of scopes.

use super::url::{bytes, written};
use super::{AuthorizationServer, Challenge, ProtectedResource};
use crate::ascii::split_once;
use crate::error::{Error, ErrorKind};
use crate::json::Writer;
use crate::message::Str;

/// The scope that requests a refresh token.
const OFFLINE: &str = "offline_access";

/// Writes the scopes of the first authorization to the front of `out`: those of the challenge, or else all `scopes_supported` of the server;
/// `None` if neither exists. If the client `refreshes` tokens, `offline_access` is added if the authorization server knows it.
///
/// ```
/// use nanojsonrpc::mcp::authorization::{AuthorizationServer, Challenge, ProtectedResource, select_scope};
///
/// let resource = ProtectedResource::read(br#"{"resource":"https://a.example","scopes_supported":["read","write"]}"#)?;
/// let server = AuthorizationServer::read(br#"{"issuer":"https://b.example","token_endpoint":"https://b.example/token",
///     "scopes_supported":["read","write","offline_access"]}"#)?;
/// let mut out = [0; 64];
/// let challenge = Challenge::read(b"Bearer scope=read").unwrap_or_default();
/// assert_eq!(select_scope(&challenge, &resource, &server, false, &mut out)?, Some("read"));
/// let silent = Challenge::default();
/// assert_eq!(select_scope(&silent, &resource, &server, true, &mut out)?, Some("read write offline_access"));
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// # Errors
/// [`OutputFull`](ErrorKind::OutputFull) if `out` is too short; [`InvalidValue`](ErrorKind::InvalidValue) if a scope has a byte that scopes do not
/// have (RFC 6749 §3.3).
///
/// Source: 2026-07-28, Scope Selection Strategy, Refresh Tokens.
pub fn select_scope<'o>(
    challenge: &Challenge<'_>,
    resource: &ProtectedResource<'_>,
    server: &AuthorizationServer<'_>,
    refreshes: bool,
    out: &'o mut [u8],
) -> Result<Option<&'o str>, Error> {
    let mut out = Writer::new(out);
    match (challenge.scope, resource.scopes_supported()) {
        (Some(scope), _) => add_all(&mut out, 0, scope),
        (None, Some(scopes)) => scopes.for_each(|scope| add(&mut out, 0, Str::Raw(scope))),
        (None, None) => {}
    }
    let is_offered = || server.scopes_supported().is_some_and(|mut scopes| scopes.any(|scope| scope == *OFFLINE));
    if refreshes && is_offered() {
        add(&mut out, 0, Str::Plain(OFFLINE));
    }
    let scope = written(out)?;
    Ok(Some(scope).filter(|scope| !scope.is_empty()))
}

/// Counts the attempts to get more scopes for one operation. The client keeps it until the operation succeeds.
///
/// ```
/// use nanojsonrpc::mcp::authorization::{Challenge, StepUp};
///
/// let challenge = Challenge::read(br#"Bearer error="insufficient_scope", scope="write""#).unwrap_or_default();
/// let (mut step_up, mut out) = (StepUp::new(), [0; 64]);
/// // the scopes that the client has requested so far stay
/// assert_eq!(step_up.next(&challenge, "read", &mut out)?, Some("read write"));
/// assert_eq!(step_up.next(&challenge, "read write", &mut out)?, Some("read write"));
/// // the operation has failed
/// assert_eq!(step_up.next(&challenge, "read write", &mut out)?, None);
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// Source: 2026-07-28, Step-Up Authorization Flow.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub struct StepUp {
    left: u8,
}

impl StepUp {
    /// The number of attempts for one operation.
    ///
    /// ```
    /// assert_eq!(nanojsonrpc::mcp::authorization::StepUp::MAX_ATTEMPTS, 2);
    /// ```
    pub const MAX_ATTEMPTS: u8 = 2;

    /// All attempts are left.
    pub const fn new() -> Self {
        Self { left: Self::MAX_ATTEMPTS }
    }

    /// Writes the scopes of the next authorization to the front of `out`: the `requested` ones of the last authorization, and those of the
    /// challenge of a response with the status 403. `None` if the challenge has [another reason](Challenge::is_insufficient_scope), if neither
    /// names a scope, or if no attempt is left: the operation has failed.
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull) if `out` is too short; [`InvalidValue`](ErrorKind::InvalidValue) if a scope has a byte that scopes do
    /// not have (RFC 6749 §3.3).
    pub fn next<'o>(
        &mut self,
        challenge: &Challenge<'_>,
        requested: &str,
        out: &'o mut [u8],
    ) -> Result<Option<&'o str>, Error> {
        let Some(left) = self.left.checked_sub(1).filter(|_| challenge.is_insufficient_scope()) else {
            return Ok(None);
        };
        self.left = left;
        let mut out = Writer::new(out);
        add_all(&mut out, 0, requested);
        add_all(&mut out, 0, challenge.scope.unwrap_or_default());
        written(out).map(|scope| Some(scope).filter(|scope| !scope.is_empty()))
    }
}

impl Default for StepUp {
    fn default() -> Self {
        Self::new()
    }
}

/// Appends each of `scopes`, which have spaces between them, to the list that begins at the length `from`.
pub(super) fn add_all(out: &mut Writer<'_>, from: usize, scopes: &str) {
    // `str::split` contains a panic
    let mut rest = scopes;
    while let Some((scope, behind)) = split_once(rest, b' ') {
        add(out, from, Str::Plain(scope));
        rest = behind;
    }
    add(out, from, Str::Plain(rest));
}

/// Appends a scope to the list that begins at the length `from`, unless it is empty or the list has it.
pub(super) fn add(out: &mut Writer<'_>, from: usize, scope: Str<'_>) {
    let before = out.len();
    if before != from {
        out.put_byte(b' ');
    }
    let start = out.len();
    bytes(scope).for_each(|byte| {
        // scope-token = 1*( %x21 / %x23-5B / %x5D-7E )
        if !matches!(byte, b'!'..=b'~') || b"\"\\".contains(&byte) {
            out.fail(Error::new(ErrorKind::InvalidValue, 0));
        }
        out.put_byte(byte);
    });
    if out.is_full() {
        return;
    }
    let list = out.written().get(from..).unwrap_or_default();
    let (earlier, added) = list.split_at_checked(start.saturating_sub(from)).unwrap_or_default();
    if added.is_empty() || earlier.split(|byte| *byte == b' ').any(|scope| scope == added) {
        out.truncate(before);
    }
}
