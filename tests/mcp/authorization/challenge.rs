//! The header `WWW-Authenticate`.

use nanojsonrpc::mcp::authorization::Challenge;

/// The scope of the challenge in `value`; `None` without a challenge.
fn scope(value: &str) -> Option<Option<&str>> {
    Challenge::read(value.as_bytes()).map(|challenge| challenge.scope)
}

#[test]
fn the_examples_of_the_standards_are_read() {
    // RFC 6750 §3, RFC 9728 §5.1
    let challenge = Challenge::read(
        br#"Bearer realm="example", error="invalid_token", error_description="The access token expired""#,
    );
    let challenge = challenge.expect("a challenge");
    assert_eq!(challenge.error, Some("invalid_token"));
    assert_eq!(challenge.error_description, Some("The access token expired"));
    assert!(!challenge.is_insufficient_scope());
    let value = br#"Bearer resource_metadata="https://resource.example.com/.well-known/oauth-protected-resource""#;
    let url = "https://resource.example.com/.well-known/oauth-protected-resource";
    assert_eq!(Challenge::read(value).and_then(|challenge| challenge.resource_metadata), Some(url));
    // RFC 9110 §11.6.1
    let value = r#"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#;
    assert_eq!(scope(value), None);
    assert_eq!(scope(&format!("{value}, Bearer scope=a")), Some(Some("a")));
    assert_eq!(scope(&format!("Bearer scope=a, {value}")), Some(Some("a")));
}

#[test]
fn each_spelling_of_a_challenge_is_read() {
    for (value, expected) in [
        ("Bearer", None),
        ("bearer", None),
        ("BEARER  SCOPE = \"a b\"", Some("a b")),
        (",, \t, Bearer scope=a ,, error=x ,", Some("a")),
        ("Bearer, Basic realm=x", None),
        ("Bearer ", None),
        ("Bearer \t, x", None),
        ("Bearer scope=\"\"", Some("")),
        ("Bearer scope=\"a, Bearer scope=b\"", Some("a, Bearer scope=b")),
        ("Negotiate, Bearer scope=a", Some("a")),
        ("Negotiate oYIBbzCCAWugAwoB==, Bearer scope=a", Some("a")),
        ("Negotiate a= , Bearer scope=a", Some("a")),
        // each a token68, which has no parameters
        ("Bearer token68==, Basic", None),
        ("Bearer scope", None),
        ("Bearer scope=", None),
        ("Bearer scope=,", None),
        ("Bearer realm=\"\\\\\", scope=a", Some("a")),
        ("Bearer realm=\"\\\"\", scope=a", Some("a")),
        ("Bearer scope=a, Basic realm=\"unclosed", Some("a")),
        ("Bearer scope=a, Bearer scope=b", Some("a")),
        ("Basic scope=b, Bearer x=y", None),
    ] {
        assert_eq!(scope(value), Some(expected), "{value}");
    }
}

#[test]
fn a_parameter_with_a_quoted_pair_or_beyond_ascii_is_absent() {
    for value in
        ["Bearer scope=\"a\\b\"", "Bearer scope=\"a\\\"b\"", "Bearer scope=\"caf\u{e9}\"", "Bearer scope=\"a\tb\""]
    {
        assert_eq!(scope(value), Some(None), "{value}");
    }
}

#[test]
fn a_malformed_challenge_is_none() {
    for value in [
        "",
        " ",
        ",",
        "scope=a",
        "=",
        "\"",
        "Bearer scope=, a=b, scope=",
        "Bearer realm=caf\u{e9}",
        "Bearer scope=\"",
        "Bearer scope=\"a",
        "Bearer scope=\"a\\\"",
        "Bearer scope=\"a\"b",
        "Bearer scope=a b",
        "Bearer scope=a scope=b",
        "Bearer scope=a, scope=b",
        "Bearer scope=a, SCOPE=a",
        "Bearer/scope=a",
        "Basic Bearer scope=a",
        "Bearer scope scope=a",
        "Bearer \"scope\"=a",
        "Bearer\u{0}",
        "Bearer scope=a\r\nBearer scope=b",
        "Basic realm=\"unclosed, Bearer scope=a",
        "Bearerer scope=a",
    ] {
        assert_eq!(scope(value), None, "{value:?}");
    }
}

#[test]
fn a_huge_value_is_read_in_one_pass() {
    let len = if cfg!(miri) { 1 << 8 } else { 1 << 20 };
    let long = "a".repeat(len);
    assert_eq!(scope(&format!("Bearer scope=\"{long}\"")), Some(Some(&*long)));
    assert_eq!(scope(&format!("{}Bearer scope=a", "Basic ,".repeat(len / 8))), Some(Some("a")));
    assert_eq!(scope(&format!("Bearer {}", "x=\"\\\\\",".repeat(len / 8))), Some(None));
    assert_eq!(scope(&format!("Bearer scope=\"{}", "\\\"".repeat(len / 2))), None);
}

#[test]
fn no_text_is_read_beyond_its_end() {
    let value = r#"Basic a==, Bearer scope="x y", error=insufficient_scope, realm="\"", Digest"#;
    for end in (0..=value.len()).step_by(if cfg!(miri) { 7 } else { 1 }) {
        let challenge = value.get(..end).and_then(|front| Challenge::read(front.as_bytes()));
        assert!(challenge.is_none_or(|challenge| challenge.scope.is_none_or(|scope| scope == "x y")), "{end}");
    }
}
