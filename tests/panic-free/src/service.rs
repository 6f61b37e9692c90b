//! Declared services: routes, clients, contexts.

use nanojsonrpc::client::Client;
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::memory::Pipe;
use nanojsonrpc::server::route::{Call, Owning};
use nanojsonrpc::{ErrorObject, Response, Router, Server, Writer, json_schema};

use crate::{name, used};

#[nanojsonrpc::service(prefix = "fan.", client = FanClient, openrpc)]
trait Fan {
    fn set(&mut self, #[schema(maximum = 4000)] rpm: u16, why: Option<&str>) -> Result<u16, ErrorObject<'static>>;
    fn why(&self) -> &str;
    #[notification]
    fn note(&mut self, text: &str);
    #[notification]
    fn stalled(&mut self, at: u32);
}

impl Fan for u16 {
    fn set(&mut self, rpm: u16, _: Option<&str>) -> Result<u16, ErrorObject<'static>> {
        *self = rpm;
        Ok(rpm)
    }

    fn why(&self) -> &str {
        "so"
    }

    fn note(&mut self, text: &str) {
        used(text.len());
    }

    fn stalled(&mut self, at: u32) {
        used(at);
    }
}

/// Each kind of limits.
#[derive(serde::Serialize, serde::Deserialize, nanojsonrpc::Schema)]
struct Limited<'a> {
    #[schema(minimum = 1, exclusive_maximum = 60, multiple_of = 7)]
    small: i8,
    #[schema(maximum = 60, multiple_of = 7)]
    wide: u128,
    #[schema(minimum = 0.5, multiple_of = 2)]
    fixed: nanojsonrpc::Fixed<i32, 2>,
    #[schema(min_length = 1, max_length = 9, pattern = "^[a-z]+[^a-z]{0,3}$", format = "uuid")]
    text: &'a str,
    #[schema(max_length = 9, pattern = "^a", format = "ipv4")]
    #[serde(borrow)]
    raw: nanojsonrpc::RawStr<'a>,
    #[schema(format = "ipv6")]
    letter: char,
    #[schema(min_items = 1, max_items = 3, unique_items)]
    list: heapless::Vec<u8, 4>,
    choices: (heapless::Vec<Choice, 2>, heapless::LinearMap<heapless::String<4>, Choice, 2>),
    nested: Option<core::cell::Cell<u8>>,
}

/// Not read, because `fast-float2` brings a panic.
#[derive(serde::Serialize, serde::Deserialize, nanojsonrpc::Schema)]
struct Float(#[schema(exclusive_minimum = 0.5, maximum = 1.5, multiple_of = 0.1)] f32);

#[derive(serde::Serialize, serde::Deserialize, nanojsonrpc::Schema)]
enum Choice {
    One(#[schema(maximum = 9)] u8),
    Two {
        #[schema(minimum = 9)]
        two: u16,
    },
}

#[unsafe(no_mangle)]
pub fn limits(text: &[u8], out: &mut [u8], float: f32) {
    used(json_schema::check(&Float(float), None));
    if let Ok(text) = nanojsonrpc::RawValue::parse(text) {
        if let Ok(value) = text.read::<Limited>() {
            used(json_schema::check(&value, Some(text)));
            used(Writer::new(out).value(&nanojsonrpc::server::Checked(value)).is_ok());
        }
    }
}

#[unsafe(no_mangle)]
pub fn service(text: &[u8], out: &mut [u8], fan: &mut u16, call: &Call<'_>) {
    used((call.requests(name(text)), call.notifies(name(text))));
    used(FanService::server(&mut *fan).process(&mut (), text, out).answer());
    let part = Router::<u16, _>::with_routes(FanService);
    used(
        Server::new(part.nest("", FanService::routes(7)).nest("", Router::with_routes(FanService).owning(7)))
            .process(fan, text, out)
            .answer(),
    );
    used(Server::with_routes(Owning::new(7, FanService)).process(&mut (), text, out).answer());
    used((FanService::METHODS, FanService::OPENRPC, json_schema::Node::Text { text: "" }.text_len()));
    used(json_schema::Node::Text { text: "" }.allows_more());
    used(<Option<u8> as json_schema::JsonSchema>::SCHEMA.is_narrowed_by(name(text), name(text)));
    used(<Option<u8> as json_schema::JsonSchema>::SCHEMA.is_satisfiable_with(name(text), name(text)));
    used(
        <Option<u8> as json_schema::JsonSchema>::SCHEMA
            .is_replaced_by(name(text), &<u8 as json_schema::JsonSchema>::SCHEMA),
    );
    used(<Option<u8> as json_schema::JsonSchema>::SCHEMA.has_property(name(text)));
    used(<Option<u8> as json_schema::JsonSchema>::SCHEMA.is_affected_by(name(text)));
    used(json_schema::Node::Text { text: "" }.text::<2>());
    used(json_schema::Node::paragraph(name(text)));
    let mut client: Client<u8, 2> = Client::new();
    let mut written = Writer::new(out);
    if let Ok(sent) = FanClient::set(client.sending(1, &mut written), 7, Some(name(text))) {
        used(sent.id());
        used(Response::parse(text).map(|response| sent.read(&response).is_ok()));
    }
    used(FanClient::note(client.sending(1, &mut written), name(text)));
    used(FanClient::set(client.until(7).sending(1, &mut written), 7, None).is_ok());
    let mut batch = client.batch(&mut written);
    used(FanClient::set(batch.sending(1), 7, Some(name(text))).is_ok());
    used(FanClient::note(batch.sending(1), name(text)));
    used(batch.finish());
    used(FanClient::why::<_, u8>(client.sending(1, &mut written)).is_ok());
    let (mut pipe, mut server, mut output) = (Pipe::<64>::new(), Server::new(Router::<()>::new()), [0; 128]);
    let (near, far) = pipe.ends();
    used(far.try_write(text));
    let (mut framer, mut context) = (Framer::<Lines, 64>::new(), ());
    let mut connection = Connection::new(&near, &near, &mut framer, &mut output);
    let mut peer = connection.peer(&mut server, &mut context).until(|| core::hint::black_box(true));
    used(FanClient::set(&mut peer, 7, Some(name(text))).is_ok());
    used(FanClient::stalled(&mut peer, 7).is_ok());
}
