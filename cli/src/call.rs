//! `jrpc call`: one call, the same call again and again, or a batch.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use clap::Args;
use clap_complete::ArgValueCompleter;
use nanojsonrpc::json::Kind;
use nanojsonrpc::{EnvelopeKind, RawValue};
use nanojsonrpc_tokio::Message;

use crate::args::PeerOptions;
use crate::complete;
use crate::describe;
use crate::fault::Fault;
use crate::line::{Line, readable};
use crate::params;
use crate::peer::Peer;
use crate::print::{Shown, Style, out, say};
use crate::session::{Session, message, show};

/// Call a method or a tool, and print its result
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    jrpc call tcp://lamp.local:4000 lamp.set level:=20 reason=evening\n  \
    jrpc call serial:///dev/ttyACM0 subtract '[42, 23]'\n  \
    jrpc call --mcp 'exec:npx -y @modelcontextprotocol/server-everything' echo message=hello\n  \
    jrpc call lamp lamp.level --repeat 3 --raw")]
pub(crate) struct Call {
    /// An address, or a name of the file of peers
    #[arg(add = ArgValueCompleter::new(complete::peers))]
    peer: String,
    /// The method, or with --mcp the tool
    #[arg(required_unless_present = "batch", add = ArgValueCompleter::new(complete::method))]
    method: Option<String>,
    /// name=string, name:=json, or the whole params: a JSON text, @FILE, or - for standard input
    #[arg(add = ArgValueCompleter::new(complete::param))]
    params: Vec<String>,
    /// Print the result as it came
    #[arg(long)]
    raw: bool,
    /// Send a notification, and wait for nothing
    #[arg(long, conflicts_with_all = ["repeat", "batch", "id"])]
    notify: bool,
    /// Call so many times, one after the other
    #[arg(long, value_name = "N", default_value_t = 1)]
    repeat: u64,
    /// Send the calls of a file as one batch, and print the answers; each line is METHOD and PARAMS
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "repeat", "id"])]
    batch: Option<PathBuf>,
    /// The id of the first call: a number or a string of JSON [default: 1]
    #[arg(long, value_name = "JSON")]
    id: Option<String>,
    /// Send the params even if they break the schema that `jrpc list` has seen
    #[arg(long)]
    unchecked: bool,
    #[command(flatten)]
    options: PeerOptions,
}

impl Call {
    pub(crate) async fn run(&self) -> Result<(), Fault> {
        let peer = Peer::find(&self.peer, &self.options)?;
        let style = Style::of_output();
        if let Some(path) = &self.batch {
            let calls = std::fs::read_to_string(path).map_err(|error| Fault::file(path.display(), &error))?;
            let (text, ids) = batch(&calls)?;
            let mut answers = vec![None; ids.len()];
            let outcome = Line::open(&peer, Arc::new(say)).await?.exchange(text, &ids, &mut answers).await;
            let answers: Result<Vec<Message>, Fault> = answers.into_iter().flatten().map(readable).collect();
            let answers = answers?;
            for answer in &answers {
                let text = answer.text();
                out(Shown(RawValue::parse(&text).unwrap_or(RawValue::NULL), Style::Line))?;
            }
            let is_refused = answers.iter().any(|answer| answer.kind() == EnvelopeKind::Error);
            return outcome.and(if is_refused { Err(Fault::Refused) } else { Ok(()) });
        }
        let method = self.method.as_deref().unwrap_or_default();
        let params = params::read(&self.params)?;
        if !self.unchecked {
            check(&peer, method, params.as_deref())?;
        }
        let mut session = Session::open(&peer).await?;
        if self.notify {
            return session.notify(method, params.as_deref()).await;
        }
        for count in 0..self.repeat.max(1) {
            let answer = session.call_as(&id(self.id.as_deref(), count)?, method, params.as_deref()).await?;
            show(&answer, peer.is_mcp, self.raw, style)?;
        }
        Ok(())
    }
}

/// Refuses params that break what `jrpc list` has seen of the peer.
pub(crate) fn check(peer: &Peer, method: &str, params: Option<&str>) -> Result<(), Fault> {
    let methods = describe::kept(peer);
    let Some(known) = methods.iter().find(|known| known.name == method) else { return Ok(()) };
    let checked = known.check(params);
    checked.map_err(|fault| Fault::Usage(format!("params of {known}: {fault}\n(--unchecked sends them)")))
}

/// The id of a call: the given one, counted up if it is a number.
fn id(given: Option<&str>, count: u64) -> Result<String, Fault> {
    let Some(given) = given else { return Ok(count.saturating_add(1).to_string()) };
    match given.parse::<u64>() {
        Ok(first) => Ok(first.saturating_add(count).to_string()),
        Err(_)
            if RawValue::parse(given.as_bytes()).is_ok_and(|id| matches!(id.kind(), Kind::String | Kind::Number)) =>
        {
            Ok(given.to_owned())
        }
        // quotation marks are hard to write in a shell
        Err(_) => params::string(given),
    }
}

/// A batch of the calls in the lines of a file, and their ids. Empty lines, and lines that begin with `#`, do not count.
fn batch(lines: &str) -> Result<(Bytes, Vec<String>), Fault> {
    let mut ids = Vec::new();
    let mut messages = Vec::new();
    for (index, text) in lines.lines().enumerate() {
        if text.trim().is_empty() || text.trim_start().starts_with('#') {
            continue;
        }
        let fault = |fault: String| Fault::usage(format!("line {}: {fault}", index.saturating_add(1)));
        let words = shlex::split(text).ok_or_else(|| fault("a quotation mark has no end".to_owned()))?;
        let Some((method, arguments)) = words.split_first() else { continue };
        let params = params::read(arguments).map_err(|error| fault(error.to_string()))?;
        let id = ids.len().saturating_add(1).to_string();
        messages.push(String::from_utf8_lossy(&message(method, params.as_deref(), Some(&id))?).into_owned());
        ids.push(id);
    }
    if ids.is_empty() {
        return Err(Fault::usage("the file has no call"));
    }
    Ok((format!("[{}]", messages.join(",")).into(), ids))
}
