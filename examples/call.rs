//! A program of README.md: calls a JSON-RPC server over TCP, and answers the calls of that server meanwhile.

use std::net::TcpStream;

use embedded_io_adapters::std::FromStd;
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::{Router, Server};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let stream = TcpStream::connect(std::env::args().nth(1).ok_or("usage: call ADDR:PORT")?)?;
    let (mut framer, mut output) = (Framer::<Lines, 4096>::new(), [0; 4096]);
    let mut connection = Connection::new(FromStd::new(&stream), FromStd::new(&stream), &mut framer, &mut output);
    // receives the requests and notifications of the peer
    let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong")));

    match connection.call::<i64, _, _, _>(&mut server, &mut (), "subtract", &[42, 23]) {
        Ok(difference) => println!("42 - 23 = {difference}"),
        // the error object of the peer, a broken stream, or a result of another type
        Err(error) => println!("{error}"),
    }
    Ok(())
}
