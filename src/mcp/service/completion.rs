//! Completion of arguments.

use super::call::{Call, Completing};
use crate::json::{RawStr, RawValue, Writer};
use crate::mcp::types::{Completion, List};
use crate::mcp::value::{Member as _, Value as _, put_object};
use crate::message::Str;
use crate::server::Replied;

/// A request to complete an argument: the beginning of the argument, and the output for the values.
pub type CompletionCall<'c> = Call<'c, Completing>;

/// "Maximum 100 items per response" (Completion).
const MOST: u32 = 100;

impl<'c> CompletionCall<'c> {
    /// The beginning of the argument.
    pub fn value(&self) -> RawStr<'c> {
        let argument = self.request.params.get("argument").unwrap_or(RawValue::NULL);
        argument.get("value").and_then(RawValue::as_str_raw).unwrap_or_default()
    }

    /// The value of the argument `name`, if the user has chosen it already.
    ///
    /// ```
    /// use nanojsonrpc::mcp::{CompletionCall, PromptCall, Service};
    ///
    /// let server = Service::new("lamp", "1.0.0")
    ///     .prompt("dim", "Dims a lamp.", &[], |_: &mut (), call: PromptCall<'_>| call.user("Dim it."))
    ///     .completion("dim", "lamp", |_: &mut (), call: CompletionCall<'_>| {
    ///         let lamps: &[&str] = if call.known("room").is_some_and(|room| room == "hall") { &["big"] } else { &["desk"] };
    ///         call.among(lamps)
    ///     })
    ///     .server();
    /// # _ = server;
    /// ```
    pub fn known(&self, name: &str) -> Option<RawStr<'c>> {
        self.request.params.get("context")?.get("arguments")?.get(name)?.as_str_raw()
    }

    /// Answers with the elements of `values` that begin with [`value`](Self::value).
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

    /// Answers with `values`; if there are more than 100, with the first 100.
    pub fn values(self, values: &[Str<'_>]) -> Replied {
        let total = Some(values.len() as u64);
        self.completion(&Completion { total, has_more: Some(false), ..Completion::new(List::of(values)) })
    }

    /// Answers with a whole completion. If it has more than 100 values, the answer has the first 100, a `total` of at least the
    /// number of `values`, and `has_more` is true.
    #[inline(never)]
    pub fn completion(self, completion: &Completion<'_>) -> Replied {
        self.answer(&|out: &mut Writer<'_>| {
            let len = completion.values.iter().count() as u64;
            let is_cut = len > u64::from(MOST);
            out.put_name("completion");
            put_object(out, |out| {
                out.put_name("values");
                out.put_byte(b'[');
                for value in completion.values.iter().take(MOST as usize) {
                    out.put_comma();
                    value.put(out);
                }
                out.put_byte(b']');
                let total = completion.total.max(if is_cut { Some(len) } else { None });
                total.put_as("total", out);
                if is_cut { Some(true) } else { completion.has_more }.put_as("hasMore", out);
            });
        })
    }
}

/// Whether `text` begins with `start`, a received string.
fn begins_with(text: &str, start: RawStr<'_>) -> bool {
    let mut known = text.bytes();
    start.bytes().all(|byte| known.next() == Some(byte))
}
