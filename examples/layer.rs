//! Something in front of all calls, on standard input, one call per line: a line on standard error with the outcome and the time of each
//! call, at most `LIMIT` calls, and a method that only an administrator may call.
//!
//! ```sh
//! $ echo '{"jsonrpc":"2.0","method":"reset","id":1}' | cargo run -q --example layer --features serde
//! {"jsonrpc":"2.0","error":{"code":-32001,"message":"Forbidden"},"id":1}
//! request "reset" id 1: error -32001 in 1.2µs
//! ```

use std::io::{BufRead, Write, stdin, stdout};
use std::time::Instant;

use lexopt::prelude::*;
use nanojsonrpc::server::{Layer, route::Call};
use nanojsonrpc::{EnvelopeKind, ErrorCode, ErrorObject, Router, Server};

mod arguments;

const HELP: &str = "\
Serves JSON-RPC 2.0 on standard input, with a log line and the time of each call.

Usage: layer [--admin]

Options:
      --admin  The client is an administrator, who may call `reset`
  -h, --help   Print this help
";

const LIMIT: u32 = 1000;

/// The user of one connection.
struct User {
    is_admin: bool,
    calls: u32,
}

/// Refuses the calls that the user may not make.
struct Guard;

impl Layer<User> for Guard {
    fn before(&mut self, user: &mut User, call: &Call<'_>) -> Result<(), ErrorObject<'static>> {
        user.calls = user.calls.saturating_add(1);
        if user.calls > LIMIT {
            return Err(ErrorObject::new(-32000, "Too many calls"));
        }
        if call.requests("reset") && !user.is_admin { Err(ErrorObject::new(-32001, "Forbidden")) } else { Ok(()) }
    }
}

/// Writes a line for each call.
struct Log {
    begun: Instant,
}

impl<C> Layer<C> for Log {
    fn before(&mut self, _: &mut C, _: &Call<'_>) -> Result<(), ErrorObject<'static>> {
        self.begun = Instant::now();
        Ok(())
    }

    fn after(&mut self, _: &mut C, call: &Call<'_>, outcome: Result<(), ErrorCode>) {
        let time = self.begun.elapsed();
        // with `{:?}`, no peer can forge a line: the text of a peer has escapes for control characters
        let method = call.method().to_string();
        let id = call.id().map(|id| format!(" id {id}")).unwrap_or_default();
        let outcome = outcome.map_or_else(|code| format!("error {}", code.0), |()| "ok".to_owned());
        match call.kind() {
            EnvelopeKind::Request => eprintln!("request {method:?}{id}: {outcome} in {time:?}"),
            EnvelopeKind::Notification => eprintln!("notification {method:?}: {outcome} in {time:?}"),
            _ => eprintln!("response{id}: {outcome} in {time:?}"),
        }
    }
}

fn main() -> std::io::Result<()> {
    let router = Router::new()
        .request("add", |_: &mut User, (a, b): (i64, i64)| a.checked_add(b).ok_or(ErrorObject::INVALID_PARAMS))
        .request("reset", |_: &mut User| Ok("reset"));
    // the last layer is the outermost: the log also has the calls that the guard refuses
    let mut server = Server::new(router).with_layer(Guard).with_layer(Log { begun: Instant::now() });
    let is_admin = arguments::parse(HELP, |parser| {
        let mut is_admin = false;
        while let Some(argument) = parser.next()? {
            match argument {
                Long("admin") => is_admin = true,
                Short('h') | Long("help") => return Ok(None),
                _ => return Err(argument.unexpected()),
            }
        }
        Ok(Some(is_admin))
    });
    let (mut user, mut output) = (User { is_admin, calls: 0 }, [0; 1024]);
    for line in stdin().lock().split(b'\n') {
        if let Some(answer) = server.process(&mut user, &line?, &mut output).answer() {
            stdout().write_all(answer)?;
            stdout().write_all(b"\n")?;
        }
    }
    Ok(())
}
