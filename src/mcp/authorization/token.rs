//! The token request and its response.

use super::members::{optional_text, required_text};
use super::url::{encoded, put_pair, written};
use super::{Pkce, Secret, TokenAuth};
use crate::base64::encode_all;
use crate::error::{Error, ErrorKind};
use crate::json::{RawStr, RawValue, Writer};
use crate::mcp::value::{an_object, optional};
use crate::message::Str;

/// A client as the token endpoint knows it.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Client<'c> {
    id: &'c str,
    secret: Option<Secret<'c>>,
    auth: TokenAuth,
}

impl<'c> Client<'c> {
    /// A client without a secret.
    pub const fn public(id: &'c str) -> Self {
        Self { id, secret: None, auth: TokenAuth::None }
    }

    /// A client with a secret, which it sends as `auth` says: as its [registration](super::Registered::token_endpoint_auth_method) says, or else
    /// as [the server supports](super::AuthorizationServer::token_auth).
    pub const fn confidential(id: &'c str, secret: Secret<'c>, auth: TokenAuth) -> Self {
        Self { id, secret: Some(secret), auth }
    }
}

/// The reason to give out a token.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Grant<'g> {
    /// The code of a [redirect](super::Expected::read). RFC 6749 §4.1.3.
    Code {
        /// The code.
        code: Secret<'g>,
        /// The URI of the [request](super::AuthorizationRequest::redirect_uri).
        redirect_uri: &'g str,
        /// The proof of the request.
        pkce: &'g Pkce,
    },
    /// A refresh token of an earlier response. RFC 6749 §6.
    Refresh(Secret<'g>),
    /// The credentials of the client, which acts on its own behalf. RFC 6749 §4.4.
    ClientCredentials,
}

/// A request for a token: the form that the client posts to the [token endpoint](super::AuthorizationServer::token_endpoint).
///
/// ```
/// use nanojsonrpc::mcp::authorization::{Client, Grant, Secret, TokenAuth, TokenRequest};
///
/// let client = Client::confidential("s6BhdRkqt3", Secret::from("gX1fBat3bV"), TokenAuth::Basic);
/// let grant = Grant::Refresh(Secret::from("tGzv3JOkF0XG5Qx2TlKWIA"));
/// let request = TokenRequest { grant, client: &client, resource: "https://mcp.example.com", scope: None };
/// let mut buffer = [0; 256];
/// let form = request.write(&mut buffer)?;
/// assert_eq!(form.body, "grant_type=refresh_token&refresh_token=tGzv3JOkF0XG5Qx2TlKWIA&resource=https%3A%2F%2Fmcp.example.com");
/// // the headers, and `Content-Type: application/x-www-form-urlencoded`
/// assert_eq!(form.authorization, Some("Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW"));
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// Source: RFC 6749 §3.2; RFC 7636 §4.5; RFC 8707 §2.2.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TokenRequest<'r> {
    /// The reason.
    pub grant: Grant<'r>,
    /// The client.
    pub client: &'r Client<'r>,
    /// The identifier of the server, as in the [authorization request](super::AuthorizationRequest::resource).
    pub resource: &'r str,
    /// The requested scopes: with [`Grant::ClientCredentials`], and for fewer scopes with [`Grant::Refresh`].
    pub scope: Option<&'r str>,
}

/// A written [`TokenRequest`]. `Debug` and `defmt::Format` do not print it.
#[derive(Clone, Copy)]
pub struct TokenForm<'o> {
    /// The body, of the type `application/x-www-form-urlencoded`.
    pub body: &'o str,
    /// The value of the header `Authorization`, for [`TokenAuth::Basic`].
    pub authorization: Option<&'o str>,
}

impl core::fmt::Debug for TokenForm<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("TokenForm(..)")
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for TokenForm<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "TokenForm(..)");
    }
}

impl TokenRequest<'_> {
    /// Writes the body to the front of `out`, and the header behind it.
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull) if `out` is too short.
    pub fn write<'o>(&self, out: &'o mut [u8]) -> Result<TokenForm<'o>, Error> {
        let Client { id, secret, auth } = *self.client;
        let mut body = Writer::new(&mut *out);
        let mut put = |name, value| put_pair(&mut body, name, value);
        match self.grant {
            Grant::Code { code, redirect_uri, pkce } => {
                put("grant_type", Str::Plain("authorization_code"));
                put("code", code.expose());
                put("redirect_uri", Str::Plain(redirect_uri));
                put("code_verifier", Str::Plain(pkce.verifier()));
            }
            Grant::Refresh(token) => {
                put("grant_type", Str::Plain("refresh_token"));
                put("refresh_token", token.expose());
            }
            Grant::ClientCredentials => put("grant_type", Str::Plain("client_credentials")),
        }
        put("resource", Str::Plain(self.resource));
        if let Some(scope) = self.scope {
            put("scope", Str::Plain(scope));
        }
        if auth != TokenAuth::Basic {
            put("client_id", Str::Plain(id));
        }
        if let (TokenAuth::Post, Some(secret)) = (auth, secret) {
            put("client_secret", secret.expose());
        }
        body.finish(0)?;
        let len = body.len();
        let (body, rest) = out.split_at_mut_checked(len).unwrap_or_default();
        let body = core::str::from_utf8(body).map_err(|_| Error::new(ErrorKind::InvalidUtf8, 0))?;
        let authorization = match (auth, secret) {
            (TokenAuth::Basic, Some(secret)) => Some(basic(id, secret, rest)?),
            _ => None,
        };
        Ok(TokenForm { body, authorization })
    }
}

/// Writes the value of the header: the id and the secret, each encoded as in a form, with a colon between them, as base64 (RFC 6749 §2.3.1).
fn basic<'o>(id: &str, secret: Secret<'_>, out: &'o mut [u8]) -> Result<&'o str, Error> {
    let mut out = Writer::new(out);
    out.put(b"Basic ");
    let credentials = encoded(Str::Plain(id)).chain([b':']).chain(encoded(secret.expose()));
    encode_all(credentials).for_each(|four| out.put(&four));
    written(out)
}

/// The response with a token, of the status 200. Other statuses have an [`ErrorResponse`].
///
/// ```
/// use nanojsonrpc::mcp::authorization::TokenResponse;
///
/// let response = TokenResponse::read(br#"{"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"Bearer",
///     "expires_in":3600,"refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA","scope":"files:read"}"#)?;
/// let mut buffer = [0; 64];
/// assert_eq!(response.access_token.write_bearer(&mut buffer)?, "Bearer 2YotnFZFEjr1zCsicMWpAA");
/// assert_eq!(response.expires_in, Some(3600));
/// assert!(response.refresh_token.is_some() && response.scope.is_some_and(|scope| scope == "files:read"));
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// Source: RFC 6749 §5.1.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct TokenResponse<'a> {
    /// The token, for [requests to the server](Secret::write_bearer) and for no other server.
    pub access_token: Secret<'a>,
    /// The lifetime of the token in seconds.
    pub expires_in: Option<u64>,
    /// The token for [the next request](Grant::Refresh). Without it, an earlier refresh token stays valid.
    pub refresh_token: Option<Secret<'a>>,
    /// The granted scopes; absent if they are the requested ones.
    pub scope: Option<RawStr<'a>>,
}

impl<'a> TokenResponse<'a> {
    /// Reads the body of the response.
    ///
    /// # Errors
    /// The errors of [`RawValue::parse`]; [`UnexpectedType`](ErrorKind::UnexpectedType); [`MissingField`](ErrorKind::MissingField) without
    /// `access_token` or `token_type`; [`UnknownVariant`](ErrorKind::UnknownVariant) if the type is not `Bearer`, in upper or lower case;
    /// [`InvalidValue`](ErrorKind::InvalidValue) if `expires_in` is no integer from 0.
    pub fn read(text: &'a [u8]) -> Result<Self, Error> {
        let object = an_object(RawValue::parse(text)?)?;
        let kind = required_text(object, "token_type")?;
        // "The client MUST NOT use an access token if it does not understand the token type." (RFC 6749 §7.1)
        if !kind.chars().map(|character| character.to_ascii_lowercase()).eq("bearer".chars()) {
            return Err(Error::new(ErrorKind::UnknownVariant, object.offset()));
        }
        Ok(Self {
            access_token: required_text(object, "access_token")?.into(),
            expires_in: optional(object, "expires_in").map(RawValue::to_integer).transpose()?,
            refresh_token: optional_text(object, "refresh_token")?.map(Secret::from),
            scope: optional_text(object, "scope")?,
        })
    }
}

/// The error of a token endpoint or of a registration endpoint, with the status 400 or 401.
///
/// ```
/// use nanojsonrpc::mcp::authorization::ErrorResponse;
///
/// let response = ErrorResponse::read(br#"{"error":"invalid_grant"}"#)?;
/// assert_eq!(response.error, "invalid_grant");
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// Source: RFC 6749 §5.2; RFC 7591 §3.2.2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct ErrorResponse<'a> {
    /// The kind of the error, such as `invalid_grant`: the code or the refresh token is invalid, so the client requests a new authorization.
    pub error: RawStr<'a>,
    /// The error in words, which are those of the peer.
    pub error_description: Option<RawStr<'a>>,
}

impl<'a> ErrorResponse<'a> {
    /// Reads the body of the response.
    ///
    /// # Errors
    /// The errors of [`RawValue::parse`]; [`UnexpectedType`](ErrorKind::UnexpectedType); [`MissingField`](ErrorKind::MissingField) without
    /// `error`.
    pub fn read(text: &'a [u8]) -> Result<Self, Error> {
        let object = an_object(RawValue::parse(text)?)?;
        Ok(Self {
            error: required_text(object, "error")?,
            error_description: optional_text(object, "error_description")?,
        })
    }
}
