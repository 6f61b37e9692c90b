//! Params and results of services, and of handlers that are registered by hand, are held to their limits.

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use nanojsonrpc::server::{Checked, Event};
use nanojsonrpc::{ErrorObject, Router, Schema, Server};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Schema)]
struct Ramp<'a> {
    #[schema(maximum = 60)]
    seconds: u8,
    #[schema(max_length = 3)]
    curve: &'a str,
}

#[derive(Serialize, Deserialize, Schema, Clone, Copy)]
struct Speed {
    #[schema(maximum = 4000)]
    rpm: u16,
}

/// Checked, although nothing publishes its schemas.
#[nanojsonrpc::service(checked)]
trait Fan {
    fn set(&mut self, #[schema(multiple_of = 50)] rpm: u16, speed: Option<Speed>) -> u16;
    fn ramp(&mut self, ramp: Ramp<'_>) -> Result<u8, ErrorObject<'static>>;
    #[notification]
    fn stalled(&mut self, #[schema(minimum = 1)] at: u32);
    #[notification]
    fn named(&mut self, #[schema(min_length = 1)] name: &str);
    fn off(&mut self);
}

/// Its results are published, too.
#[nanojsonrpc::service(openrpc)]
trait Meter {
    fn speed(&self) -> Speed;
    fn fallible(&self) -> Result<Speed, ErrorObject<'static>>;
    fn lent(&self) -> &Speed;
    fn borrowed(&self, text: &str) -> Result<Speed, ErrorObject<'static>>;
    async fn later(&mut self, #[schema(maximum = 9)] count: u8) -> Result<Speed, ErrorObject<'static>>;
    async fn plain(&mut self, #[schema(maximum = 9)] count: u8) -> u8;
    #[notification]
    async fn told(&mut self, #[schema(maximum = 9)] count: u8);
}

#[derive(Default)]
struct Machine {
    rpm: u16,
    events: Vec<String>,
}

impl Fan for Machine {
    fn set(&mut self, rpm: u16, speed: Option<Speed>) -> u16 {
        self.rpm = speed.map_or(rpm, |speed| speed.rpm);
        self.rpm
    }

    fn ramp(&mut self, ramp: Ramp<'_>) -> Result<u8, ErrorObject<'static>> {
        Ok(ramp.seconds)
    }

    fn stalled(&mut self, at: u32) {
        self.events.push(format!("stalled at {at}"));
    }

    fn named(&mut self, name: &str) {
        self.events.push(format!("named {name}"));
    }

    fn off(&mut self) {
        self.rpm = 0;
    }
}

struct Gauge(Speed);

impl Meter for Gauge {
    fn speed(&self) -> Speed {
        self.0
    }

    fn fallible(&self) -> Result<Speed, ErrorObject<'static>> {
        Ok(self.0)
    }

    fn lent(&self) -> &Speed {
        &self.0
    }

    fn borrowed(&self, _: &str) -> Result<Speed, ErrorObject<'static>> {
        Ok(self.0)
    }

    async fn later(&mut self, count: u8) -> Result<Speed, ErrorObject<'static>> {
        Ok(Speed { rpm: u16::from(count) * 1000 })
    }

    async fn plain(&mut self, count: u8) -> u8 {
        count
    }

    async fn told(&mut self, count: u8) {
        self.0.rpm = count.into();
    }
}

/// The message of an error, or the result.
fn said(answer: Option<&[u8]>) -> String {
    let Some(answer) = answer else { return String::new() };
    let answer: serde_json::Value = serde_json::from_slice(answer).unwrap();
    match answer["error"]["message"].as_str() {
        Some(message) => format!("{} {message}", answer["error"]["code"]),
        None => answer["result"].to_string(),
    }
}

fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#)
}

/// The path in the params, and the value, which hosts name.
fn found(path: &str, value: &str) -> String {
    if cfg!(target_pointer_width = "64") { format!(", in params{path}, found {value}") } else { String::new() }
}

#[test]
fn params_that_violate_a_limit_are_refused() {
    let mut server = Server::<FanService>::with_routes(FanService)
        .observed_by(|machine: &mut Machine, event: Event<'_>| machine.events.push(event.to_string()));
    let (mut machine, mut output) = (Machine::default(), [0; 256]);
    for (method, params, rule, path, value) in [
        ("set", r#"{"rpm":60}"#, "multipleOf 50", ".rpm", "60"),
        ("set", "[60]", "multipleOf 50", "[0]", "60"),
        ("set", r#"{"rpm":50,"speed":{"rpm":4001}}"#, "maximum 4000", ".speed.rpm", "4001"),
        ("ramp", r#"{"ramp":{"seconds":61,"curve":""}}"#, "maximum 60", ".ramp.seconds", "61"),
        ("ramp", r#"[{"seconds":60,"curve":"\u0061bcd"}]"#, "maxLength 3", "[0].curve", "\\u0061bcd"),
    ] {
        let text = request(method, params);
        let answer = said(server.process(&mut machine, text.as_bytes(), &mut output).answer());
        let value = value.replace("\\u0061", "a");
        let place = answer.split(" at byte ").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or_default();
        let place: usize = place.parse().unwrap();
        assert_eq!(
            answer,
            format!("-32602 Invalid params: invalid value at byte {place}, expected {rule}{}", found(path, &value)),
        );
    }
    assert_eq!((machine.rpm, machine.events.len()), (0, 0));
    for (method, params, result) in [
        ("set", r#"{"rpm":50}"#, "50"),
        ("set", r#"[100,{"rpm":4000}]"#, "4000"),
        ("ramp", r#"{"ramp":{"seconds":60,"curve":"a\tb"}}"#, "60"),
    ] {
        let text = request(method, params);
        assert_eq!(said(server.process(&mut machine, text.as_bytes(), &mut output).answer()), result);
    }
    // notifications
    for params in ["[0]", "[1]"] {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"stalled","params":{params}}}"#);
        assert_eq!(server.process(&mut machine, text.as_bytes(), &mut output).answer(), None);
    }
    for params in [r#"{"name":""}"#, r#"{"name":"é"}"#] {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"named","params":{params}}}"#);
        assert_eq!(server.process(&mut machine, text.as_bytes(), &mut output).answer(), None);
    }
    assert_eq!(
        machine.events,
        [
            "notification stalled dropped, params do not fit: invalid value at byte 46",
            "stalled at 1",
            "notification named dropped, params do not fit: invalid value at byte 51",
            "named é",
        ]
    );
    let text = request("off", "[]");
    assert_eq!(said(server.process(&mut machine, text.as_bytes(), &mut output).answer()), "null");
    // too little room for the message
    let answer = server.process(&mut machine, request("set", "[60]").as_bytes(), &mut output[..90]).answer();
    assert_eq!(said(answer), "-32602 Invalid params");
}

fn ready(future: impl Future<Output = String>) -> String {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(text) => text,
        Poll::Pending => panic!("waits"),
    }
}

#[test]
fn a_result_that_violates_a_published_schema_is_not_sent() {
    for (rpm, expected) in [(4000, r#"{"rpm":4000}"#), (4001, "-32603 Internal error")] {
        let mut gauge = Gauge(Speed { rpm });
        for (method, params) in [("speed", "[]"), ("fallible", "[]"), ("lent", "[]"), ("borrowed", r#"["x"]"#)] {
            let mut server = Server::with_routes(MeterService);
            let answer = ready(async {
                let mut output = [0; 256];
                said(server.process_async(&mut gauge, request(method, params).as_bytes(), &mut output).await.answer())
            });
            assert_eq!(answer, expected, "{method}");
        }
    }
    let mut gauge = Gauge(Speed { rpm: 0 });
    for (method, params, expected) in [
        ("later", "[4]", r#"{"rpm":4000}"#.to_owned()),
        ("later", "[5]", "-32603 Internal error".to_owned()),
        (
            "later",
            "[10]",
            format!("-32602 Invalid params: invalid value at byte 44, expected maximum 9{}", found("[0]", "10")),
        ),
        ("plain", "[9]", "9".to_owned()),
        (
            "plain",
            "[10]",
            format!("-32602 Invalid params: invalid value at byte 44, expected maximum 9{}", found("[0]", "10")),
        ),
    ] {
        let mut server = Server::with_routes(MeterService);
        let answer = ready(async {
            let mut output = [0; 256];
            said(server.process_async(&mut gauge, request(method, params).as_bytes(), &mut output).await.answer())
        });
        assert_eq!(answer, expected, "{method} {params}");
    }
    for (count, rpm) in [(10, 0), (9, 9)] {
        let mut server = Server::with_routes(MeterService);
        let text = format!(r#"{{"jsonrpc":"2.0","method":"told","params":[{count}]}}"#);
        let answer = ready(async {
            let mut output = [0; 256];
            said(server.process_async(&mut gauge, text.as_bytes(), &mut output).await.answer())
        });
        assert_eq!((answer.as_str(), gauge.0.rpm), ("", rpm));
    }
}

#[derive(Deserialize, Schema, Default)]
struct Nothing;

#[test]
fn handlers_with_checked_params_are_checked() {
    let router = Router::new()
        .request("set", |rpm: &mut u16, Checked(speed): Checked<Speed>| {
            *rpm = speed.rpm;
            Ok(Checked(Speed { rpm: speed.rpm + 1 }))
        })
        .request("nothing", |_: &mut u16, Checked(Nothing): Checked<Nothing>| Ok(()))
        .request_async("set_async", async |rpm: &mut u16, Checked(speed): Checked<Speed>| {
            *rpm = speed.rpm;
            Ok(*rpm)
        })
        .notification("told", |rpm: &mut u16, Checked(speed): Checked<Speed>| *rpm = speed.rpm)
        .notification("nothing", |rpm: &mut u16, Checked(Nothing): Checked<Nothing>| *rpm = 7)
        .notification_async("told_async", async |rpm: &mut u16, Checked(speed): Checked<Speed>| *rpm = speed.rpm);
    let (mut server, mut rpm) = (Server::new(router), 1);
    let mut ask = |text: String| {
        let said = ready(async {
            let mut output = [0; 256];
            said(server.process_async(&mut rpm, text.as_bytes(), &mut output).await.answer())
        });
        (said, rpm)
    };
    let refused = |byte: usize| {
        let found = found(".rpm", "4001");
        format!("-32602 Invalid params: invalid value at byte {byte}, expected maximum 4000{found}")
    };
    assert_eq!(ask(request("set", r#"{"rpm":4001}"#)), (refused(48), 1));
    assert_eq!(ask(request("set_async", r#"{"rpm":4001}"#)), (refused(54), 1));
    assert_eq!(ask(request("set", r#"{"rpm":3999}"#)), (r#"{"rpm":4000}"#.into(), 3999));
    assert_eq!(ask(request("set", r#"{"rpm":4000}"#)), ("-32603 Internal error".into(), 4000));
    assert_eq!(ask(request("set_async", r#"{"rpm":3}"#)), ("3".into(), 3));
    assert_eq!(ask(request("nothing", "[]")), ("null".into(), 3));
    for method in ["told", "told_async"] {
        let text = |rpm: u16| format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"rpm":{rpm}}}}}"#);
        assert_eq!(ask(text(4001)).1, if method == "told" { 3 } else { 5 });
        assert_eq!(ask(text(5)).1, 5);
    }
    assert_eq!(ask(r#"{"jsonrpc":"2.0","method":"nothing"}"#.into()).1, 7);
}

/// The default of `count` violates its limit.
#[derive(Deserialize, Schema, Default)]
#[serde(default)]
struct Defaulted {
    #[schema(minimum = 1)]
    count: u8,
}

#[test]
fn defaults_are_not_checked() {
    let count = |_: &mut (), Checked(params): Checked<Defaulted>| Ok(params.count);
    let mut server = Server::new(Router::new().request("count", count));
    let mut output = [0; 256];
    for (params, expected) in [("{}", "0"), ("null", "0"), (r#"{"count":1}"#, "1")] {
        assert_eq!(said(server.process(&mut (), request("count", params).as_bytes(), &mut output).answer()), expected);
    }
    let answer = said(server.process(&mut (), request("count", r#"{"count":0}"#).as_bytes(), &mut output).answer());
    assert!(answer.contains("expected minimum 1"), "{answer}");
}

/// A result that this crate cannot walk, and which has no limits.
#[cfg(feature = "alloc")]
#[nanojsonrpc::service(openrpc)]
trait Table {
    fn hashed(&self) -> std::collections::HashMap<String, u8>;
}

#[cfg(feature = "alloc")]
impl Table for () {
    fn hashed(&self) -> std::collections::HashMap<String, u8> {
        [("rpm".to_owned(), 1)].into()
    }
}

#[cfg(feature = "alloc")]
#[test]
fn a_hash_map_without_limits_is_sent() {
    let mut output = [0; 128];
    let answer = TableService::server(())
        .process(&mut (), request("hashed", "[]").as_bytes(), &mut output)
        .answer()
        .map(<[u8]>::to_vec);
    assert_eq!(said(answer.as_deref()), r#"{"rpm":1}"#);
}
