//! Requests of a server to its client, and their results: elicitation, sampling and roots. In 2026-07-28 they are inside of a result, as
//! [`InputRequest`](super::InputRequest)s.

use super::{Content, List, Number, Role};
use crate::error::{Error, ErrorKind};
use crate::json::{Kind, RawValue, ToJson, ValueWriter, Written};
use crate::mcp::value::{Value, names, object, value};
use crate::message::Str;

object! {
    /// The params of `elicitation/create` in the mode `form`: the user fills in fields.
    ElicitForm
    required {
        /// The question for the user.
        message: Str<'a> = "message",
        /// The fields: a JSON Schema of an object whose properties are strings, numbers, booleans or enums.
        requested_schema: RawValue<'a> = "requestedSchema",
    }
    optional {
        /// `form`; requests before 2025-11-25 have no mode.
        mode: Str<'a> = "mode",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// The params of `elicitation/create` in the mode `url`: the user opens a page. 2025-11-25 and 2026-07-28.
    ElicitUrl
    required {
        /// `url`.
        mode: Str<'a> = "mode",
        /// The reason for the user.
        message: Str<'a> = "message",
        /// The page. A client shows it, asks the user, and opens it outside of the reach of the model.
        url: Str<'a> = "url",
    }
    optional {
        /// The id in `notifications/elicitation/complete`. 2025-11-25.
        elicitation_id: Str<'a> = "elicitationId",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

/// The params of `elicitation/create`.
///
/// ```
/// use nanojsonrpc::mcp::types::{ElicitAction, ElicitForm, ElicitResult, ElicitUrl, Elicitation};
/// use nanojsonrpc::{Params, Router, mcp::method, server::Reply};
///
/// // the handler of a client
/// let router = Router::<()>::new().request(method::ELICITATION_CREATE, |_: &mut (), params: Params<'_>, reply: Reply<'_>| {
///     let action = match params.raw().map(Elicitation::read) {
///         Some(Ok(Elicitation::Form(ElicitForm { message, .. }))) if message == "Really?" => ElicitAction::Accept,
///         Some(Ok(Elicitation::Url(ElicitUrl { .. }))) => ElicitAction::Cancel,
///         _ => ElicitAction::Decline,
///     };
///     reply.success(&ElicitResult::new(action))
/// });
/// # let mut server = nanojsonrpc::Server::new(router);
/// # let call = br#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Really?","requestedSchema":{}}}"#;
/// # let mut output = [0; 128];
/// # assert_eq!(server.process(&mut (), call, &mut output).answer(), Some(&br#"{"jsonrpc":"2.0","result":{"action":"accept"},"id":1}"#[..]));
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Elicitation<'a> {
    /// Fields to fill in.
    Form(ElicitForm<'a>),
    /// A page to open.
    Url(ElicitUrl<'a>),
}

impl<'a> Elicitation<'a> {
    /// Reads params by their `mode`; without one, as a form.
    ///
    /// # Errors
    /// As [`ElicitForm::read`]; [`UnknownVariant`](ErrorKind::UnknownVariant) for another mode.
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        let Some(mode) = raw.get("mode") else { return ElicitForm::read(raw).map(Self::Form) };
        match mode.as_str_raw() {
            Some(name) if name == *"form" => ElicitForm::read(raw).map(Self::Form),
            Some(name) if name == *"url" => ElicitUrl::read(raw).map(Self::Url),
            _ => Err(Error::new(ErrorKind::UnknownVariant, mode.offset())),
        }
    }
}

impl ToJson for Elicitation<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        match self {
            Self::Form(form) => form.write_json(out),
            Self::Url(url) => url.write_json(out),
        }
    }
}

value!(Elicitation<'a>);

names! {
    /// The decision of a user.
    ElicitAction {
        /// The user has agreed, and filled in the form.
        Accept = "accept",
        /// The user has refused.
        Decline = "decline",
        /// The user has closed the question.
        Cancel = "cancel",
    }
}

object! {
    /// The result of `elicitation/create`.
    ElicitResult
    required {
        /// The decision.
        action: ElicitAction = "action",
    }
    optional {
        /// The fields of an accepted form, an object.
        content: RawValue<'a> = "content",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

/// The content of a message to or from a model: one block, or several.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
#[cfg_attr(target_pointer_width = "64", expect(clippy::large_enum_variant, reason = "there is no heap"))]
pub enum SamplingContent<'a> {
    /// A text, an image or a sound.
    One(Content<'a>),
    /// An array of blocks, or a block of another kind: `tool_use`, `tool_result`.
    Raw(RawValue<'a>),
}

impl<'a> SamplingContent<'a> {
    /// Reads an object or an array.
    ///
    /// # Errors
    /// [`UnexpectedType`](ErrorKind::UnexpectedType) for another value, and the errors of [`Content::read`].
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        match (raw.kind(), raw.get("type").and_then(RawValue::as_str_raw)) {
            (Kind::Array, _) => Ok(Self::Raw(raw)),
            (Kind::Object, Some(kind)) if kind == *"tool_use" || kind == *"tool_result" => Ok(Self::Raw(raw)),
            _ => Content::read(raw).map(Self::One),
        }
    }
}

impl ToJson for SamplingContent<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        match self {
            Self::One(content) => content.write(out),
            Self::Raw(raw) => out.value(raw),
        }
    }
}

value!(SamplingContent<'a>);

object! {
    /// A message to or from a model.
    SamplingMessage
    required {
        /// The speaker.
        role: Role = "role",
        /// The message.
        content: SamplingContent<'a> = "content",
    }
    optional {
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// The params of `sampling/createMessage`.
    ///
    /// ```
    /// use nanojsonrpc::mcp::types::{Content, CreateMessage, CreateMessageResult, Role, SamplingContent, SamplingMessage};
    /// use nanojsonrpc::{RawValue, Writer};
    ///
    /// let params = RawValue::parse(br#"{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":10}"#)?;
    /// let asked = CreateMessage::read(params)?;
    /// // a model that repeats
    /// let last: SamplingMessage<'_> = asked.messages.iter().last().unwrap();
    /// assert!(matches!(last.content, SamplingContent::One(Content::Text(text)) if text.text == "Hi"));
    /// let answer = CreateMessageResult::new(Role::Assistant, last.content, "echo".into());
    /// let mut buffer = [0; 128];
    /// let mut out = Writer::new(&mut buffer);
    /// out.value(&answer)?;
    /// assert_eq!(out.written(), br#"{"role":"assistant","content":{"type":"text","text":"Hi"},"model":"echo"}"#);
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    CreateMessage
    required {
        /// The conversation so far.
        messages: List<'a, SamplingMessage<'a>> = "messages",
        /// The maximum length of the answer.
        max_tokens: Number<'a> = "maxTokens",
    }
    optional {
        /// The wanted model: an object with hints and priorities.
        model_preferences: RawValue<'a> = "modelPreferences",
        /// The instructions for the model. A client may change or omit them.
        system_prompt: Str<'a> = "systemPrompt",
        /// `none`, `thisServer` or `allServers`: the context to include.
        include_context: Str<'a> = "includeContext",
        /// The temperature.
        temperature: Number<'a> = "temperature",
        /// Texts that end the answer.
        stop_sequences: List<'a, Str<'a>> = "stopSequences",
        /// Settings of a provider, an object.
        metadata: RawValue<'a> = "metadata",
        /// Tools for the model, an array. 2025-11-25 and 2026-07-28.
        tools: RawValue<'a> = "tools",
        /// The use of the tools, an object. 2025-11-25 and 2026-07-28.
        tool_choice: RawValue<'a> = "toolChoice",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// The result of `sampling/createMessage`.
    CreateMessageResult
    required {
        /// The speaker.
        role: Role = "role",
        /// The answer of the model.
        content: SamplingContent<'a> = "content",
        /// The name of the model.
        model: Str<'a> = "model",
    }
    optional {
        /// The reason for the end, such as `endTurn`, `maxTokens`, `toolUse`.
        stop_reason: Str<'a> = "stopReason",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// A place that a server may work in.
    Root
    required {
        /// The URI of the place, with the scheme `file`.
        uri: Str<'a> = "uri",
    }
    optional {
        /// A name for people.
        name: Str<'a> = "name",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// The result of `roots/list`.
    ///
    /// ```
    /// use nanojsonrpc::mcp::types::{List, ListRootsResult, Root};
    /// use nanojsonrpc::Writer;
    ///
    /// let roots = [Root::new("file:///flash".into())];
    /// let mut buffer = [0; 64];
    /// let mut out = Writer::new(&mut buffer);
    /// out.value(&ListRootsResult::new(List::of(&roots)))?;
    /// assert_eq!(out.written(), br#"{"roots":[{"uri":"file:///flash"}]}"#);
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ListRootsResult
    required {
        /// The places.
        roots: List<'a, Root<'a>> = "roots",
    }
    optional {
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}
