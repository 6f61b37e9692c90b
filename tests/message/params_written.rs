//! Params are written as the dialect has them, or not at all: "If present, parameters for the rpc call MUST be provided as a
//! Structured value" (JSON-RPC 2.0 §4.2).

use crate::written_by::written_by;
use nanojsonrpc::{
    Client, Dialect, Error, ErrorKind, Message, Notification, RawValue, Request, Response, Writer, message::BatchWriter,
};

const SCALARS: &[&str] = &[r#""hello""#, r#""""#, "0", "7", "-1", "1.5", "123456789", "true", "false"];
const STRUCTURED: &[&str] = &["{}", "[]", r#"{"a":1}"#, r#"["hello"]"#, "[null]"];

fn raw(text: &str) -> RawValue<'_> {
    RawValue::parse(text.as_bytes()).unwrap()
}

/// The output of each writer of calls with `params`, in the same order: a kind of error or the text.
fn written(params: &str, dialect: Dialect, room: usize) -> Vec<Result<String, ErrorKind>> {
    let params = &raw(params);
    let mut all = Vec::new();
    let mut add = |write: &mut dyn FnMut(&mut Writer<'_>) -> Result<(), Error>| {
        let mut buffer = vec![0; room];
        let mut out = Writer::new(&mut buffer);
        let result = write(&mut out);
        assert!(result.is_ok() || out.is_empty(), "{}", out.written().escape_ascii());
        all.push(result.map(|()| String::from_utf8(out.written().to_vec()).unwrap()).map_err(Error::kind));
    };
    let new = || Client::<u8, 2>::new().with_dialect(dialect);
    let request = Request::new(9, "m").with_params(params);
    add(&mut |out| {
        let mut client = new();
        let called = client.call("m", params, 7, out);
        assert_eq!((client.len(), called.is_ok()), (usize::from(called.is_ok()), called.is_ok()));
        // the next call gets the number
        let next = client.call("m", &(), 7, &mut Writer::new(&mut [0; 64]));
        assert_eq!(next.map(|id| id - 1), Ok(i64::from(called.is_ok())));
        Ok(called.map(|_| ())?)
    });
    add(&mut |out| Ok(new().until(9).call("m", params, 7, out).map(|_| ())?));
    add(&mut |out| Ok(new().request(&request, 7, out)?));
    add(&mut |out| Ok(new().until(9).request(&request, 7, out)?));
    add(&mut |out| new().notify("m", params, out));
    if dialect == Dialect::JSON_RPC {
        add(&mut |out| out.message(&request));
        add(&mut |out| out.message(&Notification::new("m").with_params(params)));
        add(&mut |out| out.message(&Request::new(1, "m").with_params(&written_by(|place| place.value(params)))));
        add(&mut |out| {
            let mut client = new();
            let mut batch = client.batch(out);
            let sent = batch
                .call("m", params, 7)
                .map_err(Error::from)
                .and(batch.notify("m", params))
                .and(batch.request(&request, 7).map_err(Error::from));
            assert_eq!(batch.is_empty(), sent.is_err());
            batch.finish();
            sent
        });
    }
    all
}

#[test]
fn scalars_are_no_params_of_json_rpc() {
    for params in SCALARS {
        for result in written(params, Dialect::JSON_RPC, 256) {
            assert_eq!(result, Err(ErrorKind::InvalidParams), "{params}");
        }
        for result in (0..80).flat_map(|room| written(params, Dialect::JSON_RPC, room)) {
            assert!(matches!(result, Err(ErrorKind::InvalidParams | ErrorKind::OutputFull)), "{params}: {result:?}");
        }
    }
    for (params, kind) in [("\"a\"", Err(ErrorKind::InvalidParams)), ("[1]", Ok(())), ("null", Ok(()))] {
        let params = raw(params);
        let mut out = [0; 64];
        let request = Request::new(1, "m").with_params(&params).write(&mut out).map(|_| ()).map_err(Error::kind);
        let notification = Notification::new("m").with_params(&params).write(&mut out).map(|_| ()).map_err(Error::kind);
        assert_eq!((request, notification), (kind, kind), "{params}");
    }
}

#[test]
fn params_that_a_dialect_has_are_written_and_null_is_left_out() {
    for params in STRUCTURED {
        for text in written(params, Dialect::JSON_RPC, 256) {
            assert!(
                text.as_ref().is_ok_and(|text| text.contains(&format!(r#""params":{params}"#))),
                "{params}: {text:?}"
            );
        }
    }
    for dialect in [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP] {
        for text in written("null", dialect, 256) {
            assert!(text.as_ref().is_ok_and(|text| !text.contains("params")), "{text:?}");
        }
    }
    for params in STRUCTURED.iter().chain(SCALARS) {
        let is_written = |dialect| {
            let all = written(params, dialect, 256);
            assert!(all.iter().all(|result| result.is_ok() == all[0].is_ok()), "{params}: {all:?}");
            all[0].clone().map(|text| Message::parse_as(text.as_bytes(), dialect).is_ok())
        };
        assert_eq!(is_written(Dialect::CAUCE), Ok(true));
        let for_mcp = if params.starts_with('{') { Ok(true) } else { Err(ErrorKind::InvalidParams) };
        assert_eq!(is_written(Dialect::MCP), for_mcp, "{params}");
    }
}

#[test]
fn null_is_left_out_even_where_it_would_not_fit() {
    let mut out = [0; 64];
    for request in [Request::new(1, "m").with_params(&None::<bool>), Request::new(1, "m").with_params(&None)] {
        let len = request.write(&mut out).unwrap();
        assert_eq!(&out[..len], br#"{"jsonrpc":"2.0","method":"m","id":1}"#);
        assert_eq!(request.write(&mut out[..len]), Ok(len));
        assert_eq!(request.write(&mut out[..len - 1]).map_err(Error::kind), Err(ErrorKind::OutputFull));
    }
}

#[test]
fn a_batch_is_no_element_of_a_batch() {
    let text = br#"[{"jsonrpc":"2.0","method":"m"},{"jsonrpc":"2.0","method":"m","id":1}]"#;
    let message = Message::parse(text).unwrap();
    let mut out = [0; 256];
    let mut batch = BatchWriter::new(&mut out);
    assert_eq!(batch.push(&message).map_err(Error::kind), Err(ErrorKind::UnexpectedMessage));
    let Message::Batch(elements) = message else { panic!("a batch") };
    assert_eq!(batch.push(&elements).map_err(Error::kind), Err(ErrorKind::UnexpectedMessage));
    assert!(batch.is_empty());
    for element in elements {
        let element: Message<'_> = element.unwrap().try_into().unwrap();
        batch.push(&element).unwrap();
    }
    batch.push(&Response::success(1, &2)).unwrap();
    let written = batch.finish();
    assert_eq!(written, br#"[{"jsonrpc":"2.0","method":"m"},{"jsonrpc":"2.0","method":"m","id":1},{"jsonrpc":"2.0","result":2,"id":1}]"#);
}
