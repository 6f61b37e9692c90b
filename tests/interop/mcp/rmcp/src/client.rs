//! The client. The first line of the output is about the server; then each line of the input is a request, or an array of requests to send
//! at once, and the output has a line for each.

use std::sync::Mutex;
use std::time::Duration;

use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientRequest, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequestParams, ElicitResult, ErrorData, Implementation, ListRootsResult, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions, RequestContext, RoleClient,
    RunningService, ServiceError,
};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};

use rmcp::ClientHandler;
use serde_json::{Value, from_str, from_value, json, to_value};
use tokio::io::{AsyncBufReadExt, BufReader, stdin};

use crate::Done;

/// What the client has heard since the last request.
#[derive(Default)]
struct Heard {
    progress: Mutex<Vec<(f64, Option<f64>)>>,
    logs: Mutex<Vec<Value>>,
}

struct Handler {
    config: ClientConfig,
    heard: Heard,
}

type Context = RequestContext<RoleClient>;

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }

    async fn create_elicitation(&self, _: ElicitRequestParams, _: Context) -> Result<ElicitResult, ErrorData> {
        read(json!({"action": "accept", "content": {"name": "Ada"}}))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: Context,
    ) -> Result<CreateMessageResult, ErrorData> {
        read(json!({"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "none"}))
    }

    async fn list_roots(&self, _: Context) -> Result<ListRootsResult, ErrorData> {
        read(json!({"roots": [{"uri": "file:///tmp"}]}))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.heard.progress.lock().unwrap().push((params.progress, params.total));
    }

    async fn on_logging_message(&self, params: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        self.heard.logs.lock().unwrap().push(params.data);
    }
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

type Running = RunningService<RoleClient, Handler>;

pub(crate) async fn run(way: &str, target: &str, arguments: Vec<String>) -> Done {
    let mut config = ClientConfig::new(
        from_value::<ClientCapabilities>(json!({"elicitation": {}, "sampling": {}, "roots": {}}))?,
        Implementation::new("rmcp", "0"),
    );
    let latest = ProtocolVersion::V_2026_07_28;
    let lifecycle = match way {
        "probe" => ClientLifecycleMode::Auto { preferred_versions: vec![latest], legacy_version: None },
        _ if way == latest.as_str() => ClientLifecycleMode::Discover { preferred_versions: vec![latest] },
        _ => {
            config.protocol_version = from_value(json!(way))?;
            ClientLifecycleMode::Initialize
        }
    };
    let handler = Handler { config, heard: Heard::default() };
    let client = if target.starts_with("http://") {
        handler.serve_with_lifecycle(StreamableHttpClientTransport::from_uri(target), lifecycle).await
    } else {
        let mut command = tokio::process::Command::new(target);
        command.args(arguments);
        handler.serve_with_lifecycle(TokioChildProcess::new(command)?, lifecycle).await
    };
    let client = match client {
        Ok(client) => client,
        Err(error) => {
            println!("{}", json!({"error": {"message": error.to_string()}}));
            return Ok(());
        }
    };
    let about = to_value(client.peer_info().ok_or("no server")?)?;
    let mut capabilities: Vec<_> = about["capabilities"].as_object().into_iter().flat_map(|all| all.keys()).collect();
    capabilities.sort();
    println!(
        "{}",
        json!({
            "revision": about["protocolVersion"],
            "server": about["serverInfo"]["name"],
            "capabilities": capabilities,
            "instructions": about["instructions"],
        })
    );
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let answer = match from_str(&line)? {
            Value::Array(requests) => {
                let mut calls = Vec::new();
                for request in requests {
                    let request = from_value(request)?;
                    calls.push(client.send_cancellable_request(request, PeerRequestOptions::no_options()).await?);
                }
                let mut answers = Vec::new();
                for call in calls {
                    answers.push(answer(&client, call.await_response().await.map(to_value)));
                }
                Value::Array(answers)
            }
            request => send(&client, request).await?,
        };
        println!("{answer}");
    }
    client.cancel().await?;
    Ok(())
}

async fn send(client: &Running, request: Value) -> Result<Value, Box<dyn std::error::Error>> {
    if request["method"] == "tools/call" && request.get("cancel_ms").is_none() {
        // answers the requests of the server, too
        let result = client.call_tool(from_value(request["params"].clone())?).await;
        return Ok(answer(client, result.map(to_value)));
    }
    let after = request["cancel_ms"].as_u64();
    let call = client
        .send_cancellable_request(from_value::<ClientRequest>(request)?, PeerRequestOptions::no_options())
        .await?;
    Ok(match after {
        Some(after) => {
            tokio::time::sleep(Duration::from_millis(after)).await;
            call.cancel(None).await?;
            answer(client, Err(ServiceError::Cancelled { reason: None }))
        }
        None => answer(client, call.await_response().await.map(to_value)),
    })
}

fn answer(client: &Running, result: Result<serde_json::Result<Value>, ServiceError>) -> Value {
    let heard = &client.service().heard;
    let progress = std::mem::take(&mut *heard.progress.lock().unwrap());
    let logs = std::mem::take(&mut *heard.logs.lock().unwrap());
    match result {
        Ok(Ok(result)) => json!({"result": result, "progress": progress, "logs": logs}),
        Ok(Err(error)) => json!({"error": {"message": error.to_string()}}),
        Err(ServiceError::McpError(error)) => json!({"error": error, "progress": progress, "logs": logs}),
        Err(error) => json!({"error": {"message": error.to_string()}, "progress": progress, "logs": logs}),
    }
}
