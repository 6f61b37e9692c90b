//! A server on a line.

use nanojsonrpc::Server;
use nanojsonrpc::frame::{Frame, Framer, Lines};
use nanojsonrpc::server::route::Routes;
use probe::used;

/// The longest measured message has 2,047 bytes.
const LINE: usize = 2100;

#[allow(dead_code, reason = "another job has its own")]
pub const QUESTION: &str = r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
#[allow(dead_code, reason = "another job has its own")]
pub const ANSWER: &str = r#"{"jsonrpc":"2.0","result":19,"id":1}"#;

#[derive(Default)]
pub struct Board {
    pub level: i32,
    pub is_on: bool,
}

pub fn serve(mut server: Server<impl Routes<Board>>, text: &[u8], out: &mut [u8]) -> bool {
    let mut board = Board::default();
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
