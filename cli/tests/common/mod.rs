//! The program `jrpc` as a child process, and devices to call.
#![allow(dead_code, reason = "each test uses some of it")]

pub(crate) mod hub;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The longest time that a test waits for a program.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// A folder for the files of this test program, in place of the user's.
pub(crate) fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| tempfile::tempdir().expect("a folder").keep())
}

/// The program with these arguments, without the files of the user.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jrpc"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"] {
        command.env(name, folder());
    }
    command.env_remove("JRPC_PEERS");
    command
}

/// Waits for the end of a program, which it kills after [`LIMIT`].
fn status(child: &mut Child) -> ExitStatus {
    let late = Instant::now() + LIMIT;
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        if Instant::now() > late {
            child.kill().expect("killed");
            panic!("the program does not end");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// The output of a program, as it is.
pub(crate) fn finish(mut child: Child) -> Output {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let read = |pipe: Option<Box<dyn Read + Send>>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
            bytes
        })
    };
    let stdout = read(stdout.map(|pipe| Box::new(pipe) as _));
    let stderr = read(stderr.map(|pipe| Box::new(pipe) as _));
    let status = status(&mut child);
    Output { status, stdout: stdout.join().expect("read"), stderr: stderr.join().expect("read") }
}

/// Status, standard output and standard error of the program with these arguments.
pub(crate) fn jrpc(arguments: &[&str]) -> (i32, String, String) {
    jrpc_with(arguments, b"")
}

/// [`jrpc`] with an input.
pub(crate) fn jrpc_with(arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut child = command(arguments).stdin(Stdio::piped()).spawn().expect("started");
    // the program may end before it has read everything
    _ = child.stdin.take().expect("piped").write_all(input);
    let output = finish(child);
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("a status"), text(output.stdout), text(output.stderr))
}

/// A device that calls `answer` with each line; its address.
pub(crate) fn device_of_lines(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> String {
    device(move |_, stream| answer_bytes(&stream, &answer))
}

/// The address of a device that answers each request, whose id is `$id`, with `answer`.
pub(crate) fn device_with(answer: &'static [u8]) -> String {
    device_of_lines(move |line| {
        let id = line.rsplit_once("\"id\":").map_or("null", |(_, id)| id.trim_end_matches('}'));
        String::from_utf8_lossy(answer).replace("$id", id).into_bytes()
    })
}

/// The program in a test: its lines as they come, each within [`LIMIT`], and its end.
pub(crate) struct Running {
    child: Child,
    input: Option<ChildStdin>,
    out: Receiver<String>,
    errors: Receiver<String>,
}

/// The lines of a stream.
fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).split(b'\n') {
            let Ok(line) = line else { break };
            // the test has ended, so the program may write into a closed pipe
            let Ok(()) = sender.send(String::from_utf8_lossy(&line).into_owned()) else { break };
        }
    });
    receiver
}

impl Running {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, |_| {})
    }

    pub(crate) fn with_peers(peers: &Path, arguments: &[&str]) -> Self {
        Self::start_with(arguments, |command| _ = command.env("JRPC_PEERS", peers))
    }

    pub(crate) fn start_with(arguments: &[&str], set: impl FnOnce(&mut Command)) -> Self {
        let mut command = command(arguments);
        command.stdin(Stdio::piped());
        set(&mut command);
        let mut child = command.spawn().expect("the program to start");
        let (out, errors) = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
        Self { input: child.stdin.take(), child, out: lines(out), errors: lines(errors) }
    }

    /// The next line of standard output.
    pub(crate) fn line(&self) -> String {
        self.out
            .recv_timeout(LIMIT)
            .unwrap_or_else(|_| panic!("no line, but {:?}", self.errors.try_iter().collect::<Vec<_>>()))
    }

    /// The next line of standard error.
    pub(crate) fn error(&self) -> String {
        self.errors
            .recv_timeout(LIMIT)
            .unwrap_or_else(|_| panic!("no line, but {:?}", self.out.try_iter().collect::<Vec<_>>()))
    }

    /// The address that a listening program says.
    pub(crate) fn address(&self) -> String {
        let line = self.error();
        line.split_once("listening on ").unwrap_or_else(|| panic!("{line}")).1.to_owned()
    }

    /// The next address that a listening program says, behind other lines.
    pub(crate) fn next_address(&self) -> String {
        loop {
            if let Some(address) = self.error().strip_prefix("listening on ") {
                return address.to_owned();
            }
        }
    }

    pub(crate) fn write(&mut self, line: &str) {
        writeln!(self.input.as_mut().expect("open"), "{line}").expect("the program to read");
    }

    /// Stops reading standard output.
    pub(crate) fn stop_reading(&mut self) {
        self.out = channel().1;
    }

    pub(crate) fn send_signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.expect("kill").success());
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().expect("killed");
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for its end.
    pub(crate) fn status(&mut self) -> ExitStatus {
        status(&mut self.child)
    }

    /// The remaining lines of standard output and of standard error, and the status.
    pub(crate) fn end(mut self) -> (Vec<String>, Vec<String>, Option<i32>) {
        self.close_input();
        let status = self.status().code();
        (self.out.iter().collect(), self.errors.iter().collect(), status)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // it may have ended
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// A device: a script of the shell, whose address is returned.
pub(crate) fn script(folder: &Path, text: &str) -> String {
    let path = folder.join("device.sh");
    std::fs::write(&path, text).expect("written");
    format!("exec:sh {}", path.display())
}

/// A device that serves each connection with `serve`, for as long as the test runs; its address.
pub(crate) fn device(serve: impl Fn(usize, TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        let serve = &serve;
        thread::scope(|scope| {
            for (count, stream) in listener.incoming().enumerate() {
                scope.spawn(move || serve(count, stream.expect("a connection")));
            }
        });
    });
    format!("tcp://{address}")
}

/// Answers each line with a line; an empty answer is none.
pub(crate) fn answer_lines(stream: &TcpStream, mut answer: impl FnMut(&str) -> String) {
    answer_bytes(stream, |line| {
        let answer = answer(line);
        if answer.is_empty() { Vec::new() } else { format!("{answer}\n").into_bytes() }
    });
}

/// Answers each line with bytes.
fn answer_bytes(stream: &TcpStream, mut answer: impl FnMut(&str) -> Vec<u8>) {
    for line in BufReader::new(stream).lines() {
        let Ok(line) = line else { break };
        // the client may have gone
        if (&mut &*stream).write_all(&answer(&line)).is_err() {
            break;
        }
    }
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
