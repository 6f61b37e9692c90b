//! README.md: each program is an example, each session prints the shown output, and the file stays short. docs/device.md: each
//! program is a part of the firmware.
#![cfg(all(unix, not(miri), feature = "serde"))]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::{fs, path::Path};

use crate::example::example;

const README: &str = include_str!("../../README.md");
/// The address in the sessions. The system chooses another port here, because this one may be taken.
const ADDRESS: &str = "127.0.0.1:4000";

/// The code blocks of `page` in this language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let (begin, end) = (format!("```{language}\n"), "\n```\n");
    let found: Vec<_> = page.split(&begin).skip(1).map(|rest| rest.split(end).next().expect("an end")).collect();
    assert!(!found.is_empty(), "no block of {language}");
    found
}

#[test]
fn it_has_at_most_200_lines() {
    assert!(README.lines().count() <= 200, "{} lines", README.lines().count());
}

#[test]
fn every_block_is_a_program_or_a_session() {
    let fences: Vec<_> = README.lines().filter(|line| line.starts_with("```")).collect();
    for (number, fence) in fences.iter().enumerate() {
        let expected: &[&str] = if number % 2 == 0 { &["```rust", "```sh"] } else { &["```"] };
        assert!(expected.contains(fence), "{fence}");
    }
}

#[test]
fn every_program_is_an_example() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = fs::read_dir(folder).expect("the examples").map(|entry| entry.expect("an entry").path());
    let examples: Vec<_> =
        entries.filter(|path| path.is_file()).map(|path| fs::read_to_string(path).expect("text")).collect();
    for block in blocks(README, "rust") {
        // An example begins with its documentation and a blank line. It has a module for its command line, and uses it in one line.
        let is_whole = |text: &&String| {
            let text = text.replacen("\nmod arguments;\n", "", 1);
            let (before, after) = text.split_once("\n    arguments::words(").unwrap_or((&text, "\n"));
            let text = [before, after.split_once('\n').map_or("", |(_, after)| after)].join("\n");
            text.split_once("\n\n").is_some_and(|(_, body)| body.trim_end() == block)
        };
        assert_eq!(examples.iter().filter(is_whole).count(), 1, "no example, or several, have this text:\n{block}");
    }
}

#[test]
fn every_program_for_a_device_is_a_part_of_the_firmware() {
    let firmware = Path::new(env!("CARGO_MANIFEST_DIR")).join("firmware");
    if !firmware.exists() {
        println!("skipped: the package has no firmware");
        return;
    }
    let flat = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let programs =
        ["embassy", "rtic"].map(|name| fs::read_to_string(firmware.join(name).join("src/main.rs")).expect("text"));
    for block in blocks(include_str!("../../docs/device.md"), "rust") {
        assert!(
            programs.iter().any(|program| flat(program).contains(&flat(block))),
            "no firmware has this text:\n{block}"
        );
    }
}

/// Whether the examples that need these features, separated by commas, are built with this test.
fn are_on(features: &str) -> bool {
    features.split(',').all(|feature| match feature {
        "embedded-io" => cfg!(feature = "embedded-io"),
        "macros" => cfg!(feature = "macros"),
        "mcp" => cfg!(feature = "mcp"),
        _ => panic!("a feature that this test does not know: {feature}"),
    })
}

/// The command with the example itself in place of `cargo run`; `None` if its features are off, or if it runs no example.
fn runnable(command: &str) -> Option<String> {
    let words: Vec<_> = command.split_whitespace().collect();
    let behind = |word| words.iter().skip_while(|&&at| at != word).nth(1).copied();
    if command.starts_with("cargo add ") {
        // `.ci/package` runs it
        return None;
    }
    let name = behind("--example").unwrap_or_else(|| panic!("a command that this test does not know: {command}"));
    let features = behind("--features");
    if features.is_some_and(|features| !are_on(features)) {
        return None;
    }
    let program = example(name);
    let program: Vec<_> = [program.get_program()]
        .into_iter()
        .chain(program.get_args())
        .map(|word| word.to_str().expect("UTF-8"))
        .collect();
    let cargo = format!(
        "cargo run -q --example {name}{}",
        features.map_or(String::new(), |features| format!(" --features {features}"))
    );
    let (before, arguments) = command.split_once(&cargo).expect("the example and its features, in this order");
    let arguments = arguments.trim().trim_start_matches("-- ");
    Some(format!("{before} {} {arguments}", program.join(" ")))
}

/// Ends with the test.
struct Background(Child);

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::piped());
    shell
}

#[test]
fn every_session_prints_what_it_shows() {
    let mut run = 0;
    for session in blocks(README, "sh") {
        let (mut background, mut address) = (Vec::new(), String::from(ADDRESS));
        for step in session.split("$ ").skip(1) {
            let (command, expected) = step.split_once('\n').unwrap_or((step, ""));
            let Some(command) = runnable(command) else { continue };
            if let Some(command) = command.strip_suffix('&') {
                let command = format!("exec {}", command.replace(ADDRESS, "127.0.0.1:0"));
                let mut child = Background(shell(&command).spawn().expect("a shell"));
                let mut line = String::new();
                BufReader::new(child.0.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
                background.push(child);
                let (shown, _) = expected.split_once(ADDRESS).expect("a line with the address");
                address = line.strip_prefix(shown).unwrap_or_else(|| panic!("{command}: {line}")).trim().to_owned();
            } else {
                let output = shell(&command.replace(ADDRESS, &address)).output().expect("a shell");
                assert!(output.status.success(), "{command}: {}", output.status);
                assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), expected.trim_end(), "{command}");
            }
            run += 1;
        }
    }
    // a service, and a server that is called
    let expected = usize::from(cfg!(feature = "macros")) + 2 * usize::from(cfg!(feature = "embedded-io"));
    assert_eq!(run, expected, "commands were run");
}

/// No session shows it, because its messages are long.
#[cfg(all(feature = "embedded-io", feature = "mcp"))]
#[test]
fn the_lamp_is_switched_by_a_tool() {
    let meta =
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let params = format!(r#"{{"name":"switch","arguments":{{"on":true}},"_meta":{meta}}}"#);
    let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
    let mut child = example("lamp").spawn().expect("the example to start");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), call.as_bytes()).expect("the example to read");
    let output = child.wait_with_output().expect("the example to end");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["result"]["content"], serde_json::json!([{"type": "text", "text": "on"}]), "{answer}");
}
