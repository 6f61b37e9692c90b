//! The verdicts of this crate on values with limits, for a comparison with another validator: `tests/interop/mcp/limits.py`.
//!
//! Reads lines. `NAME` is answered by the schema of the type, `NAME VALUE` by `ok`, or by the reason to refuse the value.

use std::collections::BTreeMap;
use std::io::{BufRead as _, Write as _};

use nanojsonrpc::json_schema::{JsonSchema, check, schema_of};
use nanojsonrpc::{Fixed, RawValue, Schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;

macro_rules! limited {
    ($($name:ident: $type:ty, [$($keywords:tt)*];)*) => {$(
        #[derive(Deserialize, Schema, PartialEq)]
        struct $name(#[schema($($keywords)*)] $type);
    )*};
}
limited! {
    Byte: u8, [minimum = 5, maximum = 60, multiple_of = 5];
    Signed: i64, [exclusive_minimum = -30, exclusive_maximum = 7.5, multiple_of = 3];
    Float: f64, [minimum = -0.5, exclusive_maximum = 20, multiple_of = 0.1];
    Whole: f64, [exclusive_minimum = -3, maximum = 20, multiple_of = 2];
    Money: Fixed<i32, 2>, [minimum = -1.25, maximum = 10, multiple_of = 2];
    Word: String, [min_length = 2, max_length = 4];
    Name: String, [pattern = r"^[a-c][a-c0-9_]{1,3}-[0-3]*$"];
    Other: Option<String>, [pattern = "^[^ab]*b.?"];
    Address: String, [format = "ipv4"];
    Address6: String, [format = "ipv6"];
    Id: String, [format = "uuid"];
    List: Vec<Byte>, [min_items = 1, max_items = 3, unique_items];
}

#[derive(Deserialize, Schema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Plan {
    #[schema(maximum = 50)]
    first_step: Byte,
    #[serde(default)]
    steps: Vec<Step>,
    #[schema(minimum = 1)]
    count: Option<u8>,
    limits: BTreeMap<String, Byte>,
    pair: (Byte, Word),
    #[serde(default)]
    #[schema(minimum = 1)]
    defaulted: u8,
}

#[derive(Deserialize, Schema)]
struct Step {
    level: Byte,
    #[serde(flatten)]
    kind: Internal,
}

#[derive(Deserialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Internal {
    OnTime {
        #[schema(maximum = 59)]
        minute: u8,
    },
    Named(Named),
    Never,
}

#[derive(Deserialize, Schema)]
struct Named {
    #[schema(max_length = 2)]
    name: String,
}

#[derive(Deserialize, Schema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    One(Byte),
    Two(Byte, #[schema(maximum = 1)] u8),
    Many { byte: Byte },
}

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Untagged {
    #[schema(maximum = 9)]
    Number(u8),
    #[schema(max_items = 2)]
    List(Vec<bool>),
    Text(Word),
    Object {
        byte: Byte,
    },
}

#[derive(Deserialize, Schema)]
#[schema(max_length = 4)]
enum External {
    One(Byte),
    Many { byte: Byte },
    Near,
    Farther,
}

fn schema<T: JsonSchema>(text: &'static str, value: &str) -> String
where
    T: DeserializeOwned,
{
    if value.is_empty() {
        return text.to_owned();
    }
    let verdict = RawValue::parse(value.as_bytes()).map_err(|error| error.to_string()).and_then(|text| {
        let value: T = text.read().map_err(|error| error.to_string())?;
        check(&value, Some(text)).map_err(|error| error.to_string())
    });
    verdict.err().unwrap_or("ok".into())
}

fn answer(name: &str, value: &str) -> String {
    macro_rules! types {
        ($($type:ident)*) => {
            match name {
                $(stringify!($type) => schema::<$type>(schema_of!($type), value),)*
                _ => "no such type".into(),
            }
        };
    }
    types! {
        Byte Signed Float Whole Money Word Name Other Address Address6 Id List Plan Step Internal Adjacent Untagged External
    }
}

fn main() {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("UTF-8");
        let (name, value) = line.split_once(' ').unwrap_or((&line, ""));
        writeln!(out, "{}", answer(name, value)).expect("an open output");
    }
}
