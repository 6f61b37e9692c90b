//! On any value, into every shape of type that serde has: our reader and serde_json accept the same texts with the same values,
//! and the two writers give the same text. The crate's documentation lists the differences.
#![no_main]

// a part of it is for the other targets
#[allow(dead_code)]
mod grammar;
#[path = "../../tests/json/types/mod.rs"]
mod payload_types;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::marker::PhantomData;

use libfuzzer_sys::fuzz_target;
use nanojsonrpc::{Error, ErrorKind, PayloadError, RawValue, Writer, json::MAX_ESCAPED};
use payload_types::*;
use serde::{Deserialize, Deserializer, Serialize};

fuzz_target!(|input: &[u8]| {
    let Some(text) = grammar::text(input) else { return };
    let Ok(value) = RawValue::parse(&text) else { return };
    let is_escaped = text.contains(&b'\\');
    let pair = [b"[", value.as_bytes(), b" , 7]"].concat();
    // not if it is nested too deeply
    let pair = RawValue::parse(&pair).ok();

    macro_rules! check_all {
        ($($name:ident: $type:ty = $strategy:expr;)*) => {$(
            let read = alone::<$type>(stringify!($name), value, is_escaped);
            if is_escaped {
                lent::<$type>(stringify!($name), value, &mut vec![0; text.len()], &read);
            }
            if let Some(pair) = pair {
                is_passed::<$type>(stringify!($name), pair);
            }
        )*};
    }
    with_every_type!(check_all);
});

/// The `Debug` text of a value, which distinguishes -0.0 from 0.0.
struct Read {
    ours: Result<String, ErrorKind>,
    theirs: Result<String, String>,
}

fn alone<'a, T: Deserialize<'a> + Serialize + Debug>(name: &str, value: RawValue<'a>, is_escaped: bool) -> Read {
    let text = value.as_json();
    let ours = value.read::<T>();
    match &ours {
        Ok(ours) => is_written_the_same(name, ours),
        Err(error) => is_explained(error, value),
    }
    let read = Read {
        ours: ours.map(|value| format!("{value:?}")).map_err(|error| error.kind()),
        // from bytes, because serde_json's keys of type `bool` would split the first character of a `str`
        theirs: serde_json::from_slice::<T>(text.as_bytes())
            .map(|value| format!("{value:?}"))
            .map_err(|error| error.to_string()),
    };
    match (&read.ours, &read.theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{name}: {text}"),
        (Err(_), Err(_)) => {}
        // "over 256 bytes decoded, into a type that owns its text, no buffer lent"
        (Err(kind), Ok(_)) => {
            let is_long = is_escaped && text.len() > MAX_ESCAPED;
            assert!(is_long && *kind == ErrorKind::EscapedString, "{name}: only we refuse {text}: {kind}");
        }
        (Ok(ours), Err(theirs)) => panic!("{name}: only we read {text} as {ours}, they say {theirs}"),
    }
    read
}

/// With room for decoded strings, it reads all texts of serde_json, and those that serde_json cannot borrow from.
fn lent<'a, T: Deserialize<'a> + Debug>(name: &str, value: RawValue<'a>, scratch: &'a mut [u8], read: &Read) {
    let text = value.as_json();
    match (value.read_with::<T>(scratch), &read.theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(format!("{ours:?}"), *theirs, "{name}: {text}"),
        (Err(error), Err(_)) => is_explained(&error, value),
        (Err(error), Ok(_)) => panic!("{name}: only we refuse {text}: {error}"),
        (Ok(ours), Err(theirs)) => {
            assert_eq!(read.ours, Err(ErrorKind::EscapedString), "{name}: only we read {text} as {ours:?}: {theirs}");
        }
    }
}

/// Reads a `T`, and drops its fault.
struct Lenient<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        _ = T::deserialize(deserializer);
        Ok(Self(PhantomData))
    }
}

/// A value is passed as a whole, also one that does not fit: the element after it is read.
fn is_passed<'a, T: Deserialize<'a>>(name: &str, pair: RawValue<'a>) {
    let read = pair.read::<(Lenient<T>, u8)>().map(|(_, behind)| behind);
    assert_eq!(read, Ok(7), "{name}: {}", pair.as_json());
}

/// An error names the expected type and points into the value.
fn is_explained(error: &PayloadError, value: RawValue<'_>) {
    let end = value.offset() + value.as_bytes().len();
    assert!((value.offset()..=end).contains(&error.offset()), "{error}");
    assert!(!error.expected().is_empty(), "{error:?}");
}

fn is_written_the_same<T: Serialize>(name: &str, value: &T) {
    let theirs = serde_json::to_vec(value).expect("what was read can be written");
    let mut room = vec![0; theirs.len()];
    let mut out = Writer::new(&mut room);
    assert_eq!(out.value(value), Ok(()), "{name}: {}", theirs.escape_ascii());
    assert_eq!(out.written(), theirs, "{name}: {}", theirs.escape_ascii());
    let mut out = Writer::new(&mut room[..theirs.len() - 1]);
    assert_eq!(out.value(value).map_err(Error::kind), Err(ErrorKind::OutputFull));
    assert!(out.is_empty());
}
