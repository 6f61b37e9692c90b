//! The items of one declaration: routes, params by name and position, results, errors, clients.

use nanojsonrpc::server::{Event, Failure};
use nanojsonrpc::service::ResultError;
use nanojsonrpc::{Client, ErrorCode, ErrorKind, ErrorObject, Response, Router, Server, Writer, message::ToText};
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Speed {
    rpm: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Ramp {
    Slow,
    Fast,
}

pub(crate) struct TooFast(u16);

impl Failure for TooFast {
    fn code(&self) -> ErrorCode {
        ErrorCode(-32001)
    }

    fn message(&self) -> impl ToText {
        ("too fast: ", self.0)
    }
}

#[nanojsonrpc::service(prefix = "fan.", client = FanClient)]
pub(crate) trait Fan {
    /// Sets the speed.
    ///
    /// A second paragraph.
    #[method("set")]
    fn set_speed(&mut self, rpm: u16, ramp: Option<Ramp>) -> Result<Speed, TooFast>;
    /// The speed
    /// now.
    fn speed(&self) -> Result<Speed, ErrorObject<'static>>;
    fn name(&self) -> &str;
    fn rename(&mut self, name: &str) -> Result<&str, ErrorObject<'static>>;
    fn reset(&mut self);
    fn r#loop(&mut self, r#type: u8) -> u8;
    #[notification]
    fn stalled(&mut self, at: u32);
    #[notification("note")]
    fn noted(&mut self, text: &str);
}

#[derive(Default)]
struct Blower {
    rpm: u16,
    ramp: Option<Ramp>,
    name: String,
    notes: Vec<String>,
}

impl Fan for Blower {
    fn set_speed(&mut self, rpm: u16, ramp: Option<Ramp>) -> Result<Speed, TooFast> {
        if rpm > 3000 {
            return Err(TooFast(rpm));
        }
        (self.rpm, self.ramp) = (rpm, ramp);
        Ok(Speed { rpm })
    }

    fn speed(&self) -> Result<Speed, ErrorObject<'static>> {
        Ok(Speed { rpm: self.rpm })
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn rename(&mut self, name: &str) -> Result<&str, ErrorObject<'static>> {
        self.name = name.to_owned();
        Ok(&self.name)
    }

    fn reset(&mut self) {
        *self = Self::default();
    }

    fn r#loop(&mut self, r#type: u8) -> u8 {
        r#type
    }

    fn stalled(&mut self, at: u32) {
        self.notes.push(format!("stalled at {at}"));
    }

    fn noted(&mut self, text: &str) {
        self.notes.push(text.to_owned());
    }
}

/// The answer to one text, of a fan that owns itself.
fn answer(fan: &mut Blower, text: &str) -> String {
    let mut output = [0; 256];
    let mut server = FanService::server(fan);
    let answer = server.process(&mut (), text.as_bytes(), &mut output).answer().unwrap_or_default();
    std::str::from_utf8(answer).unwrap().to_owned()
}

fn call(fan: &mut Blower, method: &str, params: &str) -> String {
    let params = if params.is_empty() { String::new() } else { format!(r#","params":{params}"#) };
    let text = answer(fan, &format!(r#"{{"jsonrpc":"2.0","method":"{method}"{params},"id":1}}"#));
    text.strip_prefix(r#"{"jsonrpc":"2.0","#).and_then(|rest| rest.strip_suffix(r#","id":1}"#)).unwrap().to_owned()
}

#[test]
fn params_are_read_by_name_and_by_position() {
    let mut fan = Blower::default();
    for (params, ramp) in [
        (r#"{"rpm":1200,"ramp":"Slow"}"#, Some(Ramp::Slow)),
        (r#"{"ramp":"Fast","rpm":1200}"#, Some(Ramp::Fast)),
        (r#"[1200,"Slow"]"#, Some(Ramp::Slow)),
        (r#"{"rpm":1200}"#, None),
        ("[1200]", None),
        ("[1200,null]", None),
        (r#"{"rpm":1200,"ramp":null}"#, None),
        (r#"{"rpm":1200,"of a newer client":[]}"#, None),
    ] {
        fan.rpm = 0;
        assert_eq!(call(&mut fan, "fan.set", params), r#""result":{"rpm":1200}"#, "{params}");
        assert_eq!((fan.rpm, fan.ramp), (1200, ramp), "{params}");
    }
}

#[test]
fn params_that_do_not_fit_are_answered_with_the_place() {
    let mut fan = Blower::default();
    for (params, message) in [
        ("", "missing field at byte 0"),
        ("{}", "missing field at byte 45, expected rpm"),
        (r#"{"rpm":-1}"#, "invalid value at byte 52, expected u16"),
        ("[]", "invalid length at byte 45"),
    ] {
        let error = call(&mut fan, "fan.set", params);
        assert!(error.starts_with(r#""error":{"code":-32602,"message":"Invalid params: "#), "{params}: {error}");
        assert!(error.len() > message.len());
    }
    // a method without params refuses any
    assert!(call(&mut fan, "fan.speed", "[1]").contains("-32602"));
    assert!(call(&mut fan, "fan.name", "[1]").contains("-32602"));
    assert!(call(&mut fan, "fan.name", "[]").contains(r#""result":"""#));
}

#[test]
fn results_errors_and_nothing_are_answered() {
    let mut fan = Blower { name: String::from("north"), rpm: 7, ..Blower::default() };
    assert_eq!(call(&mut fan, "fan.set", "[3001]"), r#""error":{"code":-32001,"message":"too fast: 3001"}"#);
    assert_eq!(call(&mut fan, "fan.speed", ""), r#""result":{"rpm":7}"#);
    assert_eq!(call(&mut fan, "fan.name", ""), r#""result":"north""#);
    assert_eq!(call(&mut fan, "fan.rename", r#"["s\u00fcd"]"#), r#""result":"süd""#);
    assert_eq!(call(&mut fan, "fan.loop", r#"{"type":3}"#), r#""result":3"#);
    assert_eq!(call(&mut fan, "fan.reset", ""), r#""result":null"#);
    assert_eq!(fan.name, "");
    for unknown in ["set", "fan.stalled", "fan.", "fan.Set"] {
        assert!(call(&mut fan, unknown, "").contains("-32601"), "{unknown}");
    }
}

#[test]
fn notifications_are_heard_and_unfit_ones_reported() {
    let mut fan = Blower::default();
    let mut faults = Vec::new();
    let mut output = [0; 256];
    for text in [
        r#"{"jsonrpc":"2.0","method":"fan.stalled","params":[5]}"#,
        r#"{"jsonrpc":"2.0","method":"fan.note","params":{"text":"a\tb"}}"#,
        r#"{"jsonrpc":"2.0","method":"fan.stalled","params":["x"]}"#,
        r#"{"jsonrpc":"2.0","method":"fan.note","params":[5]}"#,
        r#"{"jsonrpc":"2.0","method":"fan.set","params":[5]}"#,
    ] {
        let router: Router<Vec<ErrorKind>, _> = FanService::routes(&mut fan);
        let mut server = Server::new(router).observed_by(|faults: &mut Vec<ErrorKind>, event: Event<'_>| {
            if let Event::Unfit(_, error) = event {
                faults.push(error.kind());
            }
        });
        assert_eq!(server.process(&mut faults, text.as_bytes(), &mut output).answer(), None);
    }
    assert_eq!(fan.notes, ["stalled at 5", "a\tb"]);
    assert_eq!((fan.rpm, faults.len()), (0, 2));
}

#[test]
fn routes_merge_and_nest_with_others() {
    let mut output = [0; 128];
    let mut ask = |server: &mut dyn FnMut(&[u8], &mut [u8; 128]) -> String, method: &str| {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":1}}"#);
        server(text.as_bytes(), &mut output)
    };
    let ping = || Router::new().request("ping", |_: &mut u8| Ok("pong"));
    let fan = Blower { name: String::from("north"), ..Blower::default() };
    let mut server = Server::new(ping().nest("room.", FanService::routes(fan)));
    let mut process = |text: &[u8], output: &mut [u8; 128]| {
        String::from_utf8(server.process(&mut 0, text, output).answer().unwrap_or_default().to_vec()).unwrap()
    };
    assert!(ask(&mut process, "ping").contains("pong"));
    assert!(ask(&mut process, "room.fan.name").contains("north"));
    assert!(ask(&mut process, "fan.name").contains("-32601"));

    // the context is the service
    let mut server = Server::new(
        Router::new().request("rpm", |fan: &mut Blower| Ok(fan.rpm)).nest("", Router::with_routes(FanService)),
    );
    let mut fan = Blower { rpm: 5, name: String::from("south"), ..Blower::default() };
    let mut process = |text: &[u8], output: &mut [u8; 128]| {
        String::from_utf8(server.process(&mut fan, text, output).answer().unwrap_or_default().to_vec()).unwrap()
    };
    assert!(ask(&mut process, "rpm").contains("5"));
    assert!(ask(&mut process, "fan.name").contains("south"));
}

#[test]
fn a_server_of_a_service_has_a_name() {
    static FAN: std::sync::Mutex<Option<Server<FanService>>> = std::sync::Mutex::new(None);
    *FAN.lock().unwrap() = Some(Server::with_routes(FanService));
    let mut output = [0; 128];
    let mut fan = FAN.lock().unwrap();
    let text = br#"{"jsonrpc":"2.0","method":"fan.speed","id":1}"#;
    assert!(fan.as_mut().unwrap().process(&mut Blower::default(), text, &mut output).answer().is_some());
}

#[test]
fn the_methods_are_listed() {
    let methods: Vec<_> =
        FanService::METHODS.iter().map(|method| (method.name, method.description, method.params)).collect();
    assert_eq!(methods[0], ("fan.set", "Sets the speed.", &[("rpm", true), ("ramp", false)][..]));
    assert_eq!(methods[1], ("fan.speed", "The speed now.", &[][..]));
    assert_eq!(methods[5], ("fan.loop", "", &[("type", true)][..]));
    assert!(methods.len() == 8 && FanService::METHODS[7].is_notification && !FanService::METHODS[0].is_notification);
}

#[test]
fn the_client_writes_what_the_service_reads() -> Result<(), Box<dyn std::error::Error>> {
    let mut client: Client<&str, 4> = Client::new();
    let mut fan = Blower::default();
    let (mut text, mut output) = ([0; 128], [0; 128]);

    let mut out = Writer::new(&mut text);
    let sent = FanClient::set_speed(client.sending("set", &mut out), 1200, Some(Ramp::Fast))?;
    assert_eq!(out.written(), br#"{"jsonrpc":"2.0","method":"fan.set","params":{"rpm":1200,"ramp":"Fast"},"id":1}"#);
    let mut server = Server::with_routes(FanService);
    let answer = server.process(&mut fan, out.written(), &mut output).answer().unwrap_or_default();
    let response = Response::parse(answer).map_err(nanojsonrpc::Error::from)?;
    assert_eq!((sent.id(), sent.read(&response)), (1, Ok(Speed { rpm: 1200 })));
    assert_eq!((client.len(), fan.rpm, fan.ramp), (1, 1200, Some(Ramp::Fast)));

    let mut out = Writer::new(&mut text);
    let sent = FanClient::set_speed(client.sending("set", &mut out), 9999, None)?;
    let answer = server.process(&mut fan, out.written(), &mut output).answer().unwrap_or_default();
    let response = Response::parse(answer).map_err(nanojsonrpc::Error::from)?;
    let Err(ResultError::Peer(error)) = sent.read(&response) else { panic!("an error") };
    assert_eq!((error.code, error.message.to_string()), (ErrorCode(-32001), String::from("too fast: 9999")));

    // a borrowed result is read into the type that the client chooses
    let mut out = Writer::new(&mut text);
    let sent = FanClient::rename::<_, heapless::String<8>>(client.sending("rename", &mut out), "east")?;
    let answer = server.process(&mut fan, out.written(), &mut output).answer().unwrap_or_default();
    assert_eq!(sent.read(&Response::parse(answer).map_err(nanojsonrpc::Error::from)?).unwrap(), "east");

    let mut out = Writer::new(&mut text);
    FanClient::stalled(client.sending("", &mut out), 8)?;
    assert_eq!(out.written(), br#"{"jsonrpc":"2.0","method":"fan.stalled","params":{"at":8}}"#);
    assert_eq!(server.process(&mut fan, out.written(), &mut output).answer(), None);
    assert_eq!(fan.notes, ["stalled at 8"]);

    // a refused call returns its tag
    let mut out = Writer::new(&mut text[..10]);
    assert_eq!(FanClient::reset(client.sending("reset", &mut out)).unwrap_err().tag, "reset");
    Ok(())
}

#[test]
fn a_call_that_was_sent_and_its_faults_are_shown() {
    let mut client: Client<(), 4> = Client::new();
    let mut text = [0; 128];
    let sent = FanClient::speed(client.sending((), &mut Writer::new(&mut text))).unwrap();
    #[allow(clippy::clone_on_copy, reason = "the implementation is called")]
    let again = sent.clone();
    assert_eq!((format!("{again:?}"), again.id()), (String::from("Sent { id: 1 }"), 1));
    let refused = Response::parse(br#"{"jsonrpc":"2.0","error":{"code":7,"message":"no"},"id":1}"#).unwrap();
    assert_eq!(sent.read(&refused).unwrap_err().to_string(), "error 7: no");
    let other = Response::parse(br#"{"jsonrpc":"2.0","result":5,"id":1}"#).unwrap();
    assert!(sent.read(&other).unwrap_err().to_string().starts_with("result: unexpected type at byte "));
}

/// A service whose supertraits a `&mut` does not implement; the method `clone` of a supertrait differs from that of the service.
#[nanojsonrpc::service]
trait Copied: Clone + 'static {
    fn clone(&self) -> u8;
    fn increment(&mut self, mut by: u8) -> u8 {
        by = by.wrapping_add(Copied::clone(self));
        by
    }
}

#[derive(Clone)]
struct Counter(u8);

impl Copied for Counter {
    fn clone(&self) -> u8 {
        self.0
    }
}

#[test]
fn a_service_has_supertraits_and_provided_methods() {
    let mut output = [0; 128];
    let mut server = CopiedService::server(Counter(7));
    let answer = server.process(&mut (), br#"{"jsonrpc":"2.0","method":"clone","id":1}"#, &mut output).answer();
    assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":7,"id":1}"#[..]));
    let answer =
        server.process(&mut (), br#"{"jsonrpc":"2.0","method":"increment","params":[2],"id":1}"#, &mut output).answer();
    assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":9,"id":1}"#[..]));
}

#[test]
fn calls_have_deadlines_and_stand_in_batches() {
    let mut client: Client<char, 2> = Client::new();
    let (mut text, mut output) = ([0; 256], [0; 256]);
    let mut out = Writer::new(&mut text);
    FanClient::speed(client.until(5).sending('d', &mut out)).unwrap();
    assert_eq!(client.ticks_left(0), Some(5));
    assert_eq!(client.drain().count(), 1);
    FanClient::speed(client.sending('w', &mut out)).unwrap();
    assert_eq!(client.ticks_left(0), None);
    assert_eq!(client.drain().count(), 1);

    let mut out = Writer::new(&mut text);
    let mut batch = client.until(9).batch(&mut out);
    let set = FanClient::set_speed(batch.sending('s'), 800, None).unwrap();
    FanClient::stalled(batch.sending('n'), 5).unwrap();
    let speed = FanClient::speed(batch.sending('v')).unwrap();
    let refused = FanClient::reset(batch.sending('r')).unwrap_err();
    assert_eq!((refused.error.kind(), refused.tag), (ErrorKind::TooManyCalls, 'r'));
    assert_eq!(batch.finish(), 3);
    assert_eq!(client.ticks_left(0), Some(9));
    let mut server = FanService::server(Blower::default());
    let answer = server.process(&mut (), out.written(), &mut output).answer().unwrap();
    let mut answers = Vec::new();
    for incoming in client.receive(answer) {
        if let nanojsonrpc::client::Incoming::Response(nanojsonrpc::client::Answer::To(tag), response) = incoming {
            answers.push((tag, if tag == 's' { &set } else { &speed }.read(&response)));
        }
    }
    assert_eq!(answers, [('s', Ok(Speed { rpm: 800 })), ('v', Ok(Speed { rpm: 800 }))]);
}
