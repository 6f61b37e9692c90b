//! Events that are replayed, against a model: streams that break at any byte, clients that reconnect with the id of their last event, and
//! servers that restart. A client receives each event once and in order; only a reported gap excuses a missing one.
#![cfg(all(feature = "http", feature = "embedded-io-async"))]

use nanojsonrpc::frame::{Event, Events, Framer};
use nanojsonrpc::http::{KEEP_ALIVE, Replay};

use crate::tasks::Random;

const LEN: usize = 160;

/// The newest of `messages` that fit a buffer of `LEN` bytes.
fn kept(messages: &[String]) -> usize {
    let mut len = 0;
    messages
        .iter()
        .rev()
        .take_while(|message| {
            len += message.len() + 2;
            len <= LEN
        })
        .count()
}

/// Compares the events behind random ids, some of them forged, with the model.
fn look_up(events: &Replay<LEN>, epoch: u32, messages: &[String], random: &mut Random) {
    let number = random.below(messages.len() as u64 + 3);
    let (last, seen) = match random.below(8) {
        0 => (None, Some(messages.len() as u64)),
        1 => (Some(format!("{}.{number}", epoch ^ 1)), None),
        2 => (Some(format!("{epoch}.0{number}")), None),
        3 => (Some(format!("{epoch}.{}", u64::MAX)), None),
        _ => (Some(format!("{epoch}.{number}")), Some(number).filter(|seen| *seen <= messages.len() as u64)),
    };
    let missed = events.after(last.as_deref().map(str::as_bytes));
    let (first, wanted) = (messages.len() - kept(messages), seen.unwrap_or(0) as usize);
    assert_eq!(missed.has_gap(), seen.is_none() || wanted < first, "{last:?}");
    let got: Vec<_> = missed.map(|event| (event.id.text().as_ref().to_vec(), event.data.to_vec())).collect();
    let expected = (wanted.max(first)..messages.len())
        .map(|index| (format!("{epoch}.{}", index + 1).into_bytes(), messages[index].clone().into_bytes()));
    assert!(got.into_iter().eq(expected), "{last:?}");
}

/// The bytes of an event, with line ends of one of the three kinds.
fn text(event: &Event<'_>, line_end: &str) -> Vec<u8> {
    let mut out = [0; 256];
    let len = event.encode(&mut out).expect("room");
    str::from_utf8(&out[..len]).expect("UTF-8").replace('\n', line_end).into_bytes()
}

fn run(seed: u64) {
    let mut random = Random::new(seed);
    let mut epoch = u32::try_from(random.below(3)).unwrap() * (u32::MAX / 2);
    let (mut events, mut messages) = (Replay::<LEN>::new(epoch), Vec::<String>::new());
    let (mut framer, mut received, mut first) = (Framer::<Events, 64>::new(), Vec::new(), 0);
    let restart = random.below(16);
    for connection in 0..8 {
        let is_last = connection == 7;
        if connection == restart {
            epoch += 1;
            events = Replay::new(epoch);
            messages.clear();
        }
        let last = framer.frame().last_event_id().to_vec();
        // the end of the stream is no event
        assert!(random.below(2) == 0 || framer.finish().is_none_or(|event| event.is_err()));
        framer.clear();
        let missed = events.after(if last.is_empty() { None } else { Some(&last) });
        if last.is_empty() {
            first = messages.len();
        } else if missed.has_gap() {
            // the client requests the whole state
            first = messages.len() - kept(&messages);
            received.clear();
        }
        let line_end = ["\n", "\r\n", "\r"][random.below(3) as usize];
        // a comment and an empty line: they must not end an event that the last stream began
        let mut wire = if random.below(2) == 0 { KEEP_ALIVE.to_vec() } else { Vec::new() };
        for event in missed {
            wire.extend(text(&Event { event: b"", id: event.id.text().as_ref(), data: event.data }, line_end));
        }
        for _ in 0..random.below(6) {
            let long = "y".repeat(random.below(40) as usize);
            let message = format!("{}{}{long}", messages.len(), ["", "\n"][random.below(2) as usize]);
            let id = events.push(message.as_bytes()).expect("room");
            assert_eq!(id.text().as_ref(), format!("{epoch}.{}", messages.len() + 1).as_bytes());
            wire.extend(text(&Event { event: b"", id: id.text().as_ref(), data: message.as_bytes() }, line_end));
            wire.extend(if random.below(4) == 0 { KEEP_ALIVE } else { b"" });
            messages.push(message);
            look_up(&events, epoch, &messages, &mut random);
        }
        if !is_last {
            wire.truncate(random.below(wire.len() as u64 * 5 / 4 + 1) as usize);
        }
        let mut rest = &wire[..];
        while !rest.is_empty() {
            let len = rest.len().min(1 + random.below(30) as usize);
            rest = &rest[framer.push(&rest[..len])..];
            while let Some(event) = framer.next() {
                received.push(String::from_utf8(event.expect("whole").data.to_vec()).expect("UTF-8"));
            }
        }
        assert!(messages[first..].starts_with(&received), "{seed}: {received:?} of {:?}", &messages[first..]);
        assert!(
            !is_last || received.len() == messages.len() - first,
            "{seed}: {received:?} of {:?}",
            &messages[first..]
        );
    }
}

#[test]
fn a_client_that_reconnects_receives_each_event_once() {
    for seed in 0..if cfg!(miri) { 3 } else { 3000 } {
        run(seed);
    }
}
