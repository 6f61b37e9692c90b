//! The elements of a batch that are as most programs write them: told, and put together, by a few looks at a few members.
//! All others are for the whole [verdict](super::examine).

use super::envelope::view;
use super::examine::{ABSENT, ID, KNOWN, METHOD, PARAMS, RESULT, VERSION};
use super::{Dialect, EnvelopeKind, Id, Message, Method, Request, Response};
use crate::json::{Elements, Kind, RawStr, UsualMembers};

/// The parts of a message as they stand in its text, empty where absent.
pub(super) struct Parts<'a> {
    pub(super) kind: EnvelopeKind,
    pub(super) id: &'a [u8],
    pub(super) method: &'a [u8],
    pub(super) payload: &'a [u8],
}

const NOTIFICATION: u32 = UsualMembers::bit(VERSION) | UsualMembers::bit(METHOD);
const REQUEST: u32 = NOTIFICATION | UsualMembers::bit(ID);
const SUCCESS: u32 = UsualMembers::bit(VERSION) | UsualMembers::bit(RESULT) | UsualMembers::bit(ID);
const NOTIFICATION_WITH_PARAMS: u32 = NOTIFICATION | UsualMembers::bit(PARAMS);
const REQUEST_WITH_PARAMS: u32 = REQUEST | UsualMembers::bit(PARAMS);

/// The next of `elements`, and what is behind it; `None` if it takes more looks to say what it is.
#[inline(always)]
pub(super) fn element<'a>(elements: &Elements<'a>, dialect: Dialect) -> Option<(Parts<'a>, &'a [u8])> {
    let (members, rest) = elements.usual(&KNOWN)?;
    let kind = match members.seen() {
        NOTIFICATION | NOTIFICATION_WITH_PARAMS => EnvelopeKind::Notification,
        REQUEST | REQUEST_WITH_PARAMS => EnvelopeKind::Request,
        SUCCESS => EnvelopeKind::Success,
        _ => return None,
    };
    let (id, method) = (members.get(ID), members.get(METHOD));
    let numbers = if dialect.allows_any_number() { Kind::Number.bits() } else { 0 };
    if Kind::bit(id) & (Kind::String.bits() | numbers | ABSENT) == 0 {
        return None;
    }
    if kind == EnvelopeKind::Success {
        return Some((Parts { kind, id, method, payload: members.get(RESULT) }, rest));
    }
    let params = members.get(PARAMS);
    let may_be_params = dialect.params_bits() & !Kind::Null.bits() | ABSENT;
    if Kind::bit(params) & may_be_params == 0 || !matches!(method, [b'"', _, _, ..]) {
        return None;
    }
    Some((Parts { kind, id, method, payload: params }, rest))
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
