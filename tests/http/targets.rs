//! Calls in the target of a `GET`: method, params, faults, and who may send one.
#![cfg(all(feature = "http", feature = "serde"))]

use nanojsonrpc::http::{Endpoint, Head, MAX_TARGET_PARAMS, Origins, Response, Step, call_in_target};
use nanojsonrpc::{ErrorKind, ErrorObject, Router, Server};
use serde_json::{Value, json};

const ENDPOINT: Endpoint<'_> = Endpoint::new().at("/rpc");

/// The method and the params of the call in `target`; null without params.
fn read(target: &str) -> Result<(String, Value), (ErrorKind, usize)> {
    let mut out = [0; 512];
    let text = call_in_target(target, "/rpc", &mut out).map_err(|error| (error.kind(), error.offset()))?;
    let call: Value = serde_json::from_slice(text.expect("a method")).expect("JSON");
    assert_eq!((&call["jsonrpc"], &call["id"]), (&json!("2.0"), &json!(1)));
    Ok((call["method"].as_str().expect("a method").to_owned(), call["params"].clone()))
}

#[test]
fn the_path_is_the_method_and_the_query_has_the_params() {
    let both = |method: &str, params| Ok((method.to_owned(), params));
    for (target, method, params) in [
        ("/rpc/Shelly.ListMethods", "Shelly.ListMethods", Value::Null),
        ("/rpc/Switch.Set?id=0&on=true", "Switch.Set", json!({"id": 0, "on": true})),
        ("http://lamp.local:80/rpc/Switch.Set?id=0", "Switch.Set", json!({"id": 0})),
        ("/rpc/a/b?", "a/b", Value::Null),
        ("/rpc/a%2Fb%20%22%C3%A4?&&", "a/b \"ä", Value::Null),
        ("/rpc/a+b", "a+b", Value::Null),
        ("/rpc/a?b=c?d=e", "a", json!({"b": "c?d=e"})),
        // percent-decoding comes before JSON, and `+` is a space
        ("/rpc/a?b=%7B%22c%22:%5B1,2%5D%7D&c+d=+e+&f=%2B1", "a", json!({"b": {"c": [1, 2]}, "c d": " e ", "f": "+1"})),
        (
            "/rpc/a?b=-1.5e3&c=null&d=false&e=\"0\"&f=[]",
            "a",
            json!({"b": -1.5e3, "c": null, "d": false, "e": "0", "f": []}),
        ),
        // a text that is not JSON is a string
        (
            "/rpc/a?b=hall&c=01&d=&e&f={&g=True&h=nan",
            "a",
            json!({"b": "hall", "c": "01", "d": "", "e": "", "f": "{", "g": "True", "h": "nan"}),
        ),
        ("/rpc/a?=1&b==", "a", json!({"": 1, "b": "="})),
        ("/rpc/a?b=%0A%00&c=\"\\u0061\"", "a", json!({"b": "\n\0", "c": "a"})),
        ("/rpc/a?b=%F0%9F%98%80&c=ä", "a", json!({"b": "😀", "c": "ä"})),
    ] {
        assert_eq!(read(target), both(method, params), "{target}");
    }
    // a number is the text that came
    let mut out = [0; 128];
    let text = call_in_target("/rpc/a?b=%201.50%20&c=18446744073709551616", "/rpc", &mut out);
    let expected = r#"{"jsonrpc":"2.0","method":"a","params":{"b":1.50,"c":18446744073709551616},"id":1}"#;
    assert_eq!(text, Ok(Some(expected.as_bytes())));
}

#[test]
fn a_target_that_is_no_call_is_refused_at_its_byte() {
    use ErrorKind::{InvalidLength, InvalidUtf8, InvalidValue, RepeatedField};
    for (target, kind, at) in [
        ("/rpc/%", InvalidValue, 5),
        ("/rpc/a%4", InvalidValue, 6),
        ("/rpc/a?b=%zz", InvalidValue, 9),
        ("/rpc/a?b=12%4&c=1", InvalidValue, 11),
        ("/rpc/a?b%=1", InvalidValue, 8),
        ("/rpc/%FF", InvalidUtf8, 5),
        ("/rpc/a?b=1&c=x%C3", InvalidUtf8, 13),
        ("/rpc/a?b=%ED%A0%80", InvalidUtf8, 9),
        ("/rpc/a?b=1&b=1", RepeatedField, 11),
        ("/rpc/a?b=1&c=2&%62=3", RepeatedField, 15),
        ("/rpc/a?a+b=1&&a%20b=2", RepeatedField, 14),
        ("/rpc/a?=1&=2", RepeatedField, 10),
    ] {
        assert_eq!(read(target), Err((kind, at)), "{target}");
    }
    let target = |params: usize| {
        let pairs: Vec<String> = (0..params).map(|at| format!("p{at:02}=1")).collect();
        format!("/rpc/a?{}", pairs.join("&"))
    };
    assert_eq!(MAX_TARGET_PARAMS, 64);
    let mut out = [0; 1024];
    assert!(call_in_target(&target(64), "/rpc", &mut out).is_ok());
    let error = call_in_target(&target(65), "/rpc", &mut out).expect_err("too many");
    assert_eq!((error.kind(), error.offset()), (InvalidLength, 7 + 64 * 6));
    let head = Head::new("GET", "/rpc/a?b=%zz");
    let response = ENDPOINT.read_target(&head, &mut out).expect_err("no call");
    assert_eq!((response.status(), response.closes()), (400, true));
}

#[test]
fn a_call_in_a_target_is_whole_or_an_error_of_the_buffer() {
    let target = "/rpc/a?name=%61%62%63&on=true";
    let expected = br#"{"jsonrpc":"2.0","method":"a","params":{"name":"abc","on":true},"id":1}"#;
    let needed = expected.len() + "%61%62%63".len();
    for room in 0..needed + 2 {
        match call_in_target(target, "/rpc", &mut vec![0; room]) {
            Ok(call) => assert!(call == Some(expected) && room >= needed, "{room}"),
            Err(error) => assert!(error.kind() == ErrorKind::OutputFull && room < needed, "{room}: {error}"),
        }
        let (head, mut out) = (Head::new("GET", target), vec![0; room]);
        let status = ENDPOINT.read_target(&head, &mut out).map_err(|refusal| refusal.status());
        assert_eq!(status.err(), (room < needed).then_some(413), "{room}");
    }
}

/// Whether the request holds a call.
fn reads(
    endpoint: &Endpoint<'_>,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
) -> Result<bool, Response<'static>> {
    let head = Head::from_headers(method, target, headers.iter().copied());
    endpoint.read_target(&head, &mut [0; 128]).map(|call| call.is_some())
}

#[test]
fn a_call_in_a_target_is_not_of_a_page_of_another_site() {
    let status = |endpoint: &Endpoint<'_>, headers: &[(&str, &str)]| {
        reads(endpoint, "GET", "/rpc/a?b=1", headers)
            .map_or_else(|response| response.status(), |is_read| is_read.into())
    };
    let any = ENDPOINT.with_origins(Origins::Any);
    let named = ENDPOINT.with_origins(Origins::Only(&["https://rpc.example"]));
    for (headers, of_default, of_named) in [
        // curl
        (&[("Host", "lamp.local")][..], 1, 1),
        (&[("Host", "192.168.1.7:80")], 1, 1),
        (&[], 1, 1),
        (&[("Host", "rpc.example")], 403, 1),
        // a page that has rebound its name
        (&[("Host", "evil.example")], 403, 403),
        (&[("Host", "lamp.local"), ("Origin", "http://evil.example")], 403, 403),
        (&[("Host", "lamp.local"), ("Origin", "http://localhost")], 1, 403),
        (&[("Host", "lamp.local"), ("Origin", "https://rpc.example")], 403, 1),
        (&[("Host", "lamp.local"), ("Sec-Fetch-Site", "none")], 1, 1),
        (&[("Host", "lamp.local"), ("Sec-Fetch-Site", "same-origin")], 1, 1),
        (&[("Host", "lamp.local"), ("Sec-Fetch-Site", "cross-site")], 403, 403),
        (&[("Host", "lamp.local"), ("Sec-Fetch-Site", "same-site"), ("Last-Event-ID", "1")], 403, 403),
        (&[("Host", "lamp.local"), ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "none")], 403, 403),
        (&[("Host", "lamp.local"), ("Content-Length", "0")], 1, 1),
        // no body
        (&[("Host", "lamp.local"), ("Content-Length", "2")], 400, 400),
        (&[("Host", "lamp.local"), ("Transfer-Encoding", "chunked")], 400, 400),
        (&[("Host", "lamp.local"), ("Host", "lamp.local")], 400, 400),
    ] {
        assert_eq!([status(&ENDPOINT, headers), status(&named, headers)], [of_default, of_named], "{headers:?}");
        assert!([1, 400].contains(&status(&any, headers)), "{headers:?}");
    }
    let response = reads(&ENDPOINT, "GET", "/rpc/a", &[("Content-Length", "2")]).expect_err("a body");
    assert!(response.closes());
}

#[test]
fn only_a_get_below_the_path_is_a_call() {
    let below = ["/rpc/a", "/rpc/a?b", "/rpc//"];
    for target in below.into_iter().chain(["/rpc", "/rpc?a=b", "/rpc/", "/rpc/?a", "/rpca", "/a", "", "*"]) {
        for (method, is_get) in [("GET", true), ("POST", false), ("HEAD", false), ("get", false)] {
            let is_call = is_get && below.contains(&target);
            assert_eq!(reads(&ENDPOINT, method, target, &[]), Ok(is_call), "{method} {target}");
            // without a call to `read_target` the path of a call is another one
            let Step::Respond(response) = ENDPOINT.begin(&Head::new(method, target), 0) else { continue };
            assert!(response.status() == 404 || !below.contains(&target), "{method} {target}");
        }
    }
    for endpoint in [Endpoint::new(), Endpoint::new().at("/")] {
        assert_eq!([reads(&endpoint, "GET", "/a/b", &[]), reads(&endpoint, "GET", "/", &[])], [Ok(true), Ok(false)]);
        let mut out = [0; 128];
        let text = endpoint.read_target(&Head::new("GET", "/a/b"), &mut out);
        assert_eq!(text, Ok(Some(&br#"{"jsonrpc":"2.0","method":"a/b","id":1}"#[..])));
    }
}

/// The response to a `GET` may be stored by a cache, but not that to a call.
#[test]
fn a_call_in_a_target_is_answered_like_one_in_a_body() {
    let set = |on: &mut bool, params: nanojsonrpc::Params<'_>| {
        *on = params.get("on").and_then(|on| on.as_bool()).ok_or(ErrorObject::INVALID_PARAMS)?;
        Ok::<_, ErrorObject<'static>>(*on)
    };
    let mut server = Server::new(Router::new().request("set", set));
    let (mut on, mut buffer) = (false, [0; 128]);
    for (target, result, is_on) in [
        ("/rpc/set?on=true", r#""result":true"#, true),
        ("/rpc/set?on=maybe", "-32602", true),
        ("/rpc/set?on=false", r#""result":false"#, false),
        ("/rpc/get", "-32601", false),
    ] {
        let (head, mut output) = (Head::new("GET", target), [0; 128]);
        let call = ENDPOINT.read_target(&head, &mut buffer).expect("a call").unwrap_or_default();
        let response = ENDPOINT.respond(&head, server.process(&mut on, call, &mut output));
        assert_eq!((response.status(), on), (200, is_on));
        assert!(String::from_utf8_lossy(response.body()).contains(result), "{target}");
        assert_eq!(response.headers(), [("content-type", "application/json"), ("cache-control", "no-store")]);
        let mut head = [0; 160];
        assert!(response.write_head(&mut head).is_ok());
    }
}
