//! The inputs of `field.jsonl`, as devices, clients and servers of the field send them, by the place where they arrive.

#[path = "../common/mod.rs"]
mod common;

#[cfg(all(feature = "http", feature = "serde"))]
mod http;
#[cfg(all(feature = "broker", feature = "serde"))]
mod mqtt;

/// The inputs for `entry`: number and text.
#[cfg(all(any(feature = "broker", feature = "http"), feature = "serde"))]
fn inputs(entry: &str) -> Vec<(u64, String)> {
    let Some(corpus) = common::corpus("field.jsonl") else { return vec![] };
    let cases = corpus.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let cases = cases.filter(|case| case["entry"] == entry);
    cases.map(|case| (case["n"].as_u64().expect("a number"), case["input"].as_str().expect("text").into())).collect()
}
