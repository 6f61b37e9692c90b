//! Written values: escaped as by `serde_json`, exact at the extremes, whole or nothing at every length of the buffer.

use crate::written_by::written_by;
use nanojsonrpc::{
    Error, ErrorKind, ErrorObject, Id, Message, Notification, RawValue, Request, Response, Writer, message::BatchWriter,
};

/// Writes into a buffer of every length: the whole message, or an error and no byte beyond the buffer.
fn whole_or_nothing(write: &dyn Fn(&mut [u8]) -> Result<usize, Error>) -> String {
    let mut whole = [0xAA; 512];
    let len = write(&mut whole).expect("room enough");
    let text = str::from_utf8(&whole[..len]).expect("text");
    assert!(Message::parse(text.as_bytes()).is_ok(), "{text}");
    assert!(whole[len..].iter().all(|byte| *byte == 0xAA), "written beyond its end: {text}");
    for room in 0..len + 8 {
        let mut buffer = [0xAA; 512];
        let result = write(&mut buffer[..room]);
        assert!(buffer[room..].iter().all(|byte| *byte == 0xAA), "{room} bytes: {text}");
        if room < len {
            let error = result.expect_err("no room");
            assert_eq!((error.kind(), error.offset()), (ErrorKind::OutputFull, room), "{text}");
        } else {
            assert_eq!((result, &buffer[..len]), (Ok(len), &whole[..len]), "{room} bytes");
        }
    }
    text.to_string()
}

#[test]
fn every_message_is_written_whole_or_not_at_all() {
    let string_id = || Id::<64>::try_from("id \"1\"\n").expect("to fit");
    let object = || {
        written_by(|out| {
            out.object(|members| {
                members.member("a", &[1, -2]);
                members.member("\"", &None::<bool>);
                members.member("c", &(true, "\u{1}"));
            })
        })
    };
    let params = r#"{"a":[1,-2],"\"":null,"c":[true,"\u0001"]}"#;
    assert_eq!(
        whole_or_nothing(&|out| Request::new(string_id(), "m\u{e9}").with_params(&object()).write(out)),
        format!(r#"{{"jsonrpc":"2.0","method":"mé","params":{params},"id":"id \"1\"\n"}}"#)
    );
    assert_eq!(
        whole_or_nothing(&|out| Notification::new("m").with_params(&[1_u64, u64::MAX]).write(out)),
        r#"{"jsonrpc":"2.0","method":"m","params":[1,18446744073709551615]}"#
    );
    assert_eq!(
        whole_or_nothing(&|out| Response::success(-1, &object()).write(out)),
        format!(r#"{{"jsonrpc":"2.0","result":{params},"id":-1}}"#)
    );
    assert_eq!(
        whole_or_nothing(&|out| Response::error(Id::Null, ErrorObject::new(-1, "\t").with_data(object())).write(out)),
        format!(r#"{{"jsonrpc":"2.0","error":{{"code":-1,"message":"\t","data":{params}}},"id":null}}"#)
    );
    let batch = br#" [{"jsonrpc":"2.0","method":"m"} , 1]"#;
    let read = Message::parse(batch).expect("a batch");
    assert_eq!(whole_or_nothing(&|out| read.write(out)), r#"[{"jsonrpc":"2.0","method":"m"} , 1]"#);
    let rejection = Message::parse(br#"{"jsonrpc":"2.0","id":1.50}"#).expect_err("no method");
    let answer = rejection.answer().expect("an answer");
    assert_eq!(
        whole_or_nothing(&|out| answer.write(out)),
        r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":1.50}"#
    );
}

#[test]
fn an_empty_method_is_not_written() {
    let mut out = [0; 64];
    assert_eq!(Request::new(1, "").write(&mut out).map_err(|error| error.kind()), Err(ErrorKind::InvalidMethod));
    assert_eq!(Notification::new("").write(&mut out).map_err(|error| error.kind()), Err(ErrorKind::InvalidMethod));
}

#[test]
fn every_character_is_escaped_as_serde_json_does() {
    let mut buffer = [0; 16];
    for c in ('\0'..=char::MAX).step_by(if cfg!(miri) { 9_973 } else { 1 }) {
        let text = c.encode_utf8(&mut [0; 4]).to_string();
        let mut out = Writer::new(&mut buffer);
        out.value(text.as_str()).expect("room enough");
        let expected = if (c as u32) < 0x3000 || (c as u32).is_multiple_of(97) {
            serde_json::to_string(&text).expect("a string")
        } else {
            format!("\"{c}\"")
        };
        assert_eq!(out.written(), expected.as_bytes(), "{c:?}");
    }
}

#[test]
fn an_escape_at_every_place_of_a_long_string_is_written() {
    for len in (0..40).step_by(if cfg!(miri) { 13 } else { 1 }) {
        for special in ["\"", "\\", "\n", "\u{0}", "\u{1f}", "\u{7f}", "é", "😀", ""] {
            for place in 0..=len {
                let text = format!("{}{special}{}", "a".repeat(place), "b".repeat(len - place));
                let mut buffer = [0; 64];
                let mut out = Writer::new(&mut buffer);
                out.value(text.as_str()).expect("room enough");
                assert_eq!(out.written(), serde_json::to_string(&text).expect("a string").as_bytes());
            }
        }
    }
}

#[test]
fn integers_are_exact_at_their_extremes() {
    macro_rules! exact {
        ($($type:ty)*) => {$(
            for number in [<$type>::MIN, <$type>::MIN + 1, 0, 1, 9, 10, 99, 100, <$type>::MAX / 10, <$type>::MAX - 1, <$type>::MAX] {
                let mut buffer = [0; 24];
                let mut out = Writer::new(&mut buffer);
                out.value(&number).expect("room enough");
                assert_eq!(out.written(), number.to_string().as_bytes());
                let read = RawValue::parse(out.written()).expect("a number");
                assert_eq!(read.as_i64(), i64::try_from(number).ok());
                assert_eq!(read.as_u64(), u64::try_from(number).ok());
            }
        )*};
    }
    exact!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
}

#[test]
fn a_value_that_does_not_fit_leaves_what_was_there() {
    let text = r#"[1,"a\nb",[true]]"#;
    for room in 0..30 {
        let mut buffer = [0xAA; 30];
        let mut out = Writer::new(&mut buffer[..room]);
        assert_eq!((out.len(), out.is_empty()), (0, true));
        let first = out.value("abc").is_ok();
        assert_eq!(first, room >= 5);
        let before = out.len();
        let second = out.value(&(1, "a\nb", [true])).is_ok();
        assert_eq!(second, room - before >= text.len(), "{room} bytes");
        let expected = [if first { "\"abc\"" } else { "" }, if second { text } else { "" }].concat();
        assert_eq!(out.written(), expected.as_bytes(), "{room} bytes");
        assert_eq!(out.into_written(), expected.as_bytes());
    }
}

#[test]
fn a_member_or_element_that_does_not_fit_takes_the_whole_value_with_it() {
    for room in 0..80 {
        let mut buffer = [0; 80];
        let mut out = Writer::new(&mut buffer[..room]);
        let object = written_by(|out| {
            out.object(|members| {
                members.member("long", &"x".repeat(30)[..]);
                members.member("b", &2);
            })
        });
        let text = format!(r#"{{"long":"{}","b":2}}"#, "x".repeat(30));
        assert_eq!(out.value(&object).is_ok(), room >= text.len(), "{room} bytes");
        assert_eq!(out.written(), if room < text.len() { b"" } else { text.as_bytes() }, "{room} bytes");
        let mut out = Writer::new(&mut buffer[..room]);
        let array = written_by(|out| {
            out.array(|elements| {
                elements.element(&"x".repeat(30)[..]);
                elements.element(&2);
            })
        });
        let text = format!(r#"["{}",2]"#, "x".repeat(30));
        assert_eq!(out.value(&array).is_ok(), room >= text.len(), "{room} bytes");
        assert_eq!(out.written(), if room < text.len() { b"" } else { text.as_bytes() }, "{room} bytes");
    }
}

#[test]
fn a_batch_of_answers_is_whole_at_every_length_and_drops_only_what_does_not_fit() {
    let answers = [
        Response::success(Id::Number(1), "a long result that may not fit"),
        Response::success(Id::Number(2), ""),
        Response::success(Id::Number(3), "\n"),
    ];
    let one: Vec<String> = answers
        .iter()
        .map(|answer| {
            let mut out = [0; 128];
            let len = answer.write(&mut out).expect("room enough");
            String::from_utf8(out[..len].to_vec()).expect("text")
        })
        .collect();
    let whole = one.iter().map(String::len).sum::<usize>() + 4;
    for room in 0..whole + 4 {
        let mut buffer = vec![0; room];
        let mut batch = BatchWriter::new(&mut buffer);
        let mut kept: Vec<&str> = Vec::new();
        for (answer, text) in answers.iter().zip(&one) {
            // brackets and commas count
            let fits = kept.iter().map(|text| text.len() + 1).sum::<usize>() + 1 + text.len() < room;
            assert_eq!(batch.push(answer).is_ok(), fits, "{room} bytes: {text}");
            if fits {
                kept.push(text);
            }
            assert_eq!(batch.is_empty(), kept.is_empty());
        }
        let expected = if kept.is_empty() { String::new() } else { format!("[{}]", kept.join(",")) };
        assert_eq!(batch.finish(), expected.as_bytes(), "{room} bytes");
    }
}

#[test]
fn a_batch_without_answers_is_nothing() {
    for room in 0..4 {
        let mut buffer = vec![0; room];
        assert_eq!(BatchWriter::new(&mut buffer).finish(), b"");
    }
}
