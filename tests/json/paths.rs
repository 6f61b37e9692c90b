//! Where a payload does not fit, as a path of names and indices.
#![cfg(feature = "serde")]

use core::fmt::{self, Write as _};

use nanojsonrpc::{ErrorCode, RawValue, Request, Response, Router, Server};

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
        (r#"{"values":[],"":1}"#, r#"[""]"#),
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

#[cfg(target_pointer_width = "64")]
/// The answer of a server whose method `m` takes a [`Reading`].
fn answered(params: &str, output: &mut [u8]) -> String {
    let mut server = Server::new(Router::new().request("m", |_: &mut (), _: Reading| Ok(())));
    let text = format!(r#"{{"jsonrpc":"2.0","method":"m","id":1,"params":{params}}}"#);
    String::from_utf8(server.process(&mut (), text.as_bytes(), output).answer().unwrap().to_vec()).unwrap()
}

#[cfg(target_pointer_width = "64")]
#[test]
fn the_answer_of_a_server_has_the_path() {
    for (params, path) in [
        (r#"{"values":[1,2,3,"4"]}"#, r#"unexpected type at byte 63, expected i32, in params.values[3]"#),
        (r#"{"values":7}"#, r#"unexpected type at byte 56, expected an array, in params.values"#),
        (
            r#"{"values":[],"a \"b\"":[1,2]}"#,
            r#"unexpected type at byte 72, expected a boolean, in params[\"a \\\"b\\\"\"][1]"#,
        ),
        (r#"{"a \"b\"":null}"#, "missing member at byte 46, expected values"),
        ("[7]", "unexpected type at byte 47, expected an array, in params[0]"),
    ] {
        let mut output = [0; 256];
        let answer = answered(params, &mut output);
        let expected =
            format!(r#"{{"jsonrpc":"2.0","error":{{"code":-32602,"message":"Invalid params: {path}"}},"id":1}}"#);
        assert_eq!(answer, expected, "{params}");
        // the longest message that fits, and always the same code
        let mut lens = (77..=expected.len()).map(|len| answered(params, &mut vec![0; len]).len()).collect::<Vec<_>>();
        assert!(lens.is_sorted() && lens.last() == Some(&expected.len()), "{lens:?}");
        lens.dedup();
        assert!(lens.len() <= 3, "{lens:?}");
        assert!((77..=expected.len()).all(|len| answered(params, &mut vec![0; len]).contains("-32602")));
    }
}

#[test]
fn a_path_is_a_part_of_a_message() {
    let text = br#"{"a\n":[1,{"b":2}]}"#;
    let value = RawValue::parse(text).unwrap();
    for offset in 0..text.len() {
        let path = value.path_to(offset);
        let router =
            Router::new().request_fallible("m", move |_: &mut ()| Err::<(), _>((ErrorCode(1), ("in params", path))));
        let mut output = [0; 128];
        let answer =
            Server::new(router).process(&mut (), br#"{"jsonrpc":"2.0","method":"m","id":1}"#, &mut output).answer();
        let response: Response = Response::parse(answer.unwrap()).unwrap();
        assert_eq!(response.outcome.unwrap_err().message, *format!("in params{path}"));
    }
}

/// A formatter with room for so many bytes.
struct Room(usize);

impl fmt::Write for Room {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}

#[test]
fn the_error_of_a_formatter_is_passed_on() {
    let value = RawValue::parse(br#"{"a":[{"b c":["x\"\n\\"]}]}"#).unwrap();
    let inner = value.pointer("/a/0/b c/0").unwrap();
    let (path, text) = (value.path_to(inner.offset()), inner.as_str_raw().unwrap());
    assert_eq!((path.to_string(), format!("{text:?}")), (r#".a[0]["b c"][0]"#.into(), r#""x\"\n\\""#.into()));
    for room in 0..path.to_string().len() {
        assert!(write!(Room(room), "{path}").is_err(), "{room}");
    }
    for room in 0..format!("{text:?}").len() {
        assert!(write!(Room(room), "{text:?}").is_err(), "{room}");
    }
}
