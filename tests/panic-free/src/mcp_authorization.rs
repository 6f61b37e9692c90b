//! Authorization of the Model Context Protocol.

use nanojsonrpc::mcp::authorization::{
    Access, AuthorizationRequest, AuthorizationServer, Challenge, Client, ClientMetadata, Decision, ErrorResponse,
    Expected, Fault, Grant, Pkce, Protected, ProtectedResource, Registered, Seal, Secret, StepUp, TokenAuth,
    TokenRequest, TokenResponse, Unguessable, WellKnown, is_secure, select_scope,
};
use nanojsonrpc::mcp::http::Head;
use nanojsonrpc::{RawStr, RawValue, Writer};

use crate::{any, name, used};

fn texts<'a>(texts: impl Iterator<Item = RawStr<'a>>) {
    texts.for_each(used);
}

fn checked(verdict: Result<(), Fault>) {
    used(verdict.map_err(Fault::as_str));
}

#[unsafe(no_mangle)]
pub fn authorization_metadata(text: &[u8], more: &[u8], out: &mut [u8]) {
    let challenge = Challenge::read(text).unwrap_or_default();
    used(challenge.is_insufficient_scope());
    used(StepUp::new().next(&challenge, name(more), out));
    for urls in [WellKnown::of_resource(name(text)), WellKnown::of_issuer(name(text))] {
        used(urls.map(|urls| urls.for_each(|url| used(url.write(out)))));
    }
    used(is_secure(name(text)));
    if let (Ok(resource), Ok(server)) = (ProtectedResource::read(text), AuthorizationServer::read(more)) {
        checked(resource.check(name(text)));
        texts(resource.authorization_servers());
        texts(resource.scopes_supported().into_iter().flatten());
        texts(server.scopes_supported().into_iter().flatten());
        checked(server.check(name(text)));
        checked(server.check_issuer(name(text)));
        used((server.registration(Some(name(text)), any(more) == 1), server.token_auth()));
        used(select_scope(&challenge, &resource, &server, any(text) == 1, out));
    }
}

#[unsafe(no_mangle)]
pub fn authorization_requests(text: &[u8], more: &[u8], random: &[u8; 32], half: &[u8; 16], out: &mut [u8]) {
    let (pkce, state) = (Pkce::new(random), Unguessable::new(half));
    let text = name(text);
    let request = AuthorizationRequest {
        client_id: text,
        redirect_uri: text,
        resource: text,
        scope: Some(text),
        state: state.as_str(),
        pkce: &pkce,
    };
    used(request.write(text, out));
    let uris = [text];
    used(Writer::new(out).value(&ClientMetadata::new(text, &uris)));
    let expected = Expected { state: text, issuer: text, sends_issuer: any(more) == 1 };
    let mut values = [0; 64];
    let code = expected.read(name(more), &mut values).unwrap_or(Secret::from(text));
    let client = match any(more) {
        0 => Client::public(text),
        1 => Client::confidential(text, code, TokenAuth::Basic),
        _ => Client::confidential(text, code, TokenAuth::Post),
    };
    let grant = match any(more) {
        0 => Grant::Code { code, redirect_uri: text, pkce: &pkce },
        1 => Grant::Refresh(code),
        _ => Grant::ClientCredentials,
    };
    let form = TokenRequest { grant, client: &client, resource: text, scope: Some(text) }.write(out);
    used(form.map(|form| (form.body.len(), form.authorization.map(str::len))));
    used((pkce.challenge(), pkce.verifier()));
}

#[unsafe(no_mangle)]
pub fn authorization_responses(text: &[u8], out: &mut [u8]) {
    if let Ok(response) = TokenResponse::read(text) {
        used(response.access_token.write_bearer(out).is_ok());
        used(response.access_token.decode(out).is_ok());
        used(response.access_token.expose());
    }
    used(Registered::read(text));
    used(ErrorResponse::read(text));
}

#[unsafe(no_mangle)]
pub fn authorization_server(text: &[u8], more: &[u8], out: &mut [u8]) {
    let servers = [name(text)];
    let protected = Protected::new(name(more), &servers).with_scopes(&servers).with_name(name(text));
    used((protected.metadata_url(), protected.is_metadata(name(text))));
    used(Writer::new(out).value(&protected));
    let decide = |access: &Access<'_>| match any(text) {
        0 if access.token.is_some() && access.method.is_none() => Decision::Allow,
        1 => Decision::Unauthorized,
        _ => Decision::InsufficientScope(name(text)),
    };
    if let Some(refusal) = protected.check(&Head::new(name(text)), Some(text), more, decide, out) {
        used((refusal.status(), refusal.headers()));
    }
    used(protected.refuse(Decision::Unauthorized, any(text) == 1, out));
}

#[unsafe(no_mangle)]
pub fn authorization_seal(text: &[u8], key: &[u8; 32], out: &mut [u8]) {
    let seal = Seal::new(key);
    used(seal.write(text, &[text], any(text) as u64, out));
    let raw = RawValue::parse(text).ok().and_then(RawValue::as_str_raw).unwrap_or_default();
    used(seal.open(raw, &[text, key], any(text) as u64, out));
}
