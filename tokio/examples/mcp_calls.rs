//! Calls the tool of the example `web` by MCP, over HTTP.

use std::collections::BTreeMap;

use nanojsonrpc::mcp::client::{Call, Client};
use nanojsonrpc::mcp::method;
use nanojsonrpc::mcp::types::{CallToolResult, Content, Tool};
use nanojsonrpc::{Dialect, RawValue};
use nanojsonrpc_tokio::{McpClient, Methods, Options, http};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::new().dialect(Dialect::MCP);
    let transport = http::connect("http://127.0.0.1:8080/mcp", Vec::new(), &options)?;
    // the methods answer requests of the server, such as elicitation
    let client = McpClient::connect(transport, Client::new("host", "1.0.0"), Methods::new(()), options).await?;
    for page in client.list(method::TOOLS_LIST).await? {
        for tool in page.payload().and_then(|page| page.get("tools")).into_iter().flat_map(RawValue::elements) {
            println!("tool: {}", Tool::read(tool)?.name);
        }
    }
    let numbers = BTreeMap::from([("a", 40), ("b", 2)]);
    let answer = client.call(&Call::tool("add", &numbers)).await?;
    for content in CallToolResult::read(answer.payload().unwrap_or(RawValue::NULL))?.content.iter() {
        if let Content::Text(content) = content {
            println!("{}", content.text);
        }
    }
    client.close().await;
    Ok(())
}
