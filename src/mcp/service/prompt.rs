//! Requests for prompts.

use super::call::{Call, Getting, text_content};
use super::request::Frame;
use crate::json::{ObjectWriter, RawStr};
use crate::mcp::types::{GetPromptResult, InputRequiredResult, List, PromptMessage, Role};
use crate::mcp::value::Object;
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
    pub fn user(self, text: impl ToText) -> Replied {
        let message = Object(|message: &mut ObjectWriter<'_, '_>| {
            message.member("role", &Role::User);
            message.member_with("content", |out| text_content(out, &text));
        });
        self.answer(&|result: &mut ObjectWriter<'_, '_>| {
            result.member_with("messages", |out| out.array(|array| array.element(&message)));
        })
    }

    /// Answers with messages.
    pub fn messages(self, messages: &[PromptMessage<'_>]) -> Replied {
        self.answer(&|result: &mut ObjectWriter<'_, '_>| result.member("messages", &List::of(messages)))
    }

    /// Answers with a whole result. `result_type` and `meta` are added if the revision of the request has them.
    pub fn result(self, result: &GetPromptResult<'_>) -> Replied {
        let frame = Frame { meta: result.meta, ..Frame::COMPLETE };
        self.request.answer_in(frame, self.reply, &|object: &mut ObjectWriter<'_, '_>| {
            GetPromptResult { result_type: None, meta: None, ..*result }.write_members(object);
        })
    }

    /// As [`ToolCall::input_required`](super::ToolCall::input_required).
    pub fn input_required(self, result: &InputRequiredResult<'_>) -> Replied {
        super::call::input_required(self.request, self.reply, result)
    }
}
