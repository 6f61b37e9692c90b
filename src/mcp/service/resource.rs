//! Requests that read resources.

use super::call::{Call, Reading};
use super::refusal::Refusal;
use super::request::Frame;
use crate::json::{ObjectWriter, RawStr};
use crate::mcp::UriTemplate;
use crate::mcp::types::{Base64, CacheScope, InputRequiredResult, ReadResourceResult};
use crate::mcp::value::{Member as _, Members, Object, write_some_text};
use crate::message::ToText;
use crate::server::Replied;

/// A request to read a resource: its URI, and the output for its contents.
pub type ReadCall<'c> = Call<'c, Reading>;

impl<'c> ReadCall<'c> {
    /// The URI that is read.
    pub fn uri(&self) -> RawStr<'c> {
        self.request.params.get("uri").and_then(|uri| uri.as_str_raw()).unwrap_or_default()
    }

    /// The part of the URI in the place of `{name}` or `{+name}` of its template, percent-encoded as received; see
    /// [`UriTemplate`].
    ///
    /// The client chooses it: it may be `..`, `%2e%2e%2f`, `\` or `%00`. For the path of a file take [`file_path`](Self::file_path).
    pub fn variable(&self, name: &str) -> Option<RawStr<'c>> {
        UriTemplate::validated(self.definition.key).variable(self.uri(), name)
    }

    /// The decoded [`variable`](Self::variable) `name`, if it is the path of a file below a directory, with the rules and limits of
    /// [`UriTemplate::file_path`].
    ///
    /// ```
    /// use nanojsonrpc::mcp::{ReadCall, Service, uri_template};
    /// use std::{fs, path::PathBuf};
    ///
    /// let server = Service::new("notes", "1.0.0")
    ///     .resource_template(uri_template!("note:///{+path}"), "notes", "text/plain", |root: &mut PathBuf, call: ReadCall<'_>| {
    ///         let note = call.file_path("path", &mut [0; 256]).and_then(|path| fs::read_to_string(root.join(path)).ok());
    ///         match note {
    ///             Some(note) => call.text(&*note),
    ///             None => call.not_found(),
    ///         }
    ///     })
    ///     .server();
    /// # _ = server;
    /// ```
    pub fn file_path<'b>(&self, name: &str, buffer: &'b mut [u8]) -> Option<&'b str> {
        UriTemplate::validated(self.definition.key).file_path(self.uri(), name, buffer)
    }

    /// Answers with a text.
    pub fn text(self, text: impl ToText) -> Replied {
        self.contents(&|contents: &mut ObjectWriter<'_, '_>| contents.member_with("text", |out| out.text(&text)))
    }

    /// Answers with bytes, which are written as base64.
    pub fn blob(self, bytes: &[u8]) -> Replied {
        self.contents(&|contents: &mut ObjectWriter<'_, '_>| contents.member("blob", &Base64::Bytes(bytes)))
    }

    /// Answers with a whole result. `result_type`, `ttl_ms`, `cache_scope` and `meta` are added if the revision of the request has them.
    pub fn result(self, result: &ReadResourceResult<'_>) -> Replied {
        let ttl = result.ttl_ms.and_then(|ttl| u32::try_from(ttl).ok()).unwrap_or_default();
        let cache = Some((ttl, result.cache_scope.unwrap_or(CacheScope::Private)));
        let frame = Frame { cache, meta: result.meta, ..Frame::COMPLETE };
        let plain = ReadResourceResult::new(result.contents);
        self.request.answer_in(frame, self.reply, &|result: &mut ObjectWriter<'_, '_>| plain.write_members(result))
    }

    /// Answers that the resource does not exist, for a template that matches more URIs than exist. The data of the error has the URI.
    pub fn not_found(self) -> Replied {
        Refusal::not_found(self.request.revision, self.uri()).reply(self.reply)
    }

    /// As [`ToolCall::input_required`](super::ToolCall::input_required).
    pub fn input_required(self, result: &InputRequiredResult<'_>) -> Replied {
        super::call::input_required(self.request, self.reply, result)
    }

    /// Answers with one piece of contents, which has the member that `member` writes.
    #[inline(never)]
    fn contents(self, member: &dyn Members) -> Replied {
        let frame = Frame { cache: Some((0, CacheScope::Private)), ..Frame::COMPLETE };
        let (uri, mime_type) = (self.request.params.get("uri"), self.definition.mime_type());
        self.request.answer_in(frame, self.reply, &|result: &mut ObjectWriter<'_, '_>| {
            let contents = Object(|contents: &mut ObjectWriter<'_, '_>| {
                uri.write_to(contents, "uri");
                write_some_text(contents, "mimeType", mime_type);
                member.write(contents);
            });
            result.member_with("contents", |out| out.array(|array| array.element(&contents)));
        })
    }
}
