//! Which public enums may get more variants without a new major version.

use std::fs;
use std::path::Path;

/// These have a variant for each case that JSON-RPC 2.0 and RFC 8259 know, so a program may match all of them.
const COMPLETE: [&str; 11] = [
    // a call, the only one, none
    "Addressee",
    // in flight, finished, unknown, null
    "Answer",
    "ClientMessage",
    "EnvelopeKind",
    "ErrorCodeKind",
    "Id",
    "Incoming",
    "Kind",
    "Message",
    // an integer, or any other
    "Number",
    "ServerMessage",
];

/// Adds the public enums in `folder` to `found`, and whether each may get more variants.
fn collect(folder: &Path, found: &mut Vec<(String, bool)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, found);
            continue;
        }
        let source = fs::read_to_string(&path).expect("a source file");
        let mut lines: Vec<&str> = Vec::new();
        for line in source.lines().map(str::trim) {
            if let Some(rest) = line.strip_prefix("pub enum ") {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
                let attributes = lines.iter().rev().take_while(|line| line.starts_with("#["));
                found.push((rest[..end].to_owned(), attributes.into_iter().any(|line| *line == "#[non_exhaustive]")));
            }
            lines.push(line);
        }
    }
}

#[test]
fn every_public_enum_that_is_not_complete_may_grow() {
    let mut found = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found.sort();
    let closed: Vec<&str> = found.iter().filter(|(_, may_grow)| !may_grow).map(|(name, _)| name.as_str()).collect();
    assert_eq!(closed, COMPLETE);
    assert!(found.iter().filter(|(_, may_grow)| *may_grow).count() >= 12, "{found:?}");
}
