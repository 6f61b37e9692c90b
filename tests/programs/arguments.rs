//! The command lines of the examples: each prints its help, and says in one line why it refuses an argument.
#![cfg(all(
    unix,
    not(miri),
    feature = "alloc",
    feature = "authorization",
    feature = "embedded-io-async",
    feature = "macros",
    feature = "mcp",
    feature = "websocket"
))]

use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::example::example;

/// The examples that listen, and what they say before the address.
pub(crate) const SERVERS: [(&str, &str); 6] = [
    ("http", "listening on http://"),
    ("mcp_conformance", "listening on http://"),
    ("mcp_http", "listening on http://"),
    ("tcp", "listening on "),
    ("tokio", "listening on "),
    ("websocket", "listening on "),
];

/// The names of all examples.
fn names() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = std::fs::read_dir(folder).expect("the examples").map(|entry| entry.expect("an entry").path());
    // the other folders are modules
    let programs = entries.filter(|path| path.is_file() || path.join("main.rs").exists());
    programs.map(|path| path.file_stem().expect("a name").to_str().expect("UTF-8").to_owned()).collect()
}

/// What the example prints on standard output and standard error, and its status. It must end by itself.
fn run(name: &str, arguments: &[&str]) -> (String, String, Option<i32>) {
    let mut process = example(name)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the example to start");
    let late = Instant::now() + Duration::from_secs(20);
    while process.try_wait().expect("a process").is_none() {
        if Instant::now() > late {
            end(&mut process);
            panic!("{name} {arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let status = process.wait().expect("an end");
    let (mut output, mut errors) = (String::new(), String::new());
    process.stdout.take().expect("a pipe").read_to_string(&mut output).expect("UTF-8");
    process.stderr.take().expect("a pipe").read_to_string(&mut errors).expect("UTF-8");
    (output, errors, status.code())
}

fn end(process: &mut Child) {
    process.kill().expect("it to run");
    process.wait().expect("an end");
}

#[test]
fn every_example_prints_its_help() {
    assert!(names().len() > 20, "{:?}", names());
    for name in names() {
        for option in ["--help", "-h"] {
            let (output, errors, status) = run(&name, &[option]);
            assert_eq!((errors.as_str(), status), ("", Some(0)), "{name}");
            let (about, usage) = output.split_once("\n\n").unwrap_or_else(|| panic!("{name}: {output}"));
            assert!(about.ends_with('.') && about.starts_with(char::is_uppercase), "{name}: {about}");
            assert!(usage.starts_with(&format!("Usage: {name}")), "{name}: {usage}");
            let is_server = SERVERS.iter().any(|(server, _)| *server == name);
            assert_eq!(usage.contains("--listen ADDR:PORT"), is_server, "{name}: {usage}");
        }
    }
}

/// Asserts that the example says in one line why it refuses these arguments, and that the line contains `word`.
fn refuses(name: &str, arguments: &[&str], word: &str) {
    let (output, errors, status) = run(name, arguments);
    assert_eq!((output.as_str(), status), ("", Some(2)), "{name} {arguments:?}: {errors}");
    let line = errors.strip_suffix('\n').unwrap_or_else(|| panic!("{name} {arguments:?}: {errors:?}"));
    let is_sentence = line.starts_with(&format!("{name}: ")) && !line.contains('\n') && !line.contains('{');
    assert!(is_sentence && line.contains(word), "{name} {arguments:?}: {line}");
}

#[test]
fn every_example_refuses_a_wrong_argument_in_a_sentence() {
    for name in names() {
        refuses(&name, &["--no-such-option"], "--no-such-option");
        let needs_words = !matches!(name.as_str(), "mcp_client" | "mcp_everything");
        let words: [&str; 4] = ["127.0.0.1:1", "word", "[]", "more"];
        // the last two start a program with any arguments
        if needs_words {
            let client = matches!(name.as_str(), "client" | "klipper" | "shelly" | "websocket").then_some("more");
            let one = matches!(name.as_str(), "adapter" | "call" | "threads");
            refuses(&name, &words, client.unwrap_or(if one { "word" } else { "127.0.0.1:1" }));
        }
    }
}

#[test]
fn every_example_refuses_a_wrong_address_in_a_sentence() {
    for (name, _) in SERVERS {
        for address in ["nowhere", "127.0.0.1:65536", ":1", "127.0.0.1:", ""] {
            refuses(name, &["--listen", address], &format!("{address:?}"));
        }
        refuses(name, &["--listen"], "--listen");
    }
    for name in ["adapter", "call", "threads"] {
        refuses(name, &["nowhere"], "nowhere");
        refuses(name, &[], "ADDR:PORT");
    }
    for name in ["client", "shelly", "websocket"] {
        refuses(name, &["nowhere", "method"], "nowhere");
        refuses(name, &[], "ADDR:PORT");
    }
}

/// An address of another machine: the word is an address, but this machine has it not.
#[test]
fn a_server_that_cannot_listen_says_so_in_a_sentence() {
    for (name, _) in SERVERS {
        let (output, errors, status) = run(name, &["--listen", "192.0.2.1:0"]);
        assert_eq!((output.as_str(), status), ("", Some(1)), "{name}: {errors}");
        assert!(
            errors.lines().count() == 1 && errors.contains("192.0.2.1:0") && !errors.contains('{'),
            "{name}: {errors}"
        );
    }
}
