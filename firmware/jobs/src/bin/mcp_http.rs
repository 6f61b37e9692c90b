//! The server of `mcp` behind HTTP, with a parsed head: its cost above that of `mcp` is the cost of Streamable HTTP.
#![no_std]
#![no_main]

#[path = "../desk.rs"]
mod desk;

use core::hint::black_box;

use nanojsonrpc::mcp::http::{Endpoint, Head, event};
use probe::used;

/// The head is unknown to the optimiser.
static HEADERS: &[(&str, &[u8])] = &[];

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let head = Head::from_headers(black_box("POST"), black_box(HEADERS).iter().copied());
    let response = Endpoint::new().answer(&mut desk::server(), &mut (), &head, text, out);
    // the server keeps no sessions
    used(&(response.status(), response.headers()));
    event(response.body()).for_each(used);
    true
}

probe::firmware!(job);
