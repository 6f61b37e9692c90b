//! The answers of a server, message by message.
#![cfg(feature = "serde")]

use nanojsonrpc::server::{MIN_ANSWER_LEN, Replied, Reply};
use nanojsonrpc::{
    Dialect, Envelope, ErrorCode, ErrorObject, Notification, Params, Request, Router, Server, message::Str,
};

#[derive(Default)]
struct Board {
    level: i64,
    heard: Vec<String>,
}

#[derive(serde::Deserialize)]
struct Led<'a> {
    name: &'a str,
    level: i64,
}

#[derive(Debug)]
struct TooHot(i32);

impl From<TooHot> for ErrorObject<'static, i32> {
    fn from(TooHot(celsius): TooHot) -> Self {
        ErrorObject { code: ErrorCode::from(-32001), message: "Too hot".into(), data: Some(celsius) }
    }
}

fn sum(_: &mut Board, terms: heapless::Vec<i64, 8>) -> Result<i64, ErrorObject<'static>> {
    Ok(terms.iter().sum())
}

fn echo(_: &mut Board, params: Params<'_>, reply: Reply<'_>) -> Replied {
    reply.success(&params)
}

fn start(_: &mut Board, (celsius,): (i32,)) -> Result<(), TooHot> {
    if celsius > 80 { Err(TooHot(celsius)) } else { Ok(()) }
}

fn led(board: &mut Board, params: Params<'_>) -> Result<(), ErrorObject<'static>> {
    let led: Led<'_> = params.read()?;
    board.level = led.level;
    board.heard.push(led.name.into());
    Ok(())
}

macro_rules! board_server {
    () => {
        Server::new(
            Router::new()
                .request("subtract", |_: &mut Board, (a, b): (i64, i64)| Ok(a - b))
                .request("level", |board: &mut Board| Ok(board.level))
                .request("sum", sum)
                .request("echo", echo)
                .request("led", led)
                .notification("led", led)
                .notification("reset", |board: &mut Board| board.level = 0)
                .notification("level", |board: &mut Board, (level,): (i64,)| board.level = level)
                .request_fallible("start", start),
        )
    };
}

fn answer(text: &str) -> Option<String> {
    answer_within(text, 1024)
}

fn answer_within(text: &str, room: usize) -> Option<String> {
    let mut output = vec![0; room];
    let answer = board_server!().process(&mut Board::default(), text.as_bytes(), &mut output).answer();
    answer.map(|answer| String::from_utf8(answer.to_vec()).unwrap())
}

fn call(method: &str, params: &str) -> String {
    answer(&format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#)).unwrap()
}

fn error(code: i32, message: &str, id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":"{message}"}},"id":{id}}}"#)
}

#[test]
fn every_shape_of_handler_answers() {
    assert_eq!(call("subtract", "[42,23]"), r#"{"jsonrpc":"2.0","result":19,"id":1}"#);
    assert_eq!(call("level", "[]"), r#"{"jsonrpc":"2.0","result":0,"id":1}"#);
    assert_eq!(call("sum", "[1,2,3]"), r#"{"jsonrpc":"2.0","result":6,"id":1}"#);
    assert_eq!(call("echo", r#"{"a": "\u00e9"}"#), r#"{"jsonrpc":"2.0","result":{"a": "\u00e9"},"id":1}"#);
    assert_eq!(call("led", r#"{"name":"red","level":3}"#), r#"{"jsonrpc":"2.0","result":null,"id":1}"#);
}

#[derive(serde::Deserialize)]
struct Unit;

#[derive(serde::Deserialize)]
struct Empty {}

/// Asserts the answer, or for a notification the number that was heard, to absent and to empty params of unit types.
#[test]
fn empty_params_are_those_of_a_unit_type() {
    macro_rules! server {
        ($request:ident $notification:ident $($asynchronous:tt)?) => {
            Server::new(
                Router::new()
                    .$request("unit", $($asynchronous)? |_: &mut i32, (): ()| Ok(1))
                    .$request("struct", $($asynchronous)? |_: &mut i32, _: Unit| Ok(1))
                    .$request("empty", $($asynchronous)? |_: &mut i32, Empty {}: Empty| Ok(1))
                    .$notification("unit", $($asynchronous)? |heard: &mut i32, (): ()| *heard += 1),
            )
        };
    }
    let (mut server, mut waiting) = (server!(request notification), server!(request_async notification_async async));
    let text = |method: &str, params: &str, id: &str| format!(r#"{{"jsonrpc":"2.0","method":"{method}"{params}{id}}}"#);
    let mut output = [0; 128];
    for (params, is_unit, is_empty) in [
        ("", true, true),
        (r#","params":[]"#, true, true),
        (r#","params":{}"#, true, true),
        (r#","params":{ }"#, true, true),
        (r#","params":[1]"#, false, false),
        (r#","params":{"a":1}"#, false, true),
    ] {
        for (method, fits) in [("unit", is_unit), ("struct", is_unit), ("empty", is_empty)] {
            let text = text(method, params, r#","id":1"#);
            let check = |answer: Option<&[u8]>| {
                let answer = str::from_utf8(answer.unwrap()).unwrap();
                assert_eq!(answer.contains(r#""result":1"#), fits, "{text}: {answer}");
            };
            check(server.process(&mut 0, text.as_bytes(), &mut output).answer());
            check(embassy_futures::block_on(waiting.process_async(&mut 0, text.as_bytes(), &mut output)).answer());
        }
        let (text, mut heard) = (text("unit", params, ""), 0);
        server.process(&mut heard, text.as_bytes(), &mut output);
        embassy_futures::block_on(waiting.process_async(&mut heard, text.as_bytes(), &mut output)).answer();
        assert_eq!(heard, if is_unit { 2 } else { 0 }, "{text}");
    }
}

#[test]
fn an_error_goes_out_with_its_code_and_data() {
    assert_eq!(
        call("start", "[90]"),
        r#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Too hot","data":90},"id":1}"#
    );
}

#[test]
fn params_that_do_not_fit_are_refused_with_what_was_expected() {
    let refused = call("subtract", r#"[42,"23"]"#);
    assert!(refused.starts_with(r#"{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params: "#), "{refused}");
    assert!(refused.contains("at byte 50, expected i64"), "{refused}");
    assert_eq!(call("level", "[1]"), error(-32602, "Invalid params: expected none", "1"));
    assert_eq!(call("level", "{}"), r#"{"jsonrpc":"2.0","result":0,"id":1}"#);
}

#[test]
fn a_request_that_nobody_handles_is_not_found() {
    assert_eq!(call("nobody", "[]"), error(-32601, "Method not found", "1"));
    // a listener for notifications does not answer requests
    assert_eq!(call("reset", "[]"), error(-32601, "Method not found", "1"));
    let long = "m".repeat(1000);
    assert_eq!(call(&long, "[]"), error(-32601, "Method not found", "1"));
}

#[test]
fn a_notification_is_heard_and_never_answered() {
    let mut board = Board::default();
    let mut server = board_server!();
    for (text, level) in [
        (r#"{"jsonrpc":"2.0","method":"level","params":[7]}"#, 7),
        (r#"{"jsonrpc":"2.0","method":"level","params":["8"]}"#, 7),
        (r#"{"jsonrpc":"2.0","method":"subtract","params":[1,2]}"#, 7),
        (r#"{"jsonrpc":"2.0","method":"nobody"}"#, 7),
        (r#"{"jsonrpc":"2.0","method":"led","params":{"name":"red","level":9}}"#, 9),
        (r#"{"jsonrpc":"2.0","method":"reset","params":[1]}"#, 9),
        (r#"{"jsonrpc":"2.0","method":"reset"}"#, 0),
    ] {
        assert_eq!(server.process(&mut board, text.as_bytes(), &mut [0; 256]).answer(), None, "{text}");
        assert_eq!(board.level, level, "{text}");
    }
    assert_eq!(board.heard, ["red"]);
}

#[test]
fn an_id_comes_back_as_the_very_text_that_came() {
    for id in ["1", "-0", "1.50", "1e3", "18446744073709551616", "null", r#""a""#, r#""\u0061\n""#, "\"é\""] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"level"}}"#);
        assert_eq!(answer(&text).unwrap(), format!(r#"{{"jsonrpc":"2.0","result":0,"id":{id}}}"#));
    }
}

#[test]
fn names_are_compared_decoded() {
    assert_eq!(call(r"\u006cevel", "[]"), r#"{"jsonrpc":"2.0","result":0,"id":1}"#);
    assert_eq!(call("LEVEL", "[]"), error(-32601, "Method not found", "1"));
}

#[test]
fn what_is_no_message_is_answered_as_the_verdict_says() {
    assert_eq!(answer("{").unwrap(), error(-32700, "Parse error", "null"));
    assert_eq!(answer("").unwrap(), error(-32700, "Parse error", "null"));
    assert_eq!(answer("[]").unwrap(), error(-32600, "Invalid Request", "null"));
    assert_eq!(answer("1").unwrap(), error(-32600, "Invalid Request", "null"));
    assert_eq!(answer(r#"{"jsonrpc":"2.0","method":1,"id":"a"}"#).unwrap(), error(-32600, "Invalid Request", "\"a\""));
    assert_eq!(
        answer(r#"[1,[],{"jsonrpc":"2.0","method":"level","id":2}]"#).unwrap(),
        format!(r#"[{0},{0},{{"jsonrpc":"2.0","result":0,"id":2}}]"#, error(-32600, "Invalid Request", "null"))
    );
}

#[test]
fn what_is_no_message_can_be_passed_over_in_silence() {
    let mut server = board_server!().ignoring_unreadable();
    let mut process = |text: &str| {
        let mut output = [0; 256];
        let answer = server.process(&mut Board::default(), text.as_bytes(), &mut output).answer();
        answer.map(|answer| String::from_utf8(answer.to_vec()).unwrap())
    };
    assert_eq!(process("{"), None);
    assert_eq!(process("[1]"), None);
    let one = r#"{"jsonrpc":"2.0","method":"level","id":2}"#;
    assert_eq!(process(&format!("[1,{one}]")).unwrap(), r#"[{"jsonrpc":"2.0","result":0,"id":2}]"#);
    // messages without an answer reserve no room
    assert_eq!(process(&format!("[1,2,3,4,{one}]")).unwrap(), r#"[{"jsonrpc":"2.0","result":0,"id":2}]"#);
    let long = "x".repeat(150);
    let echo = format!(r#"{{"jsonrpc":"2.0","method":"echo","params":["{long}"],"id":2}}"#);
    let answered = process(&format!("[1,{echo}]")).unwrap();
    assert_eq!(answered, format!(r#"[{{"jsonrpc":"2.0","result":["{long}"],"id":2}}]"#));
}

#[test]
fn a_response_is_handed_over_and_never_answered() {
    let mut heard = Vec::new();
    let mut server = Server::new(Router::new().response(|heard: &mut Vec<_>, response: &Envelope<'_>| {
        let outcome =
            response.error_object().map_or(Ok(response.result().and_then(|result| result.as_i64())), |e| Err(e.code.0));
        heard.push((response.id().and_then(|id| id.as_i64()), outcome));
    }));
    for text in [
        r#"{"jsonrpc":"2.0","result":5,"id":1}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"no"},"id":2}"#,
        r#"[{"jsonrpc":"2.0","result":6,"id":3}]"#,
        // an id of any length
        &format!(r#"{{"jsonrpc":"2.0","result":7,"id":"{}"}}"#, "x".repeat(65)),
    ] {
        assert_eq!(server.process(&mut heard, text.as_bytes(), &mut [0; 128]).answer(), None);
    }
    assert_eq!(heard, [(Some(1), Ok(Some(5))), (Some(2), Err(-1)), (Some(3), Ok(Some(6))), (None, Ok(Some(7)))]);
    // no call is in flight here
    assert_eq!(answer(r#"{"jsonrpc":"2.0","result":5,"id":1}"#), None);
}

#[test]
fn an_answer_that_does_not_fit_is_an_internal_error_with_its_id() {
    let text = format!(r#"{{"jsonrpc":"2.0","method":"echo","params":["{}"],"id":"abc"}}"#, "x".repeat(200));
    let full = error(-32603, "Internal error", "\"abc\"");
    assert_eq!(answer_within(&text, 200).unwrap(), full);
    let least = MIN_ANSWER_LEN + "\"abc\"".len();
    assert_eq!(answer_within(&text, least).unwrap(), full);
    // no room for the id
    let without = error(-32600, "id too long", "null");
    assert_eq!(answer_within(&text, least - 1).unwrap(), without);
    assert_eq!(answer_within(&text.replace("abc", &"i".repeat(90)), least).unwrap(), without);
    assert_eq!(answer_within(&text, 20), None);
    assert_eq!(answer_within(&text, 0), None);
}

#[test]
fn an_answer_that_does_not_fit_leaves_the_others_of_its_batch_whole() {
    let echo = |id: &str, text: &str| format!(r#"{{"jsonrpc":"2.0","method":"echo","params":["{text}"],"id":{id}}}"#);
    let long = "x".repeat(300);
    let text = format!("[{},{},{}]", echo("1", "a"), echo("2", &long), echo("3", "c"));
    let expected = format!(
        r#"[{{"jsonrpc":"2.0","result":["a"],"id":1}},{},{{"jsonrpc":"2.0","result":["c"],"id":3}}]"#,
        error(-32603, "Internal error", "2")
    );
    assert_eq!(answer_within(&text, 300).unwrap(), expected);
}

#[test]
fn a_batch_whose_answers_cannot_all_fit_is_refused_before_its_first_call() {
    let set = r#"{"jsonrpc":"2.0","method":"led","params":{"name":"red","level":1},"id":1}"#;
    let text = format!("[{set},{set},{set}]");
    let mut board = Board::default();
    let mut output = [0; 200];
    let answer = board_server!().process(&mut board, text.as_bytes(), &mut output).answer().unwrap();
    assert_eq!(str::from_utf8(answer).unwrap(), error(-32600, "batch too long", "null"));
    assert!(board.heard.is_empty());
}

#[test]
fn a_batch_fits_if_each_call_can_at_least_be_refused() {
    let text = r#"[{"jsonrpc":"2.0","method":"level","id":1},{"jsonrpc":"2.0","method":"level","id":"22"}]"#;
    // each behind a bracket or a comma, and the closing bracket
    let least = error(-32600, "Invalid Request", "1").len() + error(-32600, "Invalid Request", "\"22\"").len() + 3;
    assert_eq!(answer_within(text, least - 1).unwrap(), error(-32600, "batch too long", "null"));
    assert_eq!(
        answer_within(text, least).unwrap(),
        r#"[{"jsonrpc":"2.0","result":0,"id":1},{"jsonrpc":"2.0","result":0,"id":"22"}]"#
    );
}

#[test]
fn notifications_in_a_batch_need_no_room() {
    let text = r#"[{"jsonrpc":"2.0","method":"reset"},{"jsonrpc":"2.0","method":"reset"}]"#;
    assert_eq!(answer_within(text, 0), None);
    let mut board = Board { level: 5, ..Board::default() };
    assert_eq!(board_server!().process(&mut board, text.as_bytes(), &mut []).answer(), None);
    assert_eq!(board.level, 0);
}

#[test]
fn a_message_that_was_read_already_is_routed_as_well() {
    let text = br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":"\u0061"}"#;
    let (mut board, mut server, mut output) = (Board::default(), board_server!(), [0; 128]);
    let request = Request::parse(text).unwrap();
    let answer = server.handle(&mut board, &request, &mut output).answer().unwrap();
    assert_eq!(answer, br#"{"jsonrpc":"2.0","result":19,"id":"a"}"#);
    let nobody = Request::parse(br#"{"jsonrpc":"2.0","method":"nobody","id":7}"#).unwrap();
    let answer = server.handle(&mut board, &nobody, &mut output).answer().unwrap();
    assert_eq!(str::from_utf8(answer).unwrap(), error(-32601, "Method not found", "7"));
    let notification = Notification::parse(br#"{"jsonrpc":"2.0","method":"level","params":[3]}"#).unwrap();
    server.notify(&mut board, &notification);
    assert_eq!(board.level, 3);
}

#[test]
fn limits_of_the_dialect_are_the_servers() {
    let mut server = board_server!().with_dialect(Dialect::JSON_RPC.with_max_batch(1).with_max_len(100));
    let mut process = |text: &str| {
        let mut output = [0; 256];
        let answer = server.process(&mut Board::default(), text.as_bytes(), &mut output).answer().unwrap();
        String::from_utf8(answer.to_vec()).unwrap()
    };
    assert_eq!(process("[1,2]"), error(-32600, "batch too long", "null"));
    assert_eq!(process(&" ".repeat(101)), error(-32600, "message too long", "null"));
    let mut server = board_server!().with_dialect(Dialect::MCP);
    let mut output = [0; 256];
    let answer = server.process(&mut Board::default(), b"[1]", &mut output).answer().unwrap();
    // where an error response may lack its id, null counts as absent
    let without_id = br#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"}}"#;
    assert_eq!(answer, without_id);
}

#[test]
fn fallbacks_are_asked_last_in_their_order() {
    let mut server = Server::new(
        Router::new()
            .fallback(|_: &mut Vec<String>, method: Str<'_>, params: Params<'_>, reply: Reply<'_>| {
                if method == "echo" { reply.success(&params) } else { reply.error(ErrorObject::METHOD_NOT_FOUND) }
            })
            .notification_fallback(|heard: &mut Vec<String>, method, _| heard.push(method.to_string()))
            .request("known", |_: &mut Vec<String>| Ok(1)),
    );
    let (mut heard, mut output) = (Vec::new(), [0; 128]);
    let mut ask = |text: &str| {
        let answer = server.process(&mut heard, text.as_bytes(), &mut output).answer();
        answer.map(|answer| String::from_utf8(answer.to_vec()).unwrap())
    };
    assert_eq!(ask(r#"{"jsonrpc":"2.0","method":"known","id":1}"#).unwrap(), r#"{"jsonrpc":"2.0","result":1,"id":1}"#);
    assert_eq!(
        ask(r#"{"jsonrpc":"2.0","method":"echo","params":[2],"id":1}"#).unwrap(),
        r#"{"jsonrpc":"2.0","result":[2],"id":1}"#
    );
    assert_eq!(ask(r#"{"jsonrpc":"2.0","method":"x","id":1}"#).unwrap(), error(-32601, "Method not found", "1"));
    assert_eq!(ask(r#"{"jsonrpc":"2.0","method":"caf\u00e9"}"#), None);
    assert_eq!(heard, ["café"]);
}

#[test]
fn routers_nest_and_merge() {
    let lights = Router::new().request("on", |_: &mut ()| Ok("on")).fallback(
        |_: &mut (), method: Str<'_>, _: Params<'_>, reply: Reply<'_>| {
            reply.success(&method.as_str().unwrap_or("escaped"))
        },
    );
    let mut server = Server::new(
        Router::new()
            .nest("light.", lights)
            .nest("", Router::new().request("on", |_: &mut ()| Ok("first")))
            .request("on", |_: &mut ()| Ok("second")),
    );
    let mut ask = |method: &str| {
        let mut output = [0; 128];
        let text = format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":1}}"#);
        let answer = server.process(&mut (), text.as_bytes(), &mut output).answer().unwrap().to_vec();
        let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
        answer.get("result").or(answer.get("error")).unwrap().to_string()
    };
    assert_eq!(ask("light.on"), "\"on\"");
    assert_eq!(ask(r"li\u0067ht.o\u006e"), "\"on\"");
    assert_eq!(ask("light.off"), "\"off\"");
    assert_eq!(ask("light."), "\"\"");
    assert_eq!(ask("on"), "\"first\"");
    assert!(ask("light").contains("-32601"));
}

#[test]
fn what_the_frame_refuses_is_answered_with_its_limit() {
    use nanojsonrpc::frame::{Framer, Lines};

    let mut framer = Framer::<Lines, 8>::new();
    framer.push(b"too long");
    let error = framer.next().unwrap().unwrap_err();
    let mut output = [0; 128];
    let answer = board_server!().refuse(error, &mut output).answer().unwrap().to_vec();
    assert_eq!(String::from_utf8(answer).unwrap(), self::error(-32600, "message too long for the buffer", "null"));
    assert_eq!(board_server!().ignoring_unreadable().refuse(error, &mut output).answer(), None);
}

#[test]
fn a_byte_order_mark_in_a_loop_of_the_programs_own_gets_no_answer_beside_the_reply() {
    use nanojsonrpc::frame::{ContentLength, Frame, Framer, Lines, Values};

    fn answers<F: Frame>(text: &str) -> Vec<String> {
        let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong")));
        let mut framer = Framer::<F, 128>::new();
        let (mut wire, mut output, mut answers) = ([0; 128], [0; 128], Vec::new());
        let len = F::encode(text.as_bytes(), &mut wire).unwrap();
        for stream in [b"\xEF\xBB\xBF", &wire[..len]] {
            assert_eq!(framer.push(stream), stream.len());
            while let Some(frame) = framer.next() {
                let answer = match frame {
                    Ok(message) => server.process(&mut (), message.as_ref(), &mut output).answer(),
                    Err(error) => server.refuse(error, &mut output).answer(),
                };
                answers.extend(answer.map(|answer| String::from_utf8(answer.to_vec()).unwrap()));
            }
        }
        answers
    }

    let text = r#"{"jsonrpc":"2.0","method":"ping","id":1}"#;
    let expected = [r#"{"jsonrpc":"2.0","result":"pong","id":1}"#];
    assert_eq!(answers::<Lines>(text), expected);
    assert_eq!(answers::<ContentLength>(text), expected);
    assert_eq!(answers::<Values>(text), expected);
    // an error of the program's own is answered
    let answer = board_server!().refuse(ErrorObject::PARSE_ERROR, &mut [0; 128]).answer().map(<[u8]>::len);
    assert_eq!(answer, Some(error(-32700, "Parse error", "null").len()));
}

#[test]
fn a_list_of_its_own_tells_requests_from_notifications() {
    use nanojsonrpc::server::{Exchange, route::Call, route::Routes};

    struct Blinks;

    impl Routes<Vec<(bool, bool)>> for Blinks {
        fn route(&mut self, asked: &mut Vec<(bool, bool)>, call: &Call<'_>, _: &mut Exchange<'_, '_>) -> bool {
            asked.push((call.requests("blink"), call.notifies("blink")));
            true
        }
    }

    let (mut server, mut asked) = (Server::with_routes(Blinks), Vec::new());
    for text in [
        r#"{"jsonrpc":"2.0","method":"blink","id":1}"#,
        r#"{"jsonrpc":"2.0","method":"blink"}"#,
        r#"{"jsonrpc":"2.0","method":"blinks"}"#,
        r#"{"jsonrpc":"2.0","result":0,"id":1}"#,
    ] {
        server.process(&mut asked, text.as_bytes(), &mut [0; 128]);
    }
    assert_eq!(asked, [(true, false), (false, true), (false, false), (false, false)]);
}

#[test]
fn a_text_is_refused_as_a_whole_or_not() {
    let mut server = Server::new(Router::new().request("a", |_: &mut ()| Ok(1)));
    for (text, is_refused) in [
        (r#"{"jsonrpc":"2.0","method":"a","id":1}"#, false),
        (r#"{"jsonrpc":"2.0","method":"b"}"#, false),
        (r#"[{"jsonrpc":"2.0","method":"a","id":1},1]"#, false),
        // an error of the call 1
        (r#"{"jsonrpc":"2.0","method":1,"id":1}"#, false),
        (r#"{"jsonrpc":"2.0","method":1}"#, true),
        ("[]", true),
        ("{", true),
    ] {
        assert_eq!(server.process(&mut (), text.as_bytes(), &mut [0; 256]).is_refused(), is_refused, "{text}");
    }
}
