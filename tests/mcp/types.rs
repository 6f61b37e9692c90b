//! The examples of the schema of 2026-07-28: each one whose type exists here is read and written again.
#![cfg(feature = "mcp")]

use nanojsonrpc::mcp::types::*;
use nanojsonrpc::mcp::*;
use nanojsonrpc::{Error, ErrorKind, RawValue, ToJson, Writer, message::Str};
use serde_json::{Value, json};

/// Writes a value after its reading, and returns its JSON.
fn again<T: ToJson>(read: Result<T, Error>) -> Result<Value, Error> {
    let mut buffer = [0; 8192];
    let mut out = Writer::new(&mut buffer);
    out.value(&read?)?;
    Ok(serde_json::from_slice(out.written()).expect("JSON"))
}

macro_rules! types {
    ($($type:ident: $($example:literal)|+ at $part:literal;)*) => {
        /// The part of an example that has a type, and its reading; `None` without a type.
        fn reading(example: &str, text: RawValue<'_>) -> Option<(&'static str, Result<Value, Error>)> {
            match example {
                $($($example)|+ => Some(($part, again($type::read(text.pointer($part).expect($part))))),)*
                _ => None,
            }
        }
    };
}

types! {
    Content: "TextContent" | "ImageContent" | "AudioContent" | "EmbeddedResource" | "ResourceLink" at "";
    ResourceContents: "TextResourceContents" | "BlobResourceContents" at "";
    Tool: "Tool" at "";
    Resource: "Resource" at "";
    ServerCapabilities: "ServerCapabilities" at "";
    CallToolResult: "CallToolResult" at "";
    ReadResourceResult: "ReadResourceResult" at "";
    GetPromptResult: "GetPromptResult" at "";
    CompleteResult: "CompleteResult" at "";
    InputRequests: "InputRequests" at "";
    InputRequest: "ListRootsRequest" | "CreateMessageRequest" | "ElicitRequest" at "";
    InputRequiredResult: "InputRequiredResult" at "";
    EmptyResult: "SubscriptionsListenResult" at "";
    SubscriptionsAcknowledged: "SubscriptionsAcknowledgedNotification" at "/params";
    Progress: "ProgressNotificationParams" at "";
    LogMessage: "LoggingMessageNotificationParams" at "";
    ResourceUpdated: "ResourceUpdatedNotificationParams" at "";
    Elicitation: "ElicitRequestFormParams" | "ElicitRequestURLParams" at "";
    ElicitResult: "ElicitResult" at "";
    CreateMessage: "CreateMessageRequestParams" at "";
    CreateMessageResult: "CreateMessageResult" at "";
    SamplingMessage: "SamplingMessage" at "";
    ListRootsResult: "ListRootsResult" at "";
    Root: "Root" at "";
    UnsupportedVersion: "UnsupportedProtocolVersionError" at "/error/data";
}

/// The example that is inside a message, and where.
fn inside(example: &str) -> Option<(String, &'static str)> {
    let (name, part) = match example {
        "ProgressNotification" => ("ProgressNotificationParams", "/params"),
        "LoggingMessageNotification" => ("LoggingMessageNotificationParams", "/params"),
        "ResourceUpdatedNotification" => ("ResourceUpdatedNotificationParams", "/params"),
        _ => (example.strip_suffix("Response")?, "/result"),
    };
    Some((name.to_owned(), part))
}

#[test]
fn every_example_that_has_a_type_is_read_and_written_again() {
    let Some(text) = crate::common::corpus("mcp-schema-examples.jsonl") else { return };
    let (mut typed, mut without) = (0, Vec::new());
    for line in text.lines() {
        let example: Value = serde_json::from_str(line).expect("JSON");
        let kind = example["type"].as_str().expect("a type");
        let json = example["json"].to_string();
        let whole = RawValue::parse(json.as_bytes()).expect("JSON");
        let (name, value) = match inside(kind) {
            Some((name, part)) if whole.pointer(part).is_some() => (name, whole.pointer(part).unwrap()),
            _ => (kind.to_owned(), whole),
        };
        let Some((part, read)) = reading(&name, value) else {
            without.push(kind.to_owned());
            continue;
        };
        let read = read.unwrap_or_else(|error| panic!("{name}: {error}: {json}"));
        let mut expected: Value = serde_json::from_slice(value.as_bytes()).expect("JSON");
        if name == "ListRootsRequest" {
            // this example has an id, which such a request no longer has: unknown members are ignored
            assert!(expected.as_object_mut().expect("an object").remove("id").is_some());
        }
        assert_eq!(Some(&read), expected.pointer(part), "{name}");
        typed += 1;
    }
    without.sort_unstable();
    without.dedup();
    println!("{typed} examples have a type; these have none: {}", without.join(", "));
    assert_eq!(typed + without.len(), 129 - repeated(&text, &without), "each is counted");
    assert!(typed >= 69, "{typed}");
}

/// How many more examples than kinds there are of these.
fn repeated(text: &str, kinds: &[String]) -> usize {
    let of = |kind: &String| text.matches(&format!("{{\"type\": \"{kind}\", \"name\"")).count();
    kinds.iter().map(|kind| of(kind).saturating_sub(1)).sum()
}

#[test]
fn what_lacks_a_member_or_has_another_type_is_refused_where_it_is() {
    let refused = |read: Result<(), Error>| read.map_err(|error| (error.kind(), error.offset()));
    let raw = |text: &'static str| RawValue::parse(text.as_bytes()).expect("JSON");
    let tool = |text| refused(Tool::read(raw(text)).map(|_| ()));
    assert_eq!(tool(r#"{"name":"a","inputSchema":{"type":"object"}}"#), Ok(()));
    assert_eq!(tool(r#"[]"#), Err((ErrorKind::UnexpectedType, 0)));
    assert_eq!(tool(r#" {"inputSchema":{"type":"object"}}"#), Err((ErrorKind::MissingField, 1)));
    assert_eq!(tool(r#"{"name":1,"inputSchema":{"type":"object"}}"#), Err((ErrorKind::UnexpectedType, 8)));
    assert_eq!(tool(r#"{"name":"a","title":1,"inputSchema":{"type":"object"}}"#), Err((ErrorKind::UnexpectedType, 20)));
    for (execution, kind) in [("[]", ErrorKind::UnexpectedType), (r#"{"taskSupport":1}"#, ErrorKind::UnexpectedType)] {
        let text = format!(r#"{{"name":"a","inputSchema":{{"type":"object"}},"execution":{execution}}}"#);
        let read = Tool::read(RawValue::parse(text.as_bytes()).expect("JSON")).map(drop);
        assert_eq!(read.map_err(|error| error.kind()), Err(kind), "{execution}");
    }
    assert_eq!(tool(r#"{"name":"a","inputSchema":{"type":1}}"#), Err((ErrorKind::InvalidValue, 34)));
    assert_eq!(
        tool(r#"{"name":"a","inputSchema":{"type":"object"},"icons":[{"src":"x"},{}]}"#),
        Err((ErrorKind::MissingField, 65))
    );
    let content = |text| refused(Content::read(raw(text)).map(|_| ()));
    assert_eq!(content(r#"{"type":"video"}"#), Err((ErrorKind::UnknownVariant, 8)));
    assert_eq!(content(r#"{"text":"a"}"#), Err((ErrorKind::MissingField, 0)));
    assert_eq!(content(r#"{"type":"image","data":"","mimeType":null}"#), Err((ErrorKind::UnexpectedType, 37)));
    assert_eq!(content(r#"{"type":["text"],"text":"a"}"#), Err((ErrorKind::UnexpectedType, 8)));
    let level = |text| refused(LoggingLevel::read(raw(text)).map(|_| ()));
    assert_eq!(level(r#""warning""#), Ok(()));
    assert_eq!(level(r#""Warning""#), Err((ErrorKind::UnknownVariant, 0)));
    assert_eq!(level("4"), Err((ErrorKind::UnexpectedType, 0)));
    assert!(LoggingLevel::Debug < LoggingLevel::Emergency);
    let can = |text| refused(ServerCapabilities::read(raw(text)).map(|_| ()));
    assert_eq!(can(r#"{"tools":{"listChanged":true},"resources":{"subscribe":false}}"#), Ok(()));
    assert_eq!(can(r#"{"tools":true}"#), Err((ErrorKind::UnexpectedType, 9)));
    assert_eq!(can(r#"{"tools":{"listChanged":1}}"#), Err((ErrorKind::UnexpectedType, 24)));
    assert_eq!(can(r#"{"resources":{"subscribe":"no"}}"#), Err((ErrorKind::UnexpectedType, 26)));
    let asked = |text| refused(InputRequests::read(raw(text)).map(|_| ()));
    assert_eq!(asked(r#"{"who":{"method":"roots/list"}}"#), Ok(()));
    assert_eq!(asked(r#"["roots/list"]"#), Err((ErrorKind::UnexpectedType, 0)));
    assert_eq!(asked(r#"{"who":{"method":"roots/list"},"what":{}}"#), Err((ErrorKind::MissingField, 38)));
}

#[test]
fn a_reference_is_to_a_prompt_by_name_or_to_a_resource_by_uri() {
    let read = |text: &'static str| Reference::read(RawValue::parse(text.as_bytes()).expect("JSON"));
    assert_eq!(read(r#"{"type":"ref/prompt","name":"p"}"#), Ok(Reference::prompt("p")));
    assert_eq!(read(r#"{"uri":"a:{b}","type":"ref/resource"}"#), Ok(Reference::resource("a:{b}")));
    for (text, kind, offset) in [
        (r#"{"name":"p"}"#, ErrorKind::MissingField, 0),
        (r#"{"type":1,"name":"p"}"#, ErrorKind::UnexpectedType, 8),
        (r#"{"type":"ref/tool","name":"p"}"#, ErrorKind::UnknownVariant, 8),
        (r#"{"type":"ref/prompt","uri":"p"}"#, ErrorKind::MissingField, 0),
        (r#"{"type":"ref/resource","name":"p"}"#, ErrorKind::MissingField, 0),
        (r#"{"type":"ref/prompt","name":[]}"#, ErrorKind::UnexpectedType, 28),
    ] {
        assert_eq!(read(text).map_err(|error| (error.kind(), error.offset())), Err((kind, offset)), "{text}");
    }
}

#[test]
fn a_list_gives_the_same_values_whether_it_came_or_is_the_programs_own() {
    let read = |text: &'static str| List::<Role>::read(RawValue::parse(text.as_bytes()).expect("JSON"));
    let roles = [Role::User, Role::Assistant];
    let came = read(r#" [ "user" , "\u0061ssistant" ] "#).unwrap();
    for list in [came, List::of(&roles), List::from(&roles), List::from(&roles[..])] {
        assert!(list.iter().eq(roles), "{list:?}");
        let mut rest = list.iter();
        assert_eq!(rest.next(), Some(Role::User));
        // a clone continues at the same element
        assert!(rest.clone().eq([Role::Assistant]));
        assert_eq!((rest.next(), rest.next(), rest.next()), (Some(Role::Assistant), None, None));
    }
    for (text, kind, offset) in [
        (r#"{"a":"user"}"#, ErrorKind::UnexpectedType, 0),
        ("null", ErrorKind::UnexpectedType, 0),
        (r#"["user",1]"#, ErrorKind::UnexpectedType, 8),
        (r#"["user","nobody"]"#, ErrorKind::UnknownVariant, 8),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (kind, offset), "{text}");
    }
}

#[test]
fn a_number_is_an_integer_if_it_is_written_as_one_of_64_bits() {
    let read = |text: &'static str| Number::read(RawValue::parse(text.as_bytes()).expect("JSON"));
    assert_eq!(read("-9223372036854775808"), Ok(Number::from(i64::MIN)));
    assert_eq!(again(Ok(Number::from(-7))).unwrap(), json!(-7));
    for text in ["9223372036854775808", "1.0", "-0.5", "1e3"] {
        let number = read(text).unwrap();
        assert_eq!(number, Number::Decimal(RawValue::parse(text.as_bytes()).unwrap()), "{text}");
        let mut buffer = [0; 32];
        let mut out = Writer::new(&mut buffer);
        out.value(&number).unwrap();
        assert_eq!(out.written(), text.as_bytes());
    }
    for text in [r#""7""#, "true", "null", "[7]"] {
        assert_eq!(read(text).map_err(|error| error.kind()), Err(ErrorKind::UnexpectedType), "{text}");
    }
}

#[test]
fn what_the_protocol_says_is_shown_as_it_stands_in_a_message() {
    let text = r#"{"type":"object","title":"A"}"#;
    assert_eq!(format!("{:?}", Schema::parse(text).unwrap()), text);
    let came = List::<Role>::read(RawValue::parse(br#"["user"]"#).unwrap()).unwrap();
    assert_eq!(format!("{came:?}"), r#"["user"]"#);
    assert_eq!(format!("{:?}", List::of(&[Role::User])), "[User]");
}

#[test]
fn absent_members_are_not_written() {
    assert_eq!(again(Ok(Tool::new("a".into(), Schema::NO_ARGUMENTS))).unwrap().as_object().unwrap().len(), 2);
    assert_eq!(again(Ok(EmptyResult::default())).unwrap(), json!({}));
    assert_eq!(again(Ok(PromptArgument::optional("a", "b"))).unwrap(), json!({"name": "a", "description": "b"}));
    let required = json!({"name": "a", "description": "b", "required": true});
    assert_eq!(again(Ok(PromptArgument::required("a", "b"))).unwrap(), required);
    let sound = json!({"type": "audio", "data": "AAE=", "mimeType": "audio/wav"});
    assert_eq!(again(Ok(Content::audio(&[0, 1], "audio/wav"))).unwrap(), sound);
    assert_eq!(again(Ok(Content::text("\u{1F600}"))).unwrap(), json!({"type": "text", "text": "\u{1F600}"}));
    assert_eq!(again(Ok(Reference::prompt("p"))).unwrap(), json!({"type": "ref/prompt", "name": "p"}));
    assert_eq!(again(Ok(Reference::resource("a:b"))).unwrap(), json!({"type": "ref/resource", "uri": "a:b"}));
    let texts = [Str::Plain("x"), Str::Plain("y\"")];
    let completion = Completion { total: Some(2), ..Completion::new(List::of(&texts)) };
    assert_eq!(again(Ok(completion)).unwrap(), json!({"values": ["x", "y\""], "total": 2}));
}

#[test]
fn an_output_that_is_too_short_has_nothing_of_a_value() {
    let schema = Schema::parse(r#"{"type":"object"}"#).unwrap();
    let tool = Tool { title: Some("T".into()), ..Tool::new("tool".into(), schema) };
    let whole = again(Ok(tool)).unwrap().to_string().len();
    let mut buffer = [0; 128];
    for room in 0..whole {
        let mut out = Writer::new(&mut buffer[..room]);
        let error = out.value(&tool).unwrap_err();
        assert_eq!((error.kind(), out.len()), (ErrorKind::OutputFull, 0), "{room}");
    }
    assert!(Writer::new(&mut buffer[..whole]).value(&tool).is_ok());
}

#[test]
fn base64_comes_back_as_it_went() {
    let bytes: Vec<u8> = (0..=255).collect();
    for len in (0..=bytes.len()).step_by(if cfg!(miri) { 51 } else { 1 }) {
        // the program's own need not be decoded
        assert_eq!(Base64::Bytes(&bytes[..len]).decode(&mut [0; 256]).unwrap(), &bytes[..len]);
        let short = Base64::Bytes(&bytes[..len]).decode(&mut vec![0; len.saturating_sub(1)]).map(<[u8]>::len);
        assert_eq!(short.map_err(|error| error.kind()), if len == 0 { Ok(0) } else { Err(ErrorKind::OutputFull) });
        let text = again(Ok(Base64::Bytes(&bytes[..len]))).unwrap().to_string();
        // a solidus may be escaped
        for text in [text.clone(), text.replace('/', "\\/")] {
            let came = Base64::read(RawValue::parse(text.as_bytes()).unwrap()).unwrap();
            let mut buffer = [0; 256];
            assert_eq!(came.decode(&mut buffer).unwrap(), &bytes[..len]);
            if let Some(short) = len.checked_sub(1) {
                let error = came.decode(&mut buffer[..short]).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::OutputFull, "{len}");
            }
        }
    }
}

#[test]
fn what_is_not_base64_is_refused() {
    for (text, offset) in [
        ("A", 0),
        ("AA", 0),
        ("AAA", 0),
        ("AA==AAAA", 4),
        ("AAAA====", 4),
        ("AAAA=", 4),
        ("AA=A", 0),
        ("AAAAA-__", 4),
        ("AAA\u{e9}", 0),
        ("AAA\u{141}", 0),
        ("AA A", 0),
        ("AAB=", 0),
    ] {
        let json = json!(text).to_string();
        let came = Base64::read(RawValue::parse(json.as_bytes()).unwrap()).unwrap();
        let error = came.decode(&mut [0; 16]).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidValue, offset), "{text}");
    }
}

/// Every character at every place of four, against another decoder.
#[test]
fn four_characters_are_base64_if_another_decoder_says_so() {
    use base64::Engine as _;

    let mut decoded = 0;
    for front in ["", "AAAA"] {
        for four in ["AAAA", "/+z9", "AAA=", "AA==", "Ag==", "A===", "===="] {
            for place in 0..4 {
                for character in (0..=0x100u32).filter_map(char::from_u32) {
                    let mut chars: Vec<char> = four.chars().collect();
                    chars[place] = character;
                    let text: String = front.chars().chain(chars).collect();
                    let json = json!(text).to_string();
                    let came = Base64::read(RawValue::parse(json.as_bytes()).unwrap()).unwrap();
                    let mut buffer = [0; 6];
                    match base64::engine::general_purpose::STANDARD.decode(&text) {
                        Ok(bytes) => assert_eq!(came.decode(&mut buffer).unwrap(), bytes, "{text}"),
                        Err(_) => assert_eq!(came.decode(&mut buffer).unwrap_err().offset(), front.len(), "{text}"),
                    }
                    decoded += u32::from(came.decode(&mut buffer).is_ok());
                }
            }
        }
    }
    assert!(decoded > 1000, "{decoded}");
}

#[test]
fn tokens_are_equal_as_values_are() {
    let token = |text: &'static str| Token::read(RawValue::parse(text.as_bytes()).unwrap());
    assert_eq!(token(r#""a""#).unwrap(), token(r#""\u0061""#).unwrap());
    assert_ne!(token("1").unwrap(), token(r#""1""#).unwrap());
    assert_eq!(token(r#""\u0061""#).unwrap().raw().as_bytes(), br#""\u0061""#);
    for text in ["1.5", "null", "true", "[]", "1e3"] {
        assert!(token(text).is_err(), "{text}");
    }
}

#[test]
fn null_as_an_optional_member_is_an_absent_member() {
    let raw = |text: &'static str| RawValue::parse(text.as_bytes()).expect("JSON");
    let tool = r#"{"name":"t","title":null,"description":null,"icons":null,"inputSchema":{"type":"object"},"outputSchema":null,
        "annotations":{"title":null,"readOnlyHint":null},"_meta":null}"#;
    let expected = json!({"name": "t", "inputSchema": {"type": "object"}, "annotations": {}});
    assert_eq!(again(Tool::read(raw(tool))), Ok(expected));
    let prompt = GetPromptResult::read(raw(r#"{"messages":[],"description":null,"_meta":null}"#));
    assert_eq!(again(prompt), Ok(json!({"messages": []})));
    let result =
        r#"{"content":[{"type":"text","text":"","annotations":null}],"structuredContent":null,"isError":null}"#;
    let content = CallToolResult::read(raw(result)).expect("a result");
    assert!(content.structured_content.is_none() && content.is_error.is_none());
    assert_eq!(client::ToolResult(raw(result)).structured(), None);
    // a required member is not optional
    let required = GetPromptResult::read(raw(r#"{"messages":null}"#));
    assert_eq!(required.err().map(Error::kind), Some(ErrorKind::UnexpectedType));
}

#[test]
fn a_result_without_content_has_none() {
    for (text, count) in [(r#"{"structuredContent":{"a":1}}"#, 0), (r#"{"content":[{"type":"text","text":"x"}]}"#, 1)] {
        let result = CallToolResult::read(RawValue::parse(text.as_bytes()).unwrap()).unwrap();
        assert_eq!(result.content.iter().count(), count);
    }
    let wrong = CallToolResult::read(RawValue::parse(br#"{"content":null}"#).unwrap());
    assert_eq!(wrong.map(drop).map_err(|error| error.kind()), Err(ErrorKind::UnexpectedType));
}

#[test]
fn icons_of_other_schemes_are_not_safe() {
    for (src, is_safe) in [
        ("https://a/b.png", true),
        ("Data:image/png;base64,AA==", true),
        ("d\\u0061ta:image/png,", true),
        ("http://a/b.png", false),
        ("https", false),
        (" https://a", false),
        ("javascript:alert(1)", false),
        ("file:///etc/passwd", false),
        ("", false),
    ] {
        let text = format!(r#"{{"src":"{src}"}}"#);
        let icon = Icon::read(RawValue::parse(text.as_bytes()).unwrap()).unwrap();
        assert_eq!(icon.is_safe(), is_safe, "{src}");
        assert_eq!(Icon::new(Str::Plain(src)).is_safe(), is_safe && !src.contains('\\'), "{src}");
    }
}

#[test]
fn requests_for_input_are_read_by_their_mode() {
    let kind = |text: &'static str| {
        Elicitation::read(RawValue::parse(text.as_bytes()).unwrap()).map(|read| matches!(read, Elicitation::Url(_)))
    };
    assert_eq!(kind(r#"{"message":"a","requestedSchema":{}}"#), Ok(false));
    assert_eq!(kind(r#"{"mode":"f\u006frm","message":"a","requestedSchema":{}}"#), Ok(false));
    assert_eq!(kind(r#"{"mode":"url","message":"a","url":"https://a"}"#), Ok(true));
    for (text, error, offset) in [
        (r#"{"mode":"page","message":"a"}"#, ErrorKind::UnknownVariant, 8),
        (r#"{"mode":1,"message":"a"}"#, ErrorKind::UnknownVariant, 8),
        (r#"{"mode":"url","message":"a"}"#, ErrorKind::MissingField, 0),
        (r#"{"message":"a"}"#, ErrorKind::MissingField, 0),
    ] {
        assert_eq!(kind(text).map_err(|error| (error.kind(), error.offset())), Err((error, offset)), "{text}");
    }
    let content = |text: &'static str| SamplingContent::read(RawValue::parse(text.as_bytes()).unwrap()).map(drop);
    assert_eq!(content(r#"{"type":"smell"}"#).map_err(|error| error.kind()), Err(ErrorKind::UnknownVariant));
    assert!(content("[1]").is_ok() && content("1").is_err());
    for kind in ["tool_use", "tool_result"] {
        let text = format!(r#"{{"type":"{kind}","id":"1"}}"#);
        let read = SamplingContent::read(RawValue::parse(text.as_bytes()).unwrap());
        assert!(matches!(read, Ok(SamplingContent::Raw(raw)) if raw.as_json() == text), "{text}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn an_error_is_no_text_of_a_message() {
    let problem = RawValue::parse(b"1").unwrap().read::<bool>().unwrap_err();
    let (fault, shown) = (Str::from(problem), problem.to_string());
    let shown = json!(shown).to_string();
    let id = RawValue::parse(shown.as_bytes()).unwrap().as_str_raw().unwrap();
    assert!(!Icon::new(fault).is_safe());
    assert!(!Task::new(fault, TaskStatus::Working, "".into()).has_id(id));
    let mut pages = client::Pages::new(9);
    assert!(pages.count_page(fault) && pages.repeats("".into()) && !pages.repeats(Str::Raw(id)));
    let mut client: client::Client<(), 1> = client::Client::new("me", "1").connected_as(Revision::V2025_11_25);
    let mut buffer = [0; 256];
    let mut out = Writer::new(&mut buffer);
    client.send(&client::Call::page("tools/list", Some(fault)), (), &mut out).unwrap();
    assert_eq!(out.written(), br#"{"jsonrpc":"2.0","method":"tools/list","params":{"cursor":""},"id":1}"#);
}
