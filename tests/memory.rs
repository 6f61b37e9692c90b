//! The connection in memory: the sizes of its chunks, and the faults of its plan.

#[path = "common/cases.rs"]
mod cases;

use std::collections::VecDeque;

use crate::cases::cases;
use nanojsonrpc::client::{Answer, Client};
use nanojsonrpc::memory::{Pipe, PipeEnd, PipeError, Plan};
use nanojsonrpc::{Envelope, ErrorKind, Request, Response, Writer};
use proptest::prelude::*;

/// The lengths and bytes of all reads until one returns no bytes, and the result of that one.
fn read_all<const N: usize>(end: &mut PipeEnd<'_, N>) -> (Vec<usize>, Vec<u8>, Result<usize, PipeError>) {
    let (mut lengths, mut bytes) = (Vec::new(), Vec::new());
    loop {
        let mut buffer = [0; 64];
        match end.try_read(&mut buffer) {
            Ok(len) if len > 0 => {
                lengths.push(len);
                bytes.extend_from_slice(&buffer[..len]);
            }
            last => return (lengths, bytes, last),
        }
    }
}

/// The lengths of all writes until everything is written or one fails, and how that one failed.
fn write_all<const N: usize>(end: &mut PipeEnd<'_, N>, bytes: &[u8]) -> (Vec<usize>, Result<(), PipeError>) {
    let (mut lengths, mut rest) = (Vec::new(), bytes);
    while !rest.is_empty() {
        match end.try_write(rest) {
            Ok(len) => {
                assert!(len > 0 && len <= rest.len());
                lengths.push(len);
                rest = &rest[len..];
            }
            Err(error) => return (lengths, Err(error)),
        }
    }
    (lengths, Ok(()))
}

#[test]
fn a_try_is_interrupted_as_often_as_was_asked_for_and_nothing_passes() {
    for (asked, tries) in [(0, 2), (1, 2), (2, 2), (3, 3), (5, 5)] {
        let mut pipe: Pipe<64> = Pipe::new();
        let (one, other) = pipe.ends();
        let one = one.writing(Plan::in_chunks(1).interrupt_every(asked));
        let other = other.reading(Plan::in_chunks(1).interrupt_every(asked));
        let mut passed = 0;
        for try_number in 1..=20 {
            let is_interrupted = try_number % tries == 0;
            let expected = if is_interrupted { Err(PipeError::Interrupted) } else { Ok(1) };
            assert_eq!(one.try_write(b"x"), expected, "{asked}, {try_number}");
            assert!(other.is_readable());
            assert_eq!(other.try_read(&mut [0]), expected, "{asked}, {try_number}");
            passed += usize::from(!is_interrupted);
        }
        // the pipe is empty, and every byte arrived
        assert_eq!(passed, 20 - 20 / tries);
        assert!(one.is_writable());
    }
}

#[test]
fn a_fault_that_is_asked_for_once_comes_once_and_at_its_place() {
    let mut pipe: Pipe<64> = Pipe::new();
    let (one, other) = pipe.ends();
    let one = one.writing(Plan::WHOLE.fail_once_at(3));
    let other = other.reading(Plan::WHOLE.fail_once_at(4));
    assert_eq!(one.try_write(b"abcdef"), Ok(3));
    assert_eq!(one.try_write(b"def"), Err(PipeError::Fault));
    assert_eq!(one.try_write(b"def"), Ok(3));
    let mut buffer = [0; 8];
    assert_eq!(other.try_read(&mut buffer), Ok(4));
    assert_eq!(other.try_read(&mut buffer[4..]), Err(PipeError::Fault));
    assert_eq!(other.try_read(&mut buffer[4..]), Ok(2));
    assert_eq!(&buffer[..6], b"abcdef");
    // the other fault occurs every time
    let mut pipe: Pipe<64> = Pipe::new();
    let (one, _other) = pipe.ends();
    let one = one.writing(Plan::WHOLE.fail_once_at(9).fail_at(0));
    assert_eq!([one.try_write(b"a"), one.try_write(b"a")], [Err(PipeError::Fault); 2]);
}

#[test]
fn what_one_end_writes_the_other_reads_in_both_directions() {
    let mut pipe: Pipe<8> = Pipe::new();
    let (one, other) = pipe.ends();
    let mut buffer = [0; 16];
    for round in 0..20u8 {
        assert_eq!(one.try_write(&[round, 1, 2]), Ok(3));
        assert_eq!(other.try_write(&[round, 3, 4, 5, 6]), Ok(5));
        assert_eq!((other.try_read(&mut buffer), &buffer[..3]), (Ok(3), &[round, 1, 2][..]));
        assert_eq!((one.try_read(&mut buffer), &buffer[..5]), (Ok(5), &[round, 3, 4, 5, 6][..]));
        assert_eq!(one.try_read(&mut buffer), Err(PipeError::WouldBlock));
        assert_eq!(other.try_read(&mut buffer), Err(PipeError::WouldBlock));
    }
}

#[test]
fn a_full_pipe_takes_what_fits_and_then_nothing() {
    let mut pipe: Pipe<4> = Pipe::new();
    let (one, mut other) = pipe.ends();
    assert!(one.is_writable() && !other.is_readable());
    assert_eq!(one.try_write(b"abcdef"), Ok(4));
    assert_eq!(one.try_write(b"ef"), Err(PipeError::WouldBlock));
    assert!(!one.is_writable() && other.is_readable());
    // a try would return something else than `WouldBlock`
    let mut refused: Pipe<4> = Pipe::new();
    let (fails, left) = refused.ends();
    let fails = fails.writing(Plan::WHOLE.fail_once_at(4));
    assert_eq!(fails.try_write(b"abcdef"), Ok(4));
    assert_eq!((fails.is_writable(), fails.try_write(b"ef")), (true, Err(PipeError::Fault)));
    assert_eq!((fails.is_writable(), fails.try_write(b"ef")), (false, Err(PipeError::WouldBlock)));
    drop(left);
    assert_eq!((fails.is_writable(), fails.try_write(b"ef")), (true, Err(PipeError::Closed)));
    // no bytes are no reason to wait
    assert_eq!((one.try_write(b""), other.try_read(&mut [])), (Ok(0), Ok(0)));
    let mut buffer = [0; 1];
    assert_eq!((other.try_read(&mut buffer), buffer), (Ok(1), *b"a"));
    assert_eq!(one.try_write(b"ef"), Ok(1));
    assert_eq!(read_all(&mut other), (vec![4], b"bcde".to_vec(), Err(PipeError::WouldBlock)));
    let mut none: Pipe<0> = Pipe::new();
    assert_eq!(none.ends().0.try_write(b"a"), Err(PipeError::WouldBlock));
    drop((one, other));
    let (one, other) = pipe.ends();
    other.close();
    drop(other);
    assert_eq!(one.try_write(b"a"), Err(PipeError::Closed));
    assert_eq!(one.try_read(&mut buffer), Ok(0));
}

#[test]
fn a_closed_end_is_read_to_its_end() {
    let mut pipe: Pipe<8> = Pipe::new();
    let (mut one, mut other) = pipe.ends();
    assert_eq!(one.try_write(b"abc"), Ok(3));
    one.close();
    assert_eq!(one.try_write(b"d"), Err(PipeError::Closed));
    assert_eq!(read_all(&mut other), (vec![3], b"abc".to_vec(), Ok(0)));
    assert!(other.is_readable() && one.is_writable());
    // the other direction still works
    assert_eq!(other.try_write(b"de"), Ok(2));
    assert_eq!(read_all(&mut one), (vec![2], b"de".to_vec(), Err(PipeError::WouldBlock)));

    assert_eq!(other.try_write(b"fg"), Ok(2));
    drop(other);
    assert_eq!(read_all(&mut one), (vec![2], b"fg".to_vec(), Ok(0)));
}

#[test]
fn nobody_reads_what_is_written_to_an_end_that_is_gone() {
    let mut pipe: Pipe<8> = Pipe::new();
    let (one, other) = pipe.ends();
    drop(other);
    assert_eq!(one.try_write(b"a"), Err(PipeError::Closed));
    // a pipe can be used again, and is empty
    drop(one);
    let (one, other) = pipe.ends();
    assert_eq!(other.try_read(&mut [0]), Err(PipeError::WouldBlock));
    assert_eq!(one.try_write(b"a"), Ok(1));
}

#[test]
fn chunks_are_as_long_as_the_plan_says() {
    let mut pipe: Pipe<16> = Pipe::new();
    let (one, other) = pipe.ends();
    let (mut one, mut other) = (one.writing(Plan::in_chunks(5)), other.reading(Plan::in_chunks(4)));
    assert_eq!(write_all(&mut one, b"abcdefghijkl"), (vec![5, 5, 2], Ok(())));
    assert_eq!(read_all(&mut other), (vec![4, 4, 4], b"abcdefghijkl".to_vec(), Err(PipeError::WouldBlock)));
    let mut other = other.reading(Plan::in_chunks(0));
    assert_eq!(write_all(&mut one, b"mn"), (vec![2], Ok(())));
    assert_eq!(read_all(&mut other), (vec![1, 1], b"mn".to_vec(), Err(PipeError::WouldBlock)));
}

#[test]
fn random_chunks_have_every_length_up_to_the_greatest_and_are_the_same_everywhere() {
    let lengths = |seed, max| {
        let mut pipe: Pipe<64> = Pipe::new();
        let (one, other) = pipe.ends();
        assert_eq!(one.try_write(&[7; 64]), Ok(64));
        read_all(&mut other.reading(Plan::in_random_chunks(seed, max))).0
    };
    assert_eq!(lengths(1, 4), [2, 2, 2, 4, 2, 1, 3, 3, 2, 1, 4, 4, 3, 3, 2, 2, 1, 1, 2, 2, 4, 2, 4, 4, 3, 1]);
    let mut seen: Vec<_> = (0..20).flat_map(|seed| lengths(seed, 5)).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, [1, 2, 3, 4, 5]);
    assert_ne!(lengths(2, 9), lengths(3, 9));
    assert_eq!(lengths(9, 0), [1; 64]);
    assert_eq!(lengths(0, u32::MAX).iter().sum::<usize>(), 64);
}

#[test]
fn a_fault_comes_at_its_byte_in_any_chunks() {
    let text = b"0123456789";
    for chunk in (1..=11).step_by(if cfg!(miri) { 5 } else { 1 }) {
        for place in 0..=10 {
            let plan = Plan::in_chunks(chunk);
            let attempt = |reading: Plan, writing: Plan| {
                let mut pipe: Pipe<16> = Pipe::new();
                let (one, other) = pipe.ends();
                let (mut one, mut other) = (one.writing(writing), other.reading(reading));
                let (_, written) = write_all(&mut one, text);
                let (_, read, last) = read_all(&mut other);
                // the fault persists
                if written.is_err() {
                    assert_eq!(one.try_write(b"x").map(drop), written);
                    assert!(one.is_writable());
                }
                assert_eq!(other.try_read(&mut [0]), last);
                assert_eq!(other.is_readable(), last != Err(PipeError::WouldBlock));
                (written, read, last)
            };
            let before = text[..place].to_vec();
            let nothing = Err(PipeError::WouldBlock);
            let context = format!("chunks of {chunk}, byte {place}");
            let (cut, fail, flip) = (plan.cut_at(place), plan.fail_at(place), plan.flip_at(place, 0x81));
            assert_eq!(attempt(cut, Plan::WHOLE), (Ok(()), before.clone(), Ok(0)), "{context}");
            assert_eq!(attempt(fail, Plan::WHOLE), (Ok(()), before.clone(), Err(PipeError::Fault)), "{context}");
            let is_reached = place < text.len();
            let stopped = |error| if is_reached { Err(error) } else { Ok(()) };
            assert_eq!(attempt(plan, cut), (stopped(PipeError::Closed), before.clone(), nothing), "{context}");
            assert_eq!(attempt(plan, fail), (stopped(PipeError::Fault), before, nothing), "{context}");
            let mut flipped = text.to_vec();
            if let Some(byte) = flipped.get_mut(place) {
                *byte ^= 0x81;
            }
            assert_eq!(attempt(flip, plan), (Ok(()), flipped.clone(), nothing), "{context}");
            assert_eq!(attempt(plan, flip), (Ok(()), flipped, nothing), "{context}");
        }
    }
    let mut pipe: Pipe<16> = Pipe::new();
    let (one, _other) = pipe.ends();
    let mut both = one.writing(Plan::WHOLE.fail_at(2).cut_at(2));
    assert_eq!(write_all(&mut both, text), (vec![2], Err(PipeError::Fault)));
}

#[test]
fn a_client_gets_its_answer_over_any_chunks() {
    for seed in (0..50).step_by(if cfg!(miri) { 17 } else { 1 }) {
        let mut pipe: Pipe<24> = Pipe::new();
        let (device, hub) = pipe.ends();
        let mut device = device.reading(Plan::in_random_chunks(seed, 7)).writing(Plan::in_random_chunks(seed ^ 99, 3));
        let mut hub = hub.reading(Plan::in_random_chunks(!seed, 9)).writing(Plan::in_chunks(1));

        let mut client: Client<char, 1> = Client::new();
        let mut buffer = [0; 96];
        let mut out = Writer::new(&mut buffer);
        client.call("subtract", &[42, 23], 's', &mut out).expect("a call");
        let asked = transfer(&mut device, &mut hub, out.written());
        let request = Request::parse(&asked).expect("a request");
        let mut buffer = [0; 96];
        let len = Response::success(request.id, &19).write(&mut buffer).expect("room");
        let answered = transfer(&mut hub, &mut device, &buffer[..len]);
        let response = Envelope::parse(&answered).expect("a response");
        assert_eq!(client.accept(&response), Some(Answer::To('s')), "seed {seed}");
    }
}

/// The bytes that arrive of `text`, which is longer than the pipe.
fn transfer<const N: usize>(from: &mut PipeEnd<'_, N>, to: &mut PipeEnd<'_, N>, text: &[u8]) -> Vec<u8> {
    let (mut rest, mut arrived) = (text, Vec::new());
    while arrived.len() < text.len() {
        let (written, _) = write_all(from, rest);
        rest = &rest[written.iter().sum::<usize>()..];
        arrived.extend(read_all(to).1);
    }
    arrived
}

#[test]
fn a_damaged_answer_is_told_by_its_byte() {
    let text = br#"{"jsonrpc":"2.0","result":19,"id":1}"#;
    let mut pipe: Pipe<64> = Pipe::new();
    let (mut one, other) = pipe.ends();
    let mut other = other.reading(Plan::in_chunks(5).flip_at(28, 0x01));
    assert_eq!(write_all(&mut one, text).1, Ok(()));
    let (_, read, _) = read_all(&mut other);
    let rejection = Response::parse(&read).expect_err("damaged");
    assert_eq!((rejection.kind(), rejection.offset()), (ErrorKind::ExpectedComma, 28));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(500), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_pipe_does_what_a_queue_would_do(
        steps in proptest::collection::vec((any::<bool>(), 0..12usize), 0..if cfg!(miri) { 12 } else { 100 }),
        seed in any::<u32>(),
    ) {
        const ROOM: usize = 7;
        let mut pipe: Pipe<ROOM> = Pipe::new();
        let (one, other) = pipe.ends();
        let one = one.writing(Plan::in_random_chunks(seed, 6));
        let other = other.reading(Plan::in_random_chunks(!seed, 6));
        let mut queue = VecDeque::new();
        let mut next = 0u8;
        for (is_write, len) in steps {
            if is_write {
                let bytes: Vec<u8> = (0..len as u8).map(|byte| next.wrapping_add(byte)).collect();
                match one.try_write(&bytes) {
                    Ok(written) => {
                        prop_assert!(written <= len.min(ROOM - queue.len()).min(6) && (written > 0 || len == 0));
                        queue.extend(&bytes[..written]);
                        next = next.wrapping_add(written as u8);
                    }
                    Err(error) => prop_assert!(error == PipeError::WouldBlock && queue.len() == ROOM),
                }
            } else {
                let mut buffer = vec![0; len];
                match other.try_read(&mut buffer) {
                    Ok(read) => {
                        prop_assert!(read <= len.min(queue.len()).min(6) && (read > 0 || len == 0));
                        let expected: Vec<u8> = queue.drain(..read).collect();
                        prop_assert_eq!(&buffer[..read], &expected);
                    }
                    Err(error) => prop_assert!(error == PipeError::WouldBlock && queue.is_empty()),
                }
            }
            prop_assert_eq!((other.is_readable(), one.is_writable()), (!queue.is_empty(), queue.len() < ROOM));
        }
    }
}

#[cfg(feature = "embedded-io")]
mod blocking {
    use embedded_io::{Error, ErrorKind, Read, ReadExactError, ReadReady, Write, WriteReady};
    use nanojsonrpc::memory::{Pipe, PipeError, Plan};

    /// Reads and writes through an end and through references to it.
    fn talk(
        mut one: impl Write + WriteReady + Read + ReadReady,
        mut other: impl Write + WriteReady + Read + ReadReady,
    ) {
        for text in [b"abcd", b"efgh"] {
            assert_eq!((one.write_ready().ok(), other.read_ready().ok()), (Some(true), Some(false)));
            assert_eq!(one.write(text).ok(), Some(4));
            assert_eq!((one.write_ready().ok(), other.read_ready().ok()), (Some(false), Some(true)));
            let mut bytes = [0; 4];
            assert!(other.read_exact(&mut bytes).is_ok() && bytes == *text && other.flush().is_ok());
            assert_eq!((one.read_ready().ok(), other.write_ready().ok()), (Some(false), Some(true)));
        }
    }

    #[test]
    fn references_to_an_end_have_all_traits() {
        let mut pipe: Pipe<4> = Pipe::new();
        let (one, other) = pipe.ends();
        talk(&mut &one, &mut &other);
        talk(&one, &other);
    }

    #[test]
    fn the_traits_do_what_the_ends_do() {
        let mut pipe: Pipe<8> = Pipe::new();
        let (end, other) = pipe.ends();
        let (end, other) = (end.writing(Plan::in_chunks(2)), other.reading(Plan::in_chunks(3)));
        let (mut one, mut other) = (&end, &other);
        assert_eq!((other.read_ready(), one.write_ready()), (Ok(false), Ok(true)));
        assert_eq!((one.write_all(b"abcdefgh"), one.flush()), (Ok(()), Ok(())));
        assert_eq!((other.read_ready(), one.write_ready()), (Ok(true), Ok(false)));
        assert_eq!(one.write(b"i"), Err(PipeError::WouldBlock));
        let mut buffer = [0; 7];
        assert_eq!((other.read_exact(&mut buffer), &buffer), (Ok(()), b"abcdefg"));
        drop(end);
        let ended = other.read_exact(&mut buffer);
        assert_eq!((ended, buffer[0]), (Err(ReadExactError::UnexpectedEof), b'h'));
        assert_eq!(other.read(&mut buffer), Ok(0));
        assert_eq!(other.write_all(b"x"), Err(PipeError::Closed));
        assert_eq!(
            [PipeError::WouldBlock, PipeError::Closed, PipeError::Fault].map(|error| error.kind()),
            [ErrorKind::TimedOut, ErrorKind::BrokenPipe, ErrorKind::Other]
        );
    }
}

#[cfg(feature = "embedded-io-async")]
mod waiting {
    use core::future::Future;
    use core::pin::pin;
    use core::task::{Context, Poll};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Wake, Waker};

    use embedded_io_async::{Read, Write};
    use nanojsonrpc::memory::{Pipe, PipeError, Plan};

    /// Counts the wakes.
    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl Woken {
        fn count(&self) -> usize {
            self.0.load(Ordering::Relaxed)
        }
    }

    fn poll<F: Future>(future: core::pin::Pin<&mut F>, woken: &Arc<Woken>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(&Waker::from(woken.clone())))
    }

    #[test]
    fn a_reader_waits_and_is_woken_by_bytes() {
        let mut pipe: Pipe<4> = Pipe::new();
        let (one, other) = pipe.ends();
        let mut other = &other;
        let woken = Arc::new(Woken::default());
        let mut buffer = [0; 4];
        {
            let mut reading = pin!(other.read(&mut buffer));
            assert_eq!((poll(reading.as_mut(), &woken), woken.count()), (Poll::Pending, 0));
            assert_eq!((poll(reading.as_mut(), &woken), woken.count()), (Poll::Pending, 0));
            assert_eq!((one.try_write(b"ab"), woken.count()), (Ok(2), 1));
            assert_eq!(poll(reading.as_mut(), &woken), Poll::Ready(Ok(2)));
        }
        assert_eq!(&buffer[..2], b"ab");
        // no task waits any more
        assert_eq!((one.try_write(b"c"), woken.count()), (Ok(1), 1));
    }

    #[test]
    fn a_writer_waits_and_is_woken_by_room() {
        let mut pipe: Pipe<4> = Pipe::new();
        let (one, other) = pipe.ends();
        let mut one = &one;
        let woken = Arc::new(Woken::default());
        let mut writing = pin!(async { (one.write_all(b"abcdef").await, one.flush().await) });
        assert_eq!((poll(writing.as_mut(), &woken), woken.count()), (Poll::Pending, 0));
        let mut buffer = [0; 1];
        assert_eq!((other.try_read(&mut buffer), woken.count()), (Ok(1), 1));
        assert_eq!((poll(writing.as_mut(), &woken), woken.count()), (Poll::Pending, 1));
        let mut buffer = [0; 8];
        assert_eq!((other.try_read(&mut buffer), woken.count()), (Ok(4), 2));
        assert_eq!(&buffer[..4], b"bcde");
        assert_eq!(poll(writing.as_mut(), &woken), Poll::Ready((Ok(()), Ok(()))));
        assert_eq!((other.try_read(&mut buffer), buffer[0]), (Ok(1), b'f'));
    }

    #[test]
    fn whoever_waits_is_woken_by_the_end_of_the_connection() {
        let woken = Arc::new(Woken::default());
        let mut pipe: Pipe<1> = Pipe::new();
        let (one, other) = pipe.ends();
        let mut other = &other;
        let mut buffer = [0; 4];
        {
            let mut reading = pin!(other.read(&mut buffer));
            assert_eq!(poll(reading.as_mut(), &woken), Poll::Pending);
            one.close();
            assert_eq!((poll(reading.as_mut(), &woken), woken.count()), (Poll::Ready(Ok(0)), 1));
        }
        assert_eq!(other.try_write(b"x"), Ok(1));
        let mut writing = pin!(other.write(b"y"));
        assert_eq!(poll(writing.as_mut(), &woken), Poll::Pending);
        drop(one);
        assert_eq!((poll(writing.as_mut(), &woken), woken.count()), (Poll::Ready(Err(PipeError::Closed)), 2));
    }

    #[test]
    fn a_fault_ends_the_wait_before_it_begins() {
        let woken = Arc::new(Woken::default());
        let mut pipe: Pipe<4> = Pipe::new();
        let (one, other) = pipe.ends();
        let (one, other) = (one.writing(Plan::WHOLE.fail_at(0)), other.reading(Plan::WHOLE.cut_at(0)));
        let (mut one, mut other) = (&one, &other);
        assert_eq!(poll(pin!(one.write(b"a")), &woken), Poll::Ready(Err(PipeError::Fault)));
        assert_eq!(poll(pin!(other.read(&mut [0])), &woken), Poll::Ready(Ok(0)));
    }
}
