//! The examples that print texts of a peer, at peers whose texts have line breaks and commands for a terminal.
#![cfg(all(
    unix,
    not(miri),
    feature = "embedded-io",
    feature = "http",
    feature = "mcp",
    feature = "serde",
    feature = "websocket"
))]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

use nanojsonrpc::frame::websocket::handshake::Request;

use crate::example::example;

/// A string of JSON: a command for a terminal in its three forms, one of them without an escape; a line; a change of direction.
const TEXT: &str = "\"a\\u001b[31mb\u{9b}31mc\\u009bd\\nforged: e\u{202e}\\u202ef\"";

/// Asserts that the output has so many lines, that they have `TEXT`, and that they have no characters which a terminal does not print.
fn is_printable(name: &str, output: &[u8], lines: usize) {
    let output = core::str::from_utf8(output).expect("UTF-8");
    assert_eq!(output.lines().count(), lines, "{name}: {output:?}");
    for line in output.lines() {
        assert!(!line.contains(|c: char| c.is_control() || c == '\u{202e}'), "{name}: {line:?}");
        assert!(line.contains("[31mb") && line.contains("forged: e"), "{name}: {line:?}");
    }
}

/// Standard output and standard error of a client whose server is `talk`.
fn run(mut command: Command, talk: impl FnOnce(&mut BufReader<TcpStream>)) -> (Vec<u8>, Vec<u8>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let process = command.arg(address).args(["a", "[]"]).stderr(Stdio::piped()).spawn().expect("the example to start");
    let (stream, _) = listener.accept().expect("the client");
    talk(&mut BufReader::new(stream));
    let output = process.wait_with_output().expect("an end");
    (output.stdout, output.stderr)
}

const ID: &str = "\"id\":4503599627370496";

#[test]
fn client_prints_no_character_that_a_terminal_obeys() {
    let answer = |answer: &str| {
        let mut id = String::new();
        let notification = format!(r#"{{"jsonrpc":"2.0","method":{TEXT},"params":[{TEXT}]}}"#);
        let (output, errors) = run(example("client"), |stream| {
            stream.read_line(&mut id).expect("a call");
            let id = &id[id.find("\"id\":").expect("an id") + 5..id.rfind('}').expect("an end")];
            write!(stream.get_mut(), "{notification}\n{{\"jsonrpc\":\"2.0\",\"id\":{id},{answer}}}\n")
                .expect("the client to read");
        });
        (output, errors)
    };
    let (output, errors) = answer(&format!("\"result\":[{TEXT},\t1]"));
    is_printable("client", &output, 1);
    let result: Vec<serde_json::Value> = serde_json::from_slice(&output).expect("JSON");
    assert_eq!(result[0], serde_json::from_str::<String>(TEXT).expect("JSON"), "the same value");
    is_printable("client", &errors, 1);
    let (output, errors) = answer(&format!("\"error\":{{\"code\":1,\"message\":{TEXT},\"data\":{TEXT}}}"));
    assert_eq!(output, b"");
    is_printable("client", &errors, 2);
}

#[test]
fn websocket_prints_no_character_that_a_terminal_obeys() {
    let answer = |answer: &str| {
        let text = format!("{{\"jsonrpc\":\"2.0\",{ID},{answer}}}");
        run(example("websocket"), |stream| {
            let mut request = Request::new();
            let lines: Vec<_> =
                stream.by_ref().lines().map(|line| line.expect("a head")).take_while(|line| !line.is_empty()).collect();
            let headers = lines.iter().filter_map(|line| line.split_once(": "));
            headers.for_each(|(name, value)| request.header(name, value.as_bytes()));
            let accept = request.accept().expect("a handshake");
            let head = "HTTP/1.1 101 \r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ";
            let len = u16::try_from(text.len()).expect("a short text");
            let close = [0x88, 2, 3, 0xE8];
            let frame = [&[0x81, 126][..], &len.to_be_bytes(), text.as_bytes(), &close].concat();
            write!(stream.get_mut(), "{head}{}\r\n\r\n", accept.as_str()).expect("the client to read");
            stream.get_mut().write_all(&frame).expect("the client to read");
            // its call and its close
            let _ = stream.read_to_end(&mut Vec::new());
        })
    };
    let padding = "x".repeat(126);
    is_printable("websocket", &answer(&format!("\"result\":[{TEXT},\n\"{padding}\"]")).0, 1);
    is_printable(
        "websocket",
        &answer(&format!("\"error\":{{\"code\":1,\"message\":{TEXT},\"data\":\"{padding}\"}}")).1,
        1,
    );
}

#[test]
fn mcp_client_prints_no_character_that_a_terminal_obeys() {
    let info = format!(r#"{{"name":{TEXT},"version":"1"}}"#);
    let result =
        format!(r#""result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{info}}}"#);
    let tools =
        format!(r#""result":{{"tools":[{{"name":{TEXT},"description":{TEXT},"inputSchema":{{"type":"object"}}}}]}}"#);
    let log =
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":{TEXT}}}}}"#);
    let ask = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{{"message":{TEXT},"requestedSchema":{{"type":"object","properties":{{}}}}}}}}"#
    );
    let link = format!(r#"{{"type":"resource_link","uri":{TEXT},"name":{TEXT}}}"#);
    let called = format!(r#""result":{{"content":[{{"type":"text","text":{TEXT}}},{link}]}}"#);
    // answers each request with its id, whatever it is
    let script = r#"
        id() { read -r line; id=${line##*\"id\":}; id=${id%%[,\}]*}; }
        answer() { id; printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
        answer "$1"; read -r line; answer "$2"; id; printf '%s\n%s\n' "$4" "$5"; read -r line
        printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$3"; cat >/dev/null"#;
    let mut client = example("mcp_client");
    client.args(["--revision", "2025-11-25", "tool", "{}", "sh", "-c", script, "sh"]);
    let output =
        client.args([result, tools, called, log, ask]).stderr(Stdio::piped()).output().expect("the example to run");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    // the server, its tool, its log, its question, and two contents
    is_printable("mcp_client", &output.stdout, 6);
}
