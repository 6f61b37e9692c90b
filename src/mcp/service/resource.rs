//! Resources that are read.

use super::asked::Frame;
use super::call::{Call, Reading, put_words};
use crate::json::{RawStr, Writer};
use crate::mcp::value::{Puts, Value as _, put_object, put_some_text};
use crate::mcp::{Base64, CacheScope, InputRequiredResult, ReadResourceResult, Words};
use crate::message::{ErrorCode, ErrorObject};
use crate::server::Replied;

/// A resource is read: which one, and where its contents go.
pub type ReadCall<'c> = Call<'c, Reading>;

impl<'c> ReadCall<'c> {
    /// The URI that is read.
    pub fn uri(&self) -> RawStr<'c> {
        self.asked.params.get("uri").and_then(|uri| uri.as_str_raw()).unwrap_or_default()
    }

    /// What the URI has in the place of `{name}` in its template, percent-encoded as it came.
    pub fn variable(&self, name: &str) -> Option<RawStr<'c>> {
        filled(self.uri(), self.definition.key, name).ok()?
    }

    /// Answers with a text.
    pub fn text(self, words: impl Words) -> Replied {
        self.contents(&|out: &mut Writer<'_>| put_words(out, "text", &|out: &mut Writer<'_>| words.put_words(out)))
    }

    /// Answers with bytes, which are written as base64.
    pub fn blob(self, bytes: &[u8]) -> Replied {
        self.contents(&|out: &mut Writer<'_>| {
            out.put_name("blob");
            Base64::Bytes(bytes).put(out);
        })
    }

    /// Answers with a whole result. What its revision wants of `result_type`, `ttl_ms`, `cache_scope` and `meta` is put in.
    pub fn result(self, result: &ReadResourceResult<'_>) -> Replied {
        let ttl = result.ttl_ms.and_then(|ttl| u32::try_from(ttl).ok()).unwrap_or_default();
        let cache = Some((ttl, result.cache_scope.unwrap_or(CacheScope::Private)));
        let frame = Frame { cache, meta: result.meta, ..Frame::COMPLETE };
        let plain = ReadResourceResult::new(result.contents);
        self.asked.answer_in(frame, self.reply, &|out: &mut Writer<'_>| plain.put_members(out))
    }

    /// Answers that there is no such resource, for a template that does not have all that it could name.
    pub fn not_found(self) -> Replied {
        let is_stateless = self.asked.revision.is_stateless();
        let code = if is_stateless { ErrorCode::INVALID_PARAMS } else { ErrorCode::RESOURCE_NOT_FOUND };
        self.reply.error(ErrorObject { code, ..ErrorObject::INVALID_PARAMS.with_message("Resource not found") })
    }

    /// As [`ToolCall::input_required`](super::ToolCall::input_required).
    pub fn input_required(self, result: &InputRequiredResult<'_>) -> Replied {
        super::call::input_required(self.asked, self.reply, result)
    }

    /// Answers with one piece of contents, which has the member that `member` puts.
    #[inline(never)]
    fn contents(self, member: &dyn Puts) -> Replied {
        let frame = Frame { cache: Some((0, CacheScope::Private)), ..Frame::COMPLETE };
        let (uri, mime_type) = (self.asked.params.get("uri"), self.definition.mime_type());
        self.asked.answer_in(frame, self.reply, &|out: &mut Writer<'_>| {
            out.put_name("contents");
            out.put_byte(b'[');
            put_object(out, |out| {
                if let Some(uri) = uri {
                    out.put_name("uri");
                    uri.put(out);
                }
                put_some_text(out, "mimeType", mime_type);
                member.puts(out);
            });
            out.put_byte(b']');
        })
    }
}

/// Whether `uri` is one of those that `template` stands for.
pub(super) fn fits(uri: RawStr<'_>, template: &str) -> bool {
    filled(uri, template, "").is_ok()
}

/// What `uri` has for the variable `wanted` of `template`. `Err` if `uri` does not fit.
///
/// A variable ends before the first character that the template has behind it, and holds no `/`, `?` or `#`; one that is
/// written `{+name}` holds any. None is empty. RFC 6570 §3.2.2, §3.2.3.
#[inline(never)]
fn filled<'u>(uri: RawStr<'u>, template: &str, wanted: &str) -> Result<Option<RawStr<'u>>, ()> {
    let (mut uri, mut template) = (uri, template);
    let mut found = None;
    loop {
        let Some((literal, behind)) = split(template, b'{') else {
            let rest = uri.strip_prefix(template).ok_or(())?;
            return if rest.is_empty() { Ok(found) } else { Err(()) };
        };
        uri = uri.strip_prefix(literal).ok_or(())?;
        let (name, behind) = split(behind, b'}').ok_or(())?;
        let (name, holds_any) = name.strip_prefix('+').map_or((name, false), |name| (name, true));
        let end = behind.chars().next();
        let (value, rest) = uri.split_after(|c| Some(c) != end && (holds_any || !matches!(c, '/' | '?' | '#')));
        if value.is_empty() {
            return Err(());
        }
        if name == wanted {
            found = Some(value);
        }
        (uri, template) = (rest, behind);
    }
}

/// What stands before and behind the first `bracket`. That of the standard library is 300 bytes of flash more.
fn split(text: &str, bracket: u8) -> Option<(&str, &str)> {
    let place = text.bytes().position(|byte| byte == bracket)?;
    Some((text.get(..place)?, text.get(place.wrapping_add(1)..)?))
}
