//! Objects that are read in windows, and those that are not.

use super::super::usual;
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
            // a value and its name fit in a window
            if padding.len() < 16 {
                let elements = format!("{object},{rest}");
                assert_eq!(usual::elements(elements.as_bytes(), &NAMES), object.len() + 1, "{object}");
            }
        }
    }
}

#[test]
fn what_is_not_usual_is_for_others() {
    let rest = ",1".repeat(100);
    for object in [
        r#"{"id":1,"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0" ,"id":1}"#,
        r#"{"jsonrpc":"2.0","id": 1}"#,
        r#"{"jsonrpc":"2.0","id" :1}"#,
        r#"{"jsonrpc":"2.0","id":1 }"#,
        r#"{"jsonrpc":"2.0","ids":1}"#,
        r#"{"jsonrpc":"2.0","params1":1}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":1}"#,
        r#"{"jsonrpc":"2.0","method":"\u0061"}"#,
    ] {
        assert!(usual::members(object.as_bytes(), &NAMES).is_none(), "{object}");
        assert_eq!(usual::elements(format!("{object}{rest}").as_bytes(), &NAMES), 0, "{object}");
    }
    for twice in [r#"{"jsonrpc":"2.0","id":1,"id":2}"#, r#"{"jsonrpc":"2.0","jsonrpc":"2.0"}"#] {
        assert!(usual::members(twice.as_bytes(), &NAMES).is_none(), "{twice}");
    }
    // valid, but these the whole pass reads
    for wrong in [
        "01",
        "1e5",
        "-",
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
        "12345678901",
    ] {
        let object = format!(r#"{{"jsonrpc":"2.0","params":{wrong}}}{rest}"#);
        assert_eq!(usual::elements(object.as_bytes(), &NAMES), 0, "{object}");
    }
}
