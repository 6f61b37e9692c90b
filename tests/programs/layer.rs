//! The example `layer`: a line and a time for each call, a limit, and a method for administrators.

use std::io::Write;

use crate::example::example;

/// The answers and the lines of the log.
fn run(arguments: &[&str], input: &str) -> (String, Vec<String>) {
    let mut command = example("layer");
    let mut child = command.args(arguments).stderr(std::process::Stdio::piped()).spawn().expect("the example to start");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).expect("the example to read"));
    let output = child.wait_with_output().expect("the example to end");
    writer.join().expect("all to be written");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr).lines().map(str::to_owned).collect())
}

#[test]
fn each_call_is_a_line_with_its_outcome_and_its_time() {
    let calls = "{\"jsonrpc\":\"2.0\",\"method\":\"add\",\"params\":[1,2],\"id\":1}\n\
        [{\"jsonrpc\":\"2.0\",\"method\":\"reset\",\"id\":\"a\"},{\"jsonrpc\":\"2.0\",\"method\":\"a\\nb\"},{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":7}]\n";
    for (arguments, code) in [(&[][..], "error -32001"), (&["--admin"], "ok")] {
        let (answers, log) = run(arguments, calls);
        assert_eq!(answers.contains("Forbidden"), arguments.is_empty(), "{answers}");
        let lines: Vec<&str> = log.iter().map(|line| line.rsplit_once(" in ").expect("a time").0).collect();
        let reset = format!("request \"reset\" id \"a\": {code}");
        let rest = ["notification \"a\\nb\": error -32601", "response id 7: error -32601"];
        assert_eq!(lines, ["request \"add\" id 1: ok", &reset, rest[0], rest[1]]);
    }
}

#[test]
fn calls_beyond_the_limit_are_refused() {
    let call = "{\"jsonrpc\":\"2.0\",\"method\":\"add\",\"params\":[1,2],\"id\":1}\n";
    let (answers, log) = run(&[], &call.repeat(1002));
    assert_eq!(answers.matches("Too many calls").count(), 2);
    assert_eq!(log.iter().filter(|line| line.contains(": error -32000 in ")).count(), 2);
}
