//! A broker of a test: its own process on a free port of this machine.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running broker. Dropping it kills it.
pub(crate) struct Broker {
    program: &'static str,
    port: u16,
    child: Option<Child>,
}

impl Broker {
    /// Starts `program`. A test without its broker fails.
    pub(crate) fn start(program: &'static str) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut broker = Self { program, port, child: None };
        broker.restart();
        broker
    }

    /// Starts it again on the same port.
    pub(crate) fn restart(&mut self) {
        let port = self.port.to_string();
        // the distribution has them where a user's PATH may not look
        let path = format!("{}:/usr/sbin:/usr/local/sbin", std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("env");
        command.arg(format!("PATH={path}")).arg(self.program);
        match self.program {
            "mosquitto" => command.args(["-p", &port]),
            _ => command.args(["--addr", "127.0.0.1", "--port", &port]),
        };
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let ended = child.try_wait().unwrap();
            assert!(
                ended.is_none(),
                "{} does not run; install it: apt-get install mosquitto nats-server",
                self.program
            );
            assert!(begun.elapsed() < Duration::from_secs(20), "{} does not listen", self.program);
            std::thread::sleep(Duration::from_millis(20));
        }
        self.child = Some(child);
    }

    /// Kills it.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.kill();
    }
}
