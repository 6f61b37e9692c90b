//! The choice of scopes, and step-up.

use nanojsonrpc::ErrorKind;
use nanojsonrpc::mcp::authorization::{AuthorizationServer, Challenge, ProtectedResource, StepUp, select_scope};

/// The scopes for a challenge, with the `scopes_supported` of a server and of an authorization server.
fn select(
    challenge: &str,
    of_resource: &str,
    of_server: &str,
    refreshes: bool,
    room: usize,
) -> Result<Option<String>, ErrorKind> {
    let resource = format!(r#"{{"resource":"https://a.example"{of_resource}}}"#);
    let server = format!(r#"{{"issuer":"https://b.example","token_endpoint":"https://b.example"{of_server}}}"#);
    let challenge = Challenge::read(challenge.as_bytes()).expect("a challenge");
    let resource = ProtectedResource::read(resource.as_bytes()).expect("metadata");
    let server = AuthorizationServer::read(server.as_bytes()).expect("metadata");
    let mut out = vec![0; room];
    let scope = select_scope(&challenge, &resource, &server, refreshes, &mut out);
    scope.map(|scope| scope.map(str::to_owned)).map_err(|error| error.kind())
}

#[test]
fn scopes_are_those_of_the_challenge_or_else_of_the_metadata() {
    let listed = r#","scopes_supported":["read","write","read","w\u0072ite",""]"#;
    let offline = r#","scopes_supported":["offline_access"]"#;
    for (challenge, of_resource, of_server, refreshes, expected) in [
        ("Bearer scope=files", listed, "", true, Some("files")),
        (r#"Bearer scope="b  a b""#, listed, "", true, Some("b a")),
        ("Bearer", listed, "", false, Some("read write")),
        ("Bearer", listed, offline, false, Some("read write")),
        ("Bearer", listed, offline, true, Some("read write offline_access")),
        ("Bearer", listed, listed, true, Some("read write")),
        ("Bearer scope=offline_access", "", offline, true, Some("offline_access")),
        ("Bearer", "", "", true, None),
        ("Bearer", r#","scopes_supported":[]"#, "", false, None),
        ("Bearer", "", offline, true, Some("offline_access")),
        (r#"Bearer scope="""#, listed, "", false, None),
    ] {
        let scope = select(challenge, of_resource, of_server, refreshes, 64);
        assert_eq!(scope, Ok(expected.map(str::to_owned)), "{challenge} {of_resource} {of_server}");
    }
}

#[test]
fn a_scope_with_a_forbidden_byte_or_without_room_is_refused() {
    for scope in [r#""a b""#, r#""a\"b""#, r#""a\\b""#, r#""caf\u00e9""#, r#""a\nb""#] {
        let listed = format!(r#","scopes_supported":[{scope}]"#);
        assert_eq!(select("Bearer", &listed, "", false, 64), Err(ErrorKind::InvalidValue), "{scope}");
    }
    for room in 0..7 {
        assert_eq!(select(r#"Bearer scope="abc def""#, "", "", false, room), Err(ErrorKind::OutputFull), "{room}");
    }
    assert_eq!(select(r#"Bearer scope="abc def""#, "", "", false, 7), Ok(Some("abc def".to_owned())));
}

#[test]
fn a_step_up_keeps_the_requested_scopes_and_ends() {
    let challenge = |scope: &'static str| Challenge::read(scope.as_bytes()).expect("a challenge");
    let write = challenge(r#"Bearer error="insufficient_scope", scope="write""#);
    let mut out = [0; 64];
    let mut step_up = StepUp::default();
    assert_eq!(step_up.next(&write, "", &mut out), Ok(Some("write")));
    assert_eq!(step_up.next(&write, "read", &mut out), Ok(Some("read write")));
    assert_eq!(step_up.next(&write, "read write", &mut out), Ok(None));

    let mut step_up = StepUp::new();
    for other in ["Bearer error=invalid_token, scope=write", "Bearer scope=write"] {
        assert_eq!(step_up.next(&challenge(other), "read", &mut out), Ok(None), "{other}");
    }
    assert_eq!(step_up.next(&challenge("Bearer error=insufficient_scope"), "", &mut out), Ok(None));
    assert_eq!(step_up.next(&write, "read", &mut [0; 8]).map_err(|error| error.kind()), Err(ErrorKind::OutputFull));
}
