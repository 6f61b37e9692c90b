//! Every combination of the members of a message, in each dialect. `tests/proofs/envelopes.py` judges them by the specifications; here, order,
//! spelling of the names, white space and other members change no verdict.

use std::fmt::Write;

use nanojsonrpc::{Dialect, Envelope, RawValue};

const VERSIONS: [&str; 6] = ["", r#""2.0""#, r#""2\u002e0""#, r#""1.0""#, "2.0", "null"];
/// The last one is twice there.
const IDS: [&str; 12] =
    ["", r#""a""#, "7", "-0", "1.5", "1e3", "18446744073709551616", "null", "true", "[]", "{}", r#"1,"id":1"#];
const METHODS: [&str; 6] = ["", r#""m""#, r#""\u006d""#, r#""""#, "1", "null"];
const PARAMS: [&str; 8] = ["", "null", "[]", "[1]", "{}", r#""s""#, "1", "true"];
const RESULTS: [&str; 3] = ["", "null", "1"];
const ERRORS: [&str; 12] = [
    "",
    "null",
    r#"{"code":1,"message":""}"#,
    r#"{"data":1,"message":"m","x":{},"code":-9223372036854775808}"#,
    r#"{"code":9223372036854775808,"message":""}"#,
    r#"{"code":1.0,"message":""}"#,
    r#"{"code":"1","message":""}"#,
    r#"{"message":""}"#,
    r#"{"code":1}"#,
    r#"{"code":1,"message":null}"#,
    r#""e""#,
    "[1]",
];
const DIALECTS: [Dialect; 4] = [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP, Dialect::LENIENT];

/// The kind of a message and its id, params, result and error; or the kind of the fault, the id, and whether it is answered.
fn verdict(text: &str, dialect: Dialect) -> String {
    let spelled = |value: Option<RawValue<'_>>| {
        value.map_or("-".to_owned(), |value| String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    match Envelope::parse_as(text.as_bytes(), dialect) {
        Ok(message) => {
            let values = [message.id(), message.params(), message.result(), message.error()].map(spelled);
            format!("{:?}\t{}", message.kind(), values.join("\t"))
        }
        Err(refused) => format!("{:?}\t{}\t{}", refused.kind(), spelled(refused.id), refused.is_answerable()),
    }
}

fn members<const N: usize>(name: &str, values: [&str; N]) -> [String; N] {
    values.map(|value| if value.is_empty() { String::new() } else { format!("\"{name}\":{value}") })
}

#[test]
fn order_and_spelling_of_members_change_no_verdict() {
    let written = std::env::var_os("NANOJSONRPC_CELLS");
    let mut table = String::new();
    let (versions, ids, methods) = (members("jsonrpc", VERSIONS), members("id", IDS), members("method", METHODS));
    let (params, results, errors) = (members("params", PARAMS), members("result", RESULTS), members("error", ERRORS));
    let mut cells = vec![Vec::new()];
    for values in [&versions[..], &ids, &methods, &params, &results, &errors] {
        let extended = |cell: &Vec<String>, value: &String| [&cell[..], std::slice::from_ref(value)].concat();
        cells = cells.iter().flat_map(|cell| values.iter().map(move |value| extended(cell, value))).collect();
    }
    // a sample, unless the table is to be proved
    let step = if cfg!(miri) {
        9973
    } else if written.is_some() {
        1
    } else {
        13
    };
    for cell in cells.iter().step_by(step) {
        let mut there: Vec<&str> = cell.iter().map(String::as_str).filter(|member| !member.is_empty()).collect();
        let text = format!("{{{}}}", there.join(","));
        there.reverse();
        let reversed = format!("{{{}}}", there.join(","));
        let spaced = format!("\n{{ {} , \"other\" : [\"{}\", 1.5] }} ", there.join(" , "), "x".repeat(70));
        let escaped = text.replace("\"method\":", "\"m\\u0065thod\":").replace("\"id\":", "\"\\u0069d\":");
        _ = write!(table, "{text}");
        for dialect in DIALECTS {
            let found = verdict(&text, dialect);
            for other in [&reversed, &escaped] {
                assert_eq!(verdict(other, dialect), found, "{dialect:?}: {other}");
            }
            if !there.is_empty() {
                assert_eq!(verdict(&spaced, dialect), found, "{dialect:?}: {spaced}");
            }
            _ = write!(table, "\n\t{found}");
        }
        table.push('\n');
    }
    if let Some(path) = written {
        std::fs::write(path, table).expect("the table is written");
    }
}
