//! Many messages through frame, server and client, a tenth of them hostile: every call is answered exactly once, and
//! no other message is.
//!
//! 20,000 messages, 2,000,000 in release or with `NANOJSONRPC_SOAK=full`; `.ci/test soak` runs these. A failure names the
//! seed of its round, and `NANOJSONRPC_SOAK_SEED` runs that round alone.
#![cfg(feature = "serde")]

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::{env, mem};

use nanojsonrpc::client::{Answer, Client, Incoming};
use nanojsonrpc::frame::{ContentLength, Events, Frame, Framer, Lines, Values};
use nanojsonrpc::server::{Replied, Reply};
use nanojsonrpc::{ErrorObject, Params, Request, Router, Server, Writer};

/// Messages in a round, on one stream between one client and one server.
const ROUND: usize = 500;
const BUFFER: usize = 1024;
const IN_FLIGHT: usize = 64;

/// xorshift of 64 bits, Marsaglia 2003.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        // neighbouring seeds begin far apart
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// The expected answer to a call.
#[derive(Clone, Debug, PartialEq)]
enum Expected {
    Result(String),
    Code(i64),
}

/// The notifications that the server has received.
#[derive(Default)]
struct Board {
    calls: usize,
    notes: usize,
    responses: usize,
}

fn echo(board: &mut Board, params: Params<'_>, reply: Reply<'_>) -> Replied {
    board.calls += 1;
    reply.success(&params)
}

fn subtract(board: &mut Board, (a, b): (i64, i64)) -> Result<i64, ErrorObject<'static>> {
    board.calls += 1;
    a.checked_sub(b).ok_or(ErrorObject::INTERNAL_ERROR)
}

/// The calls that were sent and are not answered yet.
#[derive(Default)]
struct Tally {
    /// The calls of the client, by tag.
    calls: HashMap<u32, Expected>,
    /// How often each text that is no message of the client's is still to be answered with an error, by id.
    refusals: HashMap<String, usize>,
    notes: usize,
    responses: usize,
    tags: u32,
}

/// Params, and the answer to them.
fn call_of(random: &mut Random) -> (&'static str, String, Expected) {
    match random.below(8) {
        0 => ("nobody", "[]".into(), Expected::Code(-32601)),
        1 => ("subtract", "[1]".into(), Expected::Code(-32602)),
        2 => ("subtract", format!("[{},1]", i64::MIN), Expected::Code(-32603)),
        3..=5 => {
            let (a, b) = (random.next() as i32 as i64, random.next() as i32 as i64);
            ("subtract", format!("[{a}, {b}]"), Expected::Result((a - b).to_string()))
        }
        _ => {
            let text: String = (0..random.below(25))
                .map(|_| ["a", "\\n", "\\\"", "é", "\\ud83d\\ude00", "]", "{", ",", "\u{2028}"][random.below(9)])
                .collect();
            let params = format!("{{\"a\":[\"{text}\",-0.0,1e400,null],\"b\":\"{text}\"}}");
            ("echo", params.clone(), Expected::Result(params))
        }
    }
}

/// Writes calls and notifications as a client does: alone, with an id of its own, in a batch.
fn peaceful(random: &mut Random, client: &mut Client<u32, IN_FLIGHT>, tally: &mut Tally) -> Vec<u8> {
    let mut buffer = [0; BUFFER];
    let mut out = Writer::new(&mut buffer);
    let remember = |tally: &mut Tally, expected| {
        tally.tags += 1;
        tally.calls.insert(tally.tags, expected);
        tally.tags
    };
    match random.below(8) {
        0 => {
            client.notify("note", &["n"], &mut out).unwrap();
            tally.notes += 1;
        }
        1 => {
            let (method, params, expected) = call_of(random);
            let tag = remember(tally, expected);
            let params = nanojsonrpc::RawValue::parse(params.as_bytes()).unwrap();
            let id = nanojsonrpc::Id::try_from(&*format!("own-{tag}-\u{e9}\"")).unwrap();
            client.request(&Request::new(id, method).with_params(&params), tag, &mut out).unwrap();
        }
        2 => {
            let mut batch = client.batch(&mut out);
            for _ in 0..=random.below(4) {
                if random.one_in(4) {
                    batch.notify("note", &["n"]).unwrap();
                    tally.notes += 1;
                } else {
                    // short ones, so that a batch always fits
                    let number = random.below(1000) as i64;
                    let tag = remember(tally, Expected::Result((number - 1).to_string()));
                    batch.call("subtract", &[number, 1], tag).unwrap();
                }
            }
            batch.finish();
        }
        _ => {
            let (method, params, expected) = call_of(random);
            let tag = remember(tally, expected);
            let params = nanojsonrpc::RawValue::parse(params.as_bytes()).unwrap();
            client.call(method, &params, tag, &mut out).unwrap();
        }
    }
    out.written().to_vec()
}

/// A text that our client never sends, and the ids of the error responses to it.
///
/// If only the values themselves separate messages (`is_bare`), half a value swallows the next one, and after
/// an error the reader resumes only at an object or array. Such texts are omitted there.
fn hostile(random: &mut Random, tally: &mut Tally, is_bare: bool) -> Vec<u8> {
    let mut refuse = |id: &str| *tally.refusals.entry(id.into()).or_default() += 1;
    let text = r#"{"jsonrpc":"2.0","method":"echo","params":[1,{"a":"b"}],"id":"h"}"#;
    match random.below(10) {
        1 if is_bare => {
            refuse("null");
            b"{}".into()
        }
        // a response without a call
        0 => {
            tally.responses += 1;
            format!(r#"{{"jsonrpc":"2.0","result":1,"id":{}}}"#, random.below(1000)).into_bytes()
        }
        // cut short
        1 => {
            refuse("null");
            text[..1 + random.below(text.len() - 1)].into()
        }
        // too long for the framer
        2 => {
            refuse("null");
            format!(r#"{{"jsonrpc":"2.0","method":"echo","params":["{}"],"id":1}}"#, "x".repeat(BUFFER)).into_bytes()
        }
        // an id that cannot be returned
        3 => {
            refuse("null");
            let id = ["true", "[1]", "{}", "{\"a\":[null]}"][random.below(4)];
            text.replace("\"h\"", id).into_bytes()
        }
        // an id that can, on a message that cannot be read
        4 => {
            let id = ["-0", "1.50", "1e999", "\"\\u0068\"", "123456789012345678901234567890"][random.below(5)];
            refuse(id);
            text.replace("\"h\"", id).replace("\"echo\"", ["1", "\"\"", "null"][random.below(3)]).into_bytes()
        }
        5 => {
            refuse("null");
            ["[]", "{}", "[ ]", "1", "\"x\"", "null"][random.below(if is_bare { 3 } else { 6 })].into()
        }
        // a batch of noise with a response in it
        6 => {
            let len = 1 + random.below(4);
            (0..len).for_each(|_| refuse("null"));
            tally.responses += 1;
            let noise = ["1,", "[],", "{\"id\":{}},", "[[1]],"][random.below(4)].repeat(len);
            format!(r#"[{noise}{{"jsonrpc":"2.0","error":{{"code":1,"message":"m"}},"id":null}}]"#).into_bytes()
        }
        // a byte changed into one that no JSON text has there
        7 => {
            refuse("null");
            let mut text = text.as_bytes().to_vec();
            let at = 1 + random.below(text.len() - 1);
            text[at] = [0xFF, 0, 0x80, 1, 0x1F][random.below(5)];
            text
        }
        // deeper than can be read
        8 => {
            refuse("null");
            let (open, close) = ("[".repeat(200), "]".repeat(200));
            format!("{{\"a\":{open}{close}}}").into_bytes()
        }
        // garbage; where an error goes before, only a bracket is found again
        _ => {
            refuse("null");
            let mut garbage = b"{#".to_vec();
            garbage.extend((0..random.below(100)).map(|_| {
                loop {
                    // a line break would make two of it
                    match random.next() as u8 {
                        b'\r' | b'\n' => {}
                        byte => break byte,
                    }
                }
            }));
            garbage
        }
    }
}

fn framed<F: Frame>(text: &[u8], stream: &mut Vec<u8>) {
    let mut out = vec![0; text.len() + 64];
    let len = F::encode(text, &mut out).unwrap();
    stream.extend_from_slice(&out[..len]);
}

/// Passes `stream` to `framer` in random chunks, and its messages to `take`.
fn carry<F: Frame>(
    random: &mut Random,
    stream: &[u8],
    framer: &mut Framer<F, BUFFER>,
    mut take: impl FnMut(Result<&[u8], nanojsonrpc::frame::FrameError>),
) {
    let mut rest = stream;
    while !rest.is_empty() {
        let len = if random.one_in(4) { 1 } else { 1 + random.below(200) };
        let taken = framer.push(&rest[..len.min(rest.len())]);
        assert!(taken > 0, "stuck {} bytes before the end", rest.len());
        rest = &rest[taken..];
        while let Some(item) = framer.next() {
            match item {
                Ok(item) => take(Ok(item.as_ref())),
                Err(error) => take(Err(error)),
            }
        }
    }
}

/// One stream of messages there and answers back. Returns how many there were.
fn round<F: Frame>(random: &mut Random, is_bare: bool) -> usize {
    let mut client: Client<u32, IN_FLIGHT> = Client::new().with_first_id(random.below(1 << 20) as i64);
    // two calls that are never sent, so that no error with a null id ends the only call in flight
    for tag in [u32::MAX, u32::MAX - 1] {
        client.call("kept", &(), tag, &mut Writer::new(&mut [0; 64])).unwrap();
    }
    let mut server = Server::new(
        Router::new()
            .request("echo", echo)
            .request("subtract", subtract)
            .notification("note", |board: &mut Board, _: Params<'_>| board.notes += 1)
            .response(|board: &mut Board, _| board.responses += 1),
    );
    let (mut there, mut back) = (Framer::<F, BUFFER>::new(), Framer::<F, BUFFER>::new());
    let (mut tally, mut board) = (Tally::default(), Board::default());
    let mut sent = 0;
    while sent < ROUND {
        // a burst of messages, as many as the client can wait for
        let mut stream = Vec::new();
        for _ in 0..1 + random.below(12) {
            let text = if random.one_in(10) {
                hostile(random, &mut tally, is_bare)
            } else {
                peaceful(random, &mut client, &mut tally)
            };
            framed::<F>(&text, &mut stream);
            sent += 1;
        }
        let mut answers = Vec::new();
        let mut output = [0; BUFFER];
        carry(random, &stream, &mut there, |message| {
            let answer = match message {
                Ok(text) => server.process(&mut board, text, &mut output).answer(),
                Err(error) => {
                    // a message that the frame refuses is answered with one error
                    let code = if error.kind().is_limit() { -32600 } else { -32700 };
                    let id = nanojsonrpc::Id::Null;
                    let error: ErrorObject<'_> =
                        ErrorObject { code: code.into(), message: error.kind().as_str().into(), data: None };
                    let len = nanojsonrpc::Response::error(id, error).write(&mut output).unwrap();
                    Some(&output[..len])
                }
            };
            if let Some(answer) = answer {
                framed::<F>(answer, &mut answers);
            }
        });
        carry(random, &answers, &mut back, |message| {
            for incoming in client.receive(message.expect("an answer in its frame")) {
                let Incoming::Response(answer, response) = incoming else { panic!("no answer: {incoming:?}") };
                let outcome = match response.outcome {
                    Ok(result) => Expected::Result(result.as_json().into()),
                    Err(error) => Expected::Code(error.code.0),
                };
                match answer {
                    Answer::To(tag) => {
                        assert_eq!(Some(outcome), tally.calls.remove(&tag), "call {tag}");
                    }
                    Answer::NullId => refused(&mut tally, "null", outcome),
                    Answer::Misspelled(_) | Answer::More | Answer::ToBatch | Answer::Unknown | Answer::Duplicate => {
                        let id = match &response.id {
                            nanojsonrpc::Id::String(text) if text == "h" => "\"\\u0068\"".into(),
                            nanojsonrpc::Id::Decimal { text: number, .. } => number.as_str().to_string(),
                            id => panic!("nobody asked for {id:?}"),
                        };
                        refused(&mut tally, &id, outcome);
                    }
                }
            }
        });
        assert!(tally.calls.is_empty(), "without an answer: {:?}", tally.calls);
        assert_eq!((client.len() - 2, &mem::take(&mut tally.refusals)), (0, &HashMap::new()), "to be refused");
        assert_eq!((board.notes, board.responses), (tally.notes, tally.responses));
    }
    assert!(there.finish().is_none() && back.finish().is_none());
    sent
}

/// Counts an error response to a text that is not a message.
fn refused(tally: &mut Tally, id: &str, outcome: Expected) {
    assert!(matches!(outcome, Expected::Code(-32700 | -32600)), "{outcome:?}");
    let left = tally.refusals.get_mut(id).unwrap_or_else(|| panic!("one answer too many, to {id}"));
    *left -= 1;
    if *left == 0 {
        tally.refusals.remove(id);
    }
}

#[test]
fn every_call_of_millions_is_answered_once() {
    let is_full = !cfg!(debug_assertions) || env::var_os("NANOJSONRPC_SOAK").is_some_and(|value| value == "full");
    let total = if is_full { 2_000_000 } else { 20_000 };
    let only = env::var("NANOJSONRPC_SOAK_SEED").ok().map(|seed| seed.parse::<u64>().unwrap());
    let mut messages = 0;
    for seed in only.unwrap_or(1).. {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let mut random = Random::new(seed);
            match seed % 4 {
                0 => round::<Lines>(&mut random, false),
                1 => round::<ContentLength>(&mut random, false),
                2 => round::<Events>(&mut random, false),
                _ => round::<Values>(&mut random, true),
            }
        }));
        messages += outcome.unwrap_or_else(|fault| {
            eprintln!("to run this round alone: NANOJSONRPC_SOAK_SEED={seed}");
            resume_unwind(fault)
        });
        if messages >= total || only.is_some() {
            break;
        }
    }
    println!("{messages} messages");
}
