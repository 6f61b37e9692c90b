//! The examples as programs, for the tests that talk to them.

use std::process::{Command, Stdio};

/// The example `name`, built beside this test, with pipes for its input and its output. On an emulated machine
/// `NANOJSONRPC_RUNNER` names the emulator that runs it, as Cargo has one for this test.
pub(crate) fn example(name: &str) -> Command {
    // target/PROFILE/deps/this-test
    let this = std::env::current_exe().expect("a path");
    let profile = this.parent().and_then(|deps| deps.parent()).expect("a target folder");
    let example = profile.join("examples").join(name);
    assert!(example.exists(), "build it first: cargo build --all-features --example {name}");
    let runner = std::env::var("NANOJSONRPC_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    let mut command = match words.next() {
        Some(emulator) => {
            let mut command = Command::new(emulator);
            command.args(words).arg(example);
            command
        }
        None => Command::new(example),
    };
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}
