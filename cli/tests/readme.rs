//! The session of the README is what the program prints.

mod common;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use common::{command, finish, folder};

/// The commands of the session, each with its output.
fn session() -> Vec<(&'static str, String)> {
    let readme = include_str!("../README.md");
    let (_, behind) = readme.split_once("## A session").expect("the session");
    let (_, block) = behind.split_once("```sh\n").expect("a block");
    let (block, _) = block.split_once("```").expect("its end");
    let commands = block.split("$ ").filter(|command| !command.is_empty());
    commands
        .map(|command| command.split_once('\n').map(|(line, output)| (line, output.to_owned())).expect("a line"))
        .collect()
}

#[test]
fn the_session_of_the_readme_is_what_is_printed() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("lamp.openrpc.json");
    let mut mock = command(&["mock", document.to_str().expect("a name"), "--listen", "tcp://127.0.0.1:0"]);
    let mut mock = mock.spawn().expect("started");
    let mut said = BufReader::new(mock.stderr.take().expect("piped"));
    let mut line = String::new();
    said.read_line(&mut line).expect("a start line");
    let address = line.trim().strip_prefix("listening on ").expect("an address");
    let peers = folder().join("readme.toml");
    std::fs::write(&peers, format!("[lamp]\naddress = \"{address}\"\n")).expect("written");
    let bin = Path::new(env!("CARGO_BIN_EXE_jrpc")).parent().expect("a folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").expect("a path"));

    let session = session();
    assert!(session.len() >= 8, "{session:?}");
    for (text, expected) in session {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{{ {text}; }} 2>&1")]).env("PATH", &path).env("JRPC_PEERS", &peers);
        for name in ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"] {
            shell.env(name, folder());
        }
        let shell = shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = finish(shell.spawn().expect("started"));
        assert_eq!(String::from_utf8(output.stdout).expect("UTF-8"), expected, "{text}");
    }
    mock.kill().expect("killed");
    mock.wait().expect("ended");
}
