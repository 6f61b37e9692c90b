//! `jrpc bridge`: devices as the tools of one MCP server.

use std::sync::Arc;

use clap::Args;
use nanojsonrpc::Dialect;
use nanojsonrpc::connection::Cancellation;
use nanojsonrpc::http::Origins;
use nanojsonrpc_tokio::axum::Mcp;
use nanojsonrpc_tokio::{Client, Options, ServedAsync, Server};
use tokio_util::sync::CancellationToken;

use crate::address::Address;
use crate::args::PeerOptions;
use crate::device::Device;
use crate::fault::Fault;
use crate::listen::{Listen, serve_web, stopped};
use crate::peer::Peer;
use crate::print::say;
use crate::tools::{Clients, Tools, View, server};
use crate::user::User;

/// Serve devices as the tools of one MCP server
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    jrpc bridge serial:///dev/ttyACM0 tcp://lamp.local:4000\n  \
    jrpc bridge lamp fan --listen http://127.0.0.1:8080/mcp\n  \
    jrpc bridge lamp 'mcp:exec:npx -y @modelcontextprotocol/server-everything'\n\n\
    A client of MCP starts the first one: {\"command\": \"jrpc\", \"args\": [\"bridge\", \"serial:///dev/ttyACM0\"]}")]
pub(crate) struct Bridge {
    /// Addresses, or names of the file of peers; mcp: before an address for an MCP server
    #[arg(required = true, value_name = "PEER")]
    devices: Vec<String>,
    /// Serve Streamable HTTP on http://HOST:PORT/PATH, not standard input and output
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<Listen>,
    #[command(flatten)]
    options: PeerOptions,
}

impl Bridge {
    pub(crate) async fn run(&self) -> Result<(), Fault> {
        let stopped = stopped()?;
        let peers = self.devices.iter().map(|name| {
            let (address, is_mcp) = name.strip_prefix("mcp:").map_or((name.as_str(), false), |address| (address, true));
            let options = PeerOptions { mcp: is_mcp || self.options.mcp, ..self.options.clone() };
            Peer::find(address, &options)
        });
        let peers = peers.collect::<Result<Vec<_>, _>>()?;
        if self.listen.is_none() && peers.iter().any(|peer| peer.address == Address::Stdio) {
            return Err(Fault::usage("standard input and output belong to the client of MCP; use --listen"));
        }
        let view = View::new(&Tools::of(Device::all(peers)), &Arc::new(User::anyone()));
        let options = Options::new().dialect(Dialect::MCP).cancelled_by(Cancellation::MCP);
        match &self.listen {
            None => {
                let server = Server::per_connection(move |client: &Client| {
                    view.tell(Clients::One(client.clone()));
                    ServedAsync::new(server(), view.clone())
                });
                let server = server.options(options);
                tokio::select! {
                    _ = server.serve_stdio() => {}
                    () = stopped => {}
                }
            }
            Some(listen @ Listen::Http(_, path)) => {
                let (listener, host) = listen.tcp().await?;
                if !host.ip().is_loopback() {
                    say("other machines reach this server, which knows no passwords");
                }
                let context = view.clone();
                let mcp = Mcp::with(server(), move |_| context.clone(), options, Origins::Local);
                view.tell(Clients::Http(mcp.clone()));
                let (app, stop) = (axum::Router::new().route(path, mcp.into()), CancellationToken::new());
                let mut serving = std::pin::pin!(serve_web(listener, app, stop.clone()));
                tokio::select! {
                    () = &mut serving => {}
                    () = stopped => {
                        stop.cancel();
                        // streams of listeners have no end
                        _ = tokio::time::timeout(std::time::Duration::from_secs(1), serving).await;
                    }
                }
            }
            Some(_) => return Err(Fault::usage("expected --listen http://HOST:PORT/PATH")),
        }
        Ok(())
    }
}
