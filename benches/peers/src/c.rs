//! Readers in C and C++, by the crates that have their sources. Both build a document; a second row of each also visits every value.

use std::cell::RefCell;
use std::hint::black_box;
use std::ptr::{null, null_mut};

use serde_json::{Map, Number, Value};
use simdjson_sys::dom_ffi::{parser, parser_get_tape_view, parser_new, parser_parse};
use simdjson_sys::{SIMDJSON_MAXSIZE_BYTES, SIMDJSON_PADDING};
use yyjson_sys as yy;

use crate::shapes::Shape;

/// The memory for a document of yyjson, which is used again: more than any shape takes.
const POOL: usize = 32 << 20;

thread_local! {
    static MEMORY: RefCell<Vec<u64>> = RefCell::new(vec![0; POOL / 8]);
    static SIMDJSON: RefCell<(cxx::UniquePtr<parser>, Vec<u8>)> =
        RefCell::new((parser_new(SIMDJSON_MAXSIZE_BYTES), Vec::new()));
}

/// Passes the document of a text.
fn yyjson<R>(text: &mut [u8], read: impl FnOnce(&mut yy::yyjson_doc) -> R) -> Option<R> {
    MEMORY.with_borrow_mut(|memory| {
        let mut pool = unsafe { core::mem::zeroed::<yy::yyjson_alc>() };
        // SAFETY: the memory is aligned, as long as it says, and outlives the document; without a flag, the text is only read
        let document = unsafe {
            yy::yyjson_alc_pool_init(&mut pool, memory.as_mut_ptr().cast(), memory.len() * 8);
            yy::yyjson_read_opts(text.as_mut_ptr().cast(), text.len(), yy::YYJSON_READ_NOFLAG, &pool, null_mut())
        };
        // SAFETY: it is null or a document, which ends with the pool
        unsafe { document.as_mut() }.map(read)
    })
}

pub fn yyjson_document(text: &mut [u8], _: &Shape) -> bool {
    yyjson(text, |document| _ = black_box(document.root)).is_some()
}

pub fn yyjson_values(text: &mut [u8], _: &Shape) -> bool {
    let visited = yyjson(text, |document| {
        // SAFETY: the values of a document are one array, which begins with its root
        let values = unsafe { core::slice::from_raw_parts(document.root, document.val_read) };
        black_box(values.iter().fold(0, |sum: u64, value| sum.wrapping_add(value.tag)))
    });
    visited.is_some()
}

pub fn yyjson_tree(text: &mut [u8]) -> Option<Value> {
    yyjson(text, |document| {
        let mut len = 0;
        // SAFETY: the written text has this length, and the pool's successor, the allocator of C, frees it with the program
        let written = unsafe { yy::yyjson_write_opts(document, 0, null(), &mut len, null_mut()) };
        let written = unsafe { core::slice::from_raw_parts(written.cast::<u8>(), len) };
        serde_json::from_slice(written).ok()
    })?
}

/// Passes the tape of a text, and its strings.
fn simdjson<R>(text: &[u8], read: impl FnOnce(&[u64], &[u8]) -> R) -> Option<R> {
    SIMDJSON.with_borrow_mut(|(parser, padded)| {
        padded.clear();
        padded.extend_from_slice(text);
        padded.resize(text.len() + SIMDJSON_PADDING, 0);
        // SAFETY: the text has its padding; the tape is read before the next text
        let status = unsafe { parser_parse(parser.pin_mut(), &padded[..text.len()], false) };
        if status != 0 {
            return None;
        }
        let tape = unsafe { parser_get_tape_view(parser.as_ref()?) };
        Some(read(tape.tape, tape.string_buf))
    })
}

pub fn simdjson_document(text: &mut [u8], _: &Shape) -> bool {
    simdjson(text, |tape, _| _ = black_box(tape.len())).is_some()
}

pub fn simdjson_values(text: &mut [u8], _: &Shape) -> bool {
    simdjson(text, |tape, _| _ = black_box(tape.iter().fold(0, |sum: u64, word| sum.wrapping_add(*word)))).is_some()
}

pub fn simdjson_tree(text: &mut [u8]) -> Option<Value> {
    simdjson(text, |tape, strings| tree(tape, strings, &mut 1))?
}

/// The value at a place of the tape, which moves behind it. Source: `doc/tape.md` of simdjson.
fn tree(tape: &[u64], strings: &[u8], place: &mut usize) -> Option<Value> {
    let word = *tape.get(*place)?;
    let (kind, payload) = ((word >> 56) as u8, (word & ((1 << 56) - 1)) as usize);
    *place += 1;
    let mut number = || {
        *place += 1;
        tape.get(*place - 1).copied()
    };
    Some(match kind {
        b'n' => Value::Null,
        b't' => true.into(),
        b'f' => false.into(),
        b'l' => (number()? as i64).into(),
        b'u' => number()?.into(),
        b'd' => Number::from_f64(f64::from_bits(number()?))?.into(),
        b'"' => {
            let (len, text) = strings.get(payload..)?.split_first_chunk::<4>()?;
            String::from_utf8(text.get(..u32::from_le_bytes(*len) as usize)?.to_vec()).ok()?.into()
        }
        b'[' | b'{' => {
            // the index behind the closing bracket; the rest of the payload counts the elements
            let end = (payload & u32::MAX as usize) - 1;
            let (mut elements, mut members) = (Vec::new(), Map::new());
            while *place < end {
                let value = tree(tape, strings, place)?;
                match (kind, value) {
                    (b'{', Value::String(name)) => _ = members.insert(name, tree(tape, strings, place)?),
                    (b'{', _) => return None,
                    (_, value) => elements.push(value),
                }
            }
            *place += 1;
            if kind == b'[' { elements.into() } else { members.into() }
        }
        _ => return None,
    })
}
