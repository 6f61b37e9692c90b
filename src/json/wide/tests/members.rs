//! Members that nobody asks for, or asks for no more, and names that are escaped.

use super::super::cursor::AHEAD;
use super::super::object::escaped_name;
use super::std::format;
use super::{NAMES, Noted, TEXTS, assert_twins_agree, assert_walks_agree, scan};
use crate::json::names::Place;

/// What a name may be: of one of the names, nearly, in any spelling, and wrong.
const SPELLINGS: [&str; 26] = [
    r#""id""#,
    r#""i\u0064""#,
    r#""\u0069\u0064""#,
    r#""error""#,
    r#""\u0065rror""#,
    r#""result""#,
    r#""res\u0075lt""#,
    r#""jsonrpc""#,
    r#""\u006a\u0073\u006F\u006E\u0072\u0070\u0063""#,
    r#""jsonrpc\u0022""#,
    r#""id\u0022""#,
    r#""id\u0000""#,
    r#""a""#,
    r#""""#,
    r#""exactly fifteen""#,
    r#""more than fifteen letters""#,
    r#""seven\u0041s""#,
    r#""\n""#,
    r#""é""#,
    r#""日本語\ud83d\ude00""#,
    r#""i\u006""#,
    r#""i\u00g4""#,
    r#""i\x0064""#,
    "\"i\td\"",
    r#""id"#,
    r#"id""#,
];

/// What stands between a name and its value, a value, and what may be behind it.
const BEHIND: [[&str; 3]; 12] = [
    [":", "1", ","],
    [": ", "\"x\"", ","],
    [" :  ", "null", " , "],
    [":\n", "[]", ",\n"],
    [":", "{}", ","],
    [":", "{\"id\":[1,{}]}", ","],
    [":", "123456789.5e3", ","],
    [":", "\"more than fifteen letters\\n\"", ","],
    [":", "{\"code\":1,\"c\\u006fde\":2,\"x\":3}", ","],
    ["", "1", ","],
    [":", "01", ","],
    [":", "1", " "],
];

#[test]
fn any_two_members_are_noted_alike_however_they_are_spelt() {
    for first in SPELLINGS.into_iter().step_by(TEXTS) {
        for second in SPELLINGS.into_iter().step_by(TEXTS) {
            for [colon, value, comma] in BEHIND.into_iter().step_by(TEXTS) {
                for front in ["{", "{\"jsonrpc\":\"2.0\",", "{ \"error\":{"] {
                    let text = format!("{front}{first}{colon}{value}{comma}{second}{colon}{value}{comma}{first}:1}}");
                    for text in [&*text, &format!("{text}}}")] {
                        assert_twins_agree(text.as_bytes());
                        if scan::scan(text.as_bytes(), &NAMES, &mut Noted::new(text.as_bytes())).is_ok() {
                            assert_walks_agree(text.as_bytes());
                        }
                    }
                }
            }
        }
    }
}

/// Names of all lengths, escaped and not, before values of all lengths.
#[test]
fn any_value_is_read_behind_a_name_however_long() {
    let values = [
        "1",
        "-12",
        "1234567",
        "12345678",
        "-1.25",
        "1e5",
        "123e-5",
        "1234e5",
        "12345E+5",
        "123456e5",
        "1234567e5",
        "-1.25e5",
        "12.5e",
        "01",
        "false",
        "null",
        "tru",
        "\"\"",
        "\"seven ch\"",
        "\"seventeen letters\"",
        "\"\\n\"",
        "[]",
        "{\"a\":1}",
        "[1e5]",
        "",
    ];
    for front in ["{", "{\"jsonrpc\":\"2.0\",", "{\"error\":{"] {
        for (escapes, letters) in (0..6)
            .flat_map(|escapes| (0..20).map(move |letters| (escapes, letters)))
            .step_by(if cfg!(miri) { 31 } else { 1 })
        {
            let name = ["\\u0061".repeat(escapes), "b".repeat(letters)].concat();
            for value in values.into_iter().step_by(TEXTS) {
                for [colon, end] in [[":", "}}"], [": ", ",\"id\":1}}"], [" :\n", " }"]] {
                    assert_twins_agree(format!("{front}\"{name}\"{colon}{value}{end}").as_bytes());
                }
            }
        }
    }
}

#[test]
fn a_name_is_spelt_with_escapes_or_without() {
    let other = Place::OUTERMOST.inside(true);
    let id = Some(Place::OUTERMOST.member(b'i'));
    for (member, told) in [
        (r#""id":1"#, Some((id, 5))),
        (r#""i\u0064":1"#, Some((id, 10))),
        (r#""\u0069\u0064": 1"#, Some((id, 16))),
        (r#""i\u0064" :1"#, None),
        (r#""i\u0065":1"#, Some((None, 10))),
        (r#""":1"#, Some((None, 3))),
        (r#""seven s":1"#, Some((None, 10))),
        (r#""eight ss":1"#, None),
        (r#""seven\u0020s":1"#, Some((None, 15))),
        (r#""eight\u0020ss":1"#, None),
        (r#""\u0069\u0064\u0064\u0064":1"#, Some((None, 27))),
        (r#""\u0069\u0064\u0064\u0064\u0064":1"#, None),
        (r#""i\u0022":1"#, None),
        (r#""i\u0080":1"#, None),
        (r#""i\u006g":1"#, None),
        (r#""i\u0164":1"#, None),
        (r#""i\n":1"#, None),
        (r#""é":1"#, None),
        ("\"\t\":1", None),
    ] {
        let mut ahead = [0; AHEAD];
        ahead[..member.len()].copy_from_slice(member.as_bytes());
        assert_eq!(
            escaped_name(&ahead, other, &NAMES).map(|(place, at)| (place.map(Place::slot), at)),
            told.map(|(place, at): (Option<Place>, usize)| (place.map(Place::slot), at)),
            "{member}"
        );
    }
}
