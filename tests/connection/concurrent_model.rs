//! Handlers side by side against a model: random calls, batches, cancellations and refusals, over a stream that waits, interrupts and
//! passes parts. Each call is answered once, and only a call that was cancelled or refused gets no result.
#![cfg(all(feature = "serde", feature = "embedded-io-async"))]

use core::cell::{Cell, RefCell};
use core::future::poll_fn;
use core::pin::pin;
use core::task::Poll;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use nanojsonrpc::connection::{Cancellation, Connection};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::{ErrorObject, Notification, Router, Server, Writer};
use serde_json::{Value, json};

use crate::tasks::{Half, Random, Wire, poll, wait};

const BUSY: i64 = -32000;
const CANCELLED: i64 = -32800;

async fn slow(random: &mut Rc<RefCell<Random>>, (id,): (i64,)) -> Result<i64, ErrorObject<'static>> {
    let waits = random.borrow_mut().below(30);
    for _ in 0..waits {
        wait().await;
    }
    Ok(id)
}

/// The messages of the peer, and its knowledge of them.
#[derive(Default)]
struct Peer {
    /// The ids of the calls, and whether a call may be cancelled: its handler waits, and it is alone.
    calls: BTreeMap<i64, bool>,
    /// The ids for which a cancellation was sent, maybe after the answer.
    cancelled: BTreeSet<i64>,
    batches: usize,
}

impl Peer {
    fn call(&mut self, method: &str, is_alone: bool) -> Value {
        let id = i64::try_from(self.calls.len()).unwrap() + 1;
        self.calls.insert(id, method == "slow" && is_alone);
        json!({"jsonrpc": "2.0", "method": method, "params": [id], "id": id})
    }

    fn next(&mut self, random: &mut Random) -> Value {
        match random.below(8) {
            0..4 => self.call("slow", true),
            4 => self.call("fast", true),
            5 => {
                self.batches += 1;
                json!([self.call("slow", false), self.call("fast", false)])
            }
            choice => {
                let id = i64::try_from(random.below(self.calls.len() as u64 + 2)).unwrap();
                // an id of another kind names no call
                let spelled = match random.below(4) {
                    0 => json!(id.to_string()),
                    1 => Value::Null,
                    _ if choice == 6 => json!(id),
                    _ => json!(id as f64 + 0.5),
                };
                if spelled.is_i64() {
                    self.cancelled.insert(id);
                }
                json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": spelled}})
            }
        }
    }

    /// Compares the received text with the model.
    fn check(&self, text: &str, is_answering: bool, is_refusing: bool) {
        let (mut answered, mut batches) = (BTreeSet::new(), 0);
        let mut check = |answer: &Value| {
            let id = answer["id"].as_i64().expect("the id of a call");
            assert!(answered.insert(id), "{id} is answered twice");
            let may_be_cancelled = self.calls[&id] && self.cancelled.contains(&id);
            match answer["error"]["code"].as_i64() {
                None => assert_eq!(answer["result"], id),
                Some(BUSY) => assert!(is_refusing && self.calls[&id], "{answer}"),
                code => assert!(code == Some(CANCELLED) && is_answering && may_be_cancelled, "{answer}"),
            }
        };
        for line in text.lines() {
            match serde_json::from_str(line).expect("a whole message") {
                Value::Array(answers) => {
                    assert_eq!(answers.len(), 2);
                    answers.iter().for_each(&mut check);
                    batches += 1;
                }
                note if note["method"] == "note" => {}
                answer => check(&answer),
            }
        }
        assert_eq!(batches, self.batches);
        for (id, may_be_cancelled) in &self.calls {
            let is_excused = !is_answering && *may_be_cancelled && self.cancelled.contains(id);
            assert!(is_excused || answered.contains(id), "{id} is not answered");
        }
    }
}

/// A run with one seed. `is_answering`: whether a cancelled call gets an error; `is_refusing`: whether a call that finds no slot does;
/// `is_stopped`: whether the program ends it, not the peer.
fn run(seed: u64, is_answering: bool, is_refusing: bool, is_stopped: bool) {
    let wire = Wire::new("");
    wire.borrow_mut().random = Some((Random::new(seed), 0));
    let (mut random, mut peer) = (Random::new(seed ^ 0xffff), Peer::default());
    let mut server =
        Server::new(Router::new().request_async("slow", slow).request("fast", |_: &mut _, (id,): (i64,)| Ok(id)));
    let (mut framer, mut output) = (Framer::<Lines, 512>::new(), [0; 512]);
    let mut connection = Connection::new(Half(&wire), Half(&wire), &mut framer, &mut output);
    let (notes, stop) = (Cell::new(0u32), Cell::new(false));
    let queue = async |out: &mut Writer<'_>| {
        while notes.get() == 0 {
            wait().await;
        }
        notes.set(notes.get() - 1);
        out.message(&Notification::new("note"))
    };
    let cancellation =
        if is_answering { Cancellation::LANGUAGE_SERVER } else { Cancellation::new("$/cancelRequest", "id") };
    let mut serving = connection
        .concurrent::<2, 256, 256>()
        .cancelled_by(cancellation)
        .queued_by(queue)
        .until(poll_fn(|_| if stop.get() { Poll::Ready(()) } else { Poll::Pending }));
    if is_refusing {
        serving = serving.refusing(ErrorObject::new(BUSY, "Busy"));
    }
    let mut context = Rc::new(RefCell::new(Random::new(seed + 1)));
    let mut serving = pin!(serving.serve(&mut server, &mut context));
    let mut left = 3 + random.below(25);
    let outcome = (0..100_000).find_map(|_| {
        if left != 0 && random.below(3) == 0 {
            left -= 1;
            let message = peer.next(&mut random);
            wire.borrow_mut().incoming.extend(format!("{message}\n").bytes());
            notes.set(notes.get() + u32::from(random.below(5) == 0));
        }
        if left == 0 {
            wire.borrow_mut().has_ended = !is_stopped;
            stop.set(is_stopped && wire.borrow().incoming.is_empty());
        }
        if let Poll::Ready(outcome) = poll(serving.as_mut()) { Some(outcome) } else { None }
    });
    assert_eq!(outcome, Some(Ok(())), "it ends");
    assert!(wire.borrow().unflushed.is_empty());
    peer.check(&wire.borrow_mut().take(), is_answering, is_refusing);
}

#[test]
fn handlers_side_by_side_follow_the_model() {
    for seed in 0..if cfg!(miri) { 1 } else { 250 } {
        for options in 0..8 {
            let [is_answering, is_refusing, is_stopped] = [1, 2, 4].map(|bit| options & bit != 0);
            run(seed, is_answering, is_refusing, is_stopped);
        }
    }
}
