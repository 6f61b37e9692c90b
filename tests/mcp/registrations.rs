//! The registration that answers a request: the first one that fits and is shown, whichever function asks for it.
#![cfg(feature = "mcp")]

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use crate::cases::cases;
use crate::peer::{SESSIONS, hello, stateless};
use nanojsonrpc::mcp::service::feature::{AsyncFeatures, Candidate, Features, Kind};
use nanojsonrpc::mcp::types::PromptArgument;
use nanojsonrpc::mcp::{CompletionCall, PromptCall, ReadCall, Schema, Service, Subscriptions, ToolCall, UriTemplate};
use nanojsonrpc::server::route::Call;
use nanojsonrpc::server::{AsyncRoutes, Exchange, Replied};
use nanojsonrpc::{Dialect, Server};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

#[derive(Clone, Debug, Default)]
struct Desk {
    /// The registrations that no request may use.
    hidden: Vec<(Kind, &'static str)>,
    /// The registrations that no list shows.
    unlisted: Vec<(Kind, &'static str)>,
    /// The registration whose handler ran.
    reached: Option<usize>,
    kept: Subscriptions<4, 16>,
}

fn is_shown(desk: &Desk, candidate: Candidate<'_>) -> bool {
    let hidden = if candidate.is_listing { &desk.unlisted } else { &desk.hidden };
    !hidden.contains(&(candidate.kind, candidate.name))
}

const NAMES: [&str; 3] = ["a", "b", "c"];
const READABLE: [&str; 6] = ["x:a", "x:b", "y:a", "x:{v}", "x:{+v}", "{v}:a"];
const COMPLETED: [(&str, &str); 6] =
    [("a", "v"), ("a", "w"), ("b", "v"), ("x:{v}", "v"), ("x:{v}", "w"), ("{v}:a", "v")];

/// The names or URIs of all registrations, and the arguments of completions.
#[derive(Clone, Debug)]
struct Keys([(&'static str, &'static str); ALL]);

const ALL: usize = 21;
/// Each seventh registration, from these on: tools, resources or templates, prompts, and a completion.
const TOOLS: [usize; 2] = [0, 1];
const READINGS: [usize; 2] = [2, 3];
const COMPLETION: usize = 6;

/// Whether the registration at `index` has an `async` handler.
fn is_waiting(index: usize) -> bool {
    matches!(index % 7, 1 | 3 | 5)
}

impl Keys {
    fn kind(&self, index: usize) -> Kind {
        match index % 7 {
            kind if TOOLS.contains(&kind) => Kind::Tool,
            kind if READINGS.contains(&kind) && self.0[index].0.contains('{') => Kind::Template,
            kind if READINGS.contains(&kind) => Kind::Resource,
            COMPLETION => Kind::Completion,
            _ => Kind::Prompt,
        }
    }

    /// The first registration that fits, and that `hidden` does not name.
    fn first(&self, hidden: &[(Kind, &'static str)], fits: impl Fn(Kind, (&str, &str)) -> bool) -> Option<usize> {
        (0..ALL).find(|index| {
            let (kind, key) = (self.kind(*index), self.0[*index]);
            fits(kind, key) && !hidden.contains(&(kind, key.0))
        })
    }
}

fn keys() -> impl Strategy<Value = Keys> {
    let one = (select(&NAMES[..]), select(&READABLE[..]), select(&NAMES[..]), select(&COMPLETED[..]));
    proptest::array::uniform6(one).prop_map(|ones| {
        Keys(core::array::from_fn(|index| {
            let (tool, readable, prompt, completed) = ones[index / 7 * 2 + index % 2];
            match index % 7 {
                kind if TOOLS.contains(&kind) => (tool, ""),
                kind if READINGS.contains(&kind) => (readable, ""),
                COMPLETION => completed,
                _ => (prompt, ""),
            }
        }))
    })
}

const ARGUMENTS: &[PromptArgument<'_>] = &[PromptArgument::required("v", ""), PromptArgument::optional("w", "")];

macro_rules! handlers {
    ($($plain:ident $waiting:ident $call:ident)*) => {$(
        fn $plain<const INDEX: usize>(desk: &mut Desk, call: $call<'_>) -> Replied {
            desk.reached = Some(INDEX);
            call.not_found()
        }

        async fn $waiting<const INDEX: usize>(desk: &mut Desk, call: $call<'_>) -> Replied {
            $plain::<INDEX>(desk, call)
        }
    )*};
}

/// Another answer than that of a refused request.
trait NotFound {
    fn not_found(self) -> Replied;
}

impl NotFound for ToolCall<'_> {
    fn not_found(self) -> Replied {
        self.failed("")
    }
}

impl NotFound for PromptCall<'_> {
    fn not_found(self) -> Replied {
        self.user("")
    }
}

handlers! { use_tool use_tool_late ToolCall read read_late ReadCall get get_late PromptCall }

fn complete<const INDEX: usize>(desk: &mut Desk, call: CompletionCall<'_>) -> Replied {
    desk.reached = Some(INDEX);
    call.among(&[])
}

/// Three times seven registrations of each kind with these methods and handlers, and subscriptions between them.
macro_rules! service {
    ($keys:ident, $tool:ident($use:ident) $resource:ident($read:ident) $template:ident $prompt:ident($get:ident)) => {{
        let service = Service::new("desk", "1.0.0");
        let service = service!(@ $keys, service, $tool $use $resource $read $template $prompt $get, 0 1 2 3 4 5 6);
        let service = service!(@ $keys, service, $tool $use $resource $read $template $prompt $get, 7 8 9 10 11 12 13);
        let service = service.subscriptions(|desk: &mut Desk| &mut desk.kept).shown_if(is_shown);
        service!(@ $keys, service, $tool $use $resource $read $template $prompt $get, 14 15 16 17 18 19 20)
    }};
    (
        @ $keys:ident, $service:ident, $tool:ident $use:ident $resource:ident $read:ident $template:ident $prompt:ident $get:ident,
        $t:literal $u:literal $r:literal $s:literal $p:literal $q:literal $c:literal
    ) => {{
        let key = |index: usize| $keys.0[index].0;
        let service = $service
            .tool(key($t), "", Schema::NO_ARGUMENTS, use_tool::<$t>)
            .$tool(key($u), "", Schema::NO_ARGUMENTS, $use::<$u>);
        let service = match UriTemplate::new(key($r)).filter(|_| key($r).contains('{')) {
            Some(template) => service.resource_template(template, "", "", read::<$r>),
            None => service.resource(key($r), "", "", read::<$r>),
        };
        let service = match UriTemplate::new(key($s)).filter(|_| key($s).contains('{')) {
            Some(template) => service.$template(template, "", "", $read::<$s>),
            None => service.$resource(key($s), "", "", $read::<$s>),
        };
        service
            .prompt(key($p), "", ARGUMENTS, get::<$p>)
            .$prompt(key($q), "", ARGUMENTS, $get::<$q>)
            .completion(key($c), $keys.0[$c].1, complete::<$c>)
    }};
}

fn blocking(keys: &Keys) -> Service<Desk, impl Features<Desk>> {
    service!(keys, tool(use_tool) resource(read) resource_template prompt(get))
}

fn waiting(keys: &Keys) -> Service<Desk, impl AsyncFeatures<Desk>> {
    service!(keys, tool_async(use_tool_late) resource_async(read_late) resource_template_async prompt_async(get_late))
}

/// Routes that compare what `waits` says with what `route` does.
struct Checked<R> {
    routes: R,
    /// The last result of `waits`.
    waits: Option<bool>,
}

impl<R: AsyncRoutes<Desk>> AsyncRoutes<Desk> for Checked<R> {
    async fn route(&mut self, desk: &mut Desk, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        self.waits = self.routes.waits(desk, call);
        let is_routed = self.routes.route(desk, call, exchange).await;
        assert_eq!(self.waits.is_some(), is_routed, "{call:?}");
        is_routed
    }

    fn waits(&mut self, desk: &mut Desk, call: &Call<'_>) -> Option<bool> {
        self.routes.waits(desk, call)
    }
}

fn run<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("no handler waits"),
    }
}

/// RFC 6570: each template in [`READABLE`].
fn matches(template: &str, uri: &str) -> bool {
    let is_plain = |value: &str| !value.is_empty() && !value.contains([':', '/']);
    match template {
        "x:{v}" => uri.strip_prefix("x:").is_some_and(is_plain),
        "x:{+v}" => uri.strip_prefix("x:").is_some_and(|value| !value.is_empty()),
        "{v}:a" => uri.strip_suffix(":a").is_some_and(is_plain),
        uri_itself => uri_itself == uri,
    }
}

/// A request or notification: its method, its params, and what it names.
#[derive(Clone, Debug)]
enum Question {
    Tool(&'static str),
    Read(&'static str),
    Get(&'static str, bool),
    Complete(&'static str, &'static str),
    Subscribe(&'static str, bool),
    Listen(&'static str),
    Cancel(i32),
    List(&'static str),
    Other(&'static str),
}

const URIS: [&str; 7] = ["x:a", "x:b", "y:a", "z:a", "x:/", "x:{v}", "nope"];
const LISTS: [&str; 4] = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];

fn question() -> impl Strategy<Value = Question> {
    let name = select(&["a", "b", "c", "d"][..]);
    let uri = select(&URIS[..]);
    prop_oneof![
        2 => name.clone().prop_map(Question::Tool),
        4 => uri.clone().prop_map(Question::Read),
        2 => (name.clone(), any::<bool>()).prop_map(|(name, is_whole)| Question::Get(name, is_whole)),
        2 => (select(&["a", "b", "d", "x:{v}", "{v}:a"][..]), select(&["v", "w"][..]))
            .prop_map(|(of, argument)| Question::Complete(of, argument)),
        1 => (uri.clone(), any::<bool>()).prop_map(|(uri, begins)| Question::Subscribe(uri, begins)),
        1 => uri.prop_map(Question::Listen),
        1 => (1..8).prop_map(Question::Cancel),
        1 => select(&LISTS[..]).prop_map(Question::List),
        1 => select(&["ping", "server/discover", "tools/run", "notifications/initialized"][..]).prop_map(Question::Other),
    ]
}

impl Question {
    fn message(&self, id: usize, meta: &Value) -> String {
        let (method, mut params) = match *self {
            Self::Tool(name) => ("tools/call", json!({"name": name})),
            Self::Read(uri) => ("resources/read", json!({"uri": uri})),
            Self::Get(name, true) => ("prompts/get", json!({"name": name, "arguments": {"v": "1"}})),
            Self::Get(name, false) => ("prompts/get", json!({"name": name})),
            Self::Complete(of, argument) => {
                let reference = match of.contains(':') {
                    true => json!({"type": "ref/resource", "uri": of}),
                    false => json!({"type": "ref/prompt", "name": of}),
                };
                ("completion/complete", json!({"ref": reference, "argument": {"name": argument, "value": ""}}))
            }
            Self::Subscribe(uri, true) => ("resources/subscribe", json!({"uri": uri})),
            Self::Subscribe(uri, false) => ("resources/unsubscribe", json!({"uri": uri})),
            Self::Listen(uri) => {
                let filter = json!({"toolsListChanged": true, "resourceSubscriptions": [uri]});
                ("subscriptions/listen", json!({"notifications": filter}))
            }
            Self::Cancel(request) => ("notifications/cancelled", json!({"requestId": request})),
            Self::List(method) | Self::Other(method) => (method, json!({})),
        };
        params["_meta"] = meta.clone();
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if !method.starts_with("notifications/") {
            message["id"] = json!(id);
        }
        message.to_string()
    }

    /// The registration whose handler answers.
    fn target(&self, keys: &Keys, hidden: &[(Kind, &'static str)]) -> Option<usize> {
        let first = |fits: &dyn Fn(Kind, (&str, &str)) -> bool| keys.first(hidden, fits);
        match *self {
            Self::Tool(name) => first(&|kind, (key, _)| kind == Kind::Tool && key == name),
            Self::Read(uri) => {
                first(&|kind, (key, _)| matches!(kind, Kind::Resource | Kind::Template) && matches(key, uri))
            }
            Self::Get(name, is_whole) => {
                first(&|kind, (key, _)| kind == Kind::Prompt && key == name).filter(|_| is_whole)
            }
            Self::Complete(of, argument) => {
                let kind = if of.contains(':') { Kind::Template } else { Kind::Prompt };
                first(&|of_kind, (key, _)| of_kind == kind && key == of)?;
                first(&|kind, key| kind == Kind::Completion && key == (of, argument))
            }
            _ => None,
        }
    }
}

/// Some of the registrations, of which there may be several with one name.
fn some_of(keys: &Keys, mask: u32) -> Vec<(Kind, &'static str)> {
    (0..ALL).filter(|index| mask >> index & 1 == 1).map(|index| (keys.kind(index), keys.0[index].0)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(1_000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_first_registration_that_fits_and_is_shown_decides(
        keys in keys(),
        hidden in any::<(u32, u32, u32)>(),
        is_session in any::<bool>(),
        questions in proptest::collection::vec(question(), 1..16),
    ) {
        // a quarter of the registrations is hidden
        let hidden = (some_of(&keys, hidden.0 & hidden.1), some_of(&keys, hidden.2 & hidden.1));
        let desk = Desk { hidden: hidden.0.clone(), unlisted: hidden.1, ..Desk::default() };
        let mut plain = (blocking(&keys).server(), desk.clone());
        let checked = Checked { routes: waiting(&keys), waits: None };
        let mut late = (Server::with_routes(checked).with_dialect(Dialect::MCP), desk);
        let mut outputs = ([0; 4096], [0; 4096]);
        let meta = if is_session { Value::Null } else { stateless() };
        if is_session {
            let open = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello(SESSIONS[2])}).to_string();
            prop_assert!(plain.0.process(&mut plain.1, open.as_bytes(), &mut outputs.0).answer().is_some());
            prop_assert!(run(late.0.process_async(&mut late.1, open.as_bytes(), &mut outputs.1)).answer().is_some());
        }
        for (id, question) in questions.iter().enumerate() {
            let message = question.message(id, &meta);
            let expected = question.target(&keys, &hidden.0);
            (plain.1.reached, late.1.reached) = (None, None);
            let answer = plain.0.process(&mut plain.1, message.as_bytes(), &mut outputs.0).answer().map(<[u8]>::to_vec);
            let other = run(late.0.process_async(&mut late.1, message.as_bytes(), &mut outputs.1)).answer();
            prop_assert_eq!(answer.as_deref(), other, "{}", message);
            prop_assert_eq!((plain.1.reached, late.1.reached), (expected, expected), "{}", message);
            let waits = late.0.routes_mut().waits;
            prop_assert_eq!(waits == Some(true), expected.is_some_and(is_waiting), "{}: {:?}", message, waits);
        }
    }
}
