//! The token request and its response.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nanojsonrpc::ErrorKind;
use nanojsonrpc::mcp::authorization::{
    Client, Grant, Pkce, Registered, Secret, TokenAuth, TokenRequest, TokenResponse,
};

fn form(grant: Grant<'_>, client: &Client<'_>, scope: Option<&str>) -> (String, Option<String>) {
    let mut out = [0; 1024];
    let request = TokenRequest { grant, client, resource: "https://mcp.example.com/mcp", scope };
    let form = request.write(&mut out).expect("room");
    (form.body.to_owned(), form.authorization.map(str::to_owned))
}

const RESOURCE: &str = "&resource=https%3A%2F%2Fmcp.example.com%2Fmcp";

#[test]
fn each_grant_is_a_form() {
    let pkce = Pkce::new(&[7; 32]);
    let client = Client::public("https://app.example.com/client.json");
    let id = "&client_id=https%3A%2F%2Fapp.example.com%2Fclient.json";
    let code = Grant::Code { code: Secret::from("Splx/lO+B"), redirect_uri: "http://127.0.0.1/cb", pkce: &pkce };
    let verifier = pkce.verifier();
    let expected = format!(
        "grant_type=authorization_code&code=Splx%2FlO%2BB&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb&code_verifier={verifier}{RESOURCE}{id}"
    );
    assert_eq!(form(code, &client, None), (expected, None));
    let refresh = Grant::Refresh(Secret::from("tGzv3JOkF0XG5Qx2TlKWIA"));
    let expected = format!("grant_type=refresh_token&refresh_token=tGzv3JOkF0XG5Qx2TlKWIA{RESOURCE}&scope=read{id}");
    assert_eq!(form(refresh, &client, Some("read")), (expected, None));
    let client = Client::confidential("a", Secret::from("b&c"), TokenAuth::Post);
    let expected = format!("grant_type=client_credentials{RESOURCE}&client_id=a&client_secret=b%26c");
    assert_eq!(form(Grant::ClientCredentials, &client, None), (expected, None));
    // the client does not send the secret
    let client = Client::confidential("a", Secret::from("b"), TokenAuth::None);
    assert_eq!(
        form(Grant::ClientCredentials, &client, None).0,
        format!("grant_type=client_credentials{RESOURCE}&client_id=a")
    );
}

#[test]
fn a_secret_in_the_header_is_encoded_as_in_a_form() {
    // the lengths of both fill the last group of base64 in each way
    for (id, secret) in
        [("s6BhdRkqt3", "gX1fBat3bV"), ("a", ""), ("a", "b"), ("a", "bc"), ("a", "bcd"), ("a:b", "c d/\u{e9}%")]
    {
        let client = Client::confidential(id, Secret::from(secret), TokenAuth::Basic);
        let (body, header) = form(Grant::ClientCredentials, &client, None);
        assert_eq!(body, format!("grant_type=client_credentials{RESOURCE}"));
        let encoded = |text: &str| {
            text.replace('%', "%25")
                .replace(':', "%3A")
                .replace(' ', "%20")
                .replace('/', "%2F")
                .replace('\u{e9}', "%C3%A9")
        };
        let expected = format!("Basic {}", STANDARD.encode(format!("{}:{}", encoded(id), encoded(secret))));
        assert_eq!(header, Some(expected), "{id} {secret}");
    }
}

#[test]
fn a_secret_of_a_response_is_decoded_before_it_is_sent() {
    let registered = Registered::read(br#"{"client_id":"a","client_secret":"b\/c"}"#).expect("a registration");
    let client = Client::confidential("a", registered.client_secret.expect("a secret"), TokenAuth::Post);
    assert!(form(Grant::ClientCredentials, &client, None).0.ends_with("&client_secret=b%2Fc"));
}

#[test]
fn a_request_is_written_whole_or_not_at_all() {
    let client = Client::confidential("a", Secret::from("b"), TokenAuth::Basic);
    let (body, header) = form(Grant::ClientCredentials, &client, None);
    let len = body.len() + header.expect("a header").len();
    let request = TokenRequest {
        grant: Grant::ClientCredentials,
        client: &client,
        resource: "https://mcp.example.com/mcp",
        scope: None,
    };
    assert!(request.write(&mut vec![0; len]).is_ok());
    for room in (0..len).step_by(if cfg!(miri) { 61 } else { 1 }) {
        let refused = request.write(&mut vec![0; room]).map(drop).map_err(|error| error.kind());
        assert_eq!(refused, Err(ErrorKind::OutputFull), "{room}");
    }
}

#[test]
fn the_example_of_a_token_response_is_read() {
    // RFC 6749 §5.1 has `example`, a type that this crate does not know
    let text = br#"{"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"example","expires_in":3600,"example_parameter":"example_value"}"#;
    assert_eq!(TokenResponse::read(text).map(drop).map_err(|error| error.kind()), Err(ErrorKind::UnknownVariant));
    // RFC 6750 §4
    let text = br#"{"access_token":"mF_9.B5f-4.1JqM","token_type":"Bearer","expires_in":3600,"refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA"}"#;
    let response = TokenResponse::read(text).expect("a token");
    let mut out = [0; 64];
    assert_eq!(response.access_token.write_bearer(&mut out), Ok("Bearer mF_9.B5f-4.1JqM"));
    assert_eq!((response.expires_in, response.scope), (Some(3600), None));
    assert_eq!(response.refresh_token.expect("a token").decode(&mut out), Ok("tGzv3JOkF0XG5Qx2TlKWIA"));
    for kind in ["bearer", "BEARER", "be\\u0061rer"] {
        let text = format!(r#"{{"access_token":"a","token_type":"{kind}"}}"#);
        assert!(TokenResponse::read(text.as_bytes()).is_ok(), "{kind}");
    }
}

#[test]
fn a_text_that_is_no_token_response_is_refused() {
    use ErrorKind::{InvalidValue, MissingField, UnexpectedEnd, UnexpectedType, UnknownVariant};
    for (text, kind) in [
        ("", UnexpectedEnd),
        ("access_token=a&token_type=bearer", ErrorKind::ExpectedValue),
        ("[]", UnexpectedType),
        (r#"{"token_type":"Bearer"}"#, MissingField),
        (r#"{"access_token":"a"}"#, MissingField),
        (r#"{"access_token":1,"token_type":"Bearer"}"#, UnexpectedType),
        (r#"{"access_token":"a","token_type":"mac"}"#, UnknownVariant),
        (r#"{"access_token":"a","token_type":"Bearer","expires_in":"3600"}"#, UnexpectedType),
        (r#"{"access_token":"a","token_type":"Bearer","expires_in":-1}"#, InvalidValue),
        (r#"{"access_token":"a","token_type":"Bearer","refresh_token":1}"#, UnexpectedType),
        (r#"{"access_token":"a","token_type":"Bearer","scope":[]}"#, UnexpectedType),
    ] {
        let refused = TokenResponse::read(text.as_bytes()).map(drop).map_err(|error| error.kind());
        assert_eq!(refused, Err(kind), "{text}");
    }
}
