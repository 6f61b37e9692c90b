//! A server of the Model Context Protocol: tools, resources, a prompt, completion, in both generations.
#![no_std]
#![no_main]

#[path = "../desk.rs"]
mod desk;

use probe::used;

fn job(text: &[u8], out: &mut [u8]) -> bool {
    used(&desk::server().process(&mut (), text, out).answer());
    true
}

probe::firmware!(job);
