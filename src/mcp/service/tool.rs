//! Calls of tools.

use super::call::{Call, ToolUse, text_content};
use super::request::Frame;
#[cfg(feature = "serde")]
use crate::json::Location;
use crate::json::{Kind, ObjectWriter, RawValue, ToJson};
use crate::mcp::Revision;
use crate::mcp::types::{CallToolResult, Content, InputRequiredResult, List};
use crate::message::{ErrorCode, Str, ToText};
use crate::server::Replied;

/// A call of a tool: its arguments, and the output for its result.
pub type ToolCall<'c> = Call<'c, ToolUse>;

impl<'c> ToolCall<'c> {
    /// The arguments, an object; `None` if absent.
    ///
    /// ```
    /// use nanojsonrpc::mcp::{Schema, Service, ToolCall};
    ///
    /// let server = Service::new("text", "1.0.0")
    ///     .tool("count", "Counts the arguments.", Schema::NO_ARGUMENTS, |_: &mut (), call: ToolCall<'_>| {
    ///         let count = call.arguments().map_or(0, |arguments| arguments.members().count());
    ///         call.text(u64::try_from(count).unwrap_or(u64::MAX))
    ///     })
    ///     .server();
    /// # _ = server;
    /// ```
    pub fn arguments(&self) -> Option<RawValue<'c>> {
        // a lenient service takes null and `[]` for none
        self.request.params.get("arguments").filter(|arguments| arguments.kind() == Kind::Object)
    }

    /// Answers with a text.
    pub fn text(self, text: impl ToText) -> Replied {
        self.content_of(false, &text)
    }

    /// Answers that the tool failed. `text` is the reason, for a language model.
    pub fn failed(self, text: impl ToText) -> Replied {
        self.content_of(true, &text)
    }

    /// Answers that the arguments are wrong; `words` are the reason. The revision prescribes the form: -32602 up to 2025-06-18, later a
    /// result as from [`failed`](Self::failed), "that language models can use to self-correct". If the reason is a `PayloadError`, the
    /// message names the argument, on 64-bit hosts with the path in it: `in arguments.values[3]`, and with the value if it violates a limit
    /// of its JSON Schema. If there was no room to decode an argument,
    /// the answer is -32603 in each revision.
    pub fn invalid<'w>(self, words: impl Into<Str<'w>>) -> Replied {
        let reason = words.into();
        #[cfg(feature = "serde")]
        match reason {
            Str::Payload(problem) if problem.kind() == crate::ErrorKind::EscapedString => {
                return self.reply.error(problem.into());
            }
            _ => {}
        }
        let place = self.location_of(reason).map(|place| (", in arguments", place));
        let message = (reason, place);
        if self.request.revision <= Revision::V2025_06_18 {
            self.reply.failure(&(ErrorCode::INVALID_PARAMS, message))
        } else {
            self.failed(message)
        }
    }

    /// The place of the fault in the arguments.
    #[cfg(feature = "serde")]
    fn location_of(&self, fault: Str<'_>) -> Option<Location<'c>> {
        match fault {
            Str::Payload(problem) => self.arguments()?.location_of(problem),
            _ => None,
        }
    }

    /// Without serde there are no faults of arguments.
    #[cfg(not(feature = "serde"))]
    fn location_of(&self, _: Str<'_>) -> Option<&'static str> {
        None
    }

    /// Answers with pieces of content.
    pub fn content(self, content: &[Content<'_>]) -> Replied {
        self.answer(&|result: &mut ObjectWriter<'_, '_>| result.member("content", &List::of(content)))
    }

    /// Answers with a value for programs, and with its JSON as a text for clients that read only texts.
    ///
    /// Before 2026-07-28 the protocol requires an object; this method does not check that.
    pub fn structured<T: ToJson + ?Sized>(self, value: &T) -> Replied {
        self.answer(&|result: &mut ObjectWriter<'_, '_>| {
            let json = result.member_again("structuredContent", value);
            write_text_content(result, &json);
        })
    }

    /// Answers with a whole result. `result_type` and `meta` are added if the revision of the request has them.
    pub fn result(self, result: &CallToolResult<'_>) -> Replied {
        let frame = Frame { meta: result.meta, ..Frame::COMPLETE };
        self.request.answer_in(frame, self.reply, &|object: &mut ObjectWriter<'_, '_>| {
            CallToolResult { result_type: None, meta: None, ..*result }.write_members(object);
        })
    }

    /// Answers with a request for input; the client then repeats the call with `inputResponses` and `requestState` in its
    /// [params](Self::params). Only 2026-07-28 has this answer; in a session the answer is -32603.
    pub fn input_required(self, result: &InputRequiredResult<'_>) -> Replied {
        super::call::input_required(self.request, self.reply, result)
    }

    #[inline(never)]
    fn content_of(self, is_error: bool, text: &dyn ToText) -> Replied {
        self.answer(&|result: &mut ObjectWriter<'_, '_>| {
            write_text_content(result, text);
            if is_error {
                result.member("isError", &true);
            }
        })
    }

    /// Reads the arguments into your type, which may borrow from the message, and from the end of the output if a string
    /// has an escape; see [`Reply::read`](crate::server::Reply::read).
    ///
    /// # Errors
    /// The expected type and the offset: pass the error to [`invalid`](Self::invalid).
    #[cfg(feature = "serde")]
    pub fn read<T: serde::Deserialize<'c>>(&mut self) -> Result<T, crate::json::PayloadError> {
        self.reply.read(&self.arguments().into())
    }

    /// [`read`](Self::read) with a scratch buffer of the caller's for strings with escapes.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    #[cfg(feature = "serde")]
    pub fn read_with<T: serde::Deserialize<'c>>(&self, scratch: &'c mut [u8]) -> Result<T, crate::json::PayloadError> {
        crate::message::Params::from(self.arguments()).read_with(scratch)
    }
}

/// Appends the content that consists of `text`.
fn write_text_content(result: &mut ObjectWriter<'_, '_>, text: &dyn ToText) {
    result.member_with("content", |out| out.array(|array| array.element_with(|out| text_content(out, text))));
}
