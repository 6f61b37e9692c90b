//! Messages that are read and written.

use nanojsonrpc::{
    Batch, Dialect, Envelope, Envelopes, Error, ErrorObject, Id, Message, Notification, Params, RawValue, Refused,
    Request, Response, Writer,
    message::{BatchWriter, ClientMessage, ServerMessage, Str, ToMessage},
};

use crate::{any, name, used};

/// Rules that the compiler does not know.
fn dialect(text: &[u8]) -> Dialect {
    let dialect = match any(text) {
        0 => Dialect::JSON_RPC,
        1 => Dialect::CAUCE,
        2 => Dialect::MCP.with_any_version().with_any_params().without_version(),
        3 => Dialect::CAUCE.with_any_outcome(),
        4 => Dialect::MCP.with_null_id_as_notification(),
        _ => Dialect::MCP,
    };
    let dialect = dialect.with_max_batch(any(text)).with_max_len(any(text));
    used((dialect.params(), dialect.max_batch(), dialect.max_len()));
    dialect
}

/// All accessors of a refusal, and its answer.
fn refused_text(refused: Refused<'_>, out: &mut [u8]) {
    used((refused.error, refused.kind(), refused.offset(), refused.code(), refused.code().kind()));
    used((refused.id, refused.is_answerable()));
    if let Some(answer) = refused.answer() {
        used(answer.write(out));
    }
    used(refused.write_response(out));
}

fn params(params: Option<RawValue<'_>>, wanted: &[u8]) {
    let params = Params::from(params);
    used((params.raw(), params.is_empty(), params.get(name(wanted)), params.element(any(wanted))));
}

fn id<const ID: usize>(id: &Id<ID>) {
    used((id.is_null(), id.as_i64(), id.as_str()));
    if let Id::Decimal { text: number, .. } = id {
        used(number.as_str());
    }
    if let Id::String(text) = id {
        used((text.as_str(), text.len(), text == "a"));
    }
}

#[unsafe(no_mangle)]
pub fn request(text: &[u8], out: &mut [u8]) {
    used(Request::parse(text).is_ok());
    used(Request::parse_as(text, dialect(text)).is_ok());
    let mut kept: Request<'_, 8, 16> = Request::default();
    if let Err(refused) = Envelope::parse_as(text, dialect(text)).and_then(|envelope| kept.hold(&envelope)) {
        refused_text(refused, out);
    }
    used(kept.write_response(Ok(&text.len()), out));
    used(kept.write_response(Err::<&usize, _>(&ErrorObject::INTERNAL_ERROR), out));
    used(kept.write(out));
    match Envelope::parse_as(text, dialect(text)).and_then(Request::<8, 16>::try_from) {
        Ok(request) => {
            id(&request.id);
            used(request.method.as_str());
            params(request.params, text);
            used(request.write(out));
            used(request.clone().with_params(name(text)).write(out));
            used(request.without_params().map(|request| request.write(out)));
        }
        Err(refused) => refused_text(refused, out),
    }
    used(Request::new(any(text) as i64, name(text)).with_params(&[1, 2]).write(out));
}

#[unsafe(no_mangle)]
pub fn notification(text: &[u8], out: &mut [u8]) {
    used(Notification::parse(text).is_ok());
    used(Notification::parse_as(text, dialect(text)).is_ok());
    match Envelope::parse_as(text, dialect(text)).and_then(Notification::<16>::try_from) {
        Ok(notification) => {
            used(notification.write(out));
            used(notification.write_as(out, dialect(text)));
            used(notification.clone().with_params(name(text)).write(out));
            used(notification.method.into_held().is_ok());
        }
        Err(refused) => refused_text(refused, out),
    }
    used(Notification::new(name(text)).write(out));
}

#[unsafe(no_mangle)]
pub fn response(text: &[u8], out: &mut [u8]) {
    used(Response::parse(text).is_ok());
    used(Response::parse_as(text, dialect(text)).is_ok());
    match Envelope::parse_as(text, dialect(text)).and_then(Response::<8>::try_from) {
        Ok(response) => {
            used(response.write(out));
            if let Err(error) = response.outcome {
                used((error.message.as_str(), error.message == *name(text), error.data));
            }
        }
        Err(refused) => refused_text(refused, out),
    }
    used(Response::success(any(text) as i64, name(text)).write(out));
    let error = ErrorObject::new(any(text) as i64, name(text)).with_message("other").with_data(name(text));
    used(Response::<64, RawValue<'_>, _>::error(Id::Null, error).write(out));
}

#[unsafe(no_mangle)]
pub fn identifier(text: &[u8], other: &[u8]) {
    let Ok(value) = RawValue::parse(text) else { return };
    let read = Id::<8>::read(value);
    used(&read);
    used(Id::<64>::try_from(name(text)).is_ok_and(|one| Id::try_from(name(other)) == Ok(one)));
    used(Id::<64>::from(any(text) as i64));
}

#[unsafe(no_mangle)]
pub fn message(text: &[u8], out: &mut [u8]) {
    used(Message::parse(text).is_ok());
    used(Message::parse_as(text, dialect(text)).is_ok());
    match Envelope::parse_as(text, dialect(text)).and_then(Message::<8, 16>::try_from) {
        Ok(Message::Batch(elements)) => batch(&elements, out),
        Ok(message) => {
            used(message.write(out));
            used(message.write_as(out, dialect(text)));
            used(Writer::new(out).message_as(&message, dialect(text)));
        }
        Err(refused) => refused_text(refused, out),
    }
    let mut kept = Message::<8, 16>::default();
    used(Envelope::parse_as(text, dialect(text)).and_then(|envelope| kept.hold(&envelope)).is_ok());
    used(kept.write(out));
}

fn batch(batch: &Batch<'_>, out: &mut [u8]) {
    used((batch.count(), batch.raw()));
    let mut kept = Message::<8, 16>::default();
    for element in batch.elements() {
        used((element.and_then(|envelope| kept.hold(&envelope)).is_ok(), kept.write(out)));
    }
    let mut answers = BatchWriter::new(out);
    for element in *batch {
        match element.and_then(Message::<8, 16>::try_from) {
            Ok(message) => used(answers.push(&message)),
            Err(refused) => used(refused.answer().map(|answer| answers.push(&answer))),
        }
    }
    used(answers.is_empty());
    used(answers.finish());
}

#[unsafe(no_mangle)]
pub fn directions(text: &[u8]) {
    used(Envelope::parse(text).and_then(ClientMessage::<64, 64>::try_from).is_ok());
    used(Envelope::parse_as(text, dialect(text)).and_then(ClientMessage::<8, 16>::try_from).is_ok());
    used(Envelope::parse(text).and_then(ServerMessage::<64, 64>::try_from).is_ok());
    used(Envelope::parse_as(text, dialect(text)).and_then(ServerMessage::<8, 16>::try_from).is_ok());
}

#[unsafe(no_mangle)]
pub fn envelope(text: &[u8]) {
    used(Envelope::parse(text).is_ok());
    match Envelope::parse_as(text, dialect(text)) {
        Ok(envelope) => {
            used((envelope.kind(), envelope.id(), envelope.method(), envelope.params()));
            used((envelope.result(), envelope.error(), envelope.batch()));
            used(envelope.error_object().map(|error| error.code));
            used(Request::<64, 64>::try_from(envelope).is_ok());
            used(Notification::<64>::try_from(envelope).is_ok());
            used(Response::<64>::try_from(envelope).is_ok());
            used(Message::<64, 64>::try_from(envelope).is_ok());
            used(envelope.write_response(Ok(&text.len()), &mut [0; 48]));
        }
        Err(refused) => {
            used((refused.kind(), refused.offset(), refused.code()));
            used(refused.answer());
            used(Error::from(refused));
        }
    }
    let mut messages = Envelopes::new(text, dialect(text));
    for message in &mut messages {
        used(message.map_err(|refused: Refused<'_>| refused.error));
    }
    used(messages.is_batch());
}

#[unsafe(no_mangle)]
pub fn outgoing(text: &[u8], out: &mut [u8]) {
    let mut out = Writer::new(out);
    let request = Request::new(1, name(text));
    let messages: [&dyn ToMessage; 2] = [&request, &Notification::new(name(text))];
    for message in messages {
        used(out.message(message));
    }
    if let Err(error) = RawValue::parse(text) {
        used(ErrorObject::from(error).message);
    }
    used(Str::from(name(text)) == name(text));
}
