//! Prints how nanojsonrpc-tokio serves calls beside jsonrpsee and rmcp, as Markdown tables. `--write` puts them into docs/hosts.md.
//!
//! The server is a process of its own, `hosts serve NAME`, and so is this client; each runs on one thread. The candidates take turns in every
//! round on the same rotating calls, and every answer is compared. A ratio is the median of the rounds' ratios, so other load of the machine
//! affects all candidates alike. `--only websocket`, `http`, `memory` or `mcp` leaves the rest out.

mod calls;
mod load;
mod process;
mod serve;
mod table;

use std::error::Error;
use std::time::Duration;

use crate::calls::Peer;
use crate::load::{Round, latency, throughput};
use crate::process::Process;
use crate::table::{Table, median};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Rounds of a rate, and the time of each candidate in one.
const ROUNDS: usize = 21;
const SLOT: Duration = Duration::from_millis(150);
/// Rounds of a latency, and the time of each candidate in one.
const PACED_ROUNDS: usize = 15;
const PACED_SLOT: Duration = Duration::from_millis(400);
/// Idle connections, unless the limit of descriptors is lower.
const IDLE: u64 = 5_000;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    rlimit::increase_nofile_limit(u64::MAX)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    if let ["serve", name] = words[..] {
        let outcome = runtime.block_on(serve::serve(name));
        // a runtime that waits for standard input would not end
        runtime.shutdown_background();
        return outcome;
    }
    let only = words.iter().position(|word| *word == "--only").and_then(|at| words.get(at + 1));
    let is_wanted = |part: &str| only.is_none_or(|only| *only == part);
    let mut table = Table::default();
    runtime.block_on(async {
        if is_wanted("websocket") {
            rpc(&mut table, "WebSocket", "ws", &[1, 64, 1000]).await?;
        }
        if is_wanted("http") {
            rpc(&mut table, "HTTP", "http", &[1, 64, 1000]).await?;
        }
        if is_wanted("mcp") {
            mcp(&mut table, "MCP over stdio", "stdio", &["rmcp", "rmcp-pipes"]).await?;
            mcp(&mut table, "MCP over HTTP", "mcp", &["rmcp", "rmcp-json"]).await?;
        }
        if is_wanted("memory") {
            memory(&mut table).await?;
        }
        Ok::<_, Box<dyn Error + Send + Sync>>(())
    })?;
    print!("{table}");
    if words.contains(&"--write") {
        table.write()?;
    }
    Ok(())
}

/// A server in its process, and a client of it.
struct Candidate {
    name: String,
    process: Process,
    peer: Peer,
}

async fn candidates(transport: &str, names: &[&str]) -> Result<Vec<Candidate>> {
    let mut candidates = Vec::new();
    for name in names {
        let (process, peer) = calls::start(transport, name).await?;
        candidates.push(Candidate { name: (*name).to_owned(), process, peer });
    }
    Ok(candidates)
}

async fn rpc(table: &mut Table, title: &str, transport: &str, loads: &[usize]) -> Result<()> {
    let candidates = candidates(transport, &["ours", "jsonrpsee"]).await?;
    let mut slowest = f64::MAX;
    for load in loads {
        let rounds = rates(&candidates, *load).await?;
        if *load == 64 {
            slowest = rounds.iter().map(|own| median(own.iter().map(|round| round.rate))).fold(f64::MAX, f64::min);
        }
        table.rates(&format!("{title}, {load} in flight"), &names(&candidates), &rounds);
    }
    let mut times = vec![Vec::new(); candidates.len()];
    for round in 0..=PACED_ROUNDS {
        for turn in 0..candidates.len() {
            let at = (turn + round) % candidates.len();
            let measured = latency(&candidates[at].peer, slowest / 2.0, PACED_SLOT).await?;
            // the first round warms up
            if round > 0 {
                times[at].push(measured);
            }
        }
    }
    table.latencies(&format!("{title}, {:.0} calls/s", slowest / 2.0), &names(&candidates), &times);
    Ok(())
}

async fn mcp(table: &mut Table, title: &str, transport: &str, others: &[&str]) -> Result<()> {
    let candidates = candidates(transport, &[&["ours"], others].concat()).await?;
    for load in [1, 64] {
        let rounds = rates(&candidates, load).await?;
        table.rates(&format!("{title}, {load} in flight"), &names(&candidates), &rounds);
    }
    Ok(())
}

fn names(candidates: &[Candidate]) -> Vec<&str> {
    candidates.iter().map(|candidate| candidate.name.as_str()).collect()
}

/// The rounds of each candidate.
async fn rates(candidates: &[Candidate], in_flight: usize) -> Result<Vec<Vec<Round>>> {
    let mut rounds = vec![Vec::new(); candidates.len()];
    for round in 0..=ROUNDS {
        for turn in 0..candidates.len() {
            // the candidates take turns to be first
            let at = (turn + round) % candidates.len();
            let measured = throughput(&candidates[at].peer, &candidates[at].process, in_flight, SLOT).await?;
            if round > 0 {
                rounds[at].push(measured);
            }
        }
    }
    Ok(rounds)
}

/// The resident memory of fresh servers before and after many clients connect, each of which has made one call.
async fn memory(table: &mut Table) -> Result<()> {
    let count = IDLE.min(rlimit::getrlimit(rlimit::Resource::NOFILE)?.0.saturating_sub(100));
    let mut bytes = Vec::new();
    for name in ["ours", "jsonrpsee"] {
        let process = Process::start(&format!("ws-{name}"))?;
        let before = process.resident()?;
        let clients = load::idle(process.port, count).await?;
        bytes.push((process.resident()? - before) / count as f64);
        drop(clients);
    }
    table.memory(count, &["ours", "jsonrpsee"], &bytes);
    Ok(())
}
