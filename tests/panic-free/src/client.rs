//! Calls and their answers.

use nanojsonrpc::client::{Addressee, Answer, Client, Incoming};
use nanojsonrpc::{Dialect, Envelope, Id, Request, Response, Writer};

use crate::{any, name, used};

#[unsafe(no_mangle)]
pub fn call(text: &[u8], out: &mut [u8]) {
    let mut client: Client<u32, 4, 16> =
        Client::new().with_first_id(any(text) as i64).with_dialect(Dialect::MCP.with_any_spelling());
    let mut out = Writer::new(out);
    used(client.call(name(text), &[1, 2], 1, &mut out));
    used(client.request(&Request::new(any(text) as i64, name(text)), 2, &mut out));
    used(client.notify(name(text), &(), &mut out));
    used(client.until(any(text) as u32).call(name(text), name(text), 3, &mut out));
    used(client.until(any(text) as u32).request(&Request::new(9, name(text)), 4, &mut out));
    used((client.len(), client.is_empty()));
    client.in_flight().for_each(used);
    used(out.written());
    match Envelope::parse(text) {
        Ok(envelope) => {
            let dialect = Dialect::LENIENT;
            used((Addressee::of(&envelope, dialect).number(), dialect.allows_any_spelling()));
            used(matches!(client.accept(&envelope), Some(Answer::To(_))));
            used((Response::<16>::try_from(envelope), envelope.get(name(text))));
        }
        Err(refused) => {
            used(Addressee::of_refused(&refused).number());
            used(client.accept_refused(&refused));
            used(client.cancel(&Id::<64>::from(refused.offset() as i64).as_i64().map_or(Id::Null, Id::Number)));
        }
    }
    for incoming in client.receive(text) {
        match incoming {
            Incoming::Response(answer, response) => used((answer, response.id)),
            Incoming::Request(request) => used(request.id),
            Incoming::Notification(notification) => used(notification.method),
            Incoming::Refused(refused, answer) => used((refused.get("error"), answer)),
        }
    }
    used(client.keep(&Id::Number(any(text) as i64)).copied());
    used(client.ticks_left(any(text) as u32));
    client.expire(any(text) as u32).for_each(used);
    client.extract_if(|_, tag| *tag > any(text) as u32).for_each(used);
    client.drain().for_each(used);
}

#[unsafe(no_mangle)]
pub fn call_in_a_batch(text: &[u8], out: &mut [u8]) {
    let mut client: Client<u32, 4> = Client::new();
    let mut out = Writer::new(out);
    let mut batch = client.batch(&mut out);
    used(batch.call(name(text), &[1, 2], 1));
    used(batch.request(&Request::new(any(text) as i64, name(text)), 2));
    used(batch.notify(name(text), &any(text)));
    used((batch.len(), batch.is_empty()));
    used(batch.finish());
    let mut batch = client.until(any(text) as u32).batch(&mut out);
    used(batch.call(name(text), &[1, 2], 1));
    drop(batch);
    used(&client);
}
