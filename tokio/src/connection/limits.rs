//! The limits of time and of speed.

use std::future::Future as _;
use std::pin::Pin;
use std::task::Context;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::Options;

/// The time for a peer to receive the last answers, and to close its end.
const LINGER: Duration = Duration::from_secs(2);
/// The time in which a peer must read something, unless there is an idle time.
const STALL: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct Limits {
    idle: Option<(Duration, Pin<Box<Sleep>>)>,
    rate: Option<Rate>,
    linger: Option<Pin<Box<Sleep>>>,
    /// The greatest time in which the peer takes no text, and the number of texts that it had taken when the time began.
    patience: Duration,
    stalled: Option<(u64, Pin<Box<Sleep>>)>,
}

#[derive(Debug)]
struct Rate {
    bytes: u64,
    /// When the bytes read so far are paid for.
    paid: Instant,
    wait: Pin<Box<Sleep>>,
}

impl Limits {
    pub(super) fn new(options: &Options) -> Self {
        let now = Instant::now();
        let wait = |time| Box::pin(sleep_until(time));
        Self {
            idle: options.idle.map(|idle| (idle, wait(now + idle))),
            rate: options.rate.map(|bytes| Rate { bytes, paid: now, wait: wait(now) }),
            linger: None,
            patience: options.idle.unwrap_or(STALL),
            stalled: None,
        }
    }

    /// Counts a received text.
    pub(super) fn count(&mut self, len: usize) {
        if let Some((idle, wait)) = &mut self.idle {
            wait.as_mut().reset(Instant::now() + *idle);
        }
        if let Some(rate) = &mut self.rate {
            let now = Instant::now();
            let nanos = (len as u128).saturating_mul(1_000_000_000) / u128::from(rate.bytes);
            let cost = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
            // one second may be used in advance
            rate.paid = rate.paid.max(now) + cost;
            let from = rate.paid.checked_sub(Duration::from_secs(1)).unwrap_or(now);
            rate.wait.as_mut().reset(from.max(now));
        }
    }

    /// Whether the next text may be read; otherwise wakes the task when it may.
    pub(super) fn poll_may_read(&mut self, task: &mut Context<'_>) -> bool {
        self.rate.as_mut().is_none_or(|rate| {
            rate.paid <= Instant::now() + Duration::from_secs(1) || rate.wait.as_mut().poll(task).is_ready()
        })
    }

    pub(super) fn poll_is_idle(&mut self, task: &mut Context<'_>) -> bool {
        self.idle.as_mut().is_some_and(|(_, wait)| wait.as_mut().poll(task).is_ready())
    }

    /// Whether the peer reads nothing for too long. `sent` is the number of texts that it has taken.
    pub(super) fn poll_has_stalled(&mut self, is_stuck: bool, sent: u64, task: &mut Context<'_>) -> bool {
        if !is_stuck {
            self.stalled = None;
            return false;
        }
        if self.stalled.as_ref().is_none_or(|(before, _)| *before != sent) {
            self.stalled = Some((sent, Box::pin(tokio::time::sleep(self.patience))));
        }
        self.stalled.as_mut().is_some_and(|(_, wait)| wait.as_mut().poll(task).is_ready())
    }

    pub(super) fn poll_may_linger(&mut self, task: &mut Context<'_>) -> bool {
        let wait = self.linger.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + LINGER)));
        wait.as_mut().poll(task).is_pending()
    }
}
