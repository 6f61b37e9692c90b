//! `jrpc`: finds, calls, watches, checks and simulates JSON-RPC and MCP devices.

mod address;
mod args;
mod call;
mod fault;
mod frames;
mod line;
mod params;
mod peer;
mod print;
mod recording;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Arguments, Command};
use fault::Fault;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => {
            let outcome = runtime.block_on(run(&arguments.command));
            // a thread that reads standard input may never end
            runtime.shutdown_background();
            outcome
        }
        Err(error) => Err(Fault::Connection(error.to_string())),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            if !matches!(fault, Fault::Refused) {
                print::say(format_args!("jrpc: {fault}"));
            }
            ExitCode::from(fault.status())
        }
    }
}

async fn run(command: &Command) -> Result<(), Fault> {
    match command {
        Command::Call(call) => call.run().await,
    }
}
