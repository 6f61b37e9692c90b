//! `jrpc hub` as a child process, and devices below it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use futures_util::{Stream, StreamExt as _};
use nanojsonrpc_tokio::{Client, Message, Missed, Options, websocket};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{LIMIT, Running, device_of_lines};

/// A hub in a test, with one listener of HTTP.
pub(crate) struct Hub {
    pub(crate) running: Running,
    pub(crate) host: String,
    pub(crate) _folder: TempDir,
}

/// The settings of a listener on this machine.
pub(crate) const LISTEN: &str = "[[listen]]\naddress = \"http://127.0.0.1:0\"\n";

impl Hub {
    pub(crate) fn start(text: &str) -> Self {
        Self::start_with(text, &[])
    }

    pub(crate) fn start_with(text: &str, variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hub.toml");
        std::fs::write(&path, text).expect("written");
        let running = Running::start_with(&["hub", &path.display().to_string()], |command| {
            command.envs(variables.iter().copied());
        });
        let address = running.next_address();
        let host = address.split_once("://").expect("an address").1.to_owned();
        Self { running, host, _folder: folder }
    }

    /// The status and the body of a response.
    pub(crate) fn http(&self, head: &str, body: &str) -> (u16, String) {
        http(&self.host, head, body)
    }

    pub(crate) fn post(&self, body: &str) -> String {
        self.http("POST /rpc HTTP/1.1\r\ncontent-type: application/json\r\n", body).1
    }

    /// The result of a call.
    pub(crate) fn call(&self, method: &str, params: Value) -> Value {
        let answer = self.post(&json!({ "jsonrpc": "2.0", "method": method, "params": params, "id": 1 }).to_string());
        let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{answer:?}"));
        answer.get("result").or(answer.get("error")).expect("an answer").clone()
    }

    pub(crate) async fn socket(&self) -> Client {
        self.socket_with(Vec::new()).await
    }

    pub(crate) async fn socket_with(&self, headers: Vec<(String, String)>) -> Client {
        let address = format!("ws://{}/ws", self.host);
        let transport = websocket::connect(&address, headers, &Options::new()).await.expect("connected");
        Client::with_transport(transport, Options::new())
    }

    /// A stream of events, for a program or for a user with a token.
    pub(crate) fn events(&self, path: &str, token: &str) -> impl Iterator<Item = Value> + use<> {
        let stream = TcpStream::connect(&self.host).expect("connected");
        stream.set_read_timeout(Some(LIMIT)).expect("set");
        let who =
            if token.is_empty() { "sec-fetch-site: none".to_owned() } else { format!("authorization: bearer {token}") };
        let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n{who}\r\n\r\n");
        (&stream).write_all(head.as_bytes()).expect("sent");
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        // the head, as soon as the stream is open
        assert!(lines.by_ref().any(|line| line.is_empty()));
        lines.filter_map(|line| line.strip_prefix("data: ").map(|data| serde_json::from_str(data).expect("JSON")))
    }

    /// Waits until a device is in this state.
    pub(crate) fn wait(&self, device: &str, state: &str) {
        self.wait_for(|devices| {
            let found = devices.as_array().expect("a list").iter().find(|found| found["name"] == device);
            found.expect("the device")["state"] == state
        });
    }

    /// Waits until the list of devices is as expected.
    pub(crate) fn wait_for(&self, is_it: impl Fn(&Value) -> bool) {
        let begun = Instant::now();
        loop {
            let devices = self.call("hub.devices", json!([]));
            if is_it(&devices) {
                return;
            }
            assert!(begun.elapsed() < LIMIT, "{devices}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

pub(crate) fn http(host: &str, head: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(host).expect("connected");
    stream.set_read_timeout(Some(LIMIT)).expect("set");
    let head = format!("{head}host: {host}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(head.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("read");
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
    (head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status"), body.to_owned())
}

/// The settings of devices.
pub(crate) fn devices(devices: &[(&str, &str)]) -> String {
    let settings = devices.iter().map(|(name, address)| format!("[devices.{name}]\naddress = \"{address}\"\n"));
    format!("{LISTEN}{}", settings.collect::<String>())
}

/// A device that says which method it has received, with these params.
pub(crate) fn echo(name: &'static str) -> String {
    device_of_lines(move |line| {
        let value: Value = serde_json::from_str(line).expect("a call");
        let params = line
            .split_once("\"params\":")
            .map_or("null", |(_, rest)| rest.rsplit_once(",\"id\"").map_or(rest, |(params, _)| params));
        let method = &value["method"];
        if *method == "rpc.discover" {
            return format!(
                "{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":-32601,\"message\":\"no\"}},\"id\":{}}}\n",
                value["id"]
            )
            .into_bytes();
        }
        format!("{{\"jsonrpc\":\"2.0\",\"result\":[\"{name}\",{method},{params}],\"id\":{}}}\n", value["id"])
            .into_bytes()
    })
}

/// Answers the request for the methods of a device with an error; another line is passed on.
pub(crate) fn undescribed(line: &str, answer: impl FnOnce(&Value) -> String) -> String {
    let call: Value = serde_json::from_str(line).expect("a call");
    let id = &call["id"];
    if call["method"] == "rpc.discover" {
        return format!("{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":-32601,\"message\":\"no\"}},\"id\":{id}}}");
    }
    answer(&call)
}

/// Whether the hub has asked the only device, which does not tell, for its methods.
pub(crate) fn has_asked(devices: &Value) -> bool {
    devices[0]["errors"] == 1 && devices[0]["inFlight"] == 0
}

pub(crate) async fn next(notifications: &mut (impl Stream<Item = Result<Message, Missed>> + Unpin)) -> Message {
    let next = tokio::time::timeout(LIMIT, notifications.next()).await;
    next.expect("in time").expect("open").expect("nothing lost")
}
