//! An error type of another crate, of a tool.
//! says: `ParseIntError` is not an error that a tool can return
//! says: if `ParseIntError` is a type of another crate, return `(ErrorCode, Shown<ParseIntError>)`
#![allow(dead_code)]
use core::num::ParseIntError;

#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(mcp)]
trait Fan {
    /// Sets the speed.
    fn set(&mut self, rpm: u16) -> Result<u16, ParseIntError>; // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(mcp)]
trait Fan {
    /// Sets the speed.
    fn set(&mut self, rpm: u16) -> Result<u16, (nanojsonrpc::ErrorCode, nanojsonrpc::message::Shown<ParseIntError>)>;
}

fn main() {}
