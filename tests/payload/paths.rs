//! Where a payload does not fit, as a path of names and indices.
#![cfg(feature = "serde")]

use nanojsonrpc::{RawValue, Request};

#[derive(serde::Deserialize, Debug)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "read only")]
struct Reading {
    values: heapless::Vec<i32, 8>,
    #[serde(default, rename = "a \"b\"")]
    odd: Option<(u8, bool)>,
}

#[test]
fn a_payload_error_has_the_path_of_the_value() {
    for (params, path) in [
        (r#"{"values":[1,2,3,"4"]}"#, ".values[3]"),
        (r#"{ "values" : [ 1, 2, [ ] , "4" ] }"#, ".values[2]"),
        (r#"{"values":7}"#, ".values"),
        (r#"{"values":[],"a \"b\"":[1,2]}"#, r#"["a \"b\""][1]"#),
        (r#"{"values":[],"other":[1,2]}"#, ".other"),
        (r#"{"a \"b\"":null}"#, ""),
        (r#"[[1,"2"]]"#, "[0][1]"),
        ("[7]", "[0]"),
    ] {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"m","id":1,"params":{params}}}"#);
        let request = Request::parse(text.as_bytes()).unwrap();
        let problem = request.params::<Reading>().unwrap_err();
        let raw = request.params.unwrap();
        assert_eq!(raw.path_to(problem.offset()).to_string(), path, "{params}: {problem}");
    }
}

#[test]
fn an_offset_outside_of_the_value_has_no_path() {
    let text = br#" {"a":[1,{"b":2}]} "#;
    let value = RawValue::parse(text).unwrap();
    let inner = value.get("a").unwrap();
    let path = |value: RawValue<'_>, offset| value.path_to(offset).to_string();
    assert_eq!((path(value, 0), path(value, 18), path(value, usize::MAX)), Default::default());
    assert_eq!(path(inner, 0), "");
    assert_eq!(path(inner, 14), "[1].b");
    assert_eq!(path(value, 14), ".a[1].b");
    // in an object, the bytes before a value belong to it
    let text = br#"{ "a" :1 , "b" : [ 2 , 3 ] } "#;
    let pair = RawValue::parse(text).unwrap();
    let paths: Vec<_> = (0..text.len()).map(|offset| path(pair, offset)).collect();
    for (path, offsets) in
        [("", 0..1), (".a", 1..8), (".b", 8..19), (".b[0]", 19..20), (".b", 20..23), (".b[1]", 23..24)]
    {
        assert!(paths[offsets.clone()].iter().all(|found| found == path), "{offsets:?}: {paths:?}");
    }
    assert_eq!((&paths[25][..], &paths[26..]), (".b", &[const { String::new() }; 3][..]));
    let text = br#" {"a":[1,{"b":2}]} "#;
    // for every byte: the path leads to the value that contains the byte, or whose name does
    for offset in 0..text.len() {
        assert!(["", ".a", ".a[0]", ".a[1]", ".a[1].b"].contains(&path(value, offset).as_str()), "{offset}");
    }
}
