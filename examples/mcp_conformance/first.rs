//! The tools and the prompt that need input from the client: multi round-trip requests, revision 2026-07-28.

use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::types::{InputRequest, InputRequests, InputRequiredResult};
use nanojsonrpc::mcp::{PromptCall, Schema, Service, ToolCall, method};
use nanojsonrpc::server::Replied;
use nanojsonrpc::{ErrorObject, RawValue, message::Str};

use super::App;

type Asked = (&'static str, InputRequest<'static>);

const fn request(method: &'static str, params: &'static str) -> InputRequest<'static> {
    InputRequest { params: RawValue::constant(params), ..InputRequest::new(Str::Plain(method)) }
}

const NAME: Asked = (
    "user_name",
    request(
        method::ELICITATION_CREATE,
        r#"{"message":"What is your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}"#,
    ),
);
const CONFIRMATION: Asked = (
    "confirm",
    request(
        method::ELICITATION_CREATE,
        r#"{"message":"Please confirm","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}}"#,
    ),
);
const COLOR: Asked = (
    "step2",
    request(
        method::ELICITATION_CREATE,
        r#"{"message":"What is your favorite color?","requestedSchema":{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}}"#,
    ),
);
const CONTEXT: Asked = (
    "user_context",
    request(
        method::ELICITATION_CREATE,
        r#"{"message":"What context should the prompt use?","requestedSchema":{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}}"#,
    ),
);
const CAPITAL: Asked = (
    "capital_question",
    request(
        method::SAMPLING_CREATE_MESSAGE,
        r#"{"messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],"maxTokens":100}"#,
    ),
);
const ROOTS: Asked = ("client_roots", request(method::ROOTS_LIST, "{}"));

fn required<'a>(asked: &'a [Asked], state: Option<&'a str>) -> InputRequiredResult<'a> {
    InputRequiredResult {
        input_requests: Some(InputRequests::Entries(asked)),
        request_state: state.map(Str::Plain),
        ..InputRequiredResult::new()
    }
}

/// Whether the params contain an object as the answer to each request.
fn has_all(params: Option<RawValue<'_>>, asked: &[Asked]) -> bool {
    let responses = params.and_then(|params| params.get("inputResponses"));
    let has = |key: &str| {
        responses.and_then(|responses| responses.get(key)).is_some_and(|one| one.members().next().is_some())
    };
    asked.iter().all(|(key, _)| has(key))
}

fn state_is(params: Option<RawValue<'_>>, state: &str) -> bool {
    params
        .and_then(|params| params.get("requestState"))
        .and_then(|known| known.as_str_raw())
        .is_some_and(|known| known == *state)
}

/// Answers the call when the client has sent all input.
fn after(call: ToolCall<'_>, asked: &[Asked]) -> Replied {
    if has_all(call.params(), asked) { call.text("Thank you!") } else { call.input_required(&required(asked, None)) }
}

/// [`after`] with a state: the returned state must be the only valid one.
fn after_in_state(call: ToolCall<'_>, asked: &[Asked]) -> Replied {
    const STATE: &str = "asked once";
    let params = call.params();
    if params.is_some_and(|params| params.get("requestState").is_some()) && !state_is(params, STATE) {
        return call.error(
            ErrorObject::INVALID_PARAMS.with_message("Invalid params: the state is not one that was given out"),
        );
    }
    if has_all(params, asked) && state_is(params, STATE) {
        return call.text("state-ok");
    }
    call.input_required(&required(asked, Some(STATE)))
}

pub(crate) fn register<F: Features<App>>(service: Service<App, F>) -> Service<App, impl Features<App>> {
    let none = Schema::NO_ARGUMENTS;
    service
        .tool("test_input_required_result_elicitation", "Asks for a name.", none, |_: &mut App, call: ToolCall<'_>| {
            let has_name = call.params().and_then(|params| params.pointer("/inputResponses/user_name/content/name"));
            match has_name.and_then(|name| name.as_str_raw()) {
                Some(name) => call.text(("Hello, ", name, "!")),
                None => call.input_required(&required(&[NAME], None)),
            }
        })
        .tool("test_input_required_result_sampling", "Asks a model.", none, |_: &mut App, call: ToolCall<'_>| {
            after(call, &[CAPITAL])
        })
        .tool("test_input_required_result_list_roots", "Asks for roots.", none, |_: &mut App, call: ToolCall<'_>| {
            after(call, &[ROOTS])
        })
        .tool("test_input_required_result_request_state", "Keeps a state.", none, |_: &mut App, call: ToolCall<'_>| {
            after_in_state(call, &[CONFIRMATION])
        })
        .tool("test_input_required_result_multiple_inputs", "Asks a lot.", none, |_: &mut App, call: ToolCall<'_>| {
            after_in_state(call, &[NAME, CAPITAL, ROOTS])
        })
        .tool(
            "test_input_required_result_tampered_state",
            "Checks a state.",
            none,
            |_: &mut App, call: ToolCall<'_>| after_in_state(call, &[CONFIRMATION]),
        )
        .tool("test_input_required_result_multi_round", "Asks twice.", none, |_: &mut App, call: ToolCall<'_>| {
            let params = call.params();
            if state_is(params, "second") && has_all(params, &[COLOR]) {
                call.text("Thank you!")
            } else if state_is(params, "first") && has_all(params, &[NAME]) {
                call.input_required(&required(&[COLOR], Some("second")))
            } else {
                call.input_required(&required(&[NAME], Some("first")))
            }
        })
        .tool(
            "test_input_required_result_capabilities",
            "Asks what can be asked.",
            none,
            |_: &mut App, call: ToolCall<'_>| {
                let asked: Vec<Asked> = [("elicitation", NAME), ("sampling", CAPITAL), ("roots", ROOTS)]
                    .into_iter()
                    .filter_map(|(capability, asked)| call.client_can(capability).then_some(asked))
                    .collect();
                after(call, &asked)
            },
        )
        .tool("test_streaming_elicitation", "Asks for a name.", none, |_: &mut App, call: ToolCall<'_>| {
            after(call, &[NAME])
        })
        .tool("test_missing_capability", "Needs a model to ask.", none, |_: &mut App, call: ToolCall<'_>| {
            if call.client_can("sampling") { after(call, &[CAPITAL]) } else { call.lacking("sampling") }
        })
        .prompt("test_input_required_result_prompt", "Asks for context.", &[], |_: &mut App, call: PromptCall<'_>| {
            if has_all(call.params(), &[CONTEXT]) {
                call.user("Thank you!")
            } else {
                call.input_required(&required(&[CONTEXT], None))
            }
        })
}
