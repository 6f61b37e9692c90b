//! Escapes in strings never decide whether a call works.
#![cfg(feature = "serde")]

use nanojsonrpc::server::{Event, Registry, Replied, Reply, handler, listener};
use nanojsonrpc::{ErrorCode, ErrorKind, ErrorObject, Notification, Params, Request, Response, Router, Server};

use crate::tasks::{run, wait};

/// `text` with every character as an escape.
fn escaped(text: &str) -> String {
    text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect()
}

#[derive(serde::Deserialize)]
struct Opened {
    uri: heapless::String<64>,
    text: heapless::String<4096>,
}

#[derive(serde::Deserialize)]
struct Unit<'a> {
    name: &'a str,
    path: &'a str,
}

/// The strings that handlers and listeners have read.
type Seen = Vec<String>;

fn open(seen: &mut Seen, opened: Opened) -> Result<usize, ErrorObject<'static>> {
    seen.push(format!("{} {}", opened.uri, opened.text));
    Ok(opened.text.len())
}

fn unit(seen: &mut Seen, params: Params<'_>) -> Result<usize, ErrorObject<'static>> {
    let Unit { name, path } = params.read()?;
    seen.push(format!("{name} {path}"));
    Ok(name.len())
}

fn back(_: &mut Seen, params: Params<'_>, mut reply: Reply<'_>) -> Replied {
    match reply.read::<Unit<'_>>(&params) {
        Ok(unit) => reply.success(&(unit.name, unit.path)),
        Err(problem) => reply.error(problem.into()),
    }
}

fn refuse(_: &mut Seen, params: Params<'_>, mut reply: Reply<'_>) -> Replied {
    match reply.read::<Unit<'_>>(&params) {
        Ok(_) => reply.success(&()),
        Err(problem) => reply.refuse(&params, problem),
    }
}

fn server() -> Server<impl nanojsonrpc::server::route::Routes<Seen>> {
    Server::new(
        Router::new()
            .request("open", open)
            .request("unit", unit)
            .request("back", back)
            .request("refuse", refuse)
            .notification("opened", |seen: &mut Seen, opened: Opened| _ = open(seen, opened))
            .notification("unit", |seen: &mut Seen, params: Params<'_>| _ = unit(seen, params))
            .notification_fallback(|seen: &mut Seen, _, params| _ = unit(seen, params)),
    )
}

fn call(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#)
}

fn notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
}

#[test]
fn a_typed_handler_reads_escaped_strings_of_any_length_that_fits_the_output() {
    let (mut seen, mut output) = (Seen::new(), [0; 4200]);
    let text = "fn main() {\n\t\"°C\"\n}\n".repeat(100);
    let params = format!(r#"{{"uri":"file:\/\/\/a","text":"{}"}}"#, escaped(&text));
    let answer = server().process(&mut seen, call("open", &params).as_bytes(), &mut output).answer().unwrap();
    let expected = format!(r#"{{"jsonrpc":"2.0","result":{},"id":1}}"#, text.len());
    assert_eq!(answer, expected.as_bytes());
    assert_eq!(server().process(&mut seen, notification("opened", &params).as_bytes(), &mut output).answer(), None);
    assert_eq!(seen, [format!("file:///a {text}"), format!("file:///a {text}")]);
}

#[test]
fn borrowed_fields_take_escaped_strings_in_requests_and_notifications() {
    let (mut seen, mut output) = (Seen::new(), [0; 128]);
    let params = r#"{"name":"\u00b0C","path":"a\/b"}"#;
    let answer = server().process(&mut seen, call("unit", params).as_bytes(), &mut output).answer();
    assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":3,"id":1}"#[..]));
    for method in ["unit", "no route has this name"] {
        assert_eq!(server().process(&mut seen, notification(method, params).as_bytes(), &mut output).answer(), None);
    }
    assert_eq!(seen, ["°C a/b"; 3]);
}

#[test]
fn a_reply_may_borrow_what_was_decoded() {
    let (mut seen, mut output) = (Seen::new(), [0; 128]);
    let params = r#"{"name":"\u00b0C","path":"a\/b"}"#;
    let answer = server().process(&mut seen, call("back", params).as_bytes(), &mut output).answer();
    assert_eq!(answer, Some(r#"{"jsonrpc":"2.0","result":["°C","a/b"],"id":1}"#.as_bytes()));
    // decoding leaves room for the shortest answer
    for len in 78..128 {
        let mut output = vec![0; len];
        let name = escaped(&"x".repeat(40));
        let params = format!(r#"{{"name":"{name}","path":"\t"}}"#);
        let answer = server().process(&mut seen, call("back", &params).as_bytes(), &mut output).answer().unwrap();
        Response::<64>::parse(answer).unwrap_or_else(|_| panic!("{len}: {}", String::from_utf8_lossy(answer)));
    }
}

#[test]
fn a_string_that_finds_no_room_is_no_fault_of_the_caller() {
    let mut seen = Seen::new();
    let params = |len| format!(r#"{{"name":"{}","path":""}}"#, escaped(&"x".repeat(len)));
    let no_room =
        r#"{"code":-32603,"message":"Internal error: no room to decode a string at byte 50, expected a string"}"#;
    for method in ["unit", "back"] {
        let mut output = [0; 224];
        let answer = server().process(&mut seen, call(method, &params(225)).as_bytes(), &mut output).answer().unwrap();
        assert_eq!(str::from_utf8(answer), Ok(&*format!(r#"{{"jsonrpc":"2.0","error":{no_room},"id":1}}"#)));
    }
    // the standard message fits where the longer one does not, and has the same code
    for len in 77..128 {
        for method in ["unit", "back", "refuse"] {
            let mut output = vec![0; len];
            let answer =
                server().process(&mut seen, call(method, &params(len + 1)).as_bytes(), &mut output).answer().unwrap();
            let answer: Response = Response::parse(answer).unwrap();
            assert_eq!(answer.outcome.unwrap_err().code, ErrorCode::INTERNAL_ERROR, "{len} {method}");
        }
    }
    assert_eq!(seen, [""; 0]);
    let mut output = [0; 128];
    let answer = server().process(&mut seen, call("unit", &params(128)).as_bytes(), &mut output).answer();
    assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":128,"id":1}"#[..]));
}

#[test]
fn whatever_type_requests_the_string_the_lack_of_room_has_one_code() {
    #[derive(serde::Deserialize)]
    struct Flat<'a> {
        #[serde(flatten, borrow)]
        unit: Unit<'a>,
    }
    #[derive(serde::Deserialize)]
    #[serde(tag = "kind")]
    enum Tagged<'a> {
        Unit { name: &'a str },
    }
    let text = br#"{"jsonrpc":"2.0","method":"m","params":{"kind":"Unit","name":"\u00b0C","path":""},"id":1}"#;
    let request: Request = Request::parse(text).unwrap();
    let refused = [
        request.params::<Unit<'_>>().map(|unit| (unit.name, unit.path)).unwrap_err(),
        request.params::<std::collections::BTreeMap<&str, &str>>().map(drop).unwrap_err(),
        request.params::<Flat<'_>>().map(|flat| flat.unit.name).unwrap_err(),
        request.params::<Tagged<'_>>().map(|Tagged::Unit { name }| name).unwrap_err(),
    ];
    for problem in refused {
        assert_eq!(problem.kind(), ErrorKind::EscapedString);
        assert_eq!(problem.error().code(), ErrorCode::INTERNAL_ERROR);
        assert_eq!(ErrorObject::from(problem).code, ErrorCode::INTERNAL_ERROR);
        assert_eq!(ErrorObject::from(problem.error()).code, ErrorCode::INTERNAL_ERROR);
    }
    // the other strings of the same type are the caller's
    let text = br#"{"jsonrpc":"2.0","method":"m","params":{"kind":"Unit","name":1,"path":"\n"},"id":1}"#;
    let request: Request = Request::parse(text).unwrap();
    for problem in [
        request.params::<Flat<'_>>().map(|flat| flat.unit.name).unwrap_err(),
        request.params::<Tagged<'_>>().map(|Tagged::Unit { name }| name).unwrap_err(),
    ] {
        assert_eq!(problem.error().code(), ErrorCode::INVALID_PARAMS);
    }
}

#[test]
fn a_string_without_room_is_an_event() {
    type Log = Vec<String>;
    let mut server = Server::new(
        Router::new()
            .request("unit", |_: &mut Log, params: Params<'_>| Ok(params.read::<Unit<'_>>()?.name.len()))
            .request("typed", |_: &mut Log, (text,): (String,)| Ok(text.len()))
            .request("back", |_: &mut Log, params: Params<'_>, mut reply: Reply<'_>| {
                match reply.read::<Unit<'_>>(&params) {
                    Ok(unit) => reply.success(unit.name),
                    Err(problem) => reply.error(problem.into()),
                }
            })
            .notification("typed", |log: &mut Log, (text,): (heapless::String<900>,)| log.push(text.as_str().into())),
    )
    .observed_by(|log: &mut Log, event: Event<'_>| log.push(event.to_string()));
    let (mut log, mut output) = (Log::new(), [0; 256]);
    let text = escaped(&"x".repeat(257));
    let by_name = format!(r#"{{"name":"{text}","path":""}}"#);
    server.process(&mut log, call("unit", &by_name).as_bytes(), &mut output);
    server.process(&mut log, call("back", &by_name).as_bytes(), &mut output);
    let lost = |method: &str, at: u8| format!("params of {method} not read: no room to decode a string at byte {at}");
    assert_eq!(log, [lost("unit", 50), lost("back", 50)]);
    if cfg!(feature = "alloc") {
        return;
    }
    log.clear();
    let by_position = format!(r#"["{text}"]"#);
    server.process(&mut log, call("typed", &by_position).as_bytes(), &mut output);
    server.process(&mut log, notification("typed", &by_position).as_bytes(), &mut output);
    assert_eq!(log, [lost("typed", 44), lost("typed", 44)]);
}

#[test]
fn the_answers_of_a_batch_stay_whole_while_strings_are_decoded() {
    let (mut seen, mut output) = (Seen::new(), [0; 512]);
    let params = r#"{"name":"\u00b0C","path":"a\/b"}"#;
    let batch = format!("[{},{},{}]", call("unit", params), notification("unit", params), call("back", params));
    assert_eq!(
        server().process(&mut seen, batch.as_bytes(), &mut output).answer(),
        Some(r#"[{"jsonrpc":"2.0","result":3,"id":1},{"jsonrpc":"2.0","result":["°C","a/b"],"id":1}]"#.as_bytes())
    );
    assert_eq!(seen, ["°C a/b"; 2]);
}

#[test]
fn handlers_that_wait_and_registered_ones_read_escapes_as_well() {
    let mut waiting = Server::new(
        Router::new()
            .request_async("open", async |seen: &mut Seen, opened: Opened| {
                wait().await;
                open(seen, opened)
            })
            .request_async("unit", async |seen: &mut Seen, params: Params<'_>| {
                let Unit { name, path } = params.read()?;
                wait().await;
                seen.push(format!("{name} {path}"));
                Ok(name.len())
            })
            .notification_async("unit", async |seen: &mut Seen, params: Params<'_>| {
                let Ok(Unit { name, path }) = params.read() else { return };
                wait().await;
                seen.push(format!("{name} {path}"));
            }),
    );
    let (mut seen, mut output) = (Seen::new(), [0; 1024]);
    let text = "\"".repeat(500);
    let params = format!(r#"{{"uri":"","text":"{}"}}"#, escaped(&text));
    let answer = run(waiting.process_async(&mut seen, call("open", &params).as_bytes(), &mut output)).answer();
    assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":500,"id":1}"#[..]));
    let params = r#"{"name":"\u00b0C","path":"a\/b"}"#;
    run(waiting.process_async(&mut seen, call("unit", params).as_bytes(), &mut output)).answer().unwrap();
    assert_eq!(
        run(waiting.process_async(&mut seen, notification("unit", params).as_bytes(), &mut output)).answer(),
        None
    );

    let (mut one, mut other) = (handler(unit), listener(|seen: &mut Seen, params: Params<'_>| _ = unit(seen, params)));
    let mut registry: Registry<'_, Seen, 2> = Registry::new();
    registry.request("unit", &mut one).unwrap();
    registry.notification("unit", &mut other).unwrap();
    let mut registered = Server::with_routes(registry);
    registered.process(&mut seen, call("unit", params).as_bytes(), &mut output).answer().unwrap();
    registered.process(&mut seen, notification("unit", params).as_bytes(), &mut output);
    assert_eq!(seen, [format!(" {text}").as_str(), "°C a/b", "°C a/b", "°C a/b", "°C a/b"]);
}

#[test]
fn every_payload_is_read_with_a_lent_buffer() {
    let mut scratch = [0; 8];
    let request = Request::parse(br#"{"jsonrpc":"2.0","method":"m","params":["\u00b0C"],"id":1}"#).unwrap();
    assert_eq!(request.params::<(&str,)>().unwrap_err().kind(), ErrorKind::EscapedString);
    assert_eq!(request.params_with::<(&str,)>(&mut scratch).unwrap(), ("°C",));
    let notification = Notification::parse(br#"{"jsonrpc":"2.0","method":"m","params":["\u00b0C"]}"#).unwrap();
    assert_eq!(notification.params_with::<(&str,)>(&mut scratch).unwrap(), ("°C",));
    let response = Response::parse(br#"{"jsonrpc":"2.0","result":"\u00b0C","id":1}"#).unwrap();
    assert_eq!(response.result_with::<&str>(&mut scratch).unwrap(), Ok("°C"));
    let text = br#"{"jsonrpc":"2.0","error":{"code":1,"message":"","data":"\u00b0C"},"id":1}"#;
    let error = Response::parse(text).unwrap().outcome.unwrap_err();
    assert_eq!(error.data_with::<&str>(&mut scratch).unwrap(), "°C");
    let params = Params::from(request.params);
    assert_eq!(params.read_with::<(&str,)>(&mut scratch).unwrap(), ("°C",));
    assert!(params.clone().read::<(&str,)>().is_err());
}

#[cfg(feature = "mcp")]
#[test]
fn a_tool_reads_arguments_with_escapes() {
    use nanojsonrpc::mcp::{Revision, Schema, Service, ToolCall};

    let mut server = Service::new("unit", "1")
        .tool("unit", "Unit.", Schema::NO_ARGUMENTS, |_: &mut (), mut call: ToolCall<'_>| {
            match call.read::<Unit<'_>>() {
                Ok(unit) => call.text((unit.name, " ", unit.path)),
                Err(problem) => call.invalid(problem),
            }
        })
        .server();
    let params = r#"{"name":"unit","arguments":{"name":"\u00b0C","path":"a\/b"}}"#;
    let mut output = [0; 256];
    for revision in [Revision::V2024_11_05, Revision::V2025_11_25] {
        let version = revision.as_str();
        let client = format!(
            r#"{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"me","version":"0"}}}}"#
        );
        server.process(&mut (), call("initialize", &client).as_bytes(), &mut output).answer().unwrap();
        assert_eq!(
            server.process(&mut (), call("tools/call", params).as_bytes(), &mut output).answer(),
            Some(r#"{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"°C a/b"}]},"id":1}"#.as_bytes())
        );
        // a lack of room is no fault of the arguments
        let long = format!(r#"{{"name":"unit","arguments":{{"name":"{}","path":""}}}}"#, escaped(&"x".repeat(200)));
        let answer = server.process(&mut (), call("tools/call", &long).as_bytes(), &mut output).answer().unwrap();
        let answer: Response = Response::parse(answer).unwrap();
        assert_eq!(answer.outcome.unwrap_err().code, ErrorCode::INTERNAL_ERROR, "{version}");
    }
}
