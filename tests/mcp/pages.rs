//! Pages of lists of the Model Context Protocol, and the cursors between them.
#![cfg(feature = "mcp")]

use crate::peer::{Client, REVISIONS, STATELESS};
use nanojsonrpc::mcp::service::feature::{Features, Kind};
use nanojsonrpc::mcp::{PromptCall, ReadCall, Schema, Service, ToolCall, uri_template};
use serde_json::{Value, json};

const NAMES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

/// The kinds and names of omitted definitions.
type Unlisted = Vec<(Kind, &'static str)>;

fn service() -> Service<Unlisted, impl Features<Unlisted>> {
    let tool = |_: &mut Unlisted, call: ToolCall<'_>| call.text("");
    let read = |_: &mut Unlisted, call: ReadCall<'_>| call.text("");
    Service::new("pages", "1")
        .unlisted(|unlisted: &mut Unlisted, kind, name| unlisted.push((kind, name)))
        .tool("a", "", Schema::NO_ARGUMENTS, tool)
        .resource("r:1", "1", "", read)
        .tool("b", "what it does, at some length", Schema::NO_ARGUMENTS, tool)
        .tool("c", "", Schema::NO_ARGUMENTS, tool)
        .resource_template(uri_template!("t:{a}"), "2", "", read)
        .tool("d", "", Schema::NO_ARGUMENTS, tool)
        .tool("e", "", Schema::NO_ARGUMENTS, tool)
        .resource("r:2", "2", "", read)
        .tool("f", "what it does, at a length that is much greater than that of the others", Schema::NO_ARGUMENTS, tool)
        .tool("g", "what it does, in short", Schema::NO_ARGUMENTS, tool)
}

/// The names on each page, by following the cursors.
fn pages<F: Features<Unlisted>>(client: &mut Client<Unlisted, F>) -> Result<Vec<Vec<String>>, Value> {
    let mut pages = Vec::new();
    let mut params = json!({});
    loop {
        let answer = client.ask("tools/list", params.clone());
        let Some(tools) = answer["result"]["tools"].as_array() else { return Err(answer["error"].clone()) };
        pages.push(tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect());
        match answer["result"].get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor.as_str().expect("a string")}),
            None => return Ok(pages),
        }
        assert!(pages.len() <= NAMES.len());
    }
}

#[test]
fn a_page_has_as_many_as_the_program_says() {
    for &revision in REVISIONS {
        for len in (1..=8).step_by(if cfg!(miri) { 4 } else { 1 }) {
            let mut client = Client::new(service().page_len(len), Vec::new(), revision);
            let pages = pages(&mut client).unwrap();
            assert_eq!(pages.concat(), NAMES);
            assert_eq!(pages.len(), NAMES.len().div_ceil(len), "{len}");
            assert_eq!(client.context, []);
        }
        let mut client = Client::new(service().page_len(0), Vec::new(), revision);
        assert_eq!(pages(&mut client).unwrap().len(), 7, "none at a time is one at a time");
    }
}

/// The expected pages in this room and the omitted names, from the lengths of the definitions and of an empty answer.
fn expected(lens: &[usize], empty: usize, room: usize) -> (Vec<Vec<String>>, Vec<&'static str>) {
    let (mut pages, mut unlisted, mut place) = (Vec::new(), Vec::new(), 0);
    while place < lens.len() {
        let (mut page, mut len) = (Vec::new(), empty);
        while place < lens.len() {
            let cursor = if place + 1 < lens.len() { r#","nextCursor":"1""#.len() } else { 0 };
            let longer = len + usize::from(!page.is_empty()) + lens[place];
            if longer + cursor <= room {
                page.push(NAMES[place].to_owned());
                len = longer;
            } else if page.is_empty() {
                unlisted.push(NAMES[place]);
            } else {
                break;
            }
            place += 1;
        }
        pages.push(page);
    }
    (pages, unlisted)
}

#[test]
fn a_page_has_as_many_as_fit_the_output_and_leaves_out_those_that_never_do() {
    for &revision in REVISIONS {
        let mut client = Client::new(service(), Vec::new(), revision);
        let answer = client.ask("tools/list", json!({}));
        let lens: Vec<usize> =
            answer["result"]["tools"].as_array().unwrap().iter().map(|tool| tool.to_string().len()).collect();
        let empty = answer.to_string().len() - lens.iter().sum::<usize>() - (lens.len() - 1);
        let (mut full, mut partial) = (0, 0);
        // with less, no request is handed out
        let least = nanojsonrpc::server::MIN_ANSWER_LEN + r#""é1""#.len();
        for room in (least..1500).step_by(if cfg!(miri) { 29 } else { 1 }) {
            client.room = room;
            let (expected, unlisted) = expected(&lens, empty, room);
            client.context.clear();
            match pages(&mut client) {
                Ok(pages) => {
                    assert_eq!(pages, expected, "{room}");
                    let names: Vec<_> = unlisted.iter().map(|name| (Kind::Tool, *name)).collect();
                    assert_eq!(client.context, names, "{room}");
                    partial += usize::from(!unlisted.is_empty());
                }
                // not even one
                Err(error) => {
                    assert_eq!(error["code"], -32603, "{room}: {error}");
                    assert_eq!((unlisted.len(), &client.context), (NAMES.len(), &vec![]), "{room}");
                    full += 1;
                }
            }
        }
        assert!(
            full > if cfg!(miri) { 1 } else { 50 } && partial > if cfg!(miri) { 1 } else { 50 },
            "{full} {partial}"
        );
    }
}

#[test]
fn every_kind_of_definition_that_is_too_long_is_left_out_and_told() {
    const LONG: &str =
        "a description, a name or a type that is too long for the output, as it would be on a small device";
    let service = || {
        let tool = |_: &mut Unlisted, call: ToolCall<'_>| call.text("");
        let read = |_: &mut Unlisted, call: ReadCall<'_>| call.text("");
        let prompt = |_: &mut Unlisted, call: PromptCall<'_>| call.user("");
        Service::new("s", "1")
            .tool("long", LONG, Schema::NO_ARGUMENTS, tool)
            .tool("short", "", Schema::NO_ARGUMENTS, tool)
            .resource("r:long", LONG, "", read)
            .resource("r:short", "", "", read)
            .resource_template(uri_template!("t:long{a}"), LONG, "", read)
            .resource_template(uri_template!("t:short{a}"), "", "", read)
            .prompt("p:long", LONG, &[], prompt)
            .prompt("p:short", "", &[], prompt)
    };
    for &revision in REVISIONS {
        for is_told in [true, false] {
            let service = service();
            let listener = |unlisted: &mut Unlisted, kind, name| unlisted.push((kind, name));
            let service = if is_told { service.unlisted(listener) } else { service };
            let mut client = Client::new(service, Vec::new(), revision);
            client.room = if revision == STATELESS { 310 } else { 170 };
            for (method, list, kind, long) in [
                ("tools/list", "tools", Kind::Tool, "long"),
                ("resources/list", "resources", Kind::Resource, "r:long"),
                ("resources/templates/list", "resourceTemplates", Kind::Template, "t:long{a}"),
                ("prompts/list", "prompts", Kind::Prompt, "p:long"),
            ] {
                client.context.clear();
                let result = client.result(method, json!({}));
                assert_eq!(result[list].as_array().map(Vec::len), Some(1), "{result}");
                assert!(result[list][0].to_string().contains("short"), "{result}");
                assert_eq!(result.get("nextCursor"), None);
                assert_eq!(client.context, if is_told { vec![(kind, long)] } else { vec![] }, "{method}");
            }
        }
    }
}

#[cfg(feature = "alloc")]
#[test]
fn a_list_of_which_nothing_fits_a_growing_output_tells_its_length() {
    let request =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": crate::peer::stateless()}});
    let mut server = service().server();
    let mut answer = |limit| {
        let mut output = nanojsonrpc::Growing::new(limit);
        let answer = server.process(&mut Vec::new(), request.to_string().as_bytes(), &mut output).answer();
        String::from_utf8(answer.unwrap().to_vec()).unwrap()
    };
    let whole = answer(1 << 16);
    assert!(NAMES.iter().all(|name| whole.contains(&format!(r#""name":"{name}""#))), "{whole}");
    let told = answer(200);
    assert!(told.contains(&format!("answer too long: {} bytes", whole.len())), "{told}");
}

#[test]
fn a_cursor_that_was_not_given_is_invalid() {
    for &revision in REVISIONS {
        let mut client = Client::new(service(), Vec::new(), revision);
        for cursor in [
            json!(""),
            json!("0"),
            json!("7"),
            json!("8"),
            json!("01"),
            json!("-1"),
            json!("+1"),
            json!("1 "),
            json!("x"),
            json!("18446744073709551616"),
            json!("99999999999999999999"),
            json!(1),
            json!({}),
            json!(true),
        ] {
            let answer = client.error("tools/list", json!({"cursor": cursor}));
            assert_eq!(answer, (-32602, "Invalid cursor".to_owned()), "{cursor}");
        }
        assert_eq!(client.error("resources/list", json!({"cursor": "2"})).0, -32602, "another list, another end");
        assert_eq!(client.result("tools/list", json!({"cursor": "6"}))["tools"][0]["name"], "g");
        assert_eq!(client.result("tools/list", json!({"cursor": null}))["tools"][0]["name"], "a");
    }
}

#[test]
fn an_empty_cursor_is_none_for_a_lenient_service_alone() {
    for (service, is_lenient) in [(service().page_len(2), false), (service().page_len(2).lenient(), true)] {
        let mut client = Client::new(service, Vec::new(), STATELESS);
        let page = client.ask("tools/list", json!({"cursor": ""}));
        let names = |page: &Value| page["result"]["tools"].as_array().map(|tools| tools[0]["name"].clone());
        assert_eq!(names(&page), is_lenient.then(|| json!("a")));
        assert_eq!(names(&client.ask("tools/list", json!({"cursor": "2"}))), Some(json!("c")));
        assert_eq!(client.error("tools/list", json!({"cursor": "x"})).0, -32602);
    }
}

#[test]
fn each_list_has_its_own_order() {
    let mut client = Client::new(service().page_len(1), Vec::new(), STATELESS);
    let first = client.result("resources/list", json!({}));
    assert_eq!((&first["resources"][0]["uri"], &first["nextCursor"]), (&json!("r:1"), &json!("1")));
    let second = client.result("resources/list", json!({"cursor": "1"}));
    assert_eq!((&second["resources"][0]["uri"], second.get("nextCursor")), (&json!("r:2"), None));
    let templates = client.result("resources/templates/list", json!({}));
    assert_eq!((&templates["resourceTemplates"][0]["name"], templates.get("nextCursor")), (&json!("2"), None));
}
