//! `jrpc list`: what a peer says of its methods.

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::Value;

use crate::args::PeerOptions;
use crate::complete;
use crate::describe::{self, Method};
use crate::fault::Fault;
use crate::peer::Peer;
use crate::print::{out, say};
use crate::session::Session;

/// List the methods of a peer by rpc.discover, or with --mcp its tools
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    jrpc list tcp://lamp.local:4000\n  \
    jrpc list tcp://lamp.local:4000 lamp.set\n  \
    jrpc list --mcp https://example.com/mcp --json\n\n\
    The methods are kept, so that `jrpc call` completes and checks their params.")]
pub(crate) struct List {
    /// An address, or a name of the file of peers
    #[arg(add = ArgValueCompleter::new(complete::peers))]
    peer: String,
    /// Only this method, with its params
    #[arg(add = ArgValueCompleter::new(complete::method))]
    method: Option<String>,
    /// Print an array with names, summaries and schemas
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: PeerOptions,
}

impl List {
    pub(crate) async fn run(&self) -> Result<(), Fault> {
        let peer = Peer::find(&self.peer, &self.options)?;
        let Some(mut methods) = Session::open(&peer).await?.methods().await? else {
            say("the peer does not describe itself: it knows no rpc.discover");
            return Err(Fault::Refused);
        };
        describe::keep(&peer, &methods);
        if let Some(name) = &self.method {
            methods.retain(|method| method.name == *name);
            if methods.is_empty() {
                say(format_args!("the peer does not list {name:?}"));
                return Err(Fault::Refused);
            }
        }
        if self.json {
            let list = serde_json::to_string_pretty(&methods).map_err(|error| Fault::File(error.to_string()))?;
            return out(crate::print::Escaped(list.as_bytes()));
        }
        methods.iter().try_for_each(|method| show(method, self.method.is_some()))
    }
}

fn show(method: &Method, is_alone: bool) -> Result<(), Fault> {
    let summary = method.summary.lines().next().unwrap_or_default();
    let gap = if summary.is_empty() { "" } else { "  " };
    out(crate::print::line(format!("{method}{gap}{summary}").as_bytes()))?;
    if !is_alone {
        return Ok(());
    }
    for name in &method.order {
        let schema = method.schema(name).unwrap_or(&Value::Null);
        out(crate::print::line(format!("  {name}: {schema}").as_bytes()))?;
    }
    Ok(())
}
