//! Results that last for `'static`, and methods that are deprecated.
#![deny(warnings)]

use std::borrow::Cow;

use nanojsonrpc::{Client, ErrorObject, Response, Schema, Writer};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Schema)]
struct Label<'a> {
    text: &'a str,
}

#[nanojsonrpc::service(client = FanClient, openrpc)]
trait Fan {
    fn maker(&self) -> &'static str;
    fn model(&self) -> Result<Option<&'static str>, ErrorObject<'static>>;
    #[deprecated(note = "call `maker`")]
    fn vendor(&self) -> &'static str;
    fn label(&self) -> Label<'static>;
    fn labels(&self) -> Result<[Label<'static>; 1], ErrorObject<'static>>;
    #[deprecated]
    #[notification]
    fn stop(&mut self);
}

struct Blower;

impl Fan for Blower {
    fn maker(&self) -> &'static str {
        "north"
    }

    fn model(&self) -> Result<Option<&'static str>, ErrorObject<'static>> {
        Ok(None)
    }

    fn vendor(&self) -> &'static str {
        "north"
    }

    fn stop(&mut self) {}

    fn label(&self) -> Label<'static> {
        Label { text: "north" }
    }

    fn labels(&self) -> Result<[Label<'static>; 1], ErrorObject<'static>> {
        Ok([Label { text: "south" }])
    }
}

/// serde reads a `Cow` as owned text, so it lasts as long as any other.
#[nanojsonrpc::service(client = NotesClient)]
trait Notes {
    fn note(&mut self, text: Cow<'static, str>) -> Cow<'static, str>;
}

struct Book(Cow<'static, str>);

impl Notes for Book {
    fn note(&mut self, text: Cow<'static, str>) -> Cow<'static, str> {
        std::mem::replace(&mut self.0, text)
    }
}

#[test]
fn a_caller_says_the_type_to_read_for_a_static_text() -> Result<(), Box<dyn std::error::Error>> {
    let mut client: Client<(), 4> = Client::new();
    let (mut text, mut output) = ([0; 128], [0; 128]);
    let mut server = FanService::server(Blower);

    let mut out = Writer::new(&mut text);
    let maker = FanClient::maker::<_, heapless::String<8>>(client.sending((), &mut out))?;
    let answer = server.process(&mut (), out.written(), &mut output).answer().unwrap_or_default();
    assert_eq!(maker.read(&Response::parse(answer).map_err(nanojsonrpc::Error::from)?).unwrap(), "north");

    let mut out = Writer::new(&mut text);
    let model = FanClient::model::<_, Option<heapless::String<8>>>(client.sending((), &mut out))?;
    let answer = server.process(&mut (), out.written(), &mut output).answer().unwrap_or_default();
    assert_eq!(model.read(&Response::parse(answer).map_err(nanojsonrpc::Error::from)?), Ok(None));
    Ok(())
}

#[test]
fn a_caller_says_the_type_to_read_for_a_static_part() -> Result<(), Box<dyn std::error::Error>> {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Owned {
        text: heapless::String<8>,
    }

    let mut client: Client<(), 4> = Client::new();
    let (mut text, mut output) = ([0; 128], [0; 128]);
    let mut server = FanService::server(Blower);

    let mut out = Writer::new(&mut text);
    let label = FanClient::label::<_, Owned>(client.sending((), &mut out))?;
    let answer = server.process(&mut (), out.written(), &mut output).answer().unwrap_or_default();
    assert_eq!(label.read(&Response::parse(answer).map_err(nanojsonrpc::Error::from)?).unwrap().text, "north");

    let mut out = Writer::new(&mut text);
    let labels = FanClient::labels::<_, [Owned; 1]>(client.sending((), &mut out))?;
    let answer = server.process(&mut (), out.written(), &mut output).answer().unwrap_or_default();
    assert_eq!(labels.read(&Response::parse(answer).map_err(nanojsonrpc::Error::from)?).unwrap()[0].text, "south");
    Ok(())
}

#[test]
fn a_cow_is_read_as_declared() -> Result<(), Box<dyn std::error::Error>> {
    let mut client: Client<(), 4> = Client::new();
    let (mut text, mut output) = ([0; 128], [0; 128]);
    let mut book = Book("first".into());
    let mut out = Writer::new(&mut text);
    let note = NotesClient::note(client.sending((), &mut out), "second".into())?;
    let mut server = NotesService::server(&mut book);
    let answer = server.process(&mut (), out.written(), &mut output).answer().unwrap_or_default();
    assert_eq!(note.read(&Response::parse(answer).map_err(nanojsonrpc::Error::from)?).unwrap(), "first");
    assert_eq!(book.0, "second");
    Ok(())
}

#[test]
fn a_deprecated_method_is_served_and_warns_its_callers_only() -> Result<(), Box<dyn std::error::Error>> {
    let mut client: Client<(), 4> = Client::new();
    let (mut text, mut output) = ([0; 128], [0; 128]);
    let mut out = Writer::new(&mut text);
    #[expect(deprecated)]
    let vendor = FanClient::vendor::<_, heapless::String<8>>(client.sending((), &mut out))?;
    let mut server = FanService::server(Blower);
    let answer = server.process(&mut (), out.written(), &mut output).answer().unwrap_or_default();
    assert_eq!(vendor.read(&Response::parse(answer).map_err(nanojsonrpc::Error::from)?).unwrap(), "north");
    Ok(())
}
