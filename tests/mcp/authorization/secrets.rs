//! Texts that no log may show.

use nanojsonrpc::ErrorKind;
use nanojsonrpc::mcp::authorization::{
    Access, Client, Decision, Grant, Pkce, Protected, Registered, Secret, TokenAuth, TokenRequest, TokenResponse,
    Unguessable,
};
use nanojsonrpc::mcp::http::Head;

#[test]
fn no_secret_is_printed() {
    let pkce = Pkce::new(&[7; 32]);
    let hidden = Secret::from("hidden");
    let client = Client::confidential("a", hidden, TokenAuth::Post);
    let grant = Grant::Code { code: hidden, redirect_uri: "b", pkce: &pkce };
    let request = TokenRequest { grant, client: &client, resource: "c", scope: None };
    let mut out = [0; 512];
    let form = request.write(&mut out).expect("room");
    assert!(form.body.contains("hidden"));
    let response = TokenResponse::read(br#"{"access_token":"hidden","token_type":"Bearer","refresh_token":"hidden"}"#)
        .expect("a token");
    let registered = Registered::read(br#"{"client_id":"a","client_secret":"hidden"}"#).expect("a registration");
    let state = Unguessable::new(&[8; 16]);
    let mut printed =
        format!("{request:?} {form:?} {response:?} {registered:?} {pkce:?} {state:?} {:?}", Grant::Refresh(hidden));
    let protected = Protected::new("https://a.example", &["https://b.example"]);
    let seen = |access: &Access<'_>| {
        printed.push_str(&format!("{access:?}"));
        Decision::Allow
    };
    assert!(protected.check(&Head::new("POST"), Some(b"Bearer hidden"), b"", seen, &mut []).is_none());
    assert!(printed.contains("Secret(..)") && printed.contains(pkce.challenge()), "{printed}");
    for secret in ["hidden", pkce.verifier(), state.as_str()] {
        assert!(!printed.contains(secret), "{printed}");
    }
}

#[test]
fn a_token_ends_no_header() {
    let mut out = [0; 64];
    for text in ["a\r\nb", "a b", "a\0", "caf\u{e9}", "a\u{7f}", ""] {
        let refused = Secret::from(text).write_bearer(&mut out).map_err(|error| error.kind());
        assert_eq!(refused, Err(ErrorKind::InvalidValue), "{text:?}");
    }
    assert_eq!(Secret::from("a!~").write_bearer(&mut out), Ok("Bearer a!~"));
    assert_eq!(Secret::from("a b").decode(&mut out), Ok("a b"));
    assert_eq!(
        Secret::from("a\nb").decode(&mut out).map_err(|error| (error.kind(), error.offset())),
        Err((ErrorKind::InvalidValue, 1))
    );
    for room in 0..8 {
        let refused = Secret::from("a").write_bearer(&mut vec![0; room]).map(str::len).map_err(|error| error.kind());
        assert_eq!(refused, Err(ErrorKind::OutputFull), "{room}");
    }
    assert_eq!(Secret::from("a").write_bearer(&mut [0; 8]), Ok("Bearer a"));
}
