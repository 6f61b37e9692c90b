//! Errors and results that borrow from the service or from a param.
#![cfg(feature = "mcp")]

use std::task::{Context, Poll, Waker};

use nanojsonrpc::mcp::{Revision, Service};
use nanojsonrpc::server::Failure;
use nanojsonrpc::{Client, ErrorCode, Response, Writer, message::ToText};
use serde_json::{Value, json};

/// An error with the name of somebody.
struct Refused<'n> {
    name: &'n str,
}

impl Failure for Refused<'_> {
    fn code(&self) -> ErrorCode {
        ErrorCode(-32001)
    }

    fn message(&self) -> impl ToText {
        ("refused: ", self.name)
    }
}

type FanResult<'n, T> = Result<T, Refused<'n>>;

#[nanojsonrpc::service(client = FanClient, mcp, openrpc)]
trait Fan {
    fn set(&mut self, rpm: u8) -> Result<u8, Refused<'_>>;
    fn check(&self) -> Result<u8, Refused<'_>>;
    fn coded(&self, rpm: u8) -> Result<(), (ErrorCode, &str)>;
    fn aliased(&self) -> FanResult<'_, u8>;
    fn find<'p>(&self, name: &'p str, count: u8) -> Result<u8, Refused<'p>>;
    fn echo<'p>(&self, text: &'p str) -> &'p str;
    fn either<'p: 'q, 'q>(&'q self, text: &'p str) -> Result<&'q str, Refused<'p>>;
}

#[nanojsonrpc::service(client = LaterClient, mcp)]
trait Later {
    async fn set(&mut self, rpm: u8) -> Result<u8, Refused<'_>>;
    async fn find<'p>(&self, name: &'p str) -> Result<u8, Refused<'p>>;
    fn check(&self) -> Result<u8, Refused<'_>>;
}

struct Blower {
    owner: String,
}

impl Fan for Blower {
    fn set(&mut self, rpm: u8) -> Result<u8, Refused<'_>> {
        if rpm == 0 { Err(Refused { name: &self.owner }) } else { Ok(rpm) }
    }

    fn check(&self) -> Result<u8, Refused<'_>> {
        Err(Refused { name: &self.owner })
    }

    fn coded(&self, rpm: u8) -> Result<(), (ErrorCode, &str)> {
        if rpm == 0 { Err((ErrorCode(-32002), &self.owner)) } else { Ok(()) }
    }

    fn aliased(&self) -> FanResult<'_, u8> {
        Fan::check(self)
    }

    fn find<'p>(&self, name: &'p str, _: u8) -> Result<u8, Refused<'p>> {
        if name == self.owner { Ok(1) } else { Err(Refused { name }) }
    }

    fn echo<'p>(&self, text: &'p str) -> &'p str {
        text
    }

    fn either<'p: 'q, 'q>(&'q self, text: &'p str) -> Result<&'q str, Refused<'p>> {
        if text.is_empty() { Err(Refused { name: text }) } else { Ok(&self.owner) }
    }
}

impl Later for Blower {
    async fn set(&mut self, rpm: u8) -> Result<u8, Refused<'_>> {
        Fan::set(self, rpm)
    }

    async fn find<'p>(&self, name: &'p str) -> Result<u8, Refused<'p>> {
        Fan::find(self, name, 0)
    }

    fn check(&self) -> Result<u8, Refused<'_>> {
        Fan::check(self)
    }
}

/// The answer to a call, without the envelope.
fn called(method: &str, params: &Value, process: impl FnOnce(&[u8], &mut [u8]) -> usize) -> Value {
    let text = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let mut output = [0; 4096];
    let len = process(text.as_bytes(), &mut output);
    let answer: Value = serde_json::from_slice(&output[..len]).unwrap();
    answer.get("result").unwrap_or(&answer["error"]["message"]).clone()
}

fn blower() -> Blower {
    Blower { owner: String::from("north") }
}

#[test]
fn an_error_borrows_from_the_service_or_from_a_param() {
    for (method, params, expected) in [
        ("set", json!([0]), json!("refused: north")),
        ("set", json!([1]), json!(1)),
        ("check", json!([]), json!("refused: north")),
        ("coded", json!([0]), json!("north")),
        ("coded", json!([1]), json!(null)),
        ("aliased", json!({}), json!("refused: north")),
        ("find", json!({"name": "a\tb", "count": 1}), json!("refused: a\tb")),
        ("find", json!(["north", 1]), json!(1)),
        ("echo", json!(["here"]), json!("here")),
        ("either", json!([""]), json!("refused: ")),
        ("either", json!(["x"]), json!("north")),
    ] {
        let answer = called(method, &params, |text, output| {
            FanService::server(blower()).process(&mut (), text, output).answer().unwrap().len()
        });
        assert_eq!(answer, expected, "{method} {params}");
    }
}

#[test]
fn an_error_of_a_method_that_waits_borrows() {
    for (method, params, expected) in [
        ("set", json!([0]), json!("refused: north")),
        ("find", json!(["south"]), json!("refused: south")),
        ("find", json!(["north"]), json!(1)),
        ("check", json!([]), json!("refused: north")),
    ] {
        let answer = called(method, &params, |text, output| {
            let (mut server, mut nothing) = (LaterService::server(blower()), ());
            let answering = core::pin::pin!(server.process_async(&mut nothing, text, output));
            let Poll::Ready(processed) = answering.poll(&mut Context::from_waker(Waker::noop())) else {
                panic!("waits")
            };
            processed.answer().unwrap().len()
        });
        assert_eq!(answer, expected, "{method} {params}");
    }
}

#[test]
fn a_tool_fails_with_an_error_that_borrows() {
    for (name, arguments, words) in [
        ("set", json!({"rpm": 0}), "refused: north"),
        ("check", json!({}), "refused: north"),
        ("find", json!({"name": "south", "count": 1}), "refused: south"),
    ] {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": Revision::V2026_07_28.as_str(),
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let answer =
            called("tools/call", &json!({"name": name, "arguments": arguments, "_meta": meta}), |text, output| {
                let mut server = FanService::tools(Service::new("fan", "1")).server();
                server.process(&mut blower(), text, output).answer().unwrap().len()
            });
        assert_eq!((&answer["isError"], &answer["content"][0]["text"]), (&json!(true), &json!(words)), "{name}");
    }
    _ = LaterService::tools(Service::<Blower>::new("later", "1")).server();
}

#[test]
fn a_client_calls_a_method_with_lifetimes() {
    let mut client: Client<(), 4> = Client::new();
    let (mut text, mut output) = ([0; 128], [0; 128]);
    let mut out = Writer::new(&mut text);
    let sent = FanClient::echo::<_, heapless::String<8>>(client.sending((), &mut out), "here").unwrap();
    let mut server = FanService::server(blower());
    let answer = server.process(&mut (), out.written(), &mut output).answer().unwrap();
    assert_eq!(sent.read(&Response::parse(answer).unwrap()).unwrap(), "here");
    let mut out = Writer::new(&mut text);
    let sent = FanClient::find(client.sending((), &mut out), "north", 1).unwrap();
    let answer = server.process(&mut (), out.written(), &mut output).answer().unwrap();
    assert_eq!(sent.read(&Response::parse(answer).unwrap()), Ok(1));
}

#[test]
fn a_param_without_room_to_decode_it_is_no_fault_of_the_caller() {
    let name = r"\u0078".repeat(200);
    let meta =
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let mut output = [0; 224];
    let mut is_ours = |call: &str, process: &mut dyn FnMut(&[u8], &mut [u8]) -> usize| {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,{call}}}"#);
        let len = process(text.as_bytes(), &mut output);
        let answer: Value = serde_json::from_slice(&output[..len]).unwrap();
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
    };
    for method in ["find", "echo", "either"] {
        is_ours(&format!(r#""method":"{method}","params":["{name}"]"#), &mut |text, output| {
            FanService::server(blower()).process(&mut (), text, output).answer().unwrap().len()
        });
    }
    is_ours(&format!(r#""method":"find","params":["{name}"]"#), &mut |text, output| {
        let (mut server, mut nothing) = (LaterService::server(blower()), ());
        let answering = core::pin::pin!(server.process_async(&mut nothing, text, output));
        let Poll::Ready(processed) = answering.poll(&mut Context::from_waker(Waker::noop())) else { panic!("waits") };
        processed.answer().unwrap().len()
    });
    let params = format!(r#"{{"name":"echo","arguments":{{"text":"{name}"}},"_meta":{meta}}}"#);
    is_ours(&format!(r#""method":"tools/call","params":{params}"#), &mut |text, output| {
        let mut server = FanService::tools(Service::new("fan", "1")).server();
        server.process(&mut blower(), text, output).answer().unwrap().len()
    });
}
