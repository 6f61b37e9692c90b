//! The job `stream_async` with two calls side by side, and with a handler that waits.
#![no_std]
#![no_main]

#[path = "../../../jobs/src/board.rs"]
mod board;
#[path = "../wire.rs"]
mod wire;

use board::{ANSWER, Board, LINE, QUESTION};
use embassy_futures::{block_on, yield_now};
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::{Router, Server};
use probe::used;
use wire::Wire;

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let mut board = Board::default();
    let mut framer = Framer::<Lines, LINE>::new();
    let reader = Wire { text: text.iter(), out: Default::default() };
    let writer = Wire { text: Default::default(), out: out.iter_mut() };
    let waiting = Router::new().request_async("later", async |_: &mut Board| {
        yield_now().await;
        Ok(true)
    });
    let (mut server, mut output) = (Server::new(board::router().nest("", waiting)), [0; 256]);
    let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
    let is_served = block_on(connection.concurrent::<2, 128, 128>().serve(&mut server, &mut board)).is_ok();
    used(&board);
    is_served
}

probe::firmware!(job, probe::Expect::NO_VERDICT.answering(QUESTION, ANSWER));
