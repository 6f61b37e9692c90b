//! A param that serde cannot read.
//! says: Deserialize
#![allow(dead_code)]
#[cfg_attr(feature = "advised", derive(serde::Deserialize))]
enum Ramp {
    Slow,
}

#[nanojsonrpc::service] // wrong
trait Fan {
    fn set(&mut self, ramp: Ramp); // wrong
}

fn main() {}
