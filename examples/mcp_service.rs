//! An MCP server on standard input and output, or over HTTP. Its tools are the methods of one declaration; the macro derives their schemas,
//! hints and results from the types, and holds the arguments to the limits of the schemas. The declaration, `room/mod.rs`, is also that of
//! the firmware `room`.

use std::io::{stdin, stdout};
use std::sync::{Arc, Mutex, PoisonError};

use embedded_io_adapters::std::FromStd;
use lexopt::prelude::*;
use nanojsonrpc::connection::serve;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::mcp::http::Endpoint;

// its HTTP code
#[path = "mcp_http.rs"]
#[allow(dead_code)]
mod page;
mod room;

use page::{arguments, limits};
use room::Scene;

type Failure = Box<dyn core::error::Error>;

const HELP: &str = "\
Serves the Model Context Protocol on standard input and output.

Usage: mcp_service [OPTIONS]

Options:
      --http ADDR:PORT  Serve it over HTTP instead; port 0 takes a free one
  -h, --help            Print this help
";

fn main() -> Result<(), Failure> {
    let http = arguments::parse(HELP, |parser| {
        let mut http = None;
        while let Some(argument) = parser.next()? {
            match argument {
                Long("http") => http = Some(arguments::address(parser.value()?)?),
                Short('h') | Long("help") => return Ok(None),
                argument => return Err(argument.unexpected()),
            }
        }
        Ok(Some(http))
    });
    if let Some(address) = http {
        return over_http(&address);
    }
    let (mut framer, mut output) = (Framer::<Lines, 4096>::new(), [0; 4096]);
    let (reader, writer) = (FromStd::new(stdin()), FromStd::new(stdout()));
    serve(reader, writer, &mut framer, &mut output, &mut room::server(), &mut { Scene::DARK })?;
    Ok(())
}

/// Serves all clients with one scene.
fn over_http(address: &str) -> Result<(), Failure> {
    static SCENE: Mutex<Scene> = Mutex::new(Scene::DARK);
    let listener = limits::bind(address)?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    limits::serve(&listener, |stream| {
        let stream = Arc::new(stream);
        let mut client = page::Client { stream: Arc::clone(&stream), is_streaming: false, closes: false };
        let (mut server, mut output) = (room::server(), vec![0; page::LEN]);
        let served = page::serve(&stream, |head, _, body, closes| {
            client.closes = closes;
            let mut scene = SCENE.lock().unwrap_or_else(PoisonError::into_inner);
            let response = Endpoint::new().answer(&mut server, &mut scene, head, body, &mut output);
            drop(scene);
            client.finish(&response, "")
        });
        // an error is the end of a connection
        drop(served);
    })
}
