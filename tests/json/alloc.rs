//! The feature `alloc`: owned strings take any length, and frames grow.
#![cfg(feature = "alloc")]

#[cfg(feature = "serde")]
mod payloads {
    use std::borrow::Cow;
    use std::collections::BTreeMap;

    use nanojsonrpc::{ErrorKind, Notification, PayloadError, RawValue, Request, Router, Server, json::MAX_ESCAPED};
    use serde::Deserialize;

    const LENGTHS: [usize; 5] = [0, MAX_ESCAPED - 2, MAX_ESCAPED - 1, MAX_ESCAPED, 200_000];

    /// A text of `len` characters and an escaped one, as JSON and decoded.
    fn escaped(len: usize) -> (String, String) {
        let rest = "°".repeat(len);
        (format!("\"\\ud83d\\ude00{rest}\""), format!("😀{rest}"))
    }

    fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, PayloadError> {
        RawValue::parse(text.as_bytes()).unwrap().read()
    }

    #[test]
    fn an_owned_text_with_an_escape_has_any_length() {
        for len in LENGTHS {
            let (json, text) = escaped(len);
            assert_eq!(read::<String>(&json).as_ref(), Ok(&text), "{len}");
            assert_eq!(read::<Box<str>>(&json).as_deref(), Ok(&*text));
            assert_eq!(read::<Cow<'_, str>>(&json).as_deref(), Ok(&*text));
            assert_eq!(read::<Option<String>>(&json).unwrap().as_ref(), Some(&text));
            assert_eq!(read::<Vec<String>>(&format!("[{json},{json}]")), Ok(vec![text.clone(); 2]));
            assert_eq!(read::<BTreeMap<String, u8>>(&format!("{{{json}:1}}")), Ok(BTreeMap::from([(text.clone(), 1)])));
            assert_eq!(read::<serde_json::Value>(&json), Ok(serde_json::Value::String(text)));
        }
    }

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either<'a> {
        Number(u8),
        Text(#[serde(borrow)] Cow<'a, str>),
    }

    #[test]
    fn a_borrowing_cow_copies_a_text_with_an_escape_alone() {
        for len in LENGTHS {
            let (json, text) = escaped(len);
            assert!(matches!(read(&json), Ok(Either::Text(Cow::Owned(owned))) if owned == text), "{len}");
            let plain = format!("\"{text}\"");
            assert!(matches!(read(&plain), Ok(Either::Text(Cow::Borrowed(borrowed))) if borrowed == text));
        }
        assert!(matches!(read("7"), Ok(Either::Number(7))));
    }

    #[test]
    fn what_does_not_own_its_text_is_refused_as_without_it() {
        for len in LENGTHS {
            let (json, _) = escaped(len);
            let array = format!("[1,{json}]");
            let kind = |error: PayloadError| (error.kind(), error.offset(), error.expected());
            let refused = (ErrorKind::EscapedString, 3, "a string");
            assert_eq!(read::<(u8, &str)>(&array).map_err(kind), Err(refused));
            let refused = (ErrorKind::UnexpectedType, 3, "u8");
            assert_eq!(read::<(u8, u8)>(&array).map_err(kind), Err(refused));
            let mut scratch = [0; 3];
            let value = RawValue::parse(array.as_bytes()).unwrap();
            assert_eq!(
                value.read_with::<(u8, &str)>(&mut scratch).map_err(|error| error.kind()),
                Err(ErrorKind::EscapedString)
            );
        }
    }

    #[test]
    fn a_buffer_of_a_length_that_is_known_is_still_too_short() {
        let (json, text) = escaped(MAX_ESCAPED);
        assert_eq!(read::<heapless::String<1024>>(&json).as_deref(), Ok(&*text));
        let refused = read::<heapless::String<8>>(&json).map_err(|error| (error.kind(), error.capacity()));
        assert_eq!(refused, Err((ErrorKind::InvalidLength, None)));
    }

    #[test]
    fn a_scratch_buffer_that_is_too_short_does_not_matter() {
        let (json, text) = escaped(MAX_ESCAPED);
        let value = RawValue::parse(json.as_bytes()).unwrap();
        assert_eq!(value.read_with::<String>(&mut [0; 8]), Ok(text));
    }

    #[test]
    fn params_and_handlers_take_any_length() {
        for len in LENGTHS {
            let (json, text) = escaped(len);
            let call = format!(r#"{{"jsonrpc":"2.0","method":"length","params":[{json}],"id":1}}"#);
            let request: Request<'_> = Request::parse(call.as_bytes()).unwrap();
            assert_eq!(request.params::<(String,)>().unwrap().0, text);

            let mut server = Server::new(
                Router::new()
                    .request("length", |_: &mut usize, (text,): (String,)| Ok(text.len()))
                    .notification("length", |heard: &mut usize, (text,): (Box<str>,)| *heard = text.len()),
            );
            let (mut heard, mut output) = (0, [0; 128]);
            let answer = server.process(&mut heard, call.as_bytes(), &mut output).answer().unwrap();
            let expected = format!(r#"{{"jsonrpc":"2.0","result":{},"id":1}}"#, text.len());
            assert_eq!(String::from_utf8_lossy(answer), expected);

            let note = format!(r#"{{"jsonrpc":"2.0","method":"length","params":[{json}]}}"#);
            let parsed: Notification<'_> = Notification::parse(note.as_bytes()).unwrap();
            assert_eq!(parsed.params::<(String,)>().unwrap().0, text);
            assert!(server.process(&mut heard, note.as_bytes(), &mut output).answer().is_none());
            assert_eq!(heard, text.len());
        }
    }
}
