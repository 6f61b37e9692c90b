//! Requests for prompts.

use super::call::{Call, Getting, put_text_content};
use super::request::Frame;
use crate::json::{RawStr, Writer};
use crate::mcp::types::{GetPromptResult, InputRequiredResult, List, PromptMessage, Role};
use crate::mcp::value::{Value as _, put_object, put_text};
use crate::message::ToText;
use crate::server::Replied;

/// A request for a prompt: its arguments, and the output for its messages.
pub type PromptCall<'c> = Call<'c, Getting>;

impl<'c> PromptCall<'c> {
    /// The argument `name`, if it is given.
    pub fn argument(&self, name: &str) -> Option<RawStr<'c>> {
        self.get(name)?.as_str_raw()
    }

    /// Answers with one message of the user.
    pub fn user(self, words: impl ToText) -> Replied {
        self.answer(&|out: &mut Writer<'_>| {
            out.put_name("messages");
            out.put_byte(b'[');
            put_object(out, |out| {
                put_text(out, "role", Role::User.as_str());
                out.put_name("content");
                put_text_content(out, &|out: &mut Writer<'_>| words.put_text(out));
            });
            out.put_byte(b']');
        })
    }

    /// Answers with messages.
    pub fn messages(self, messages: &[PromptMessage<'_>]) -> Replied {
        self.answer(&|out: &mut Writer<'_>| {
            out.put_name("messages");
            List::of(messages).put(out);
        })
    }

    /// Answers with a whole result. `result_type` and `meta` are added if the revision of the request has them.
    pub fn result(self, result: &GetPromptResult<'_>) -> Replied {
        let frame = Frame { meta: result.meta, ..Frame::COMPLETE };
        self.request.answer_in(frame, self.reply, &|out: &mut Writer<'_>| {
            GetPromptResult { result_type: None, meta: None, ..*result }.put_members(out);
        })
    }

    /// As [`ToolCall::input_required`](super::ToolCall::input_required).
    pub fn input_required(self, result: &InputRequiredResult<'_>) -> Replied {
        super::call::input_required(self.request, self.reply, result)
    }
}
