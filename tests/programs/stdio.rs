//! The example `stdio` as a user runs it: lines in, lines out.

use std::io::Write;

use crate::example::example;
use serde_json::{Value, json};

/// Feeds `input` to the example and gives back the lines that it answers with.
fn answers(input: impl AsRef<[u8]>) -> Vec<String> {
    let mut child = example("stdio").spawn().expect("the example to start");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.as_ref().to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input).expect("the example to read"));
    let output = child.wait_with_output().expect("the example to end");
    writer.join().expect("all to be written");
    assert!(output.status.success(), "{:?}", output.status);
    String::from_utf8(output.stdout).expect("UTF-8").lines().map(str::to_owned).collect()
}

fn answer(line: &str) -> Value {
    let answers = answers(format!("{line}\n"));
    assert_eq!(answers.len(), 1, "{line}: {answers:?}");
    serde_json::from_str(&answers[0]).expect("JSON")
}

#[test]
fn it_answers_the_calls_of_section_7() {
    for (line, expected) in [
        (r#"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#, "19"),
        (r#"{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}"#, "-19"),
        (r#"{"jsonrpc":"2.0","method":"subtract","params":{"subtrahend":23,"minuend":42},"id":3}"#, "19"),
        (r#"{"jsonrpc":"2.0","method":"sum","params":[1,2,4],"id":"1"}"#, "7"),
        (r#"{"jsonrpc":"2.0","method":"get_data","id":"9"}"#, r#"["hello",5]"#),
        (r#"{"jsonrpc":"2.0","method":"echo","id":null}"#, "null"),
        (r#"{"jsonrpc":"2.0","method":"echo","params":{"a":"\ud83d\ude00"},"id":1}"#, r#"{"a":"😀"}"#),
    ] {
        let call: Value = serde_json::from_str(line).expect("JSON");
        let expected: Value = serde_json::from_str(expected).expect("JSON");
        assert_eq!(answer(line), json!({"jsonrpc": "2.0", "result": expected, "id": call["id"]}), "{line}");
    }
}

#[test]
fn it_answers_every_pair_of_section_7() {
    let Some(corpora) = std::env::var_os("NANOJSONRPC_CORPORA") else {
        println!("skipped: NANOJSONRPC_CORPORA is not set");
        return;
    };
    let pairs = std::path::Path::new(&corpora).join("jsonrpc-spec-section-7.jsonl");
    let pairs = std::fs::read_to_string(pairs).expect("the corpus");
    assert_eq!(pairs.lines().count(), 15);
    for pair in pairs.lines() {
        let pair: Value = serde_json::from_str(pair).expect("JSON");
        let request = pair["request"].as_str().expect("a string").replace('\n', " ");
        let got = answers(request + "\n").join("");
        match pair["response"].as_str().expect("a string") {
            "" => assert_eq!(got, "", "{}", pair["name"]),
            expected => {
                let expected: Value = serde_json::from_str(expected).expect("JSON");
                let got: Value = serde_json::from_str(&got).expect("JSON");
                assert_eq!(got, expected, "{}", pair["name"]);
            }
        }
    }
}

#[test]
fn wrong_params_get_a_message_that_helps() {
    for params in [r#"[42]"#, r#"["42","23"]"#, r#"{"minuend":42}"#, r#"[9223372036854775807,-1]"#] {
        let answer = answer(&format!(r#"{{"jsonrpc":"2.0","method":"subtract","params":{params},"id":1}}"#));
        assert_eq!(answer["error"]["code"], -32602, "{params}");
        assert!(answer["error"]["message"].as_str().expect("a message").len() > "Invalid params".len(), "{params}");
    }
}

#[test]
fn a_line_that_is_too_long_is_answered_and_the_next_one_is_read() {
    for len in [16 * 1024 + 1, 16 * 1024 + 2, 100_000] {
        let call = r#"{"jsonrpc":"2.0","method":"sum","params":[1],"id":1}"#;
        let answers = answers(format!("{}\n{call}\n", "[".repeat(len)));
        assert_eq!(answers.len(), 2, "{len}: {answers:?}");
        assert!(answers[0].contains("-32600") && answers[0].contains("too long"), "{}", answers[0]);
        assert_eq!(answers[1], r#"{"jsonrpc":"2.0","result":1,"id":1}"#);
    }
}

#[test]
fn a_line_of_exactly_the_limit_is_read() {
    let frame = r#"{"jsonrpc":"2.0","method":"echo","params":[""],"id":1}"#;
    let text = "x".repeat(16 * 1024 - frame.len());
    let line = frame.replace("\"\"", &format!("\"{text}\""));
    assert_eq!(line.len(), 16 * 1024);
    assert_eq!(answer(&line)["result"][0], text);
}

#[test]
fn notifications_and_blank_lines_are_not_answered() {
    let lines = "\n  \r\n{\"jsonrpc\":\"2.0\",\"method\":\"update\",\"params\":[1,2]}\r\n\
        [{\"jsonrpc\":\"2.0\",\"method\":\"notify_hello\",\"params\":[7]}]\n{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":1}\n";
    assert_eq!(answers(lines), Vec::<String>::new());
}

#[test]
fn the_last_line_may_lack_its_line_break() {
    assert_eq!(
        answers(r#"{"jsonrpc":"2.0","method":"sum","params":[1,2],"id":"é"}"#),
        [r#"{"jsonrpc":"2.0","result":3,"id":"é"}"#]
    );
}

#[test]
fn a_batch_of_the_worst_answers_fits() {
    let id = "\\u0001".repeat(64);
    let call = format!(r#"{{"jsonrpc":"2.0","method":"subtract","id":"{id}"}}"#);
    let batch = format!("[{}]", [call.as_str(); 36].join(","));
    assert!(batch.len() <= 16 * 1024);
    assert_eq!(answer(&batch).as_array().expect("an array").len(), 36);
    let batch = format!("[{}]", ["1"; 256].join(","));
    assert_eq!(answer(&batch).as_array().expect("an array").len(), 256);
    let batch = format!("[{}]", ["1"; 257].join(","));
    assert_eq!(answer(&batch)["error"]["message"], "batch too long");
}
