//! Arguments that are completed.

use super::asked::Asked;
use super::call::{Call, Completing};
use crate::json::{RawStr, RawValue, Writer};
use crate::mcp::value::Value as _;
use crate::mcp::{Completion, List};
use crate::message::Text;
use crate::server::{Replied, Reply};

/// An argument is to be completed: what there is of it, and where the values go.
pub type CompletionCall<'c> = Call<'c, Completing>;

/// "Maximum 100 items per response" (Completion).
const MOST: u32 = 100;

impl<'c> CompletionCall<'c> {
    /// What there is of the argument.
    pub fn value(&self) -> RawStr<'c> {
        let argument = self.asked.params.get("argument").unwrap_or(RawValue::NULL);
        argument.get("value").and_then(RawValue::as_str_raw).unwrap_or_default()
    }

    /// What is known of the argument `name`.
    pub fn known(&self, name: &str) -> Option<RawStr<'c>> {
        self.asked.params.get("context")?.get("arguments")?.get(name)?.as_str_raw()
    }

    /// Answers with those of `values` that begin with what there is.
    #[inline(never)]
    pub fn among(self, values: &[&str]) -> Replied {
        let value = self.value();
        self.answer(&|out: &mut Writer<'_>| {
            let mut total = 0u32;
            out.put_name("completion");
            out.put_byte(b'{');
            out.put_name("values");
            out.put_byte(b'[');
            for known in values {
                if begins_with(known, value) {
                    if total < MOST {
                        out.put_comma();
                        out.put_string(known);
                    }
                    total = total.saturating_add(1);
                }
            }
            out.put_byte(b']');
            out.put_name("total");
            out.put_integer(false, u64::from(total));
            out.put_name("hasMore");
            (total > MOST).put(out);
            out.put_byte(b'}');
        })
    }

    /// Answers with values, whatever there is. Of more than 100, the first 100.
    pub fn values(self, values: &[Text<'_>]) -> Replied {
        let first = values.get(..MOST as usize).unwrap_or(values);
        let completion = Completion {
            total: Some(values.len() as u64),
            has_more: Some(first.len() < values.len()),
            ..Completion::new(List::of(first))
        };
        self.completion(&completion)
    }

    /// Answers with a whole completion.
    pub fn completion(self, completion: &Completion<'_>) -> Replied {
        self.answer(&|out: &mut Writer<'_>| {
            out.put_name("completion");
            completion.put(out);
        })
    }
}

/// Answers that nothing is known.
pub(super) fn nothing(asked: &Asked<'_>, reply: Reply<'_>) -> Replied {
    asked.answer(reply, &|out: &mut Writer<'_>| {
        out.put_name("completion");
        out.put(b"{\"values\":[]}");
    })
}

/// Whether `text` begins with `start`, which came.
fn begins_with(text: &str, start: RawStr<'_>) -> bool {
    let mut text = text.chars();
    start.chars().all(|c| text.next() == Some(c))
}
