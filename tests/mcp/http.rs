//! Streamable HTTP: each rule of the specification, as requests and their expected responses.
#![cfg(feature = "mcp")]

use nanojsonrpc::frame::{Events, Framer};
use nanojsonrpc::mcp::http::{Endpoint, Head, KEEP_ALIVE, Origins, Response, Session, SessionChange, event};
use nanojsonrpc::mcp::types::PromptArgument;
use nanojsonrpc::mcp::{PromptCall, ReadCall, Revision, Schema, Service, ToolCall, schema};
use nanojsonrpc::server::route::Routes;
use nanojsonrpc::{Dialect, ErrorObject, Message, Params, RawValue, Router, Server};
use serde_json::{Value, json};

const STATELESS: &str = "2026-07-28";
const ANYTHING: Schema<'_> = schema!(r#"{"type":"object"}"#);
const NO_ARGUMENTS: &[PromptArgument<'_>] = &[];

/// A record of the revisions, the messages sent ahead, and the numbers of notifications and responses.
#[derive(Default)]
struct Seen {
    revisions: Vec<Revision>,
    ahead: Vec<Vec<u8>>,
    notifications: usize,
    responses: usize,
}

fn service() -> Service<Seen, impl nanojsonrpc::mcp::service::feature::Features<Seen>> {
    Service::new("desk", "1.0.0")
        .tool("work", "Works.", ANYTHING, |seen: &mut Seen, mut call: ToolCall<'_>| {
            seen.revisions.push(call.revision());
            if let Some(message) = call.progress(1, Some(2), None) {
                seen.ahead.push(message.to_vec());
            }
            if call.get("fail").is_some() {
                return call.lacking("sampling");
            }
            call.text("done")
        })
        .tool("größe", "Has a name beyond ASCII.", ANYTHING, |_: &mut Seen, call: ToolCall<'_>| call.text("groß"))
        .tool("=?base64?d29yaw==?=", "Looks encoded.", ANYTHING, |_: &mut Seen, call: ToolCall<'_>| call.text("plain"))
        .resource("file:///ä", "a", "text/plain", |_: &mut Seen, call: ReadCall<'_>| call.text("ä"))
        .prompt("greet", "Greets.", NO_ARGUMENTS, |_: &mut Seen, call: PromptCall<'_>| call.user("Greet."))
}

fn server() -> Server<impl Routes<Seen>> {
    let router = Router::new()
        .notification("notifications/initialized", |seen: &mut Seen| seen.notifications += 1)
        .notification("notifications/cancelled", |seen: &mut Seen, _: Params<'_>| seen.notifications += 1)
        .response(|seen: &mut Seen, _: &nanojsonrpc::Envelope<'_>| seen.responses += 1)
        .nest("", service().router());
    Server::new(router).with_dialect(Dialect::MCP)
}

/// One request of HTTP and its response.
#[derive(Debug)]
struct Answer {
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    body: Value,
    change: SessionChange,
    is_stream: bool,
}

impl Answer {
    fn code(&self) -> i64 {
        self.body["error"]["code"].as_i64().unwrap_or(0)
    }
}

struct Client {
    endpoint: Endpoint<'static>,
    session: Session,
    seen: Seen,
    room: usize,
}

impl Client {
    fn new() -> Self {
        Self { endpoint: Endpoint::new(), session: Session::NotKept, seen: Seen::default(), room: 2048 }
    }

    fn send(&mut self, method: &str, headers: &[(&str, &[u8])], body: &[u8]) -> Answer {
        let mut head = Head::from_headers(method, headers.iter().copied());
        head.session = self.session;
        let mut output = vec![0; self.room];
        // independent of earlier requests: no state is stored
        let response = self.endpoint.answer(&mut server(), &mut self.seen, &head, body, &mut output);
        let body = match response.body() {
            [] => Value::Null,
            body => {
                assert!(Message::parse_as(body, Dialect::MCP).is_ok(), "{}", body.escape_ascii());
                assert!(response.headers().contains(&("content-type", "application/json")));
                serde_json::from_slice(body).expect("JSON")
            }
        };
        Answer {
            status: response.status(),
            headers: response.headers().to_vec(),
            body,
            change: response.session_change(),
            is_stream: response.is_stream(),
        }
    }

    fn post(&mut self, headers: &[(&str, &[u8])], body: &Value) -> Answer {
        self.send("POST", headers, body.to_string().as_bytes())
    }

    /// A request of the stateless revision, with these in place of the headers that it should have.
    fn ask(&mut self, method: &str, mut params: Value, changed: &[(&str, Option<&[u8]>)]) -> Answer {
        params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientCapabilities": {}, "progressToken": 7});
        let name = params.get("name").or(params.get("uri")).and_then(Value::as_str).map(str::to_owned);
        let mut headers: Vec<(&str, Option<&[u8]>)> =
            vec![("MCP-Protocol-Version", Some(STATELESS.as_bytes())), ("Mcp-Method", Some(method.as_bytes()))];
        headers.push(("Mcp-Name", name.as_deref().map(str::as_bytes)));
        for (name, value) in changed {
            headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            headers.push((name, *value));
        }
        let headers: Vec<(&str, &[u8])> =
            headers.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        self.post(&headers, &json!({"jsonrpc": "2.0", "id": "i1", "method": method, "params": params}))
    }
}

fn version(revision: &str) -> [(&str, &[u8]); 1] {
    [("mcp-protocol-version", revision.as_bytes())]
}

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn hello(revision: &str) -> Value {
    let client = json!({"name": "tests", "version": "0"});
    request("initialize", json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": client}))
}

const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const ANSWERED: &[u8] = br#"{"jsonrpc":"2.0","id":5,"result":{}}"#;

#[test]
fn a_request_is_answered_with_json_and_its_id() {
    let mut client = Client::new();
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "work"})),
        ("prompts/get", json!({"name": "greet"})),
    ] {
        let answer = client.ask(method, params, &[]);
        assert_eq!((answer.status, answer.code()), (200, 0), "{method}: {answer:?}");
        assert_eq!(answer.body["id"], "i1");
        assert_eq!(answer.body["result"]["resultType"], "complete");
    }
    assert_eq!(client.seen.revisions, [Revision::V2026_07_28]);
}

#[test]
fn clients_of_all_revisions_share_one_server() {
    let mut server = server();
    let mut seen = Seen::default();
    let mut output = [0; 2048];
    let call = request("tools/call", json!({"name": "work"})).to_string();
    for revision in ["2025-11-25", "2025-06-18", STATELESS, "2025-11-25", STATELESS, "2025-06-18"] {
        let mut headers = version(revision).to_vec();
        headers.extend([("Mcp-Method", &b"tools/call"[..]), ("Mcp-Name", b"work")]);
        let meta = json!({"io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientCapabilities": {}});
        let stateless = request("tools/call", json!({"name": "work", "_meta": meta})).to_string();
        let body = if revision == STATELESS { &stateless } else { &call };
        let head = Head::from_headers("POST", headers);
        let response = Endpoint::new().answer(&mut server, &mut seen, &head, body.as_bytes(), &mut output);
        assert_eq!(response.status(), 200, "{}", response.body().escape_ascii());
        assert_eq!(seen.revisions.pop().expect("a call").as_str(), revision);
    }
    // each session is known by its header alone
    let head = Head::from_headers("POST", version("2025-11-25"));
    let hello = hello("2025-06-18").to_string();
    assert_eq!(Endpoint::new().answer(&mut server, &mut seen, &head, hello.as_bytes(), &mut output).status(), 200);
    Endpoint::new().answer(&mut server, &mut seen, &head, call.as_bytes(), &mut output);
    assert_eq!(seen.revisions, [Revision::V2025_11_25]);
}

/// "The server MUST return HTTP status code `202 Accepted` with no body."
#[test]
fn notifications_and_responses_of_a_session_are_accepted_without_a_body() {
    let mut client = Client::new();
    for headers in [&[][..], &version("2025-06-18"), &version("2025-11-25")] {
        for body in [INITIALIZED, ANSWERED] {
            let answer = client.send("POST", headers, body);
            assert_eq!((answer.status, answer.body), (202, Value::Null), "{headers:?}");
            assert_eq!(answer.headers, []);
        }
    }
    let answer = client.send("POST", &version(STATELESS), INITIALIZED);
    assert_eq!((answer.status, answer.body), (202, Value::Null));
    assert_eq!((client.seen.notifications, client.seen.responses), (4, 3));
}

/// "The client MUST NOT send JSON-RPC responses" (2026-07-28).
#[test]
fn a_response_of_a_client_that_has_no_session_is_refused() {
    let mut client = Client::new();
    let answer = client.send("POST", &version(STATELESS), ANSWERED);
    assert_eq!((answer.status, answer.body), (400, Value::Null));
    assert_eq!(client.seen.responses, 0);
}

#[test]
fn a_notification_by_an_unknown_revision_is_refused() {
    let mut client = Client::new();
    for body in [INITIALIZED, ANSWERED] {
        assert_eq!(client.send("POST", &version("1999-01-01"), body).status, 400);
    }
    assert_eq!((client.seen.notifications, client.seen.responses), (0, 0));
}

/// "If the `Origin` header is present and invalid, servers MUST respond with HTTP 403 Forbidden."
#[test]
fn pages_of_other_places_are_forbidden() {
    let local =
        ["http://localhost", "https://localhost:8080", "http://127.0.0.1:1", "http://[::1]", "https://[::1]:65535"];
    let foreign = [
        "http://evil.example.com",
        "http://localhost.evil.com",
        "http://localhost:",
        "http://localhost:80a",
        "http://localhost:a",
        "ftp://localhost",
        "localhost",
        "null",
        "",
        "http://127.0.0.1.evil.com",
    ];
    let asks = |endpoint: Endpoint<'static>, origin: &str, method: &str| {
        let mut client = Client { endpoint, ..Client::new() };
        client.send(method, &[("Origin", origin.as_bytes())], INITIALIZED).status
    };
    for origin in local {
        assert_eq!(asks(Endpoint::new(), origin, "POST"), 202, "{origin}");
    }
    for origin in foreign {
        for method in ["POST", "GET", "PUT"] {
            assert_eq!(asks(Endpoint::new(), origin, method), 403, "{method} {origin}");
        }
        assert_eq!(asks(Endpoint::new().with_origins(Origins::Any), origin, "POST"), 202);
    }
    let only = Endpoint::new().with_origins(Origins::Only(&["https://a.example", "http://lamp.local:81"]));
    assert_eq!(asks(only, "http://lamp.local:81", "POST"), 202);
    for origin in ["http://lamp.local", "http://localhost", "https://a.example.com"] {
        assert_eq!(asks(only, origin, "POST"), 403, "{origin}");
    }
    let hosts = |endpoint: Endpoint<'static>, host: &str, method: &str| {
        let mut client = Client { endpoint: endpoint.listening(), ..Client::new() };
        client.send(method, &[("Host", host.as_bytes()), ("Mcp-Session-Id", b"1")], INITIALIZED).status
    };
    // a page sends no `Origin` when it opens a stream of its own site, and may then add any header
    assert_eq!(["lamp.local", "evil.example"].map(|host| hosts(Endpoint::new(), host, "GET")), [200, 403]);
    assert_eq!(["a.example", "evil.example"].map(|host| hosts(only, host, "GET")), [200, 403]);
    assert_eq!(hosts(Endpoint::new(), "evil.example", "POST"), 202);
    let twice: [(&str, &[u8]); 2] = [("origin", b"http://localhost"), ("Origin", b"http://localhost")];
    assert_eq!(Client::new().send("POST", &twice, INITIALIZED).status, 403);
}

/// A page of any site can send a `GET` without `Origin` if it does not read the response. It cannot add a header of the protocol.
#[test]
fn a_stream_is_not_opened_for_a_page_of_another_site() {
    let opened = |session: Session, headers: &[(&str, &[u8])]| {
        let mut client = Client { endpoint: Endpoint::new().listening(), session, ..Client::new() };
        let answer = client.send("GET", &[&[("Host", &b"127.0.0.1:80"[..])], headers].concat(), b"");
        assert_eq!(answer.is_stream, answer.status == 200);
        answer.status
    };
    let of_any_page: [&[(&str, &[u8])]; 6] = [
        &[],
        &[("Accept", b"text/event-stream")],
        &[("Content-Type", b"text/plain"), ("Authorization", b"Basic YTpi"), ("Cookie", b"a=b")],
        &[("Sec-Fetch-Site", b"cross-site")],
        &[("Range", b"bytes=0-")],
        &[("Last-Event", b"1"), ("MCP-Protocol", b"1")],
    ];
    for headers in of_any_page {
        assert_eq!(opened(Session::NotKept, headers), 403, "{headers:?}");
        // the program knows the session by the id, which is such a header
        assert_eq!(opened(Session::Open(Revision::V2025_11_25), headers), 200, "{headers:?}");
        assert_eq!([Session::Absent, Session::Unknown].map(|session| opened(session, headers)), [400, 404]);
    }
    let of_no_other_site: [&[(&str, &[u8])]; 3] =
        [&[("Origin", b"http://localhost:3000")], &version("2025-11-25"), &[("Mcp-Session-Id", b"7f3a")]];
    for headers in of_no_other_site {
        assert_eq!(opened(Session::NotKept, headers), 200, "{headers:?}");
    }
    assert_eq!(opened(Session::NotKept, &[("Origin", b"http://evil.example"), ("Mcp-Session-Id", b"7f3a")]), 403);
}

/// "it MUST respond with `404 Not Found` and a JSON-RPC error with code -32601" (2026-07-28). In a session, 404 means that the session
/// has ended.
#[test]
fn an_unknown_method_is_not_found() {
    let mut client = Client::new();
    for method in ["unknown/method", "initialize", "ping", "logging/setLevel", "completion/complete"] {
        let answer = client.ask(method, json!({}), &[]);
        assert_eq!((answer.status, answer.code()), (404, -32601), "{method}");
        assert_eq!(answer.body["id"], "i1");
    }
    let answer = client.post(&version("2025-11-25"), &request("unknown/method", json!({})));
    assert_eq!((answer.status, answer.code()), (200, -32601));
}

/// No status but 200 is defined for other codes, however many digits they have.
#[test]
fn a_code_of_a_handler_has_the_status_of_the_whole_code() {
    let fail =
        Router::new().request("fail", |code: &mut i64, _: Params<'_>| Err::<(), _>(ErrorObject::new(*code, "no")));
    let mut server = Server::new(fail).with_dialect(Dialect::MCP);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {}});
    let body = request("fail", json!({"_meta": meta})).to_string();
    let mut status = |mut code: i64| {
        let headers = [version(STATELESS)[0], ("Mcp-Method", b"fail")];
        let mut output = [0; 128];
        let head = Head::from_headers("POST", headers);
        let response = Endpoint::new().answer(&mut server, &mut code, &head, body.as_bytes(), &mut output);
        let answer: Value = serde_json::from_slice(response.body()).expect("JSON");
        assert_eq!(answer["error"]["code"], code);
        response.status()
    };
    let known = [-32601, -32700, -32600, -32602, -32020, -32021, -32022];
    assert_eq!(known.map(&mut status), [404, 400, 400, 400, 400, 400, 400]);
    for code in known {
        for bits in [8, 16, 31, 32, 33, 48, 62] {
            // the same low bits
            for other in [code + (1 << bits), code - (1 << bits)] {
                assert_eq!(status(other), 200, "{other}");
            }
        }
        for other in [-code, code * 10, code / 10, code - 1000, i64::MIN - code] {
            assert_eq!(status(other), 200, "{other}");
        }
    }
    assert_eq!([0, 1, -1, i64::MIN, i64::MAX].map(status), [200; 5]);
}

/// "servers MUST return HTTP status `400 Bad Request` and MUST include a JSON-RPC error response" with -32020.
#[test]
fn a_header_that_says_something_else_than_the_body_is_refused() {
    let mut client = Client::new();
    let work = || json!({"name": "work"});
    let long = [b'w'; 300];
    for (changed, about) in [
        (("Mcp-Protocol-Version", None), "MCP-Protocol-Version"),
        (("MCP-Protocol-Version", Some(&b"2025-11-25"[..])), "MCP-Protocol-Version"),
        (("MCP-Protocol-Version", Some(b"1999-01-01")), "MCP-Protocol-Version"),
        (("MCP-Protocol-Version", Some(b"")), "MCP-Protocol-Version"),
        (("Mcp-Method", None), "Mcp-Method"),
        (("Mcp-Method", Some(b"prompts/get")), "Mcp-Method"),
        // "Header values (such as method names) are case-sensitive"
        (("Mcp-Method", Some(b"TOOLS/CALL")), "Mcp-Method"),
        (("Mcp-Method", Some(b"tools/cal")), "Mcp-Method"),
        (("Mcp-Method", Some(b"tools/call2")), "Mcp-Method"),
        // only `Mcp-Name` and `Mcp-Param-…` may be encoded
        (("Mcp-Method", Some(b"=?base64?dG9vbHMvY2FsbA==?=")), "Mcp-Method"),
        (("Mcp-Name", None), "Mcp-Name"),
        (("Mcp-Name", Some(b"")), "Mcp-Name"),
        (("Mcp-Name", Some(b"Work")), "Mcp-Name"),
        (("Mcp-Name", Some(&long)), "Mcp-Name"),
    ] {
        let answer = client.ask("tools/call", work(), &[changed]);
        assert_eq!((answer.status, answer.code()), (400, -32020), "{changed:?}: {answer:?}");
        assert_eq!(answer.body["error"]["message"], format!("Header mismatch: {about}"));
        assert_eq!(answer.body["id"], "i1");
    }
    for (method, params) in [("prompts/get", json!({"name": "greet"})), ("resources/read", json!({"uri": "file:///a"}))]
    {
        let answer = client.ask(method, params, &[("mcp-name", Some(b"other"))]);
        assert_eq!((answer.status, answer.code()), (400, -32020), "{method}");
    }
    assert_eq!(client.seen.revisions, [], "no handler was called");
    // the body has no name, so the header is superfluous
    let answer = client.ask("tools/call", json!({}), &[("Mcp-Name", Some(b"work"))]);
    assert_eq!((answer.status, answer.code()), (400, -32020));
    let answer = client.ask("tools/call", json!({}), &[]);
    assert_eq!((answer.status, answer.code()), (400, -32602));
    // a method without a name has no header for it
    assert_eq!(client.ask("tools/list", json!({}), &[("Mcp-Name", Some(b"work"))]).status, 200);
}

#[test]
fn names_of_headers_have_any_case_and_values_white_space_around() {
    let mut client = Client::new();
    for name in ["mcp-name", "MCP-NAME", "Mcp-Name"] {
        let answer = client.ask("tools/call", json!({"name": "work"}), &[(name, Some(b"  \t work\t "))]);
        assert_eq!(answer.status, 200, "{name}");
    }
}

#[test]
fn a_header_that_comes_twice_agrees_with_nothing() {
    let mut client = Client::new();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": STATELESS, "io.modelcontextprotocol/clientCapabilities": {}}}});
    let headers: [(&str, &[u8]); 2] = [("MCP-Protocol-Version", STATELESS.as_bytes()), ("Mcp-Method", b"tools/list")];
    assert_eq!(client.post(&headers, &body).status, 200);
    for repeated in headers {
        let answer = client.post(&[headers[0], headers[1], repeated], &body);
        assert_eq!((answer.status, answer.code()), (400, -32020), "{repeated:?}");
    }
}

/// "servers MUST decode an encoded `Mcp-Name` [...] value before comparing it".
#[test]
fn a_name_may_be_encoded() {
    use base64::prelude::{BASE64_STANDARD, Engine as _};
    let mut client = Client::new();
    let encoded = |name: &str| format!("=?base64?{}?=", BASE64_STANDARD.encode(name));
    for name in ["work", "größe", "=?base64?d29yaw==?="] {
        let answer = client.ask("tools/call", json!({"name": name}), &[("Mcp-Name", Some(encoded(name).as_bytes()))]);
        assert_eq!((answer.status, answer.code()), (200, 0), "{name}");
    }
    let uri = "file:///ä";
    let answer = client.ask("resources/read", json!({"uri": uri}), &[("Mcp-Name", Some(encoded(uri).as_bytes()))]);
    assert_eq!(answer.body["result"]["contents"][0]["text"], "ä");
    for (name, header) in [
        // of another name, one shorter, one longer
        ("work", encoded("other")),
        ("work", encoded("wor")),
        ("work", encoded("works")),
        // invalid base64: a wrong digit; missing, misplaced or nonzero padding
        ("work", "=?base64?d29y!w==?=".into()),
        ("work", "=?base64?d29yaw?=".into()),
        ("work", "=?base64?d29yaw=?=".into()),
        ("work", "=?base64?d2==9yaw?=".into()),
        ("work", "=?base64?dw==b3Jr?=".into()),
        ("work", "=?base64?d29yax==?=".into()),
        ("work", "=?base64?\\u0064?=".into()),
        ("work", "=?base64??=".into()),
        // "These markers are case-sensitive"; without them it is a name like any other
        ("work", "=?BASE64?d29yaw==?=".into()),
        ("work", "=?base64?d29yaw==".into()),
        ("work", "=?base64?=".into()),
        ("work", "d29yaw==".into()),
        // bytes that no header may have, though they are those of the name
        ("größe", "größe".into()),
        // a name that looks encoded must be encoded
        ("=?base64?d29yaw==?=", "=?base64?d29yaw==?=".into()),
    ] {
        let answer = client.ask("tools/call", json!({"name": name}), &[("Mcp-Name", Some(header.as_bytes()))]);
        assert_eq!((answer.status, answer.code()), (400, -32020), "{name}: {header}");
    }
    // a value that only looks encoded
    let answer = client.ask("tools/call", json!({"name": "=?base64?d29yaw=="}), &[]);
    assert_eq!((answer.status, answer.code()), (400, -32602), "it is an unknown tool");
}

#[test]
fn a_name_in_the_body_may_have_escapes() {
    let mut client = Client::new();
    let headers: [(&str, &[u8]); 3] = [
        ("MCP-Protocol-Version", STATELESS.as_bytes()),
        ("Mcp-Method", b"tools/call"),
        ("Mcp-Name", b"=?base64?Z3LDtsOfZQ==?="),
    ];
    let body = br#"{"jsonrpc":"2.0","id":1,"m\u0065thod":"tools\/call","params":{"n\u0061me":"gr\u00f6\u00dfe","_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026\u002d07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    assert_eq!(client.send("POST", &headers, body).body["result"]["content"][0]["text"], "groß");
}

/// "it MUST respond with `400 Bad Request` and an `UnsupportedProtocolVersionError` listing its supported versions".
#[test]
fn a_revision_that_is_not_supported_is_refused() {
    let mut client = Client::new();
    for (requested, supported) in [
        ("v999.0.0", json!([STATELESS, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])),
        // of sessions, whose requests do not contain it
        ("2025-11-25", json!([STATELESS])),
    ] {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": requested,
            "io.modelcontextprotocol/clientCapabilities": {}});
        for method in ["server/discover", "unknown/method", "initialize"] {
            let answer = client.post(&version(requested), &request(method, json!({"_meta": meta})));
            assert_eq!((answer.status, answer.code()), (400, -32022), "{method} {requested}");
            assert_eq!(answer.body["error"]["data"], json!({"supported": supported, "requested": requested}));
            assert_eq!(answer.body["id"], 1);
        }
    }
}

/// "If the server receives a request with an invalid or unsupported `MCP-Protocol-Version`, it MUST respond with 400" (2025-11-25).
#[test]
fn a_request_of_a_session_needs_a_supported_revision() {
    let mut client = Client::new();
    for method in ["tools/list", "ping", "server/discover"] {
        for requested in ["2025-03-27", "x", ""] {
            let answer = client.post(&version(requested), &request(method, json!({})));
            assert_eq!((answer.status, answer.code()), (400, -32022), "{method} {requested}");
            let supported = json!([STATELESS, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]);
            assert_eq!(answer.body["error"]["data"], json!({"supported": supported, "requested": requested}));
        }
        // bytes that cannot be quoted
        for headers in [version("\u{e4}"), version("\""), version("\\"), version("a\tb"), version("\u{7f}")] {
            let answer = client.post(&headers, &request(method, json!({})));
            assert_eq!((answer.status, answer.code()), (400, -32020), "{method} {headers:?}");
        }
    }
}

/// "the server SHOULD assume protocol version `2025-03-26`" (2025-11-25, Protocol Version Header).
#[test]
fn a_request_without_a_revision_is_one_of_2025_03_26() {
    let mut client = Client::new();
    for headers in [&[][..], &version("2025-03-26")] {
        assert_eq!(client.post(headers, &request("tools/call", json!({"name": "work"}))).status, 200);
        assert_eq!(client.seen.revisions.pop(), Some(Revision::V2025_03_26));
        assert!(client.post(headers, &request("tools/list", json!({}))).body["result"]["tools"].is_array());
        assert_eq!(client.post(headers, &request("ping", json!({}))).body["result"], json!({}));
        assert_eq!(client.send("POST", headers, INITIALIZED).status, 202);
    }
    assert_eq!(client.post(&[], &request("server/discover", json!({}))).code(), -32602);
}

/// "the client MUST include the `MCP-Protocol-Version` header on all subsequent requests" (2025-11-25, Protocol Version Header).
#[test]
fn the_header_of_an_initialize_decides_nothing() {
    let mut client = Client::new();
    for named in
        [&[][..], &version("2099-01-01"), &version(STATELESS), &version("2024-11-05"), &version("\u{e4}"), &version("")]
    {
        for (requested, negotiated) in [
            ("2099-01-01", "2025-11-25"),
            ("2025-03-26", "2025-03-26"),
            ("2025-06-18", "2025-06-18"),
            (STATELESS, "2025-11-25"),
        ] {
            let answer = client.post(named, &hello(requested));
            assert_eq!(
                (answer.status, &answer.body["result"]["protocolVersion"]),
                (200, &json!(negotiated)),
                "{named:?}"
            );
        }
    }
}

/// "Implementations MUST support receiving JSON-RPC batches" (2025-03-26).
#[test]
fn batches_are_answered_if_the_dialect_has_a_limit_for_them() {
    let dialect = Dialect::MCP.with_max_batch(4);
    let (list, note) =
        (request("tools/list", json!({})), json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}));
    let ping = request("ping", json!({}));
    for (batch, status, answers) in [
        (json!([list, note]), 200, 1),
        (json!([note, ping, list]), 200, 2),
        (json!([note, note]), 202, 0),
        (json!([note, ping, ping, ping, ping]), 400, -1),
        (json!([]), 400, -1),
    ] {
        let head = Head::from_headers("POST", version("2025-03-26"));
        let (mut output, mut seen) = ([0; 4096], Seen::default());
        let mut server = service().server().with_dialect(dialect);
        let text = batch.to_string();
        let response = Endpoint::new().answer(&mut server, &mut seen, &head, text.as_bytes(), &mut output);
        let body = serde_json::from_slice(response.body()).unwrap_or(json!([]));
        let answered = body.as_array().map_or(-1, |answers| answers.len() as i64);
        assert_eq!((response.status(), answered), (status, answers), "{text}");
        // by default, none is read
        let response = Endpoint::new().answer(&mut service().server(), &mut seen, &head, text.as_bytes(), &mut output);
        assert_eq!(response.status(), 400, "{text}");
    }
}

/// A batch with a request that belongs to no session is refused, and opens none.
#[test]
fn a_refused_batch_opens_no_session() {
    let ping = request("ping", json!({}));
    for (batch, status, is_opened) in
        [(json!([hello("2025-03-26")]), 200, true), (json!([hello("2025-03-26"), ping]), 400, false)]
    {
        let head = Head { session: Session::Absent, ..Head::new("POST") };
        let (mut output, mut seen, text) = ([0; 1024], Seen::default(), batch.to_string());
        let mut server = service().server().with_dialect(Dialect::MCP.with_max_batch(4));
        let response = Endpoint::new().answer(&mut server, &mut seen, &head, text.as_bytes(), &mut output);
        let change = if is_opened { SessionChange::Opened(Revision::V2025_03_26) } else { SessionChange::Same };
        assert_eq!((response.status(), response.session_change()), (status, change), "{text}");
    }
}

/// "A request missing any required field is malformed; the server MUST reject it with JSON-RPC error code -32602. On HTTP, the
/// response status MUST be `400 Bad Request`."
#[test]
fn a_stateless_request_without_its_metadata_is_malformed() {
    let mut client = Client::new();
    let capabilities = json!({"io.modelcontextprotocol/clientCapabilities": {}});
    let revision = json!({"io.modelcontextprotocol/protocolVersion": STATELESS});
    let wrong = json!({"io.modelcontextprotocol/protocolVersion": 1, "io.modelcontextprotocol/clientCapabilities": {}});
    for meta in [json!(null), json!({}), capabilities, revision, wrong] {
        for method in ["server/discover", "tools/list"] {
            let headers = [version(STATELESS)[0], ("Mcp-Method", method.as_bytes())];
            let answer = client.post(&headers, &request(method, json!({"_meta": meta})));
            assert_eq!((answer.status, answer.code()), (400, -32602), "{method} {meta}");
        }
    }
    // a header that is missing is not one that is empty
    let empty = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": ""}});
    assert_eq!(client.post(&[], &request("tools/list", empty.clone())).code(), -32020);
    assert_eq!(client.post(&version(""), &request("tools/list", empty)).code(), -32022);
}

#[test]
fn errors_have_their_status_in_2026_07_28_only() {
    let mut client = Client::new();
    let fail = || json!({"name": "work", "arguments": {"fail": true}});
    let answer = client.ask("tools/call", fail(), &[]);
    assert_eq!((answer.status, answer.code()), (400, -32021));
    let answer = client.ask("tools/call", json!({"name": "nobody"}), &[]);
    assert_eq!((answer.status, answer.code()), (400, -32602));
    let answer = client.post(&version("2025-11-25"), &request("tools/call", json!({"name": "nobody"})));
    assert_eq!((answer.status, answer.code()), (200, -32602));
    let answer = client.post(&version("2025-06-18"), &request("resources/read", json!({"uri": "x:"})));
    assert_eq!((answer.status, answer.code()), (200, -32002));
    // the specification has no status for it
    client.room = 130;
    let answer = client.ask("server/discover", json!({}), &[]);
    assert_eq!((answer.status, answer.code()), (200, -32603));
}

/// "If the server cannot accept the input, it MUST return an HTTP error status code [...]. The HTTP response body MAY comprise a
/// JSON-RPC error response that has no `id`."
#[test]
fn a_body_that_is_no_message_is_refused() {
    let mut client = Client::new();
    for headers in [&[][..], &version("2025-11-25"), &version(STATELESS), &version("x")] {
        for (body, code) in [
            (&b""[..], -32700),
            (b"{", -32700),
            (b"\"\xFF\"", -32700),
            (b"1", -32600),
            (b"[]", -32600),
            (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
            (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        ] {
            let answer = client.send("POST", headers, body);
            assert_eq!((answer.status, answer.code()), (400, code), "{}", body.escape_ascii());
            assert_eq!(answer.body.get("id"), None);
        }
        let answer = client.send("POST", headers, br#"{"jsonrpc":"2.0","id":9,"method":"ping","params":[]}"#);
        assert_eq!((answer.status, answer.code(), &answer.body["id"]), (400, -32600, &json!(9)));
        // a message that looks like a response is never answered
        let answer = client.send("POST", headers, br#"{"jsonrpc":"2.0","id":9,"result":1,"error":2}"#);
        assert_eq!((answer.status, answer.body), (400, Value::Null));
    }
}

#[test]
fn a_server_that_passes_the_unreadable_over_still_has_a_status() {
    let mut server = server().ignoring_unreadable();
    let head = Head::new("POST");
    let mut output = [0; 256];
    let response = Endpoint::new().answer(&mut server, &mut Seen::default(), &head, b"{", &mut output);
    assert_eq!((response.status(), response.body(), response.headers()), (400, &b""[..], &[][..]));
}

#[test]
fn an_output_that_is_too_short_for_any_answer_is_the_servers_fault() {
    let mut client = Client::new();
    for room in [0, 60, 90] {
        client.room = room;
        let answer = client.post(&version("2025-11-25"), &request("ping", json!({})));
        assert_eq!(answer.status, if room < 90 { 500 } else { 200 }, "{room}");
    }
    client.room = 0;
    assert_eq!(client.send("POST", &[], INITIALIZED).status, 202);
}

/// "HTTP GET or DELETE to the MCP endpoint: respond with `405 Method Not Allowed`" (2026-07-28).
#[test]
fn only_post_is_served() {
    let mut client = Client::new();
    for method in ["GET", "DELETE", "PUT", "HEAD", "OPTIONS", "PATCH", "post", ""] {
        for headers in [&[][..], &version("2025-11-25"), &version(STATELESS), &version("x")] {
            let answer = client.send(method, headers, INITIALIZED);
            assert_eq!((answer.status, answer.body), (405, Value::Null), "{method}");
            assert_eq!(answer.headers, [("allow", "POST")]);
        }
    }
    assert_eq!(client.seen.notifications, 0);
}

/// "The server MUST either return `Content-Type: text/event-stream` in response to this HTTP GET, or else return HTTP 405".
#[test]
fn clients_of_sessions_may_listen_where_the_program_speaks() {
    let mut client = Client { endpoint: Endpoint::new().listening(), ..Client::new() };
    for headers in [&[("Origin", &b"http://localhost"[..])], &version("2025-11-25")] {
        let answer = client.send("GET", headers, b"");
        assert_eq!((answer.status, answer.is_stream), (200, true));
        assert_eq!(answer.headers, Response::STREAM.headers());
        assert_eq!(answer.headers[0], ("content-type", "text/event-stream"));
        assert!(answer.headers.contains(&("x-accel-buffering", "no")));
    }
    let answer = client.send("GET", &version(STATELESS), b"");
    assert_eq!((answer.status, answer.headers), (405, vec![("allow", "POST")]));
    assert_eq!(client.send("GET", &version("x"), b"").status, 400);
    let answer = client.send("DELETE", &[], b"");
    assert_eq!((answer.status, answer.headers), (405, vec![("allow", "GET, POST")]));
    assert!(!client.send("POST", &version("2025-11-25"), INITIALIZED).is_stream);
}

#[test]
fn a_lenient_service_opens_the_session_that_its_answer_names() {
    let head = Head { session: Session::Absent, ..Head::from_headers("POST", [("host", "here")]) };
    for (params, revision) in [
        (json!({"capabilities": {}}), Revision::V2024_11_05),
        (json!({"capabilities": {}, "protocolVersion": "2025-06-18"}), Revision::V2025_06_18),
    ] {
        let (body, mut output) = (request("initialize", params).to_string(), [0; 512]);
        let mut server = service().lenient().server();
        let response = Endpoint::new().answer(&mut server, &mut Seen::default(), &head, body.as_bytes(), &mut output);
        let said: Value = serde_json::from_slice(response.body()).unwrap();
        assert_eq!(said["result"]["protocolVersion"], revision.as_str());
        assert_eq!(response.session_change(), SessionChange::Opened(revision));
    }
}

/// 2025-11-25, Session Management.
#[test]
fn sessions_are_opened_used_and_closed() {
    let known = Session::Open(Revision::V2025_06_18);
    let mut client = Client { session: Session::Absent, ..Client::new() };
    for (requested, agreed) in [("2025-06-18", Revision::V2025_06_18), ("2024-01-01", Revision::V2025_11_25)] {
        let answer = client.post(&[], &hello(requested));
        assert_eq!((answer.status, answer.change), (200, SessionChange::Opened(agreed)));
    }
    // a refused request opens no session
    let answer = client.post(&[], &request("initialize", json!({})));
    assert_eq!((answer.status, answer.code(), answer.change), (200, -32602, SessionChange::Same));
    // "SHOULD respond to requests without an `MCP-Session-Id` header (other than initialization) with HTTP 400"
    for body in [request("ping", json!({})).to_string().as_bytes(), INITIALIZED, ANSWERED] {
        assert_eq!(client.send("POST", &version("2025-11-25"), body).status, 400);
    }
    assert_eq!(client.send("DELETE", &[], b"").status, 400);
    client.session = known;
    // the revision is that of the session, or of the header, if there is one
    let call = request("tools/call", json!({"name": "work"}));
    assert_eq!(client.post(&[], &call).status, 200);
    assert_eq!(client.post(&version("2025-11-25"), &call).status, 200);
    assert_eq!(client.seen.revisions, [Revision::V2025_06_18, Revision::V2025_11_25]);
    for body in [INITIALIZED, ANSWERED] {
        assert_eq!(client.send("POST", &[], body).status, 202);
    }
    let answer = client.send("DELETE", &[], b"");
    assert_eq!((answer.status, answer.change, answer.headers), (200, SessionChange::Closed, vec![]));
    assert_eq!(client.send("DELETE", &version("x"), b"").status, 400);
    let answer = client.send("DELETE", &version(STATELESS), b"");
    assert_eq!((answer.status, answer.change), (405, SessionChange::Same));
    // "MUST respond to requests containing that session ID with HTTP 404"
    client.session = Session::Unknown;
    for body in [call.to_string().as_bytes(), hello("2025-11-25").to_string().as_bytes(), INITIALIZED, ANSWERED] {
        for headers in [&[][..], &version("2025-11-25")] {
            let answer = client.send("POST", headers, body);
            assert_eq!((answer.status, answer.body), (404, Value::Null));
        }
    }
    assert_eq!(client.send("DELETE", &[], b"").status, 404);
    let mut listening = Client { endpoint: Endpoint::new().listening(), session: Session::Unknown, ..Client::new() };
    assert_eq!(listening.send("GET", &[], b"").status, 404);
    listening.session = Session::Absent;
    assert_eq!(listening.send("GET", &[], b"").status, 400);
    assert_eq!(listening.send("PUT", &[], b"").headers, [("allow", "GET, POST, DELETE")]);
}

/// "The initialization phase MUST be the first interaction between client and server"; a new session begins with a request "without a
/// session ID attached" (2025-11-25).
#[test]
fn a_second_initialize_in_an_open_session_is_refused() {
    let mut client = Client { session: Session::Open(Revision::V2025_06_18), ..Client::new() };
    for requested in ["2025-06-18", "2025-11-25"] {
        for headers in [&[][..], &version("2025-06-18"), &version("2025-11-25")] {
            let answer = client.post(headers, &hello(requested));
            assert_eq!((answer.status, answer.code(), answer.change), (400, -32600, SessionChange::Same));
            assert_eq!(answer.body["error"]["message"], "Invalid Request: the session is already open");
        }
    }
    // a program that stores no sessions cannot know whether the client has opened one
    client.session = Session::NotKept;
    assert_eq!(client.post(&[], &hello("2025-11-25")).status, 200);
}

/// "An `Mcp-Session-Id` header on a request: ignore it, and do not mint or echo session IDs." (2026-07-28)
#[test]
fn a_stateless_request_is_of_no_session() {
    for session in [Session::NotKept, Session::Absent, Session::Unknown, Session::Open(Revision::V2025_11_25)] {
        let mut client = Client { session, ..Client::new() };
        let answer = client.ask("tools/call", json!({"name": "work"}), &[("Mcp-Session-Id", Some(b"x"))]);
        assert_eq!((answer.status, answer.change), (200, SessionChange::Same), "{session:?}");
        assert_eq!(client.seen.revisions, [Revision::V2026_07_28]);
    }
}

#[test]
fn what_is_sent_ahead_becomes_events_and_the_answer_the_last() {
    let mut client = Client::new();
    let answer = client.ask("tools/call", json!({"name": "work"}), &[]);
    let mut stream: Vec<u8> = KEEP_ALIVE.to_vec();
    let body = answer.body.to_string();
    let pretty = serde_json::to_string_pretty(&answer.body).expect("JSON").replace('\n', "\r\n");
    for message in [&client.seen.ahead[0][..], body.as_bytes(), pretty.as_bytes()] {
        stream.extend(event(message).flatten());
    }
    let mut framer = Framer::<Events, 4096>::new();
    framer.push(&stream);
    let mut read = Vec::new();
    while let Some(event) = framer.next() {
        let event = event.expect("an event");
        assert_eq!((event.event, event.id), (&b"message"[..], &b""[..]));
        read.push(serde_json::from_slice::<Value>(event.data).expect("JSON"));
    }
    assert_eq!(read.len(), 3);
    assert_eq!(read[0]["params"], json!({"progressToken": 7, "progress": 1, "total": 2}));
    assert_eq!((&read[1], &read[2]), (&answer.body, &answer.body));
    assert_eq!(event(b"").flatten().copied().collect::<Vec<_>>(), b"data: \n\n");
}

/// "The server's response is itself an SSE stream that stays open" (2026-07-28, Receiving Messages).
#[test]
fn a_client_that_listens_gets_a_stream() {
    use nanojsonrpc::mcp::service::Subscriptions;
    let mut server = service_of_subscriptions().server();
    let mut kept = Subscriptions::<2, 64>::new();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {}});
    let listen = request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}, "_meta": meta}));
    let mut output = [0; 512];
    let headers = [version(STATELESS)[0], ("Mcp-Method", &b"subscriptions/listen"[..])];
    let head = Head::from_headers("POST", headers);
    let response = Endpoint::new().answer(&mut server, &mut kept, &head, listen.to_string().as_bytes(), &mut output);
    assert_eq!((response.status(), response.is_stream()), (200, true));
    assert_eq!(response.headers(), Response::STREAM.headers());
    let first: Value = serde_json::from_slice(response.body()).expect("JSON");
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(first["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1);
}

fn service_of_subscriptions() -> Service<
    nanojsonrpc::mcp::service::Subscriptions<2, 64>,
    impl nanojsonrpc::mcp::service::feature::Features<nanojsonrpc::mcp::service::Subscriptions<2, 64>>,
> {
    Service::new("desk", "1.0.0")
        .tool("work", "Works.", ANYTHING, |_: &mut _, call: ToolCall<'_>| call.text("done"))
        .subscriptions(|kept| kept)
}

#[test]
fn handlers_that_wait_are_answered_by_the_same_rules() {
    use core::pin::pin;
    use core::task::{Context, Poll, Waker};

    let routes = || {
        Router::new()
            .request_async("slow", async |seen: &mut Seen| {
                core::future::ready(()).await;
                seen.notifications += 1;
                Ok("slow")
            })
            .request("quick", |_: &mut Seen| Ok("quick"))
            .nest("", service().router())
    };
    let answer = |headers: &[(&str, &[u8])], body: &Value, method: &str| {
        let (mut server, mut seen, mut output) =
            (Server::new(routes()).with_dialect(Dialect::MCP), Seen::default(), [0; 2048]);
        let head = Head::from_headers(method, headers.iter().copied());
        let body = body.to_string();
        let (status, body) = {
            let endpoint = Endpoint::new();
            let answering = pin!(endpoint.answer_async(&mut server, &mut seen, &head, body.as_bytes(), &mut output));
            let Poll::Ready(response) = answering.poll(&mut Context::from_waker(Waker::noop())) else {
                panic!("pending")
            };
            (response.status(), serde_json::from_slice::<Value>(response.body()).unwrap_or_default())
        };
        (status, body["result"].clone(), seen.revisions)
    };
    let slow = request("slow", json!({}));
    assert_eq!(answer(&version("2025-11-25"), &slow, "POST"), (200, json!("slow"), vec![]));
    let quick = request("quick", json!({}));
    assert_eq!(answer(&version("2025-11-25"), &quick, "POST").1, "quick");
    assert_eq!(answer(&version("2025-11-25"), &request("none", json!({})), "POST").1, Value::Null);
    assert_eq!(answer(&version("x"), &slow, "POST").0, 400);
    assert_eq!(answer(&version("2025-11-25"), &slow, "GET").0, 405);
    let call = request("tools/call", json!({"name": "work"}));
    assert_eq!(answer(&version("2025-06-18"), &call, "POST").2, [Revision::V2025_06_18]);
}

/// The response to a call of `put` with these arguments and headers, by a program that compares its params: the status and the code.
fn put(schema: &str, arguments: &str, headers: &[(&str, &[u8])]) -> Option<(u16, i64)> {
    let meta = r#"{"io.modelcontextprotocol\/protocolVersion":"2026\u002d07-28"}"#;
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{{"name":"p\u0075t","arguments":{arguments},"_meta":{meta}}}}}"#
    );
    refused(schema, &Head::new("POST"), headers, &body)
}

fn refused(schema: &str, head: &Head<'_>, headers: &[(&str, &[u8])], body: &str) -> Option<(u16, i64)> {
    let schema = format!(r#"{{"type":"object","properties":{schema}}}"#);
    let tools = [("put", RawValue::parse(schema.as_bytes()).expect("JSON"))];
    let mut output = [0; 256];
    let headers = headers.iter().copied();
    let response = Endpoint::new().refuse_params(&tools, head, headers, body.as_bytes(), &mut output)?;
    let error: Value = serde_json::from_slice(response.body()).unwrap_or_default();
    assert_eq!(error["id"], if response.body().is_empty() { Value::Null } else { json!("a") });
    Some((response.status(), error["error"]["code"].as_i64().unwrap_or(0)))
}

const PARAMS: &str = r#"{"zone":{"type":"string","x-mcp-header":"Zone"},"n":{"type":"integer","x-mcp-header":"N"},
    "on":{"type":"boolean","x-mcp-header":"On"},"deep":{"properties":{"in":{"type":"string","x-mcp-header":"In-Deep"}}}}"#;
const MISMATCH: Option<(u16, i64)> = Some((400, -32020));

#[test]
fn the_headers_of_params_agree_with_the_arguments() {
    for (arguments, headers) in [
        ("{}", &[][..]),
        ("null", &[]),
        (r#"{"zone":null,"deep":null,"other":7}"#, &[("Mcp-Param-Other", "8"), ("Mcp-Para", "")]),
        (r#"{"zone":"attic"}"#, &[("Mcp-Param-Zone", " attic\t"), ("Mcp-Name", "put")]),
        (r#"{"zone":"at\u0074ic"}"#, &[("mcp-param-ZONE", "=?base64?YXR0aWM=?=")]),
        (r#"{"zone":""}"#, &[("Mcp-Param-Zone", "")]),
        (r#"{"zone":"YXR0aWM="}"#, &[("Mcp-Param-Zone", "YXR0aWM=")]),
        (r#"{"zone":"=?base64?YXR0aWM="}"#, &[("Mcp-Param-Zone", "=?base64?YXR0aWM=")]),
        (r#"{"n":42}"#, &[("Mcp-Param-N", "42")]),
        (r#"{"n":42}"#, &[("Mcp-Param-N", "42.0")]),
        (r#"{"n":-7.00}"#, &[("Mcp-Param-N", "-7")]),
        (r#"{"n":9007199254740993000000}"#, &[("Mcp-Param-N", "9007199254740993000000")]),
        (r#"{"on":true,"deep":{"in":"a"}}"#, &[("Mcp-Param-On", "true"), ("Mcp-Param-In-Deep", "a")]),
    ] {
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
        assert_eq!(put(PARAMS, arguments, &headers), None, "{arguments} {headers:?}");
    }
}

#[test]
fn a_header_of_a_param_that_says_something_else_than_the_arguments_is_refused() {
    for (arguments, headers) in [
        // missing, or superfluous
        (r#"{"zone":"attic"}"#, &[][..]),
        (r#"{"deep":{"in":"a"}}"#, &[]),
        ("{}", &[("Mcp-Param-Zone", &b"attic"[..])]),
        (r#"{"zone":null}"#, &[("Mcp-Param-Zone", b"")]),
        (r#"{"deep":null}"#, &[("Mcp-Param-In-Deep", b"a")]),
        // different
        (r#"{"zone":"attic"}"#, &[("Mcp-Param-Zone", b"Attic")]),
        (r#"{"zone":"attic"}"#, &[("Mcp-Param-Zone", b"attics")]),
        (r#"{"zone":"42"}"#, &[("Mcp-Param-Zone", b"42.0")]),
        (r#"{"n":42}"#, &[("Mcp-Param-N", b"43")]),
        (r#"{"n":42}"#, &[("Mcp-Param-N", b"42.5")]),
        (r#"{"n":42}"#, &[("Mcp-Param-N", b"+42")]),
        (r#"{"n":42}"#, &[("Mcp-Param-N", b"042")]),
        (r#"{"n":4.2e1}"#, &[("Mcp-Param-N", b"42")]),
        (r#"{"on":true}"#, &[("Mcp-Param-On", b"True")]),
        (r#"{"n":[42]}"#, &[("Mcp-Param-N", b"[42]")]),
        // twice, though the values agree
        (r#"{"zone":"a"}"#, &[("Mcp-Param-Zone", b"a"), ("mcp-param-zone", b"a")]),
        // bytes that no header may have, and wrong base64
        (r#"{"zone":"\u00e9"}"#, &[("Mcp-Param-Zone", "é".as_bytes())]),
        (r#"{"zone":"\u0000"}"#, &[("Mcp-Param-Zone", b"\0")]),
        (r#"{"zone":"Hello"}"#, &[("Mcp-Param-Zone", b"=?base64?SGVsbG8?=")]),
        (r#"{"zone":"Hello"}"#, &[("Mcp-Param-Zone", b"=?base64?SGVs!!!bG8=?=")]),
    ] {
        assert_eq!(put(PARAMS, arguments, headers), MISMATCH, "{arguments} {headers:?}");
    }
    // an argument that occurs twice: a handler may read the other one
    for arguments in [
        r#"{"zone":"attic","zone":"cellar"}"#,
        r#"{"zone":"attic","z\u006fne":"attic"}"#,
        r#"{"zone":"attic","zone":null}"#,
    ] {
        assert_eq!(put(PARAMS, arguments, &[("Mcp-Param-Zone", b"attic")]), MISMATCH, "{arguments}");
    }
    let twice = r#"{"zone":null,"zone":"attic","deep":null,"deep":{"in":"a"}}"#;
    assert_eq!(put(PARAMS, twice, &[]), MISMATCH);
    let twice = r#"{"deep":{"in":"a"},"deep":{}}"#;
    assert_eq!(put(PARAMS, twice, &[("Mcp-Param-In-Deep", b"a")]), MISMATCH);
    assert_eq!(put(PARAMS, r#"{"other":1,"other":2}"#, &[]), None);
    // an annotation that the specification forbids agrees with nothing
    assert_eq!(put(r#"{"n":{"type":"number","x-mcp-header":"N"}}"#, "{}", &[]), MISMATCH);
}

#[test]
fn only_calls_of_the_tools_with_annotations_in_2026_07_28_have_headers_of_params() {
    let call = |version: &str, name: &str| {
        json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": name, "arguments": {"zone": "attic"},
            "_meta": {"io.modelcontextprotocol/protocolVersion": version}}})
    };
    let (wrong, post) = (call(STATELESS, "put"), Head::new("POST"));
    let to = |head: &Head<'_>, body: &Value| refused(PARAMS, head, &[], &body.to_string());
    assert_eq!(to(&post, &wrong), MISMATCH);
    assert_eq!(to(&post, &call(STATELESS, "take")), None);
    assert_eq!(to(&post, &call("2025-11-25", "put")), None);
    let mut changed = wrong.clone();
    changed["method"] = json!("prompts/get");
    assert_eq!(to(&post, &changed), None);
    changed["params"] = json!([1]);
    assert_eq!(to(&post, &changed), None);
    // the endpoint refuses these
    assert_eq!(to(&Head { origin: Some(b"https://evil.example"), ..post }, &wrong), None);
    assert_eq!(refused(PARAMS, &post, &[], "{"), None);
    // a call without an id, and without a version, which a lenient server reads; a call in a batch
    let mut changed = wrong.clone();
    changed.as_object_mut().expect("an object").remove("id");
    assert_eq!(to(&post, &changed), Some((400, 0)));
    let mut changed = wrong.clone();
    changed.as_object_mut().expect("an object").remove("jsonrpc");
    assert_eq!(to(&post, &changed), MISMATCH);
    let schema = format!(r#"{{"type":"object","properties":{PARAMS}}}"#);
    let tools = [("put", RawValue::parse(schema.as_bytes()).expect("JSON"))];
    let (batch, mut output) = (json!([call(STATELESS, "take"), wrong]).to_string(), [0; 256]);
    let none = [("", ""); 0];
    let response = Endpoint::new().refuse_params(&tools, &post, none, batch.as_bytes(), &mut output);
    let answers: Value = serde_json::from_slice(response.expect("a refusal").body()).expect("JSON");
    assert_eq!((&answers[0]["error"]["code"], &answers[1]["error"]["code"]), (&json!(-32020), &json!(-32020)));
}

#[test]
fn a_client_of_this_crate_writes_the_headers_that_the_server_compares() {
    use nanojsonrpc::mcp::client::http::Remote;
    let schema = format!(r#"{{"type":"object","properties":{PARAMS}}}"#);
    let tools = [("put", RawValue::parse(schema.as_bytes()).expect("JSON"))];
    let mut remote = Remote::new("desk.local", "/mcp").with_tools(&tools);
    for arguments in [json!({}), json!({"zone": " größe\n", "n": -42, "on": false, "deep": {"in": "=?base64??="}})] {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "put", "arguments": arguments,
            "_meta": {"io.modelcontextprotocol/protocolVersion": STATELESS}}});
        let (mut room, mut output) = ([0; 2048], [0; 256]);
        let request = remote.post(message.to_string().as_bytes(), &mut room).expect("a request");
        let headers: Vec<_> = request.headers().collect();
        let head = Head::from_headers("POST", headers.iter().copied());
        let refusal = Endpoint::new().refuse_params(&tools, &head, headers.iter().copied(), request.body, &mut output);
        assert_eq!(refusal, None, "{arguments}");
    }
}
