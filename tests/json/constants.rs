//! Constants that are JSON, and schemas: the compiler and the pass have one opinion.

use nanojsonrpc::{MAX_DEPTH, RawValue};

/// Asserts that a constant and the pass read the same value.
fn agree(text: &str) -> bool {
    let parsed = RawValue::parse(text.as_bytes()).ok();
    assert_eq!(RawValue::constant(text), parsed, "{text:?}");
    parsed.is_some()
}

#[test]
fn a_constant_is_json_if_the_pass_says_so() {
    let seeds = [
        r#" {"a" : [1, -0.5e+3 ,true,false , null,"b\n\u00e9\ud83d\ude00\/" ] , "":{} , "c":[ ]} "#,
        r#"[0,-0,10,1.25,1E9,1e-9,-1.0e+0,"é😀"]"#,
        r#""\ud83d\ude00""#,
        "true",
        "null",
        "-1",
        "[[[]]]",
        r#"{"a":{"b":{}}}"#,
    ];
    let mut valid = 0;
    for seed in seeds {
        assert!(agree(seed));
        for at in 0..=seed.len() {
            let (Some(before), Some(after)) = (seed.get(..at), seed.get(at..)) else { continue };
            agree(before);
            agree(after);
            let rest: String = after.chars().skip(1).collect();
            valid += usize::from(agree(&format!("{before}{rest}")));
            for byte in (0..0x80).map(char::from).chain(['é', '\u{feff}']) {
                valid += usize::from(agree(&format!("{before}{byte}{rest}")));
                valid += usize::from(agree(&format!("{before}{byte}{after}")));
            }
        }
    }
    assert!(valid > 4_000, "{valid}");
}

#[test]
fn nothing_stands_behind_a_constant() {
    for text in
        ["1,2", "1,\"a\":2", "{},\"a\":2", "1:2", "1]", "1}", "1}{", "[]]", "1 2", "1.", "1.e", "[1e]", "[1.,2]"]
    {
        assert!(!agree(text), "{text}");
    }
}

#[test]
fn surrogates_are_pairs_in_a_constant_too() {
    let units =
        ["\\u0041", "\\ud800", "\\udbff", "\\udc00", "\\uDFFF", "\\ue000", "\\uD83d", "\\u12g4", "\\", "\\ud8", ""];
    for one in units {
        for other in units {
            agree(&format!("\"{one}{other}\""));
        }
    }
}

#[test]
fn a_constant_nests_as_deep_as_a_message() {
    for depth in [MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, MAX_DEPTH + 2, 1000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let inside = if open == "[" { "" } else { "1" };
            let text = format!("{}{inside}{}", open.repeat(depth), close.repeat(depth));
            assert_eq!(agree(&text), depth <= MAX_DEPTH, "{depth}");
        }
    }
}

#[test]
fn the_test_suite_has_the_same_verdict_for_constants() {
    let Some(folder) = crate::common::corpora() else { return };
    let mut texts = 0;
    for entry in std::fs::read_dir(folder.join("JSONTestSuite")).expect("the corpus") {
        let bytes = std::fs::read(entry.expect("a file").path()).expect("a text");
        if let Ok(text) = std::str::from_utf8(&bytes) {
            agree(text);
            texts += 1;
        }
    }
    assert!(texts > 250, "{texts}");
}

#[cfg(feature = "mcp")]
mod schema {
    use nanojsonrpc::ErrorKind;
    use nanojsonrpc::mcp::{Schema, schema};

    const SPACED: Schema<'_> = schema!(" { \"a\" : { \"type\" : \"string\" } , \"type\" : \"object\" } ");

    #[test]
    fn a_schema_is_an_object_for_objects() {
        assert_eq!(SPACED.raw().as_json(), "{ \"a\" : { \"type\" : \"string\" } , \"type\" : \"object\" }");
        for (text, verdict) in [
            (r#"{"type":"object"}"#, Ok(())),
            (r#"{"properties":{"type":{"type":"string"}},"type":"object"}"#, Ok(())),
            (r#"{}"#, Err((ErrorKind::MissingField, 0))),
            (r#"{"Type":"object"}"#, Err((ErrorKind::MissingField, 0))),
            (r#"{"a":{"type":"object"}}"#, Err((ErrorKind::MissingField, 0))),
            (r#"{"a":"type","b":"object"}"#, Err((ErrorKind::MissingField, 0))),
            (r#"{"type":"string"}"#, Err((ErrorKind::InvalidValue, 8))),
            (r#"{"type":"objects"}"#, Err((ErrorKind::InvalidValue, 8))),
            (r#"{"type":"object "}"#, Err((ErrorKind::InvalidValue, 8))),
            (r#"{"type":["object"]}"#, Err((ErrorKind::InvalidValue, 8))),
            (r#"{"type":{"a":"object"}}"#, Err((ErrorKind::InvalidValue, 8))),
            (r#"["type","object"]"#, Err((ErrorKind::UnexpectedType, 0))),
            (r#""object""#, Err((ErrorKind::UnexpectedType, 0))),
            ("true", Err((ErrorKind::UnexpectedType, 0))),
            (r#"{"type":"object",}"#, Err((ErrorKind::ExpectedName, 17))),
            ("", Err((ErrorKind::UnexpectedEnd, 0))),
        ] {
            let parsed = Schema::parse(text).map(|_| ()).map_err(|error| (error.kind(), error.offset()));
            assert_eq!(parsed, verdict, "{text}");
            assert_eq!(Schema::constant(text).is_some(), verdict.is_ok(), "{text}");
        }
    }

    #[test]
    fn a_name_with_an_escape_before_type_is_no_constant_schema() {
        for (text, is_constant) in [
            (r#"{"\u0074ype":"array","type":"object"}"#, false),
            (r#"{"\u0074ype":"object"}"#, false),
            (r#"{"type":"\u006fbject"}"#, false),
            (r#"{"a\"":1,"type":"object"}"#, false),
            (r#"{"a":"\n","b":{"\n":"\n"},"type":"object","\n":1}"#, true),
        ] {
            assert_eq!(Schema::constant(text).is_some(), is_constant, "{text}");
        }
    }
}

#[cfg(feature = "mcp")]
#[test]
fn a_schema_of_a_tool_has_its_own_type() {
    use nanojsonrpc::mcp::Schema;

    for (text, is_schema) in [
        (r#"{"type":"object"}"#, true),
        (r#"{"properties":{"type":"object"},"type" : "object"}"#, true),
        (r#"{"type":"string"}"#, false),
        (r#"{"properties":{"type":"object"}}"#, false),
        ("{}", false),
        ("[]", false),
    ] {
        assert_eq!(Schema::constant(text).is_some(), is_schema, "{text}");
    }
}
