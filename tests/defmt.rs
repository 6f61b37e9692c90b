//! `defmt::Format` on every public type, that it compiles; and that implementations by hand write something.
#![cfg(feature = "defmt")]

use nanojsonrpc::client::{Answer, CallBatch, Client, Incoming, Received, WithDeadline};
use nanojsonrpc::frame::{ContentLength, Event, Events, FrameError, FrameErrorKind, Framer, Head, Lines, Values};
use nanojsonrpc::memory::{Pipe, PipeEnd, PipeError, Plan};

#[cfg(feature = "alloc")]
use nanojsonrpc::server::AsyncRoutes;
use nanojsonrpc::server::{Exchange, Registry, Replied, Reply};
use nanojsonrpc::{
    Batch, Dialect, Envelope, EnvelopeKind, Envelopes, Error, ErrorCode, ErrorKind, ErrorObject, Id, Message, Method,
    Notification, Params, RawStr, RawValue, Refused, Request, Response, Router, Server, Writer,
    json::{ArrayWriter, Chars, Elements, Kind, Members, ObjectWriter, ValueWriter, Written},
    message::{BatchWriter, ClientMessage, ErrorCodeKind, ParamsRule, ServerMessage, Str},
};

fn is_format<T: defmt::Format>() -> &'static str {
    core::any::type_name::<T>()
}

#[test]
fn every_public_type_can_be_logged() {
    let types = [
        is_format::<Batch<'_>>(),
        is_format::<BatchWriter<'_>>(),
        is_format::<Chars<'_>>(),
        is_format::<ClientMessage<'_>>(),
        is_format::<Dialect>(),
        is_format::<Elements<'_>>(),
        is_format::<Envelope<'_>>(),
        is_format::<EnvelopeKind>(),
        is_format::<Error>(),
        is_format::<ErrorCode>(),
        is_format::<ErrorCodeKind>(),
        is_format::<ErrorKind>(),
        is_format::<ErrorObject<'_>>(),
        is_format::<Id>(),
        is_format::<Kind>(),
        is_format::<Members<'_>>(),
        is_format::<Message<'_>>(),
        is_format::<Method<'_>>(),
        is_format::<Notification<'_>>(),
        is_format::<ParamsRule>(),
        is_format::<RawStr<'_>>(),
        is_format::<RawValue<'_>>(),
        is_format::<Refused<'_>>(),
        is_format::<Request<'_>>(),
        is_format::<Response<'_>>(),
        is_format::<ServerMessage<'_>>(),
        is_format::<Str<'_>>(),
        is_format::<Writer<'_>>(),
        is_format::<ValueWriter<'_, '_>>(),
        is_format::<Written<'_>>(),
        is_format::<ObjectWriter<'_, '_>>(),
        is_format::<ArrayWriter<'_, '_>>(),
        is_format::<nanojsonrpc::Fixed<i32, 2>>(),
        is_format::<nanojsonrpc::json::Rounding>(),
        is_format::<Framer<Lines, 8>>(),
        is_format::<Lines>(),
        is_format::<ContentLength>(),
        is_format::<FrameError>(),
        is_format::<FrameErrorKind>(),
        is_format::<Head>(),
        is_format::<Events>(),
        is_format::<Event<'_>>(),
        is_format::<Values>(),
        is_format::<Params<'_>>(),
        is_format::<Envelopes<'_>>(),
        is_format::<Exchange<'_, '_>>(),
        is_format::<Reply<'_>>(),
        is_format::<Replied>(),
        is_format::<Router<()>>(),
        is_format::<Server<nanojsonrpc::server::route::End>>(),
        is_format::<nanojsonrpc::server::Event<'_>>(),
        is_format::<nanojsonrpc::server::Unobserved>(),
        is_format::<nanojsonrpc::server::Plain>(),
        is_format::<nanojsonrpc::server::ByFailure>(),
        is_format::<nanojsonrpc::server::ByObject<u8>>(),
        is_format::<nanojsonrpc::message::Shown<u8>>(),
        is_format::<nanojsonrpc::json::Path<'_>>(),
        is_format::<nanojsonrpc::server::Converted<u8>>(),
        is_format::<Registry<'_, (), 1>>(),
        is_format::<nanojsonrpc::server::TimeLimited<nanojsonrpc::server::route::End, u8>>(),
        is_format::<Answer<u8>>(),
        is_format::<CallBatch<'_, '_, u8, 1>>(),
        is_format::<Client<u8, 1>>(),
        is_format::<Incoming<'_, u8>>(),
        is_format::<Received<'_, '_, u8, 1>>(),
        is_format::<WithDeadline<'_, u8, 1>>(),
        is_format::<PipeEnd<'_, 1>>(),
        is_format::<Pipe<1>>(),
        is_format::<PipeError>(),
        is_format::<Plan>(),
    ];
    #[cfg(feature = "serde")]
    assert!(
        !is_format::<nanojsonrpc::PayloadError>().is_empty()
            && !is_format::<nanojsonrpc::json::DeError>().is_empty()
            && !is_format::<nanojsonrpc::json::Deserializer<'_>>().is_empty()
    );
    assert!(types.iter().all(|name| name.starts_with("nanojsonrpc::")));
}

/// Has an empty log text.
struct Nothing;

impl defmt::Format for Nothing {
    fn format(&self, _: defmt::Formatter<'_>) {}
}

/// Logs each value, and checks that something is logged of it and that all logs differ.
macro_rules! told_apart {
    ($($value:expr),* $(,)?) => {{
        let logs = [$({
            let value = &$value;
            defmt_log::logged(value)
        }),*];
        for (place, log) in logs.iter().enumerate() {
            assert_ne!(*log, defmt_log::logged(&Nothing), "nothing is logged of value {place}");
            assert!(!logs[..place].contains(log), "value {place} looks like one before it");
        }
    }};
}

#[test]
fn what_is_read_and_written_is_logged() {
    let text = br#"{"plain":"text","escaped":"\n\u00e9"}"#;
    let value = RawValue::parse(text).unwrap();
    let plain = value.get("plain").and_then(RawValue::as_str_raw).unwrap();
    let escaped = value.get("escaped").and_then(RawValue::as_str_raw).unwrap();
    let mut rest = plain.chars();
    rest.next();
    told_apart![value, RawValue::NULL, plain, escaped, rest];
    told_apart![plain.chars(), rest];
    told_apart![nanojsonrpc::Fixed::<i32, 2>(5), nanojsonrpc::Fixed::<i32, 1>(5), nanojsonrpc::Fixed::<i32, 2>(-5)];
    // each character is sent as four bytes: an escape for the line end, and `é` itself
    let logged = defmt_log::logged(&escaped);
    let has = |c: char| logged.windows(4).any(|bytes| bytes == u32::from(c).to_le_bytes());
    assert!(has('n') && has('\\') && has('é') && !has('\n'), "{logged:?}");
    // the log shows a backslash and the beginning of an escape differently
    let backslash = RawValue::parse(br#""\\n""#).unwrap();
    told_apart![backslash.as_str_raw().unwrap(), RawValue::parse(br#""\n""#).unwrap().as_str_raw().unwrap(), escaped];
    let (one, other) = (br#"{"jsonrpc":"2.0","method":"a"}"#, br#"{"jsonrpc":"2.0","method":"b"}"#);
    told_apart![Notification::parse(one).unwrap().method, Notification::parse(other).unwrap().method];
    let (mut out, mut other) = ([0; 16], [0; 16]);
    let mut writer = Writer::new(&mut out);
    writer.value(&1).unwrap();
    told_apart![Writer::new(&mut other), writer];
}

#[test]
fn servers_clients_and_frames_are_logged() {
    use nanojsonrpc::server::route::{
        Fallback, Nested, NotificationFallback, OnNotification, OnRequest, OnResponse, Route,
    };

    let (one, other) = (Framer::<Lines, 8>::new(), Framer::<Values, 8>::new());
    let mut pushed = Framer::<Lines, 8>::new();
    pushed.push(b"{}");
    told_apart![one, other, pushed];
    let client: Client<u8, 1> = Client::new();
    assert_ne!(defmt_log::logged(&client), defmt_log::logged(&Nothing));
    let registry: Registry<'_, (), 1> = Registry::new();
    told_apart![Router::<()>::new(), Server::new(Router::<()>::new()), registry];
    is_format::<Route<(), OnRequest<(), (), ()>>>();
    is_format::<Nested<OnNotification<(), ()>, OnResponse<()>>>();
    is_format::<Route<Fallback<()>, NotificationFallback<()>>>();
}

#[test]
fn what_cannot_be_told_apart_is_named() {
    let envelope = Envelope::parse(br#"{"jsonrpc":"2.0","method":"m","id":1}"#).unwrap();
    let mut out = [0; 64];
    let exchange = Exchange::new(b"{}", &mut out, Dialect::JSON_RPC);
    told_apart![envelope, exchange];
    let mut pipe: Pipe<4> = Pipe::new();
    told_apart![pipe, Plan::WHOLE, Plan::in_chunks(2)];
    let (one, other) = pipe.ends();
    one.try_write(b"{}").unwrap();
    told_apart![one, other];
    #[cfg(feature = "serde")]
    {
        let problem = RawValue::parse(b"[1]").unwrap().read::<bool>().unwrap_err();
        let deserializer = nanojsonrpc::json::Deserializer::new(RawValue::NULL);
        let fault =
            <bool as serde::Deserialize>::deserialize(&mut nanojsonrpc::json::Deserializer::new(RawValue::NULL));
        told_apart![problem, problem.error(), deserializer, fault.unwrap_err()];
        let mut behind = nanojsonrpc::json::Deserializer::new(RawValue::parse(b"1").unwrap());
        assert_eq!(serde::Deserialize::deserialize(&mut behind), Ok(1));
        told_apart![deserializer, behind];
        let unknown = <nanojsonrpc::json::DeError as serde::de::Error>::unknown_field("a", &[]);
        let missing = <nanojsonrpc::json::DeError as serde::de::Error>::missing_field("a");
        told_apart![unknown, missing];
    }
}

#[cfg(feature = "embedded-io")]
#[test]
fn a_connection_tells_whether_its_stream_has_ended() {
    let mut pipe: Pipe<8> = Pipe::new();
    let (mut one, mut other) = (Framer::<Lines, 8>::new(), Framer::<Lines, 8>::new());
    let (mut room, mut more_room) = ([0; 8], [0; 8]);
    let (end, closed) = pipe.ends();
    drop(closed);
    let open = nanojsonrpc::connection::Connection::new(&end, &end, &mut one, &mut room);
    let mut ended = nanojsonrpc::connection::Connection::new(&end, &end, &mut other, &mut more_room);
    assert!(!ended.read().unwrap() && ended.has_ended());
    told_apart![open, ended];
    #[cfg(feature = "embedded-io-async")]
    {
        let mut open = open;
        told_apart![open.concurrent::<1, 8, 8>(), ended.concurrent::<1, 8, 8>()];
    }
    told_apart![nanojsonrpc::message::Shown(1), nanojsonrpc::message::Shown(2)];
    let held = ["a", "b"].map(|text| Id::<8>::try_from(text).unwrap());
    let [Id::String(one), Id::String(other)] = held else { unreachable!() };
    told_apart![one, other];
}

#[cfg(feature = "mcp")]
#[test]
fn what_the_protocol_of_models_has_is_logged() {
    use nanojsonrpc::mcp::Schema;
    use nanojsonrpc::mcp::types::{List, Role};

    let came = List::<Role>::read(RawValue::parse(br#"["user"]"#).unwrap()).unwrap();
    let (own, other) = (List::of(&[Role::User]), List::of(&[Role::Assistant, Role::User]));
    let mut rest = own.iter();
    rest.next();
    told_apart![came, own, other, came.iter(), own.iter(), rest];
    told_apart![Schema::NO_ARGUMENTS, Schema::parse(r#"{"type":"object"}"#).unwrap()];
}

#[cfg(all(feature = "mcp", feature = "embedded-io-async"))]
#[test]
fn clients_services_and_templates_of_mcp_are_logged() {
    use nanojsonrpc::connection::Connection;
    use nanojsonrpc::mcp::client::{Call, Client, on_log};
    use nanojsonrpc::mcp::types::LogMessage;
    use nanojsonrpc::mcp::{Subscriptions, UriTemplate};

    let mut client: Client = Client::new("tests", "1");
    told_apart![client, Call::new("a"), Call::new("b"), on_log(|_: &mut (), _: LogMessage<'_>| {})];
    told_apart![UriTemplate::new("a:{b}"), UriTemplate::new("a:{c}"), Subscriptions::<1>::new()];
    assert_eq!(format!("{:?}", UriTemplate::new("a:{b}")), "Some(a:{b})");
    let (mut pipe, mut server, mut output) = (Pipe::<8>::new(), Server::new(Router::<()>::new()), [0; 8]);
    let mut context = ();
    let (device, _) = pipe.ends();
    let mut framer = Framer::<Lines, 8>::new();
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let session = client.over(&mut connection, &mut server, &mut context);
    told_apart![session, 1];
    let session = client.over_async(&mut connection, &mut server, &mut context);
    told_apart![session, 1];
}

#[cfg(feature = "alloc")]
#[test]
fn paths_and_growing_buffers_are_logged() {
    let value = RawValue::parse(br#"{"a":[1,{"b":true}]}"#).unwrap();
    let growing: nanojsonrpc::frame::FramerOver<Lines, nanojsonrpc::Growing> = Framer::<Lines>::growing(9);
    told_apart![value.path_to(6), value.path_to(13), growing];
    let (mut short, mut output) = (nanojsonrpc::Growing::new(8), nanojsonrpc::Growing::new(9));
    told_apart![short, output];
    let dialect = Dialect::JSON_RPC;
    told_apart![dialect, Dialect::MCP, dialect.with_max_len(9)];
    told_apart![Exchange::new(b"1", &mut short, dialect), Exchange::new(b"1", &mut output, dialect)];
    told_apart![Writer::new(&mut short), Writer::new(&mut output)];
    let errors = [ErrorObject::INTERNAL_ERROR, ErrorObject::METHOD_NOT_FOUND];
    let [first, second] = errors.map(nanojsonrpc::message::OwnedErrorObject::from);
    let routes = Router::<()>::new()
        .boxed(|routes, context, call, exchange| Box::pin(AsyncRoutes::route(routes, context, call, exchange)))
        .into_routes();
    told_apart![first, second, routes];
}

#[cfg(all(feature = "macros", feature = "embedded-io"))]
#[test]
fn parts_of_services_and_schemas_are_logged() {
    use nanojsonrpc::connection::Connection;
    use nanojsonrpc::json_schema::Node;
    use nanojsonrpc::service::Caller;

    told_apart![Node::Json { text: "1" }, Node::Array { elements: &[] }];
    let (mut client, mut text): (Client<(), 4>, _) = (Client::new(), [0; 128]);
    let first = client.sending((), &mut Writer::new(&mut text)).call::<u8>("a", &()).unwrap();
    let second = client.sending((), &mut Writer::new(&mut text)).call::<u8>("a", &()).unwrap();
    let mut out = Writer::new(&mut text);
    let sending = client.sending((), &mut out);
    told_apart![first, second, sending];
    let mut calls = client.batch(&mut out);
    told_apart![calls.sending(()), 1];
    let (mut pipe, mut server, mut output) = (Pipe::<8>::new(), Server::new(Router::<()>::new()), [0; 8]);
    let mut context = ();
    let (device, _) = pipe.ends();
    let mut framer = Framer::<Lines, 8>::new();
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let peer = connection.peer(&mut server, &mut context);
    told_apart![peer, 1];
}

#[cfg(feature = "websocket")]
#[test]
fn a_frame_of_websocket_is_logged() {
    let framer = Framer::<nanojsonrpc::frame::WebSocket, 8>::new();
    let mut pushed = Framer::<nanojsonrpc::frame::WebSocket, 8>::new();
    assert!(pushed.push(b"\x81") == 1 && pushed.next().is_none());
    told_apart![framer, pushed, framer.frame(), pushed.frame(), 1];
    assert!(format!("{framer:?}").contains("WebSocket"));
}

#[cfg(feature = "authorization")]
#[test]
fn no_secret_of_authorization_is_logged() {
    use nanojsonrpc::mcp::authorization::{Client, Grant, Pkce, Secret, TokenAuth, TokenRequest, Unguessable};

    // other secrets, but the same log
    let logs = ["hidden", "concealed"].map(|secret| {
        let secret = Secret::from(secret);
        let client = Client::confidential("a", secret, TokenAuth::Post);
        let request = TokenRequest { grant: Grant::Refresh(secret), client: &client, resource: "b", scope: None };
        let mut out = [0; 128];
        let form = defmt_log::logged(&request.write(&mut out).unwrap());
        [defmt_log::logged(&secret), defmt_log::logged(&client), defmt_log::logged(&request), form]
    });
    assert_eq!(logs[0], logs[1]);
    told_apart![Secret::from("a"), Unguessable::new(&[1; 16])];
    assert_eq!(defmt_log::logged(&Unguessable::new(&[1; 16])), defmt_log::logged(&Unguessable::new(&[2; 16])));
    let (one, other) = (Pkce::new(&[1; 32]), Pkce::new(&[2; 32]));
    told_apart![one, other];
    let logged = defmt_log::logged(&one);
    let has = |text: &str| logged.windows(text.len()).any(|bytes| bytes == text.as_bytes());
    assert!(has(one.challenge()) && !has(one.verifier()));
}

#[cfg(feature = "authorization")]
#[test]
fn no_key_of_a_seal_is_logged() {
    use nanojsonrpc::mcp::authorization::Seal;

    let logs = [1, 2].map(|byte| defmt_log::logged(&Seal::new(&[byte; 32])));
    assert!(!logs[0].is_empty() && logs[0] == logs[1]);
}

#[cfg(all(feature = "mcp", feature = "embedded-io", feature = "serde"))]
#[test]
fn a_client_of_mcp_over_http_is_logged_without_its_token() {
    use nanojsonrpc::mcp::Revision;
    use nanojsonrpc::mcp::client::http::{Http, Remote};

    let log = |token, revision| {
        let mut remote = Remote::new("h", "/mcp");
        remote.set_token(Some(token));
        remote.set_revision(revision);
        defmt_log::logged(&remote)
    };
    assert_eq!(log("hidden", Revision::V2025_11_25), log("concealed", Revision::V2025_11_25));
    assert_ne!(log("hidden", Revision::V2025_11_25), log("hidden", Revision::V2025_06_18));
    let http: Http<'_, ()> = Http::new(Remote::new("h", "/mcp"), (), ());
    assert!(!defmt_log::logged(&http).is_empty());
}
