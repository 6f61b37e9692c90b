//! The connection of a device, and its state.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use futures_util::StreamExt as _;
use nanojsonrpc_tokio::Transport;
use tokio::sync::{Notify, watch};

use crate::peer::Peer;
use crate::print::say;

/// Whether there is a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// The first attempt has no outcome yet.
    Connecting,
    Up,
    /// Why.
    Down(String),
    /// This program is not to connect: another hub does.
    Elsewhere,
}

/// What an attempt to connect tells.
pub(super) struct Link {
    pub(super) name: String,
    /// The tools are to be listed.
    pub(super) begun: Notify,
    /// Whether the connection is one without a handshake yet.
    pub(super) is_new: AtomicBool,
    /// The first attempt has failed, or its tools are listed.
    pub(super) tried: watch::Sender<bool>,
    /// With its time.
    pub(super) state: watch::Sender<(State, SystemTime)>,
    /// Whether this program is to connect.
    pub(super) is_wanted: watch::Sender<bool>,
}

impl Link {
    fn set(&self, state: State) {
        self.state.send_if_modified(|now| {
            let is_new = now.0 != state;
            if is_new {
                *now = (state, SystemTime::now());
            }
            is_new
        });
    }
}

/// Tells the end of a connection.
struct Connected(Arc<Link>);

impl Drop for Connected {
    fn drop(&mut self) {
        let is_wanted = *self.0.is_wanted.borrow();
        self.0.set(if is_wanted { State::Down("the connection has ended".to_owned()) } else { State::Elsewhere });
    }
}

/// Opens the connection as soon as it is wanted, and says how that ends.
pub(super) async fn open(peer: Peer, link: Arc<Link>) -> std::io::Result<impl Transport> {
    let mut wanted = link.is_wanted.subscribe();
    if !*wanted.borrow() {
        link.set(State::Elsewhere);
        // the link keeps the sender
        _ = wanted.wait_for(|wanted| *wanted).await;
        link.set(State::Connecting);
    }
    match peer.open().await {
        Ok(transport) => {
            if matches!(link.state.borrow().0, State::Down(_)) {
                say(format_args!("{}: connected", link.name));
            }
            link.set(State::Up);
            link.is_new.store(true, Ordering::Relaxed);
            link.begun.notify_one();
            let end = async move {
                let _connected = Connected(link);
                _ = wanted.wait_for(|wanted| !*wanted).await;
            };
            Ok(transport.take_until(Box::pin(end)))
        }
        Err(fault) => {
            let fault = fault.to_string();
            if !matches!(&link.state.borrow().0, State::Down(last) if *last == fault) {
                say(format_args!("{}: {fault}", link.name));
            }
            link.set(State::Down(fault.clone()));
            link.tried.send_replace(true);
            Err(std::io::Error::other(fault))
        }
    }
}
