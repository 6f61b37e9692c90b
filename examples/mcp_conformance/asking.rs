//! The tools that send requests to the client while they run. Only revisions with sessions allow this.

use nanojsonrpc::RawValue;
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::{Schema, Service, ToolCall, method, schema};
use nanojsonrpc::server::Replied;

use super::App;

const PROMPT: Schema<'_> =
    schema!(r#"{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}"#);
const MESSAGE: Schema<'_> =
    schema!(r#"{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}"#);

const DEFAULTS: &str = concat!(
    r#"{"message":"Please review and update the form fields with defaults","requestedSchema":{"type":"object","properties":{"#,
    r#""name":{"type":"string","description":"User name","default":"John Doe"},"#,
    r#""age":{"type":"integer","description":"User age","default":30},"#,
    r#""score":{"type":"number","description":"User score","default":95.5},"#,
    r#""status":{"type":"string","description":"User status","enum":["active","inactive","pending"],"default":"active"},"#,
    r#""verified":{"type":"boolean","description":"Verification status","default":true}}}}"#,
);

const ENUMS: &str = concat!(
    r#"{"message":"Please select options from the enum fields","requestedSchema":{"type":"object","properties":{"#,
    r#""untitledSingle":{"type":"string","enum":["option1","option2","option3"]},"#,
    r#""titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},"#,
    r#""legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},"#,
    r#""untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},"#,
    r#""titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}}"#,
);

pub(crate) fn register<F: Features<App>>(service: Service<App, F>) -> Service<App, impl Features<App>> {
    let none = Schema::NO_ARGUMENTS;
    service
        .tool("test_sampling", "Asks the client's language model.", PROMPT, sample)
        .tool("test_elicitation", "Asks the user.", MESSAGE, |app: &mut App, call: ToolCall<'_>| {
            let Some(message) = call.get("message") else { return call.invalid("message: expected a string") };
            let params = format!(
                r#"{{"message":{},"requestedSchema":{{"type":"object","properties":{{"response":{{"type":"string"}}}},"required":["response"]}}}}"#,
                message.as_json()
            );
            elicit(app, call, &params, "User response")
        })
        .tool("test_elicitation_sep1034_defaults", "Asks with defaults.", none, |app: &mut App, call: ToolCall<'_>| {
            elicit(app, call, DEFAULTS, "Elicitation completed")
        })
        .tool("test_elicitation_sep1330_enums", "Asks to choose.", none, |app: &mut App, call: ToolCall<'_>| {
            elicit(app, call, ENUMS, "Elicitation completed")
        })
}

fn sample(app: &mut App, mut call: ToolCall<'_>) -> Replied {
    let Some(prompt) = call.get("prompt") else { return call.invalid("prompt: expected a string") };
    if call.revision().is_stateless() {
        return call.failed("not while it runs");
    }
    let params = format!(
        r#"{{"messages":[{{"role":"user","content":{{"type":"text","text":{}}}}}],"maxTokens":100}}"#,
        prompt.as_json()
    );
    let params = RawValue::parse(params.as_bytes()).unwrap_or(RawValue::NULL);
    let said = app.ask(&mut call, method::SAMPLING_CREATE_MESSAGE, params, |result| {
        result.pointer("/content/text").map(|text| text.as_json().to_owned())
    });
    match said.flatten() {
        Some(text) => call.text(("LLM response: ", text.as_str())),
        None => call.failed("the client does not sample"),
    }
}

fn elicit(app: &mut App, mut call: ToolCall<'_>, params: &str, what: &str) -> Replied {
    if call.revision().is_stateless() {
        return call.failed("not while it runs");
    }
    let params = RawValue::parse(params.as_bytes()).unwrap_or(RawValue::NULL);
    let said = app.ask(&mut call, method::ELICITATION_CREATE, params, |result| {
        let member = |name| result.get(name).map_or("{}", |value| value.as_json()).to_owned();
        (member("action"), member("content"))
    });
    match said {
        Some((action, content)) => call.text((what, ": action=", action.as_str(), ", content=", content.as_str())),
        None => call.failed("the client does not ask its user"),
    }
}
