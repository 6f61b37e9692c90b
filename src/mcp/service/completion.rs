//! Completion of arguments.

use super::call::{Call, Completing};
use crate::json::{ObjectWriter, RawStr, RawValue};
use crate::mcp::types::{Completion, List};
use crate::mcp::value::{Member as _, Object};
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
        let write = |completion: &mut ObjectWriter<'_, '_>| {
            let mut total = 0u32;
            completion.member_with("values", |out| {
                out.array(|array| {
                    for known in values.iter().filter(|known| begins_with(known, value)) {
                        if total < MOST {
                            array.element(known);
                        }
                        total = total.saturating_add(1);
                    }
                })
            });
            completion.member("total", &u64::from(total));
            completion.member("hasMore", &(total > MOST));
        };
        self.answer(&|result: &mut ObjectWriter<'_, '_>| result.member("completion", &Object(write)))
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
        let len = completion.values.iter().count() as u64;
        let is_cut = len > u64::from(MOST);
        let write = |object: &mut ObjectWriter<'_, '_>| {
            object.member_with("values", |out| {
                let values = completion.values.iter().take(MOST as usize);
                out.array(|array| values.for_each(|value| array.element_with(|out| out.text(value))))
            });
            completion.total.max(if is_cut { Some(len) } else { None }).write_to(object, "total");
            if is_cut { Some(true) } else { completion.has_more }.write_to(object, "hasMore");
        };
        self.answer(&|result: &mut ObjectWriter<'_, '_>| result.member("completion", &Object(write)))
    }
}

/// Whether `text` begins with `start`, a received string.
fn begins_with(text: &str, start: RawStr<'_>) -> bool {
    let mut known = text.bytes();
    start.bytes().all(|byte| known.next() == Some(byte))
}
