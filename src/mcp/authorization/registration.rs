//! The registration of a client.

use super::Secret;
use super::members::{optional_text, required_text};
use crate::error::Error;
use crate::json::{ObjectWriter, RawStr, RawValue, ToJson, ValueWriter, Written};
use crate::mcp::value::{an_object, names, optional, write_some_text, write_text};

/// The way for a client to get an id, from [`AuthorizationServer::registration`](super::AuthorizationServer::registration).
///
/// Source: 2026-07-28, Client Registration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Registration {
    /// The client has credentials of this authorization server.
    Known,
    /// The id is the URL of the metadata document of the client.
    Document,
    /// The client posts its [metadata](ClientMetadata) to the registration endpoint.
    Dynamic,
    /// The user must register the client and enter its id.
    Manual,
}

names! {
    /// The way in which a client authenticates itself to the token endpoint.
    ///
    /// Source: RFC 7591 §2, `token_endpoint_auth_method`.
    TokenAuth {
        /// With its id alone: the client has no secret.
        None = "none",
        /// In the header `Authorization` of the scheme `Basic`.
        Basic = "client_secret_basic",
        /// In the body of the request.
        Post = "client_secret_post",
    }
}

names! {
    /// The kind of a client. It determines the allowed redirect URIs.
    ///
    /// Source: OpenID Connect Dynamic Client Registration 1.0 §2; 2026-07-28, Application Type and Redirect URI Constraints.
    ApplicationType {
        /// An application on the machine of the user: a program, or a page of `localhost`.
        Native = "native",
        /// An application on another host.
        Web = "web",
    }
}

/// The metadata of a client, as JSON: the body of a dynamic registration, or, with [`client_id`](Self::client_id), its metadata document.
///
/// ```
/// use nanojsonrpc::Writer;
/// use nanojsonrpc::mcp::authorization::ClientMetadata;
///
/// let mut buffer = [0; 512];
/// let mut out = Writer::new(&mut buffer);
/// out.value(&ClientMetadata::new("lamp", &["http://127.0.0.1:3000/callback"]))?;
/// assert_eq!(out.written(), br#"{"client_name":"lamp","redirect_uris":["http://127.0.0.1:3000/callback"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none","application_type":"native"}"#);
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// Source: RFC 7591 §2, §3.1; 2026-07-28, Client ID Metadata Documents, Refresh Tokens.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ClientMetadata<'c> {
    /// The URL of the document, if this is a metadata document: one of HTTPS with a path.
    pub client_id: Option<&'c str>,
    /// The name that the user sees.
    pub client_name: &'c str,
    /// The page of the client for users.
    pub client_uri: Option<&'c str>,
    /// The URIs that the authorization server may redirect to: of `localhost` or HTTPS.
    pub redirect_uris: &'c [&'c str],
    /// The grants that the client uses.
    pub grant_types: &'c [&'c str],
    /// The authentication to the token endpoint that the client asks for.
    pub token_endpoint_auth_method: TokenAuth,
    /// The kind of the client.
    pub application_type: ApplicationType,
    /// The scopes that the client may request, with spaces between them.
    pub scope: Option<&'c str>,
}

impl<'c> ClientMetadata<'c> {
    /// A native client without a secret, which uses codes and refresh tokens.
    pub const fn new(client_name: &'c str, redirect_uris: &'c [&'c str]) -> Self {
        Self {
            client_id: None,
            client_name,
            client_uri: None,
            redirect_uris,
            grant_types: &["authorization_code", "refresh_token"],
            token_endpoint_auth_method: TokenAuth::None,
            application_type: ApplicationType::Native,
            scope: None,
        }
    }
}

/// Appends a member that is an array of strings.
pub(super) fn write_texts(object: &mut ObjectWriter<'_, '_>, name: &str, texts: &[&str]) {
    object.member_with(name, |out| out.array(|array| texts.iter().for_each(|text| array.element(*text))));
}

impl ToJson for ClientMetadata<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.object(|object| {
            write_some_text(object, "client_id", self.client_id.unwrap_or_default());
            write_text(object, "client_name", self.client_name);
            write_some_text(object, "client_uri", self.client_uri.unwrap_or_default());
            write_texts(object, "redirect_uris", self.redirect_uris);
            write_texts(object, "grant_types", self.grant_types);
            write_texts(object, "response_types", &["code"]);
            write_text(object, "token_endpoint_auth_method", self.token_endpoint_auth_method.as_str());
            write_text(object, "application_type", self.application_type.as_str());
            write_some_text(object, "scope", self.scope.unwrap_or_default());
        })
    }
}

/// The response to a dynamic registration, with the status 201. A refusal has the status 400 and is an
/// [`ErrorResponse`](super::ErrorResponse), which the program shows to its user.
///
/// The client stores these credentials with the `issuer` of the authorization server.
///
/// ```
/// use nanojsonrpc::mcp::authorization::{Registered, TokenAuth};
///
/// let registered = Registered::read(br#"{"client_id":"s6BhdRkqt3","token_endpoint_auth_method":"client_secret_basic",
///     "client_secret":"cf136dc3c1fc93f31185e5885805d","client_secret_expires_at":1577858400}"#)?;
/// assert_eq!(registered.client_id, "s6BhdRkqt3");
/// assert_eq!(registered.token_endpoint_auth_method, Some(TokenAuth::Basic));
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// Source: RFC 7591 §3.2.1.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Registered<'a> {
    /// The id of the client.
    pub client_id: RawStr<'a>,
    /// Its secret, if it has one.
    pub client_secret: Option<Secret<'a>>,
    /// The end of the secret, in seconds since 1970; 0 if it has none.
    pub client_secret_expires_at: Option<u64>,
    /// The authentication to the token endpoint; without it, [the server chooses](super::AuthorizationServer::token_auth).
    pub token_endpoint_auth_method: Option<TokenAuth>,
}

impl<'a> Registered<'a> {
    /// Reads the body of the response.
    ///
    /// # Errors
    /// The errors of [`RawValue::parse`]; [`UnexpectedType`](crate::ErrorKind::UnexpectedType), [`MissingField`](crate::ErrorKind::MissingField)
    /// without `client_id`, [`UnknownVariant`](crate::ErrorKind::UnknownVariant) for an authentication that this crate does not know, or
    /// [`InvalidValue`](crate::ErrorKind::InvalidValue) for an end that is no `u64`.
    pub fn read(text: &'a [u8]) -> Result<Self, Error> {
        let object = an_object(RawValue::parse(text)?)?;
        Ok(Self {
            client_id: required_text(object, "client_id")?,
            client_secret: optional_text(object, "client_secret")?.map(Secret::from),
            client_secret_expires_at: optional(object, "client_secret_expires_at")
                .map(RawValue::to_integer)
                .transpose()?,
            token_endpoint_auth_method: optional(object, "token_endpoint_auth_method")
                .map(TokenAuth::read)
                .transpose()?,
        })
    }
}
