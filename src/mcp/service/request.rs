//! A request: its revision, its target, and the shape of its answer.

use super::Identity;
use super::feature::{Definition, Definitions, Kind};
use super::operation::Operation;
use super::refusal::{Data, NO_VERSION, Refusal};
use crate::json::Kind as Json;
use crate::json::{ObjectWriter, RawStr, RawValue, ToJson, ValueWriter, Written};
use crate::mcp::types::CacheScope;
use crate::mcp::types::{CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION, SERVER_INFO};
use crate::mcp::value::{Members, Object, is_object, write_text};
use crate::mcp::{Revision, UriTemplate};
use crate::message::{Params, Str};
use crate::server::{Replied, Reply};

/// A request of a supported revision.
pub(super) struct RequestContext<'c> {
    pub(super) params: Params<'c>,
    /// The `_meta` of the request; null if absent.
    pub(super) meta: RawValue<'c>,
    pub(super) revision: Revision,
    pub(super) identity: &'c Identity,
}

/// The members of a result that its revision adds.
#[derive(Clone, Copy)]
pub(super) struct Frame<'f> {
    pub(super) result_type: &'static str,
    pub(super) cache: Option<(u32, CacheScope)>,
    /// The metadata of the handler.
    pub(super) meta: Option<RawValue<'f>>,
}

impl Frame<'_> {
    pub(super) const COMPLETE: Self = Self { result_type: "complete", cache: None, meta: None };
}

impl<'c> RequestContext<'c> {
    /// The request with these params, if it is valid in the `session`.
    ///
    /// A request that has one of the members of 2026-07-28 in its `_meta` has that revision, even in a session; "a request missing any
    /// required field is malformed" (2026-07-28, `_meta`). Any other request belongs to a session.
    pub(super) fn new(
        operation: Operation,
        params: Params<'c>,
        identity: &'c Identity,
        session: Option<Revision>,
    ) -> Result<Self, Refusal<'c>> {
        let meta = params.get("_meta").unwrap_or(RawValue::NULL);
        // null stands for an absent member, also as other implementations write it
        for value in [params.raw().unwrap_or(RawValue::NULL), meta] {
            if !value.is_null() && !is_object(value, identity.is_lenient) {
                return Err(NO_OBJECT.into());
            }
        }
        let version = meta.get(PROTOCOL_VERSION);
        let capabilities = meta.get(CLIENT_CAPABILITIES);
        let is_stateless = version.is_some() || capabilities.is_some() || meta.get(CLIENT_INFO).is_some();
        let revision = if is_stateless {
            match version.and_then(RawValue::as_str_raw) {
                Some(text) if text == *Revision::LATEST.as_str() => {}
                Some(text) => return Err(Refusal::unsupported(text)),
                None => return Err(NO_VERSION.into()),
            }
            if !is_object(capabilities.unwrap_or(RawValue::NULL), identity.is_lenient) {
                return Err(NO_CAPABILITIES.into());
            }
            Revision::LATEST
        } else {
            match (operation, session) {
                (Operation::Initialize | Operation::Ping, _) => session.unwrap_or(Revision::LATEST_SESSION),
                (Operation::Discover, _) | (_, None) => return Err(NO_VERSION.into()),
                (_, Some(revision)) => revision,
            }
        };
        Ok(Self { params, meta, revision, identity })
    }

    /// The argument `name`.
    #[inline(never)]
    pub(super) fn argument(&self, name: &str) -> Option<RawValue<'c>> {
        self.params.get("arguments")?.get(name)
    }

    /// The param `name`, which must be a string.
    // inlined, because the result is moved through memory otherwise
    #[inline]
    pub(super) fn string(&self, name: &str, otherwise: &'static str) -> Result<RawValue<'c>, &'static str> {
        self.params.get(name).filter(|value| value.kind() == Json::String).ok_or(otherwise)
    }

    /// Refuses the param `name` if it is not an object, or to a lenient service nothing.
    #[inline]
    pub(super) fn object(&self, name: &str, otherwise: &'static str) -> Result<(), &'static str> {
        let value = self.params.get(name).unwrap_or(RawValue::NULL);
        if is_object(value, self.identity.is_lenient) { Ok(()) } else { Err(otherwise) }
    }

    /// The number in the cursor of a list; 0 without a cursor, `None` if it is not valid.
    pub(super) fn cursor(&self) -> Option<usize> {
        let Some(cursor) = self.params.get("cursor").filter(|cursor| !cursor.is_null()) else { return Some(0) };
        let cursor = cursor.as_str_raw()?;
        if self.identity.is_lenient && cursor == *"" { Some(0) } else { number(cursor) }
    }

    /// The target of the request, of the kind `kind`.
    pub(super) fn target(&'c self, kind: Kind, definitions: &dyn Definitions) -> Result<Target<'c>, Refusal<'c>> {
        if kind == Kind::Completion {
            return self.completion(definitions);
        }
        let (name, otherwise) = if kind == Kind::Resource { ("uri", NO_URI) } else { ("name", NO_NAME) };
        let key = self.string(name, otherwise)?;
        if self.params.get("arguments").is_some() {
            self.object("arguments", WRONG_ARGUMENTS)?;
        }
        Ok(Target { kind, key, argument: RawStr::default(), request: self })
    }

    fn completion(&'c self, definitions: &dyn Definitions) -> Result<Target<'c>, Refusal<'c>> {
        let target = self.completed().ok_or(WRONG_COMPLETION)?;
        match definitions.find(&mut |definition: &Definition| target.is(definition)) {
            Some(_) => Ok(Target { kind: Kind::Completion, ..target }),
            None => Err(target.unknown()),
        }
    }

    /// The prompt or template with the argument to complete.
    fn completed(&'c self) -> Option<Target<'c>> {
        let reference = self.params.get("ref")?;
        let kind = string_in(reference, "type")?;
        let (kind, name) = if kind == "ref/prompt" {
            (Kind::Prompt, "name")
        } else if kind == "ref/resource" {
            (Kind::Template, "uri")
        } else {
            return None;
        };
        let key = reference.get(name).filter(|key| key.kind() == Json::String)?;
        let argument = self.params.get("argument")?;
        string_in(argument, "value")?;
        Some(Target { kind, key, argument: string_in(argument, "name")?, request: self })
    }

    /// Answers with a result whose members `members` writes.
    #[inline(never)]
    pub(super) fn answer(&self, reply: Reply<'_>, members: &dyn Members) -> Replied {
        self.answer_in(Frame::COMPLETE, reply, members)
    }

    /// [`answer`](Self::answer) with the members of `frame` before and after them.
    #[inline(never)]
    pub(super) fn answer_in(&self, frame: Frame<'_>, reply: Reply<'_>, members: &dyn Members) -> Replied {
        reply.success(&Object(|result: &mut ObjectWriter<'_, '_>| {
            self.open(frame, result);
            members.write(result);
            self.close(frame, result);
        }))
    }

    pub(super) fn open(&self, frame: Frame<'_>, result: &mut ObjectWriter<'_, '_>) {
        if self.revision.is_stateless() {
            write_text(result, "resultType", frame.result_type);
        }
    }

    pub(super) fn close(&self, frame: Frame<'_>, result: &mut ObjectWriter<'_, '_>) {
        let is_stateless = self.revision.is_stateless();
        if let (true, Some((ttl, scope))) = (is_stateless, frame.cache) {
            result.member("ttlMs", &ttl);
            result.member("cacheScope", &scope);
        }
        if is_stateless || frame.meta.is_some() {
            result.member_with("_meta", |out| {
                out.object(|meta| {
                    meta.members(frame.meta.unwrap_or(RawValue::NULL));
                    if is_stateless {
                        meta.member(SERVER_INFO, self.identity);
                    }
                })
            });
        }
    }
}

/// The implementation.
impl ToJson for Identity {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        match self.implementation {
            Some(implementation) => out.value(implementation),
            None => out.object(|object| {
                write_text(object, "name", self.name);
                write_text(object, "version", self.version);
            }),
        }
    }
}

/// The target of a request.
pub struct Target<'c> {
    kind: Kind,
    /// Its name or URI, a string.
    key: RawValue<'c>,
    /// The argument that is to be completed.
    argument: RawStr<'c>,
    pub(super) request: &'c RequestContext<'c>,
}

impl<'c> Target<'c> {
    pub(super) fn of_resource(request: &'c RequestContext<'c>, uri: RawValue<'c>) -> Self {
        Self { kind: Kind::Resource, key: uri, argument: RawStr::default(), request }
    }

    /// Its name or URI, a string.
    pub(super) const fn key(&self) -> RawValue<'c> {
        self.key
    }

    /// Whether `definition` is the target.
    pub(super) fn is(&self, definition: &Definition) -> bool {
        let key = self.key.as_str_raw().unwrap_or_default();
        match (self.kind, definition.kind) {
            (Kind::Resource, Kind::Template) => UriTemplate::validated(definition.key).matches(key),
            (Kind::Completion, Kind::Completion) => key == *definition.key && definition.completes(self.argument),
            (one, other) => one == other && key == *definition.key,
        }
    }

    /// The refusal of a request without a required argument, or with one that is not a string; `None` for other requests.
    pub(super) fn lacks(&self, definition: &Definition) -> Option<Refusal<'c>> {
        let given = self.request.params.get("arguments").unwrap_or(RawValue::NULL);
        definition.arguments().iter().find_map(|argument| {
            // a name of the program is `Plain`; the UTF-8 check of another would take 500 bytes of flash
            let Str::Plain(name) = argument.name else { return None };
            let is_missing = match given.get(name) {
                Some(value) => value.kind() != Json::String,
                None => argument.required == Some(true),
            };
            if is_missing { Some(Refusal::from(NO_ARGUMENT).with(Data::Argument(name))) } else { None }
        })
    }

    #[inline(never)]
    pub(super) fn unknown(&self) -> Refusal<'c> {
        let key = self.key.as_str_raw().unwrap_or_default();
        let (message, data) = match self.kind {
            Kind::Tool => ("Unknown tool", Data::Name(key)),
            Kind::Resource => return Refusal::not_found(self.request.revision, key),
            Kind::Template => ("Unknown resource template", Data::Uri(key)),
            // `skills` answers for a skill
            Kind::Prompt | Kind::Completion | Kind::Skill => ("Unknown prompt", Data::Name(key)),
        };
        Refusal::from(message).with(data)
    }
}

/// The member `name` of `object`, if it is a string.
#[inline(never)]
pub(in crate::mcp) fn string_in<'c>(object: RawValue<'c>, name: &str) -> Option<RawStr<'c>> {
    object.get(name)?.as_str_raw()
}

/// The number that `text` spells in decimal, without leading zeros; `None` for zero and for other texts.
fn number(text: RawStr<'_>) -> Option<usize> {
    let mut number = 0usize;
    for c in text.chars() {
        let digit = c.to_digit(10)?;
        number = number.checked_mul(10)?.checked_add(usize::try_from(digit).ok()?)?;
        if number == 0 {
            return None;
        }
    }
    if number == 0 { None } else { Some(number) }
}

const NO_CAPABILITIES: &str =
    "Invalid params: expected io.modelcontextprotocol/clientCapabilities, an object, in _meta";
const NO_OBJECT: &str = "Invalid params: expected objects as params and _meta";
const NO_NAME: &str = "Invalid params: expected a string as name";
pub(super) const NO_URI: &str = "Invalid params: expected a string as uri";
const WRONG_ARGUMENTS: &str = "Invalid params: expected an object as arguments";
const WRONG_COMPLETION: &str = "Invalid params: expected a reference as ref, and an argument with name and value";
/// The message ends with the name of the argument.
const NO_ARGUMENT: &str = "Invalid params: expected a string";
