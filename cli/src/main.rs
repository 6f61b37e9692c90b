//! `jrpc`: finds, calls, watches, checks and simulates JSON-RPC and MCP devices.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod address;
mod args;
mod bench;
mod bridge;
mod call;
mod check;
mod complete;
mod describe;
mod device;
mod disturb;
mod explain;
mod fault;
mod folders;
mod frames;
mod hub;
mod line;
mod list;
mod listen;
mod mock;
mod openrpc;
mod params;
mod peer;
mod print;
mod recording;
mod repl;
mod replay;
mod rules;
mod session;
mod stop;
mod tools;
mod user;
mod watch;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use tokio::runtime::Builder;

use args::{Arguments, Command};
use fault::Fault;

fn main() -> ExitCode {
    // answers the shell, and ends the program
    clap_complete::CompleteEnv::with_factory(Arguments::command).complete();
    let arguments = Arguments::parse();
    let runtime = match &arguments.command {
        Command::Hub(_) => Builder::new_multi_thread().enable_all().build(),
        _ => Builder::new_current_thread().enable_all().build(),
    };
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
            if !matches!(fault, Fault::Unread | Fault::Refused) {
                print::say(format_args!("jrpc: {fault}"));
            }
            ExitCode::from(fault.status())
        }
    }
}

async fn run(command: &Command) -> Result<(), Fault> {
    match command {
        Command::Bench(bench) => bench.run().await,
        Command::Call(call) => call.run().await,
        Command::List(list) => list.run().await,
        Command::Man { command } => manual(command.as_deref()),
        Command::Repl(repl) => repl.run().await,
        Command::Replay(replay) => replay.run().await,
        Command::Watch(watch) => watch.run().await,
        Command::Bridge(bridge) => bridge.run().await,
        Command::Hub(hub) => hub.run().await,
        Command::Mock(mock) => mock.run().await,
        Command::Check(check) => check.run().await,
        Command::Explain(explain) => explain.run().await,
    }
}

/// The manual page of a command in the format of `man`.
fn manual(name: Option<&str>) -> Result<(), Fault> {
    let mut whole = Arguments::command();
    whole.build();
    let command = match name {
        None => Some(&whole),
        Some(name) => whole.find_subcommand(name),
    };
    let command = command.ok_or_else(|| Fault::usage("there is no such command"))?.clone();
    let page = clap_mangen::Man::new(command);
    page.render(&mut std::io::stdout().lock()).map_err(|error| Fault::file("standard output", &error))
}
