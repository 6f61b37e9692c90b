//! The methods of `declared_server` by hand: params by name and by position.
#![no_std]
#![no_main]

#[path = "../line.rs"]
mod line;

use line::{ANSWER, Board, QUESTION};
use nanojsonrpc::{ErrorObject, Router, Server};

#[derive(serde::Deserialize)]
struct Subtract {
    a: i32,
    b: i32,
}

#[derive(serde::Deserialize)]
struct Level {
    scale: i32,
}

#[derive(serde::Deserialize)]
struct Led {
    on: bool,
    #[serde(default)]
    level: Option<i32>,
}

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let router = Router::new()
        .request("subtract", |_: &mut Board, Subtract { a, b }: Subtract| {
            a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS)
        })
        .request("led.get", |board: &mut Board| Ok(board.is_on))
        .request("level", |board: &mut Board, Level { scale }: Level| Ok(board.level.wrapping_mul(scale)))
        .notification("led.set", |board: &mut Board, Led { on, level }: Led| {
            (board.is_on, board.level) = (on, level.unwrap_or_default());
        });
    line::serve(Server::new(router), text, out)
}

probe::firmware!(job, probe::Expect::NO_VERDICT.answering(QUESTION, ANSWER));
