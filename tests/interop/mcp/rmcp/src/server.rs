//! The server.

use std::sync::Arc;

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientResult, ErrorData, Implementation,
    InputRequiredResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities,
    ServerConfig, ServerRequest,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt};
use serde_json::{Value, from_value, json, to_value};

use crate::Done;

struct Sdk;

type Context = RequestContext<RoleServer>;

fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

impl ServerHandler for Sdk {
    fn get_info(&self) -> ServerConfig {
        let mut config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        config.server_info = Implementation::new("sdk", "0");
        config
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: Context) -> Result<ListToolsResult, ErrorData> {
        let integer = json!({"type": "integer"});
        from_value(json!({"tools": [
            {"name": "add", "description": "Adds two numbers.",
                "inputSchema": {"type": "object", "properties": {"a": integer, "b": integer}, "required": ["a", "b"]},
                "outputSchema": {"type": "object", "properties": {"result": integer}, "required": ["result"]}},
            {"name": "climb", "description": "Reports progress.",
                "inputSchema": {"type": "object", "properties": {"steps": integer}, "required": ["steps"]}},
            {"name": "fall", "description": "Fails.", "inputSchema": {"type": "object"}},
            {"name": "ask", "description": "Sends a request to the client.", "inputSchema": {"type": "object"}},
        ]}))
        .map_err(internal)
    }

    async fn call_tool(&self, call: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(call.arguments.clone().unwrap_or_default());
        let result = match &*call.name {
            "add" => {
                let sum = arguments["a"]
                    .as_i64()
                    .zip(arguments["b"].as_i64())
                    .map(|(a, b)| a + b)
                    .ok_or(internal("no numbers"))?;
                json!({"content": [{"type": "text", "text": sum.to_string()}], "structuredContent": {"result": sum}})
            }
            "climb" => {
                let steps = arguments["steps"].as_u64().unwrap_or_default();
                for step in 0..steps {
                    let Some(token) = context.meta.get_progress_token() else { break };
                    let progress = ProgressNotificationParam::new(token, step as f64)
                        .with_total(steps as f64)
                        .with_message(format!("step {step} \u{b0}"));
                    context.peer.notify_progress(progress).await.map_err(internal)?;
                }
                json!({"content": [{"type": "text", "text": "up"}]})
            }
            "fall" => json!({"content": [{"type": "text", "text": "Error executing tool fall"}], "isError": true}),
            "ask" => match asked(&call, &context).await? {
                Ok(text) => json!({"content": [{"type": "text", "text": text}]}),
                Err(required) => return Ok(required.into()),
            },
            _ => return Err(ErrorData::invalid_params(format!("Unknown tool: {}", call.name), None)),
        };
        Ok(from_value::<CallToolResult>(result).map_err(internal)?.into())
    }
}

/// The requests to the client: part of a result since 2026-07-28, requests of the server before.
fn requests() -> [(&'static str, Value); 3] {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    let elicitation = json!({"message": "Who is it?", "requestedSchema": schema});
    let message = json!({"role": "user", "content": {"type": "text", "text": "Hm?"}});
    [
        ("person", json!({"method": "elicitation/create", "params": elicitation})),
        ("answer", json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 7}})),
        ("roots", json!({"method": "roots/list"})),
    ]
}

async fn asked(
    call: &CallToolRequestParams,
    context: &Context,
) -> Result<Result<String, InputRequiredResult>, ErrorData> {
    let mut answers = json!({});
    if context.protocol_version().is_some_and(|version| !version.has_initialize()) {
        match &call.input_responses {
            Some(responses) => answers = to_value(responses).map_err(internal)?,
            None => {
                let requests: serde_json::Map<_, _> =
                    requests().map(|(name, request)| (name.to_owned(), request)).into_iter().collect();
                let required = json!({"resultType": "input_required", "inputRequests": requests});
                return from_value(required).map(Err).map_err(internal);
            }
        }
    } else {
        for (name, request) in requests() {
            let request = from_value::<ServerRequest>(request).map_err(internal)?;
            let answer: ClientResult = context.peer.send_request(request).await.map_err(internal)?;
            answers[name] = to_value(answer).map_err(internal)?;
        }
    }
    let text = |pointer| answers.pointer(pointer).and_then(Value::as_str).unwrap_or("nothing").to_owned();
    let [name, said, root] = ["/person/content/name", "/answer/content/text", "/roots/roots/0/uri"].map(text);
    Ok(Ok(format!("{name} | {said} | {root}")))
}

pub(crate) async fn on_stdio() -> Done {
    Sdk.serve(stdio()).await?.waiting().await?;
    Ok(())
}

pub(crate) async fn over_http(mode: &str) -> Done {
    let mut config = StreamableHttpServerConfig::default();
    config.legacy_session_mode = mode == "events";
    config.json_response = mode == "json_response";
    let service = StreamableHttpService::new(|| Ok(Sdk), Arc::new(LocalSessionManager::default()), config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}
