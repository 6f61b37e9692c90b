//! Other readers. Each uses the fast form from its documentation, with as little code around it as possible.

use core::hint::black_box;
use std::borrow::Cow;

use nanojsonrpc::{Dialect, Envelopes};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::c;
use crate::shapes::{self, Borrowed, Parts, Shape};

/// One way to read a text.
pub struct Reader {
    /// The name, as tables print it.
    pub name: &'static str,
    /// Reads a text, which it may change, and returns whether it is valid. The benchmark times this function.
    pub read: fn(&mut [u8], &Shape) -> bool,
    /// The parts that it finds in a text, if it accepts the text.
    pub found: Find,
}

/// The part of a reader's result that can be compared.
pub enum Find {
    /// All parts of all messages.
    Parts(fn(&mut [u8], &Shape) -> Option<Vec<Parts>>),
    /// The methods of all messages; the rest is skipped.
    Methods(fn(&mut [u8]) -> Option<Vec<Option<String>>>),
    /// The text as a tree.
    Tree(fn(&mut [u8]) -> Option<serde_json::Value>),
    /// No parts: this is not a JSON reader, only a lower bound of the time.
    Nothing,
}

/// The parts of a message: id and payload as spelled in the text, the method decoded.
#[derive(Default)]
struct Part<'a> {
    id: Option<Id<'a>>,
    method: Option<&'a str>,
    payload: Option<Payload<'a>>,
}

/// A value as spelled in the text; the reader checks that it is UTF-8.
struct Payload<'a>(&'a [u8]);

/// An id, or a function that writes it, so that a reader with a decoded id does not write it in the timed part.
enum Id<'a> {
    Raw(&'a str),
    Decoded(&'a dyn Fn() -> serde_json::Result<String>),
}

type Take<'t> = &'t mut dyn FnMut(Part<'_>);

/// The two functions of a reader that returns parts.
macro_rules! parts {
    ($name:literal, $reader:ident) => {
        Reader {
            name: $name,
            read: |text, shape| $reader(text, shape, &mut |part| _ = black_box(&part)).is_some(),
            found: Find::Parts(|text, shape| {
                let mut parts = Vec::new();
                $reader(text, shape, &mut |part: Part<'_>| {
                    parts.push(Parts {
                        id: part.id.and_then(|id| match id {
                            Id::Raw(id) => Some(id.to_string()),
                            Id::Decoded(write) => write().ok(),
                        }),
                        method: part.method.map(str::to_string),
                        payload: part.payload.map(|payload| String::from_utf8_lossy(payload.0).into_owned()),
                    })
                })?;
                Some(parts)
            }),
        }
    };
}

/// The two functions of a reader that returns methods and skips the rest.
macro_rules! methods {
    ($name:literal, $reader:ident) => {
        Reader {
            name: $name,
            read: |text, _| $reader(text, &mut |method| _ = black_box(&method)).is_some(),
            found: Find::Methods(|text| {
                let mut methods = Vec::new();
                $reader(text, &mut |method: Option<&str>| methods.push(method.map(str::to_string)))?;
                Some(methods)
            }),
        }
    };
}

/// serde_json with a borrowed struct is first: all readers are compared with it. This crate is second.
pub const READERS: [Reader; 19] = [
    Reader {
        name: "serde_json",
        read: |text, shape| shapes::read_with_serde_json(text, shape.is_batch),
        found: Find::Parts(|text, shape| Some(shapes::parts_by_serde_json(text, shape.is_batch))),
    },
    Reader {
        name: "nanojsonrpc",
        read: |text, _| shapes::read_with_nanojsonrpc(text),
        found: Find::Parts(|text, _| Some(shapes::parts_by_nanojsonrpc(text))),
    },
    parts!("nanojsonrpc, borrowed", envelopes),
    parts!("simdutf8, then serde_json", simdutf8_serde_json),
    parts!("sonic-rs", sonic),
    Reader {
        name: "simd-json",
        read: simd_json_tape,
        found: Find::Tree(|text| serde_json::to_value(simd_json::to_borrowed_value(text).ok()?).ok()),
    },
    Reader { name: "simdjson", read: c::simdjson_document, found: Find::Tree(c::simdjson_tree) },
    Reader { name: "yyjson", read: c::yyjson_document, found: Find::Tree(c::yyjson_tree) },
    parts!("jiter", jiter),
    parts!("simdutf8, then jiter", simdutf8_jiter),
    parts!("jsonrpsee-types", jsonrpsee),
    parts!("json-rpc-types", json_rpc_types),
    methods!("serde-json-core", serde_json_core),
    methods!("picojson", picojson),
    methods!("core-json", core_json),
    // far from the same reader without the visit, which would teach the processor the branches of the text
    Reader { name: "simdjson, every value", read: c::simdjson_values, found: Find::Tree(c::simdjson_tree) },
    Reader { name: "yyjson, every value", read: c::yyjson_values, found: Find::Tree(c::yyjson_tree) },
    Reader {
        name: "bound: simdutf8 alone",
        read: |text, _| black_box(simdutf8::basic::from_utf8(text)).is_ok(),
        found: Find::Nothing,
    },
    Reader { name: "bound: sum of the bytes", read: |text, _| black_box(sum(text)) != 0, found: Find::Nothing },
];

fn sum(text: &[u8]) -> u64 {
    text.iter().map(|byte| u64::from(*byte)).sum()
}

fn raw(value: Option<&RawValue>) -> Option<Payload<'_>> {
    value.map(|value| Payload(value.get().as_bytes()))
}

/// Borrows all parts, as readers with a document do.
fn envelopes(text: &mut [u8], _: &Shape, take: Take<'_>) -> Option<()> {
    Envelopes::new(text, Dialect::JSON_RPC).try_for_each(|envelope| {
        let envelope = envelope.ok()?;
        let method = envelope.method().as_str().filter(|method| !method.is_empty());
        let payload = envelope.params().or(envelope.result()).map(|payload| Payload(payload.as_bytes()));
        take(Part { id: envelope.id().map(|id| Id::Raw(id.as_json())), method, payload });
        Some(())
    })
}

fn simdutf8_serde_json(text: &mut [u8], shape: &Shape, take: Take<'_>) -> Option<()> {
    let text = simdutf8::basic::from_utf8(text).ok()?;
    let mut hand_on = |message: Borrowed<'_>| {
        let payload = raw(message.params.or(message.result));
        take(Part { id: message.id.map(|id| Id::Raw(id.get())), method: message.method, payload });
    };
    if shape.is_batch {
        serde_json::from_str::<Vec<Borrowed<'_>>>(text).ok()?.into_iter().for_each(hand_on);
    } else {
        hand_on(serde_json::from_str(text).ok()?);
    }
    Some(())
}

#[derive(Deserialize)]
struct Sonic<'a> {
    #[allow(dead_code, reason = "deserialized, then unused")]
    jsonrpc: &'a str,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Option<sonic_rs::LazyValue<'a>>,
    #[serde(borrow)]
    params: Option<sonic_rs::LazyValue<'a>>,
    #[serde(borrow)]
    result: Option<sonic_rs::LazyValue<'a>>,
}

fn sonic(text: &mut [u8], shape: &Shape, take: Take<'_>) -> Option<()> {
    let mut hand_on = |message: Sonic<'_>| {
        let payload =
            message.params.as_ref().or(message.result.as_ref()).map(|value| Payload(value.as_raw_str().as_bytes()));
        take(Part {
            id: message.id.as_ref().map(|id| Id::Raw(id.as_raw_str())),
            method: message.method.as_deref(),
            payload,
        });
    };
    if shape.is_batch {
        sonic_rs::from_slice::<Vec<Sonic<'_>>>(text).ok()?.into_iter().for_each(hand_on);
    } else {
        hand_on(sonic_rs::from_slice(text).ok()?);
    }
    Some(())
}

/// Reads into a tape, with buffers that are reused.
fn simd_json_tape(text: &mut [u8], _: &Shape) -> bool {
    thread_local! {
        static BUFFERS: core::cell::RefCell<simd_json::Buffers> = core::cell::RefCell::default();
    }
    BUFFERS.with_borrow_mut(|buffers| black_box(&simd_json::to_tape_with_buffers(text, buffers)).is_ok())
}

fn simdutf8_jiter(text: &mut [u8], shape: &Shape, take: Take<'_>) -> Option<()> {
    simdutf8::basic::from_utf8(text).ok()?;
    jiter(text, shape, take)
}

fn jiter(text: &mut [u8], shape: &Shape, take: Take<'_>) -> Option<()> {
    let mut jiter = jiter::Jiter::new(text);
    if shape.is_batch {
        let mut element = jiter.next_array().ok()?;
        while element.is_some() {
            jiter_object(&mut jiter, take)?;
            element = jiter.array_step().ok()?;
        }
    } else {
        jiter_object(&mut jiter, take)?;
    }
    jiter.finish().ok()
}

fn jiter_object<'j>(jiter: &mut jiter::Jiter<'j>, take: Take<'_>) -> Option<()> {
    let mut part = Part::<'j>::default();
    let mut name = jiter.next_object().ok()?;
    while let Some(known) = name {
        let (is_id, is_method) = (known == "id", known == "method");
        let is_payload = known == "params" || known == "result";
        let peeked = jiter.peek().ok()?;
        let start = jiter.current_index();
        jiter.known_skip(peeked).ok()?;
        let value = jiter.slice_to_current(start);
        if is_id {
            part.id = Some(Id::Raw(core::str::from_utf8(value).ok()?));
        } else if is_method {
            part.method = Some(core::str::from_utf8(value).ok()?.trim_matches('"'));
        } else if is_payload {
            part.payload = Some(Payload(value));
        }
        name = jiter.next_key().ok()?;
    }
    take(part);
    Some(())
}

fn jsonrpsee(text: &mut [u8], shape: &Shape, take: Take<'_>) -> Option<()> {
    use jsonrpsee::types::{Notification, Request, Response, ResponsePayload};

    let messages = shape.texts.first().map_or(&[][..], |text| &text.messages);
    let is_call = messages.iter().all(|message| message.method.is_some());
    let is_notification = !messages.is_empty() && messages.iter().all(|message| message.id.is_none());
    let hand_on = |text: &[u8], take: Take<'_>| {
        // in a batch it does the same as its server: it tries a request first, then a notification
        let request = if is_notification { None } else { serde_json::from_slice::<Request<'_>>(text).ok() };
        if let Some(request) = request {
            let id = || serde_json::to_string(&request.id);
            take(Part {
                id: Some(Id::Decoded(&id)),
                method: Some(&request.method),
                payload: raw(request.params.as_deref()),
            });
            return Some(());
        }
        let notification = serde_json::from_slice::<Notification<'_, Option<&RawValue>>>(text).ok()?;
        take(Part { id: None, method: Some(&notification.method), payload: raw(notification.params) });
        Some(())
    };
    if shape.is_batch {
        serde_json::from_slice::<Vec<&RawValue>>(text)
            .ok()?
            .into_iter()
            .try_for_each(|element| hand_on(element.get().as_bytes(), take))
    } else if is_call {
        hand_on(text, take)
    } else {
        let response = serde_json::from_slice::<Response<'_, &RawValue>>(text).ok()?;
        let id = || serde_json::to_string(&response.id);
        let ResponsePayload::Success(result) = &response.payload else { return None };
        take(Part { id: Some(Id::Decoded(&id)), method: None, payload: raw(Some(result)) });
        Some(())
    }
}

fn json_rpc_types(text: &mut [u8], shape: &Shape, take: Take<'_>) -> Option<()> {
    use json_rpc_types::{Request, Response};

    let messages = shape.texts.first().map_or(&[][..], |text| &text.messages);
    let is_call = messages.iter().all(|message| message.method.is_some());
    let mut hand_on = |request: Request<&RawValue>| {
        let write = || serde_json::to_string(&request.id);
        let id = request.id.is_some().then_some(Id::Decoded(&write));
        take(Part { id, method: Some(&request.method), payload: raw(request.params) });
    };
    if shape.is_batch {
        serde_json::from_slice::<Vec<Request<&RawValue>>>(text).ok()?.into_iter().for_each(hand_on);
    } else if is_call {
        hand_on(serde_json::from_slice(text).ok()?);
    } else {
        let response = serde_json::from_slice::<Response<&RawValue, &RawValue>>(text).ok()?;
        let write = || serde_json::to_string(&response.id);
        let id = response.id.is_some().then_some(Id::Decoded(&write));
        take(Part { id, method: None, payload: raw(response.payload.ok()) });
    }
    Some(())
}

/// This reader has no raw values, so it skips all but the method.
#[derive(Deserialize)]
struct Core<'a> {
    #[allow(dead_code, reason = "deserialized, then unused")]
    jsonrpc: &'a str,
    method: Option<&'a str>,
    #[allow(dead_code, reason = "deserialized, then unused")]
    id: Option<IgnoredAny>,
}

fn serde_json_core(text: &mut [u8], take: &mut dyn FnMut(Option<&str>)) -> Option<()> {
    if !text.starts_with(b"[") {
        let (message, len) = serde_json_core::from_slice::<Core<'_>>(text).ok()?;
        take(message.method);
        return (len == text.len()).then_some(());
    }
    struct Each<'t>(&'t mut dyn FnMut(Option<&str>));
    impl<'de> Visitor<'de> for Each<'_> {
        type Value = ();
        fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            f.write_str("an array")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
            while let Some(message) = array.next_element::<Core<'_>>()? {
                (self.0)(message.method);
            }
            Ok(())
        }
    }
    let mut reader = serde_json_core::de::Deserializer::new(text, None);
    reader.deserialize_seq(Each(take)).ok()?;
    reader.end().ok().map(|_| ())
}

fn picojson(text: &mut [u8], take: &mut dyn FnMut(Option<&str>)) -> Option<()> {
    use picojson::{Event, PullParser, SliceParser};

    thread_local! {
        // as long as the longest string with escapes
        static SCRATCH: core::cell::RefCell<Vec<u8>> = core::cell::RefCell::new(vec![0; 1 << 17]);
    }
    let outermost = if text.starts_with(b"[") { 2 } else { 1 };
    SCRATCH.with_borrow_mut(|scratch| {
        let mut parser = SliceParser::with_buffer_from_slice(text, scratch.get_mut(..text.len())?);
        let (mut depth, mut is_next, mut is_found) = (0, false, false);
        loop {
            let is_method = core::mem::take(&mut is_next);
            match parser.next_event().ok()? {
                Event::EndDocument => return Some(()),
                Event::StartObject | Event::StartArray => depth += 1,
                Event::EndObject | Event::EndArray => {
                    if depth == outermost && !core::mem::take(&mut is_found) {
                        take(None);
                    }
                    depth -= 1;
                }
                Event::Key(name) => is_next = depth == outermost && name.as_ref() == "method",
                Event::String(method) if is_method => {
                    is_found = true;
                    take(Some(method.as_ref()));
                }
                _ => {}
            }
        }
    })
}

type CoreJson<'r, 'p> = core_json::Value<'r, 'p, &'r [u8], core_json::ConstStack<16>>;

fn core_json(text: &mut [u8], take: &mut dyn FnMut(Option<&str>)) -> Option<()> {
    let text: &[u8] = text;
    let mut reader = core_json::Deserializer::<&[u8], core_json::ConstStack<16>>::new(text).ok()?;
    let mut value = reader.value().ok()?;
    if matches!(value.kind().ok()?, core_json::Type::Array) {
        let mut elements = value.iterate().ok()?;
        while let Some(element) = elements.next() {
            core_json_object(element.ok()?, take)?;
        }
        return Some(());
    }
    core_json_object(value, take)
}

fn core_json_object(object: CoreJson<'_, '_>, take: &mut dyn FnMut(Option<&str>)) -> Option<()> {
    let mut is_found = false;
    let mut fields = object.fields().ok()?;
    while let Some(field) = fields.next() {
        let mut field = field.ok()?;
        let mut known = "method".chars();
        let is_method =
            field.key().all(|char| char.is_ok_and(|char| known.next() == Some(char))) && known.next().is_none();
        if is_method {
            let method: String = field.value().to_str().ok()?.collect::<Result<_, _>>().ok()?;
            take(Some(&method));
            is_found = true;
        }
    }
    if !is_found {
        take(None);
    }
    Some(())
}
