//! `jrpc check` against right and wrong peers.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Once;

use nanojsonrpc::server::route::End;
use nanojsonrpc::{Dialect, Server};

/// The lines of `jrpc check`, and its status.
fn check(arguments: &[&str]) -> (String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_jrpc")).arg("check").args(arguments).output().expect("to run");
    let text = String::from_utf8(output.stdout).expect("UTF-8") + &String::from_utf8(output.stderr).expect("UTF-8");
    (text, output.status.code().expect("no panic and no signal"))
}

/// The address of an example of the core, which is built if it is missing.
fn example(name: &str) -> String {
    static BUILT: Once = Once::new();
    // target/PROFILE/deps/this-test
    let this = std::env::current_exe().expect("a path");
    let profile = this.ancestors().nth(2).expect("a target folder").to_owned();
    let path = |name: &str| -> PathBuf { profile.join("examples").join(name) };
    BUILT.call_once(|| {
        if ["service", "stdio", "mcp_stdio"].iter().all(|name| path(name).exists()) {
            return;
        }
        let core = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let target = profile.parent().expect("a target folder");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "-p", "nanojsonrpc", "--features", "macros,mcp", "--target-dir"]).arg(target);
        build.args(["--example", "service", "--example", "stdio", "--example", "mcp_stdio"]).current_dir(core);
        assert!(build.status().expect("cargo").success());
    });
    format!("exec:{}", path(name).display())
}

#[test]
fn a_right_server_has_no_finding() {
    for arguments in [
        &[&example("service"), "--method", "lamp.level"][..],
        &[&example("stdio"), "--method", "sum", "[1,2]"],
        &[&example("mcp_stdio"), "--mcp"],
        &[&serve(|server| server), "--frame", "crlf"],
        &[&serve(|server| server)],
    ] {
        let (text, status) = check(arguments);
        assert!(status == 0 && text.contains("probes, 0 findings"), "{arguments:?}: {text}");
        assert!(!text.contains("broken  "), "{text}");
    }
    let (text, _) = check(&[&example("service"), "--method", "lamp.level"]);
    assert!(text.contains("ok      method \"lamp.level\""), "{text}");
}

/// A peer: gets what one read has returned, and writes its answers.
type Peer = Box<dyn FnMut(&[u8]) -> Vec<u8> + Send>;

/// Serves a peer of its own to each connection, and returns the address. A peer whose answer is `\x04` closes the connection.
fn listen(peer: impl Fn() -> Peer + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("tcp://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut peer) = (stream.expect("a connection"), peer());
            std::thread::spawn(move || {
                let mut buffer = vec![0; 1 << 16];
                while let Ok(len @ 1..) = stream.read(&mut buffer) {
                    let answer = peer(&buffer[..len]);
                    if answer == b"\x04" || stream.write_all(&answer).is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

/// A right server of lines, with another way to answer a line.
fn lines(mut answer: impl FnMut(&str) -> Vec<String> + Send + 'static) -> Peer {
    let mut received = Vec::new();
    Box::new(move |bytes| {
        received.extend_from_slice(bytes);
        let mut answers = Vec::new();
        while let Some(len) = received.iter().position(|&byte| byte == b'\n') {
            let line: Vec<_> = received.drain(..=len).collect();
            for text in answer(String::from_utf8_lossy(&line).trim_end_matches('\n')) {
                if text == "\x04" {
                    return text.into();
                }
                answers.extend(text.into_bytes());
                answers.push(b'\n');
            }
        }
        answers
    })
}

fn right(line: &str) -> Option<String> {
    let mut output = [0; 4096];
    let answer = Server::with_routes(End)
        .with_dialect(Dialect::JSON_RPC)
        .process(&mut (), line.as_bytes(), &mut output)
        .answer();
    answer.map(|answer| String::from_utf8(answer.to_vec()).expect("UTF-8"))
}

type Answer = fn(&str) -> Option<String>;

fn serve(change: fn(Answer) -> Answer) -> String {
    listen(move || {
        let answer = change(right);
        lines(move |line| answer(line).into_iter().collect())
    })
}

/// A peer that answers each line as `wrong` says.
fn wrong(wrong: fn(&str) -> Vec<String>) -> String {
    listen(move || lines(wrong))
}

/// The answer of a right server, changed.
fn but(line: &str, change: impl FnOnce(String) -> String) -> Vec<String> {
    right(line).map(change).into_iter().collect()
}

/// Asserts that the peer has a finding for this probe with this rule, and returns all findings.
#[track_caller]
fn finds(address: &str, probe: &str, rule: &str) -> Vec<String> {
    let (text, status) = check(&[address, "--json", "--timeout", "300ms"]);
    assert_eq!(status, 1, "{text}");
    let findings: Vec<String> = text.lines().filter(|line| line.starts_with('{')).map(str::to_owned).collect();
    let is_found = |line: &String| line.starts_with(&format!("{{\"place\":\"{probe}\",")) && line.contains(rule);
    assert!(findings.iter().any(is_found), "{probe}: {rule}: {text}");
    findings
}

#[test]
fn each_wrong_answer_is_found_by_its_rule() {
    // one wrong behaviour has one finding
    for (address, probe, rule) in [
        (
            wrong(|line| but(line, |text| if line == "[]" { format!("[{text}]") } else { text })),
            "empty batch",
            "one array answers a batch",
        ),
        (
            wrong(|line| if line == "hello" { vec![] } else { but(line, |text| text) }),
            "no JSON",
            "a text that is no request gets an error",
        ),
        (
            wrong(|line| if line == "hello" { vec!["\x04".to_owned()] } else { but(line, |text| text) }),
            "no JSON",
            "closes the connection",
        ),
        (
            wrong(|line| but(line, |text| text.replace("9007199254740993", "9007199254740992"))),
            "id: 2^53 + 1",
            "exactly the id of its request",
        ),
        (wrong(|line| but(line, |text| text.replace(".5}", "}"))), "id: a fraction", "exactly the id of its request"),
        (
            wrong(|line| if line.len() > 2000 { vec!["\x04".to_owned()] } else { but(line, |text| text) }),
            "1000 levels",
            "closes the connection",
        ),
        (
            wrong(|line| but(&line.replace("\"1.0\"", "\"2.0\""), |text| text)),
            "jsonrpc: 1.0",
            "-32601 instead of -32600",
        ),
        (
            wrong(|line| but(&line.replace("Method", "method"), |text| text)),
            "name in another case",
            "-32601 instead of -32600",
        ),
        (
            wrong(|line| but(&line.replace("m\\u0065thod", "other"), |text| text)),
            "name with an escape",
            "-32600 instead of -32601",
        ),
        (
            wrong(|line| if line.ends_with('\r') { vec![] } else { but(line, |text| text) }),
            "CR and LF",
            "answers nothing after it",
        ),
        (
            wrong(|line| if line.starts_with('\t') { vec![] } else { but(line, |text| text) }),
            "white space",
            "a request gets an answer",
        ),
        (
            wrong(|line| if line.contains("extra") { but("{", |text| text) } else { but(line, |text| text) }),
            "extra members",
            "exactly the id of its request",
        ),
        (
            wrong(|line| {
                but(line, |text| text)
                    .into_iter()
                    .chain(line.contains("\"result\"").then(|| NULL_ERROR.to_owned()))
                    .collect()
            }),
            "response",
            "a response gets no answer",
        ),
        (
            wrong(|line| but(line, |text| if line.starts_with("[1,") { NULL_ERROR.to_owned() } else { text })),
            "batch with a scalar",
            "one array answers a batch",
        ),
    ] {
        let findings = finds(&address, probe, rule);
        assert_eq!(findings.len(), 1, "{probe}: {findings:?}");
    }
}

const NULL_ERROR: &str = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":""},"id":null}"#;

#[test]
fn what_breaks_several_probes_is_found_in_each() {
    let strings = wrong(|line| {
        but(line, |text| match text.rsplit_once("\"id\":") {
            Some((front, id)) if id.starts_with(|c: char| c.is_ascii_digit()) => {
                format!("{front}\"id\":\"{}\"}}", id.trim_end_matches('}'))
            }
            _ => text,
        })
    });
    finds(&strings, "unknown method", "exactly the id of its request");
    let notified = wrong(|line| right(line).or(Some(NULL_ERROR.to_owned())).into_iter().collect());
    finds(&notified, "notification", "a notification gets no answer");
    finds(&notified, "batch of notifications", "a notification gets no answer");
    finds(&notified, "invalid response", "a response gets no answer");
    finds(
        &wrong(|line| but(line, |text| text.replace("-32601", "-32600"))),
        "unknown method",
        "-32600 instead of -32601",
    );
    finds(
        &wrong(|line| but(line, |text| text.replace("\"jsonrpc\":\"2.0\",", ""))),
        "scalar",
        "a message has the member",
    );
    finds(&wrong(|line| but(line, |text| text.replace("-32601", "\"x\""))), "unknown method", "an integer code");
    let apart = wrong(|line| but(line, |text| text.trim_matches(['[', ']']).replace("},{", "}\n{")));
    finds(&apart, "batch", "one array answers a batch");
    let one = wrong(|line| {
        but(line, |text| match text.split_once("},{") {
            Some((first, _)) if text.starts_with('[') => format!("{first}}}]"),
            _ => text,
        })
    });
    finds(&one, "batch", "an answer to each request of the batch");
    finds(&wrong(|line| but(line, |text| format!("{text}\n{text}"))), "unknown method", "one answer");
    finds(
        &wrong(|line| if line == "[]" { vec!["[]".to_owned()] } else { but(line, |text| text) }),
        "empty batch",
        "a batch has at least one",
    );
}

#[test]
fn a_peer_that_takes_a_read_for_a_message_is_found() {
    let naive = listen(|| {
        Box::new(|bytes| right(&String::from_utf8_lossy(bytes)).map_or(Vec::new(), |text| (text + "\n").into_bytes()))
    });
    finds(&naive, "two messages in one write", "exactly the id of its request");
    finds(&naive, "one message in many writes", "answers nothing after it");
}

#[test]
fn a_peer_that_is_deaf_after_a_text_is_found() {
    // waits for the rest of a cut text
    let deaf = listen(|| {
        let mut is_deaf = false;
        lines(move |line| {
            is_deaf |= line.starts_with('{') && !line.trim_end().ends_with('}');
            if is_deaf { Vec::new() } else { but(line, |text| text) }
        })
    });
    let findings = finds(&deaf, "cut text", "answers nothing after it");
    assert_eq!(findings.len(), 1, "{findings:?}");
}

#[test]
fn a_silent_peer_ends_the_check_in_time() {
    let silent = listen(|| Box::new(|_| Vec::new()));
    // the last one returns what it receives, as a half-duplex line does
    for address in [&silent, "exec:cat"] {
        let (text, status) = check(&[address, "--timeout", "200ms"]);
        assert!(status == 3 && text.contains("no answer in time"), "{address}: {status} {text}");
    }
    for address in ["tcp://127.0.0.1:1", "exec:true", "exec:printf 'x\n'"] {
        let (text, status) = check(&[address, "--timeout", "1s"]);
        assert!(status == 5 && text.contains("jrpc: "), "{address}: {status} {text}");
    }
}

#[test]
fn a_finding_has_its_byte_its_rule_and_its_effect() {
    let address = wrong(|line| but(line, |text| text.replace("9007199254740993", "9007199254740992")));
    let (text, status) = check(&[&address]);
    assert_eq!(status, 1, "{text}");
    let expected = "broken  id: 2^53 + 1: id 9007199254740992 instead of 9007199254740993; an answer has exactly the id of its request \
                    (JSON-RPC 2.0 §5)\n";
    assert!(text.contains(expected) && text.contains("^ byte 75 of 92\n") && text.contains("1 finding\n"), "{text}");
    assert!(text.contains("  a client drops the answer"), "{text}");
}

#[test]
fn the_rules_of_a_dialect_are_those_of_its_server() {
    let mcp = || {
        listen(|| {
            lines(|line| {
                let mut output = [0; 4096];
                let answer = Server::with_routes(End)
                    .with_dialect(Dialect::MCP)
                    .process(&mut (), line.as_bytes(), &mut output)
                    .answer();
                answer.map(|answer| String::from_utf8_lossy(answer).into_owned()).into_iter().collect()
            })
        })
    };
    let (text, status) = check(&[&mcp(), "--dialect", "mcp"]);
    assert_eq!(status, 0, "{text}");
    let (text, status) = check(&[&mcp()]);
    assert!(status == 1 && text.contains("broken  batch:"), "{text}");
}

#[test]
fn a_recording_is_checked_in_both_directions() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("session.jsonl");
    let entry = |direction: &str, text: &str| {
        format!(
            "{{\"time\":\"2026-01-01T00:00:00Z\",\"direction\":\"{direction}\",\"text\":\"{}\"}}\n",
            text.replace('"', "\\\"")
        )
    };
    let call = entry("sent", r#"{"jsonrpc":"2.0","method":"a","id":1}"#);
    let answer = entry("received", r#"{"jsonrpc":"2.0","result":0,"id":1}"#);
    let path_text = path.to_str().expect("UTF-8");
    std::fs::write(&path, format!("{call}{answer}")).expect("written");
    assert_eq!(check(&[path_text]), ("2 texts, 0 findings\n".to_owned(), 0));
    std::fs::write(&path, format!("{call}{answer}{answer}boot \u{1b}\n")).expect("written");
    let (text, status) = check(&[path_text]);
    assert!(status == 1 && text.contains("broken  line 3, received: a request gets one answer"), "{text}");
    assert!(
        text.contains("line 4, received: expected a value")
            && text.contains("4 texts, 2 findings\n")
            && !text.contains('\x1b'),
        "{text}"
    );
    std::fs::write(&path, format!("[{}1]", "1,".repeat(1 << 17))).expect("written");
    let (text, status) = check(&[path_text]);
    assert!(status == 1 && text.ends_with("1 texts, 100 findings\n"));
    std::fs::write(&path, format!("{call}{answer}{answer}")).expect("written");
    let (text, status) = check(&[path_text, "--json"]);
    let first = text.lines().next().expect("a finding");
    assert_eq!(status, 1);
    assert_eq!(
        first,
        r#"{"place":"line 3, received","rule":"a request gets one answer","section":"JSON-RPC 2.0 §5","effect":"a client drops the second one","offset":33,"text":"{\"jsonrpc\":\"2.0\",\"result\":0,\"id\":1}"}"#
    );
}
