//! The side of the server: its metadata, and the check of a token before a call.

use super::registration::write_texts;
use super::scope::{add, add_all};
use super::url::written;
use super::{MetadataUrl, Secret};
use crate::error::Error;
use crate::json::{RawStr, ToJson, ValueWriter, Writer, Written};
use crate::mcp::http::Head;
use crate::mcp::method;
use crate::mcp::mirror::named_param;
use crate::mcp::service::string_in;
use crate::mcp::value::{write_some_text, write_text};
use crate::message::{Dialect, Envelope, Envelopes, Str};

/// A protected server: its metadata, and the refusal of requests. [`ToJson`] writes the metadata.
///
/// ```
/// use nanojsonrpc::Writer;
/// use nanojsonrpc::mcp::authorization::Protected;
///
/// const LAMP: Protected<'_> = Protected::new("https://lamp.example.com/mcp", &["https://auth.example.com"]).with_scopes(&["read"]);
/// // answer a GET of this path with the metadata and `content-type: application/json`
/// assert!(LAMP.is_metadata("/.well-known/oauth-protected-resource/mcp"));
/// let mut buffer = [0; 256];
/// let mut out = Writer::new(&mut buffer);
/// out.value(&LAMP)?;
/// assert_eq!(out.written(), br#"{"resource":"https://lamp.example.com/mcp","authorization_servers":["https://auth.example.com"],"scopes_supported":["read"],"bearer_methods_supported":["header"]}"#);
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// Source: RFC 9728 §2, §3.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub struct Protected<'p> {
    url: &'p str,
    authorization_servers: &'p [&'p str],
    scopes: &'p [&'p str],
    name: &'p str,
}

/// A request, as the hook of [`Protected::check`] sees it. `Debug` and `defmt::Format` do not print the token.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Access<'h> {
    /// The token; `None` if the request has none, or a malformed one.
    pub token: Option<Secret<'h>>,
    /// The head of the request.
    pub head: &'h Head<'h>,
    /// The method of the message in the body, such as `tools/call`; `None` without a body, for a response, and for a text that is no message,
    /// which the endpoint refuses.
    pub method: Option<RawStr<'h>>,
    /// The tool or the prompt that the message names, or the URI of its resource, skill or directory.
    pub name: Option<RawStr<'h>>,
}

/// The decision about a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Decision<'v> {
    /// The server may answer the request.
    Allow,
    /// The request has no token, or one that is unknown, expired or for another server. The challenge has the scopes of the server.
    Unauthorized,
    /// The token does not cover the request, which needs these scopes, all of them, with spaces between them.
    InsufficientScope(&'v str),
}

/// The response to a refused request. It has no body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub struct Refusal<'o> {
    status: u16,
    headers: [(&'static str, &'o str); 1],
}

impl<'o> Refusal<'o> {
    /// The status of HTTP: 401 or 403.
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// Names and values: `www-authenticate`.
    pub const fn headers(&self) -> &[(&'static str, &'o str)] {
        &self.headers
    }
}

impl<'p> Protected<'p> {
    /// The server at `url`, which has no fragment and no slash at its end, with tokens of these `authorization_servers`, each its issuer. There
    /// is at least one.
    pub const fn new(url: &'p str, authorization_servers: &'p [&'p str]) -> Self {
        Self { url, authorization_servers, scopes: &[], name: "" }
    }

    /// Sets the scopes for basic functions. `offline_access` is none of them.
    pub const fn with_scopes(self, scopes: &'p [&'p str]) -> Self {
        Self { scopes, ..self }
    }

    /// Sets the name that users see.
    ///
    /// ```
    /// use nanojsonrpc::Writer;
    /// use nanojsonrpc::mcp::authorization::Protected;
    ///
    /// let mut buffer = [0; 256];
    /// let mut out = Writer::new(&mut buffer);
    /// out.value(&Protected::new("https://lamp.example.com", &["https://auth.example.com"]).with_name("Lamp"))?;
    /// assert!(out.written().ends_with(br#""bearer_methods_supported":["header"],"resource_name":"Lamp"}"#));
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    pub const fn with_name(self, name: &'p str) -> Self {
        Self { name, ..self }
    }

    /// The URL of the metadata, which the challenges name.
    ///
    /// ```
    /// use nanojsonrpc::mcp::authorization::Protected;
    ///
    /// let lamp = Protected::new("https://lamp.example.com/mcp", &["https://auth.example.com"]);
    /// assert_eq!(lamp.metadata_url()?.to_string(), "https://lamp.example.com/.well-known/oauth-protected-resource/mcp");
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidValue`](crate::ErrorKind::InvalidValue) if the URL of the server is no URL of HTTP, or has a user name or a fragment.
    pub fn metadata_url(&self) -> Result<MetadataUrl<'p>, Error> {
        MetadataUrl::of_resource(self.url)
    }

    /// Whether a `GET` of this target requests the metadata. Such a request needs no token.
    pub fn is_metadata(&self, target: &str) -> bool {
        self.metadata_url().is_ok_and(|url| url.is_at(target))
    }

    /// Asks `decide` about one request before [`Endpoint::answer`](crate::mcp::http::Endpoint::answer) answers it: `None` if it may, or else the
    /// response. `authorization` is the value of the header `Authorization`; of a repeated header, pass an empty value, which has no token. In
    /// a batch of 2025-03-26, `decide` gets each message, until it refuses one.
    ///
    /// "MCP servers MUST validate that access tokens were issued specifically for them as the intended audience." The function does so, with the
    /// means of the program: this module has no keys and no store of tokens.
    ///
    /// ```
    /// use nanojsonrpc::mcp::authorization::{Access, Decision, Protected};
    /// use nanojsonrpc::mcp::http::Head;
    ///
    /// const LAMP: Protected<'_> = Protected::new("https://lamp.example.com/mcp", &["https://auth.example.com"]).with_scopes(&["read"]);
    ///
    /// fn decide(access: &Access<'_>) -> Decision<'static> {
    ///     // in place of this: the signature, the audience, the expiry and the scopes of a JWT; or a call of the authorization server
    ///     let mut buffer = [0; 16];
    ///     let may_switch = match access.token.map(|token| token.decode(&mut buffer)) {
    ///         Some(Ok("reader")) => false,
    ///         Some(Ok("owner")) => true,
    ///         _ => return Decision::Unauthorized,
    ///     };
    ///     let switches = access.method.is_some_and(|method| method == "tools/call") && access.name.is_some_and(|tool| tool == "switch");
    ///     if switches && !may_switch { Decision::InsufficientScope("read write") } else { Decision::Allow }
    /// }
    ///
    /// let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"switch"}}"#;
    /// let (head, mut out) = (Head::new("POST"), [0; 256]);
    /// let refusal = LAMP.check(&head, Some(b"Bearer reader"), body, decide, &mut out).unwrap();
    /// assert_eq!(refusal.status(), 403);
    /// let url = "https://lamp.example.com/.well-known/oauth-protected-resource/mcp";
    /// let value = format!(r#"Bearer resource_metadata="{url}", scope="read write", error="insufficient_scope""#);
    /// assert_eq!(refusal.headers(), [("www-authenticate", &*value)]);
    /// assert!(LAMP.check(&head, Some(b"Bearer owner"), body, decide, &mut out).is_none());
    /// ```
    ///
    /// # Limits
    /// Time: a pass over the body, which the endpoint reads again. `out`: the value of the header. If it does not fit, the value is `Bearer`,
    /// and clients [find](super::WellKnown::of_resource) the metadata themselves.
    ///
    /// Source: RFC 6750 §3; RFC 9728 §5.1; 2026-07-28, Token Handling, Runtime Insufficient Scope Errors.
    pub fn check<'o, 'v>(
        &self,
        head: &Head<'_>,
        authorization: Option<&[u8]>,
        body: &[u8],
        mut decide: impl FnMut(&Access<'_>) -> Decision<'v>,
        out: &'o mut [u8],
    ) -> Option<Refusal<'o>> {
        let token = authorization.and_then(token_in);
        // `Envelopes` has at least one item for any text, so `decide` is asked and replaces this
        let mut decision = Decision::Unauthorized;
        // the dialect that reads the most messages: whatever a server reads, `decide` has seen
        for message in Envelopes::new(body, Dialect::LENIENT) {
            let access = message.map_or(Access { token, head, method: None, name: None }, |message| Access {
                token,
                head,
                method: Some(message.method()).filter(|method| !method.is_empty()),
                name: named(&message),
            });
            decision = decide(&access);
            if decision != Decision::Allow {
                break;
            }
        }
        self.refuse(decision, token.is_some(), out)
    }

    /// The response to a request that the program has decided about; `None` if it [may](Decision::Allow) be answered. `has_token`: the
    /// request had a token, which is invalid.
    ///
    /// ```
    /// use nanojsonrpc::mcp::authorization::{Decision, Protected};
    ///
    /// let lamp = Protected::new("https://lamp.example.com", &["https://auth.example.com"]).with_scopes(&["read"]);
    /// let mut out = [0; 256];
    /// let refusal = lamp.refuse(Decision::Unauthorized, true, &mut out).unwrap();
    /// assert_eq!(refusal.status(), 401);
    /// let value = r#"Bearer resource_metadata="https://lamp.example.com/.well-known/oauth-protected-resource", scope="read", error="invalid_token""#;
    /// assert_eq!(refusal.headers(), [("www-authenticate", value)]);
    /// ```
    pub fn refuse<'o>(&self, decision: Decision<'_>, has_token: bool, out: &'o mut [u8]) -> Option<Refusal<'o>> {
        let (status, error) = match decision {
            Decision::Allow => return None,
            // "If the request lacks any authentication information [...], the resource server SHOULD NOT include an error code" (RFC 6750 §3.1)
            Decision::Unauthorized => (401, if has_token { "invalid_token" } else { "" }),
            Decision::InsufficientScope(_) => (403, "insufficient_scope"),
        };
        let value = self.challenge(decision, error, out).unwrap_or("Bearer");
        Some(Refusal { status, headers: [("www-authenticate", value)] })
    }

    /// Writes the challenge.
    fn challenge<'o>(&self, decision: Decision<'_>, error: &str, out: &'o mut [u8]) -> Result<&'o str, Error> {
        let url = self.metadata_url()?;
        let mut out = Writer::new(out);
        out.put(b"Bearer resource_metadata=\"");
        url.parts().iter().for_each(|part| out.put(part.as_bytes()));
        out.put(b"\"");
        let before = out.len();
        out.put(b", scope=\"");
        let start = out.len();
        if let Decision::InsufficientScope(scopes) = decision {
            add_all(&mut out, start, scopes);
        } else {
            self.scopes.iter().for_each(|scope| add(&mut out, start, Str::Plain(scope)));
        }
        if out.len() == start {
            out.truncate(before);
        } else {
            out.put(b"\"");
        }
        if !error.is_empty() {
            [", error=\"", error, "\""].into_iter().for_each(|part| out.put(part.as_bytes()));
        }
        written(out)
    }
}

impl ToJson for Protected<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.object(|object| {
            write_text(object, "resource", self.url);
            write_texts(object, "authorization_servers", self.authorization_servers);
            if !self.scopes.is_empty() {
                write_texts(object, "scopes_supported", self.scopes);
            }
            // "Access tokens MUST NOT be included in the URI query string" (2026-07-28, Token Requirements)
            write_texts(object, "bearer_methods_supported", &["header"]);
            write_some_text(object, "resource_name", self.name);
        })
    }
}

/// The token in a value of `Authorization`.
///
/// credentials = "Bearer" 1*SP b64token (RFC 6750 §2.1)
fn token_in(value: &[u8]) -> Option<Secret<'_>> {
    let (scheme, token) = value.split_at_checked(b"Bearer ".len())?;
    let token = token.trim_ascii();
    // b64token = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
    let padding = token.iter().rev().take_while(|byte| **byte == b'=').count();
    let digits = token.get(..token.len().saturating_sub(padding)).unwrap_or_default();
    let is_token =
        !digits.is_empty() && digits.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(byte));
    let token = core::str::from_utf8(token).ok().filter(|_| is_token && scheme.eq_ignore_ascii_case(b"Bearer "))?;
    Some(token.into())
}

/// The methods with a URI that no header repeats.
const WITH_URI: [&str; 4] =
    [method::RESOURCES_SUBSCRIBE, method::RESOURCES_UNSUBSCRIBE, method::SKILLS_GET, method::RESOURCES_DIRECTORY_READ];

/// The object that the params of a message name.
fn named<'a>(message: &Envelope<'a>) -> Option<RawStr<'a>> {
    let name = message.method();
    let param = if WITH_URI.into_iter().any(|known| name == *known) { "uri" } else { named_param(name)? };
    string_in(message.params()?, param)
}
