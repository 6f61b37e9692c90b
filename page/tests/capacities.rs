//! Capacities chosen on the page, against those of `Message`, which are constants: the same verdicts and answers for ids and
//! methods of every length around a capacity.
#![allow(clippy::panic, clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::unwrap_used, missing_docs)]

use nanojsonrpc::{Dialect, Envelope, ErrorKind, Message, Writer};

/// Compares the verdicts on one text, and returns whether it was refused for a capacity.
fn check<const ID: usize, const METHOD: usize>(text: &[u8], dialect: Dialect) -> bool {
    let (mut first, mut second) = ([0; 1024], [0; 1024]);
    let (mut expected, mut found) = (Writer::new(&mut first), Writer::new(&mut second));
    let held = Envelope::parse_as(text, dialect).and_then(Message::<ID, METHOD>::try_from);
    let fault = held.err().map(|refused| {
        let fault = (refused.kind(), refused.offset());
        if let Some(answer) = refused.answer() {
            expected.message_as(&answer, dialect).unwrap();
        }
        fault
    });
    let shown = String::from_utf8_lossy(text);
    assert_eq!(page::fault(text, dialect, ID, METHOD, &mut found), fault, "{ID} {METHOD} {shown}");
    assert_eq!(found.written(), expected.written(), "{ID} {METHOD} {shown}");
    matches!(fault, Some((ErrorKind::IdTooLong | ErrorKind::MethodTooLong, _)))
}

fn texts() -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    for len in (0..20).chain(60..68).chain([31, 32, 33]) {
        for unit in ["x", "\\n", "\\u00e9", "é", "\\ud83d\\ude00"] {
            let (word, number) = (unit.repeat(len), format!("1{}", "0".repeat(len)));
            for id in [
                format!("\"{word}\""),
                format!("{number}.5"),
                number.clone(),
                format!("-{number}"),
                "null".into(),
                "[]".into(),
            ] {
                texts.push(format!(r#"{{"jsonrpc":"2.0","method":"m","id":{id}}}"#));
                texts.push(format!(r#"{{"jsonrpc":"2.0","result":1,"id":{id}}}"#));
                texts.push(format!(r#"{{"jsonrpc":"2.0","error":{{}},"id":{id}}}"#));
                texts.push(format!(r#"{{"jsonrpc":"1.0","method":"m","id":{id}}}"#));
                texts.push(format!(r#"{{"jsonrpc":"2.0","method":"{word}","id":{id}}}"#));
            }
            texts.push(format!(r#"{{"jsonrpc":"2.0","method":"{word}"}}"#));
            texts.push(format!(r#" {{"jsonrpc":"2.0", "method" : "{word}","params":[1]}}"#));
        }
    }
    let corpus = include_str!("../../fuzz/json.dict");
    texts.extend(corpus.lines().map(String::from));
    texts.into_iter().map(String::into_bytes).collect()
}

#[test]
fn they_are_those_of_a_held_message() {
    let (mut limited, mut compared) = (0, 0);
    for text in texts() {
        for dialect in [Dialect::JSON_RPC, Dialect::MCP, Dialect::CAUCE] {
            limited += u32::from(check::<16, 32>(&text, dialect));
            limited += u32::from(check::<1, 64>(&text, dialect));
            limited += u32::from(check::<64, 64>(&text, dialect));
            limited += u32::from(check::<64, 255>(&text, dialect));
            compared += 4;
        }
    }
    assert!(limited > 1_000, "{limited} of {compared}");
    println!("capacities: {compared} verdicts compared, {limited} of them for a capacity");
}
