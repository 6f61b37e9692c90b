//! On any bytes, in every dialect: no panic, every reader gives the same verdict, and each message
//! can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nanojsonrpc::{
    Batch, Dialect, Envelope, EnvelopeKind, Error, ErrorKind, Id, Message, RawValue, Rejection, Request, Response,
};

const DIALECTS: [Dialect; 3] = [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP];

fuzz_target!(|text: &[u8]| {
    for dialect in DIALECTS {
        // with the default capacities, and with others that most messages exceed
        check::<64, 64>(text, dialect);
        check::<2, 5>(text, dialect);
        check::<0, 1>(text, dialect);
        a_limit_loses_no_call(text, dialect.with_max_len(text.len().saturating_sub(1)));
        a_limit_loses_no_call(text, dialect.with_max_batch(1));
    }
});

fn check<const ID: usize, const METHOD: usize>(text: &[u8], dialect: Dialect) {
    let envelope = Envelope::parse_as(text, dialect);
    let message = Message::<ID, METHOD>::parse_bounded(text, dialect);
    let request = Request::<ID, METHOD>::parse_bounded(text, dialect);
    if let Err(rejection) = &message {
        answer_can_be_read(rejection, dialect);
    }

    let envelope = match envelope {
        Ok(envelope) => envelope,
        Err(refused) => {
            let id = refused.id.and_then(|id| Id::<ID>::read(id).ok()).unwrap_or_default();
            for rejection in [message.map(|_| ()).unwrap_err(), request.map(|_| ()).unwrap_err()] {
                assert_eq!((rejection.error(), rejection.id()), (refused.error, &id));
            }
            return;
        }
    };
    match message {
        Ok(message) => {
            is_the_same(&message, &envelope);
            match &message {
                Message::Batch(batch) => elements_are_judged_alone(batch, dialect),
                _ => can_be_read_again(&message, text, dialect),
            }
            match request {
                Ok(request) => assert_eq!(Message::Request(request), message),
                Err(rejection) => {
                    assert_ne!(envelope.kind(), EnvelopeKind::Request);
                    assert_eq!(rejection.kind(), ErrorKind::UnexpectedMessage);
                }
            }
        }
        Err(rejection) => {
            assert_eq!((rejection.kind(), rejection.offset()), exceeded_capacity::<ID, METHOD>(&envelope, text));
            no_call_is_lost(&rejection, envelope.kind(), envelope.id());
            match envelope.kind() {
                EnvelopeKind::Request => assert_eq!(request, Err(rejection)),
                _ => assert_eq!(request.map_err(|rejection| rejection.kind()), Err(ErrorKind::UnexpectedMessage)),
            }
        }
    }
}

fn is_the_same<const ID: usize, const METHOD: usize>(message: &Message<'_, ID, METHOD>, envelope: &Envelope<'_>) {
    let id = Id::read(envelope.id().unwrap_or(RawValue::NULL));
    match message {
        Message::Request(request) => {
            assert_eq!(envelope.kind(), EnvelopeKind::Request);
            assert!(envelope.method() == *request.method && envelope.params() == request.params);
            assert_eq!(Ok(&request.id), id.as_ref());
        }
        Message::Notification(notification) => {
            assert_eq!(envelope.kind(), EnvelopeKind::Notification);
            assert!(envelope.method() == *notification.method && envelope.params() == notification.params);
            assert_eq!(envelope.id(), None);
        }
        Message::Response(response) => {
            assert_eq!(Ok(&response.id), id.as_ref());
            match &response.outcome {
                Ok(result) => assert_eq!(envelope.result(), Some(*result)),
                Err(error) => {
                    let object = envelope.error().unwrap();
                    let member = |name: &str| object.members().find(|member| member.0 == *name).map(|member| member.1);
                    assert_eq!(member("code").and_then(RawValue::as_i64).unwrap_or(0), error.code.0);
                    assert_eq!(member("message").unwrap().as_str_raw().unwrap().to_string(), error.message.to_string());
                    assert_eq!(member("data"), error.data);
                }
            }
        }
        Message::Batch(batch) => assert_eq!(envelope.elements(), Some(batch.raw())),
    }
}

/// The kind and offset of the error for the id or method of `envelope` that is too long.
fn exceeded_capacity<const ID: usize, const METHOD: usize>(envelope: &Envelope<'_>, text: &[u8]) -> (ErrorKind, usize) {
    if let Some(id) = envelope.id() {
        let len = id.as_str_raw().map_or(id.as_bytes().len(), |text| text.to_string().len());
        // null takes no room
        if !id.is_null() && id.as_i64().is_none() && len > ID {
            return (ErrorKind::IdTooLong, id.offset());
        }
    }
    let method = envelope.method();
    assert!(method.to_string().len() > METHOD);
    // from the quotation mark on
    (ErrorKind::MethodTooLong, method.as_bytes().as_ptr().addr() - text.as_ptr().addr() - 1)
}

/// "A message with an id member is never taken for a notification. A notification is never answered. A response is never
/// answered with an error." This also holds beyond a capacity.
fn no_call_is_lost<const ID: usize>(rejection: &Rejection<ID>, kind: EnvelopeKind, id: Option<RawValue<'_>>) {
    let answer = rejection.clone().answer();
    assert_eq!(answer.is_some(), matches!(kind, EnvelopeKind::Request | EnvelopeKind::Batch), "{kind:?}: {rejection}");
    // an id that does not fit cannot come back
    let own = id.and_then(|id| Id::read(id).ok()).unwrap_or_default();
    assert_eq!(rejection.id(), &own);
    assert!(answer.is_none_or(|answer| answer.id == own));
}

/// A text or batch beyond a limit of the dialect is refused and answered as a whole.
fn a_limit_loses_no_call(text: &[u8], dialect: Dialect) {
    let Err(rejection) = Message::parse_as(text, dialect) else { return };
    if let ErrorKind::BatchTooLong | ErrorKind::MessageTooLong = rejection.kind() {
        assert!(rejection.id().is_null());
        assert!(rejection.clone().answer().is_some_and(|answer| answer.id.is_null()));
        let refused = Envelope::parse_as(text, dialect).unwrap_err();
        assert!(refused.error == rejection.error() && refused.id.is_none());
    }
}

/// The written text means the same; with one byte less room, nothing is written.
fn can_be_read_again<const ID: usize, const METHOD: usize>(
    message: &Message<'_, ID, METHOD>,
    text: &[u8],
    dialect: Dialect,
) {
    // all that writing can add is the null id that an error response came without
    let mut out = vec![0; text.len() + r#","id":null"#.len()];
    let len = message.write_as(&mut out, dialect).unwrap();
    let again = Message::parse_bounded(&out[..len], dialect);
    assert_eq!(again.as_ref(), Ok(message), "{}", out[..len].escape_ascii());
    let mut short = vec![0; len - 1];
    assert_eq!(message.write_as(&mut short, dialect).map_err(Error::kind), Err(ErrorKind::OutputFull));
}

/// An element of a batch gets the verdict that it would get alone, except that it must not be a batch.
fn elements_are_judged_alone<const ID: usize, const METHOD: usize>(batch: &Batch<'_, ID, METHOD>, dialect: Dialect) {
    let raw: Vec<_> = batch.raw().elements().collect();
    let judged: Vec<_> = batch.elements().collect();
    assert!(raw.len() == batch.count() && judged.len() == batch.count() && !raw.is_empty());
    for (raw, element) in raw.into_iter().zip(judged) {
        if let Err(rejection) = &element {
            answer_can_be_read(rejection, dialect);
        }
        match (Message::parse_bounded(raw.as_bytes(), dialect), element) {
            (Ok(Message::Batch(_)), Err(rejection)) => {
                assert_eq!((rejection.kind(), rejection.offset()), (ErrorKind::NotAMessage, raw.offset()));
            }
            (Ok(alone), Ok(element)) => assert_eq!(alone, element),
            (Err(alone), Err(element)) if alone.kind() == ErrorKind::EmptyBatch => {
                assert_eq!((element.kind(), element.offset()), (ErrorKind::NotAMessage, raw.offset()));
            }
            (Err(alone), Err(element)) => {
                if let Ok(envelope) = Envelope::parse_as(raw.as_bytes(), dialect) {
                    no_call_is_lost(&alone, envelope.kind(), envelope.id());
                }
                assert_eq!((alone.kind(), alone.id()), (element.kind(), element.id()));
                assert_eq!(alone.clone().answer(), element.clone().answer());
                assert_eq!(alone.offset() + raw.offset(), element.offset());
            }
            (alone, element) => panic!("alone: {alone:?}; in the batch: {element:?}"),
        }
    }
}

/// The answer to a text that was refused is an error response with the text's id and the rejection's code.
fn answer_can_be_read<const ID: usize>(rejection: &Rejection<ID>, dialect: Dialect) {
    let Some(answer) = rejection.clone().answer() else { return };
    let mut out = [0; 512];
    let len = answer.write(&mut out).unwrap();
    let read = Response::<ID>::parse_bounded(&out[..len], dialect).unwrap();
    assert_eq!(&read.id, rejection.id());
    assert_eq!(read.outcome.unwrap_err().code, rejection.code());
}
