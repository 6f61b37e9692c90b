//! `jrpc bridge`, driven as a client of MCP drives it.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by a panic")]

mod common;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use common::{LAMP, LIMIT, Running, jrpc as run};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with the document of a lamp.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("lamp.json"), LAMP).expect("written");
    folder
}

/// A simulated lamp at the socket `name` of the folder, and its address.
fn lamp(folder: &Path, name: &str, arguments: &[&str]) -> (Running, String) {
    let (file, address) = (folder.join("lamp.json"), format!("unix:{}", folder.join(name).display()));
    let file = file.display().to_string();
    let mock = Running::start(&[&["mock", &file, "--listen", &address], arguments].concat());
    mock.next_address();
    (mock, address)
}

/// A client of MCP.
struct Client {
    bridge: Running,
    id: u64,
    meta: Option<Value>,
}

impl Client {
    fn new(arguments: &[&str]) -> Self {
        Self { bridge: Running::start(&[&["bridge"], arguments].concat()), id: 0, meta: None }
    }

    fn open(arguments: &[&str], revision: &str) -> Self {
        let mut client = Self::new(arguments);
        let hello =
            json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let answer = client.request("initialize", hello);
        assert_eq!(answer["result"]["protocolVersion"], revision, "{answer}");
        assert_eq!(answer["result"]["capabilities"], json!({ "logging": {}, "tools": { "listChanged": true } }));
        client.bridge.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        client
    }

    fn read(&self) -> Value {
        serde_json::from_str(&self.bridge.line()).expect("a message")
    }

    /// The answer; notifications before it are skipped.
    fn request(&mut self, method: &str, mut params: Value) -> Value {
        self.id += 1;
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        self.bridge.write(&json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }).to_string());
        loop {
            let answer = self.read();
            if answer["id"] == json!(self.id) {
                return answer;
            }
            assert!(answer.get("method").is_some(), "{answer}");
        }
    }

    fn tools(&mut self) -> Vec<String> {
        let answer = self.request("tools/list", json!({}));
        let tools = answer["result"]["tools"].as_array().expect("tools").clone();
        tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))["result"].clone()
    }

    /// The code and the message of a failed call.
    fn failure(&mut self, tool: &str, arguments: Value) -> (i64, String) {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().expect("text");
        let error: Value = serde_json::from_str(text).expect("an error");
        (error["code"].as_i64().expect("a code"), error["message"].as_str().expect("a message").to_owned())
    }
}

#[test]
fn the_methods_of_a_device_are_tools() {
    let folder = folder();
    let (_lamp, address) = lamp(folder.path(), "lamp", &[]);
    let peers = folder.path().join("peers.toml");
    std::fs::write(&peers, format!("[desk]\naddress = {address:?}\n")).expect("written");
    for revision in ["2025-06-18", "2025-11-25"] {
        let mut client = Client::open(&["desk", "--peers", &peers.display().to_string()], revision);
        assert_eq!(client.tools(), ["desk_lamp_set", "desk_subtract"]);
        let tools = client.request("tools/list", json!({}))["result"].clone();
        assert_eq!(tools.as_object().map(|result| result.len()), Some(1), "{tools}");
        let schema = &tools["tools"][0]["inputSchema"];
        assert_eq!(schema["properties"]["level"], json!({ "$ref": "#/components/schemas/Level" }));
        assert_eq!(
            (&schema["required"], &schema["components"]["schemas"]["Level"]["maximum"]),
            (&json!(["level"]), &json!(100))
        );
        assert!(tools["tools"][0]["description"].as_str().is_some_and(|text| text.starts_with("Sets the level.")));
        let result = client.call("desk_lamp_set", json!({ "level": 20 }));
        let expected =
            json!({ "content": [{ "type": "text", "text": "{\"before\":7}" }], "structuredContent": { "before": 7 } });
        assert_eq!(result, expected);
        let result = client.call("desk_subtract", json!({ "subtrahend": 23, "minuend": 42 }));
        assert_eq!(result, json!({ "content": [{ "type": "text", "text": "19" }] }));
        let (code, message) = client.failure("desk_lamp_set", json!({ "level": 300 }));
        assert!(code == -32602 && message.contains("/level: 300 is greater"), "{message}");
        let (code, message) = client.failure("desk_subtract", json!({ "x": 1 }));
        assert!(code == -32602 && message.contains("no param is named \"x\""), "{message}");
        let answer = client.request("tools/call", json!({ "name": "desk_off" }));
        assert_eq!(
            answer["error"],
            json!({ "code": -32602, "message": "Unknown tool", "data": { "name": "desk_off" } })
        );
        let answer = client.request("tools/call", json!({ "name": "desk_subtract", "arguments": [1] }));
        assert_eq!(answer["error"]["code"], -32602);
        client.bridge.close_input();
        assert!(client.bridge.status().success());
    }
}

#[test]
fn stateless_clients_are_served_too() {
    let folder = folder();
    let (_lamp, address) = lamp(folder.path(), "lamp", &[]);
    let mut client = Client::new(&[&address]);
    let meta = |version: &str| {
        Some(
            json!({ "io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {} }),
        )
    };
    client.meta = meta("2026-07-28");
    let answer = client.request("server/discover", json!({}));
    assert_eq!(answer["result"]["capabilities"]["tools"]["listChanged"], true, "{answer}");
    let info = |result: &Value| result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"].clone();
    let result = client.request("tools/list", json!({}))["result"].clone();
    let members = (&result["resultType"], &result["ttlMs"], &result["cacheScope"], info(&result));
    assert_eq!(members, (&json!("complete"), &json!(0), &json!("private"), json!("jrpc-bridge")), "{result}");
    let tool = result["tools"][0]["name"].as_str().expect("a name").to_owned();
    let result = client.call(&tool, json!({ "level": 20 }));
    assert_eq!((&result["resultType"], &result["structuredContent"]), (&json!("complete"), &json!({ "before": 7 })));
    client.meta = meta("2030-01-01");
    for method in ["tools/list", "tools/call", "server/discover"] {
        assert_eq!(client.request(method, json!({ "name": tool }))["error"]["code"], -32022, "{method}");
    }
}

#[test]
fn a_device_comes_and_goes() {
    let folder = folder();
    let socket = format!("unix:{}", folder.path().join("lamp").display());
    let mut client = Client::open(&["--timeout", "1s", &socket], "2025-11-25");
    assert_eq!(client.tools(), [""; 0]);
    let (device, _) = lamp(folder.path(), "lamp", &[]);
    assert_eq!(client.read()["method"], "notifications/tools/list_changed");
    let tool = client.tools()[0].clone();
    assert_eq!(client.call(&tool, json!({ "level": 20 }))["structuredContent"], json!({ "before": 7 }));
    device.kill();
    let (code, message) = client.failure(&tool, json!({ "level": 20 }));
    assert!([-32005, -32006].contains(&code), "{code} {message}");
    let (_device, _) = lamp(folder.path(), "lamp", &[]);
    let begun = std::time::Instant::now();
    while client.call(&tool, json!({ "level": 20 }))["structuredContent"] != json!({ "before": 7 }) {
        assert!(begun.elapsed() < LIMIT, "it connects again");
    }
    assert_eq!(client.tools().len(), 2);
}

#[test]
fn two_devices_with_the_same_methods_are_two_sets_of_tools() {
    let folder = folder();
    let (_one, one) = lamp(folder.path(), "lamp.a", &[]);
    let (_two, two) = lamp(folder.path(), "lamp-a", &["--fail", "100"]);
    let (_three, three) = lamp(folder.path(), "lamp_a", &["--delay", "1ms"]);
    let mut client = Client::open(&[&one, &two, &three], "2025-11-25");
    let tools = client.tools();
    let unique: std::collections::BTreeSet<_> = tools.iter().collect();
    // a device whose every answer is an error has no description
    assert!(tools.len() == 5 && unique.len() == 5, "{tools:?}");
    let is_plain =
        |name: &&String| name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    assert!(tools.iter().all(|name| is_plain(&name)), "{tools:?}");
    for tool in tools.iter().filter(|name| name.ends_with("subtract")) {
        assert_eq!(client.call(tool, json!({ "minuend": 42, "subtrahend": 23 }))["content"][0]["text"], "19");
    }
    let any = tools.iter().find(|name| name.ends_with("_call")).expect("a tool");
    assert_eq!(client.failure(any, json!({ "method": "lamp.set" })), (-32000, "Simulated error".to_owned()));
}

#[test]
fn a_tool_can_be_called_before_it_is_listed() {
    let folder = folder();
    let (_device, address) = lamp(folder.path(), "lamp", &["--delay", "50ms"]);
    let tool = Client::new(&[&address]).tools()[0].clone();
    let mut client = Client::new(&[&address]);
    assert_eq!(client.call(&tool, json!({ "level": 20 }))["structuredContent"], json!({ "before": 7 }));
}

#[test]
fn a_late_device_is_an_error_of_the_call() {
    let folder = folder();
    let (_lamp, address) = lamp(folder.path(), "lamp", &["--drop", "100"]);
    let mut client = Client::open(&[&address, "--timeout", "300ms"], "2025-11-25");
    let tools = client.tools();
    assert!(tools.len() == 1 && tools[0].ends_with("_call"), "{tools:?}");
    assert_eq!(client.failure(&tools[0], json!({ "method": "x" })), (-32001, "Request timed out".to_owned()));
}

/// A device whose answers are those of `answer`, which gets the method and the id.
fn device(answer: impl Fn(&str, &Value) -> String + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = format!("tcp://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut output = stream.try_clone().expect("cloned");
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                let request: Value = serde_json::from_str(&line).expect("a request");
                let answer = answer(request["method"].as_str().expect("a method"), &request["id"]);
                if output.write_all(format!("{answer}\n").as_bytes()).is_err() {
                    break;
                }
            }
        }
    });
    address
}

#[test]
fn hostile_answers_are_errors_of_their_calls() {
    let address = device(|method, id| match method {
        "rpc.discover" => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"methods\":[{{\"name\":5}}]}}}}"),
        "noise" => "\u{1b}[31m{{{ not JSON".to_owned(),
        "invalid" => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":1,\"error\":2}}"),
        "long" => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":\"{}\"}}", "x".repeat(5000)),
        "wrong" => format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":1}}", id.as_i64().expect("a number") + 1000),
        "deep" => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{}1{}}}", "[".repeat(60), "]".repeat(60)),
        "big" => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"n\":1e999,\"m\":123456789012345678901234567890}}}}"
        ),
        "strange" => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-7,\"message\":\"\\u001b[31m\",\"data\":[1]}}}}"
        ),
        _ => format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"changed\",\"params\":[3]}}\n{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":null}}"
        ),
    });
    let mut client = Client::open(&[&address, "--timeout", "1s", "--max-len", "2000"], "2025-11-25");
    let tool = client.tools()[0].clone();
    assert!(tool.ends_with("_call"), "{tool}");
    for (method, code) in [("noise", -32001), ("invalid", -32603), ("long", -32603), ("wrong", -32001), ("strange", -7)]
    {
        let (found, message) = client.failure(&tool, json!({ "method": method }));
        assert_eq!(found, code, "{method}: {message}");
    }
    assert!(client.call(&tool, json!({ "method": "deep" }))["content"][0]["text"].is_string());
    client.bridge.write(&json!({ "jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": { "name": tool, "arguments": { "method": "big" } } }).to_string());
    assert!(client.bridge.line().contains(r#""structuredContent":{"n":1e999,"m":123456789012345678901234567890}"#));

    let call = json!({ "jsonrpc": "2.0", "id": "y", "method": "tools/call", "params": { "name": tool, "arguments": { "method": "notify" } } });
    client.bridge.write(&call.to_string());
    let both = [client.read(), client.read()];
    let log = both.iter().find(|message| message["method"] == "notifications/message").expect("a log");
    let name = address.as_str();
    assert_eq!(
        log["params"],
        json!({ "level": "info", "logger": name, "data": { "method": "changed", "params": [3] } })
    );
    assert!(both.iter().any(|message| message["id"] == "y"));
    client.request("logging/setLevel", json!({ "level": "error" }));
    client.bridge.write(&call.to_string());
    assert_eq!(client.read()["id"], "y", "no log below the level");
    assert_eq!(client.request("logging/setLevel", json!({ "level": "loud" }))["error"]["code"], -32602);
}

#[test]
fn the_tools_of_an_mcp_server_are_passed_on() {
    let folder = folder();
    let socket = format!("unix:{}", folder.path().join("lamp").display());
    let server = format!("mcp:exec:{} bridge {socket}", env!("CARGO_BIN_EXE_jrpc"));
    let mut client = Client::open(&[&server], "2025-11-25");
    assert_eq!(client.tools(), [""; 0]);
    let (_lamp, _) = lamp(folder.path(), "lamp", &[]);
    assert_eq!(client.read()["method"], "notifications/tools/list_changed");
    let tools = client.tools();
    assert_eq!(tools.len(), 2, "{tools:?}");
    let set = tools.iter().find(|name| name.ends_with("lamp_set")).expect("a tool");
    assert_eq!(client.call(set, json!({ "level": 20 }))["structuredContent"], json!({ "before": 7 }));
    assert_eq!(client.failure(set, json!({ "level": 300 })).0, -32602);
}

#[test]
fn clients_of_http_have_sessions_and_local_pages() {
    let folder = folder();
    let (_lamp, address) = lamp(folder.path(), "lamp", &[]);
    let mut bridge = Running::start(&["bridge", &address, "--listen", "http://127.0.0.1:0/mcp"]);
    let listening = bridge.next_address();
    let host = listening.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp")).expect("an address");
    let post = |headers: &str, message: Value| {
        let body = message.to_string();
        let head = "Connection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream";
        let mut stream = TcpStream::connect(host).expect("connected");
        stream.set_read_timeout(Some(LIMIT)).expect("set");
        let text = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{head}\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(text.as_bytes()).expect("sent");
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("read");
        response
    };
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
    assert!(post("Origin: http://evil.example\r\n", hello.clone()).starts_with("HTTP/1.1 403"));
    let response = post("Origin: http://localhost:3000\r\n", hello);
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    let session = response.lines().find(|line| line.to_lowercase().starts_with("mcp-session-id:")).expect("a session");
    let headers = format!("{session}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
    let list = post(&headers, json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }));
    assert!(list.contains("_lamp_set\""), "{list}");
    let name = list.split("\"name\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a name");
    let params = json!({ "name": name, "arguments": { "level": 20 } });
    let called = post(&headers, json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params }));
    assert!(called.contains("\"structuredContent\":{\"before\":7}"), "{called}");
    bridge.send_signal("TERM");
    assert!(bridge.status().success());
}

#[test]
fn what_cannot_be_bridged_is_a_sentence_and_a_status() {
    for (arguments, sentence) in [
        (&["-"][..], "belong to the client of MCP"),
        (&["unix:/x", "--listen", "tcp://127.0.0.1:0"], "expected --listen http://"),
        (&["lamp"], "neither an address nor a name"),
        (&[], "<PEER>..."),
    ] {
        let (status, _, errors) = run(&[&["bridge"], arguments].concat());
        assert!(status == 2 && errors.contains(sentence), "{arguments:?}: {status} {errors}");
    }
}
