//! The authorization request, its proof, and the metadata of a client.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use nanojsonrpc::mcp::authorization::{
    ApplicationType, AuthorizationRequest, ClientMetadata, Pkce, TokenAuth, Unguessable,
};
use nanojsonrpc::{ErrorKind, Writer};
use proptest::prelude::*;

#[test]
fn the_proof_is_that_of_the_standard() {
    // RFC 7636, appendix B
    let random = URL_SAFE_NO_PAD.decode("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").expect("base64url");
    let pkce = Pkce::new(&random.try_into().expect("32 bytes"));
    assert_eq!(pkce.verifier(), "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
    assert_eq!(pkce.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

proptest! {
    #[test]
    fn random_bytes_are_written_as_another_encoder_writes_them(random: [u8; 32], state: [u8; 16]) {
        let pkce = Pkce::new(&random);
        prop_assert_eq!(pkce.verifier(), URL_SAFE_NO_PAD.encode(random));
        prop_assert_eq!(pkce.challenge().len(), 43);
        let text = Unguessable::new(&state);
        prop_assert_eq!(text.as_str(), URL_SAFE_NO_PAD.encode(state));
    }
}

const ENDPOINT: &str = "https://auth.example.com/authorize";

/// Writes a request of `client_id` to `endpoint`.
fn url(client_id: &str, endpoint: &str, scope: Option<&str>, room: usize) -> Result<String, ErrorKind> {
    let pkce = Pkce::new(&[7; 32]);
    let (redirect_uri, resource, state) = ("http://127.0.0.1:3000/cb", "https://mcp.example.com", "s t&a=b");
    let request = AuthorizationRequest { client_id, redirect_uri, resource, scope, state, pkce: &pkce };
    request.write(endpoint, &mut vec![0; room]).map(str::to_owned).map_err(|error| error.kind())
}

#[test]
fn the_parameters_are_percent_encoded() {
    let url = url("a \u{e9}+/?#&=%~-._", ENDPOINT, Some("read write"), 512).expect("a URL");
    let challenge = Pkce::new(&[7; 32]).challenge().to_owned();
    let expected = format!(
        "{ENDPOINT}?response_type=code&client_id=a%20%C3%A9%2B%2F%3F%23%26%3D%25~-._&redirect_uri=http%3A%2F%2F127.0.0.1%3A3000%2Fcb\
        &state=s%20t%26a%3Db&code_challenge={challenge}&code_challenge_method=S256&resource=https%3A%2F%2Fmcp.example.com\
        &scope=read%20write"
    );
    assert_eq!(url, expected);
}

#[test]
fn the_query_of_an_endpoint_is_kept() {
    for (endpoint, front) in [
        (format!("{ENDPOINT}?tenant=1"), format!("{ENDPOINT}?tenant=1&response_type=code&")),
        (format!("{ENDPOINT}?"), format!("{ENDPOINT}?response_type=code&")),
        (format!("{ENDPOINT}?tenant=1&"), format!("{ENDPOINT}?tenant=1&response_type=code&")),
    ] {
        let url = url("a", &endpoint, None, 512).expect("a URL");
        assert!(url.starts_with(&front) && !url.contains("scope"), "{url}");
    }
}

#[test]
fn a_request_is_written_whole_to_a_valid_endpoint_or_refused() {
    let whole = url("a", ENDPOINT, Some("read"), 512).expect("a URL");
    assert_eq!(url("a", ENDPOINT, Some("read"), whole.len()).as_ref(), Ok(&whole));
    for room in (0..whole.len()).step_by(if cfg!(miri) { 61 } else { 1 }) {
        assert_eq!(url("a", ENDPOINT, Some("read"), room), Err(ErrorKind::OutputFull), "{room}");
    }
    for endpoint in ["", "javascript:alert(1)", "https://a.example/#b", "https://a.example/ --option"] {
        assert_eq!(url("a", endpoint, None, 512), Err(ErrorKind::InvalidValue), "{endpoint}");
    }
}

#[test]
fn the_metadata_of_a_client_is_a_registration_or_a_document() {
    let mut metadata = ClientMetadata::new("a \"client\"", &["https://app.example.com/cb", "http://localhost/cb"]);
    let mut buffer = [0; 1024];
    let mut out = Writer::new(&mut buffer);
    out.value(&metadata).expect("room");
    let read = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).expect("JSON");
    let registration = serde_json::json!({"client_name": "a \"client\"", "redirect_uris": ["https://app.example.com/cb", "http://localhost/cb"],
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        "token_endpoint_auth_method": "none", "application_type": "native"});
    assert_eq!(read(out.written()), registration);

    metadata.client_id = Some("https://app.example.com/client.json");
    metadata.client_uri = Some("https://app.example.com");
    metadata.scope = Some("read write");
    metadata.grant_types = &["client_credentials"];
    metadata.token_endpoint_auth_method = TokenAuth::Basic;
    metadata.application_type = ApplicationType::Web;
    out.clear();
    out.value(&metadata).expect("room");
    let document = read(out.written());
    for (name, value) in [
        ("client_id", "https://app.example.com/client.json"),
        ("client_uri", "https://app.example.com"),
        ("scope", "read write"),
        ("token_endpoint_auth_method", "client_secret_basic"),
        ("application_type", "web"),
    ] {
        assert_eq!(document[name], value, "{name}");
    }
}
