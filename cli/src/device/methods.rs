//! What methods a device has.

use std::sync::atomic::Ordering;

use nanojsonrpc::mcp::method;
use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc_tokio::CallError;
use serde_json::{Value, json};

use super::tool::{Route, Tool, as_method};
use super::{AWAY, Device, LOST};
use crate::openrpc::Document;
use crate::print::{line, say};

/// The pages of tools that an MCP server may have.
const PAGES: usize = 100;
/// The revision that is spoken to MCP servers.
const REVISION: &str = "2025-11-25";

impl Device {
    /// Waits until the tools are listed, or the first attempt to connect has failed.
    pub(crate) async fn tried(&self) {
        // it never closes before the device
        _ = self.link.tried.subscribe().wait_for(|tried| *tried).await;
    }

    /// The tools that the last of [`next_tools`](Self::next_tools) gave are listed.
    pub(crate) fn listed(&self) {
        self.link.tried.send_replace(true);
    }

    /// The list of its methods may have changed.
    pub(crate) fn list_again(&self) {
        self.link.begun.notify_one();
    }

    /// The tools of the device, whenever it has connected; `None` if it never does again.
    pub(crate) async fn next_tools(&self) -> Option<Vec<Tool>> {
        loop {
            self.link.begun.notified().await;
            let tools = if self.is_mcp() && self.is_here() {
                self.mcp_tools().await.map_err(OwnedErrorObject::from)
            } else {
                self.described_tools().await
            };
            match tools {
                Ok(tools) => return Some(tools),
                Err(_) if self.client.is_closed() => return None,
                Err(error) => {
                    let error = error.borrowed().to_string();
                    say(format_args!("{}: no tools: {}", self.name, line(error.as_bytes())));
                    self.listed();
                }
            }
        }
    }

    /// The tools of a device that `rpc.discover` describes, or one tool for all methods.
    async fn described_tools(&self) -> Result<Vec<Tool>, OwnedErrorObject> {
        let document = match self.request("", "rpc.discover", None).await {
            Ok(answer) => answer.envelope().result().map(|result| {
                serde_json::from_slice(result.as_bytes()).map_err(|error| error.to_string()).and_then(Document::read)
            }),
            Err(error) if matches!(error.code, AWAY | LOST) => return Err(error),
            Err(_) => None,
        };
        let document = document.and_then(|document| {
            let failed = |fault: &String| say(format_args!("{}: {}", self.name, line(fault.as_bytes())));
            document.inspect_err(failed).ok()
        });
        self.describe(document.as_ref().map(|document| document.json.clone()));
        let Some(document) = document else { return Ok(vec![Tool::any(&self.prefix, &self.name)]) };
        let methods = document.methods.iter().filter(|method| method.name != "rpc.discover");
        Ok(methods.map(|method| Tool::of_method(&self.prefix, &self.name, &document, method)).collect())
    }

    /// The tools of an MCP server, after its handshake.
    async fn mcp_tools(&self) -> Result<Vec<Tool>, CallError> {
        let hello = json!({ "protocolVersion": REVISION, "capabilities": {},
            "clientInfo": { "name": "jrpc", "version": env!("CARGO_PKG_VERSION") } });
        if self.link.is_new.swap(false, Ordering::Relaxed) {
            self.client.call::<Value>(method::INITIALIZE, &hello).await?;
            self.client.notify(method::INITIALIZED, &()).await?;
        }
        let (mut tools, mut methods, mut params) = (Vec::new(), Vec::new(), None);
        for _ in 0..PAGES {
            let page: Value = self.client.call(method::TOOLS_LIST, &params).await?;
            for tool in page.get("tools").and_then(Value::as_array).into_iter().flatten() {
                let (Some(tool), Some(name)) = (tool.as_object(), tool.get("name").and_then(Value::as_str)) else {
                    continue;
                };
                methods.push(as_method(name, tool));
                tools.push(Tool::new(&self.prefix, name, tool.clone(), Route::Tool(name.to_owned())));
            }
            let Some(cursor) = page.get("nextCursor").filter(|cursor| cursor.is_string()) else { break };
            params = Some(json!({ "cursor": cursor }));
        }
        let info = json!({ "title": self.name, "version": "" });
        self.describe(Some(json!({ "openrpc": "1.3.2", "info": info, "methods": methods })));
        Ok(tools)
    }
}
