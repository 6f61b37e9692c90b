//! On any value: the lazy view and serde_json find the same in the same order, also by any JSON pointer.
#![no_main]

// a part of it is for the other targets
#[allow(dead_code)]
mod grammar;
#[allow(dead_code)]
mod reference;

use libfuzzer_sys::fuzz_target;
use nanojsonrpc::{Error, ErrorKind, RawStr, RawValue, json::Kind};
use reference::Members;
use serde_json::Value;
use serde_json::value::RawValue as Json;

/// Steps of pointers that are indices or names, or only nearly.
const STEPS: [&str; 14] = ["", "-", "0", "00", "01", "1", "+1", "1 ", "-0", "~", "~0", "~1", "~2", "a~"];

/// Separates a JSON pointer from the text in the fuzzer's bytes; no text contains it.
const BEHIND_POINTER: u8 = 0xFF;

fuzz_target!(|input: &[u8]| {
    let mut parts = input.splitn(2, |byte| *byte == BEHIND_POINTER);
    let (pointer, input) = match (parts.next(), parts.next()) {
        (Some(pointer), Some(input)) => (core::str::from_utf8(pointer).unwrap_or_default(), input),
        (Some(input), None) => ("", input),
        (None, _) => return,
    };
    let Some(text) = grammar::text(input) else { return };
    let Ok(view) = RawValue::parse(&text) else { return };
    let whole: &Json = serde_json::from_slice(&text).expect("what we read, serde_json reads");
    let value = serde_json::from_slice(&text).ok().filter(|_| is_without_repeats(whole));
    let document = Document { text: &text, view, whole, value };
    document.is_seen_as(view, whole, Some(String::new()));
    document.points_at_the_same(pointer);
    for step in STEPS {
        document.points_at_the_same(&format!("{pointer}/{step}"));
        document.points_at_the_same(&format!("/{step}/{step}"));
    }
});

struct Document<'a> {
    text: &'a [u8],
    view: RawValue<'a>,
    whole: &'a Json,
    /// Where no member has the name of another.
    value: Option<Value>,
}

impl Document<'_> {
    /// Checks all results of `view` for a value and its parts. `pointer` points at it, unless an earlier member
    /// with the same name is in the way.
    fn is_seen_as(&self, view: RawValue<'_>, theirs: &Json, pointer: Option<String>) {
        let text = theirs.get();
        assert_eq!(view.as_json(), text);
        assert_eq!(self.text.get(view.offset()..view.offset() + text.len()), Some(text.as_bytes()));
        if let Some(pointer) = &pointer {
            let found = self.view.pointer(pointer).map(|found| (found.offset(), found));
            assert_eq!(found, Some((view.offset(), view)), "{pointer:?}");
        }
        let kind = match text.as_bytes()[0] {
            b'n' => Kind::Null,
            b't' | b'f' => Kind::Bool,
            b'"' => Kind::String,
            b'[' => Kind::Array,
            b'{' => Kind::Object,
            _ => Kind::Number,
        };
        assert_eq!((view.kind(), view.is_null()), (kind, kind == Kind::Null));
        assert_eq!(view.as_bool(), serde_json::from_str(text).ok());
        is_the_same_number(view, text);
        match (view.as_str_raw(), serde_json::from_str::<String>(text)) {
            (Some(raw), Ok(known)) => is_the_same_string(raw, &known),
            (None, Err(_)) => assert_eq!(view.as_str(), None),
            (raw, known) => panic!("{raw:?}, not {known:?}"),
        }

        let elements: Vec<&Json> = serde_json::from_str(text).unwrap_or_default();
        let mut views = view.elements();
        for (index, element) in elements.iter().enumerate() {
            let seen = views.next().expect("an element");
            assert_eq!(view.element(index).map(RawValue::offset), Some(seen.offset()));
            self.is_seen_as(seen, element, pointer.as_ref().map(|pointer| format!("{pointer}/{index}")));
        }
        assert!(views.next().is_none() && views.next().is_none());
        assert!(view.element(elements.len()).is_none() && view.element(usize::MAX).is_none());

        let members = Members::of(text.as_bytes()).map(|members| members.0).unwrap_or_default();
        let mut views = view.members();
        for (index, (name, member)) in members.iter().enumerate() {
            let (seen_name, seen) = views.next().expect("a member");
            is_the_same_string(seen_name, name);
            let is_first = !members[..index].iter().any(|(before, _)| before == name);
            assert_eq!(view.get(name).map(|first| first.offset()) == Some(seen.offset()), is_first, "{name:?}");
            let token = name.replace('~', "~0").replace('/', "~1");
            let pointer = pointer.as_ref().filter(|_| is_first).map(|pointer| format!("{pointer}/{token}"));
            self.is_seen_as(seen, member, pointer);
        }
        assert!(views.next().is_none() && views.next().is_none());
        assert!(view.get("no such name").is_none());
    }

    /// RFC 6901 over serde_json's values; serde_json's own pointers, too, where its maps have lost no member.
    fn points_at_the_same(&self, pointer: &str) {
        let found = self.view.pointer(pointer);
        assert_eq!(found.map(RawValue::as_json), pointed_at(self.whole, pointer).map(Json::get), "{pointer:?}");
        // serde_json accepts a lone tilde
        if let Some(value) = self.value.as_ref().filter(|_| found.is_some() || !pointer.contains('~')) {
            let ours = found.map(|found| serde_json::from_str::<Value>(found.as_json()).expect("a value"));
            assert_eq!(ours.as_ref(), value.pointer(pointer), "{pointer:?}");
        }
    }
}

fn pointed_at<'a>(whole: &'a Json, pointer: &str) -> Option<&'a Json> {
    if pointer.is_empty() {
        return Some(whole);
    }
    let mut value = whole;
    for token in pointer.strip_prefix('/')?.split('/') {
        let members = Members::of(value.get().as_bytes());
        let elements = serde_json::from_str::<Vec<&Json>>(value.get());
        value = match (members, elements) {
            (Some(members), _) => {
                let is_pointer = token.split('~').skip(1).all(|behind| behind.starts_with(['0', '1']));
                let name = token.replace("~1", "/").replace("~0", "~");
                members.0.iter().find(|(known, _)| is_pointer && *known == name)?.1
            }
            (None, Ok(elements)) => {
                let is_index = token == "0" || token.starts_with(|first: char| matches!(first, '1'..='9'));
                elements.get(token.parse::<usize>().ok().filter(|_| is_index)?)?
            }
            (None, Err(_)) => return None,
        };
    }
    Some(value)
}

fn is_without_repeats(value: &Json) -> bool {
    let members = Members::of(value.get().as_bytes()).map(|members| members.0).unwrap_or_default();
    let elements: Vec<&Json> = serde_json::from_str(value.get()).unwrap_or_default();
    let repeats = |index: usize| members[..index].iter().any(|(before, _)| *before == members[index].0);
    !(0..members.len()).any(repeats)
        && members.iter().all(|(_, member)| is_without_repeats(member))
        && elements.into_iter().all(is_without_repeats)
}

fn is_the_same_number(view: RawValue<'_>, text: &str) {
    // serde_json gives an integer to a visitor of integers, and a float to others
    let integers = if text == "-0" { "" } else { text };
    macro_rules! same {
        ($($type:ty)*) => {$(
            let known: Option<$type> = serde_json::from_str(integers).ok();
            let is_integer = view.kind() == Kind::Number && !text.contains(['.', 'e', 'E']) && text != "-0";
            let why = if is_integer { ErrorKind::InvalidValue } else { ErrorKind::UnexpectedType };
            assert_eq!(view.to_integer::<$type>().map_err(Error::kind), known.ok_or(why), "{text}");
        )*};
    }
    same!(i64 u64 i32 u32 i16 u16 i8 u8);
    assert_eq!(view.as_i64(), serde_json::from_str(integers).ok(), "{text}");
    assert_eq!(view.as_u64(), serde_json::from_str(integers).ok(), "{text}");
    let known: Option<f64> = if view.kind() == Kind::Number { serde_json::from_str(text).ok() } else { None };
    assert_eq!(view.as_f64().map(f64::to_bits), known.map(f64::to_bits), "{text}");
}

fn is_the_same_string(raw: RawStr<'_>, known: &str) {
    assert!(raw == *known && raw.chars().eq(known.chars()) && raw.to_string() == known, "{known:?}");
    assert_eq!((raw.is_escaped(), raw.is_empty()), (raw.as_bytes().contains(&b'\\'), known.is_empty()));
    assert_eq!(raw.as_str(), Some(known).filter(|_| !raw.is_escaped()));
    let (least, most) = raw.chars().size_hint();
    assert!((least..=most.expect("a bound")).contains(&known.chars().count()));
    // a longer or shorter text differs
    let mut other = known.to_string();
    other.push('a');
    assert!(raw != *other.as_str());
    if other.pop().and(other.pop()).is_some() {
        assert!(raw != *other.as_str());
    }

    let mut room = vec![0; known.len()];
    assert_eq!(raw.decode(&mut room), Ok(known));
    if let Some((_, less)) = room.split_first_mut() {
        let full = raw.decode(less).map_err(|error| (error.kind(), error.offset()));
        assert_eq!(full, Err((ErrorKind::OutputFull, known.len() - 1)));
    }
    assert_eq!(raw.to_heapless::<8>().as_deref(), Some(known).filter(|known| known.len() <= 8));
}
