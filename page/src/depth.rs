//! A limit of depth below that of the crate.

use nanojsonrpc::{Error, ErrorKind, MAX_DEPTH, RawValue};

use crate::memory::{BRACKETS, Room};

const _: () = assert!(BRACKETS == MAX_DEPTH);

/// The first bracket in the first `len` bytes that exceeds `limit`, if the text before it is JSON.
///
/// The crate counts the brackets: it reads the text behind as many opening brackets as its own limit exceeds `limit`.
/// Its verdict on the text behind the last value then differs, so the caller keeps an earlier fault.
pub(crate) fn exceeded(text: &mut Room, len: usize, limit: u32) -> Option<(Error, usize)> {
    let before = BRACKETS.checked_sub(limit as usize).filter(|before| *before != 0)?;
    let (padding, _) = text.split_at_mut_checked(BRACKETS)?;
    padding.fill(b'[');
    let start = BRACKETS.checked_sub(before)?;
    let error = RawValue::parse(text.get(start..BRACKETS.checked_add(len)?)?).err()?;
    if error.kind() == ErrorKind::TooDeep { Some((error, error.offset().checked_sub(before)?)) } else { None }
}
