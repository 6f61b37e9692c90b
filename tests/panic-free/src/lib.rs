//! Calls every public function of nanojsonrpc with bytes that the compiler does not know. `tests/panic-free/check` builds this program
//! and looks for panics in it.
#![no_std]

mod broker;
mod client;
mod connection;
mod errors;
mod frame;
#[cfg(feature = "futures")]
mod futures;
mod http;
mod json;
#[cfg(feature = "log")]
mod log;
mod mcp;
mod mcp_authorization;
mod mcp_client;
mod message;
#[cfg(feature = "planted")]
mod planted;
#[cfg(feature = "serde-json-core")]
mod serde_json_core;
mod server;
mod service;
mod typed;
mod websocket;

use core::hint::black_box;

/// Makes the compiler treat `value` as used.
fn used<T>(value: T) {
    black_box(value);
}

/// A number that the compiler does not know.
fn any(text: &[u8]) -> usize {
    black_box(text.len())
}

/// A text that the compiler does not know.
fn name(text: &[u8]) -> &str {
    core::str::from_utf8(text).unwrap_or_default()
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
