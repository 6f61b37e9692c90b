//! JSON-RPC over HTTP: each status, hostile heads and bodies, webhooks, polling, events that are replayed.
#![cfg(all(feature = "http", feature = "serde"))]

use nanojsonrpc::frame::{Events, Framer};
use nanojsonrpc::http::{
    CONTINUE, Endpoint, Head, Length, Origins, Post, Replay, Response, Step, Unanswered, answer_in, is_json, reason,
};
use nanojsonrpc::server::AsyncRoutes;
use nanojsonrpc::server::route::Routes;
use nanojsonrpc::{ErrorKind, ErrorObject, Message, Notification, Request, Router, Server};

const CALL: &[u8] = br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
const NOTIFICATION: &[u8] = br#"{"jsonrpc":"2.0","method":"count"}"#;
/// A header: name and value.
type Field<'h> = (&'h str, &'h [u8]);
const JSON: Field<'_> = ("content-type", b"application/json");
const FROM_NO_PAGE: Field<'_> = ("sec-fetch-site", b"none");

fn server() -> Server<impl Routes<u32> + AsyncRoutes<u32>> {
    Server::new(
        Router::new()
            .request("subtract", |calls: &mut u32, (a, b): (i64, i64)| {
                *calls += 1;
                a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS)
            })
            .notification("count", |calls: &mut u32| *calls += 1),
    )
}

/// The status, the body and the number of calls, with a right `Content-Length` in front of `headers`.
fn answer(endpoint: &Endpoint<'_>, method: &str, headers: &[(&str, &[u8])], body: &[u8]) -> (u16, Vec<u8>, u32) {
    let len = body.len().to_string();
    let mut head = Head::from_headers(method, "/rpc?a=b", headers.iter().copied());
    head.header("Content-Length", len.as_bytes());
    let (mut calls, mut output) = (0, [0; 256]);
    let response = endpoint.answer(&mut server(), &mut calls, &head, body, &mut output);
    assert_ne!(reason(response.status()), "");
    (response.status(), response.body().to_vec(), calls)
}

fn post(body: &[u8]) -> (u16, String, u32) {
    let (status, body, calls) = answer(&Endpoint::new(), "POST", &[JSON], body);
    (status, String::from_utf8(body).expect("UTF-8"), calls)
}

fn refused(endpoint: &Endpoint<'_>, head: &Head<'_>, room: usize) -> Response<'static> {
    match endpoint.begin(head, room) {
        Step::Respond(response) => response,
        step => panic!("{step:?}"),
    }
}

fn status(method: &str, headers: &[(&str, &[u8])]) -> u16 {
    let head = Head::from_headers(method, "/", headers.iter().copied());
    match Endpoint::new().begin(&head, 100) {
        Step::Respond(response) => response.status(),
        _ => 0,
    }
}

#[test]
fn a_call_gets_200_and_its_answer() {
    assert_eq!(post(CALL), (200, r#"{"jsonrpc":"2.0","result":19,"id":1}"#.into(), 1));
    // an error of a call is an answer, too
    let (status, body, _) = post(br#"{"jsonrpc":"2.0","method":"?","id":2}"#);
    assert!(status == 200 && body.contains("-32601") && body.ends_with("\"id\":2}"), "{body}");
    let (status, body, _) = post(br#"{"jsonrpc":"1.0","method":"a","id":3}"#);
    assert!(status == 200 && body.contains("-32600") && body.ends_with("\"id\":3}"), "{body}");
}

#[test]
fn a_batch_gets_200_and_its_answers() {
    let batch = [b"[", CALL, b",", NOTIFICATION, b",1]"].concat();
    let (status, body, calls) = post(&batch);
    assert_eq!((status, calls), (200, 2));
    assert!(body.starts_with("[{") && body.contains("\"result\":19") && body.contains("-32600"), "{body}");
    // no call, but an element that gets an answer
    let (status, body, calls) = post(&[b"[", NOTIFICATION, b",1]"].concat());
    assert!(status == 200 && calls == 1 && body.contains("-32600"), "{body}");
}

#[test]
fn notifications_and_responses_get_204_or_202_without_a_body() {
    let batch = [b"[", NOTIFICATION, b",", NOTIFICATION, b"]"].concat();
    assert_eq!(post(NOTIFICATION), (204, String::new(), 1));
    assert_eq!(post(&batch), (204, String::new(), 2));
    assert_eq!(post(br#"{"jsonrpc":"2.0","result":1,"id":1}"#), (204, String::new(), 0));
    assert_eq!(answer(&Endpoint::new().accepting(), "POST", &[JSON], NOTIFICATION), (202, vec![], 1));
}

#[test]
fn a_value_with_a_byte_that_none_may_have_satisfies_no_rule() {
    let len = ("content-length", &b"1"[..]);
    for byte in ["\0", "\r", "\n"] {
        let with = |value: &str| value.replace('?', byte).into_bytes();
        assert_eq!(status("POST", &[JSON, ("transfer-encoding", &with("?"))]), 400, "{byte:?}");
        assert_eq!(status("POST", &[JSON, ("transfer-encoding", &with("chunked?"))]), 400, "{byte:?}");
        assert_eq!(status("POST", &[JSON, ("content-length", &with("1?"))]), 400, "{byte:?}");
        assert_eq!(status("POST", &[len, ("content-type", &with("application/json?"))]), 415, "{byte:?}");
        assert_eq!(status("POST", &[len, JSON, ("content-encoding", &with("?identity"))]), 415, "{byte:?}");
        assert_eq!(status("POST", &[len, JSON, ("expect", &with("?"))]), 417, "{byte:?}");
        assert_eq!(status("POST", &[len, JSON, ("origin", &with("http://localhost?"))]), 403, "{byte:?}");
    }
}

#[test]
fn a_body_without_a_message_gets_400() {
    for (body, code) in
        [(&b""[..], "-32700"), (b"{", "-32700"), (b"\xFF", "-32700"), (b"1", "-32600"), (b"[]", "-32600")]
    {
        let (status, answer, _) = post(body);
        assert!(status == 400 && answer.contains(code), "{} {answer}", body.escape_ascii());
    }
    // a response is not answered
    assert_eq!(post(br#"{"result":1,"error":2}"#), (400, String::new(), 0));
}

#[test]
fn an_output_without_room_for_the_answer_gets_500_and_no_handler_is_called() {
    let len = CALL.len().to_string();
    let head = Head::from_headers("POST", "/", [JSON, ("content-length", len.as_bytes())]);
    for room in 0..76 {
        let (mut calls, mut output) = (0, vec![0; room]);
        let response = Endpoint::new().answer(&mut server(), &mut calls, &head, CALL, &mut output);
        assert_eq!((response.status(), calls), (500, 0), "{room}");
    }
}

#[test]
fn another_path_gets_404_and_the_query_is_no_part_of_the_path() {
    let endpoint = Endpoint::new().at("/rpc");
    assert_eq!(answer(&endpoint, "POST", &[JSON], CALL).0, 200);
    assert_eq!(answer(&Endpoint::new().at("/rp"), "POST", &[JSON], CALL).0, 404);
    let here = ["http://a:80/rpc?x", "HTTP://a/rpc", "Https://a/rpc?a:b//c/d"];
    let elsewhere =
        ["https://a", "http://a?x=/rpc", "http://a?/rpc", "ftp://a/rpc", "http:/rpc", "/rpc/", "/:/rpc", "*", ""];
    let targets = here.map(|target| (target, 405)).into_iter().chain(elsewhere.map(|target| (target, 404)));
    for (target, status) in targets {
        assert_eq!(refused(&endpoint, &Head::new("GET", target), 9).status(), status, "{target}");
    }
}

#[test]
fn another_method_gets_405_with_allow() {
    for method in ["GET", "PUT", "post", "OPTIONS", "", "HEAD"] {
        let response = refused(&Endpoint::new(), &Head::new(method, "/"), 9);
        assert_eq!((response.status(), response.headers()), (405, &[("allow", "POST")][..]), "{method}");
        assert!(!response.closes());
    }
    let events = Endpoint::new().with_events();
    assert_eq!(refused(&events, &Head::new("PUT", "/"), 9).headers(), [("allow", "GET, POST")]);
    let stream = refused(&events, &Head::from_headers("GET", "/", [FROM_NO_PAGE]), 9);
    assert_eq!((stream.status(), stream.headers()[0]), (200, ("content-type", "text/event-stream")));
}

#[test]
fn a_body_without_length_gets_411_and_one_over_the_buffer_413() {
    assert_eq!(status("POST", &[JSON]), 411);
    assert_eq!(status("POST", &[JSON, ("transfer-encoding", b"chunked")]), 411);
    assert_eq!(status("POST", &[JSON, ("transfer-encoding", b"gzip, chunked")]), 501);
    for (len, wanted) in [("100", 0), ("101", 413), ("18446744073709551615", 413), ("18446744073709551616", 413)] {
        assert_eq!(status("POST", &[JSON, ("content-length", len.as_bytes())]), wanted, "{len}");
    }
    let mut head = Head::from_headers("POST", "/", [JSON, ("Transfer-Encoding", b"Chunked")]);
    let endpoint = Endpoint::new().reading_chunks();
    assert_eq!(endpoint.begin(&head, 0), Step::Read { length: Length::Chunks, is_awaited: false });
    assert_eq!((endpoint.too_long().status(), endpoint.too_long().closes()), (413, true));
    let (mut calls, mut output) = (0, [0; 128]);
    let response = endpoint.answer(&mut server(), &mut calls, &head, CALL, &mut output);
    assert_eq!((response.status(), calls), (200, 1));
    assert_eq!((endpoint.malformed().status(), endpoint.malformed().closes()), (400, true));
    assert_eq!(refused(&endpoint, &Head::from_headers("POST", "/", [JSON]), 100).status(), 411);
    // "MUST treat the message as if the framing is faulty" (RFC 9112 §6.1)
    head.minor_version = Some(0);
    let response = refused(&endpoint, &head, 0);
    assert_eq!((response.status(), response.closes()), (400, true));
}

#[test]
fn a_length_that_two_servers_could_read_differently_gets_400() {
    for len in ["", "+1", "-1", "1 1", "0x1", "1,1", "1.0", "\u{661}"] {
        assert_eq!(status("POST", &[JSON, ("content-length", len.as_bytes())]), 400, "{len:?}");
    }
    let len: (&str, &[u8]) = ("content-length", b"1");
    assert_eq!(status("POST", &[JSON, len, len]), 400);
    assert_eq!(status("POST", &[JSON, len, ("transfer-encoding", b"chunked")]), 400);
    assert_eq!(status("POST", &[JSON, ("transfer-encoding", b"chunked"), ("transfer-encoding", b"chunked")]), 400);
    // the body has another length than declared
    let head = Head::from_headers("POST", "/", [JSON, len]);
    let (mut calls, mut output) = (0, [0; 128]);
    let response = Endpoint::new().answer(&mut server(), &mut calls, &head, CALL, &mut output);
    assert_eq!((response.status(), response.closes(), calls), (400, true, 0));
}

#[test]
fn a_body_that_is_not_said_to_be_json_gets_415() {
    for value in [
        "application/json",
        "APPLICATION/JSON;charset=UTF-8",
        "application/json ; a=\"b;\\\"c\" ; charset=utf-8;",
        "application/json-rpc",
        "application/jsonrequest",
        "application/json;;",
        "application/vscode-jsonrpc; charset=utf-8",
        "application/json;charset=utf8",
        "application/json; CHARSET=Utf8",
        "application/json; charset=\"UTF-8\"",
        // "Adding one really has no effect on compliant recipients." (RFC 8259 §11)
        "application/json; charset=latin1",
        "application/json; charset",
        "application/json; charset=",
        "application/json; charset=\"utf-8",
        "application/json; charset=utf-8 x",
        "application/json; xcharset=utf-16",
        "application/json; utf-16",
    ] {
        assert!(is_json(value.as_bytes()), "{value}");
        assert_eq!(answer(&Endpoint::new(), "POST", &[("content-type", value.as_bytes())], CALL).0, 200);
    }
    for value in [
        "",
        "text/plain",
        "application/json5",
        "application/jso",
        "application/json; charset=utf-16",
        "application/json;charset=UTF-16LE",
        "application/json; a=b; charset=\"utf16\"",
        "application/json; charset=utf-32",
        "APPLICATION/JSON; CHARSET=UTF32BE",
        "application/json, text/plain",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ] {
        assert!(!is_json(value.as_bytes()), "{value}");
        assert_eq!(answer(&Endpoint::new(), "POST", &[("content-type", value.as_bytes())], CALL), (415, vec![], 0));
    }
    assert_eq!(answer(&Endpoint::new(), "POST", &[JSON, JSON], CALL).0, 415);
    assert_eq!(answer(&Endpoint::new(), "POST", &[JSON, ("content-encoding", b"gzip")], CALL).0, 415);
    assert_eq!(answer(&Endpoint::new(), "POST", &[JSON, ("content-encoding", b"Identity")], CALL).0, 200);
}

#[test]
fn a_body_without_a_media_type_is_read_only_if_the_program_says_so() {
    let untyped = Endpoint::new().reading_untyped();
    assert_eq!(answer(&Endpoint::new(), "POST", &[], CALL), (415, vec![], 0));
    assert_eq!(answer(&untyped, "POST", &[], CALL).0, 200);
    assert_eq!(answer(&untyped, "POST", &[JSON], CALL).0, 200);
    // a form of a page, an empty media type, a repeated one, a page of another site
    for headers in [
        &[("content-type", &b"text/plain"[..])][..],
        &[("content-type", b"")],
        &[JSON, JSON],
        &[("content-encoding", b"gzip")],
    ] {
        assert_eq!(answer(&untyped, "POST", headers, CALL), (415, vec![], 0), "{headers:?}");
    }
    assert_eq!(answer(&untyped, "POST", &[("origin", b"http://evil.example")], CALL), (403, vec![], 0));
}

/// "Servers that fail a request due to an unsupported content coding ought to respond with a 415 (Unsupported Media Type) status and
/// include an Accept-Encoding header field in that response"; other 415 "MUST NOT include" it (RFC 9110 §12.5.3).
#[test]
fn a_refused_content_coding_names_the_accepted_one() {
    let text: (&str, &[u8]) = ("content-type", b"text/plain");
    let coded = |coding| ("content-encoding", coding);
    let refused = |headers: &[(&str, &[u8])]| {
        let mut head = Head::from_headers("POST", "/", headers.iter().copied());
        head.header("content-length", b"1");
        let response = refused(&Endpoint::new(), &head, 256);
        assert_eq!((response.status(), response.closes()), (415, true));
        response
    };
    for headers in [
        &[JSON, coded(&b"gzip"[..])][..],
        &[JSON, coded(b"")],
        &[text, coded(b"br")],
        &[JSON, coded(b"identity"), coded(b"identity")],
    ] {
        assert_eq!(refused(headers).headers(), [("accept-encoding", "identity")], "{headers:?}");
    }
    for headers in [&[][..], &[text], &[text, coded(b"identity")], &[JSON, JSON]] {
        assert_eq!(refused(headers).headers(), [], "{headers:?}");
    }
    let mut out = [0; 160];
    let len = refused(&[JSON, coded(b"gzip")]).write_head(&mut out).expect("room");
    let head = "HTTP/1.1 415 Unsupported Media Type\r\naccept-encoding: identity\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(str::from_utf8(&out[..len]), Ok(head));
}

#[test]
fn a_client_that_waits_for_100_is_told_before_the_body() {
    let len: (&str, &[u8]) = ("content-length", b"1");
    let head = Head::from_headers("POST", "/", [JSON, len, ("Expect", b"100-Continue")]);
    assert_eq!(Endpoint::new().begin(&head, 1), Step::Read { length: Length::Known(1), is_awaited: true });
    assert_eq!(refused(&Endpoint::new(), &head, 0).status(), 413);
    assert_eq!(status("POST", &[JSON, len, ("expect", b"200-ok")]), 417);
    assert_eq!(CONTINUE, b"HTTP/1.1 100 Continue\r\n\r\n");
}

/// "the connection will be closed after completion of the response" (RFC 9112 §9.6): `close` is one of a list, in any case, also of two
/// headers.
#[test]
fn a_connection_closes_after_its_last_request() {
    let len: (&str, &[u8]) = ("content-length", b"61");
    let responses = |minor_version: Option<u8>, connection: &[&str]| {
        let values = connection.iter().map(|value| ("Connection", value.as_bytes()));
        let headers = [JSON, len, ("host", b"here"), ("origin", b"http://localhost")];
        let [mut call, mut other] =
            ["POST", "PUT"].map(|method| Head::from_headers(method, "/", headers.into_iter().chain(values.clone())));
        (call.minor_version, other.minor_version) = (minor_version, minor_version);
        other.content_length = None;
        let (mut calls, mut output) = (0, [0; 128]);
        let response = Endpoint::new().answer(&mut server(), &mut calls, &call, CALL, &mut output);
        assert_eq!((response.status(), calls), (200, 1));
        let refused = refused(&Endpoint::new(), &other, 0);
        assert_eq!(refused.status(), 405);
        assert_eq!([response.closes(), refused.closes()], [call.closes(); 2], "{connection:?}");
        let (endpoint, mut server) = (Endpoint::new(), server());
        let mut future = core::pin::pin!(endpoint.answer_async(&mut server, &mut calls, &call, CALL, &mut output));
        let mut context = core::task::Context::from_waker(core::task::Waker::noop());
        let core::task::Poll::Ready(response) = future.as_mut().poll(&mut context) else { panic!("pending") };
        assert_eq!(response.closes(), call.closes());
        call.closes()
    };
    for connection in [
        &["close"][..],
        &["Close"],
        &["keep-alive, close"],
        &["close,x"],
        &["x ,\tCLOSE\t, ,y"],
        &["keep-alive", "close"],
        &["close", "keep-alive"],
    ] {
        for minor_version in [None, Some(0), Some(1)] {
            assert!(responses(minor_version, connection), "{connection:?}");
        }
    }
    for connection in
        [&[][..], &["keep-alive"], &["closed"], &["close x"], &["x-close,keep-alive"], &["\"close\""], &[""]]
    {
        // the connection of HTTP/1.0 closes, even with `keep-alive`, which a server may ignore (RFC 9112 §9.3)
        let closed = [None, Some(0), Some(1)].map(|minor_version| responses(minor_version, connection));
        assert_eq!(closed, [false, true, false], "{connection:?}");
    }
}

/// "A server MUST respond with a 400 (Bad Request) status code to any HTTP/1.1 request message that lacks a Host header field"
/// (RFC 9112 §3.2).
#[test]
fn a_request_of_http_1_1_without_host_gets_400() {
    for (minor_version, wanted) in [(None, [405, 404]), (Some(0), [405, 404]), (Some(1), [400, 404])] {
        let head = Head { minor_version, ..Head::new("GET", "/") };
        let endpoints = [Endpoint::new(), Endpoint::new().at("/rpc")];
        let responses = endpoints.map(|endpoint| refused(&endpoint, &head, 0));
        assert_eq!(responses.map(|response| response.status()), wanted, "{minor_version:?}");
        assert_eq!(responses[0].closes(), minor_version.is_some());
        assert_eq!(head.lacks_host(), minor_version == Some(1));
        // empty: the target has no authority
        let there = Head { host: Some(b""), ..head };
        assert!(!there.lacks_host() && refused(&Endpoint::new(), &there, 0).status() == 405);
    }
}

/// "A server that receives a 100-continue expectation in an HTTP/1.0 request MUST ignore that expectation" (RFC 9110 §10.1.1).
#[test]
fn a_client_of_http_1_0_gets_no_interim_response() {
    let headers = [JSON, ("content-length", b"1"), ("host", b"here"), ("expect", b"100-continue")];
    for (minor_version, is_awaited) in [(None, true), (Some(0), false), (Some(1), true)] {
        let head = Head { minor_version, ..Head::from_headers("POST", "/", headers) };
        assert_eq!(Endpoint::new().begin(&head, 1), Step::Read { length: Length::Known(1), is_awaited });
    }
}

#[test]
fn the_path_of_a_target_has_no_host_and_no_query() {
    for (target, path) in [
        ("/mcp", "/mcp"),
        ("/mcp?a=/b", "/mcp"),
        ("http://lamp.local:80/mcp?a", "/mcp"),
        ("HTTPS://[::1]/mcp", "/mcp"),
        ("http://lamp.local", "/"),
        ("http://lamp.local?a", "/"),
        ("/http://a/mcp", "/http://a/mcp"),
        ("ftp://a/mcp", "ftp://a/mcp"),
        ("*", "*"),
        ("", ""),
    ] {
        assert_eq!(Head::new("GET", target).path(), path, "{target}");
    }
}

#[test]
fn a_page_of_another_origin_gets_403() {
    let foreign: (&str, &[u8]) = ("origin", b"http://evil.com");
    assert_eq!(answer(&Endpoint::new(), "POST", &[JSON, foreign], CALL), (403, vec![], 0));
    assert_eq!(answer(&Endpoint::new().with_origins(Origins::Any), "POST", &[JSON, foreign], CALL).0, 200);
    assert_eq!(answer(&Endpoint::new(), "POST", &[JSON, ("origin", b"http://localhost:1")], CALL).0, 200);
}

/// Extensions and webviews have origins of their own schemes, with a random name.
#[test]
fn origins_are_allowed_by_a_function() {
    let by = Origins::By(|origin| Origins::Local.allow(origin) || origin.starts_with(b"vscode-webview://"));
    for (origin, status) in [
        ("vscode-webview://0c8i1d4g3lh7jrm9bjgrqf6cq2s2bl3uu3sfvo0jvh4nkd5mqv0r", 200),
        ("http://localhost:3000", 200),
        ("https://vscode-webview.example", 403),
        ("xvscode-webview://x", 403),
        ("null", 403),
        ("", 403),
    ] {
        let endpoint = Endpoint::new().with_origins(by);
        assert_eq!(answer(&endpoint, "POST", &[JSON, ("origin", origin.as_bytes())], CALL).0, status, "{origin}");
        assert!(!Origins::Only(&["vscode-webview://"]).allow(origin.as_bytes()));
    }
    // a function names no hosts
    for (host, is_allowed) in [("lamp.local", true), ("192.168.1.7", true), ("b.a.example", false)] {
        assert_eq!(by.allow_host(host.as_bytes()), is_allowed, "{host}");
        assert!(Origins::Any.allow_host(host.as_bytes()));
    }
    for (origin, is_local) in [("http://[::1]:80", true), ("http://localhost:", false), ("http://localhost:8x", false)]
    {
        assert_eq!(Origins::Local.allow(origin.as_bytes()), is_local, "{origin}");
    }
}

/// A page of any site can send a `GET` without `Origin` if it does not read the response. In the mode `no-cors` it can set only the
/// "CORS-safelisted request-headers" of Fetch, and the browser adds others.
#[test]
fn a_stream_is_not_opened_for_a_page_of_another_site() {
    let events = Endpoint::new().with_events();
    let opened = |endpoint: &Endpoint<'_>, target: &str, headers: &[(&str, &[u8])]| {
        let mut head = Head::from_headers("GET", target, [("Host", b"localhost:8080")]);
        headers.iter().for_each(|(name, value)| head.header(name, value));
        refused(endpoint, &head, 0).status()
    };
    let of_any_page: [&[(&str, &[u8])]; 13] = [
        &[],
        &[("Accept", b"text/event-stream")],
        &[("Accept-Language", b"en"), ("Content-Language", b"en"), ("Range", b"bytes=0-9")],
        &[("Content-Type", b"text/plain")],
        &[
            ("Authorization", b"Basic YTpi"),
            ("Cookie", b"a=b"),
            ("Cache-Control", b"no-cache"),
            ("Pragma", b"no-cache"),
        ],
        &[("Referer", b"http://evil.example/"), ("User-Agent", b"Mozilla/5.0"), ("Upgrade-Insecure-Requests", b"1")],
        &[("Sec-Fetch-Mode", b"no-cors"), ("Sec-Fetch-Dest", b"empty"), ("Sec-Purpose", b"prefetch")],
        &[("Sec-Fetch-Site", b"cross-site")],
        // another port or another subdomain
        &[("Sec-Fetch-Site", b"same-site")],
        &[("Sec-Fetch-Site", b"")],
        &[("Sec-Fetch-Site", b"None")],
        &[FROM_NO_PAGE, FROM_NO_PAGE],
        &[("Sec-Fetch-Site", b"cross-site"), ("Last-Event-ID", b"7.1")],
    ];
    for headers in of_any_page {
        assert_eq!(opened(&events, "/", headers), 403, "{headers:?}");
        // opens no stream
        assert_eq!(opened(&events.at("/rpc"), "/", headers), 404, "{headers:?}");
        assert_eq!(opened(&Endpoint::new(), "/", headers), 405, "{headers:?}");
        assert_eq!(opened(&events.with_origins(Origins::Any), "/", headers), 200, "{headers:?}");
    }
    let of_no_other_site: [&[(&str, &[u8])]; 5] = [
        &[("Origin", b"http://localhost:3000")],
        &[("SEC-FETCH-SITE", b" same-origin\t")],
        &[FROM_NO_PAGE],
        &[("Last-Event-ID", b"7.1")],
        &[("Last-Event-ID", b"")],
    ];
    for headers in of_no_other_site {
        assert_eq!(opened(&events, "/", headers), 200, "{headers:?}");
    }
    let foreign: (&str, &[u8]) = ("Origin", b"http://evil.example");
    assert_eq!(opened(&events, "/", &[foreign, FROM_NO_PAGE, ("Last-Event-ID", b"7.1")]), 403);
}

/// "The request MUST include a header field with the name |Origin| [RFC6454] if the request is coming from a browser client" (RFC 6455 §4.1).
#[test]
fn a_handshake_of_a_websocket_without_origin_is_of_no_page() {
    let endpoint = Endpoint::new().at("/ws").with_websocket();
    let status = |method: &str, target: &str, headers: &[(&str, &[u8])]| {
        refused(&endpoint, &Head::from_headers(method, target, headers.iter().copied()), 0).status()
    };
    assert_eq!(["/ws", "/ws?a", "/"].map(|target| status("GET", target, &[("host", b"lamp.local")])), [200, 200, 404]);
    for (origin, wanted) in [("http://localhost:3000", 200), ("http://evil.example", 403), ("null", 403)] {
        assert_eq!(status("GET", "/ws", &[("origin", origin.as_bytes())]), wanted, "{origin}");
    }
    assert_eq!(status("GET", "/ws", &[("host", b"evil.example")]), 403);
    assert_eq!(status("PUT", "/ws", &[]), 405);
}

#[test]
fn a_stream_is_not_opened_for_a_page_that_rebound_its_name() {
    let events = Endpoint::new().with_events();
    let only = events.with_origins(Origins::Only(&["https://Rpc.example:8443"]));
    let any = events.with_origins(Origins::Any);
    let opened = |endpoint: &Endpoint<'_>, host: &str| {
        refused(endpoint, &Head::from_headers("GET", "/", [("Host", host.as_bytes()), FROM_NO_PAGE]), 0).status()
    };
    for host in
        ["evil.example", "evil.example:8080", "local", "10.0.0.1.evil.example", "a.locals", "a.", "a.b.", "", "0", "\0"]
    {
        let wanted = match host {
            "local" | "0" => 200,
            "\0" => 400,
            _ => 403,
        };
        let by_any = if host == "\0" { 400 } else { 200 };
        assert_eq!((opened(&events, host), opened(&only, host)), (wanted, wanted), "{host}");
        assert_eq!(opened(&any, host), by_any, "{host}");
    }
    for host in
        ["localhost", "127.0.0.1:80", "[::1]:80", "[fe80::1]", "10.0.0.7", "lamp", "lamp.LOCAL:80", "a.internal"]
    {
        assert_eq!((opened(&events, host), opened(&only, host)), (200, 200), "{host}");
    }
    assert_eq!(["rpc.example:8443", "rpc.example"].map(|host| opened(&only, host)), [200, 403]);
    let twice = Head::from_headers("GET", "/", [FROM_NO_PAGE, ("Host", b"lamp"), ("host", b"lamp")]);
    assert_eq!(refused(&events, &twice, 0).status(), 400);
    // a page sends the `Origin` of each other request
    assert_eq!(answer(&Endpoint::new(), "POST", &[JSON, ("host", b"rpc.example")], CALL).0, 200);
    let page: [Field<'_>; 2] = [("host", b"evil.example"), ("origin", b"http://localhost")];
    assert_eq!(refused(&events, &Head::from_headers("GET", "/", page), 0).status(), 200);
}

#[test]
fn a_repeated_or_invalid_host_gets_400() {
    let len: Field<'_> = ("content-length", b"1");
    for host in [
        "\0", "a\rb", "a b", "a\tb", "a/b", "a?b", "a#b", "a@b", "a\\b", "a<b", "a>b", "a\"b", "a^b", "a`b", "a{b",
        "a|b", "a}b", "\x7F", "\u{E4}", ":80", "a:b", "a:80:80", "[::1", "[]", "::1", "[::1]a", "a]", "a[", "%4",
        "%g0", "[%41]",
    ] {
        assert_eq!(status("POST", &[JSON, len, ("host", host.as_bytes())]), 400, "{host:?}");
    }
    for host in [
        "",
        "lamp",
        "lamp:",
        "LAMP.local:80",
        "127.0.0.1:8080",
        "[fe80::1]:80",
        "[v1.a:b]",
        "a-b_c~d",
        "%41",
        "!$&'()*+,;=",
    ] {
        assert_eq!(status("POST", &[JSON, len, ("host", host.as_bytes())]), 0, "{host:?}");
    }
    // HTTP/1.0 has none, so the program decides
    assert_eq!(status("POST", &[JSON, len]), 0);
    let twice = Head::from_headers("POST", "/", [JSON, len, ("Host", b"lamp"), ("host", b"lamp")]);
    let response = refused(&Endpoint::new(), &twice, 100);
    assert_eq!((response.status(), response.closes()), (400, true));
    let (mut calls, mut output) = (0, [0; 128]);
    let response = Endpoint::new().answer(&mut server(), &mut calls, &twice, b"1", &mut output);
    assert_eq!((response.status(), calls), (400, 0));
}

#[test]
fn the_heads_of_httparse_are_read() {
    let text = b"POST /rpc HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nCONTENT-LENGTH:  61 \r\n\r\n";
    let mut headers = [httparse::EMPTY_HEADER; 8];
    let mut request = httparse::Request::new(&mut headers);
    assert!(request.parse(text).expect("a head").is_complete());
    let headers = request.headers.iter().map(|header| (header.name, header.value));
    let head = Head::from_headers(request.method.unwrap(), request.path.unwrap(), headers);
    let step = Endpoint::new().at("/rpc").begin(&head, 64);
    assert_eq!(step, Step::Read { length: Length::Known(61), is_awaited: false });
}

#[test]
fn the_heads_of_responses_are_read_by_httparse() {
    let len: (&str, &[u8]) = ("content-length", b"1");
    let heads: [(&str, &[Field<'_>]); 6] = [
        ("GET", &[]),
        ("GET", &[FROM_NO_PAGE]),
        ("PUT", &[len]),
        ("POST", &[len]),
        ("POST", &[JSON]),
        ("POST", &[JSON, len]),
    ];
    for (method, headers) in heads {
        let head = Head::from_headers(method, "/", headers.iter().copied());
        let response = Endpoint::new().with_events().answer(&mut server(), &mut 0, &head, b"1", &mut []);
        let mut out = [0; 160];
        let len = response.write_head(&mut out).expect("room");
        let mut headers = [httparse::EMPTY_HEADER; 8];
        let mut parsed = httparse::Response::new(&mut headers);
        assert_eq!(parsed.parse(&out[..len]), Ok(httparse::Status::Complete(len)));
        assert_eq!((parsed.code, parsed.reason), (Some(response.status()), Some(reason(response.status()))));
        let closes = parsed.headers.iter().any(|header| header.name == "connection" && header.value == b"close");
        assert_eq!(closes, response.closes());
        for room in 0..len {
            let error = response.write_head(&mut out[..room]).expect_err("no room");
            assert_eq!((error.kind(), error.offset()), (ErrorKind::OutputFull, room));
        }
    }
}

#[test]
fn an_async_endpoint_answers_alike() {
    let len = CALL.len().to_string();
    let (mut calls, mut server, endpoint) = (0, server(), Endpoint::new());
    for (method, status) in [("POST", 200), ("PUT", 405)] {
        let head = Head::from_headers(method, "/", [JSON, ("content-length", len.as_bytes())]);
        let mut output = [0; 128];
        let mut future = core::pin::pin!(endpoint.answer_async(&mut server, &mut calls, &head, CALL, &mut output));
        let mut context = core::task::Context::from_waker(core::task::Waker::noop());
        match future.as_mut().poll(&mut context) {
            core::task::Poll::Ready(response) => assert_eq!(response.status(), status),
            core::task::Poll::Pending => panic!("it does not wait"),
        }
    }
    assert_eq!(calls, 1);
}

#[test]
fn a_webhook_is_a_post_and_no_part_of_it_ends_a_line() {
    let mut out = [0; 256];
    let written = Post::new("a", "/b?c").write(&Notification::new("on"), &mut out).expect("room");
    let text = [written.head, written.body].concat();
    let mut headers = [httparse::EMPTY_HEADER; 8];
    let mut request = httparse::Request::new(&mut headers);
    assert_eq!(request.parse(&text), Ok(httparse::Status::Complete(written.head.len())));
    let pairs = request.headers.iter().map(|header| (header.name, header.value));
    let head = Head::from_headers(request.method.unwrap(), request.path.unwrap(), pairs);
    let step = Endpoint::new().at("/b").begin(&head, 100);
    assert_eq!(step, Step::Read { length: Length::Known(written.body.len()), is_awaited: false });

    for room in 0..text.len() {
        let result = Post::new("a", "/b?c").write(&Notification::new("on"), &mut out[..room]);
        assert_eq!(result.expect_err("no room").kind(), ErrorKind::OutputFull, "{room}");
    }
    let bad: [(&str, &str, (&str, &str), usize); 8] = [
        ("a\r\nb", "/", ("c", "d"), 1),
        ("", "/", ("c", "d"), 0),
        ("a", "/ HTTP/1.1", ("c", "d"), 1),
        ("a", "b", ("c", "d"), 0),
        ("a", "", ("c", "d"), 0),
        ("a", "/", ("c:", "d"), 1),
        ("a", "/", ("", "d"), 0),
        ("a", "/", ("c", "de\r\n"), 2),
    ];
    for (host, target, header, at) in bad {
        let error = Post::new(host, target).with_headers(&[header]).write(&Notification::new("on"), &mut out);
        let error = error.expect_err("refused");
        assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidValue, at), "{host:?} {target:?} {header:?}");
    }
}

#[test]
fn a_closing_response_has_the_header_that_says_so() {
    let mut output = [0; 128];
    for (connection, closes) in [("keep-alive", false), ("close", true)] {
        let head = Head::from_headers("POST", "/", [JSON, ("connection", connection.as_bytes())]);
        let response = Endpoint::new().answer(&mut server(), &mut 0, &head, CALL, &mut output);
        let mut out = [0; 128];
        let len = response.write_head(&mut out).expect("room");
        let written = String::from_utf8(out[..len].to_vec()).expect("ASCII");
        assert_eq!((response.closes(), written.contains("connection: close\r\n")), (closes, closes));
    }
}

#[test]
fn a_message_that_has_been_written_is_posted_as_it_is() {
    let (mut out, mut again, post) = ([0; 200], [0; 200], Post::new("a", "/"));
    let written = post.write(&Notification::new("on"), &mut out).expect("room");
    let room = written.head.len() + written.body.len();
    assert_eq!(post.write_text(written.body, &mut again[..room]), Ok(written));
    assert_eq!(
        post.write_text(written.body, &mut again[..room - 1]).expect_err("no room").kind(),
        ErrorKind::OutputFull
    );
}

#[test]
fn a_poll_is_answered_in_the_body() {
    let mut out = [0; 256];
    let request = Request::<64, 64>::new(1, "subtract");
    let written = Post::new("a", "/").write(&request.with_params(&[42, 23]), &mut out).expect("room");
    let (status, body, _) = answer(&Endpoint::new(), "POST", &[JSON], written.body);
    let message = answer_in(status, Some(b"application/json"), &body).expect("a message").unwrap_or_default();
    assert!(matches!(Message::parse(message), Ok(Message::Response(_))));

    assert_eq!(answer_in(204, None, b""), Ok(None));
    assert_eq!(answer_in(400, Some(b"application/json"), b"{}"), Ok(Some(&b"{}"[..])));
    assert_eq!(answer_in(500, None, b""), Err(Unanswered::Status(500)));
    assert_eq!(answer_in(500, Some(b"text/html"), b"{}"), Err(Unanswered::Status(500)));
    assert_eq!(answer_in(301, Some(b"application/json"), b"{}"), Err(Unanswered::Status(301)));
    assert_eq!(answer_in(200, None, b"{}"), Err(Unanswered::MediaType));
}

#[test]
fn events_are_replayed_behind_the_last_one_that_was_seen() {
    let mut events = Replay::<64>::new(3);
    let messages: Vec<String> = (0..50_usize).map(|number| format!("[{number}{}]", "0".repeat(number % 20))).collect();
    let ids: Vec<String> = messages
        .iter()
        .map(|message| {
            let id = events.push(message.as_bytes()).expect("room");
            String::from_utf8(id.text().as_ref().to_vec()).expect("ASCII")
        })
        .collect();
    assert_eq!((&*ids[0], &*ids[49]), ("3.1", "3.50"));
    assert_eq!(events.newest().text().as_ref(), b"3.50");
    let all: Vec<_> = events.after(Some(b"?")).map(|event| event.data.to_vec()).collect();
    assert!(events.after(Some(b"?")).has_gap());
    assert!(all.len() > 1);
    // the newest are kept, as many as fit
    assert_eq!(all, messages[50 - all.len()..].iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>());
    let used: usize = all.iter().map(|data| data.len() + 2).sum();
    assert!(used <= 64 && used + messages[50 - all.len() - 1].len() + 2 > 64);
    for (number, id) in ids.iter().enumerate() {
        let missed = events.after(Some(id.as_bytes()));
        let is_kept = number + 1 >= 50 - all.len();
        assert_eq!(missed.has_gap(), !is_kept, "{id}");
        assert_eq!(missed.count(), (49 - number).min(all.len()), "{id}");
    }
    assert_eq!(events.after(None).count(), 0);
    assert!(!events.after(None).has_gap());
}

#[test]
fn an_id_that_is_none_of_the_ring_gets_all_and_a_gap() {
    let mut events = Replay::<64>::new(3);
    for id in [
        "3.1",
        "2.0",
        "3.0 ",
        "3",
        ".",
        "3.",
        ".0",
        "03.0",
        "3.00",
        "3.-1",
        "3.18446744073709551616",
        "3.99999999999999999999",
        "x.1",
        "4294967296.1",
        "3.x",
        "",
    ] {
        assert!(Replay::<64>::new(3).after(Some(id.as_bytes())).has_gap(), "{id}");
    }
    events.push(b"1").expect("room");
    assert_eq!(events.after(Some(b"2.1")).count(), 1);
    assert_eq!((events.after(Some(b"3.0")).count(), events.after(Some(b"3.0")).has_gap()), (1, false));
    assert_eq!((events.after(Some(b"3.1")).count(), events.after(Some(b"3.1")).has_gap()), (0, false));
}

#[test]
fn a_message_over_the_ring_is_refused_and_changes_nothing() {
    let mut events = Replay::<16>::new(0);
    events.push(b"12345678901234").expect("room");
    assert_eq!(events.push(&[b'1'; 15]).expect_err("too long").kind(), ErrorKind::OutputFull);
    assert_eq!(events.after(Some(b"")).count(), 1);
    assert_eq!(Replay::<0>::new(0).push(b"").expect_err("no room").offset(), 0);
    let mut large = Replay::<70_000>::new(0);
    assert!(large.push(&[b'1'; 65_535]).is_ok());
    assert!(large.push(&[b'1'; 65_536]).is_err());
}

#[test]
fn replayed_events_are_read_by_the_frame() {
    let mut events = Replay::<256>::new(u32::MAX);
    events.push(b"{\"a\":\n1}").expect("room");
    let stored = events.after(Some(b"")).next().expect("an event");
    let mut out = [0; 128];
    let len = stored.encode(&mut out).expect("room");
    let mut framer = Framer::<Events, 128>::new();
    framer.push(&out[..len]);
    let frame = framer.next().expect("an event").expect("whole");
    assert_eq!((frame.id, frame.data), (&b"4294967295.1"[..], &b"{\"a\":\n1}"[..]));
    assert_eq!(stored.encode(&mut out[..len - 1]).expect_err("no room").kind(), ErrorKind::OutputFull);
}

#[test]
fn an_unanswered_response_is_told_in_words() {
    assert_eq!(nanojsonrpc::http::Unanswered::MediaType.to_string(), "a response that is not JSON");
    assert_eq!(nanojsonrpc::http::Unanswered::Status(503).to_string(), "HTTP status 503");
}

#[test]
fn statuses_have_names() {
    let names = [405, 411, 413, 415, 417, 500, 501, 599].map(nanojsonrpc::http::reason);
    assert_eq!(names[..3], ["Method Not Allowed", "Length Required", "Content Too Large"]);
    assert_eq!(names[3..5], ["Unsupported Media Type", "Expectation Failed"]);
    assert_eq!(names[5..], ["Internal Server Error", "Not Implemented", ""]);
}

#[test]
fn a_webhook_has_no_second_header_for_its_framing() {
    let mut out = [0; 256];
    let mut fault =
        |host: &'static str, target: &'static str, headers: &'static [(&'static str, &'static str)]| match Post::new(
            host, target,
        )
        .with_headers(headers)
        .write(&Notification::new("on"), &mut out)
        {
            Ok(_) => None,
            Err(error) => Some((error.kind(), error.offset())),
        };
    let invalid = |at| Some((ErrorKind::InvalidValue, at));
    for headers in [
        &[("Transfer-Encoding", "chunked")] as &[_],
        &[("transfer-encoding", "identity")],
        &[("Content-Length", "0")],
        &[("x-a", "b"), ("HOST", "other")],
        &[("Content-type", "text/plain")],
        &[("accept", "*/*")],
    ] {
        assert_eq!(fault("a", "/", headers), invalid(0), "{headers:?}");
    }
    assert_eq!(fault("a", "/", &[("content-lengths", "1"), ("accept-encoding", "br"), ("te", "")]), None);
    assert_eq!(fault("a", "/", &[("x-a", "b\tc")]), None);
    assert_eq!(fault("a", "/", &[("x-a", "b\u{B}c")]), invalid(1));
    for host in ["a", "a.b-c_d~e:80", "127.0.0.1", "[::1]:8080", "[v1.a:b]", "%41", "a:", "a!$&'()*+,;=b"] {
        assert_eq!(fault(host, "/", &[]), None, "{host}");
    }
    for (host, at) in [
        ("h/x", 1),
        ("u@h", 1),
        ("u:p@h", 2),
        ("h x", 1),
        ("h?x", 1),
        ("h#x", 1),
        ("h\\x", 1),
        ("ä", 0),
        (":80", 0),
        ("h:8o", 3),
        ("h:80:80", 4),
        ("%4", 0),
        ("a%zz", 1),
        ("a%4z", 1),
        ("[::1", 4),
        ("[]", 1),
        ("[::1]x", 5),
        ("[a/b]", 2),
        ("::1", 0),
    ] {
        assert_eq!(fault(host, "/", &[]), invalid(at), "{host}");
    }
    for (target, at) in [("/a#b", 2), ("/a b", 2), ("/a\tb", 2), ("/\u{7F}", 1), ("/ä", 1), ("#", 0)] {
        assert_eq!(fault("a", target, &[]), invalid(at), "{target:?}");
    }
}

#[test]
fn a_header_whose_name_is_no_token_gets_400() {
    // "A server MUST reject […] any received request message that contains whitespace between a header field name and colon"
    // (RFC 9112, section 5.1)
    for name in ["content-length ", "x\t", " x", "", "x:", ":method", "x(y)", "ä", "x\r\ncontent-length"] {
        let headers = [("content-type", &b"application/json"[..]), ("content-length", b"2"), (name, b"2")];
        let head = Head::from_headers("POST", "/", headers);
        let response = refused(&Endpoint::new(), &head, 100);
        assert_eq!((response.status(), response.closes()), (400, true), "{name:?}");
        assert_eq!(refused(&Endpoint::new().reading_chunks(), &head, 100).status(), 400, "{name:?}");
        // in each order
        let chunked = [(name, &b"2"[..]), ("content-type", b"application/json"), ("transfer-encoding", b"chunked")];
        let head = Head::from_headers("POST", "/", chunked);
        assert_eq!(refused(&Endpoint::new().reading_chunks(), &head, 100).status(), 400, "{name:?}");
        let head = Head::from_headers("GET", "/", [(name, "2")]);
        assert_eq!(refused(&Endpoint::new().with_events(), &head, 100).status(), 400, "{name:?}");
    }
    assert_eq!(status("POST", &[("content-type", b"application/json"), ("x-!#$%&'*+-.^_`|~9", b"1")]), 411);
}

#[test]
fn a_response_without_content_has_no_length() {
    let len = NOTIFICATION.len().to_string();
    let head = Head::from_headers("POST", "/", [JSON, ("content-length", len.as_bytes())]);
    for (endpoint, expected) in [
        (Endpoint::new(), "HTTP/1.1 204 No Content\r\n\r\n"),
        (Endpoint::new().accepting(), "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n"),
    ] {
        let mut out = [0; 64];
        let response = endpoint.answer(&mut server(), &mut 0, &head, NOTIFICATION, &mut []);
        let len = response.write_head(&mut out).expect("room");
        assert_eq!(std::str::from_utf8(&out[..len]), Ok(expected));
    }
}

#[test]
fn headers_of_a_head_that_is_cut_end_before_the_cut() {
    let headers =
        |head: &'static str| nanojsonrpc::http::Request { head: head.as_bytes(), body: b"" }.headers().count();
    for (head, count) in [
        ("", 0),
        ("POST / HTTP/1.1\r\n", 0),
        ("POST / HTTP/1.1\r\na: b\r\nc: d\r\n\r\n", 2),
        ("POST / HTTP/1.1\r\na: b\r\nc: d", 1),
        ("POST / HTTP/1.1\r\na: b\r\nc: d\r", 1),
        ("POST / HTTP/1.1\r\na: b\r\nc\r\n", 1),
        ("POST / HTTP/1.1\r\na: b\r\nc:\r\n", 1),
    ] {
        assert_eq!(headers(head), count, "{head:?}");
    }
}

#[test]
fn the_name_of_a_header_of_a_response_is_a_token() {
    use nanojsonrpc::http::{InvalidHead, read_head};
    for (line, verdict) in [
        ("a: b", Ok(Some((200, 25)))),
        ("a : b", Err(InvalidHead)),
        ("a b: c", Err(InvalidHead)),
        (" a: b", Err(InvalidHead)),
        (": b", Err(InvalidHead)),
        ("a", Err(InvalidHead)),
    ] {
        let head = format!("HTTP/1.1 200 OK\r\n{line}\r\n\r\n");
        assert_eq!(read_head(head.as_bytes(), |_, _| {}), verdict, "{line}");
    }
}
