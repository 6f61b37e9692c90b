//! The calling side: a refused call leaves the client as it was, and params are written once.

use std::cell::Cell;
use std::fmt::Debug;

use crate::cases::cases;
use crate::written_by::written_by;
use nanojsonrpc::client::{Answer, CallBatch, CallRefused, Client};
use nanojsonrpc::{Dialect, Envelope, Error, ErrorKind, ErrorObject, Id, RawValue, Request, ToJson, Writer};
use proptest::prelude::*;

fn id(json: &str) -> Id {
    Id::read(RawValue::parse(json.as_bytes()).expect("JSON")).expect("an id")
}

fn accept<T, const N: usize, const ID: usize>(client: &mut Client<T, N, ID>, id: &str) -> Answer<T> {
    let text = format!(r#"{{"jsonrpc":"2.0","result":0,"id":{id}}}"#);
    client.accept(&Envelope::parse(text.as_bytes()).expect("a response")).expect("a response")
}

/// The whole state of the client, except for the numbers of batches, which a refused one takes, too.
fn state<T: Debug, const N: usize, const ID: usize>(client: &Client<T, N, ID>) -> String {
    let parts = format!("{client:?}");
    parts.split("batch: ").map(|part| part.trim_start_matches(|digit: char| digit.is_ascii_digit())).collect()
}

#[test]
fn a_call_without_room_for_the_end_of_its_batch_changes_nothing() {
    let written = r#"[{"jsonrpc":"2.0","method":"m","id":"new"}"#;
    for room in written.len() - 3..=written.len() {
        let mut client: Client<char, 1> = Client::new();
        client.request(&Request::new(id("\"old\""), "m"), 'a', &mut Writer::new(&mut [0; 64])).expect("room");
        assert_eq!(accept(&mut client, "\"old\""), Answer::To('a'));
        let before = state(&client);
        let mut buffer = [0; 64];
        let mut out = Writer::new(&mut buffer[..room]);
        let refused = client.batch(&mut out).request(&Request::new(id("\"new\""), "m"), 'b');
        assert_eq!(refused.map_err(|refused| refused.error.kind()), Err(ErrorKind::OutputFull), "{room} bytes");
        assert_eq!(state(&client), before, "{room} bytes");
        assert_eq!(accept(&mut client, "\"new\""), Answer::Unknown, "{room} bytes");
        assert_eq!(accept(&mut client, "\"old\""), Answer::Duplicate, "{room} bytes");
    }
}

/// A tag that is neither `Clone` nor `Debug`: a lost tag cannot be replaced.
struct Only(u8);

#[test]
fn a_refused_call_is_an_error_of_a_handler() {
    fn handler(client: &mut Client<(), 0>) -> Result<i64, ErrorObject<'static>> {
        Ok(client.call("m", &(), (), &mut Writer::new(&mut [0; 64]))?)
    }
    let refused = handler(&mut Client::new()).unwrap_err();
    assert_eq!(refused.to_string(), "error -32603: too many calls in flight");
}

#[test]
fn a_refused_call_gives_the_tag_back() {
    let mut client: Client<Only, 1> = Client::new();
    let mut buffer = [0; 64];
    let mut out = Writer::new(&mut buffer);
    let own = Request::new(7, "m");
    let back = |refused: CallRefused<Only>| (refused.error.kind(), refused.tag.0);
    assert_eq!(client.call("", &(), Only(1), &mut out).map_err(back), Err((ErrorKind::InvalidMethod, 1)));
    assert_eq!(client.call("m", &[u64::MAX; 4], Only(2), &mut out).map_err(back), Err((ErrorKind::OutputFull, 2)));
    assert_eq!(
        client.request(&Request::new(Id::<64>::Null, "m"), Only(3), &mut out).map_err(back),
        Err((ErrorKind::InvalidId, 3))
    );
    assert_eq!(client.request(&own, Only(4), &mut out).map_err(back), Ok(()));
    assert_eq!(client.request(&own, Only(5), &mut out).map_err(back), Err((ErrorKind::IdInFlight, 5)));
    let full = Err((ErrorKind::TooManyCalls, 6));
    assert_eq!(client.call("m", &(), Only(6), &mut out).map_err(back), full);
    assert_eq!(client.until(9).call("m", &(), Only(6), &mut out).map_err(back), full);
    assert_eq!(client.until(9).request(&Request::new(8, "m"), Only(6), &mut out).map_err(back).err(), full.err());
    let mut batch = client.batch(&mut out);
    assert_eq!(batch.call("m", &(), Only(6)).map_err(back), full);
    assert_eq!(batch.request(&Request::new(8, "m"), Only(6)).map_err(back).err(), full.err());
    drop(batch);
    let mut single = Client::<Only, 1>::new().with_dialect(Dialect::JSON_RPC.with_max_batch(0));
    let refused = single.batch(&mut out).call("m", &(), Only(7)).map_err(back);
    assert_eq!(refused, Err((ErrorKind::BatchNotAllowed, 7)));
}

#[test]
fn a_refused_call_is_the_error_of_any_function() {
    fn ours(out: &mut Writer<'_>) -> Result<i64, nanojsonrpc::Error> {
        Ok(Client::<Only, 0>::new().call("m", &(), Only(1), out)?)
    }
    fn boxed(out: &mut Writer<'_>) -> Result<i64, Box<dyn core::error::Error + Send + Sync>> {
        Ok(Client::<Only, 0>::new().call("m", &(), Only(1), out)?)
    }
    let mut buffer = [0; 64];
    let out = &mut Writer::new(&mut buffer);
    assert_eq!(ours(out).unwrap_err().kind(), ErrorKind::TooManyCalls);
    assert_eq!(boxed(out).unwrap_err().to_string(), ours(out).unwrap_err().to_string());
    let refused = Client::<Only, 0>::new().call("m", &(), Only(1), out).unwrap_err();
    assert!(format!("{refused:?}").contains("TooManyCalls"), "{refused:?}");
}

/// Params that count how often they are serialized.
fn counted<'c, T: ToJson>(value: &'c T, count: &'c Cell<usize>) -> impl ToJson + 'c {
    written_by(move |place| {
        count.set(count.get() + 1);
        place.value(value)
    })
}

/// The ways to send a message with params: alone or in a batch, as a request or notification.
#[derive(Clone, Copy, Debug)]
enum Way {
    Call,
    CallUntil,
    Notify,
    BatchCall,
    BatchNotify,
}

impl Way {
    const ALL: [Self; 5] = [Self::Call, Self::CallUntil, Self::Notify, Self::BatchCall, Self::BatchNotify];

    fn send(self, client: &mut Client<char, 4>, params: &impl ToJson, out: &mut Writer<'_>) -> Result<(), Error> {
        match self {
            Self::Call => client.call("m", params, 'a', out).map(|_| ()).map_err(Error::from),
            Self::CallUntil => client.until(9).call("m", params, 'a', out).map(|_| ()).map_err(Error::from),
            Self::Notify => client.notify("m", params, out),
            Self::BatchCall => finished(client.batch(out), |batch| Ok(batch.call("m", params, 'a').map(|_| ())?)),
            Self::BatchNotify => finished(client.batch(out), |batch| batch.notify("m", params)),
        }
    }

    /// The message with these params, given as JSON.
    fn expected(self, params: &str) -> String {
        let params = if params == "null" { String::new() } else { format!(r#","params":{params}"#) };
        let id = if matches!(self, Self::Notify | Self::BatchNotify) { "" } else { r#","id":1"# };
        let message = format!(r#"{{"jsonrpc":"2.0","method":"m"{params}{id}}}"#);
        if matches!(self, Self::BatchCall | Self::BatchNotify) { format!("[{message}]") } else { message }
    }
}

/// Appends to the batch and finishes it.
fn finished<'c, 'w>(
    mut batch: CallBatch<'c, 'w, char, 4>,
    append: impl FnOnce(&mut CallBatch<'c, 'w, char, 4>) -> Result<(), Error>,
) -> Result<(), Error> {
    append(&mut batch)?;
    batch.finish();
    Ok(())
}

#[test]
fn params_are_written_once_and_need_no_more_room_than_they_take() {
    for json in ["null", "[]", "{}", "[1]", "[12]", "[1,2,3]", r#"{"text":"longer than the rest of the message"}"#] {
        let value = RawValue::parse(json.as_bytes()).expect("JSON");
        for way in Way::ALL {
            let expected = way.expected(json);
            for room in (0..=expected.len() + 20).step_by(if cfg!(miri) { 7 } else { 1 }) {
                let count = Cell::new(0);
                let mut buffer = [0; 256];
                let mut out = Writer::new(&mut buffer[..room]);
                let sent = way.send(&mut Client::new(), &counted(&value, &count), &mut out);
                if room < expected.len() {
                    let sent = sent.map_err(|error| error.kind());
                    assert_eq!(sent, Err(ErrorKind::OutputFull), "{way:?}: {expected} in {room}");
                    assert_eq!(out.written(), b"", "{way:?}: {expected} in {room}");
                    assert!(count.get() <= 1, "{way:?}: {expected} in {room}, written {} times", count.get());
                } else {
                    assert_eq!((sent, out.written()), (Ok(()), expected.as_bytes()), "{way:?} in {room}");
                    assert_eq!(count.get(), 1, "{way:?}: {expected} in {room}");
                }
            }
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn params_of_serde_are_serialized_once() {
    struct Counted(Cell<usize>);

    impl serde::Serialize for Counted {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.0.set(self.0.get() + 1);
            serializer.collect_seq([self.0.get()])
        }
    }

    for way in Way::ALL {
        let params = Counted(Cell::new(0));
        let mut buffer = [0; 64];
        let mut out = Writer::new(&mut buffer);
        assert_eq!(way.send(&mut Client::new(), &params, &mut out), Ok(()));
        // the value is the number of times that it was serialized
        assert_eq!(str::from_utf8(out.written()), Ok(&*way.expected("[1]")));
        assert_eq!(params.0.get(), 1, "{way:?}");
    }
}

/// A message to send: a notification, a call by number, or a call with an id of the caller's own.
#[derive(Clone, Debug)]
enum Sent {
    Notification { has_params: bool },
    Call { has_params: bool },
    Own(usize),
}

#[derive(Clone, Debug)]
enum Step {
    Alone { message: Sent, method: &'static str, room: usize, deadline: Option<u32> },
    Batch { messages: Vec<Sent>, room: usize, deadline: Option<u32>, is_finished: bool },
    Answer(usize),
    Cancel(usize),
    Expire(u32),
}

/// Ids of the caller's own, as JSON; two are too long for the client.
const OWN: [&str; 7] = ["\"a\"", "\"b\"", "2", "4.0", "-1", "\"longer than 8\"", "123456789.5"];

fn sent() -> impl Strategy<Value = Sent> {
    prop_oneof![
        1 => any::<bool>().prop_map(|has_params| Sent::Notification { has_params }),
        2 => any::<bool>().prop_map(|has_params| Sent::Call { has_params }),
        3 => (0..OWN.len()).prop_map(Sent::Own),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let deadline = || proptest::option::of(0..1_000u32);
    prop_oneof![
        4 => (sent(), prop_oneof![9 => Just("m"), 1 => Just("")], 28..64usize, deadline())
            .prop_map(|(message, method, room, deadline)| Step::Alone { message, method, room, deadline }),
        4 => (proptest::collection::vec(sent(), 1..5), 28..140usize, deadline(), any::<bool>())
            .prop_map(|(messages, room, deadline, is_finished)| Step::Batch { messages, room, deadline, is_finished }),
        3 => (0..OWN.len() + 8).prop_map(Step::Answer),
        1 => (0..OWN.len()).prop_map(Step::Cancel),
        1 => (0..1_000u32).prop_map(Step::Expire),
    ]
}

type Caller = Client<u32, 3, 8>;

const PARAMS: [i32; 2] = [1, 2];

/// Sends one message alone.
fn send(
    client: &mut Caller,
    message: &Sent,
    method: &str,
    deadline: Option<u32>,
    tag: u32,
    out: &mut Writer<'_>,
) -> Result<(), Error> {
    let own = |own: usize| Request::<'_>::new(id(OWN[own]), method);
    match (message, deadline) {
        (Sent::Notification { has_params: true }, _) => client.notify(method, &PARAMS, out)?,
        (Sent::Notification { has_params: false }, _) => client.notify(method, &(), out)?,
        (Sent::Call { has_params: true }, Some(at)) => client.until(at).call(method, &PARAMS, tag, out).map(|_| ())?,
        (Sent::Call { has_params: false }, Some(at)) => client.until(at).call(method, &(), tag, out).map(|_| ())?,
        (Sent::Call { has_params: true }, None) => client.call(method, &PARAMS, tag, out).map(|_| ())?,
        (Sent::Call { has_params: false }, None) => client.call(method, &(), tag, out).map(|_| ())?,
        (Sent::Own(index), Some(at)) => client.until(at).request(&own(*index), tag, out)?,
        (Sent::Own(index), None) => client.request(&own(*index), tag, out)?,
    }
    Ok(())
}

/// Appends one message to a batch.
fn append(batch: &mut CallBatch<'_, '_, u32, 3, 8>, message: &Sent, tag: u32) -> Result<(), Error> {
    match message {
        Sent::Notification { has_params: true } => batch.notify("m", &PARAMS)?,
        Sent::Notification { has_params: false } => batch.notify("m", &())?,
        Sent::Call { has_params: true } => batch.call("m", &PARAMS, tag).map(|_| ())?,
        Sent::Call { has_params: false } => batch.call("m", &(), tag).map(|_| ())?,
        Sent::Own(index) => batch.request(&Request::<'_>::new(id(OWN[*index]), "m"), tag)?,
    }
    Ok(())
}

/// A batch of these messages in this room, and which of them it took.
fn batch(client: &mut Caller, step: &Step, only: &[bool], room: usize) -> (Vec<bool>, Vec<u8>) {
    let Step::Batch { messages, deadline, is_finished, .. } = step else { panic!("{step:?}") };
    let mut buffer = vec![0; room];
    let mut out = Writer::new(&mut buffer);
    let mut batch = match deadline {
        Some(at) => client.until(*at).batch(&mut out),
        None => client.batch(&mut out),
    };
    let mut taken = Vec::new();
    for (tag, message) in (0..).zip(messages) {
        let is_offered = only.get(taken.len()).is_none_or(|only| *only);
        taken.push(is_offered && append(&mut batch, message, tag).is_ok());
    }
    if *is_finished {
        batch.finish();
    } else {
        drop(batch);
    }
    (taken, out.written().to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(2_000), failure_persistence: None, ..ProptestConfig::default() })]

    /// The reference is a client that never sees the refused calls, and always has room. Their whole states
    /// are compared: the calls in flight, the finished ids that are still known, and the next places and numbers.
    #[test]
    fn a_refusal_leaves_the_client_as_it_was(
        steps in proptest::collection::vec(step(), 0..if cfg!(miri) { 10 } else { 50 }),
        max_batch in 0..4usize,
    ) {
        let dialect = Dialect::JSON_RPC.with_max_batch(if max_batch == 3 { usize::MAX } else { max_batch });
        let mut client = Caller::new().with_dialect(dialect);
        let mut reference = Caller::new().with_dialect(dialect);
        for (tag, step) in (100..).zip(&steps) {
            let before = state(&client);
            match step {
                Step::Alone { message, method, room, deadline } => {
                    let (mut small, mut large) = (vec![0; *room], [0; 256]);
                    let mut out = Writer::new(&mut small);
                    if send(&mut client, message, method, *deadline, tag, &mut out).is_err() {
                        prop_assert_eq!(out.written(), b"");
                        prop_assert_eq!(state(&client), before);
                    } else {
                        let mut expected = Writer::new(&mut large);
                        prop_assert_eq!(send(&mut reference, message, method, *deadline, tag, &mut expected), Ok(()));
                        prop_assert_eq!(out.written(), expected.written());
                    }
                }
                Step::Batch { room, .. } => {
                    let (taken, written) = batch(&mut client, step, &[], *room);
                    let (taken_again, expected) = batch(&mut reference, step, &taken, 1_024);
                    prop_assert_eq!(&taken_again, &taken);
                    prop_assert_eq!(written, expected);
                    if !taken.contains(&true) {
                        prop_assert_eq!(state(&client), before);
                    }
                }
                Step::Answer(index) => {
                    let number = (index + 1).saturating_sub(OWN.len()).to_string();
                    let id = OWN.get(*index).copied().unwrap_or(&number);
                    prop_assert_eq!(accept(&mut client, id), accept(&mut reference, id));
                }
                Step::Cancel(index) => {
                    if let Ok(id) = Id::<8>::read(RawValue::parse(OWN[*index].as_bytes()).expect("JSON")) {
                        prop_assert_eq!(client.cancel(&id), reference.cancel(&id));
                    }
                }
                Step::Expire(now) => {
                    let expected: Vec<u32> = reference.expire(*now).map(|(_, tag)| tag).collect();
                    prop_assert_eq!(client.expire(*now).map(|(_, tag)| tag).collect::<Vec<u32>>(), expected);
                }
            }
            prop_assert_eq!(state(&client), state(&reference));
        }
    }
}
