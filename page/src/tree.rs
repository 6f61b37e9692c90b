//! The inside of a value, level by level.

use nanojsonrpc::{RawValue, json::Kind};

use crate::out::Out;
use crate::spans;

/// Writes `count` members or elements of `value`, which is at `before` in its text: the spans of the name and of the value, and the
/// number of its members or elements. An element has the name 0 to 0.
pub(crate) fn children(value: &[u8], before: usize, from: usize, count: usize, output: &mut [u8]) -> usize {
    let mut out = Out::new(output);
    let Ok(parsed) = RawValue::parse(value) else { return 0 };
    let is_object = parsed.kind() == Kind::Object;
    let mut members = parsed.members();
    let mut elements = parsed.elements();
    let mut next = || {
        if !is_object {
            return Some((&[][..], elements.next()?));
        }
        members.next().map(|(name, value)| (name.as_bytes(), value))
    };
    for place in 0..from.saturating_add(count) {
        let Some((name, child)) = next() else { break };
        if place < from {
            continue;
        }
        if is_object {
            let start = spans::offset(value, name).wrapping_add(before);
            out.words(&[start.wrapping_sub(1), start.wrapping_add(name.len()).wrapping_add(1)]);
        } else {
            out.words(&[0, 0]);
        }
        let [start, end] = spans::span(child);
        let len = if child.kind() == Kind::Object { child.members().count() } else { child.elements().count() };
        out.words(&[before.wrapping_add(start), before.wrapping_add(end), len]);
    }
    out.len()
}
