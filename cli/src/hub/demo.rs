//! A hub for a first look: two simulated devices, and NATS if it is there.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use super::config::Config;
use crate::fault::Fault;
use crate::print::say;

/// What the simulated devices do.
const LAMP: &str = include_str!("../../lamp.openrpc.json");
/// The time for the server of NATS to open its port.
const BEGIN: Duration = Duration::from_secs(3);
/// The time between two looks at its file of ports.
const LOOK: Duration = Duration::from_millis(5);

/// The files and the programs of a demonstration, which end with it.
pub(super) struct Demo {
    folder: TempDir,
    /// The server of NATS and its address.
    nats: Option<(Child, String)>,
}

/// Starts a server of NATS on this machine, if there is one.
async fn nats(folder: &Path) -> Option<(Child, String)> {
    let mut server = Command::new("nats-server");
    server.args(["-js", "-a", "127.0.0.1", "-p", "-1", "-sd"]).arg(folder.join("store"));
    server.arg("--ports_file_dir").arg(folder).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    // Ctrl-C is for the hub, which still answers calls
    server.process_group(0);
    let child = server.spawn().ok()?;
    let file = folder.join(format!("nats-server_{}.ports", child.id()?));
    let ports = async {
        loop {
            let ports = std::fs::read(&file).ok().and_then(|ports| serde_json::from_slice::<Value>(&ports).ok());
            match ports.as_ref().and_then(|ports| ports.pointer("/nats/0")?.as_str()) {
                Some(address) => return address.to_owned(),
                None => sleep(LOOK).await,
            }
        }
    };
    Some((child, timeout(BEGIN, ports).await.ok()?))
}

pub(super) async fn start() -> Result<Demo, Fault> {
    let folder = tempfile::tempdir().map_err(|error| Fault::file("a folder for the demonstration", &error))?;
    let nats = nats(folder.path()).await;
    if nats.is_none() {
        say("without NATS: there is no nats-server");
    }
    Ok(Demo { folder, nats })
}

impl Demo {
    pub(super) fn config(&self) -> Result<Config, Fault> {
        let (program, file) = (std::env::current_exe(), self.folder.path().join("lamp.openrpc.json"));
        let program = program.map_err(|error| Fault::file("this program", &error))?;
        std::fs::write(&file, LAMP).map_err(|error| Fault::file(file.display(), &error))?;
        let command =
            [&*program.to_string_lossy(), "mock", &*file.to_string_lossy(), "--listen", "-", "--jitter", "50ms"];
        let command = shlex::try_join(command).map_err(|error| Fault::usage(error.to_string()))?;
        // what it says is for who runs it alone
        let command = format!("{command} 2>/dev/null");
        let mut text = "name = \"demo\"\npayloads = true\n[[listen]]\naddress = \"http://127.0.0.1:0\"\n".to_owned();
        for name in ["kitchen", "hall"] {
            // a string of JSON is one of TOML, too
            let address = Value::from(format!("exec:{command}"));
            text.push_str(&format!("[devices.{name}]\naddress = {address}\nrepeat = [\"lamp.state\"]\n"));
        }
        if let Some((_, address)) = &self.nats {
            text.push_str(&format!("[[listen]]\naddress = \"{address}/demo.hub\"\n[cluster]\nnats = \"{address}\"\n"));
        }
        Config::parse(&text).map_err(|faults| Fault::usage(format!("{faults:?}")))
    }
}
