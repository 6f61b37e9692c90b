//! Differences between serde and the schema, as `json_schema` documents them: texts that only one of the two accepts.
#![allow(dead_code, reason = "types that are only read")]

use std::fmt::Debug;

use nanojsonrpc::RawValue;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Unit;

#[derive(Debug, Deserialize)]
struct Fields<'a> {
    wide: Option<u128>,
    signed: Option<i128>,
    #[serde(borrow)]
    raw: Option<RawValue<'a>>,
    real: Option<f32>,
    unit: Option<Unit>,
    nothing: Option<()>,
}

#[derive(Debug, Deserialize)]
struct Flattened<'a> {
    #[serde(flatten, borrow)]
    fields: Fields<'a>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
enum Tagged<'a> {
    #[serde(borrow)]
    Fields(Fields<'a>),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Untagged<'a> {
    #[serde(borrow)]
    Fields(Fields<'a>),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", content = "content")]
enum Adjacent {
    Unit(Unit),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
enum Ramp {
    Slow,
    Fast,
}

#[derive(Debug, Deserialize)]
struct Within {
    #[serde(flatten)]
    ramp: Ramp,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum WithinUntagged {
    Ramp(Ramp),
    Number(u8),
}

#[derive(Debug, Deserialize)]
struct Speed {
    rpm: u8,
}

#[derive(Debug, Deserialize)]
struct Twice {
    rpm: u8,
    #[serde(flatten)]
    speed: Speed,
}

#[derive(Debug, Deserialize)]
struct TwiceFlattened {
    #[serde(flatten)]
    first: Speed,
    #[serde(flatten)]
    second: Speed,
}

fn is_read<'t, T: Deserialize<'t> + Debug>(text: &'t str) -> bool {
    RawValue::parse(text.as_bytes()).unwrap().read::<T>().is_ok()
}

#[test]
fn buffered_members_are_read_by_other_rules() {
    for (member, is_plainly_read, is_buffered_read) in [
        (r#""wide":1"#, true, false),
        (r#""signed":-1"#, true, false),
        (r#""raw":[1]"#, true, false),
        (r#""real":1e39"#, false, true),
        (r#""unit":{}"#, false, true),
        (r#""unit":[]"#, false, true),
        (r#""nothing":{}"#, false, true),
        (r#""nothing":[]"#, false, false),
        (r#""real":1e400"#, false, false),
    ] {
        let (text, tagged) = (format!("{{{member}}}"), format!(r#"{{"type":"Fields",{member}}}"#));
        assert_eq!(is_read::<Fields<'_>>(&text), is_plainly_read, "{text}");
        assert_eq!(is_read::<Flattened<'_>>(&text), is_buffered_read, "flattened: {text}");
        let is_read_as_unit = is_buffered_read && ['[', '{'].iter().any(|opening| member.contains(*opening));
        assert_eq!(is_read::<Untagged<'_>>(&text), is_buffered_read && !is_read_as_unit, "untagged: {text}");
        assert_eq!(is_read::<Tagged<'_>>(&tagged), is_buffered_read, "{tagged}");
    }
    assert!(is_read::<Adjacent>(r#"{"content":[],"type":"Unit"}"#));
    assert!(!is_read::<Adjacent>(r#"{"type":"Unit","content":[]}"#));
}

#[test]
fn a_buffered_tag_is_also_read_by_its_index() {
    let text = r#"{"type":1}"#;
    assert!(!is_read::<Ramp>(text) && is_read::<Within>(text) && is_read::<WithinUntagged>(text));
}

#[test]
fn a_member_belongs_to_one_struct_only() {
    let text = r#"{"rpm":1}"#;
    assert!(is_read::<Speed>(text) && !is_read::<Twice>(text) && !is_read::<TwiceFlattened>(text));
}
