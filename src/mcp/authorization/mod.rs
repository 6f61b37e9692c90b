//! Authorization (OAuth 2.1) as functions: texts in, texts out. A client gets a token for a protected server, and the server refuses requests
//! without one. There is no socket, no heap, no clock and no random number generator here; SHA-256 is that of the crate `sha2`.
//!
//! # The client
//! The program sends each request with its HTTP client, over TLS, and does not follow redirects.
//!
//! | step | request | item |
//! |---|---|---|
//! | 1 | a call without a token; the response has the status 401 | [`Challenge`] |
//! | 2 | `GET` of [`Challenge::resource_metadata`], or else of [`WellKnown::of_resource`] until one answers with 200 | [`ProtectedResource`]: `read`, `check` |
//! | 3 | `GET` of [`WellKnown::of_issuer`] of one of its `authorization_servers`, until one answers with 200 | [`AuthorizationServer`]: `read`, `check` |
//! | 4 | by [`AuthorizationServer::registration`]: none; or `POST` of [`ClientMetadata`] to the registration endpoint | [`Registered`] |
//! | 5 | the browser of the user opens the URL of the [`AuthorizationRequest`], with [`Pkce`], [`Unguessable`], [`select_scope`] | [`Expected::read`] of the redirect |
//! | 6 | `POST` of the [`TokenRequest`] to the token endpoint | [`TokenResponse`], [`ErrorResponse`] |
//! | 7 | the call again, with [`Secret::write_bearer`] as `Authorization` | |
//! | 8 | after the status 403: from step 2, with the scopes of [`StepUp::next`], and the call again; after another 401: from step 2 | [`Challenge::is_insufficient_scope`] |
//!
//! Before the end of a token: step 6 with [`Grant::Refresh`]. A client without a user: steps 1 to 3 with
//! [`check_issuer`](AuthorizationServer::check_issuer), then 6 with [`Grant::ClientCredentials`].
//!
//! ```
//! use nanojsonrpc::mcp::authorization::{
//!     AuthorizationRequest, AuthorizationServer, Challenge, Client, Expected, Grant, Pkce, ProtectedResource, TokenRequest,
//!     TokenResponse, Unguessable, WellKnown, select_scope,
//! };
//!
//! let url = "https://mcp.example.com/mcp";
//! // 1: a call without a token is answered with 401 and a challenge
//! let challenge = Challenge::read(b"Bearer scope=\"read\"").unwrap_or_default();
//! // 2: the challenge names no metadata, so the client requests them here
//! let (mut buffer, mut text) = ([0; 128], [0; 512]);
//! assert!(WellKnown::of_resource(url)?.next().unwrap().write(&mut buffer)?.ends_with("/.well-known/oauth-protected-resource/mcp"));
//! let resource = br#"{"resource":"https://mcp.example.com/mcp","authorization_servers":["https://auth.example.com"]}"#;
//! let resource = ProtectedResource::read(resource)?;
//! resource.check(url)?;
//! // 3
//! let issuer = resource.authorization_servers().next().unwrap().decode(&mut buffer)?;
//! let server = br#"{"issuer":"https://auth.example.com","authorization_endpoint":"https://auth.example.com/authorize",
//!     "token_endpoint":"https://auth.example.com/token","code_challenge_methods_supported":["S256"]}"#;
//! let server = AuthorizationServer::read(server)?;
//! server.check(issuer)?;
//! // 4: the client is registered
//! let client = Client::public("s6BhdRkqt3");
//! // 5
//! let (pkce, state) = (Pkce::new(&[7; 32]), Unguessable::new(&[8; 16])); // random bytes
//! let mut scope = [0; 64];
//! let request = AuthorizationRequest {
//!     client_id: "s6BhdRkqt3",
//!     redirect_uri: "http://127.0.0.1:3000/callback",
//!     resource: url,
//!     scope: select_scope(&challenge, &resource, &server, true, &mut scope)?,
//!     state: state.as_str(),
//!     pkce: &pkce,
//! };
//! assert!(request.write("https://auth.example.com/authorize", &mut text)?.contains("&scope=read"));
//! // the browser comes back
//! let expected = Expected { state: state.as_str(), issuer, sends_issuer: server.sends_issuer };
//! let target = format!("/callback?code=SplxlOBeZQQYbYS6WxSbIA&state={}", state.as_str());
//! let mut values = [0; 256];
//! let code = expected.read(&target, &mut values).map_err(|refused| refused.to_string())?;
//! // 6
//! let grant = Grant::Code { code, redirect_uri: request.redirect_uri, pkce: &pkce };
//! let form = TokenRequest { grant, client: &client, resource: url, scope: None }.write(&mut text)?;
//! assert!(form.body.starts_with("grant_type=authorization_code&code=SplxlOBeZQQYbYS6WxSbIA&"));
//! let response = TokenResponse::read(br#"{"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"Bearer"}"#)?;
//! // 7
//! assert_eq!(response.access_token.write_bearer(&mut text)?, "Bearer 2YotnFZFEjr1zCsicMWpAA");
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # The server
//! [`Protected`] writes the metadata and the challenges; its function [`check`](Protected::check) asks the program about the token and the call,
//! before [`Endpoint::answer`](super::http::Endpoint::answer).
//!
//! [`Seal`] protects the `requestState` of a result that requires input.
//!
//! # Duties of the program
//! - Client: keep credentials and tokens by the `issuer` that they come from, and send a token only to the server that it is for. Limit the length of
//!   the received bodies. Show the user an error of an authorization server only as text. A URL of metadata comes from a peer: a client in a
//!   network that others cannot reach does not request addresses of that network for a foreign server.
//! - Server: check the signature, the issuer, the audience and the expiry of a token, or ask the authorization server. Compare stored tokens in
//!   constant time.
//!
//! # Limits
//! Each function names its output. Texts in JSON may have escapes, such as `https:\/\/`; the URLs of metadata that have them are checked up to 256
//! bytes.
//!
//! # Not supported
//! Keys and signatures: JSON Web Tokens, `private_key_jwt`, DPoP (RFC 9449), signed metadata. Authorization servers.
//!
//! Source: 2026-07-28 and 2025-11-25, Authorization; RFC 6749, RFC 6750, RFC 7591, RFC 7636, RFC 8414, RFC 8707, RFC 9207, RFC 9728.

mod challenge;
mod fault;
mod members;
mod metadata;
mod pkce;
mod registration;
mod request;
mod scope;
mod seal;
mod secret;
mod server;
mod token;
mod url;
mod well_known;

pub use challenge::Challenge;
pub use fault::Fault;
pub use metadata::{AuthorizationServer, ProtectedResource};
pub use pkce::{Pkce, Unguessable};
pub use registration::{ApplicationType, ClientMetadata, Registered, Registration, TokenAuth};
pub use request::{AuthorizationRequest, Expected, NotAuthorized};
pub use scope::{StepUp, select_scope};
pub use seal::{Seal, Unsealed};
pub use secret::Secret;
pub use server::{Access, Decision, Protected, Refusal};
pub use token::{Client, ErrorResponse, Grant, TokenForm, TokenRequest, TokenResponse};
pub use url::is_secure;
pub use well_known::{MetadataUrl, WellKnown};
