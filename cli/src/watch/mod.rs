//! `jrpc watch`: the texts of a device, or of the sessions that clients have with it through this program.

mod printer;
mod relay;

use std::path::PathBuf;
use std::pin::pin;

use clap::Args;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::address::Address;
use crate::args::{PeerOptions, Timeout};
use crate::fault::Fault;
use crate::peer::Peer;
use crate::stop::stop;
use printer::{Glob, Kind, Printer};
use relay::{GRACE, Listener};

/// Print what a device sends, one line for each message
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    jrpc watch serial:///dev/ttyACM0 --kind notification,unreadable\n  \
    jrpc watch lamp --method 'lamp.*' --method '!lamp.tick' --count 10\n  \
    jrpc watch lamp --listen tcp://127.0.0.1:4000 --record session.jsonl")]
pub(crate) struct Watch {
    /// An address, or a name of the file of peers
    peer: String,
    /// Pass texts on between clients that connect here and the device, unchanged, and print both: tcp://HOST:PORT or unix:PATH
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<Address>,
    /// Print messages of these methods alone; with ! in front, all but these; answers have the method of their call
    #[arg(long = "method", value_name = "GLOB")]
    methods: Vec<Glob>,
    /// Print messages of these kinds alone
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',')]
    kinds: Vec<Kind>,
    /// Append all texts to a file, printed or not
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// End after so many lines
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// End after this time
    #[arg(long = "for", value_name = "TIME")]
    time: Option<Timeout>,
    /// Connect again to a device that is not there, with growing waits
    #[arg(long)]
    reconnect: bool,
    #[command(flatten)]
    options: PeerOptions,
}

/// The texts that wait to be printed.
const REPORTS: usize = 64;

impl Watch {
    pub(crate) async fn run(&self) -> Result<(), Fault> {
        let peer = Peer::find(&self.peer, &self.options)?;
        let mut printer = Printer::new(self)?;
        let listener = self.listen.as_ref().map(Listener::bind);
        let listener = match listener {
            Some(binding) => Some(binding.await?),
            None => None,
        };
        let (reports, mut received) = mpsc::channel(REPORTS);
        let printing = async {
            let mut stop = pin!(stop(self.time));
            let is_done = loop {
                let report = tokio::select! {
                    report = received.recv() => report,
                    () = &mut stop => break true,
                };
                match report {
                    Some(report) if printer.print(&report)? => {}
                    report => break report.is_some(),
                }
            };
            // texts on their way still arrive
            received.close();
            Ok::<_, Fault>(is_done)
        };
        let source = async {
            match &listener {
                Some(listener) => relay::serve(&peer, listener, self.reconnect, reports).await,
                None => relay::listen(&peer, self.reconnect, reports).await,
            }
        };
        let (mut printing, mut source) = (pin!(printing), pin!(source));
        tokio::select! {
            // what has come is printed before anything is said about the device
            biased;
            printed = &mut printing => {
                printed?;
                // late, or the device is lost at the same time
                _ = timeout(GRACE, source).await;
                Ok(())
            }
            // what has come before is still printed
            ended = &mut source => if printing.await? { Ok(()) } else { ended },
        }
    }
}
