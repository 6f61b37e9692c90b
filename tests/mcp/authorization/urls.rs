//! URLs: of metadata, and secure ones.

use nanojsonrpc::ErrorKind;
use nanojsonrpc::mcp::authorization::{MetadataUrl, WellKnown, is_secure};

fn texts(urls: WellKnown<'_>) -> Vec<String> {
    urls.map(|url| url.to_string()).collect()
}

#[test]
fn the_metadata_of_a_server_is_below_its_path_then_at_its_root() {
    let path = "/.well-known/oauth-protected-resource";
    for (url, below) in [
        // RFC 9728 §3.1
        ("https://resource.example.com/resource1", "/resource1"),
        ("https://resource.example.com/?tenant=1", "?tenant=1"),
        ("https://resource.example.com?tenant=1", "?tenant=1"),
        ("https://resource.example.com/a/b/?c=/d?", "/a/b/?c=/d?"),
    ] {
        let root = format!("https://resource.example.com{path}");
        assert_eq!(texts(WellKnown::of_resource(url).expect(url)), [format!("{root}{below}"), root], "{url}");
    }
    for url in ["https://[2001:db8::1]:8443", "HTTP://LAMP.local/", "http://lamp:"] {
        let origin = url.trim_end_matches('/');
        assert_eq!(texts(WellKnown::of_resource(url).expect(url)), [format!("{origin}{path}")], "{url}");
    }
}

#[test]
fn the_metadata_of_an_issuer_is_at_each_place_of_the_standards() {
    for issuer in ["https://example.com", "https://example.com/"] {
        let urls = [
            "https://example.com/.well-known/oauth-authorization-server",
            "https://example.com/.well-known/openid-configuration",
        ];
        assert_eq!(texts(WellKnown::of_issuer(issuer).expect(issuer)), urls, "{issuer}");
    }
    // RFC 8414 §3.1, §5
    for issuer in ["https://example.com/issuer1", "https://example.com/issuer1/"] {
        let urls = [
            "https://example.com/.well-known/oauth-authorization-server/issuer1",
            "https://example.com/.well-known/openid-configuration/issuer1",
            "https://example.com/issuer1/.well-known/openid-configuration",
        ];
        assert_eq!(texts(WellKnown::of_issuer(issuer).expect(issuer)), urls, "{issuer}");
    }
}

#[test]
fn a_text_that_is_no_url_of_http_is_refused_at_its_fault() {
    for (url, offset) in [
        ("", 0),
        ("mcp.example.com", 0),
        ("ftp://example.com", 0),
        ("https:/example.com", 0),
        ("https://", 8),
        ("https:///path", 8),
        ("https://?query", 8),
        ("http://:80/", 7),
        ("https://user@example.com", 8),
        ("https://user:password@example.com", 8),
        ("https://example.com:8a/", 8),
        ("https://[::1]x/", 8),
        ("https://[::1/", 8),
        ("https://[a/", 8),
        ("https://[]/", 8),
        ("https://a]/", 8),
        ("https://a[b/", 8),
        ("https://a:]80/", 8),
        ("https://example.com#fragment", 19),
        ("https://example.com/a b", 21),
        ("https://example.com/a\r\nhost: evil", 21),
        ("https://example.com/caf\u{e9}", 23),
        ("https://example.com\\@evil.example", 19),
        ("https://example.com/\"", 20),
    ] {
        for refused in [WellKnown::of_resource(url), WellKnown::of_issuer(url)] {
            let error = refused.expect_err(url);
            assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidValue, offset), "{url}");
        }
        assert!(!is_secure(url), "{url}");
    }
    let error = WellKnown::of_issuer("https://example.com/a?b").expect_err("a query");
    assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidValue, 21));
}

#[test]
fn a_url_is_written_whole_or_not_at_all() {
    let url: MetadataUrl<'_> = WellKnown::of_issuer("https://example.com").expect("a URL").next().expect("one");
    let text = url.to_string();
    let mut out = [0; 64];
    assert_eq!(url.write(&mut out).expect("room"), text);
    for len in (0..text.len()).step_by(if cfg!(miri) { 61 } else { 1 }) {
        let refused = out.get_mut(..len).map(|out| url.write(out).map_err(|error| error.kind()));
        assert_eq!(refused, Some(Err(ErrorKind::OutputFull)), "{len}");
    }
}

#[test]
fn http_is_secure_on_this_machine_alone() {
    for url in [
        "https://a.example",
        "HTTPS://a.example:8443/x?y",
        "http://localhost",
        "http://LOCALHOST:1/x",
        "http://127.0.0.1:3000/",
        "http://[::1]:80",
    ] {
        assert!(is_secure(url), "{url}");
    }
    for url in [
        "http://a.example",
        "http://localhost.a.example",
        "http://localhosta",
        "http://127.0.0.10",
        "http://127.0.0.1.a.example",
        "http://[::1]a",
        "http://[::2]/",
        "http://localhost@a.example",
        "custom:/callback",
    ] {
        assert!(!is_secure(url), "{url}");
    }
}
