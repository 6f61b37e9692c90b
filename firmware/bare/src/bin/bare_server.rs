//! The job `server` without serde: the handlers look into their params, and answer with -32602 themselves.
#![no_std]
#![no_main]

use nanojsonrpc::frame::{Frame, Framer, Lines};
use nanojsonrpc::{ErrorObject, Params, Router, Server};
use probe::used;

/// The longest measured message has 2,047 bytes.
const LINE: usize = 2100;

const QUESTION: &str = r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","result":19,"id":1}"#;
const WRONG: ErrorObject<'static> = ErrorObject::INVALID_PARAMS;

#[derive(Default)]
struct Board {
    level: i32,
    is_on: bool,
}

fn integer(params: &Params<'_>, at: usize) -> Result<i32, ErrorObject<'static>> {
    params.element(at).and_then(|value| value.to_integer().ok()).ok_or(WRONG)
}

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let mut board = Board::default();
    let mut server = Server::new(
        Router::new()
            .request("subtract", |_: &mut Board, params: Params<'_>| {
                integer(&params, 0)?.checked_sub(integer(&params, 1)?).ok_or(WRONG)
            })
            .request("led.get", |board: &mut Board| Ok(board.is_on))
            .request("level", |board: &mut Board, params: Params<'_>| {
                Ok(board.level.wrapping_mul(integer(&params, 0)?))
            })
            .notification("led.set", |board: &mut Board, params: Params<'_>| {
                if let Some(is_on) = params.get("on").and_then(|on| on.as_bool()) {
                    board.is_on = is_on;
                    board.level = params.get("level").and_then(|level| level.to_integer().ok()).unwrap_or(0);
                }
            }),
    );
    let mut framer = Framer::<Lines, LINE>::new();
    let mut text = text.iter();
    loop {
        let len = probe::receive(&mut text, framer.spare());
        framer.filled(len);
        while let Some(line) = if len == 0 { framer.finish() } else { framer.next() } {
            match line {
                Ok(message) => used(&server.process(&mut board, message, out).answer()),
                Err(error) => used(&server.refuse(error, out).answer()),
            }
            used(Lines::tail());
        }
        if len == 0 {
            used(&board);
            return true;
        }
    }
}

probe::firmware!(job, probe::Expect::NO_VERDICT.answering(QUESTION, ANSWER));
