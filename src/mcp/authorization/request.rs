//! The authorization request, and the redirect that answers it.

use core::fmt;

use super::url::{Url, put_pair, written};
use super::{Fault, Pkce, Secret};
use crate::error::Error;
use crate::json::Writer;
use crate::message::Str;

/// A request for an authorization: a URL that the browser of the user opens.
///
/// ```
/// use nanojsonrpc::mcp::authorization::{AuthorizationRequest, Pkce, Unguessable};
///
/// let (pkce, state) = (Pkce::new(&[7; 32]), Unguessable::new(&[8; 16])); // random bytes
/// let request = AuthorizationRequest {
///     client_id: "https://app.example.com/client.json",
///     redirect_uri: "http://127.0.0.1:3000/callback",
///     resource: "https://mcp.example.com/mcp",
///     scope: Some("files:read files:write"),
///     state: state.as_str(),
///     pkce: &pkce,
/// };
/// let mut buffer = [0; 512];
/// let url = request.write("https://auth.example.com/authorize", &mut buffer)?;
/// assert!(url.starts_with("https://auth.example.com/authorize?response_type=code&client_id=https%3A%2F%2Fapp.example.com%2Fclient.json&"));
/// assert!(url.contains("&resource=https%3A%2F%2Fmcp.example.com%2Fmcp&scope=files%3Aread%20files%3Awrite"));
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// Source: RFC 6749 §4.1.1; RFC 7636 §4.3; RFC 8707 §2.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct AuthorizationRequest<'r> {
    /// The id of the client.
    pub client_id: &'r str,
    /// The URI that the server redirects to. The client is registered with it.
    pub redirect_uri: &'r str,
    /// The identifier of the server, [as its metadata has it](super::ProtectedResource::resource).
    pub resource: &'r str,
    /// The requested scopes, from [`select_scope`](super::select_scope); `None` omits the parameter.
    pub scope: Option<&'r str>,
    /// An [unguessable](super::Unguessable) text, which the redirect repeats.
    pub state: &'r str,
    /// The proof of this authorization.
    pub pkce: &'r Pkce,
}

impl AuthorizationRequest<'_> {
    /// Writes the URL to the front of `out`. `endpoint` is the [endpoint](super::AuthorizationServer::authorization_endpoint) of the server, decoded.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if `out` is too short; [`InvalidValue`](crate::ErrorKind::InvalidValue) if `endpoint` is no URL
    /// of HTTP, or has a user name or a fragment.
    pub fn write<'o>(&self, endpoint: &str, out: &'o mut [u8]) -> Result<&'o str, Error> {
        let url = Url::split(endpoint)?;
        let mut out = Writer::new(out);
        out.put(endpoint.as_bytes());
        // "The endpoint URI MAY include [a] query component, which MUST be retained" (RFC 6749 §3.1)
        if url.query.is_empty() {
            out.put_byte(b'?');
        }
        let pairs = [
            ("response_type", "code"),
            ("client_id", self.client_id),
            ("redirect_uri", self.redirect_uri),
            ("state", self.state),
            ("code_challenge", self.pkce.challenge()),
            ("code_challenge_method", "S256"),
            ("resource", self.resource),
        ];
        pairs.into_iter().for_each(|(name, value)| put_pair(&mut out, name, Str::Plain(value)));
        if let Some(scope) = self.scope {
            put_pair(&mut out, "scope", Str::Plain(scope));
        }
        written(out)
    }
}

/// The values that the redirect of an authorization must have. The client records them before it redirects the user.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Expected<'e> {
    /// The [state](AuthorizationRequest::state) of the request.
    pub state: &'e str,
    /// The [issuer](super::AuthorizationServer::issuer) of the checked metadata, decoded.
    pub issuer: &'e str,
    /// Whether the server [sends](super::AuthorizationServer::sends_issuer) `iss`.
    pub sends_issuer: bool,
}

/// The reason why a redirect has no code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum NotAuthorized<'o> {
    /// The redirect is not the answer to the request. The client must not act on its content.
    Fault(Fault),
    /// The server, or the user, has refused the request.
    Refused {
        /// The kind of the error, such as `access_denied`.
        error: &'o str,
        /// The error in words, which are those of the peer; empty if there are none.
        description: &'o str,
    },
}

impl From<Fault> for NotAuthorized<'_> {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl fmt::Display for NotAuthorized<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => fault.fmt(f),
            Self::Refused { error, .. } => write!(f, "refused: {}", Str::Plain(error).sanitized()),
        }
    }
}

impl core::error::Error for NotAuthorized<'_> {}

/// The parameters of a redirect.
const PARAMETERS: [&str; 5] = ["state", "iss", "code", "error", "error_description"];

impl Expected<'_> {
    /// Reads the redirect of the browser: its URL, the target of its request to the client, or the query alone. Returns the code, decoded in
    /// `out`. `state` and `iss` are checked first, and compared byte for byte, so that nothing of a forged redirect is used.
    ///
    /// ```
    /// use nanojsonrpc::mcp::authorization::{Expected, Fault, NotAuthorized};
    ///
    /// let expected = Expected { state: "xyz", issuer: "https://honest.as.example", sends_issuer: true };
    /// let mut buffer = [0; 256];
    /// let code = expected.read("/callback?code=Splx%2FlOB&state=xyz&iss=https%3A%2F%2Fhonest.as.example", &mut buffer);
    /// assert_eq!(code.unwrap().expose().as_str(), Some("Splx/lOB"));
    /// let forged = expected.read("/callback?code=SplxlOB&state=xyz&iss=https%3A%2F%2Fattacker.example", &mut buffer);
    /// assert!(matches!(forged, Err(NotAuthorized::Fault(Fault::WrongIssuer))));
    /// let denied = expected.read("/callback?error=access_denied&state=xyz&iss=https%3A%2F%2Fhonest.as.example", &mut buffer);
    /// assert!(matches!(denied, Err(NotAuthorized::Refused { error: "access_denied", .. })));
    /// ```
    ///
    /// # Limits
    /// `out`: the decoded values of the parameters that this function reads.
    ///
    /// # Errors
    /// [`NotAuthorized::Refused`] if the server answers with an error; [`NotAuthorized::Fault`] for another redirect.
    ///
    /// Source: RFC 6749 §4.1.2; RFC 9207 §2.4; 2026-07-28, Authorization Response Validation.
    pub fn read<'o>(&self, redirect: &str, out: &'o mut [u8]) -> Result<Secret<'o>, NotAuthorized<'o>> {
        let query = redirect.bytes().position(|byte| byte == b'?').map_or(0, |at| at.saturating_add(1));
        let query = redirect.as_bytes().get(query..).unwrap_or_default();
        let query = query.split(|byte| *byte == b'#').next().unwrap_or_default();
        let mut values = [None; PARAMETERS.len()];
        let mut rest = out;
        for pair in query.split(|byte| *byte == b'&') {
            let mut parts = pair.splitn(2, |byte| *byte == b'=');
            let name = parts.next().unwrap_or_default();
            let known = PARAMETERS.iter().zip(&mut values).find(|(known, _)| known.as_bytes() == name);
            let Some((_, value)) = known else { continue };
            // "parameters MUST NOT be included more than once" (RFC 6749 §3.1)
            if value.is_some() {
                return Err(Fault::InvalidRedirect.into());
            }
            *value = Some(decode(parts.next().unwrap_or_default(), &mut rest).ok_or(Fault::InvalidRedirect)?);
        }
        let [state, issuer, code, error, description] = values;
        if state != Some(self.state) {
            return Err(Fault::OtherState.into());
        }
        match issuer {
            None if self.sends_issuer => return Err(Fault::NoIssuer.into()),
            Some(issuer) if issuer != self.issuer => return Err(Fault::WrongIssuer.into()),
            _ => {}
        }
        if let Some(error) = error {
            return Err(NotAuthorized::Refused { error, description: description.unwrap_or_default() });
        }
        let code = code.filter(|code| !code.is_empty());
        code.map(Secret::from).ok_or(NotAuthorized::Fault(Fault::NoCode))
    }
}

/// Decodes a value of a form to the front of `out`, and moves `out` behind it. `None` if a percent sign is invalid, if the value is not UTF-8,
/// or if it does not fit.
fn decode<'o>(value: &[u8], out: &mut &'o mut [u8]) -> Option<&'o str> {
    let (mut rest, mut len) = (value, 0usize);
    while let [byte, behind @ ..] = rest {
        let (byte, behind) = match (byte, behind) {
            (b'%', [high, low, behind @ ..]) => (digit(*high)? << 4 | digit(*low)?, behind),
            (b'%', _) => return None,
            (b'+', _) => (b' ', behind),
            _ => (*byte, behind),
        };
        *out.get_mut(len)? = byte;
        len = len.wrapping_add(1);
        rest = behind;
    }
    let (text, behind) = core::mem::take(out).split_at_mut_checked(len)?;
    *out = behind;
    core::str::from_utf8(text).ok()
}

const fn digit(hexadecimal: u8) -> Option<u8> {
    match hexadecimal {
        b'0'..=b'9' => Some(hexadecimal & 0xF),
        b'a'..=b'f' | b'A'..=b'F' => Some((hexadecimal & 0xF).wrapping_add(9)),
        _ => None,
    }
}
