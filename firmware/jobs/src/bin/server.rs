//! A server with four routes of typed params, batches, and the five errors of the specification.
#![no_std]
#![no_main]

use nanojsonrpc::{ErrorObject, Router, Server};
use probe::used;

#[derive(Default)]
struct Board {
    level: i32,
    is_on: bool,
}

#[derive(serde::Deserialize)]
struct Led {
    on: bool,
    #[serde(default)]
    level: i32,
}

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let mut board = Board::default();
    let mut server = Server::new(
        Router::new()
            .request("subtract", |_: &mut Board, (a, b): (i32, i32)| {
                a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS)
            })
            .request("led.get", |board: &mut Board| Ok(board.is_on))
            .request("level", |board: &mut Board, (scale,): (i32,)| Ok(board.level.wrapping_mul(scale)))
            .notification("led.set", |board: &mut Board, led: Led| (board.is_on, board.level) = (led.on, led.level)),
    );
    let answer = server.process(&mut board, text, out);
    used(&answer);
    used(&board);
    true
}

probe::firmware!(job);
