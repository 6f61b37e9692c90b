//! The metadata of servers and of authorization servers.

use nanojsonrpc::mcp::authorization::{
    AuthorizationServer, ErrorResponse, Fault, ProtectedResource, Registered, Registration, TokenAuth,
};
use nanojsonrpc::{Error, ErrorKind};

const URL: &str = "https://mcp.example.com/mcp";

fn resource(resource: &str) -> String {
    format!(r#"{{"resource":{resource},"authorization_servers":["https://auth.example.com"]}}"#)
}

/// The verdict on metadata of `identifier` for the server at `url`.
fn check(identifier: &str, url: &str) -> Result<(), Fault> {
    let text = resource(&serde_json::to_string(identifier).expect("a string"));
    ProtectedResource::read(text.as_bytes()).expect("metadata").check(url)
}

#[test]
fn the_example_of_protected_resource_metadata_is_read() {
    // RFC 9728 §3.2
    let text = br#"{"resource":"https://resource.example.com",
        "authorization_servers":["https://as1.example.com","https://as2.example.net"],
        "bearer_methods_supported":["header","body"],"scopes_supported":["profile","email","phone"],
        "resource_documentation":"https://resource.example.com/resource_documentation.html"}"#;
    let metadata = ProtectedResource::read(text).expect("metadata");
    assert_eq!(metadata.resource, "https://resource.example.com");
    assert!(metadata.authorization_servers().eq(["https://as1.example.com", "https://as2.example.net"]));
    assert!(metadata.scopes_supported().expect("scopes").eq(["profile", "email", "phone"]));
    assert_eq!(metadata.check("https://resource.example.com/"), Ok(()));
}

#[test]
fn a_resource_is_the_server_or_above_it() {
    for (identifier, url) in [
        (URL, URL),
        ("https://mcp.example.com", URL),
        ("https://mcp.example.com/", URL),
        ("https://mcp.example.com/mcp/", URL),
        ("HTTPS://MCP.example.com:443/mcp", URL),
        ("https://mcp.example.com", "https://mcp.example.com/"),
        ("https://mcp.example.com/", "https://mcp.example.com"),
        ("https://mcp.example.com/mcp", "https://mcp.example.com:443/mcp/a?b"),
        ("http://mcp.example.com/mcp", "http://mcp.example.com:80/mcp"),
        ("https://mcp.example.com/mcp?a=1", "https://mcp.example.com/mcp?a=1"),
    ] {
        assert_eq!(check(identifier, url), Ok(()), "{identifier} for {url}");
    }
    for (identifier, url) in [
        ("https://evil.example.com/mcp", URL),
        ("https://mcp.example.com.evil.example/mcp", URL),
        ("http://mcp.example.com/mcp", URL),
        ("https://mcp.example.com:8443/mcp", URL),
        ("https://mcp.example.com:80/mcp", URL),
        ("https://mcp.example.com/mc", URL),
        ("https://mcp.example.com/mcp/other", URL),
        ("https://mcp.example.com/MCP", URL),
        ("https://mcp.example.com/mcp?a=1", URL),
        ("https://mcp.example.com/mcp#a", URL),
        ("https://mcp.example.com@evil.example/mcp", URL),
        ("mcp.example.com/mcp", URL),
        ("", URL),
        (URL, "mcp"),
    ] {
        assert_eq!(check(identifier, url), Err(Fault::OtherResource), "{identifier} for {url}");
    }
}

#[test]
fn escapes_in_urls_are_decoded_up_to_a_limit() {
    let text = resource(r#""https:\/\/mcp.example.com\/mcp""#);
    assert_eq!(ProtectedResource::read(text.as_bytes()).expect("metadata").check(URL), Ok(()));
    let text = resource(&format!(r#""https:\/\/mcp.example.com\/{}""#, "a".repeat(256)));
    let url = format!("https://mcp.example.com/{}", "a".repeat(256));
    assert_eq!(ProtectedResource::read(text.as_bytes()).expect("metadata").check(&url), Err(Fault::OtherResource));
    assert_eq!(check(&url, &url), Ok(()));
}

#[test]
fn metadata_names_an_authorization_server() {
    for servers in [
        "",
        r#","authorization_servers":null"#,
        r#","authorization_servers":[]"#,
        r#","authorization_servers":[1]"#,
        r#","authorization_servers":"https://auth.example.com""#,
    ] {
        let text = format!(r#"{{"resource":"{URL}"{servers}}}"#);
        let metadata = ProtectedResource::read(text.as_bytes()).expect("metadata");
        assert_eq!(metadata.check(URL), Err(Fault::NoAuthorizationServer), "{servers}");
        assert!(metadata.scopes_supported().is_none());
    }
}

fn kinds<T>(texts: &[(&str, ErrorKind)], read: impl Fn(&'static [u8]) -> Result<T, Error>) {
    for (text, kind) in texts {
        let text: &'static str = text.to_string().leak();
        assert_eq!(read(text.as_bytes()).map(drop).map_err(|error| error.kind()), Err(*kind), "{text}");
    }
}

#[test]
fn a_text_that_is_no_metadata_is_refused() {
    use ErrorKind::{InvalidValue, MissingField, UnexpectedEnd, UnexpectedType, UnknownVariant};
    kinds(
        &[("{", UnexpectedEnd), ("[]", UnexpectedType), ("{}", MissingField), (r#"{"resource":1}"#, UnexpectedType)],
        ProtectedResource::read,
    );
    kinds(
        &[
            ("", UnexpectedEnd),
            ("null", UnexpectedType),
            (r#"{"issuer":"a"}"#, MissingField),
            (r#"{"token_endpoint":"a"}"#, MissingField),
            (r#"{"issuer":"a","token_endpoint":[]}"#, UnexpectedType),
            (r#"{"issuer":"a","token_endpoint":"b","authorization_endpoint":1}"#, UnexpectedType),
            (r#"{"issuer":"a","token_endpoint":"b","registration_endpoint":1}"#, UnexpectedType),
            (r#"{"issuer":"a","token_endpoint":"b","client_id_metadata_document_supported":1}"#, UnexpectedType),
            (
                r#"{"issuer":"a","token_endpoint":"b","authorization_response_iss_parameter_supported":"true"}"#,
                UnexpectedType,
            ),
        ],
        AuthorizationServer::read,
    );
    kinds(
        &[
            ("{", UnexpectedEnd),
            ("[]", UnexpectedType),
            ("{}", MissingField),
            (r#"{"client_id":"a","client_secret":1}"#, UnexpectedType),
            (r#"{"client_id":"a","client_secret_expires_at":-1}"#, InvalidValue),
            (r#"{"client_id":"a","token_endpoint_auth_method":"private_key_jwt"}"#, UnknownVariant),
        ],
        Registered::read,
    );
    kinds(
        &[
            ("x", ErrorKind::ExpectedValue),
            ("1", UnexpectedType),
            ("{}", MissingField),
            (r#"{"error":"a","error_description":{}}"#, UnexpectedType),
        ],
        ErrorResponse::read,
    );
}

/// Metadata of `https://auth.example.com` with these members.
fn server(members: &str) -> String {
    format!(r#"{{"issuer":"https://auth.example.com","token_endpoint":"https://auth.example.com/token"{members}}}"#)
}

#[test]
fn an_authorization_server_has_what_the_specification_demands() {
    const ALL: &str = r#","authorization_endpoint":"https://auth.example.com/authorize","code_challenge_methods_supported":["plain","S256"]"#;
    for (members, verdict) in [
        (ALL.to_owned(), Ok(())),
        (ALL.replace("S256", "s256"), Err(Fault::NoCodeChallenge)),
        (ALL.replace(r#"["plain","S256"]"#, "null"), Err(Fault::NoCodeChallenge)),
        (r#","code_challenge_methods_supported":["S256"]"#.to_owned(), Err(Fault::NoAuthorizationEndpoint)),
        (ALL.replace("https://auth.example.com/authorize", "http://auth.example.com/authorize"), Err(Fault::NotSecure)),
        (ALL.replace("https://auth.example.com/authorize", "javascript:alert(1)"), Err(Fault::NotSecure)),
        (ALL.replace("https://auth.example.com/authorize", "http://localhost:8080/authorize"), Ok(())),
        (format!(r#"{ALL},"registration_endpoint":"http://auth.example.com/register""#), Err(Fault::NotSecure)),
        (format!(r#"{ALL},"registration_endpoint":"https:\/\/auth.example.com\/register""#), Ok(())),
        (
            format!(r#"{ALL},"registration_endpoint":"https:\/\/auth.example.com\/{}""#, "a".repeat(256)),
            Err(Fault::NotSecure),
        ),
    ] {
        let text = server(&members);
        let metadata = AuthorizationServer::read(text.as_bytes()).expect("metadata");
        assert_eq!(metadata.check("https://auth.example.com"), verdict, "{members}");
        let without_user = verdict.or_else(|fault| if fault == Fault::NotSecure { Err(fault) } else { Ok(()) });
        assert_eq!(metadata.check_issuer("https://auth.example.com"), without_user, "{members}");
        for other in [
            "https://auth.example.com/",
            "https://AUTH.example.com",
            "https://auth.example.com:443",
            "https://attacker.example",
            "",
        ] {
            assert_eq!(metadata.check(other), Err(Fault::OtherIssuer), "{other}");
        }
    }
    let text = server("").replace("https://auth.example.com/token", "http://auth.example.com/token");
    let metadata = AuthorizationServer::read(text.as_bytes()).expect("metadata");
    assert_eq!(metadata.check_issuer("https://auth.example.com"), Err(Fault::NotSecure));
}

#[test]
fn a_client_registers_in_the_order_of_the_specification() {
    let both =
        r#","client_id_metadata_document_supported":true,"registration_endpoint":"https://auth.example.com/register""#;
    let one =
        r#","client_id_metadata_document_supported":false,"registration_endpoint":"https://auth.example.com/register""#;
    for (members, known, has_document, expected) in [
        (both, Some("https://auth.example.com"), true, Registration::Known),
        (both, Some("https://other.example.com"), true, Registration::Document),
        (both, None, true, Registration::Document),
        (both, None, false, Registration::Dynamic),
        (one, Some("https://auth.example.com/"), true, Registration::Dynamic),
        ("", None, true, Registration::Manual),
        ("", Some("https://auth.example.com"), false, Registration::Known),
    ] {
        let text = server(members);
        let metadata = AuthorizationServer::read(text.as_bytes()).expect("metadata");
        assert_eq!(metadata.registration(known, has_document), expected, "{members} {known:?} {has_document}");
    }
}

#[test]
fn a_client_authenticates_as_the_server_supports() {
    for (methods, expected) in [
        ("", TokenAuth::Basic),
        (r#","token_endpoint_auth_methods_supported":["none"]"#, TokenAuth::None),
        (r#","token_endpoint_auth_methods_supported":["none","client_secret_post"]"#, TokenAuth::Post),
        (r#","token_endpoint_auth_methods_supported":["client_secret_post","client_secret_basic"]"#, TokenAuth::Basic),
        (r#","token_endpoint_auth_methods_supported":["private_key_jwt"]"#, TokenAuth::Basic),
    ] {
        let text = server(methods);
        assert_eq!(AuthorizationServer::read(text.as_bytes()).expect("metadata").token_auth(), expected, "{methods}");
    }
}

#[test]
fn the_example_of_a_registration_is_read() {
    // RFC 7591 §3.2.1
    let text =
        br#"{"client_id":"s6BhdRkqt3","client_secret":"cf136dc3c1fc93f31185e5885805d","client_id_issued_at":2893256800,
        "client_secret_expires_at":2893276800,"redirect_uris":["https://client.example.org/callback"],
        "token_endpoint_auth_method":"client_secret_basic"}"#;
    let registered = Registered::read(text).expect("a registration");
    assert_eq!(registered.client_id, "s6BhdRkqt3");
    assert_eq!(registered.client_secret_expires_at, Some(2_893_276_800));
    assert!(registered.client_secret.is_some_and(|secret| secret.expose() == "cf136dc3c1fc93f31185e5885805d"));
    let registered = Registered::read(br#"{"client_id":"a","client_secret":null}"#).expect("a registration");
    assert!(registered.client_secret.is_none() && registered.token_endpoint_auth_method.is_none());
    // RFC 7591 §3.2.2
    let text = br#"{"error":"invalid_redirect_uri","error_description":"The redirection URI http://sketchy.example.com is not allowed by this server."}"#;
    let error = ErrorResponse::read(text).expect("an error");
    assert_eq!(error.error, "invalid_redirect_uri");
    assert!(error.error_description.is_some_and(|text| text.strip_prefix("The redirection URI").is_some()));
}
