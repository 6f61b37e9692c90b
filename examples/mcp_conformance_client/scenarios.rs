//! The scenarios without authorization: a session over HTTP lists everything and calls every tool that it may use.

use core::time::Duration;
use std::thread;

use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Events, Framer};
use nanojsonrpc::mcp::client::Client;
use nanojsonrpc::mcp::client::http::{Http, Remote, headers_in};
use nanojsonrpc::mcp::{Revision, method};
use nanojsonrpc::server::{Observer, route::Routes};
use nanojsonrpc::{Dialect, Params, RawValue, Router, Server};
use serde_json::{Map, Value, json};

use crate::reopened::Tcp;
use crate::skills::Entry;
use crate::{Failure, ROOM};

/// The time limit for one read or write.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the lists of the server have.
#[derive(Default)]
struct Found {
    /// Names and input schemas, without the tools that a client over HTTP must not use.
    tools: Vec<(String, String)>,
    resources: Vec<String>,
    prompts: Vec<String>,
    skills: Vec<Entry>,
}

/// Runs the scenario `name` against the server at `url`. `context` is the JSON of the suite.
pub(crate) fn run(name: &str, url: &'static str, revision: Revision, context: &str) -> Result<(), Failure> {
    let behind = url.strip_prefix("http://").ok_or("only http:// is supported")?;
    let (host, path) = behind.split_at(behind.find('/').unwrap_or(behind.len()));
    let tcp = || Tcp::new(host, PATIENCE);
    let remote = Remote::new(host, if path.is_empty() { "/" } else { path });
    let http: Http<'_, Tcp, 4096> = Http::new(remote, tcp(), tcp());
    let mut server = server();
    let (mut framer, mut output) = (Framer::<Events, ROOM>::new(), [0; ROOM]);
    let mut connection = Connection::new(&http, &http, &mut framer, &mut output);
    let mut client: Client = Client::new("nanojsonrpc", env!("CARGO_PKG_VERSION")).revision(revision).elicitation();
    let mut found = Found::default();
    let mut session = client.over(&mut connection, &mut server, &mut found);
    let about = session.connect().map_err(|error| error.to_string())?;
    let capabilities = about.capabilities()?;
    if !about.revision.is_stateless() {
        listen(http.with_remote(|remote| remote.clone()).ok_or("the stream is in use")?, host, revision);
    }
    let (resources, prompts) = (capabilities.resources.is_some(), capabilities.prompts.is_some());
    let has_skills = capabilities.extensions.is_some_and(|all| all.get("io.modelcontextprotocol/skills").is_some());
    session
        .list_tools(|found, tool| {
            // "clients MUST exclude the invalid tool", and log it
            let schema = tool.input_schema.raw();
            match headers_in(schema) {
                Ok(()) => found.tools.push((tool.name.to_string(), schema.as_json().to_owned())),
                Err(error) => eprintln!("excluded: {}: {error}", crate::line(tool.name)),
            }
        })
        .map_err(|error| error.to_string())?;
    if resources {
        let listed = session.list_resources(|found, resource| found.resources.push(resource.uri.to_string()));
        listed.map_err(|error| error.to_string())?;
    }
    if prompts {
        let listed = session.list_prompts(|found, prompt| found.prompts.push(prompt.name.to_string()));
        listed.map_err(|error| error.to_string())?;
    }
    if has_skills {
        let listed = session.list_skills(|found, skill| found.skills.extend(Entry::of(&skill)));
        listed.map_err(|error| error.to_string())?;
    }
    let Found { tools, resources, prompts, skills } = core::mem::take(session.context());
    // the next calls repeat the params that the schemas request
    let tools: &'static [_] = tools.leak();
    let read = tools.iter().map(|(name, schema)| Ok((name.as_str(), RawValue::parse(schema.as_bytes())?)));
    let read = read.collect::<Result<Vec<_>, nanojsonrpc::Error>>()?;
    let known: &'static [_] = read.leak();
    http.with_remote(|remote| *remote = remote.clone().with_tools(known));
    for (tool, arguments) in calls(name, context, tools) {
        session.call_tool(&tool, &arguments).map_err(|error| format!("{tool}: {error}"))?;
    }
    for uri in &resources {
        session.read_resource(uri).map_err(|error| error.to_string())?;
    }
    for prompt in &prompts {
        session.get_prompt(prompt, &()).map_err(|error| error.to_string())?;
    }
    // "Hosts MUST NOT retrieve a skill's files ahead of need"
    for skill in skills.iter().filter(|_| !name.ends_with("no-prefetch")) {
        for uri in skill.uris() {
            skill.check(&uri, &session.read_resource(&uri).map_err(|error| error.to_string())?)?;
        }
    }
    Ok(http.end().map_err(|error| error.to_string())?)
}

/// Answers the requests of the server for input.
fn server<C>() -> Server<impl Routes<C>, impl Observer<C>> {
    let router = Router::new().request(method::ELICITATION_CREATE, |_: &mut C, asked: Params<'_>| {
        Ok(json!({"action": "accept", "content": defaults(asked)}))
    });
    Server::new(router).with_dialect(Dialect::MCP)
}

/// Opens a second stream of the session, on which the server sends requests that belong to no call, until the program ends.
fn listen(remote: Remote<'static>, host: &'static str, revision: Revision) {
    thread::spawn(move || {
        let http: Http<'_, Tcp, 4096> = Http::new(remote, Tcp::new(host, PATIENCE), Tcp::new(host, PATIENCE));
        http.listen();
        let (mut framer, mut output) = (Framer::<Events, ROOM>::new(), [0; ROOM]);
        let mut connection = Connection::new(&http, &http, &mut framer, &mut output);
        let mut client: Client = Client::new("nanojsonrpc", env!("CARGO_PKG_VERSION")).connected_as(revision);
        let (mut server, mut context) = (server(), ());
        let mut session = client.over(&mut connection, &mut server, &mut context);
        while session.handle_incoming().is_ok_and(|goes_on| goes_on) {}
    });
    // the server needs the stream before the next call
    thread::sleep(Duration::from_millis(200));
}

/// The calls of a scenario: those of its context, or one of each tool, with the values that its schema suggests.
fn calls(name: &str, context: &str, tools: &[(String, String)]) -> Vec<(String, Value)> {
    let context: Value = serde_json::from_str(context).unwrap_or_default();
    if let Some(calls) = context.get("toolCalls").and_then(Value::as_array) {
        let call = |call: &Value| Some((call.get("name")?.as_str()?.to_owned(), call.get("arguments")?.clone()));
        return calls.iter().filter_map(call).collect();
    }
    let read = |schema: &str| serde_json::from_str::<Value>(schema).unwrap_or_default();
    let first = tools.first().map(|(_, schema)| read(schema));
    let call = |(tool, schema): &(String, String)| {
        let arguments = match &first {
            // the schema as it was received, back to the server
            Some(first) if name.ends_with("-preservation") && tool.ends_with("_echo") => json!({"schema": first}),
            _ => example(&read(schema)),
        };
        (tool.clone(), arguments)
    };
    tools.iter().map(call).collect()
}

/// A value for each property of `schema`.
fn example(schema: &Value) -> Value {
    let value = |schema: &Value| match schema.get("type").and_then(Value::as_str) {
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("object") => json!({}),
        Some("array") => json!([]),
        _ => json!("x"),
    };
    let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let members: Map<_, _> = properties.iter().map(|(name, property)| (name.clone(), value(property))).collect();
    members.into()
}

/// The defaults of the requested fields; `true` for those without one.
fn defaults(asked: Params<'_>) -> Value {
    let schema = asked.get("requestedSchema").map_or("null", |schema| schema.as_json());
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let value = |property: &Value| property.get("default").cloned().unwrap_or(json!(true));
    let members: Map<_, _> = properties.iter().map(|(name, property)| (name.clone(), value(property))).collect();
    members.into()
}
