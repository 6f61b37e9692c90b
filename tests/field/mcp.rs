//! The Model Context Protocol: servers and clients in other languages, over standard input and output, and over HTTP.

use nanojsonrpc::connection::{Connection, serve};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::http::Chunked;
use nanojsonrpc::mcp::client::{Call, Client, SessionError};
use nanojsonrpc::mcp::http::{Endpoint, Head};
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::{Revision, Schema, Service, ToolCall, schema};
use nanojsonrpc::memory::{Pipe, Plan};
use nanojsonrpc::server::Event;
use nanojsonrpc::{Dialect, Router, Server};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Users {
    active: Option<bool>,
}

fn service() -> Service<(), impl Features<()>> {
    let users = schema!(r#"{"type":"object","properties":{"active":{"type":"boolean"}}}"#);
    Service::new("field", "1")
        .tool("list_regions", "Lists.", Schema::NO_ARGUMENTS, |_: &mut (), call: ToolCall<'_>| call.text("none"))
        .tool(
            "users",
            "Lists.",
            users,
            |_: &mut (), users: Users| if users.active == Some(true) { "active" } else { "all" },
        )
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"REVISION","capabilities":{},"clientInfo":{"name":"c","version":"0"}}}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#;

/// The answers of a server to lines that arrive in chunks of `len` bytes.
fn answers(is_lenient: bool, lines: &str, len: usize) -> Vec<Value> {
    let mut pipe: Pipe<8192> = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.try_write(lines.as_bytes()).unwrap();
    hub.close();
    let (mut framer, mut output) = (Framer::<Lines, 1024>::new(), [0; 1024]);
    let reading = device.reading(Plan::in_chunks(len));
    let service = if is_lenient { service().lenient() } else { service() };
    serve(&reading, &reading, &mut framer, &mut output, &mut service.server(), &mut ()).unwrap();
    let mut sent = [0; 8192];
    let len = hub.try_read(&mut sent).unwrap();
    let sent = std::str::from_utf8(&sent[..len]).unwrap();
    sent.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The strict and the lenient answer to `input` in a session of this revision, between `initialize` and a list.
fn in_session(input: &str, revision: &str) -> [Option<Value>; 2] {
    let lines = format!("{}\n{}\n{LIST}\n", INITIALIZE.replace("REVISION", revision), input.trim());
    [false, true].map(|is_lenient| {
        let whole = answers(is_lenient, &lines, usize::MAX);
        for len in [1, 3] {
            assert_eq!(answers(is_lenient, &lines, len), whole, "{input}");
        }
        assert_eq!((&whole[0]["id"], &whole.last().unwrap()["id"]), (&"i".into(), &"l".into()), "{input}");
        assert!(whole.last().unwrap()["result"]["tools"].is_array(), "{input}");
        assert!(whole.len() <= 3, "{input}: {whole:?}");
        whole.get(1).filter(|_| whole.len() == 3).cloned()
    })
}

/// The outcome of `connect` or of a call with the id 1, the events, and what the session has sent.
fn session(mut client: Client, input: &str) -> (String, Vec<String>, String) {
    let mut pipe: Pipe<8192> = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.try_write(input.as_bytes()).unwrap();
    hub.close();
    let (mut framer, mut output, mut seen) = (Framer::<Lines, 1024>::new(), [0; 1024], Vec::new());
    let mut server = Server::new(Router::new().request("roots/list", |_: &mut Vec<String>| Ok(1)))
        .with_dialect(Dialect::MCP)
        .observed_by(|seen: &mut Vec<String>, event: Event<'_>| seen.push(event.to_string()));
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let is_connected = client.negotiated().is_some();
    let mut session = client.over(&mut connection, &mut server, &mut seen);
    let outcome = if is_connected {
        session.call(&Call::new("x")).map(|result| result.as_json().to_owned()).map_err(|error| error.to_string())
    } else {
        let connected: Result<_, SessionError<'_, _, _>> = session.connect();
        connected.map(|server| server.revision.as_str().to_owned()).map_err(|error| error.to_string())
    };
    let mut sent = [0; 2048];
    let len = hub.try_read(&mut sent).unwrap();
    (outcome.unwrap_or_else(|error| error), seen, String::from_utf8_lossy(&sent[..len]).into_owned())
}

#[test]
fn lines_have_the_right_outcome() {
    for (n, input) in crate::inputs("mcp-stdio") {
        match n {
            26 => {
                let [strict, lenient] = in_session(&input, "2025-06-18").map(Option::unwrap);
                assert_eq!((&strict["id"], &strict["error"]["code"]), (&3.into(), &(-32602).into()));
                assert!(strict["error"]["message"].as_str().unwrap().contains("arguments"));
                assert_eq!((&lenient["id"], &lenient["result"]["content"][0]["text"]), (&3.into(), &"none".into()));
            }
            28 => assert_eq!(in_session(&input, "2025-06-18"), [None, None]),
            29 => {
                let inside =
                    input.replace("\"capabilities\":[]", r#""capabilities":{"experimental":[],"sampling":[]}"#);
                let [strict, lenient] = [false, true].map(|is_lenient| answers(is_lenient, &input, 9).remove(0));
                assert_eq!((&strict["id"], &strict["error"]["code"]), (&0.into(), &(-32602).into()));
                assert!(strict["error"]["message"].as_str().unwrap().contains("capabilities"));
                assert_eq!(lenient["result"]["protocolVersion"], "2025-06-18");
                for is_lenient in [false, true] {
                    assert_eq!(answers(is_lenient, &inside, 9)[0]["result"]["protocolVersion"], "2025-06-18");
                }
            }
            31 => {
                for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
                    for answer in in_session(&input, revision).map(Option::unwrap) {
                        let said = if revision == "2025-11-25" {
                            assert_eq!(answer["result"]["isError"], true);
                            &answer["result"]["content"][0]["text"]
                        } else {
                            assert_eq!(answer["error"]["code"], -32602);
                            &answer["error"]["message"]
                        };
                        let said = said.as_str().unwrap();
                        assert!(said.contains("active") && said.contains("boolean"), "{said}");
                    }
                }
            }
            32 => {
                for answer in in_session(&input, "2025-11-25").map(Option::unwrap) {
                    assert_eq!((&answer["id"], &answer["error"]["code"]), (&2.into(), &(-32601).into()));
                }
            }
            34 => {
                for len in [usize::MAX, 1, 3] {
                    let answers = answers(false, &input, len);
                    assert_eq!((answers.len(), &answers[0]["id"], &answers[1]["id"]), (2, &0.into(), &1.into()));
                    assert_eq!(answers[0]["result"]["protocolVersion"], "2024-11-05");
                    assert!(answers[1]["result"]["tools"].is_array());
                }
            }
            40 => {
                let unknown = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#;
                let client = Client::new("c", "1");
                assert_eq!(session(client, &format!("{unknown}\n{input}\n")).0, "2025-03-26");
                let first = input.replace("\"id\":2", "\"id\":1");
                let fixed = |revision| Client::new("c", "1").revision(revision);
                assert_eq!(session(fixed(Revision::V2025_03_26), &first).0, "2025-03-26");
                let refused = session(fixed(Revision::V2025_11_25), &first).0;
                assert!(refused.contains("2025-03-26"), "{refused}");
            }
            55 => {
                let (outcome, seen, sent) = session(Client::new("c", "1").connected_as(Revision::V2025_11_25), &input);
                assert_eq!((outcome.as_str(), seen.len(), sent.lines().count()), ("{}", 2, 1), "{seen:?} {sent}");
            }
            _ => panic!("no outcome for {n}"),
        }
    }
}

#[test]
fn requests_of_http_have_the_right_outcome() {
    for (n, input) in crate::inputs("mcp-http") {
        let (head, body) = input.split_once("\r\n\r\n").expect("a head");
        let mut lines = head.lines();
        let method = lines.next().and_then(|line| line.split(' ').next()).expect("a method");
        let headers = lines.map(|line| line.split_once(": ").expect("a header"));
        let mut body = body.as_bytes().to_vec();
        if head.contains("chunked") {
            let mut chunked = Chunked::new();
            let len = chunked.decode(&mut body).expect("chunks").len;
            body.truncate(len);
        }
        let (mut server, mut output) = (service().server(), [0; 1024]);
        let head = Head::from_headers(method, headers);
        let response = Endpoint::new().answer(&mut server, &mut (), &head, &body, &mut output);
        assert_eq!(response.status(), 200, "{n}: {}", response.body().escape_ascii());
        let answer: Value = serde_json::from_slice(response.body()).expect("JSON");
        match n {
            35 | 41 => assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{n}"),
            37 | 38 => assert!(answer["result"]["tools"].is_array(), "{n}"),
            _ => panic!("no outcome for {n}"),
        }
    }
}
