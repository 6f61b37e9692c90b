//! The inputs of `field.jsonl`, as devices, clients and servers of the field send them, by the place where they arrive.

#[path = "../common/mod.rs"]
mod common;

#[cfg(all(feature = "embedded-io", feature = "serde"))]
mod client;
#[cfg(all(feature = "embedded-io", feature = "serde"))]
mod frames;
#[cfg(all(feature = "http", feature = "serde"))]
mod http;
#[cfg(all(feature = "mcp", feature = "embedded-io", feature = "serde"))]
mod mcp;
#[cfg(all(feature = "broker", feature = "serde"))]
mod mqtt;
#[cfg(feature = "serde")]
mod payload;
#[cfg(all(feature = "embedded-io", feature = "serde"))]
mod pieces;
#[cfg(feature = "serde")]
mod server;
#[cfg(all(feature = "embedded-io", feature = "serde"))]
mod streams;

/// The inputs for `entry`: number and bytes.
#[cfg(feature = "serde")]
fn received(entry: &str) -> Vec<(u64, Vec<u8>)> {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    let Some(corpus) = common::corpus("field.jsonl") else { return vec![] };
    let cases = corpus.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let cases = cases.filter(|case| case["entry"] == entry);
    let bytes = |case: serde_json::Value| {
        let (n, input) = (case["n"].as_u64().expect("a number"), case["input"].as_str().expect("text"));
        let is_base64 = case["b64"].as_bool().unwrap_or_default();
        (n, if is_base64 { STANDARD.decode(input).expect("base64") } else { input.as_bytes().to_vec() })
    };
    cases.map(bytes).collect()
}

/// The inputs for `entry` that are text.
#[cfg(all(any(feature = "broker", feature = "http", feature = "mcp"), feature = "serde"))]
fn inputs(entry: &str) -> Vec<(u64, String)> {
    received(entry).into_iter().filter_map(|(n, bytes)| Some((n, String::from_utf8(bytes).ok()?))).collect()
}

/// Passes each input for `entry` to `check` with its row of `table`. Each input needs a row, and each row an input.
#[cfg(feature = "serde")]
fn each<T>(entry: &str, table: &[(u64, T)], mut check: impl FnMut(u64, &[u8], &T)) {
    let received = received(entry);
    for (n, input) in &received {
        let row = table.iter().find(|(number, _)| number == n);
        let (_, expected) = row.unwrap_or_else(|| panic!("{entry}: no outcome is expected of input {n}"));
        check(*n, input, expected);
    }
    let mut numbers = table.iter().map(|(n, _)| n);
    assert!(received.is_empty() || numbers.all(|n| received.iter().any(|(number, _)| number == n)), "{entry}");
}
