//! A program of README.md: calls a JSON-RPC server over TCP.

use std::net::TcpStream;

use embedded_io_adapters::std::FromStd;
use nanojsonrpc::connection::{CallError, Connection};
use nanojsonrpc::frame::{Framer, Lines};

mod arguments;

fn main() -> Result<(), Box<dyn core::error::Error>> {
    arguments::words("Calls a JSON-RPC 2.0 server over TCP, and prints the answer.", ["ADDR:PORT"]);
    let stream = TcpStream::connect(std::env::args().nth(1).ok_or("usage: call ADDR:PORT")?)?;
    let (mut framer, mut output) = (Framer::<Lines, 4096>::new(), [0; 4096]);
    let mut connection = Connection::new(FromStd::new(&stream), FromStd::new(&stream), &mut framer, &mut output);
    match connection.call::<i64>("subtract", &[42, 23]) {
        Ok(difference) => println!("42 - 23 = {difference}"),
        // the error object of the peer: code, message and data
        Err(CallError::Peer(error)) => println!("refused: {error}"),
        // a broken stream, or a result of another type
        Err(error) => println!("{error}"),
    }
    Ok(())
}
