//! Objects that are read in windows or in one look, and those that are not.

use super::super::{flat, usual};
use super::std::format;
use super::{NAMES, PLACES, assert_twins_agree, assert_walks_agree, usual_objects};

#[test]
fn usual_objects_are_read_alike_wherever_a_window_ends() {
    // what stands behind an object that is read in windows
    let rest = "1,".repeat(100);
    for padding in (0..140).step_by(PLACES) {
        let padding = "x".repeat(padding);
        let objects = usual_objects(&padding);
        assert_twins_agree(format!("[{},{rest}{}]", objects.join(","), objects.join(",")).as_bytes());
        for object in &objects {
            assert_walks_agree(object.as_bytes());
            let behind = usual::members(object.as_bytes(), &NAMES).map(|(_, behind)| behind.len());
            assert_eq!(behind, Some(0), "{object}");
            // sixty-four bytes behind those that all begin with
            let elements = format!("{object},{rest}");
            let is_flat = object.len() <= 80;
            let len = if is_flat { object.len() + 1 } else { 0 };
            assert_eq!(flat::elements(elements.as_bytes(), &NAMES), len, "{object}");
        }
    }
}

#[test]
fn what_is_not_usual_is_for_others() {
    let rest = ",1".repeat(100);
    for (object, is_flat) in [
        (r#"{"id":1,"jsonrpc":"2.0"}"#, false),
        (r#"{"jsonrpc":"2.0" ,"id":1}"#, false),
        (r#"{"jsonrpc":"2.0","id": 1}"#, false),
        (r#"{"jsonrpc":"2.0","id" :1}"#, false),
        (r#"{"jsonrpc":"2.0","id":1 }"#, false),
        (r#"{"jsonrpc":"2.0","method":"\u0061"}"#, false),
        // who validates looks at no name
        (r#"{"jsonrpc":"2.0","ids":1}"#, true),
        (r#"{"jsonrpc":"2.0","params1":1}"#, true),
        (r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":1}"#, true),
    ] {
        assert!(usual::members(object.as_bytes(), &NAMES).is_none(), "{object}");
        let len = if is_flat { object.len() + 1 } else { 0 };
        assert_eq!(flat::elements(format!("{object}{rest}").as_bytes(), &NAMES), len, "{object}");
    }
    for twice in [r#"{"jsonrpc":"2.0","id":1,"id":2}"#, r#"{"jsonrpc":"2.0","jsonrpc":"2.0"}"#] {
        assert!(usual::members(twice.as_bytes(), &NAMES).is_none(), "{twice}");
    }
    // wrong, or valid, but for the whole pass
    for wrong in [
        "01",
        "-",
        "--1",
        "1-",
        "-01",
        "1.e5",
        "1e",
        "1.",
        ".5",
        "+1",
        "tru",
        "[1,]",
        "[1 ]",
        "[,]",
        "{\"a\"}",
        "{\"a\":}",
        "{1:2}",
        "[1}",
        "{\"a\":1,}",
        "\"\t\"",
        "\"é\"",
        "[[]]",
        "[1],\"result\":[2]",
        "truefalse",
        "1\"a\"",
        "{]",
        "]",
    ] {
        let object = format!(r#"{{"jsonrpc":"2.0","params":{wrong}}}{rest}"#);
        assert_eq!(flat::elements(object.as_bytes(), &NAMES), 0, "{object}");
    }
}
