#![no_std]
#![no_main]
use nanojsonrpc::{Router, Server};
use probe::used;
fn job(text: &[u8], out: &mut [u8]) -> bool {
    let mut server = Server::new(Router::<()>::new());
    let answer = server.process(&mut (), text, out);
    used(&answer);
    true
}
probe::firmware!(job);
