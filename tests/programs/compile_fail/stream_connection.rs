//! A connection over a stream of std without an adapter.
//! says: `&TcpStream` is not a stream of `embedded_io`
//! says: add the crate `embedded-io-adapters` 0.7, with the feature `std` or `tokio-1`
//! says: adapt a stream of std with `embedded_io_adapters::std::FromStd::new(stream)`
#![allow(dead_code, unused_imports)]
use std::net::TcpStream;

use embedded_io_adapters::std::FromStd;
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Framer, Lines};

#[cfg(not(feature = "advised"))]
fn serve(stream: &TcpStream, framer: &mut Framer<Lines, 64>, output: &mut [u8]) {
    let _ = Connection::new(stream, stream, framer, output); // wrong
}

#[cfg(feature = "advised")]
fn serve(stream: &TcpStream, framer: &mut Framer<Lines, 64>, output: &mut [u8]) {
    let _ = Connection::new(FromStd::new(stream), FromStd::new(stream), framer, output);
}

fn main() {}
