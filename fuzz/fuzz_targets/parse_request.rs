//! On any bytes, in every dialect: no panic, every reader gives the same verdict, and each message
//! can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nanojsonrpc::{
    Batch, Dialect, Envelope, EnvelopeKind, Error, ErrorKind, Id, Message, RawValue, Refused, Request, Response,
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
    let message = envelope.and_then(Message::<ID, METHOD>::try_from);
    let request = envelope.and_then(Request::<ID, METHOD>::try_from);
    if let Err(refused) = &message {
        answer_can_be_read(refused, dialect);
    }

    let envelope = match envelope {
        Ok(envelope) => envelope,
        Err(refused) => {
            if (ID, METHOD) == (64, 64) {
                assert_eq!(Message::parse_as(text, dialect), Err(refused));
                assert_eq!(Request::parse_as(text, dialect), Err(refused));
            }
            return;
        }
    };
    match message {
        Ok(message) => {
            is_the_same(&message, &envelope);
            match &message {
                Message::Batch(batch) => elements_are_judged_alone::<ID, METHOD>(batch, dialect),
                _ => can_be_read_again(&message, text, dialect),
            }
            match request {
                Ok(request) => assert_eq!(Message::Request(request), message),
                Err(refused) => {
                    assert_ne!(envelope.kind(), EnvelopeKind::Request);
                    assert_eq!(refused.kind(), ErrorKind::UnexpectedMessage);
                }
            }
        }
        Err(refused) => {
            assert_eq!((refused.kind(), refused.offset()), exceeded_capacity::<ID, METHOD>(&envelope, text));
            no_call_is_lost::<ID>(&refused, envelope.kind(), envelope.id());
            match envelope.kind() {
                EnvelopeKind::Request => assert_eq!(request, Err(refused)),
                _ => assert_eq!(request.map_err(|refused| refused.kind()), Err(ErrorKind::UnexpectedMessage)),
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
        Message::Batch(batch) => assert_eq!(envelope.batch(), Some(*batch)),
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
fn no_call_is_lost<const ID: usize>(refused: &Refused<'_>, kind: EnvelopeKind, id: Option<RawValue<'_>>) {
    let answer = refused.answer();
    assert_eq!(answer.is_some(), matches!(kind, EnvelopeKind::Request | EnvelopeKind::Batch), "{kind:?}: {refused}");
    // an id that does not fit cannot come back
    let own = id.filter(|id| Id::<ID>::read(*id).is_ok());
    assert_eq!(refused.id, own);
    assert!(answer.is_none_or(|answer| answer.id == id_of(refused)));
}

/// A text or batch beyond a limit of the dialect is refused and answered as a whole.
fn a_limit_loses_no_call(text: &[u8], dialect: Dialect) {
    let Err(refused) = Message::parse_as(text, dialect) else { return };
    if let ErrorKind::BatchTooLong | ErrorKind::MessageTooLong = refused.kind() {
        assert!(refused.id.is_none());
        assert!(refused.answer().is_some_and(|answer| answer.id.is_null()));
        assert_eq!(Envelope::parse_as(text, dialect), Err(refused));
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
    let again = Envelope::parse_as(&out[..len], dialect).and_then(Message::try_from);
    assert_eq!(again.as_ref(), Ok(message), "{}", out[..len].escape_ascii());
    let mut short = vec![0; len - 1];
    assert_eq!(message.write_as(&mut short, dialect).map_err(Error::kind), Err(ErrorKind::OutputFull));
}

/// An element of a batch gets the verdict that it would get alone, except that it must not be a batch.
fn elements_are_judged_alone<const ID: usize, const METHOD: usize>(batch: &Batch<'_>, dialect: Dialect) {
    let raw: Vec<_> = batch.raw().elements().collect();
    let judged: Vec<_> = batch.elements().map(|element| element.and_then(Message::<ID, METHOD>::try_from)).collect();
    assert!(raw.len() == batch.count() && judged.len() == batch.count() && !raw.is_empty());
    for (raw, element) in raw.into_iter().zip(judged) {
        if let Err(refused) = &element {
            answer_can_be_read(refused, dialect);
        }
        match (Envelope::parse_as(raw.as_bytes(), dialect).and_then(Message::try_from), element) {
            (Ok(Message::Batch(_)), Err(refused)) => {
                assert_eq!((refused.kind(), refused.offset()), (ErrorKind::NotAMessage, raw.offset()));
            }
            (Ok(alone), Ok(element)) => assert_eq!(alone, element),
            (Err(alone), Err(element)) if alone.kind() == ErrorKind::EmptyBatch => {
                assert_eq!((element.kind(), element.offset()), (ErrorKind::NotAMessage, raw.offset()));
            }
            (Err(alone), Err(element)) => {
                if let Ok(envelope) = Envelope::parse_as(raw.as_bytes(), dialect) {
                    no_call_is_lost::<ID>(&alone, envelope.kind(), envelope.id());
                }
                assert_eq!((alone.kind(), alone.id), (element.kind(), element.id));
                assert_eq!(alone.answer(), element.answer());
                assert_eq!(alone.offset() + raw.offset(), element.offset());
                assert_eq!(alone.id.map(|id| id.offset() + raw.offset()), element.id.map(RawValue::offset));
            }
            (alone, element) => panic!("alone: {alone:?}; in the batch: {element:?}"),
        }
    }
}

/// The answer to a text that was refused is an error response with the text's id and the refusal's code. Written at once, it has an id
/// of any length.
fn answer_can_be_read(refused: &Refused<'_>, dialect: Dialect) {
    let mut out = vec![0; 512 + refused.id.map_or(0, |id| id.as_bytes().len())];
    let written = refused.write_response(&mut out).unwrap();
    let Some(answer) = refused.answer() else { return assert!(written == 0 && !refused.is_answerable()) };
    assert!(refused.is_answerable());
    let read = Envelope::parse_as(&out[..written], dialect).unwrap();
    assert_eq!(read.id(), Some(refused.id.unwrap_or(RawValue::NULL)));
    assert_eq!(read.error_object().unwrap().code, refused.code());

    let len = answer.write(&mut out).unwrap();
    let read = Response::parse_as(&out[..len], dialect).unwrap();
    assert_eq!(read.id, id_of(refused));
    assert_eq!(read.outcome.unwrap_err().code, refused.code());
}

/// The id for the answer; null if it is absent or longer than the default capacity.
fn id_of(refused: &Refused<'_>) -> Id {
    refused.id.and_then(|id| Id::read(id).ok()).unwrap_or_default()
}
