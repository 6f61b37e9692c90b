//! Calls that run as tasks: the params that request one, and the capability of a client that accepts them.

use super::call::put_arguments;
use crate::json::{ObjectWriter, RawValue, ToJson, ValueWriter, Written};
use crate::mcp::value::{Member as _, constant, write_text};

/// The params of `tools/call` for a call that runs as a task: `Call::of(method::TOOLS_CALL, &params)`. 2025-11-25; in 2026-07-28 the server decides,
/// and ignores the member `task`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TaskParams<'p, A> {
    /// The name of the tool.
    pub name: &'p str,
    /// The arguments: an object, or `&()`.
    pub arguments: &'p A,
    /// The time in milliseconds for which the server is to keep the task; `None`: the server decides.
    pub ttl_ms: Option<u64>,
}

impl<A: ToJson> ToJson for TaskParams<'_, A> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.pieces(|out| {
            out.put_byte(b'{');
            write_text(&mut ObjectWriter::over(out), "name", self.name);
            put_arguments(self.arguments, out);
            let mut params = ObjectWriter::over(out);
            params.member_with("task", |out| out.object(|task| self.ttl_ms.write_to(task, "ttl")));
            out.put_byte(b'}');
        })
    }
}

/// The capability of a client that accepts [tasks](crate::mcp::types::Task), for [`Client::declaring`](super::Client::declaring). 2026-07-28.
pub const TASKS: (&str, RawValue<'static>) = ("extensions", constant(r#"{"io.modelcontextprotocol/tasks":{}}"#));
