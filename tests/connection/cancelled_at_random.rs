//! Futures that are dropped at random, over a stream that waits, interrupts, passes parts and fails at random: each request is
//! answered once and in order, and each message on the wire is whole, unless the output broke.
#![cfg(all(feature = "serde", feature = "embedded-io-async"))]

use core::cell::RefCell;
use core::pin::pin;
use core::task::Poll;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use nanojsonrpc::connection::{CallError, Connection, ConnectionError};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::memory::PipeError;
use nanojsonrpc::server::{AsyncRoutes, Event, Observer};
use nanojsonrpc::{Envelope, ErrorObject, Notification, Router, Server, Writer};

use crate::tasks::{Half, Random, Wire, poll, run, wait};

/// The first id of `Connection::call`.
const FIRST: u64 = 1 << 52;

/// The ids of requests whose handlers were called, and of responses to no call that waits.
#[derive(Clone, Default)]
struct Log(Rc<RefCell<(Vec<u64>, Vec<u64>)>>);

async fn slow(log: &mut Log, (id,): (u64,)) -> Result<u64, ErrorObject<'static>> {
    log.0.borrow_mut().0.push(id);
    for _ in 0..id % 23 {
        wait().await;
    }
    Ok(id)
}

fn server() -> Server<impl AsyncRoutes<Log> + Clone, impl Observer<Log> + Clone> {
    let router = Router::new()
        .request("fast", |log: &mut Log, (id,): (u64,)| {
            log.0.borrow_mut().0.push(id);
            Ok(id)
        })
        .request_async("slow", slow)
        .response(|log: &mut Log, response: &Envelope<'_>| {
            log.0.borrow_mut().1.push(response.id().unwrap().as_i64().unwrap().unsigned_abs());
        });
    Server::new(router).observed_by(|_: &mut Log, event: Event<'_>| match event {
        // the stream fails
        Event::AnswerUnsent(_) => {}
        event => panic!("{event}"),
    })
}

fn request(id: u64) -> String {
    let method = if id.is_multiple_of(3) { "fast" } else { "slow" };
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":[{id}],\"id\":{id}}}\n")
}

/// The peer: the bytes that it has sent, and the bytes that have reached it.
#[derive(Default)]
struct Peer {
    requests: BTreeSet<u64>,
    answers: Vec<u64>,
    notes: Vec<u64>,
    /// Calls that are not answered yet.
    calls: VecDeque<u64>,
    responses: BTreeSet<u64>,
    /// The bytes behind the last whole message.
    part: String,
}

impl Peer {
    /// Receives the flushed bytes.
    fn receive(&mut self, wire: &mut Wire) {
        self.part += &wire.take();
        while let Some((line, rest)) = self.part.split_once('\n') {
            let value: serde_json::Value = serde_json::from_str(line).expect("a whole message");
            let id = value["id"].as_u64();
            match (value["method"].as_str(), value["result"].as_u64()) {
                (Some("note"), None) => self.notes.push(value["params"][0].as_u64().unwrap()),
                (Some("double"), None) => self.calls.push_back(id.unwrap()),
                (None, Some(result)) if id == Some(result) => self.answers.push(result),
                _ => panic!("{line}"),
            }
            self.part = rest.to_owned();
        }
    }

    /// Sends a few messages.
    fn send(&mut self, wire: &mut Wire, random: &mut Random, next: &mut u64) {
        for _ in 0..random.below(3) {
            self.requests.insert(*next);
            wire.incoming.extend(request(*next).bytes());
            *next += 1;
        }
        while random.below(2) == 0 {
            let Some(id) = self.calls.pop_front() else { return };
            self.responses.insert(id);
            let response = format!("{{\"jsonrpc\":\"2.0\",\"result\":{},\"id\":{id}}}\n", (id - FIRST) * 2);
            wire.incoming.extend(response.bytes());
        }
    }
}

type Failed = ConnectionError<PipeError, PipeError>;

/// Polls a few times, then drops the future.
fn attempt<T>(random: &mut Random, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    for _ in 0..random.below(12) {
        if let Poll::Ready(output) = poll(future.as_mut()) {
            return Some(output);
        }
    }
    None
}

/// A run with one seed. Of so many operations of the stream, one fails; 0 for none.
fn one_after_the_other(seed: u64, fails: u64) {
    let wire = Wire::new("");
    wire.borrow_mut().random = Some((Random::new(seed), fails));
    let mut random = Random::new(seed ^ 0xffff);
    let (mut framer, mut output, mut server, mut log) =
        (Framer::<Lines, 96>::new(), [0; 128], server(), Log::default());
    let mut connection = Connection::new(Half(&wire), Half(&wire), &mut framer, &mut output);
    let (mut next, mut note) = (0, 0);
    let (mut peer, mut excused, mut sent) = (Peer::default(), BTreeSet::new(), BTreeSet::new());
    let (mut called, mut lost_calls) = (BTreeSet::new(), 0);
    for step in 0..80 {
        let is_last = step % 20 == 19;
        if is_last {
            wire.borrow_mut().random = None;
        }
        peer.send(&mut wire.borrow_mut(), &mut random, &mut next);
        if random.below(10) == 0 {
            // another connection on the same stream
            connection = Connection::new(Half(&wire), Half(&wire), &mut framer, &mut output);
        }
        let action = if is_last { 9 } else { random.below(8) };
        let ended: Option<Result<(), Failed>> = match action {
            0..3 => attempt(&mut random, connection.read_async()).map(|read| read.map(|_| ())),
            3..5 => attempt(&mut random, connection.answer_async(&mut server, &mut log)),
            5 => {
                note += 1;
                let sending =
                    attempt(&mut random, connection.send_async(&Notification::new("note").with_params(&[note])));
                if sending == Some(Ok(())) {
                    sent.insert(note);
                }
                sending
            }
            6 => {
                note += 2;
                let text = [note - 1, note]
                    .map(|note| format!("{{\"jsonrpc\":\"2.0\",\"method\":\"note\",\"params\":[{note}]}}"))
                    .concat();
                let sending = attempt(&mut random, connection.send_text_async(text.as_bytes()));
                if sending == Some(Ok(())) {
                    sent.extend([note - 1, note]);
                }
                sending
            }
            7 => {
                let mut peer = connection.peer_async(&mut server, &mut log);
                let call = peer.call_async::<u64>("double", &());
                let outcome = attempt(&mut random, call);
                match outcome {
                    Some(Ok(result)) => {
                        called.insert(FIRST + result / 2);
                        Some(Ok(()))
                    }
                    Some(Err(CallError::Connection(error))) => {
                        lost_calls += 1;
                        Some(Err(error))
                    }
                    Some(Err(error)) => panic!("{error}"),
                    None => {
                        lost_calls += 1;
                        None
                    }
                }
            }
            _ => loop {
                // everything that has come
                if let Err(error) = run(connection.answer_async(&mut server, &mut log)) {
                    break Some(Err(error));
                }
                match attempt(&mut Random::new(0), async { poll(pin!(connection.read_async())) }) {
                    Some(Poll::Ready(read)) => assert_eq!(read, Ok(true)),
                    Some(Poll::Pending) => break Some(Ok(())),
                    None => {}
                }
            },
        };
        if ended != Some(Ok(())) && matches!(action, 3 | 4 | 7) {
            // of a request whose handler or answer was dropped
            excused.extend(log.0.borrow().0.last().copied());
        }
        peer.receive(&mut wire.borrow_mut());
        if ended == Some(Err(ConnectionError::OutputBroken)) {
            // no byte follows a part of a message: a new stream
            let mut wire = wire.borrow_mut();
            let unflushed = core::mem::take(&mut wire.unflushed);
            peer.part += str::from_utf8(&unflushed).unwrap();
            assert!(!peer.part.contains('\n'), "{seed}: whole messages were not flushed: {}", peer.part);
            peer = Peer { answers: core::mem::take(&mut peer.answers), ..Peer::default() };
            wire.incoming.clear();
            connection.reset();
            (excused, sent, called, lost_calls) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), 0);
            log.0.borrow_mut().1.clear();
        } else if is_last {
            assert_eq!((peer.part.as_str(), wire.borrow().unflushed.len()), ("", 0), "{seed}");
            let answered: BTreeSet<_> = peer.answers.iter().copied().collect();
            let missing: Vec<_> =
                peer.requests.iter().filter(|id| !answered.contains(id) && !excused.contains(id)).collect();
            assert!(missing.is_empty(), "{seed}: {missing:?} are not answered");
            assert!(sent.iter().all(|note| peer.notes.contains(note)), "{seed}: a message was not sent");
            // each response ended its call, or went to the server, or its call was dropped
            let unexpected: BTreeSet<_> = log.0.borrow().1.iter().copied().collect();
            assert!(unexpected.is_disjoint(&called), "{seed}");
            let lost = peer.responses.iter().filter(|id| !unexpected.contains(id) && !called.contains(id)).count();
            assert!(lost <= lost_calls, "{seed}: {lost} responses are lost");
        }
        assert!(peer.notes.is_sorted_by(|one, other| one < other), "{seed}: {:?}", peer.notes);
        assert!(peer.answers.is_sorted_by(|one, other| one < other), "{seed}: {:?}", peer.answers);
        assert!(log.0.borrow().0.is_sorted_by(|one, other| one < other), "{seed}: a handler was called twice");
        if is_last {
            wire.borrow_mut().random = Some((Random::new(seed.wrapping_add(step)), fails));
        }
    }
}

/// How many seeds: `NANOJSONRPC_SEEDS` in place of the default.
fn seeds() -> u64 {
    let seeds = std::env::var("NANOJSONRPC_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    seeds.unwrap_or(if cfg!(miri) { 2 } else { 300 })
}

#[test]
fn nothing_is_lost_twice_or_in_part_when_futures_are_dropped() {
    for seed in 0..seeds() {
        one_after_the_other(seed, 0);
    }
}

#[test]
fn nothing_is_lost_twice_or_in_part_when_futures_are_dropped_and_the_stream_fails() {
    for seed in 0..seeds() {
        one_after_the_other(seed, 60);
    }
}

/// A run of handlers side by side with one seed.
fn side_by_side(seed: u64, fails: u64) {
    let wire = Wire::new("");
    wire.borrow_mut().random = Some((Random::new(seed), fails));
    let mut random = Random::new(seed ^ 0xffff);
    let (mut framer, mut output, mut server, mut log) =
        (Framer::<Lines, 96>::new(), [0; 128], server(), Log::default());
    let mut connection = Connection::new(Half(&wire), Half(&wire), &mut framer, &mut output);
    let (mut next, mut news, mut peer) = (0, 0, Peer::default());
    // the calls that were dropped with their handlers, and how many that waited for a slot may have been
    let (mut excused, mut held) = (BTreeSet::<u64>::new(), 0);
    for step in 0..20 {
        let is_last = step % 5 == 4;
        if is_last {
            wire.borrow_mut().random = None;
        }
        let pending = core::cell::Cell::new(random.below(4));
        let mut queue_random = Random::new(random.below(1 << 40));
        let queue = async |out: &mut Writer<'_>| {
            while pending.get() == 0 || queue_random.below(3) == 0 {
                wait().await;
            }
            pending.set(pending.get() - 1);
            news += 1;
            out.message(&Notification::<64>::new("note").with_params(&[news]))
        };
        let ended = {
            let serving = connection.concurrent::<2, 96, 128>().queued_by(queue).serve(&mut server, &mut log);
            let mut serving = pin!(serving);
            let mut ended = None;
            for _ in 0..if is_last { 400 } else { random.below(60) } {
                if !is_last && random.below(3) == 0 {
                    peer.send(&mut wire.borrow_mut(), &mut random, &mut next);
                }
                if let Poll::Ready(output) = poll(serving.as_mut()) {
                    ended = Some(output);
                    break;
                }
            }
            ended
        };
        peer.receive(&mut wire.borrow_mut());
        let started: BTreeSet<_> = log.0.borrow().0.iter().copied().collect();
        assert_eq!(started.len(), log.0.borrow().0.len(), "{seed}: a handler was called twice");
        if !is_last {
            // the handlers that wait are dropped with the future, and so is a call that waits for a slot
            excused.extend(started.iter().filter(|id| !peer.answers.contains(id)));
            held += 1;
        }
        wire.borrow_mut().random = None;
        // sends nothing, but flushes
        connection.send_text(b"").unwrap();
        peer.receive(&mut wire.borrow_mut());
        let answered: BTreeSet<_> = peer.answers.iter().copied().collect();
        assert_eq!(answered.len(), peer.answers.len(), "{seed}: a call was answered twice");
        assert!(peer.notes.is_sorted_by(|one, other| one < other), "{seed}: {:?}", peer.notes);
        if run(connection.answer_async(&mut server, &mut log)) == Err(ConnectionError::OutputBroken) {
            assert!(!peer.part.contains('\n'), "{seed}: {}", peer.part);
            let mut wire = wire.borrow_mut();
            wire.incoming.clear();
            wire.unflushed.clear();
            connection.reset();
            (peer, excused, held) = (Peer::default(), BTreeSet::new(), 0);
        } else if is_last {
            assert!(matches!(ended, None | Some(Err(_))), "{seed}: {ended:?}");
            assert_eq!((peer.part.as_str(), wire.borrow().unflushed.len()), ("", 0), "{seed}");
            let missing = peer.requests.iter().filter(|id| !answered.contains(id) && !excused.contains(id)).count();
            assert!(missing <= held, "{seed}: {missing} calls are not answered");
        }
        wire.borrow_mut().random = Some((Random::new(seed.wrapping_add(step)), fails));
    }
}

#[test]
fn nothing_is_lost_twice_or_in_part_when_handlers_side_by_side_are_dropped() {
    for seed in 0..seeds() {
        side_by_side(seed, 0);
        side_by_side(seed, 60);
    }
}
