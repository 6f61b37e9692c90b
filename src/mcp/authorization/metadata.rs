//! The metadata of a server and of an authorization server.

use super::members::{optional_text, required_text, texts};
use super::url::{Url, is_secure};
use super::{Fault, Registration, TokenAuth};
use crate::error::Error;
use crate::json::{RawStr, RawValue};
use crate::mcp::value::{an_object, optional, unexpected};

/// The longest URL that is checked, if the text of the metadata has escapes in it, such as `https:\/\/`.
const MAX_ESCAPED_URL: usize = 256;

/// Calls `check` with the decoded text; `false` if it has escapes and is longer than [`MAX_ESCAPED_URL`].
fn is(text: RawStr<'_>, check: impl FnOnce(&str) -> bool) -> bool {
    match text.as_str() {
        Some(text) => check(text),
        None => text.decode(&mut [0; MAX_ESCAPED_URL]).is_ok_and(check),
    }
}

/// The metadata of a protected server, from one of its [URLs](super::WellKnown::of_resource).
///
/// ```
/// use nanojsonrpc::mcp::authorization::{Fault, ProtectedResource};
///
/// let text = br#"{"resource":"https://mcp.example.com/mcp","authorization_servers":["https://auth.example.com"],"scopes_supported":["files:read"]}"#;
/// let metadata = ProtectedResource::read(text)?;
/// assert_eq!(metadata.check("https://mcp.example.com/mcp"), Ok(()));
/// assert_eq!(metadata.check("https://mcp.example.org/mcp"), Err(Fault::OtherResource));
/// assert!(metadata.authorization_servers().eq(["https://auth.example.com"]));
/// assert!(metadata.scopes_supported().is_some_and(|mut scopes| scopes.any(|scope| scope == "files:read")));
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// Source: RFC 9728 §2, §3.2.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct ProtectedResource<'a> {
    /// The identifier of the server: the `resource` of the requests for authorizations and tokens, decoded but otherwise unchanged.
    pub resource: RawStr<'a>,
    authorization_servers: Option<RawValue<'a>>,
    scopes: Option<RawValue<'a>>,
}

impl<'a> ProtectedResource<'a> {
    /// Reads the body of the response. [`check`](Self::check) it before use.
    ///
    /// # Errors
    /// The errors of [`RawValue::parse`]; [`UnexpectedType`](crate::ErrorKind::UnexpectedType) if it is no object, or `resource` no string;
    /// [`MissingField`](crate::ErrorKind::MissingField) without `resource`.
    pub fn read(text: &'a [u8]) -> Result<Self, Error> {
        let object = an_object(RawValue::parse(text)?)?;
        Ok(Self {
            resource: required_text(object, "resource")?,
            authorization_servers: optional(object, "authorization_servers"),
            scopes: optional(object, "scopes_supported"),
        })
    }

    /// Checks that this is the metadata of the server at `url`: its resource has the same scheme, host and port, and the same path, or one
    /// above it, because a server may serve the metadata of its root. A client that goes on with other metadata sends its tokens where
    /// another server can use them.
    ///
    /// # Limits
    /// A resource with escapes and more than 256 bytes is another resource.
    ///
    /// # Errors
    /// [`Fault::OtherResource`], [`Fault::NoAuthorizationServer`].
    ///
    /// Source: RFC 9728 §3.3; 2026-07-28, Canonical Server URI.
    pub fn check(&self, url: &str) -> Result<(), Fault> {
        let Ok(server) = Url::split(url) else { return Err(Fault::OtherResource) };
        if !is(self.resource, |resource| Url::split(resource).is_ok_and(|resource| resource.contains(&server))) {
            return Err(Fault::OtherResource);
        }
        self.authorization_servers().next().map(drop).ok_or(Fault::NoAuthorizationServer)
    }

    /// The issuers of the authorization servers. The client chooses one, and requests [its metadata](super::WellKnown::of_issuer).
    pub fn authorization_servers(&self) -> impl Iterator<Item = RawStr<'a>> + Clone + use<'a> {
        texts(self.authorization_servers)
    }

    /// The scopes of basic functions; `None` if the metadata does not list them.
    pub fn scopes_supported(&self) -> Option<impl Iterator<Item = RawStr<'a>> + Clone + use<'a>> {
        self.scopes.map(|scopes| texts(Some(scopes)))
    }
}

/// The metadata of an authorization server, from one of its [URLs](super::WellKnown::of_issuer).
///
/// ```
/// use nanojsonrpc::mcp::authorization::{AuthorizationServer, Fault, Registration};
///
/// let text = br#"{"issuer":"https://auth.example.com","authorization_endpoint":"https://auth.example.com/authorize",
///     "token_endpoint":"https://auth.example.com/token","code_challenge_methods_supported":["S256"],
///     "client_id_metadata_document_supported":true}"#;
/// let server = AuthorizationServer::read(text)?;
/// assert_eq!(server.check("https://auth.example.com"), Ok(()));
/// // no URL is normalised before it is compared
/// assert_eq!(server.check("https://auth.example.com/"), Err(Fault::OtherIssuer));
/// assert_eq!(server.registration(None, true), Registration::Document);
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// Source: RFC 8414 §2; OpenID Connect Discovery 1.0 §3; RFC 9207 §3.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct AuthorizationServer<'a> {
    /// The identifier of the server. A client records it before it redirects the user.
    pub issuer: RawStr<'a>,
    /// The URL of the page where the user consents; absent if the server has no such page.
    pub authorization_endpoint: Option<RawStr<'a>>,
    /// The URL where a client gets tokens.
    pub token_endpoint: RawStr<'a>,
    /// The URL where a client registers itself; absent if it cannot.
    pub registration_endpoint: Option<RawStr<'a>>,
    /// Whether the server accepts the URL of a [metadata document](super::ClientMetadata) as the id of a client.
    pub accepts_documents: bool,
    /// Whether each redirect of the server has `iss`. RFC 9207 §3.
    pub sends_issuer: bool,
    scopes: Option<RawValue<'a>>,
    code_challenges: Option<RawValue<'a>>,
    token_auths: Option<RawValue<'a>>,
}

impl<'a> AuthorizationServer<'a> {
    /// Reads the body of the response. [`check`](Self::check) it before use.
    ///
    /// # Errors
    /// The errors of [`RawValue::parse`]; [`UnexpectedType`](crate::ErrorKind::UnexpectedType) if it is no object, or a member that is named here has
    /// another type; [`MissingField`](crate::ErrorKind::MissingField) without `issuer` or `token_endpoint`.
    pub fn read(text: &'a [u8]) -> Result<Self, Error> {
        let object = an_object(RawValue::parse(text)?)?;
        let flag = |name| {
            let value = optional(object, name);
            value.map(|value| value.as_bool().ok_or(unexpected(value))).transpose().map(Option::unwrap_or_default)
        };
        Ok(Self {
            issuer: required_text(object, "issuer")?,
            authorization_endpoint: optional_text(object, "authorization_endpoint")?,
            token_endpoint: required_text(object, "token_endpoint")?,
            registration_endpoint: optional_text(object, "registration_endpoint")?,
            accepts_documents: flag("client_id_metadata_document_supported")?,
            sends_issuer: flag("authorization_response_iss_parameter_supported")?,
            scopes: optional(object, "scopes_supported"),
            code_challenges: optional(object, "code_challenge_methods_supported"),
            token_auths: optional(object, "token_endpoint_auth_methods_supported"),
        })
    }

    /// Checks that this is the metadata of `issuer`, the identifier whose URL led to it, and that a client may request an authorization.
    ///
    /// # Limits
    /// An endpoint with escapes and more than 256 bytes is not secure.
    ///
    /// # Errors
    /// [`Fault::OtherIssuer`], [`Fault::NotSecure`], [`Fault::NoCodeChallenge`], [`Fault::NoAuthorizationEndpoint`].
    ///
    /// Source: RFC 8414 §3.3; 2026-07-28, Authorization Code Protection, Communication Security.
    pub fn check(&self, issuer: &str) -> Result<(), Fault> {
        self.check_issuer(issuer)?;
        if !texts(self.code_challenges).any(|method| method == *"S256") {
            return Err(Fault::NoCodeChallenge);
        }
        self.authorization_endpoint.map(drop).ok_or(Fault::NoAuthorizationEndpoint)
    }

    /// [`check`](Self::check) for a client that acts on its own behalf, with [`Grant::ClientCredentials`](super::Grant::ClientCredentials): it
    /// needs neither a page for users nor code challenges.
    ///
    /// ```
    /// use nanojsonrpc::mcp::authorization::{AuthorizationServer, Fault};
    ///
    /// let server = AuthorizationServer::read(br#"{"issuer":"https://a.example","token_endpoint":"https://a.example/token"}"#)?;
    /// assert_eq!(server.check_issuer("https://a.example"), Ok(()));
    /// assert_eq!(server.check("https://a.example"), Err(Fault::NoCodeChallenge));
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Fault::OtherIssuer`], [`Fault::NotSecure`].
    pub fn check_issuer(&self, issuer: &str) -> Result<(), Fault> {
        if self.issuer != issuer {
            return Err(Fault::OtherIssuer);
        }
        let endpoints = [Some(self.token_endpoint), self.authorization_endpoint, self.registration_endpoint];
        if endpoints.into_iter().flatten().all(|endpoint| is(endpoint, is_secure)) {
            Ok(())
        } else {
            Err(Fault::NotSecure)
        }
    }

    /// The scopes that the server knows; `None` if the metadata does not list them.
    pub fn scopes_supported(&self) -> Option<impl Iterator<Item = RawStr<'a>> + Clone + use<'a>> {
        self.scopes.map(|scopes| texts(Some(scopes)))
    }

    /// The way for a client to get an id, in the order of the specification. `known`: the issuer of the credentials that the client has, by
    /// configuration or from an earlier registration; `has_document`: it has a [metadata document](super::ClientMetadata) at a URL of HTTPS.
    ///
    /// Credentials of another issuer are not used: "clients MUST NOT reuse client credentials from a different authorization server and MUST
    /// re-register" (2026-07-28, Authorization Server Binding). A client that was configured for another issuer tells this to its user.
    pub fn registration(&self, known: Option<&str>, has_document: bool) -> Registration {
        if known.is_some_and(|known| self.issuer == known) {
            Registration::Known
        } else if has_document && self.accepts_documents {
            Registration::Document
        } else if self.registration_endpoint.is_some() {
            Registration::Dynamic
        } else {
            Registration::Manual
        }
    }

    /// The way in which a client with a secret authenticates itself, if its registration does not say so: the first of
    /// [`Basic`](TokenAuth::Basic), [`Post`](TokenAuth::Post) and [`None`](TokenAuth::None) that the server supports; `Basic` if its metadata does
    /// not list them.
    pub fn token_auth(&self) -> TokenAuth {
        let Some(methods) = self.token_auths else { return TokenAuth::Basic };
        let known = [TokenAuth::Basic, TokenAuth::Post, TokenAuth::None];
        let is_supported = |known: &TokenAuth| texts(Some(methods)).any(|method| method == *known.as_str());
        known.into_iter().find(is_supported).unwrap_or(TokenAuth::Basic)
    }
}
