//! The program `jrpc` as a child process, and devices to call.
#![allow(dead_code, reason = "each test uses some of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// The longest time that a test waits for a program.
pub const LIMIT: Duration = Duration::from_secs(60);

/// A folder for the files of this test program, in place of the user's.
pub fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| tempfile::tempdir().expect("a folder").keep())
}

/// The program with these arguments, without the files of the user.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jrpc"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"] {
        command.env(name, folder());
    }
    command.env_remove("JRPC_PEERS");
    command
}

/// Waits for the end of a program, which it kills after [`LIMIT`].
pub fn finish(mut child: Child) -> Output {
    let id = child.id();
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
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        if begun.elapsed() > LIMIT {
            child.kill().expect("killed");
            panic!("the program {id} does not end");
        }
        thread::sleep(Duration::from_millis(2));
    };
    Output { status, stdout: stdout.join().expect("read"), stderr: stderr.join().expect("read") }
}

/// Status, standard output and standard error of the program with these arguments.
pub fn jrpc(arguments: &[&str]) -> (i32, String, String) {
    jrpc_with(arguments, b"")
}

/// [`jrpc`] with an input.
pub fn jrpc_with(arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut child = command(arguments).stdin(Stdio::piped()).spawn().expect("started");
    // the program may end before it has read everything
    _ = child.stdin.take().expect("piped").write_all(input);
    let output = finish(child);
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("a status"), text(output.stdout), text(output.stderr))
}

/// A device over TCP: `answer` is called with each line, and returns the bytes to send.
pub fn device(answer: impl Fn(&str) -> Vec<u8> + Clone + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let answer = answer.clone();
            thread::spawn(move || {
                let mut lines = BufReader::new(stream.try_clone().expect("cloned"));
                let mut line = String::new();
                while lines.read_line(&mut line).is_ok_and(|len| len != 0) {
                    if (&stream).write_all(&answer(line.trim_end())).is_err() {
                        break;
                    }
                    line.clear();
                }
            });
        }
    });
    address
}

/// The address of a device that answers each request, whose id is `$id`, with `answer`.
pub fn device_with(answer: &'static [u8]) -> String {
    format!(
        "tcp://{}",
        device(move |line| {
            let id = line.rsplit_once("\"id\":").map_or("null", |(_, id)| id.trim_end_matches('}'));
            let text = String::from_utf8_lossy(answer).replace("$id", id);
            if text.contains('\u{fffd}') { answer.to_vec() } else { text.into_bytes() }
        })
    )
}
