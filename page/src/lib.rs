//! nanojsonrpc for a page: texts in, verdicts out, in WebAssembly.
//!
//! JavaScript writes a text to [`text`], calls one of the functions below, and reads the answer at [`output`]; the function
//! returns its length. There are no imports. A panic would import one, see `memory`.
//!
//! Offsets count bytes of the text.
#![cfg_attr(target_family = "wasm", no_std)]

mod calls;
mod depth;
mod frames;
#[path = "../../examples/mcp_features/mod.rs"]
mod mcp_features;
mod memory;
#[expect(dead_code, reason = "a page has no stream to buffer")]
#[path = "../../examples/methods/mod.rs"]
mod methods;
mod out;
mod read;
mod serve;
mod spans;
mod tree;

use memory::with_page;
use nanojsonrpc::{Dialect, Envelope, Envelopes, ErrorKind, Writer};

/// Room for a text, in bytes.
pub const TEXT: usize = 8 << 20;
/// The capacity for results, in bytes.
pub const OUTPUT: usize = 2 << 20;

/// A dialect by its place in the page's list.
fn dialect(number: u32) -> Dialect {
    match number {
        1 => Dialect::MCP,
        2 => Dialect::CAUCE,
        3 => Dialect::LENIENT,
        _ => Dialect::JSON_RPC,
    }
}

/// The fault of one message with these capacities, and the answer of a server: for the tests of `read`.
#[doc(hidden)]
pub fn fault(
    text: &[u8],
    dialect: Dialect,
    id: usize,
    method: usize,
    answer: &mut Writer<'_>,
) -> Option<(ErrorKind, usize)> {
    let rules = read::Rules { dialect, depth: 63, id, method, is_lenient: false };
    rules.judge(text, Envelope::parse_as(text, dialect), answer).err()
}

/// Where JavaScript writes a text of at most [`TEXT`] bytes.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn text() -> usize {
    with_page(|page| page.text(0).as_ptr().addr())
}

/// The address of the result, for JavaScript.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn output() -> usize {
    with_page(|page| page.output.as_ptr().addr())
}

/// Where JavaScript finds the texts of the messages of a stream.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn messages() -> usize {
    with_page(|page| page.messages.as_ptr().addr())
}

/// The verdict on the text of `len` bytes, and `count` of its messages from `from` on.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn read(
    len: usize,
    number: u32,
    depth: u32,
    id: usize,
    method: usize,
    max_batch: usize,
    max_len: usize,
    is_lenient: bool,
    from: usize,
    count: usize,
) -> usize {
    with_page(|page| {
        let dialect = dialect(number);
        let max_batch = max_batch.min(dialect.max_batch());
        let rules = read::Rules {
            dialect: dialect.with_max_batch(max_batch).with_max_len(max_len),
            depth,
            id,
            method,
            is_lenient,
        };
        read::read(page.text, len, rules, from..from.saturating_add(count), page.output)
    })
}

/// `count` of the members or elements, from `from` on, of the value between two offsets of the text.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn children(start: usize, end: usize, from: usize, count: usize) -> usize {
    with_page(|page| {
        let value = memory::text(page.text, end).get(start..).unwrap_or_default();
        tree::children(value, start, from, count, page.output)
    })
}

/// The messages of the stream in the first `len` bytes of the text, cut into chunks.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn frames(len: usize, frame: u32, chunk: usize, capacity: usize, number: u32) -> usize {
    with_page(|page| {
        let buffer = page.buffer.get_mut(..capacity).unwrap_or_default();
        let cut = frames::Cut { stream: memory::text(page.text, len), chunk: chunk.max(1), dialect: dialect(number) };
        frames::frames(cut, frame, buffer, page.messages, page.output)
    })
}

/// Sends the text to a server, 0: the methods of the specification, 1: the Model Context Protocol. Returns lines: `<` and a
/// message of the server, or `!` and the dropped message.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn serve(server: u32, len: usize) -> usize {
    with_page(|page| serve::serve(page, server, len))
}

/// Forgets the sessions of the servers and the calls in flight.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn restart(number: u32, is_lenient: bool) {
    with_page(|page| {
        *page.client = Some(calls::client(dialect(number), is_lenient));
        serve::restart(page);
    });
}

/// Writes the calls that the text lists, as `[[METHOD,PARAMS],…]`, in an array if it is a batch. Returns `<` and the text to
/// send, or `!` and the reason of a refusal.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn call(len: usize, is_batch: bool, is_notification: bool) -> usize {
    with_page(|page| {
        calls::call(
            memory::text(page.text, len),
            is_batch,
            is_notification,
            page.client.get_or_insert(calls::NEW),
            page.output,
        )
    })
}

/// The meaning of the text for the client that made the calls.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn receive(len: usize, number: u32) -> usize {
    with_page(|page| {
        calls::receive(
            memory::text(page.text, len),
            dialect(number),
            page.client.get_or_insert(calls::NEW),
            page.output,
        )
    })
}

/// Reads the text `rounds` times, and returns how often it was a message.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn repeat(len: usize, number: u32, times: u32) -> u32 {
    with_page(|page| {
        let text = page.text(len);
        let mut accepted = 0u32;
        for _ in 0..times {
            let first = Envelopes::new(core::hint::black_box(text), dialect(number)).next();
            accepted = accepted.wrapping_add(u32::from(first.is_some_and(|first| first.is_ok())));
        }
        accepted
    })
}
