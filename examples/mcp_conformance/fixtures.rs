//! The tools that answer at once or after a delay.

use core::time::Duration;
use std::thread;

use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::types::{Content, EmbeddedResource, ResourceContents, TextResourceContents};
use nanojsonrpc::mcp::{Schema, Service, ToolCall, schema};
use nanojsonrpc::{RawValue, message::Str};

use super::App;

/// A gray square, the smallest possible PNG.
pub(crate) const IMAGE: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\0\0\0\nIDATx\x9cch\0\0\0\x82\0\x81\
    \xddCj\xf4\0\0\0\0IEND\xaeB`\x82";
/// A WAV file with one sample.
const SOUND: &[u8] = b"RIFF%\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0@\x1f\0\0\x01\0\x08\0data\x01\0\0\0\x80";

pub(crate) const fn declared(how: &'static str) -> RawValue<'static> {
    match RawValue::constant(how) {
        Some(how) => how,
        None => RawValue::NULL,
    }
}

/// Capabilities that do not follow from the registrations: log messages, and subscriptions to resources.
pub(crate) static DECLARED: [(&str, RawValue<'_>); 2] =
    [("logging", declared("{}")), ("resources", declared(r#"{"subscribe":true}"#))];

/// A resource as embedded content.
pub(crate) fn embedded<'a>(uri: Str<'a>, mime_type: &'a str, text: &'a str) -> Content<'a> {
    let contents = TextResourceContents::new(uri, Str::Plain(text));
    let contents = TextResourceContents { mime_type: Some(Str::Plain(mime_type)), ..contents };
    Content::Resource(EmbeddedResource::new(ResourceContents::Text(contents)))
}

/// A tool whose param a header repeats, and its schema.
const IN_ZONE: &str = "test_header_param";
const ZONE: Schema<'_> =
    schema!(r#"{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Zone"}},"required":["zone"]}"#);

/// The tools with such params.
pub(crate) static TOOLS: [(&str, RawValue<'_>); 1] = [(IN_ZONE, ZONE.raw())];

/// The vocabulary of JSON Schema 2020-12 in one schema.
const VOCABULARY: Schema<'_> = schema!(
    r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef",
    "type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},
    "address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},
    "email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
    "if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},
    "else":{"required":["email"]},"additionalProperties":false}"##
);

pub(crate) fn register(service: Service<App>) -> Service<App, impl Features<App>> {
    let none = Schema::NO_ARGUMENTS;
    service
        .tool("test_simple_text", "Answers with a text.", none, |_: &mut App, call: ToolCall<'_>| {
            call.text("This is a simple text response for testing.")
        })
        .tool("test_image_content", "Answers with an image.", none, |_: &mut App, call: ToolCall<'_>| {
            call.content(&[Content::image(IMAGE, "image/png")])
        })
        .tool("test_audio_content", "Answers with a sound.", none, |_: &mut App, call: ToolCall<'_>| {
            call.content(&[Content::audio(SOUND, "audio/wav")])
        })
        .tool("test_embedded_resource", "Answers with a resource.", none, |_: &mut App, call: ToolCall<'_>| {
            let uri = Str::Plain("test://embedded-resource");
            call.content(&[embedded(uri, "text/plain", "This is an embedded resource content.")])
        })
        .tool("test_multiple_content_types", "Answers with all of these.", none, |_: &mut App, call: ToolCall<'_>| {
            call.content(&[
                Content::text("Multiple content types test:"),
                Content::image(IMAGE, "image/png"),
                embedded(
                    Str::Plain("test://mixed-content-resource"),
                    "application/json",
                    r#"{"test":"data","value":123}"#,
                ),
            ])
        })
        .tool("test_error_handling", "Fails.", none, |_: &mut App, call: ToolCall<'_>| {
            call.failed("This tool intentionally returns an error for testing")
        })
        .tool("test_tool_with_logging", "Logs what it does.", none, |app: &mut App, mut call: ToolCall<'_>| {
            for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                app.log(&mut call, text);
                thread::sleep(Duration::from_millis(50));
            }
            call.text("Tool with logging executed successfully")
        })
        .tool("test_logging_tool", "Logs, if that is wanted.", none, |app: &mut App, mut call: ToolCall<'_>| {
            app.log(&mut call, "Tool execution started");
            call.text("done")
        })
        .tool("test_tool_with_progress", "Tells how far it is.", none, |app: &mut App, mut call: ToolCall<'_>| {
            for done in [0, 50, 100] {
                if let Some(message) = call.progress(done, Some(100), Some("on its way")) {
                    // ignored: sending the response will fail, too, if the client has disconnected
                    _ = app.client.send(message);
                }
                thread::sleep(Duration::from_millis(50));
            }
            call.text("Tool with progress executed successfully")
        })
        .tool(IN_ZONE, "Has a param that a header repeats.", ZONE, |_: &mut App, call: ToolCall<'_>| {
            match call.get("zone").and_then(RawValue::as_str_raw) {
                Some(zone) => call.text(Str::Raw(zone)),
                None => call.invalid("zone: expected a string"),
            }
        })
        .tool("json_schema_2020_12_tool", "Has a schema of 2020-12.", VOCABULARY, |_: &mut App, call: ToolCall<'_>| {
            call.text("done")
        })
}
