//! A program of README.md: a lamp as a server of the Model Context Protocol on standard input and output.

use std::io::{stdin, stdout};

use embedded_io_adapters::std::FromStd;
use nanojsonrpc::connection::serve;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::mcp::{Schema, Service, schema};
use serde::Deserialize;

mod arguments;

#[derive(Deserialize)]
struct Switch {
    on: bool,
}

const SWITCH: Schema<'_> = schema!(r#"{"type":"object","properties":{"on":{"type":"boolean"}},"required":["on"]}"#);

fn main() -> Result<(), Box<dyn core::error::Error>> {
    arguments::words("Serves the Model Context Protocol on standard input and output.", []);
    let mut server = Service::new("lamp", "1.0.0")
        .tool("switch", "Switches the lamp.", SWITCH, |is_on: &mut bool, Switch { on }: Switch| {
            *is_on = on;
            if on { "on" } else { "off" }
        })
        .server();
    let (mut framer, mut output) = (Framer::<Lines, 4096>::new(), [0; 4096]);
    let (reader, writer) = (FromStd::new(stdin()), FromStd::new(stdout()));
    serve(reader, writer, &mut framer, &mut output, &mut server, &mut false)?;
    Ok(())
}
