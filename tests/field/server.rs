//! Requests as clients of the field write them.

use nanojsonrpc::{Dialect, Envelope, RawValue, Router, Server};

use crate::each;

/// The answer in the strict and in the lenient dialect, and another member with its value, which a program reads before the routes.
type Row = (&'static str, &'static str, &'static str, Option<&'static str>);

#[rustfmt::skip]
const REQUESTS: [(u64, Row); 3] = [
    (1, (
        r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":1}"#,
        r#"{"result":{"id":0,"on":true},"id":1}"#,
        "src", Some("\"user_1\""),
    )),
    (5, (
        r#"{"jsonrpc":"2.0","result":{"id":0},"id":2}"#,
        r#"{"jsonrpc":"2.0","result":{"id":0},"id":2}"#,
        "auth", Some(r#"{"realm":"shelly-a0b1c2d3e4f5","username":"admin","nonce":1625038762,"cnonce":313273957,"response":"5f0c","algorithm":"SHA-256"}"#),
    )),
    (70, (
        r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":1234}"#,
        r#"{"jsonrpc":"2.0","result":0,"id":1234}"#,
        "auth", None,
    )),
];

#[derive(Default)]
struct Device {
    calls: u32,
    /// The member that the program has read, as a handler sees it.
    member: Option<String>,
}

/// The answer to `text`, and the member that the handler has seen.
fn answered(text: &[u8], dialect: Dialect, name: &str) -> (String, Device) {
    // each handler returns its params
    let router = Router::new().fallback(|device: &mut Device, _, params, reply| {
        device.calls += 1;
        reply.success(&params.raw().unwrap_or(RawValue::NULL))
    });
    let member = Envelope::parse_as(text, dialect).ok().and_then(|message| message.get(name));
    let mut device = Device { member: member.map(|member| member.to_string()), ..Device::default() };
    let mut output = [0; 256];
    let mut server = Server::new(router).with_dialect(dialect);
    let answer = server.process(&mut device, text, &mut output).answer().expect("an answer");
    (String::from_utf8(answer.to_vec()).expect("UTF-8"), device)
}

#[test]
fn each_request_is_answered_with_its_id_and_runs_where_the_dialect_reads_it() {
    each("server-line", &REQUESTS, |n, text, (strict, lenient, name, member)| {
        for (dialect, expected) in [(Dialect::JSON_RPC, *strict), (Dialect::LENIENT, *lenient)] {
            let (answer, device) = answered(text, dialect, name);
            let runs = expected.contains("result");
            assert_eq!((answer.as_str(), device.calls), (expected, u32::from(runs)), "{n} {dialect:?}");
            assert_eq!(device.member.as_deref(), member.filter(|_| runs), "{n} {dialect:?}");
            // in a batch, each element is answered as it is alone
            let batch = [b"[", text, b",", text, b"]"].concat();
            assert_eq!(answered(&batch, dialect, name).0, format!("[{expected},{expected}]"), "{n} {dialect:?}");
        }
    });
}

#[test]
fn each_setting_alone_reads_its_request() {
    let settings = [(1, Dialect::JSON_RPC.with_any_version()), (70, Dialect::JSON_RPC.with_any_params())];
    each("server-line", &REQUESTS, |n, text, (_, lenient, name, _)| {
        for (_, dialect) in settings.iter().filter(|(number, _)| *number == n) {
            assert_eq!(answered(text, *dialect, name).0, *lenient);
        }
    });
}
