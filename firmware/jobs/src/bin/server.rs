//! A server on a line: four routes of typed params, batches, newline framing, and the five errors of the specification.
#![no_std]
#![no_main]

use nanojsonrpc::frame::{Frame, Framer, Lines};
use nanojsonrpc::{ErrorObject, Router, Server};
use probe::used;

/// The longest of the messages that are measured is 2,047 bytes.
const LINE: usize = 2100;

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
    let mut framer = Framer::<Lines, LINE>::new();
    let mut text = text.iter();
    loop {
        // as an interrupt would put them there
        let mut len = 0;
        for (place, byte) in framer.spare().iter_mut().zip(&mut text) {
            *place = *byte;
            len += 1;
        }
        framer.filled(len);
        while let Some(line) = if len == 0 { framer.finish() } else { framer.next() } {
            match line {
                Ok(message) => used(&server.process(&mut board, message, out)),
                Err(error) => used(&server.refuse(error, out)),
            }
            used(Lines::tail());
        }
        if len == 0 {
            used(&board);
            return true;
        }
    }
}

probe::firmware!(job);
