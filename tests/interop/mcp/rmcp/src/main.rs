//! A client and a server of `rmcp`, the Rust SDK.
//!
//! - `client REVISION|probe URL|COMMAND...` sends the requests of peers.py.
//! - `server [--http events|json_response|stateless_http]` has the tools of server.py: on standard input and output, or over HTTP on
//!   loopback, whose URL is the first line of the output.

// sampling, roots and logging, which 2026-07-28 deprecates
#![allow(deprecated)]

use std::error::Error;

mod client;
mod server;

pub(crate) type Done = Result<(), Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Done {
    let mut words = std::env::args().skip(1);
    match (words.next().as_deref(), words.next(), words.next()) {
        (Some("client"), Some(way), Some(target)) => client::run(&way, &target, words.collect()).await,
        (Some("server"), None, None) => server::on_stdio().await,
        (Some("server"), Some(_), Some(mode)) => server::over_http(&mode).await,
        _ => Err("client REVISION|probe URL|COMMAND..., or server [--http MODE]".into()),
    }
}
