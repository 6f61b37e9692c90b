//! `defmt::Format` on every public type, and nothing else: that it compiles is the test.
#![cfg(feature = "defmt")]
#![allow(missing_docs)] // a test

use nanojsonrpc::client::{Answer, Calls, Client, Drain, Incoming, Received, Until};
use nanojsonrpc::frame::{ContentLength, Event, Events, FrameError, FrameErrorKind, Framer, Head, Lines, Values};
use nanojsonrpc::memory::{End, Pipe, PipeError, Plan};

use nanojsonrpc::server::{Exchange, Registry, Replied, Reply};
use nanojsonrpc::{
    ArrayWriter, Batch, BatchElements, BatchWriter, Chars, ClientMessage, Dialect, Elements, Envelope, EnvelopeKind,
    Envelopes, Error, ErrorCode, ErrorCodeKind, ErrorKind, ErrorObject, FromFn, Id, Kind, Members, Message, Method,
    Notification, NumberText, ObjectWriter, Params, ParamsRule, RawStr, RawValue, Refused, Rejection, Request,
    Response, Router, Server, ServerMessage, Text, ValueWriter, Writer, Written,
};

fn is_format<T: defmt::Format>() -> &'static str {
    core::any::type_name::<T>()
}

#[test]
fn every_public_type_can_be_logged() {
    let types = [
        is_format::<Batch<'_>>(),
        is_format::<BatchElements<'_>>(),
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
        is_format::<FromFn<()>>(),
        is_format::<Id>(),
        is_format::<Kind>(),
        is_format::<Members<'_>>(),
        is_format::<Message<'_>>(),
        is_format::<Method<'_>>(),
        is_format::<Notification<'_>>(),
        is_format::<NumberText<64>>(),
        is_format::<ParamsRule>(),
        is_format::<RawStr<'_>>(),
        is_format::<RawValue<'_>>(),
        is_format::<Refused<'_>>(),
        is_format::<Rejection>(),
        is_format::<Request<'_>>(),
        is_format::<Response<'_>>(),
        is_format::<ServerMessage<'_>>(),
        is_format::<Text<'_>>(),
        is_format::<Writer<'_>>(),
        is_format::<ValueWriter<'_, '_>>(),
        is_format::<Written>(),
        is_format::<ObjectWriter<'_, '_>>(),
        is_format::<ArrayWriter<'_, '_>>(),
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
        is_format::<Registry<'_, (), 1>>(),
        is_format::<Answer<u8>>(),
        is_format::<Calls<'_, '_, u8, 1>>(),
        is_format::<Client<u8, 1>>(),
        is_format::<Drain<'_, u8>>(),
        is_format::<Incoming<'_, u8>>(),
        is_format::<Received<'_, '_, u8, 1>>(),
        is_format::<Until<'_, u8, 1>>(),
        is_format::<End<'_, 1>>(),
        is_format::<Pipe<1>>(),
        is_format::<PipeError>(),
        is_format::<Plan>(),
    ];
    #[cfg(feature = "serde")]
    assert!(
        !is_format::<nanojsonrpc::PayloadError>().is_empty()
            && !is_format::<nanojsonrpc::Fault>().is_empty()
            && !is_format::<nanojsonrpc::Deserializer<'_>>().is_empty()
    );
    assert!(types.iter().all(|name| name.starts_with("nanojsonrpc::")));
}
