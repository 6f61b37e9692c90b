//! The job `server` over the streams of `embedded_io_async`.
#![no_std]
#![no_main]

#[path = "../../../jobs/src/board.rs"]
mod board;
#[path = "../wire.rs"]
mod wire;

use board::{ANSWER, Board, LINE, QUESTION};
use embassy_futures::block_on;
use nanojsonrpc::Server;
use nanojsonrpc::connection::serve_async;
use nanojsonrpc::frame::{Framer, Lines};
use probe::used;
use wire::Wire;

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let mut board = Board::default();
    let mut framer = Framer::<Lines, LINE>::new();
    let reader = Wire { text: text.iter(), out: Default::default() };
    let writer = Wire { text: Default::default(), out: out.iter_mut() };
    let (mut server, mut output) = (Server::new(board::router()), [0; 256]);
    let served = serve_async(reader, writer, &mut framer, &mut output, &mut server, &mut board);
    let is_served = block_on(served).is_ok();
    used(&board);
    is_served
}

probe::firmware!(job, probe::Expect::NO_VERDICT.answering(QUESTION, ANSWER));
