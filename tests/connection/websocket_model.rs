//! A WebSocket with handlers side by side against a model: fragments with control frames between them, floods of pings, a close in the
//! middle of a message, streams that pass a byte at a time, and futures that are dropped anywhere. No frame is lost, doubled or mixed with
//! another one, and none follows a close.
#![cfg(all(feature = "websocket", feature = "embedded-io-async", feature = "serde"))]

use core::cell::{Cell, RefCell};
use core::pin::pin;
use core::task::Poll;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use nanojsonrpc::connection::{Connection, ConnectionError};
use nanojsonrpc::frame::{Framer, WebSocket};
use nanojsonrpc::{ErrorObject, Notification, Router, Server, Writer};
use serde_json::{Value, json};

use crate::tasks::{Half, Random, Wire, poll, wait};
use crate::websocket::client_frame;

const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;
const PONG: u8 = 0x8A;

/// The ids of the called handlers.
type Log = Rc<RefCell<Vec<u64>>>;

async fn slow(log: &mut Log, (id,): (u64,)) -> Result<u64, ErrorObject<'static>> {
    log.borrow_mut().push(id);
    for _ in 0..id * 7 % 23 {
        wait().await;
    }
    Ok(id)
}

/// What the peer has sent.
#[derive(Default)]
struct Peer {
    /// The ids of the calls, and whether the handler waits.
    calls: BTreeMap<u64, bool>,
    pings: VecDeque<Vec<u8>>,
    /// The other fragments of a message.
    fragments: VecDeque<Vec<u8>>,
    close: Option<u16>,
}

impl Peer {
    /// The next frames.
    fn next(&mut self, random: &mut Random) -> Vec<u8> {
        match random.below(16) {
            0 => {
                self.close = Some([1000, 4001][random.below(2) as usize]);
                client_frame(CLOSE, &self.close.unwrap_or_default().to_be_bytes())
            }
            1 => client_frame(PONG, b"unrequested"),
            2..5 => {
                let count = if random.below(8) == 0 { 20 } else { 1 };
                let pings = (0..count).map(|_| {
                    let mut ping = self.pings.len().to_string().into_bytes();
                    ping.resize(ping.len() + random.below(80) as usize, b'.');
                    self.pings.push_back(ping.clone());
                    client_frame(PING, &ping)
                });
                pings.collect::<Vec<_>>().concat()
            }
            _ => match self.fragments.pop_front() {
                Some(next) => client_frame(if self.fragments.is_empty() { 0x80 } else { 0 }, &next),
                None => self.message(random),
            },
        }
    }

    /// The first frame of a call or a batch.
    fn message(&mut self, random: &mut Random) -> Vec<u8> {
        let mut call = |method: &str| {
            let id = self.calls.len() as u64;
            self.calls.insert(id, method == "slow");
            json!({"jsonrpc": "2.0", "method": method, "params": [id], "id": id})
        };
        let message = match random.below(4) {
            0 => json!([call("slow"), call("fast")]),
            1 => call("fast"),
            _ => call("slow"),
        };
        let text = message.to_string().into_bytes();
        let mut parts = text.chunks(text.len().div_ceil(1 + random.below(4) as usize)).map(<[u8]>::to_vec);
        let first = parts.next().unwrap_or_default();
        self.fragments.extend(parts);
        client_frame(if self.fragments.is_empty() { 0x81 } else { 0x01 }, &first)
    }
}

/// The first bytes and the payloads of the frames of a server, and the bytes behind the last whole one.
fn frames(mut bytes: &[u8]) -> (Vec<(u8, &[u8])>, &[u8]) {
    let mut frames = Vec::new();
    while let [first, len, rest @ ..] = bytes {
        let (len, rest) = match (len, rest) {
            (126, [high, low, rest @ ..]) => (u16::from_be_bytes([*high, *low]), rest),
            (..126, rest) => (u16::from(*len), rest),
            _ => break,
        };
        let Some((payload, rest)) = rest.split_at_checked(len.into()) else { break };
        frames.push((*first, payload));
        bytes = rest;
    }
    (frames, bytes)
}

/// A run with one seed. `drops`: whether futures are dropped.
fn run(seed: u64, drops: bool) {
    let wire = Wire::new("");
    wire.borrow_mut().random = Some((Random::new(seed), 0));
    let (mut random, mut peer, mut log) = (Random::new(seed ^ 0xffff), Peer::default(), Log::default());
    let mut server =
        Server::new(Router::new().request_async("slow", slow).request("fast", |log: &mut Log, (id,): (u64,)| {
            log.borrow_mut().push(id);
            Ok(id)
        }));
    let (mut framer, mut output) = (Framer::<WebSocket, 300>::new(), [0; 300]);
    let (waiting, sent) = (Cell::new(0), Cell::new(0));
    let mut left = 3 + random.below(40);
    let mut is_whole = true;
    let outcome = loop {
        let mut connection = Connection::new(Half(&wire), Half(&wire), &mut framer, &mut output);
        let queue = async |out: &mut Writer<'_>| {
            while waiting.get() == 0 {
                wait().await;
            }
            waiting.set(waiting.get() - 1);
            sent.set(sent.get() + 1);
            out.message(&Notification::<64>::new("note").with_params(&[sent.get()]))
        };
        let polls = if drops { random.below(60) } else { 50_000 };
        let mut serving = pin!(connection.concurrent::<3, 256, 256>().queued_by(queue).serve(&mut server, &mut log));
        let outcome = (0..polls).find_map(|_| {
            if peer.close.is_none() && (left != 0 || !peer.fragments.is_empty()) && random.below(2) == 0 {
                left = left.saturating_sub(1);
                let next = peer.next(&mut random);
                wire.borrow_mut().incoming.extend(next);
                waiting.set(waiting.get() + random.below(5) / 4);
            }
            wire.borrow_mut().has_ended = peer.close.is_none() && left == 0 && peer.fragments.is_empty();
            if let Poll::Ready(outcome) = poll(serving.as_mut()) { Some(outcome) } else { None }
        });
        match outcome {
            Some(outcome) => break outcome,
            None => assert!(drops, "{seed}: it does not end"),
        }
        is_whole = false;
    };
    let wire = wire.into_inner();
    let is_broken = outcome == Err(ConnectionError::OutputBroken);
    assert!(outcome.is_ok() || is_broken && drops, "{seed}: {outcome:?}");
    let bytes = [&wire.flushed[..], &wire.unflushed].concat();
    let (frames, part) = frames(&bytes);
    assert!(is_broken || part.is_empty() && wire.unflushed.is_empty(), "{seed}: {part:?}");
    let (mut answered, mut fast, mut notes, mut pings) = (BTreeSet::new(), Vec::new(), Vec::new(), peer.pings.iter());
    for (index, (first, payload)) in frames.iter().enumerate() {
        match *first {
            PONG => assert!(pings.any(|ping| ping == payload), "{seed}: a pong without a ping, or out of order"),
            CLOSE => {
                assert_eq!(peer.close.map(u16::to_be_bytes).as_ref().map(|code| &code[..]), Some(*payload), "{seed}");
                assert_eq!(index + 1, frames.len(), "{seed}: a frame behind the close");
            }
            first => {
                assert_eq!(first, 0x81, "{seed}");
                let message: Value = serde_json::from_slice(payload).expect("a whole message");
                if message["method"] == "note" {
                    notes.push(message["params"][0].as_u64());
                }
                for answer in message.as_array().unwrap_or(&vec![message.clone()]) {
                    let Some(id) = answer["id"].as_u64() else { continue };
                    assert_eq!(answer["result"], id, "{seed}");
                    assert!(answered.insert(id), "{seed}: {id} is answered twice");
                    fast.extend(Some(id).filter(|id| !peer.calls[id] && !message.is_array()));
                }
            }
        }
    }
    assert!(fast.is_sorted() && notes.is_sorted_by(|one, other| one < other), "{seed}: {fast:?} {notes:?}");
    let called: BTreeSet<_> = log.borrow().iter().copied().collect();
    assert_eq!(called.len(), log.borrow().len(), "{seed}: a handler was called twice");
    if is_whole {
        assert_eq!(pings.count(), 0, "{seed}: a ping has no pong");
        assert_eq!(frames.last().is_some_and(|(first, _)| *first == CLOSE), peer.close.is_some(), "{seed}");
        assert_eq!(notes.len() as u64, sent.get(), "{seed}");
        // a close drops the answers that are not written yet
        assert!(peer.close.is_some() || answered.len() == peer.calls.len(), "{seed}: {answered:?}");
    }
}

#[test]
fn frames_are_neither_lost_nor_doubled_nor_mixed() {
    for seed in 0..if cfg!(miri) { 2 } else { 600 } {
        run(seed, false);
        run(seed, true);
    }
}
