//! A client of the Model Context Protocol on a chip: it negotiates the revision with the server at the other end of its
//! UART, lists and calls the tools of the server, and answers their requests for input. The results go to the log.
//!
//! Its server is any program on standard input and output; `tests/interop/mcp/chip_client.py` connects the two.
#![no_std]
#![no_main]

use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::mcp::client::{Client, SessionError};
use nanojsonrpc::mcp::method;
use nanojsonrpc::mcp::types::{CallToolResult, Content};
use nanojsonrpc::{Dialect, Params, Router, Server};
use node::Port;
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
struct Add {
    a: i32,
    b: i32,
}

/// The structured content of `add`.
#[derive(Deserialize)]
struct Sum {
    result: i32,
}

#[derive(Serialize)]
struct Answer {
    action: &'static str,
    content: Named,
}

#[derive(Serialize)]
struct Named {
    name: &'static str,
}

#[derive(Serialize)]
struct Message {
    role: &'static str,
    content: Text,
    model: &'static str,
}

#[derive(Serialize)]
struct Text {
    r#type: &'static str,
    text: &'static str,
}

#[derive(Serialize)]
struct Roots {
    roots: [Root; 1],
}

#[derive(Serialize)]
struct Root {
    uri: &'static str,
}

/// The number of requests of the server.
#[derive(Default)]
struct Asked(u8);

fn log(tool: &str, result: &CallToolResult<'_>) {
    let is_error = result.is_error == Some(true);
    for content in result.content.iter() {
        if let Content::Text(content) = content {
            defmt::info!("{=str}: {=str} {=bool}", tool, content.text.as_str().unwrap_or("?"), is_error);
        }
    }
}

/// Runs the whole session, and returns whether it succeeded.
fn talk(port: Port, framer: &mut Framer<Lines, 8192>, output: &mut [u8]) -> bool {
    let router = Router::new()
        .request(method::ELICITATION_CREATE, |asked: &mut Asked, _: Params<'_>| {
            asked.0 = asked.0.wrapping_add(1);
            Ok(Answer { action: "accept", content: Named { name: "chip" } })
        })
        .request(method::SAMPLING_CREATE_MESSAGE, |asked: &mut Asked, _: Params<'_>| {
            asked.0 = asked.0.wrapping_add(1);
            Ok(Message { role: "assistant", content: Text { r#type: "text", text: "warm" }, model: "none" })
        })
        .request(method::ROOTS_LIST, |asked: &mut Asked| {
            asked.0 = asked.0.wrapping_add(1);
            Ok(Roots { roots: [Root { uri: "file:///flash" }] })
        });
    let (mut server, mut asked) = (Server::new(router).with_dialect(Dialect::MCP), Asked::default());
    let mut connection = Connection::new(port, port, framer, output);
    let mut client: Client = Client::new("chip", env!("CARGO_PKG_VERSION")).roots().sampling().elicitation();
    let mut session = client.over(&mut connection, &mut server, &mut asked);
    match session.connect() {
        Ok(server) => defmt::info!("connected: {=str}", server.revision.as_str()),
        Err(error) => {
            defmt::error!("not connected: {}", error);
            return false;
        }
    }
    let listed = session.list_tools(|_, tool| defmt::info!("tool: {=str}", tool.name.as_str().unwrap_or("?")));
    if listed.is_err() {
        return false;
    }
    match session.call_tool_as::<Sum, _>("add", &Add { a: 40, b: 2 }) {
        Ok(sum) => defmt::info!("sum: {=i32}", sum.result),
        Err(_) => return false,
    }
    for tool in ["ask", "fall"] {
        match session.call_tool(tool, &()) {
            Ok(result) => log(tool, &result),
            Err(_) => return false,
        }
    }
    match session.get_prompt("none", &()) {
        Err(SessionError::Peer(error)) => defmt::info!("refused: {=i64}", error.code.0),
        _ => return false,
    }
    defmt::info!("asked: {=u8}", session.context().0);
    true
}

#[cortex_m_rt::entry]
fn main() -> ! {
    static mut FRAMER: Framer<Lines, 8192> = Framer::new();
    static mut OUTPUT: [u8; 4096] = [0; 4096];
    node::run_once(|port| talk(port, FRAMER, OUTPUT))
}
