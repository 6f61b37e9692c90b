//! Pages of lists of the Model Context Protocol, and the cursors between them.
#![cfg(feature = "mcp")]
// A test that fails should say so loudly, on a machine that has all of `std`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::std_instead_of_core,
    missing_docs
)]

#[path = "common/mcp.rs"]
mod mcp;

use mcp::{Client, REVISIONS, STATELESS};
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::{ReadCall, Schema, Service, ToolCall};
use serde_json::{Value, json};

const NAMES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

fn service() -> Service<(), impl Features<()>> {
    let tool = |_: &mut (), call: ToolCall<'_>| call.text("");
    let read = |_: &mut (), call: ReadCall<'_>| call.text("");
    Service::new("pages", "1")
        .tool("a", "", Schema::NO_ARGUMENTS, tool)
        .resource("r:1", "1", "", read)
        .tool("b", "what it does, at some length", Schema::NO_ARGUMENTS, tool)
        .tool("c", "", Schema::NO_ARGUMENTS, tool)
        .resource_template("t:{a}", "2", "", read)
        .tool("d", "", Schema::NO_ARGUMENTS, tool)
        .tool("e", "", Schema::NO_ARGUMENTS, tool)
        .resource("r:2", "2", "", read)
        .tool("f", "", Schema::NO_ARGUMENTS, tool)
        .tool("g", "", Schema::NO_ARGUMENTS, tool)
}

/// The names on each page, by following the cursors.
fn pages<F: Features<()>>(client: &mut Client<(), F>) -> Result<Vec<Vec<String>>, Value> {
    let mut pages = Vec::new();
    let mut params = json!({});
    loop {
        let answer = client.ask("tools/list", params.clone());
        let Some(tools) = answer["result"]["tools"].as_array() else { return Err(answer["error"].clone()) };
        assert!(!tools.is_empty(), "a page holds something: {answer}");
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
            let mut client = Client::new(service().page_len(len), (), revision);
            let pages = pages(&mut client).unwrap();
            assert_eq!(pages.concat(), NAMES);
            assert_eq!(pages.len(), NAMES.len().div_ceil(len), "{len}");
        }
        let mut client = Client::new(service().page_len(0), (), revision);
        assert_eq!(pages(&mut client).unwrap().len(), 7, "none at a time is one at a time");
    }
}

#[test]
fn a_page_has_as_many_as_fit_the_output() {
    for &revision in REVISIONS {
        let mut client = Client::new(service(), (), revision);
        let (mut full, mut lens) = (0, Vec::new());
        for room in (80..1500).rev() {
            client.room = room;
            match pages(&mut client) {
                Ok(pages) => {
                    assert_eq!(pages.concat(), NAMES, "{room}");
                    assert_eq!(full, 0, "{room}: with more room it does not fit");
                    lens.push(pages.len());
                }
                // not even one
                Err(error) => {
                    assert_eq!(error["code"], -32603, "{room}: {error}");
                    full += 1;
                }
            }
        }
        assert!(lens.is_sorted() && lens[0] == 1 && lens.contains(&2) && *lens.last().unwrap() >= 4, "{lens:?}");
        assert!(full > 50, "{full}");
    }
}

#[test]
fn a_cursor_that_was_not_given_is_invalid() {
    for &revision in REVISIONS {
        let mut client = Client::new(service(), (), revision);
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
fn each_list_has_its_own_order() {
    let mut client = Client::new(service().page_len(1), (), STATELESS);
    let first = client.result("resources/list", json!({}));
    assert_eq!((&first["resources"][0]["uri"], &first["nextCursor"]), (&json!("r:1"), &json!("1")));
    let second = client.result("resources/list", json!({"cursor": "1"}));
    assert_eq!((&second["resources"][0]["uri"], second.get("nextCursor")), (&json!("r:2"), None));
    let templates = client.result("resources/templates/list", json!({}));
    assert_eq!((&templates["resourceTemplates"][0]["name"], templates.get("nextCursor")), (&json!("2"), None));
}
