//! The program in a test: its lines as they come, each within a time limit, and its end.
#![allow(dead_code, reason = "each test uses some")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit of each step.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

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

    pub(crate) fn start_with(arguments: &[&str], set: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jrpc"));
        command.args(arguments).env("JRPC_PEERS", "/dev/null");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
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

    /// The remaining lines of standard output and of standard error, and the status.
    pub(crate) fn end(mut self) -> (Vec<String>, Vec<String>, Option<i32>) {
        drop(self.input.take());
        let late = Instant::now() + LIMIT;
        let status = loop {
            match self.child.try_wait().expect("a process") {
                Some(status) => break status.code(),
                None if Instant::now() > late => panic!("the program does not end"),
                None => thread::sleep(Duration::from_millis(5)),
            }
        };
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

/// Answers each line that is no empty answer.
pub(crate) fn answer_lines(stream: &TcpStream, mut answer: impl FnMut(&str) -> String) {
    for line in BufReader::new(stream).lines() {
        let Ok(line) = line else { break };
        let answer = answer(&line);
        // the client may have gone
        if !answer.is_empty() && (&mut &*stream).write_all(format!("{answer}\n").as_bytes()).is_err() {
            break;
        }
    }
}
