//! Messages of voice devices and of their servers, as the documentation of these shows them.
#![cfg(all(feature = "mcp", feature = "serde"))]

use crate::common::corpus;
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::{Enveloped, Service, ToolCall, schema};
use nanojsonrpc::server::{Event, MIN_ANSWER_LEN};
use nanojsonrpc::{Notification, RawValue, Response, Writer};
use serde_json::{Value, json};

fn service() -> Service<i64, impl Features<i64>> {
    let schema = schema!(r#"{"type":"object","properties":{"volume":{"type":"integer"}},"required":["volume"]}"#);
    Service::new("board", "1.0.0").tool(
        "self.audio_speaker.set_volume",
        "Sets the volume.",
        schema,
        |volume: &mut i64, call: ToolCall<'_>| match call.get("volume").and_then(|volume| volume.as_i64()) {
            Some(wanted) => {
                *volume = wanted;
                call.text(true)
            }
            None => call.invalid("volume: expected an integer"),
        },
    )
}

/// The message of the corpus that is called `name`.
fn message(name: &str) -> Option<String> {
    let lines = corpus("xiaozhi.jsonl")?;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 14);
    let line = lines.iter().find(|line| line["name"] == name).unwrap_or_else(|| panic!("{name}"));
    Some(line["message"].as_str().unwrap().to_owned())
}

/// The answers of a lenient and a strict server to the messages `names`, one after the other.
fn answers(names: &[&str]) -> Option<[Vec<Value>; 2]> {
    let mut all = [Vec::new(), Vec::new()];
    for (answers, service) in all.iter_mut().zip([service().lenient(), service()]) {
        let mut server = service.server();
        for name in names {
            let mut output = [0; 1024];
            let text = message(name)?;
            let answer = server.process(&mut 0, text.as_bytes(), &mut output).answer().unwrap();
            answers.push(serde_json::from_slice(answer).unwrap());
        }
    }
    Some(all)
}

#[test]
fn initialize_with_capabilities_alone_opens_a_session_of_2024_11_05() {
    let Some([lenient, strict]) = answers(&["initialize with capabilities alone", "tools without params"]) else {
        return;
    };
    let result = json!({
        "protocolVersion": "2024-11-05",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "board", "version": "1.0.0"},
    });
    assert_eq!(lenient[0], json!({"jsonrpc": "2.0", "id": 1, "result": result}));
    assert_eq!(lenient[1]["result"]["tools"][0]["name"], "self.audio_speaker.set_volume");
    assert_eq!(strict[0]["error"]["code"], -32602);
    assert_eq!(strict[1]["error"]["code"], -32602);
}

#[test]
fn initialize_without_client_info_is_accepted_if_lenient() {
    let Some([lenient, strict]) = answers(&["initialize without clientInfo"]) else { return };
    assert_eq!(lenient[0]["result"]["protocolVersion"], "2024-11-05");
    assert_eq!(strict[0]["error"]["code"], -32602);
}

#[test]
fn initialize_with_wrong_members_is_refused_even_if_lenient() {
    for params in [
        json!({"protocolVersion": 1, "capabilities": {}}),
        json!({"protocolVersion": null, "capabilities": {}}),
        json!({"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": [1]}),
        json!({"protocolVersion": "2024-11-05", "capabilities": "none"}),
        json!({"protocolVersion": "2024-11-05", "capabilities": 0}),
    ] {
        let mut server = service().lenient().server();
        let text = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string();
        let mut output = [0; 512];
        let answer: Value =
            serde_json::from_slice(server.process(&mut 0, text.as_bytes(), &mut output).answer().unwrap()).unwrap();
        assert_eq!(answer["error"]["code"], -32602, "{text}");
    }
}

#[test]
fn both_speak_2024_11_05() {
    let Some(both) = answers(&["initialize in full, 2024-11-05", "tools without params", "call of a tool"]) else {
        return;
    };
    for answers in both {
        assert_eq!(answers[0]["result"]["protocolVersion"], "2024-11-05");
        assert_eq!(answers[1]["result"]["tools"].as_array().unwrap().len(), 1);
        assert_eq!(answers[2]["result"], json!({"content": [{"type": "text", "text": "true"}]}));
    }
}

#[test]
fn an_empty_cursor_is_the_first_page_if_lenient() {
    for name in ["first page of tools, empty cursor", "first page of tools, user-only tools too"] {
        let Some([lenient, strict]) = answers(&["initialize in full, 2024-11-05", name]) else { return };
        assert_eq!(lenient[1]["result"]["tools"].as_array().unwrap().len(), 1, "{name}");
        assert_eq!(strict[1]["error"], json!({"code": -32602, "message": "Invalid cursor"}), "{name}");
    }
}

#[test]
fn the_other_messages_are_read_and_not_answered() {
    for name in [
        "initialize answered by the device",
        "tools with an empty nextCursor",
        "result of a tool",
        "unknown tool",
        "error without a code, as the device's code writes it",
        "notification of the device",
    ] {
        let Some(text) = message(name) else { return };
        assert_eq!(service().server().process(&mut 0, text.as_bytes(), &mut [0; 512]).answer(), None, "{name}");
    }
}

#[test]
fn an_envelope_is_unwrapped_and_put_around_the_answer() {
    let Some(text) = message("envelope around any message") else { return };
    let mut server = service().lenient().server();
    let mut output = [0; 1024];
    let initialize = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
    assert!(server.process(&mut 0, initialize, &mut output).answer().is_some());

    let incoming = Enveloped::of(RawValue::parse(text.as_bytes()).unwrap()).unwrap();
    assert_eq!(incoming.session(), Some(nanojsonrpc::message::Str::Plain("9aa008fa")));
    assert!(incoming.payload().as_bytes().starts_with(br#"{"jsonrpc":"2.0","method":"tools/list""#));
    let answer: Value = serde_json::from_slice(incoming.process(&mut server, &mut 0, &mut output).unwrap()).unwrap();
    assert_eq!(answer["session_id"], "9aa008fa");
    assert_eq!(answer["type"], "mcp");
    assert_eq!(answer["payload"]["id"], 2);
    assert_eq!(answer["payload"]["result"]["tools"][0]["name"], "self.audio_speaker.set_volume");
    assert_eq!(answer.as_object().unwrap().len(), 3);
}

#[test]
fn an_answer_in_an_envelope_is_whole_or_an_error_or_nothing() {
    let text = br#"{"type":"mcp","session_id":"\u00e9\"","payload":{"jsonrpc":"2.0","id":"abc","method":"ping"}}"#;
    let whole = br#"{"session_id":"\u00e9\"","type":"mcp","payload":{"jsonrpc":"2.0","result":{},"id":"abc"}}"#;
    let mut seen = [0; 3];
    for len in 0..=whole.len() + MIN_ANSWER_LEN {
        let mut events = 0;
        let mut server = service().server().observed_by(|_: &mut i64, _: Event<'_>| events += 1);
        let mut output = vec![0; len];
        let incoming = Enveloped::of(RawValue::parse(text).unwrap()).unwrap();
        match incoming.process(&mut server, &mut 0, &mut output) {
            Some(answer) if answer == whole => seen[2] += 1,
            Some(answer) => {
                let answer: Value = serde_json::from_slice(answer).unwrap();
                // the output is too short for the shortest answer to any call
                assert_eq!(answer["payload"]["error"]["code"], -32600);
                assert!(["abc".into(), Value::Null].contains(&answer["payload"]["id"]));
                seen[1] += 1;
            }
            None => {
                seen[0] += 1;
                assert_ne!(events, 0, "{len}");
            }
        }
    }
    assert!(seen[0] > 0 && seen[2] > 0, "{seen:?}");
}

#[test]
fn other_texts_on_the_same_socket_are_no_messages() {
    for text in [
        r#"{"type":"hello","payload":{"jsonrpc":"2.0","id":1,"method":"ping"}}"#,
        r#"{"payload":{"jsonrpc":"2.0","id":1,"method":"ping"}}"#,
        r#"{"type":"mcp"}"#,
        r#"{"type":1,"payload":{}}"#,
        r#"["mcp"]"#,
        "1",
    ] {
        assert!(Enveloped::of(RawValue::parse(text.as_bytes()).unwrap()).is_none(), "{text}");
    }
}

#[test]
fn a_payload_that_is_no_message_is_answered_as_anywhere() {
    for (payload, code) in [("1", -32600), ("[]", -32600), (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600)] {
        let text = format!(r#"{{"type":"mcp","payload":{payload}}}"#);
        let mut output = [0; 256];
        let incoming = Enveloped::of(RawValue::parse(text.as_bytes()).unwrap()).unwrap();
        let answer = incoming.process(&mut service().server(), &mut 0, &mut output).unwrap();
        let answer: Value = serde_json::from_slice(answer).unwrap();
        assert_eq!(answer["payload"]["error"]["code"], code, "{payload}");
        assert!(answer.get("session_id").is_none());
    }
}

#[test]
fn messages_of_the_program_are_enveloped_too_whole_or_not_at_all() {
    let params = json!({"newState": "idle"});
    let text = r#"{"session_id":"a\"b","type":"mcp","payload":{"jsonrpc":"2.0","method":"notifications/state_changed","params":{"newState":"idle"}}}"#;
    for len in 0..text.len() + 2 {
        let mut buffer = vec![0; len];
        let mut out = Writer::new(&mut buffer);
        let notification = Notification::new("notifications/state_changed").with_params(&params);
        let outcome = out.message(&Enveloped::new(notification).with_session("a\"b"));
        assert_eq!(outcome.is_ok(), len >= text.len(), "{len}");
        assert_eq!(out.written(), if outcome.is_ok() { text.as_bytes() } else { b"" }, "{len}");
    }
    let mut buffer = [0; 128];
    let mut out = Writer::new(&mut buffer);
    out.message(&Enveloped::new(Response::success(1, &true))).unwrap();
    assert_eq!(out.written(), br#"{"type":"mcp","payload":{"jsonrpc":"2.0","result":true,"id":1}}"#);
}

#[cfg(feature = "alloc")]
#[test]
fn an_envelope_grows() {
    let text = br#"{"session_id":"s","type":"mcp","payload":{"jsonrpc":"2.0","id":1,"method":"ping"}}"#;
    let incoming = Enveloped::of(RawValue::parse(text).unwrap()).unwrap();
    let mut server = Service::<()>::new("t", "1").lenient().server();
    let mut output = nanojsonrpc::Growing::new(4096);
    let answer = incoming.process(&mut server, &mut (), &mut output).map(<[u8]>::to_vec);
    let mut fixed = [0; 256];
    assert_eq!(answer.as_deref(), incoming.process(&mut server, &mut (), &mut fixed));
    assert!(answer.is_some_and(|answer| answer.starts_with(br#"{"session_id":"s""#)));
}
