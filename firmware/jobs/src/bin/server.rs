//! A server on a line: four routes of typed params, batches, newline framing, and the five errors of the specification.
#![no_std]
#![no_main]

#[path = "../board.rs"]
mod board;

use board::{ANSWER, Board, LINE, QUESTION};
use nanojsonrpc::Server;
use nanojsonrpc::frame::{Frame, Framer, Lines};
use probe::used;

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let mut board = Board::default();
    let mut server = Server::new(board::router());
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
