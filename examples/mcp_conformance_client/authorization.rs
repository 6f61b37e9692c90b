//! Gets a token for a server: discovery, registration, the authorization by the user, the token request.
//!
//! The user is a page that consents at once: instead of a browser, this client requests the authorization URL and reads where the response
//! redirects to.

use nanojsonrpc::mcp::authorization::{
    AuthorizationRequest, AuthorizationServer, Challenge, Client, ClientMetadata, ErrorResponse, Expected, Grant, Pkce,
    ProtectedResource, Registered, Registration, Secret, TokenAuth, TokenRequest, TokenResponse, Unguessable,
    WellKnown, select_scope,
};
use nanojsonrpc::{RawValue, Writer};

use crate::Failure;
use crate::http::{Response, request};

/// The URL of the metadata document of this client, as the suite expects it.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";
const REDIRECT: &str = "http://localhost:3000/callback";

/// The room for a URL, a form or the values of a redirect.
const ROOM: usize = 4096;

/// The credentials of a client, and the authorization server that they are for.
pub(crate) struct Known {
    issuer: String,
    id: String,
    secret: Option<String>,
    auth: Option<TokenAuth>,
    /// Whether the user has configured them. A client does not replace these.
    is_configured: bool,
}

impl Known {
    /// The credentials in the context of a scenario, if it has some.
    pub(crate) fn read(context: &str) -> Result<Option<Self>, Failure> {
        if context.is_empty() {
            return Ok(None);
        }
        let context = RawValue::parse(context.as_bytes())?;
        let text = |name| context.get(name).and_then(RawValue::as_str_raw).map(|text| text.to_string());
        Ok(text("client_id").map(|id| Self {
            issuer: text("issuer").unwrap_or_default(),
            id,
            secret: text("client_secret"),
            auth: None,
            is_configured: true,
        }))
    }

    /// The credentials as the token endpoint of `server` wants them.
    fn client(&self, server: &AuthorizationServer<'_>) -> Client<'_> {
        match (&self.secret, self.auth.unwrap_or_else(|| server.token_auth())) {
            (Some(secret), auth @ (TokenAuth::Basic | TokenAuth::Post)) => {
                Client::confidential(&self.id, Secret::from(&**secret), auth)
            }
            _ => Client::public(&self.id),
        }
    }
}

/// The authorization for one server.
pub(crate) struct Authorization {
    url: String,
    known: Option<Known>,
    token: Option<String>,
    /// The scopes of the last request.
    scope: String,
    /// Whether the client acts on its own behalf, with its configured credentials, and not for a user.
    has_no_user: bool,
}

impl Authorization {
    pub(crate) const fn new(url: String, known: Option<Known>) -> Self {
        Self { url, known, token: None, scope: String::new(), has_no_user: false }
    }

    /// For a client that acts on its own behalf.
    pub(crate) fn without_user(self) -> Self {
        Self { has_no_user: true, ..self }
    }

    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    pub(crate) fn scope(&self) -> &str {
        &self.scope
    }

    /// Gets a token after `challenge`. `scope`: the scopes of a step-up.
    pub(crate) fn authorize(&mut self, challenge: &Challenge<'_>, scope: Option<&str>) -> Result<(), Failure> {
        let resource_text = self.resource_metadata(challenge)?;
        let resource = ProtectedResource::read(&resource_text)?;
        resource.check(&self.url)?;
        let issuer = resource.authorization_servers().next().ok_or("no authorization server")?.to_string();

        let server_text = first(WellKnown::of_issuer(&issuer)?)?;
        let server = AuthorizationServer::read(&server_text)?;
        if self.has_no_user {
            server.check_issuer(&issuer)?;
        } else {
            server.check(&issuer)?;
            self.register(&server, &issuer)?;
        }
        let client = self.known.as_ref().ok_or("no credentials")?;

        let mut room = [0; ROOM];
        let scope = match scope {
            Some(scope) => Some(scope),
            None => select_scope(challenge, &resource, &server, true, &mut room)?,
        };
        let resource = resource.resource.to_string();
        let token = if self.has_no_user {
            token(client, &server, Grant::ClientCredentials, &resource, scope)?
        } else {
            token_of_user(client, &server, &issuer, &resource, scope)?
        };
        self.scope = scope.unwrap_or_default().to_owned();
        self.token = Some(token);
        Ok(())
    }

    /// The metadata of the server.
    fn resource_metadata(&self, challenge: &Challenge<'_>) -> Result<Vec<u8>, Failure> {
        match challenge.resource_metadata {
            Some(url) => found(request("GET", url, &[], "")?).ok_or("no metadata at the URL of the challenge".into()),
            None => first(WellKnown::of_resource(&self.url)?),
        }
    }

    /// Gets credentials for the authorization server, unless the client has them.
    fn register(&mut self, server: &AuthorizationServer<'_>, issuer: &str) -> Result<(), Failure> {
        let known = self.known.as_ref();
        // a document has no issuer
        let is_new = |known: &&Known| !known.issuer.is_empty();
        let known_issuer = known.filter(is_new).map(|known| &*known.issuer);
        let credentials = match server.registration(known_issuer, true) {
            Registration::Known => return Ok(()),
            _ if known.is_some_and(|known| known.is_configured) => {
                return Err("the credentials are for another authorization server".into());
            }
            Registration::Document => Known {
                issuer: String::new(),
                id: DOCUMENT.to_owned(),
                secret: None,
                auth: Some(TokenAuth::None),
                is_configured: false,
            },
            Registration::Dynamic => registered(server, issuer)?,
            _ => return Err("the user must register the client".into()),
        };
        self.known = Some(credentials);
        Ok(())
    }
}

/// Registers the client.
fn registered(server: &AuthorizationServer<'_>, issuer: &str) -> Result<Known, Failure> {
    let endpoint = server.registration_endpoint.ok_or("no registration endpoint")?.to_string();
    let mut room = [0; ROOM];
    let mut out = Writer::new(&mut room);
    out.value(&ClientMetadata::new("nanojsonrpc", &[REDIRECT]))?;
    let headers = [("content-type", "application/json")];
    let response = request("POST", &endpoint, &headers, core::str::from_utf8(out.written())?)?;
    if response.status != 201 && response.status != 200 {
        return Err(refused("registration", &response));
    }
    let registered = Registered::read(&response.body)?;
    Ok(Known {
        issuer: issuer.to_owned(),
        id: registered.client_id.to_string(),
        secret: registered.client_secret.map(|secret| secret.expose().to_string()),
        auth: registered.token_endpoint_auth_method,
        is_configured: false,
    })
}

/// Gets a token with the consent of the user.
fn token_of_user(
    known: &Known,
    server: &AuthorizationServer<'_>,
    issuer: &str,
    resource: &str,
    scope: Option<&str>,
) -> Result<String, Failure> {
    let (mut random, mut random_state) = ([0; 32], [0; 16]);
    getrandom::fill(&mut random)?;
    getrandom::fill(&mut random_state)?;
    let (pkce, state) = (Pkce::new(&random), Unguessable::new(&random_state));

    let endpoint = server.authorization_endpoint.ok_or("no authorization endpoint")?.to_string();
    let (client_id, redirect_uri, state) = (&*known.id, REDIRECT, state.as_str());
    let authorization = AuthorizationRequest { client_id, redirect_uri, resource, scope, state, pkce: &pkce };
    let mut room = [0; ROOM];
    let response = request("GET", authorization.write(&endpoint, &mut room)?, &[], "")?;
    let redirect = response.location().and_then(|url| url.strip_prefix(REDIRECT));
    let redirect = redirect.ok_or("the server does not redirect here")?;

    let mut values = [0; ROOM];
    let expected = Expected { state, issuer, sends_issuer: server.sends_issuer };
    let code = expected.read(redirect, &mut values).map_err(|refused| refused.to_string())?;
    token(known, server, Grant::Code { code, redirect_uri, pkce: &pkce }, resource, None)
}

/// Gets a token.
fn token(
    known: &Known,
    server: &AuthorizationServer<'_>,
    grant: Grant<'_>,
    resource: &str,
    scope: Option<&str>,
) -> Result<String, Failure> {
    let client = known.client(server);
    let mut room = [0; ROOM];
    let form = TokenRequest { grant, client: &client, resource, scope }.write(&mut room)?;
    let mut headers = vec![("content-type", "application/x-www-form-urlencoded"), ("accept", "application/json")];
    headers.extend(form.authorization.map(|value| ("authorization", value)));
    let response = request("POST", &server.token_endpoint.to_string(), &headers, form.body)?;
    if response.status != 200 {
        return Err(refused("token", &response));
    }
    Ok(TokenResponse::read(&response.body)?.access_token.expose().to_string())
}

/// The body of the first URL that has one.
fn first(urls: WellKnown<'_>) -> Result<Vec<u8>, Failure> {
    for url in urls {
        if let Some(body) = found(request("GET", &url.to_string(), &[("accept", "application/json")], "")?) {
            return Ok(body);
        }
    }
    Err("no metadata".into())
}

fn found(response: Response) -> Option<Vec<u8>> {
    (response.status == 200).then_some(response.body)
}

/// The error of an authorization server.
fn refused(endpoint: &str, response: &Response) -> Failure {
    match ErrorResponse::read(&response.body) {
        Ok(error) => format!("the {endpoint} endpoint refuses: {}", error.error),
        Err(_) => format!("the {endpoint} endpoint answers with the status {}", response.status),
    }
    .into()
}
