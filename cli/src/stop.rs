//! What ends a command that has no end of its own.

use std::future::pending;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

use crate::args::Timeout;

/// Longer than any program runs: a year.
const FOREVER: Duration = Duration::from_secs(31_536_000);

/// Ctrl-C, SIGTERM, or the end of `time`.
pub(crate) async fn stop(time: Option<Timeout>) {
    let signalled = async |kind| match signal(kind) {
        Ok(mut signal) => _ = signal.recv().await,
        Err(_) => pending().await,
    };
    tokio::select! {
        () = signalled(SignalKind::terminate()) => {}
        () = signalled(SignalKind::interrupt()) => {}
        () = sleep(time.map_or(FOREVER, |Timeout(time)| time)) => {}
    }
}
