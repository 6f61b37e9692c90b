//! Results that last for `'static`, and methods that are deprecated.
#![deny(warnings)]

use nanojsonrpc::{Client, ErrorObject, Response, Writer};

#[nanojsonrpc::service(client = FanClient, openrpc)]
trait Fan {
    fn maker(&self) -> &'static str;
    fn model(&self) -> Result<Option<&'static str>, ErrorObject<'static>>;
    #[deprecated(note = "call `maker`")]
    fn vendor(&self) -> &'static str;
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
}

#[test]
fn a_caller_says_the_type_to_read_for_a_static_text() -> Result<(), Box<dyn std::error::Error>> {
    let mut client: Client<(), 4> = Client::new();
    let (mut text, mut output) = ([0; 128], [0; 128]);
    let mut server = FanService::server(Blower);

    let mut out = Writer::new(&mut text);
    let maker = FanClient::maker::<_, heapless::String<8>>(client.sending((), &mut out))?;
    let answer = server.process(&mut (), out.written(), &mut output).unwrap_or_default();
    assert_eq!(maker.read(&Response::parse(answer)?).unwrap(), "north");

    let mut out = Writer::new(&mut text);
    let model = FanClient::model::<_, Option<heapless::String<8>>>(client.sending((), &mut out))?;
    let answer = server.process(&mut (), out.written(), &mut output).unwrap_or_default();
    assert_eq!(model.read(&Response::parse(answer)?), Ok(None));
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
    let answer = server.process(&mut (), out.written(), &mut output).unwrap_or_default();
    assert_eq!(vendor.read(&Response::parse(answer)?).unwrap(), "north");
    Ok(())
}
