//! The argument of handlers: the request, and the output for the answer.

use core::fmt;
use core::marker::PhantomData;

use super::feature::{COMPLETIONS, Definition, PROMPTS, Purpose, RESOURCES, TOOLS, sealed};
use super::request::{Frame, RequestContext};
use crate::json::{Kind, ObjectWriter, RawValue, ToJson, ValueWriter, Written};
use crate::mcp::types::{CLIENT_CAPABILITIES, InputRequiredResult, Number, Progress, ProgressToken, RequestId};
use crate::mcp::value::{Members, Object, write_text};
use crate::mcp::{Revision, method};
use crate::message::{ErrorCode, ErrorObject, Notification, Str, ToMessage, ToText};
use crate::server::{Replied, Reply};

/// A request for a handler, and the output for its answer. Answering consumes it. `K` is the kind:
/// [`ToolCall`](super::ToolCall), [`ReadCall`](super::ReadCall), [`PromptCall`](super::PromptCall),
/// [`CompletionCall`](super::CompletionCall).
pub struct Call<'c, K> {
    pub(super) request: &'c RequestContext<'c>,
    pub(super) definition: &'c Definition,
    pub(super) reply: Reply<'c>,
    /// The last value of `progress`.
    done: i64,
    purpose: PhantomData<fn() -> K>,
}

macro_rules! purposes {
    ($($(#[$meta:meta])* $name:ident = $capability:ident;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        pub struct $name(());

        impl sealed::Sealed for $name {}
        impl Purpose for $name {
            const CAPABILITY: u8 = $capability;
        }
    )*};
}
purposes! {
    /// A tool is called.
    ToolUse = TOOLS;
    /// A resource is read.
    Reading = RESOURCES;
    /// A prompt is requested.
    Getting = PROMPTS;
    /// An argument is completed.
    Completing = COMPLETIONS;
}

impl<'c, K> Call<'c, K> {
    pub(super) const fn new(request: &'c RequestContext<'c>, definition: &'c Definition, reply: Reply<'c>) -> Self {
        Self { request, definition, reply, done: i64::MIN, purpose: PhantomData }
    }

    /// The id of the request, as `notifications/cancelled` names it; `None` if the dialect of the server accepted an id that is neither a
    /// string nor an integer. [`mcp::http`](crate::mcp::http#cancellation) shows its use. Clients number their calls alike, so an id
    /// belongs to its session.
    pub fn id(&self) -> Option<RequestId<'c>> {
        RequestId::read(self.reply.id()?).ok()
    }

    /// The revision of the request.
    pub fn revision(&self) -> Revision {
        self.request.revision
    }

    /// The `_meta` of the request, if it has one.
    pub fn meta(&self) -> Option<RawValue<'c>> {
        // a lenient service takes `[]` for none
        Some(self.request.meta).filter(|meta| meta.kind() == Kind::Object)
    }

    /// The params of the request, as received.
    pub fn params(&self) -> Option<RawValue<'c>> {
        self.request.params.raw()
    }

    /// The argument `name`, if it is given.
    pub fn get(&self, name: &str) -> Option<RawValue<'c>> {
        self.request.argument(name)
    }

    /// The token for notifications of progress; `None` if the client requests none.
    pub fn progress_token(&self) -> Option<ProgressToken<'c>> {
        ProgressToken::read(self.request.meta.get("progressToken")?).ok()
    }

    /// A notification of progress, to send before the answer; `None` if the request has no token, if the notification does not fit the
    /// output of the answer, or if `done` is not above that of the notification before: "The `progress` value MUST increase with each
    /// notification". `total` is its value at the end, if known.
    ///
    /// The bytes are one message without its frame: over standard output append a line feed. Under a blocking `connection::serve`, the
    /// handler itself may write to the stream, because nothing else is sent meanwhile. With a concurrent connection, send the bytes through
    /// its queue, with `out.value(&RawValue::parse(bytes)?)`: the example `mcp_tokio`.
    ///
    /// ```
    /// use nanojsonrpc::mcp::{Schema, Service, ToolCall};
    ///
    /// let mut server = Service::new("oven", "1.0.0")
    ///     .tool("bake", "Bakes.", Schema::NO_ARGUMENTS, |sent: &mut usize, mut call: ToolCall<'_>| {
    ///         assert!(call.progress_token().is_some());
    ///         for step in 1..=3 {
    ///             if let Some(notification) = call.progress(step, Some(3), None) {
    ///                 *sent += notification.len(); // a program writes it to its stream
    ///             }
    ///         }
    ///         call.text("done")
    ///     })
    ///     .server();
    /// let (mut sent, mut output) = (0, [0; 256]);
    /// let call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bake","_meta":{"progressToken":7,
    ///     "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    /// assert!(server.process(&mut sent, call, &mut output).answer().is_some());
    /// let notification = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":3}}"#;
    /// assert_eq!(sent, 3 * notification.len());
    /// ```
    pub fn progress(&mut self, done: i64, total: Option<i64>, message: Option<&str>) -> Option<&[u8]> {
        let progress = Progress {
            total: total.map(Number::Integer),
            message: message.map(Str::Plain),
            ..Progress::new(self.progress_token()?, Number::Integer(done))
        };
        if done <= self.done {
            return None;
        }
        self.done = done;
        self.ahead(&Notification::new(method::PROGRESS).with_params(&progress))
    }

    /// Writes any message to send before the answer, and returns its bytes; `None` if the message does not fit the output of the answer.
    pub fn ahead(&mut self, message: &(impl ToMessage + ?Sized)) -> Option<&[u8]> {
        self.reply.ahead(message).ok()
    }

    /// Whether the client declares `capability`: `elicitation`, `sampling`, `roots`. Always `false` in a session, because the service does
    /// not store the capabilities of a session.
    pub fn client_can(&self, capability: &str) -> bool {
        self.request.meta.get(CLIENT_CAPABILITIES).is_some_and(|capabilities| capabilities.get(capability).is_some())
    }

    /// Answers with -32021, because the client lacks `capability`.
    pub fn lacking(self, capability: &str) -> Replied {
        let data = Object(|data: &mut ObjectWriter<'_, '_>| {
            data.member_with("requiredCapabilities", |out| {
                out.object(|required| required.member_with(capability, |out| out.object(|_| {})))
            });
        });
        let message = Str::Plain("Missing required client capability");
        self.reply.error(ErrorObject { code: ErrorCode::MISSING_CLIENT_CAPABILITY, message, data: Some(data) })
    }

    /// Answers with an error of the protocol.
    pub fn error<D: ToJson>(self, error: ErrorObject<'_, D>) -> Replied {
        self.reply.error(error)
    }

    pub(super) fn answer(self, members: &dyn Members) -> Replied {
        self.request.answer(self.reply, members)
    }
}

/// Answers with a request for input.
pub(super) fn input_required(
    request: &RequestContext<'_>,
    reply: Reply<'_>,
    required: &InputRequiredResult<'_>,
) -> Replied {
    if !request.revision.is_stateless() {
        return reply
            .error(ErrorObject::INTERNAL_ERROR.with_message("Internal error: the client must be request first"));
    }
    let frame = Frame { result_type: "input_required", meta: required.meta, ..Frame::COMPLETE };
    request.answer_in(frame, reply, &|result: &mut ObjectWriter<'_, '_>| {
        InputRequiredResult { result_type: None, meta: None, ..*required }.write_members(result);
    })
}

/// Writes a content block with `text`.
#[inline(never)]
pub(super) fn text_content<'o>(out: ValueWriter<'o, '_>, text: &dyn ToText) -> Written<'o> {
    out.object(|content| {
        write_text(content, "type", "text");
        content.member_with("text", |out| out.text(text));
    })
}

impl<K> fmt::Debug for Call<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {:?}", self.definition, self.request.params)
    }
}
