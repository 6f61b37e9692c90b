//! The example `mcp_conformance_client` against a server of this crate that demands tokens, with an authorization server beside it.
#![cfg(all(feature = "authorization", not(miri)))]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Output;
use std::sync::{Arc, Mutex};
use std::thread;

use crate::example::example;
use nanojsonrpc::mcp::authorization::{Access, Decision, Protected};
use nanojsonrpc::mcp::http::{Endpoint, Head};
use nanojsonrpc::mcp::{Schema, Service, ToolCall};
use serde_json::json;

/// The requests of the client: a method and a target, or the method and the tool of a call that is allowed.
type Log = Arc<Mutex<Vec<String>>>;

struct Request {
    line: String,
    headers: Vec<(String, String)>,
    body: String,
}

fn read(stream: &TcpStream) -> Request {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let line = lines.remove(0).trim_end_matches(" HTTP/1.1").to_owned();
    let headers: Vec<_> = lines
        .iter()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let len =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, len)| len.parse().expect("a length"));
    let mut body = vec![0; len];
    reader.read_exact(&mut body).expect("the body");
    Request { line, headers, body: String::from_utf8(body).expect("UTF-8") }
}

fn write(mut stream: TcpStream, status: u16, headers: &[(&str, &str)], body: &[u8]) {
    let mut head = format!("HTTP/1.1 {status} -\r\nconnection: close\r\n");
    headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
    stream.write_all(&[head.as_bytes(), b"\r\n", body].concat()).expect("the client to read");
}

/// The program's decision: anyone may connect, a reader may list, an owner may call.
fn decide(access: &Access<'_>, log: &Log) -> Decision<'static> {
    let mut buffer = [0; 64];
    let token = access.token.and_then(|token| token.decode(&mut buffer).ok()).unwrap_or_default();
    let method = access.method.map(|method| method.to_string()).unwrap_or_default();
    let tool = access.name.map(|tool| tool.to_string()).unwrap_or_default();
    if !token.split('.').any(|scope| scope == "read") {
        return Decision::Unauthorized;
    }
    if method == "tools/call" && !token.split('.').any(|scope| scope == "write") {
        return Decision::InsufficientScope("write");
    }
    log.lock().expect("no panic").push(format!("{method} {tool}").trim().to_owned());
    Decision::Allow
}

/// Answers each request to `listener`: those of the server, and those of the authorization server at the same address. A token is the scopes
/// that it is for, with dots between them.
fn serve(listener: &TcpListener, log: &Log) {
    let origin = format!("http://{}", listener.local_addr().expect("an address"));
    let (url, servers, scopes) = (format!("{origin}/mcp"), [&*origin], ["read"]);
    let protected = Protected::new(&url, &servers).with_scopes(&scopes);
    let switch = |_: &mut (), call: ToolCall<'_>| call.text("done");
    let mut server = Service::new("lamp", "1.0.0").tool("switch", "Switches.", Schema::NO_ARGUMENTS, switch).server();
    let mut asked = String::new();
    for stream in listener.incoming().map_while(Result::ok) {
        let Request { line, headers, body } = read(&stream);
        let (method, target) = line.split_once(' ').expect("a target");
        let path = target.split('?').next().unwrap_or_default();
        let json = [("content-type", "application/json")];
        if path != "/mcp" {
            log.lock().expect("no panic").push(format!("{method} {path}"));
        }
        match path {
            "/mcp" => {
                let head = Head::from_headers(method, headers.iter().map(|(name, value)| (&**name, &**value)));
                let token = headers.iter().find(|(name, _)| name == "authorization").map(|(_, value)| value.as_bytes());
                let mut out = [0; 1024];
                if let Some(refusal) =
                    protected.check(&head, token, body.as_bytes(), |access| decide(access, log), &mut out)
                {
                    write(stream, refusal.status(), refusal.headers(), b"");
                    continue;
                }
                let mut out = [0; 4096];
                let response = Endpoint::new().answer(&mut server, &mut (), &head, body.as_bytes(), &mut out);
                write(stream, response.status(), response.headers(), response.body());
            }
            path if method == "GET" && protected.is_metadata(path) => {
                let mut out = [0; 1024];
                let mut out = nanojsonrpc::Writer::new(&mut out);
                out.value(&protected).expect("room");
                write(stream, 200, &json, out.written());
            }
            "/.well-known/openid-configuration" => {
                let at = |path: &str| format!("{origin}{path}");
                let metadata = json!({"issuer": origin, "authorization_endpoint": at("/authorize"), "token_endpoint": at("/token"),
                    "registration_endpoint": at("/register"), "code_challenge_methods_supported": ["S256"]});
                write(stream, 200, &json, metadata.to_string().as_bytes());
            }
            "/register" => write(stream, 201, &json, br#"{"client_id":"a","client_secret":"b"}"#),
            "/authorize" => {
                let params: Vec<_> = target.split(['?', '&']).filter_map(|pair| pair.split_once('=')).collect();
                let param = |name| params.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| *value);
                assert_eq!(param("resource"), format!("{origin}/mcp").replace(':', "%3A").replace('/', "%2F"));
                asked = param("scope").replace("%20", ".");
                let location = format!("http://localhost:3000/callback?code=c&state={}", param("state"));
                write(stream, 302, &[("location", &location)], b"");
            }
            "/token" => {
                assert!(
                    headers.iter().any(|(name, value)| name == "authorization" && value == "Basic YTpi"),
                    "{headers:?}"
                );
                assert!(body.starts_with("grant_type=authorization_code&code=c&"), "{body}");
                let response = json!({"access_token": asked, "token_type": "Bearer"});
                write(stream, 200, &json, response.to_string().as_bytes());
            }
            _ => write(stream, 404, &[], b""),
        }
    }
}

/// Runs the example in a revision, and returns the requests that it has sent.
fn run(revision: &str) -> Vec<String> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let log = Log::default();
    let served = Arc::clone(&log);
    thread::spawn(move || serve(&listener, &served));
    let mut client = example("mcp_conformance_client");
    client.arg(url).env("MCP_CONFORMANCE_SCENARIO", "auth/x").env("MCP_CONFORMANCE_PROTOCOL_VERSION", revision);
    let Output { status, stderr, .. } = client.output().expect("the example to start");
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    let log = log.lock().expect("no panic");
    log.clone()
}

#[test]
fn a_client_gets_a_token_and_then_one_for_more_scopes() {
    let metadata = "GET /.well-known/oauth-protected-resource/mcp";
    let servers = ["GET /.well-known/oauth-authorization-server", "GET /.well-known/openid-configuration"];
    let token = ["GET /authorize", "POST /token"];
    for (revision, handshake) in
        [("2025-11-25", &["initialize", "notifications/initialized"][..]), ("2026-07-28", &["server/discover"])]
    {
        let expected: Vec<&str> = [
            &[metadata][..],
            &servers,
            &["POST /register"],
            &token,
            handshake,
            &["tools/list"],
            // 403
            &[metadata],
            &servers,
            &token,
            &["tools/call switch"],
        ]
        .concat();
        assert_eq!(run(revision), expected, "{revision}");
    }
}
