//! Messages as most programs write them: told by a few looks at a few members; and the elements of a batch that are so, put
//! together. All others are for the whole [verdict](super::examine).

use super::envelope::view;
use super::examine::{ABSENT, ID, KNOWN, METHOD, PARAMS, RESULT, payload};
use super::{Dialect, EnvelopeKind, Id, Message, Method, Request, Response};
use crate::json::{Elements, Kind, RawStr};

/// The parts of a message as they stand in its text, empty where absent.
pub(super) struct Parts<'a> {
    pub(super) kind: EnvelopeKind,
    pub(super) id: &'a [u8],
    pub(super) method: &'a [u8],
    pub(super) payload: &'a [u8],
}

/// What a message of the right version is, without `error` and repeated members, of which `part` gives the others by their
/// slots; `None` if it takes more looks.
#[inline(always)]
pub(super) fn kind<'a>(dialect: Dialect, part: impl Fn(usize) -> &'a [u8]) -> Option<EnvelopeKind> {
    let (id, method, has_result) = (Kind::bit(part(ID)), part(METHOD), !part(RESULT).is_empty());
    if has_result != method.is_empty() {
        return None;
    }
    let numbers = if dialect.allows_any_number() { Kind::Number.bits() } else { 0 };
    if id & (Kind::String.bits() | numbers | ABSENT) == 0 {
        return None;
    }
    if has_result {
        return if id == ABSENT { None } else { Some(EnvelopeKind::Success) };
    }
    let may_be_params = dialect.params_bits() & !Kind::Null.bits() | ABSENT;
    if Kind::bit(part(PARAMS)) & may_be_params == 0 || !matches!(method, [b'"', _, _, ..]) {
        return None;
    }
    Some(if id == ABSENT { EnvelopeKind::Notification } else { EnvelopeKind::Request })
}

/// The next of `elements`, and what is behind it; `None` if it takes more looks to say what it is.
#[inline(always)]
pub(super) fn element<'a>(elements: &Elements<'a>, dialect: Dialect) -> Option<(Parts<'a>, &'a [u8])> {
    let (members, rest) = elements.usual(&KNOWN)?;
    let kind = kind(dialect, |slot| members.get(slot))?;
    let payload = members.get(payload(kind));
    Some((Parts { kind, id: members.get(ID), method: members.get(METHOD), payload }, rest))
}

impl<'a> Parts<'a> {
    /// The message of `text` that they make; `None` if the id or the method is too long.
    #[inline(never)]
    pub(super) fn message<const ID: usize, const METHOD: usize>(
        self,
        text: &'a [u8],
    ) -> Option<Message<'a, ID, METHOD>> {
        let payload = view(text, self.payload);
        let mut message = match self.kind {
            EnvelopeKind::Success => Message::Response(Response { id: Id::Null, outcome: Ok(payload?) }),
            _ => Message::Request(Request {
                id: Id::Null,
                method: RawStr::of(self.method).and_then(Method::unescaped)?,
                params: payload,
            }),
        };
        let place = match &mut message {
            Message::Request(request) => &mut request.id,
            Message::Response(response) => &mut response.id,
            _ => return None,
        };
        if place.fill(self.id) { Some(message) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dialect, EnvelopeKind, Message, element};
    use crate::json::RawValue;

    #[test]
    fn what_most_elements_of_a_batch_are_is_told_and_put_together_at_once() {
        use EnvelopeKind::{Request, Success};
        for (batch, kind) in [
            (r#"[{"jsonrpc":"2.0","method":"m","params":[1],"id":"a"},1]"#, Request),
            (r#"[{"jsonrpc":"2.0","id":2.5,"method":"m"},1]"#, Request),
            (r#"[{"jsonrpc":"2.0","result":{"a":[]},"id":3},1]"#, Success),
            (r#"[{"jsonrpc":"2.0","id":"b","result":null},1]"#, Success),
        ] {
            let elements = RawValue::trusted(batch.as_bytes(), batch.as_bytes()).elements();
            let told = element(&elements, Dialect::JSON_RPC);
            assert_eq!(told.as_ref().map(|(parts, rest)| (parts.kind, *rest)), Some((kind, &b",1]"[..])), "{batch}");
            let message = told.and_then(|(parts, _)| parts.message::<8, 8>(batch.as_bytes()));
            let alone = batch.get(1..batch.len().saturating_sub(3)).unwrap_or_default();
            assert_eq!(message, Message::parse_bounded(alone.as_bytes(), Dialect::JSON_RPC).ok(), "{batch}");
            assert!(message.is_some(), "{batch}");
        }
    }

    #[test]
    fn elements_that_take_more_looks_are_for_the_whole_verdict() {
        for batch in [
            r#"[{"jsonrpc":"2.0","method":"m","result":1,"id":1}]"#,
            r#"[{"jsonrpc":"2.0","id":1}]"#,
            r#"[{"jsonrpc":"2.0","result":1}]"#,
            r#"[{"jsonrpc":"2.0","method":"","id":1}]"#,
            r#"[{"jsonrpc":"2.0","method":"m","id":null}]"#,
            r#"[{"jsonrpc":"2.0","method":"m","params":null}]"#,
            r#"[{"jsonrpc":"2.0","method":"m","params":1}]"#,
            r#"[{"method":"m","jsonrpc":"2.0"}]"#,
        ] {
            let elements = RawValue::trusted(batch.as_bytes(), batch.as_bytes()).elements();
            assert!(element(&elements, Dialect::JSON_RPC).is_none(), "{batch}");
        }
    }
}
