//! Programs under test, each with a limit of time.
#![allow(dead_code, reason = "each test uses a part")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The greatest time for a program or a line of it.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// A running `jrpc`.
pub(crate) struct Jrpc {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    errors: Receiver<String>,
}

fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

impl Jrpc {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jrpc"));
        command.args(arguments).env("JRPC_PEERS", "/dev/null");
        Self::spawn(&mut command)
    }

    pub(crate) fn with_peers(peers: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jrpc"));
        command.args(arguments).env("JRPC_PEERS", peers);
        Self::spawn(&mut command)
    }

    fn spawn(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("started");
        let (output, errors) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
        Self { input: child.stdin.take(), output: lines(output), errors: lines(errors), child }
    }

    /// The next address that it listens on.
    pub(crate) fn address(&self) -> String {
        loop {
            let line = self.error_line();
            if let Some(address) = line.strip_prefix("listening on ") {
                return address.to_owned();
            }
        }
    }

    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open");
        input.write_all(format!("{line}\n").as_bytes()).expect("sent");
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    pub(crate) fn line(&self) -> String {
        self.output.recv_timeout(LIMIT).expect("a line in time")
    }

    pub(crate) fn error_line(&self) -> String {
        self.errors.recv_timeout(LIMIT).expect("a line in time")
    }

    pub(crate) fn terminate(&self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().expect("sent").success());
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().expect("killed");
    }

    /// Waits for its end.
    pub(crate) fn status(&mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("waited") {
                return status;
            }
            assert!(begun.elapsed() < LIMIT, "it ends in time");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Jrpc {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Runs `jrpc` to its end: status, standard output, standard error.
pub(crate) fn run(arguments: &[&str]) -> (i32, String, String) {
    let mut jrpc = Jrpc::start(arguments);
    jrpc.close_input();
    let status = jrpc.status().code().expect("ended by itself");
    let all = |lines: &Receiver<String>| lines.iter().map(|line| line + "\n").collect::<String>();
    (status, all(&jrpc.output), all(&jrpc.errors))
}

/// A document of a lamp.
pub(crate) const LAMP: &str = r##"{
    "openrpc": "1.3.2",
    "info": { "title": "lamp", "version": "1" },
    "methods": [
        {
            "name": "lamp.set",
            "summary": "Sets the level.",
            "params": [
                { "name": "level", "required": true, "schema": { "$ref": "#/components/schemas/Level" } },
                { "name": "reason", "schema": { "type": "string" } }
            ],
            "result": { "name": "state", "schema": { "$ref": "#/components/schemas/State" } },
            "examples": [
                { "name": "dim", "params": [{ "name": "level", "value": 20 }], "result": { "name": "state", "value": { "before": 7 } } }
            ]
        },
        {
            "name": "subtract",
            "paramStructure": "by-position",
            "params": [
                { "name": "minuend", "required": true, "schema": { "type": "integer" } },
                { "name": "subtrahend", "required": true, "schema": { "type": "integer" } }
            ],
            "result": { "name": "difference", "schema": { "type": "integer" } },
            "examples": [
                { "name": "one", "params": [{ "name": "minuend", "value": 42 }, { "name": "subtrahend", "value": 23 }], "result": { "name": "difference", "value": 19 } }
            ]
        }
    ],
    "components": { "schemas": {
        "Level": { "type": "integer", "minimum": 0, "maximum": 100 },
        "State": { "type": "object", "required": ["before"], "properties": { "before": { "$ref": "#/components/schemas/Level" } } }
    } }
}"##;
