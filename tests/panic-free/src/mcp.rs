//! The Model Context Protocol: a server with everything in it, and each of the messages.

use core::hint::black_box;

use nanojsonrpc::mcp::http::{self, Endpoint, Head, Origins, Session, SessionChange};
use nanojsonrpc::mcp::service::feature::Kind;
use nanojsonrpc::mcp::service::{Tasks, ToolCall};
use nanojsonrpc::mcp::types::{
    Annotations, Argument, AudioContent, Base64, BlobResourceContents, CacheScope, CallToolResult, CompleteResult,
    Completion, Content, CreateMessage, CreateMessageResult, Digest, ElicitAction, ElicitForm, ElicitResult, ElicitUrl,
    Elicitation, EmbeddedResource, EmptyResult, GetPromptResult, GetSkillResult, Icon, ImageContent, Implementation,
    InputRequest, InputRequests, InputRequiredResult, List, ListRootsResult, LogMessage, LoggingLevel, Number,
    Progress, ProgressToken, Prompt, PromptArgument, PromptMessage, ReadDirectoryResult, ReadResourceResult, Reference,
    Resource, ResourceContents, ResourceTemplate, ResourceUpdated, ResultMeta, Role, Root, SamplingContent,
    SamplingMessage, ServerCapabilities, Skill, SkillResource, SkillResources, SubscriptionFilter, SubscriptionMeta,
    SubscriptionsAcknowledged, Task, TaskResult, TaskStatus, TaskSupport, TextContent, TextResourceContents, Token,
    Tool, ToolAnnotations, ToolExecution, UnsupportedVersion,
};
use nanojsonrpc::mcp::{
    CompletionCall, Enveloped, PromptCall, ReadCall, Revision, Schema, Service, Structured, Subscriptions, UriTemplate,
    schema, uri_template,
};
use nanojsonrpc::server::Replied;
use nanojsonrpc::{
    Dialect, ErrorCode, ErrorObject, Notification, RawStr, RawValue, Router, Server, ToJson, Writer, message::Str,
};

use crate::{any, name, used};

const ADD: Schema<'_> = schema!(r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}"#);
const ARGUMENTS: &[PromptArgument<'_>] =
    &[PromptArgument::required("name", "Who it is for."), PromptArgument::optional("mood", "In what mood.")];
const LISTED: RawValue<'static> = RawValue::constant(r#"{"list":{}}"#).unwrap();
static LAMP: Implementation<'_> = Implementation::new(Str::Plain("lamp"), Str::Plain("1.0.0"));
static TOOL: Tool<'_> = Tool::new(Str::Plain("whole"), Schema::NO_ARGUMENTS);
static LONG: Tool<'_> = Tool {
    execution: Some(ToolExecution { task_support: Some(TaskSupport::Optional) }),
    ..Tool::new(Str::Plain("long"), Schema::NO_ARGUMENTS)
};
static RESOURCE: Resource<'_> = Resource::new(Str::Plain("lamp:whole"), Str::Plain("whole"));
static TEMPLATE: ResourceTemplate<'_> = ResourceTemplate::new(Str::Plain("lamp:{+all}"), Str::Plain("all"));
static PROMPT: Prompt<'_> = Prompt::new(Str::Plain("whole"));
static FILES: [SkillResource<'_>; 1] = [SkillResource::of("skill://lamp/SKILL.md", b"on")];
static SKILL: Skill<'_> =
    Skill::new(Str::Plain("skill://lamp/SKILL.md"), RawValue::NULL, SkillResources::Files(List::of(&FILES)));

/// The context of the handlers.
struct Lamp<'a> {
    text: &'a [u8],
    level: i32,
    subscriptions: Subscriptions<4>,
}

#[derive(serde::Deserialize)]
struct Both {
    a: i64,
    b: i64,
}

fn add(lamp: &mut Lamp<'_>, mut call: ToolCall<'_>) -> Replied {
    used((call.revision(), call.meta(), call.params(), call.arguments(), call.progress_token()));
    used(call.progress(1, Some(2), Some(name(lamp.text))));
    used(call.ahead(&Notification::new(name(lamp.text))));
    if !call.client_can("roots") {
        return call.lacking("roots");
    }
    used(call.read_with::<Both>(&mut []).is_ok());
    match call.read::<Both>() {
        Ok(Both { a, b }) => match a.checked_add(b) {
            Some(sum) => call.text((sum, ' ', true, name(lamp.text), lamp.level)),
            None => call.failed("too much"),
        },
        Err(_) => call.invalid("a and b: expected integers"),
    }
}

/// The state of a task, one of all.
fn task<'a>(lamp: &Lamp<'a>, raw: RawValue<'a>, result: &'a CallToolResult<'a>) -> Task<'a> {
    let status = [
        TaskStatus::Working,
        TaskStatus::InputRequired,
        TaskStatus::Completed,
        TaskStatus::Failed,
        TaskStatus::Cancelled,
    ];
    let status = status.get(black_box(lamp.level) as usize).copied().unwrap_or(TaskStatus::Working);
    Task {
        ttl_ms: Some(any(lamp.text) as u64),
        poll_interval_ms: Some(any(lamp.text) as u64),
        input_requests: InputRequests::read(raw).ok(),
        result: Some(if lamp.level == 7 { TaskResult::Tool(result) } else { TaskResult::Raw(raw) }),
        error: Some(ErrorObject::INTERNAL_ERROR).filter(|_| lamp.level == 8),
        ..Task::new(Str::Plain(name(lamp.text)), status, Str::Plain(name(lamp.text)))
    }
}

impl Tasks for Lamp<'_> {
    fn get(&mut self, id: RawStr<'_>, found: &mut dyn FnMut(&Task<'_>)) {
        let content = [Content::text(name(self.text))];
        let result = CallToolResult::new(List::of(&content));
        let task = task(self, RawValue::parse(self.text).unwrap_or(RawValue::NULL), &result);
        if task.has_id(id) {
            found(&task);
        }
    }

    fn cancel(&mut self, id: RawStr<'_>) {
        used(id);
        self.level = 0;
    }

    fn update(&mut self, id: RawStr<'_>, key: RawStr<'_>, answer: RawValue<'_>) {
        used((id, key, answer));
    }

    fn wait(&mut self, id: RawStr<'_>) {
        used(id);
    }

    fn nth(&mut self, index: usize, found: &mut dyn FnMut(&Task<'_>)) {
        if index < self.text.len() {
            self.get(RawStr::default(), found);
        }
    }
}

fn begin(lamp: &mut Lamp<'_>, call: ToolCall<'_>) -> Replied {
    let result = CallToolResult::new(List::of(&[]));
    used((call.accepts_task(), call.task_ttl_ms()));
    call.task(&task(lamp, RawValue::NULL, &result))
}

/// Answers in one of all ways, chosen by `lamp`.
fn whole(lamp: &mut Lamp<'_>, call: ToolCall<'_>) -> Replied {
    let content = [
        Content::text(name(lamp.text)),
        Content::image(lamp.text, "image/png"),
        Content::audio(lamp.text, "audio/wav"),
    ];
    match black_box(lamp.level) {
        0 => call.content(&content),
        1 => call.structured(&[1, 2]),
        2 => call.result(&CallToolResult::new(List::of(&content))),
        3 => call.input_required(&InputRequiredResult::default()),
        4 => call.error(ErrorObject::INTERNAL_ERROR.with_data("?")),
        5 => {
            let id = call.id();
            call.text(id.map_or(RawValue::NULL, |id| id.raw()).as_str_raw().unwrap_or_default())
        }
        _ => match call.get("text") {
            Some(text) => call.text(text),
            None => call.text(Str::Plain(name(lamp.text))),
        },
    }
}

fn read(lamp: &mut Lamp<'_>, call: ReadCall<'_>) -> Replied {
    used(call.uri());
    let variable = call.variable(name(lamp.text));
    used(call.file_path(name(lamp.text), &mut [0; 64]));
    match black_box(lamp.level) {
        0 => call.text(variable.unwrap_or_default()),
        1 => call.blob(lamp.text),
        2 => call.not_found(),
        3 => call.input_required(&InputRequiredResult::default()),
        _ => {
            let contents = [ResourceContents::Text(TextResourceContents::new(Str::Plain("lamp:"), Str::Plain("on")))];
            call.result(&ReadResourceResult::new(List::from(&contents)))
        }
    }
}

fn prompt(lamp: &mut Lamp<'_>, call: PromptCall<'_>) -> Replied {
    let message = PromptMessage::new(Role::User, Content::text(name(lamp.text)));
    match black_box(lamp.level) {
        0 => call.messages(&[message]),
        1 => call.result(&GetPromptResult::new(List::of(&[message]))),
        2 => call.input_required(&InputRequiredResult::default()),
        _ => {
            let argument = call.argument(name(lamp.text)).unwrap_or_default();
            call.user(("For ", argument, "."))
        }
    }
}

fn complete(lamp: &mut Lamp<'_>, call: CompletionCall<'_>) -> Replied {
    used((call.value(), call.known(name(lamp.text))));
    match black_box(lamp.level) {
        0 => call.values(&[Str::Plain(name(lamp.text))]),
        1 => call.completion(&Completion::new(List::of(&[]))),
        _ => call.among(&["calm", name(lamp.text)]),
    }
}

#[unsafe(no_mangle)]
pub fn serve_mcp(text: &[u8], out: &mut [u8]) {
    let service = Service::new("lamp", "1.0.0")
        .implementation(&LAMP)
        .instructions("Ask.")
        .declaring(&[("logging", RawValue::NULL), ("tasks", LISTED)])
        .page_len(any(text))
        .lenient()
        .shown_if(|lamp: &Lamp<'_>, offering| offering.is_listing || offering.name.len() < lamp.text.len())
        .subscriptions(|lamp: &mut Lamp<'_>| &mut lamp.subscriptions)
        .unlisted(|lamp: &mut Lamp<'_>, kind, name| used((lamp.level, kind, name)))
        .cached(any(text) as u32, CacheScope::Public)
        .tool("add", "Adds.", ADD, add)
        .tool_as("whole", &TOOL, whole)
        .tool_as("long", &LONG, begin)
        .tasks(|lamp| lamp)
        .tool("dim", "Dims.", ADD, |lamp: &mut Lamp<'_>, Both { a, b }: Both| {
            lamp.level = a as i32;
            if a == b { Err(("no change of ", a)) } else { Ok(()) }
        })
        .tool("off", "Switches off.", ADD, |lamp: &mut Lamp<'_>| lamp.level = 0)
        .tool("state", "Shows.", ADD, |lamp: &mut Lamp<'_>| Structured([lamp.level]))
        .tool("broken", "Fails.", ADD, |_: &mut Lamp<'_>| Err::<(), _>(ErrorObject::INTERNAL_ERROR))
        .resource("lamp:state", "state", "text/plain", read)
        .resource_as("lamp:whole", &RESOURCE, read)
        .resource_template(uri_template!("lamp:{id}"), "lamps", "text/plain", read)
        .resource_template_as(uri_template!("lamp:{+all}"), &TEMPLATE, read)
        .prompt("mood", "Sets a mood.", ARGUMENTS, prompt)
        .prompt_as("whole", &PROMPT, prompt)
        .skill("skill://lamp/SKILL.md", &SKILL)
        .completion("mood", "mood", complete)
        .completion("lamp:{id}", "id", complete);
    let mut lamp = Lamp { text, level: any(text) as i32, subscriptions: Subscriptions::new() };
    let mut server = Server::new(Router::new().nest("", service.router())).with_dialect(Dialect::MCP);
    used(server.process(&mut lamp, text, out).answer());
    // the rest is in the opened session
    let mut server = service.server();
    if let Some(enveloped) = RawValue::parse(text).ok().and_then(Enveloped::of) {
        used((enveloped.session(), enveloped.payload()));
        used(enveloped.process(&mut server, &mut lamp, out));
        used(Writer::new(out).message(&Enveloped::new(Notification::new(name(text))).with_session(name(text))));
    }
    used(server.process(&mut lamp, text, out).answer());
    used(server.process(&mut lamp, text, out).answer());
    let subscriptions = &mut lamp.subscriptions;
    used((subscriptions.len(), subscriptions.is_empty(), subscriptions.is_subscribed(name(text))));
    let mut out = Writer::new(out);
    used(subscriptions.updated(name(text), &mut out));
    used(subscriptions.list_changed(Kind::Tool, &mut out));
    if let Ok(task) = RawValue::parse(text).and_then(Task::read_created) {
        used((task.poll_delay_ms(), task.status.is_terminal(), task.has_id(RawStr::default())));
        used((task.result.is_some_and(TaskResult::is_error), subscriptions.task_changed(&task, &mut out)));
    }
    used(RawValue::parse(text).and_then(Task::read).is_ok());
    used(subscriptions.end(&mut out));
}

#[nanojsonrpc::service(mcp)]
trait Described {
    #[tool(text)]
    fn describe(&self) -> u16;
    #[tool(text)]
    fn rename(&mut self, name: &str) -> Result<&'static str, (ErrorCode, &'static str)>;
    fn level(&self) -> Result<u16, (ErrorCode, &'static str)>;
}

impl Described for u16 {
    fn describe(&self) -> u16 {
        *self
    }

    fn rename(&mut self, name: &str) -> Result<&'static str, (ErrorCode, &'static str)> {
        if name.len() > usize::from(*self) { Err((ErrorCode(-32001), "too long")) } else { Ok("renamed") }
    }

    fn level(&self) -> Result<u16, (ErrorCode, &'static str)> {
        Ok(*self)
    }
}

#[unsafe(no_mangle)]
pub fn declared_tools(text: &[u8], out: &mut [u8], level: &mut u16) {
    used(DescribedService::tools(Service::new("fan", "1.0.0")).server().process(level, text, out).answer());
    used(DescribedService::METHODS);
}

#[unsafe(no_mangle)]
pub fn mcp_http(text: &[u8], headers: &[(&str, &[u8])], out: &mut [u8]) {
    let origins = match any(text) % 3 {
        0 => Origins::Local,
        1 => Origins::Only(&["http://lamp.local"]),
        _ => Origins::Any,
    };
    used(origins.allow(text));
    let mut head = Head::from_headers(name(text), headers.iter().copied());
    head.header(name(text), text);
    head.session = match any(text) % 4 {
        0 => Session::NotKept,
        1 => Session::Absent,
        2 => Session::Unknown,
        _ => Session::Open(Revision::V2025_06_18),
    };
    let mut lamp = Lamp { text, level: any(text) as i32, subscriptions: Subscriptions::new() };
    let mut server = Service::new("lamp", "1.0.0").tool("add", "Adds.", ADD, add).server();
    let endpoint = if any(text) == 1 { Endpoint::new().listening() } else { Endpoint::new() };
    let endpoint = endpoint.with_origins(origins);
    let tools = [(name(text), RawValue::parse(text).unwrap_or(RawValue::NULL))];
    used(
        endpoint.refuse_params(&tools, &head, headers.iter().copied(), text, out).map(|response| response.body().len()),
    );
    let response = endpoint.answer(&mut server, &mut lamp, &head, text, out);
    used((response.status(), response.headers(), response.is_stream()));
    used(response.session_change() == SessionChange::Same);
    http::event(response.body()).for_each(used);
    used(Head::new(name(text)));
}

/// Takes `value` for used and writes it.
fn again(value: impl ToJson, out: &mut Writer<'_>) {
    used(out.value(&value));
    used(value);
}

macro_rules! types {
    ($($type:ident)*) => {
        fn each_type(raw: RawValue<'_>, out: &mut Writer<'_>) {
            $(match $type::read(raw) {
                Ok(value) => again(value, out),
                Err(error) => used((error.kind(), error.offset())),
            })*
        }
    };
}
types! {
    Annotations Argument AudioContent Base64 BlobResourceContents CacheScope CallToolResult CompleteResult Completion
    Content CreateMessage CreateMessageResult ElicitAction ElicitForm ElicitResult ElicitUrl Elicitation EmbeddedResource EmptyResult GetPromptResult GetSkillResult Icon ImageContent Implementation InputRequest InputRequests
    InputRequiredResult ListRootsResult LogMessage LoggingLevel Number Progress ProgressToken Prompt PromptArgument PromptMessage
    Digest ReadDirectoryResult Skill SkillResource SkillResources
    ReadResourceResult Reference Resource ResourceContents ResourceTemplate ResourceUpdated ResultMeta Revision Role
    Root SamplingContent SamplingMessage Schema ServerCapabilities SubscriptionFilter SubscriptionMeta SubscriptionsAcknowledged TaskStatus TaskSupport TextContent
    TextResourceContents Token Tool ToolAnnotations UnsupportedVersion
}

#[unsafe(no_mangle)]
pub fn icon(text: &[u8]) {
    let icon = Icon::new(Str::Plain(name(text)));
    used(icon.is_safe());
    used(RawValue::parse(text).and_then(Icon::read).is_ok_and(|icon| icon.is_safe()));
}

#[unsafe(no_mangle)]
pub fn uri_template(text: &[u8], uri: &[u8]) {
    if let (Some(template), Ok(uri)) = (UriTemplate::new(name(text)), RawValue::parse(uri)) {
        let uri = uri.as_str_raw().unwrap_or_default();
        used((template.as_str(), template.matches(uri), template.variable(uri, name(text))));
        used(template.file_path(uri, name(text), &mut [0; 64]));
    }
}

#[unsafe(no_mangle)]
pub fn mcp_types(text: &[u8], out: &mut [u8]) {
    if let Ok(raw) = RawValue::parse(text) {
        each_type(raw, &mut Writer::new(out));
    }
}

#[unsafe(no_mangle)]
pub fn mcp_values(text: &[u8], buffer: &mut [u8]) {
    let Ok(raw) = RawValue::parse(text) else { return };
    used(Schema::constant(name(text)).map(Schema::raw));
    used(Schema::parse(name(text)));
    used(raw.as_str_raw().map(Revision::negotiate).map(|revision| (revision.is_stateless(), revision.as_str())));
    used(Token::read(raw).map(Token::raw) == Token::read(RawValue::NULL).map(Token::raw));
    used(Token::read(raw) == Token::read(raw));
    if let Ok(list) = List::<Content<'_>>::read(raw) {
        list.iter().for_each(used);
    }
    used(Base64::read(raw).and_then(|bytes| bytes.decode(buffer).map(|bytes| bytes.len())));
    used(SkillResource::of(name(text), text).verifies(buffer));
    used(Digest::of(text).as_bytes());
    used((Reference::prompt(name(text)), Reference::resource(name(text))));
    used(RawStr::default() == *Role::User.as_str());
}
