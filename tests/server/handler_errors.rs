//! Error types of the program's own: each handler has its own, with data, and with messages that are made when it fails.
#![cfg(feature = "serde")]

use core::fmt;

use nanojsonrpc::server::{Failure, MIN_ANSWER_LEN, Registry, Replied, Reply, handler_fallible};
use nanojsonrpc::{
    ErrorCode, ErrorObject, Params, PayloadError, Router, Server, ToJson,
    message::{Shown, ToText},
};

#[derive(Default)]
struct Board {
    degrees: i32,
}

/// With data, and with a message that is made at run time.
enum Fault {
    TooHot { degrees: i32 },
    Unfit(PayloadError),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooHot { degrees } => write!(f, "{degrees} \"degrees\" are too hot"),
            Self::Unfit(problem) => problem.fmt(f),
        }
    }
}

impl From<PayloadError> for Fault {
    fn from(problem: PayloadError) -> Self {
        Self::Unfit(problem)
    }
}

impl Failure for Fault {
    fn code(&self) -> ErrorCode {
        match self {
            Self::TooHot { .. } => ErrorCode(-32001),
            Self::Unfit(_) => ErrorCode::INVALID_PARAMS,
        }
    }

    fn message(&self) -> impl ToText {
        Shown(self)
    }

    fn data(&self) -> Option<impl ToJson> {
        match self {
            Self::TooHot { degrees } => Some(degrees),
            Self::Unfit(_) => None,
        }
    }
}

/// A text without `core::fmt`, and no data.
struct Jammed(&'static str, u8);

impl Failure for Jammed {
    fn code(&self) -> ErrorCode {
        ErrorCode(7)
    }

    fn message(&self) -> impl ToText {
        (self.0, " jammed at step ", self.1)
    }
}

/// Converts, with data.
struct Closed(bool);

impl From<Closed> for ErrorObject<'static, bool> {
    fn from(Closed(forever): Closed) -> Self {
        ErrorObject::new(8, "Closed").with_data(forever)
    }
}

/// Converts, without data.
struct Gone;

impl From<Gone> for ErrorObject<'static> {
    fn from(_: Gone) -> Self {
        ErrorObject::new(9, "Gone")
    }
}

/// Displays nothing.
struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("half of it")?;
        Err(fmt::Error)
    }
}

impl Failure for Broken {
    fn code(&self) -> ErrorCode {
        ErrorCode(10)
    }

    fn message(&self) -> impl ToText {
        Shown(self)
    }
}

fn start(board: &mut Board) -> Result<i32, Fault> {
    if board.degrees > 80 { Err(Fault::TooHot { degrees: board.degrees }) } else { Ok(board.degrees) }
}

async fn start_late(board: &mut Board, (more,): (i32,)) -> Result<i32, Fault> {
    core::future::ready(()).await;
    board.degrees = board.degrees.saturating_add(more);
    start(board)
}

fn read(_: &mut Board, params: Params<'_>) -> Result<bool, Fault> {
    Ok(params.read::<(bool,)>()?.0)
}

fn reply(_: &mut Board, _: Params<'_>, reply: Reply<'_>) -> Replied {
    reply.failure(&Jammed("lid", 3))
}

macro_rules! router {
    () => {
        Router::new()
            .request_fallible("start", start)
            .request("level", |board: &mut Board| Ok(board.degrees))
            .request_fallible("read", read)
            .request_fallible(
                "jam",
                |_: &mut Board, (step,): (u8,)| if step > 0 { Err(Jammed("lid", step)) } else { Ok(()) },
            )
            .request_fallible("close", |_: &mut Board| Err::<(), _>(Closed(true)))
            .request_fallible("gone", |_: &mut Board| Err::<(), _>(Gone))
            .request("gone too", |_: &mut Board| {
                Err(Gone)?;
                Ok(1)
            })
            .request_fallible("object", |board: &mut Board| {
                if board.degrees > 0 { Err(ErrorObject::new(11, "Warm").with_data(board.degrees)) } else { Ok(()) }
            })
            .request_fallible("broken", |_: &mut Board| Err::<(), _>(Broken))
            .request("reply", reply)
    };
}

fn ask(degrees: i32, method: &str, params: &str, room: usize) -> String {
    let mut output = vec![0; room];
    let text = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#);
    let answer = Server::new(router!()).process(&mut Board { degrees }, text.as_bytes(), &mut output).answer();
    let answer = String::from_utf8(answer.unwrap().to_vec()).unwrap();
    answer.strip_prefix(r#"{"jsonrpc":"2.0",""#).and_then(|rest| rest.strip_suffix(r#","id":1}"#)).unwrap().into()
}

const TOO_HOT: &str = r#"error":{"code":-32001,"message":"81 \"degrees\" are too hot","data":81}"#;

#[test]
fn a_handler_fails_with_an_error_type_of_its_own() {
    for (method, params, expected) in [
        ("start", "[]", TOO_HOT),
        ("level", "[]", r#"result":81"#),
        ("read", "[true]", r#"result":true"#),
        ("read", "[1]", r#"error":{"code":-32602,"message":"unexpected type at byte 43, expected a boolean"}"#),
        ("jam", "[0]", r#"result":null"#),
        ("jam", "[3]", r#"error":{"code":7,"message":"lid jammed at step 3"}"#),
        #[cfg(target_pointer_width = "64")]
        (
            "jam",
            "[-1]",
            r#"error":{"code":-32602,"message":"Invalid params: invalid value at byte 42, expected u8, in params[0]"}"#,
        ),
        ("close", "[]", r#"error":{"code":8,"message":"Closed","data":true}"#),
        ("gone", "[]", r#"error":{"code":9,"message":"Gone"}"#),
        ("gone too", "[]", r#"error":{"code":9,"message":"Gone"}"#),
        ("object", "[]", r#"error":{"code":11,"message":"Warm","data":81}"#),
        ("broken", "[]", r#"error":{"code":-32603,"message":"Internal error"}"#),
        ("reply", "[]", r#"error":{"code":7,"message":"lid jammed at step 3"}"#),
    ] {
        assert_eq!(ask(81, method, params, 256), expected, "{method}");
    }
    assert_eq!(ask(80, "start", "[]", 256), r#"result":80"#);
}

#[test]
fn a_message_that_does_not_fit_is_an_internal_error() {
    let whole = ask(81, "start", "[]", 256).len() + r#"{"jsonrpc":"2.0",","id":1}"#.len();
    assert_eq!(ask(81, "start", "[]", whole), TOO_HOT);
    assert_eq!(ask(81, "start", "[]", whole - 1), r#"error":{"code":-32603,"message":"Internal error"}"#);
}

#[test]
fn params_that_do_not_fit_their_type_are_invalid_however_short_the_output() {
    let mut server = Server::new(Router::new().request("read", |_: &mut (), (on,): (bool,)| Ok(on)));
    let call = br#"{"jsonrpc":"2.0","method":"read","params":[1],"id":1}"#;
    let batch = [b"[", &call[..], b",", call, b"]"].concat();
    let short = r#"{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params"},"id":1}"#;
    let mut output = [0; 256];
    let whole = server.process(&mut (), call, &mut output).answer().unwrap().to_vec();
    assert!(
        whole.starts_with(br#"{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params: unexpected type"#)
    );
    let whole = String::from_utf8(whole).unwrap();
    let without_path = whole.replace(", in params[0]", "");
    assert_eq!(without_path.len() < whole.len(), cfg!(target_pointer_width = "64"));
    for room in MIN_ANSWER_LEN + 1..=whole.len() {
        let answer = server.process(&mut (), call, &mut output[..room]).answer().unwrap();
        let longest = [&*whole, &without_path, short].into_iter().find(|text| text.len() <= room);
        assert_eq!(str::from_utf8(answer).ok(), longest, "{room} bytes");
    }
    let room = 2 * (MIN_ANSWER_LEN + 1) + 1;
    let answers = server.process(&mut (), &batch, &mut output[..room]).answer().unwrap();
    assert_eq!(answers, format!("[{short},{short}]").as_bytes());
}

#[test]
fn a_registry_has_such_handlers_too() {
    let mut start = handler_fallible(start);
    let mut registry: Registry<'_, Board, 1> = Registry::new();
    registry.request("start", &mut start).unwrap();
    let mut output = [0; 128];
    let text = br#"{"jsonrpc":"2.0","method":"start","id":1}"#;
    let answer = Server::with_routes(registry).process(&mut Board { degrees: 81 }, text, &mut output).answer();
    assert_eq!(answer.unwrap(), format!(r#"{{"jsonrpc":"2.0","{TOO_HOT},"id":1}}"#).as_bytes());
}

#[test]
fn handlers_that_wait_have_them_too() {
    let mut server = Server::new(router!().request_fallible_async("late", start_late).request_fallible_async(
        "later",
        async |_: &mut Board, (step,): (u8,)| {
            core::future::ready(()).await;
            if step > 0 { Err(Jammed("lid", step)) } else { Ok(()) }
        },
    ));
    let (mut board, mut output) = (Board { degrees: 80 }, [0; 128]);
    for (call, expected) in [
        (r#""method":"late","params":[1]"#, TOO_HOT),
        (r#""method":"later","params":[2]"#, r#"error":{"code":7,"message":"lid jammed at step 2"}"#),
    ] {
        let text = format!(r#"{{"jsonrpc":"2.0",{call},"id":1}}"#);
        let answer = core::pin::pin!(server.process_async(&mut board, text.as_bytes(), &mut output));
        let mut idle = core::task::Context::from_waker(core::task::Waker::noop());
        let core::task::Poll::Ready(answer) = Future::poll(answer, &mut idle) else { panic!("it waits") };
        assert_eq!(answer.answer().unwrap(), format!(r#"{{"jsonrpc":"2.0","{expected},"id":1}}"#).as_bytes());
    }
}

#[test]
fn a_code_and_words_are_an_error() {
    let mut server =
        Server::new(Router::new().request_fallible("heat", |degrees: &mut i32| {
            Err::<(), _>((ErrorCode(-32001), ("too \"hot\": ", *degrees)))
        }));
    let text = br#"{"jsonrpc":"2.0","method":"heat","id":1}"#;
    let expected = r#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"too \"hot\": 81"},"id":1}"#;
    assert_eq!(server.process(&mut 81, text, &mut [0; 128]).answer(), Some(expected.as_bytes()));
    #[cfg(feature = "alloc")]
    {
        let mut server = Server::new(Router::new().request_fallible("heat", |degrees: &mut i32| {
            Err::<(), _>((ErrorCode(-32001), format!("too \"hot\": {degrees}")))
        }));
        assert_eq!(server.process(&mut 81, text, &mut [0; 128]).answer(), Some(expected.as_bytes()));
        let words = ("too \"", std::borrow::Cow::Borrowed("hot"), Box::<str>::from("\": 81"));
        let mut server = Server::new(
            Router::new().request_fallible("heat", move |_: &mut i32| Err::<(), _>((ErrorCode(-32001), words.clone()))),
        );
        assert_eq!(server.process(&mut 81, text, &mut [0; 128]).answer(), Some(expected.as_bytes()));
    }
}
