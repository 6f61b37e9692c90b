//! The kind of a message, from core-json's fields: its members, and the type of its id.
#![no_std]
#![no_main]

use core_json::{ConstStack, Deserializer, Type, Value};
use probe::{Expect, Shape, used};

const JSONRPC: u8 = 1;
const METHOD: u8 = 2;
const ID: u8 = 4;
const RESULT: u8 = 8;
const ERROR: u8 = 16;
const NAMES: [(&str, u8); 5] =
    [("jsonrpc", JSONRPC), ("method", METHOD), ("id", ID), ("result", RESULT), ("error", ERROR)];

/// 64 levels.
type Stack = ConstStack<16>;

/// Whether `message` is a JSON-RPC message; `None` if it is unreadable.
fn read<'t>(message: Value<'t, '_, &'t [u8], Stack>) -> Option<bool> {
    let mut fields = message.fields().ok()?;
    let mut seen = 0;
    while let Some(field) = fields.next() {
        let mut field = field.ok()?;
        let mut name = [0; 8];
        let mut len = 0;
        for char in field.key() {
            if let Some(place) = name.get_mut(len) {
                *place = u8::try_from(char.ok()?).unwrap_or_default();
            }
            len += 1;
        }
        let name = name.get(..len).unwrap_or_default();
        let member = NAMES.iter().find(|(known, _)| known.as_bytes() == name).map_or(0, |(_, member)| *member);
        if seen & member != 0 {
            return Some(false);
        }
        seen |= member;
        let mut value = field.value();
        let kind = value.kind().ok()?;
        match (member, kind) {
            (JSONRPC, Type::String) => {
                let is_known = value.to_str().ok()?.map(Result::ok).eq("2.0".chars().map(Some));
                if !is_known {
                    return Some(false);
                }
            }
            (METHOD, Type::String) => {
                for char in value.to_str().ok()? {
                    used(&char.ok()?);
                }
            }
            (JSONRPC | METHOD, _) => return Some(false),
            (ID, kind) => used(&kind),
            // the rest is skipped
            _ => {}
        }
    }
    Some(
        seen & JSONRPC != 0
            && match seen & (METHOD | RESULT | ERROR) {
                METHOD => true,
                RESULT | ERROR => seen & ID != 0,
                _ => false,
            },
    )
}

fn message_or_batch(text: &[u8]) -> Option<bool> {
    let mut deserializer = Deserializer::<&[u8], Stack>::new(text).ok()?;
    let mut value = deserializer.value().ok()?;
    match value.kind().ok()? {
        Type::Array => {
            let mut elements = value.iterate().ok()?;
            while let Some(element) = elements.next() {
                if !read(element.ok()?)? {
                    return Some(false);
                }
            }
            Some(true)
        }
        _ => read(value),
    }
}

fn job(text: &[u8], _: &mut [u8]) -> bool {
    message_or_batch(text).unwrap_or(false)
}

probe::firmware!(job, Expect::reading(Shape::ALL, 63));
