//! A client of the servers.

use nanojsonrpc::client::Answer;
use nanojsonrpc::{Dialect, EnvelopeKind, Envelopes, Error, RawValue, Writer};

use crate::out::Out;
use crate::spans::END;

/// 16 calls in flight, by number; a tag is the place of the call among all.
pub(crate) type Client = nanojsonrpc::Client<u32, 16>;

/// A client before its first call.
pub(crate) const NEW: Client = Client::new();

pub(crate) const fn client(dialect: Dialect, is_lenient: bool) -> Client {
    NEW.with_dialect(if is_lenient { dialect.with_any_spelling() } else { dialect })
}

/// The longest method that is written.
const METHOD: usize = 256;

/// Writes `<` and the text to send, one call or a batch of them, or `!` and the kind of the fault, counted from the space.
pub(crate) fn call(
    calls: &[u8],
    is_batch: bool,
    is_notification: bool,
    client: &mut Client,
    output: &mut [u8],
) -> usize {
    let mut out = Out::new(output);
    out.bytes(if is_batch { b"<[" } else { b"<" });
    if let Err(error) = RawValue::parse(calls).and_then(|calls| write(calls, is_notification, client, &mut out)) {
        out.clear();
        out.bytes(&[b'!', b' '.wrapping_add(error.kind() as u8)]);
    } else if is_batch {
        out.bytes(b"]");
    }
    out.len()
}

fn write(calls: RawValue<'_>, is_notification: bool, client: &mut Client, out: &mut Out<'_>) -> Result<(), Error> {
    let mut decoded = [0; METHOD];
    for (tag, call) in (0..).zip(calls.elements()) {
        let method = call.element(0).and_then(RawValue::as_str_raw).unwrap_or_default().decode(&mut decoded)?;
        let params = call.element(1).unwrap_or(RawValue::NULL);
        if tag != 0 {
            out.bytes(b",");
        }
        let mut writer = Writer::new(out.rest());
        if is_notification {
            client.notify(method, &params, &mut writer)?;
        } else {
            client.call(method, &params, tag, &mut writer)?;
        }
        let len = writer.len();
        out.skip(len);
    }
    Ok(())
}

/// Writes the kind of each message of `text` to the client: a place in the page's list, and the tag or [`END`].
pub(crate) fn receive(text: &[u8], dialect: Dialect, client: &mut Client, output: &mut [u8]) -> usize {
    let mut out = Out::new(output);
    for read in Envelopes::new(text, dialect) {
        let (what, tag) = match read.map(|envelope| (envelope.kind(), client.accept(&envelope))) {
            Ok((EnvelopeKind::Request, _)) => (5, END),
            Ok((EnvelopeKind::Notification, _)) => (6, END),
            Ok((kind, Some(Answer::To(tag)))) => (u32::from(kind == EnvelopeKind::Error), tag),
            Ok((_, Some(Answer::Duplicate))) => (2, END),
            Ok((_, Some(Answer::NullId | Answer::ToBatch))) => (4, END),
            Ok(_) => (3, END),
            Err(_) => (7, END),
        };
        out.word(what);
        out.word(tag);
    }
    out.len()
}
