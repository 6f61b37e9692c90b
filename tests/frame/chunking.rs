//! The items of every frame do not depend on the sizes of the chunks, for any bytes.

use std::time::{Duration, Instant};

use crate::cases::cases;
use crate::frames::{Found, cut, cut_as};
use nanojsonrpc::frame::{ContentLength, Event, Events, Frame, FrameErrorKind, Framer, Lines, Splitter, Values};
use proptest::prelude::*;

/// The pieces of streams: tokens of one of the frames, and any bytes.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        &b"\n"[..],
        b"\r",
        b"\r\n",
        b"\n\n",
        b" ",
        b"\0",
        b"\xEF\xBB\xBF",
        b"\xEF\xBB",
        b"{}",
        b"[1,2,3]",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":[\"\\ud83d\\ude00\",-1.5e+3],\"id\":1}",
        b"{\"a\":",
        b"}",
        b"]",
        b"[",
        b"\"",
        b"\\",
        b"12",
        b"-",
        b"null",
        b"tru",
        b",",
        b"Content-Length: 2\r\n\r\n{}",
        b"Content-Length: 17\r\n\r\n",
        b"content-length:",
        b"Content-Length: 200\n\n",
        b"Content-Length: 18446744073709551615\r\n\r\n",
        b"Content-Type: x\r\n",
        b"Content-Len",
        b"data: {}\n\n",
        b"data:",
        b"data",
        b"id: 1\r",
        b"id: 123456789\n",
        b"event: e\r\n",
        b"event: 123456789\n",
        b": comment",
        b"retry: 10",
        b"POST /x HTTP/1.1\r\n",
        b"HTTP/1.",
        b"GET ",
        b"SSH-2",
        b"\x16\x03",
    ]);
    prop_oneof![
        6 => known.prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 1..8),
        1 => (any::<u8>(), 1..80_usize).prop_map(|(byte, len)| vec![byte; len]),
    ]
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat())
}

/// Chunk sizes, from one byte to more than any buffer has.
fn sizes() -> impl Strategy<Value = Vec<usize>> {
    let size = prop_oneof![4 => 1..4_usize, 2 => 1..40_usize, 1 => Just(usize::MAX)];
    prop::collection::vec(size, 1..20)
}

/// The sizes over and over.
fn rotating(sizes: &[usize]) -> impl FnMut() -> usize + '_ {
    let mut sizes = sizes.iter().cycle();
    move || *sizes.next().expect("one size at least")
}

/// The same frames, errors and offsets whether bytes come one by one, all at once, or in chunks of `sizes`, through
/// `spare` or `push`.
fn does_not_change<F: Frame, const N: usize>(stream: &[u8], sizes: &[usize]) -> Result<(), TestCaseError> {
    let expected = cut::<F, N>(stream, || 1);
    prop_assert_eq!(&cut::<F, N>(stream, || usize::MAX), &expected);
    prop_assert_eq!(&cut::<F, N>(stream, rotating(sizes)), &expected);
    prop_assert_eq!(&pushed::<F, N>(stream, rotating(sizes)), &expected);
    prop_assert_eq!(&split::<F>(stream, N, rotating(sizes)), &expected);
    prop_assert_eq!(&split::<F>(stream, N, || usize::MAX), &expected);
    // offsets of errors increase, up to the end
    let offsets = expected.iter().filter_map(|found| found.as_ref().err()).map(|(_, offset)| *offset);
    let offsets: Vec<u64> = offsets.collect();
    prop_assert!(offsets.is_sorted() && offsets.iter().all(|offset| *offset <= stream.len() as u64), "{:?}", offsets);
    // a message is part of a stream, with or without the bytes between its lines
    for message in expected.iter().flatten() {
        prop_assert!(message.len() <= 4 * N, "{}", message);
    }
    Ok(())
}

/// As [`cut`], through `push`, with one peek after each chunk before all items are taken.
fn pushed<F: Frame, const N: usize>(stream: &[u8], mut size: impl FnMut() -> usize) -> Vec<Found> {
    let mut framer = Framer::<F, N>::new();
    let mut found = Vec::new();
    macro_rules! take {
        ($item:expr) => {
            found.push($item.map(|item| item.as_ref().escape_ascii().to_string()).map_err(|e| (e.kind(), e.offset())))
        };
    }
    let mut rest = stream;
    while !rest.is_empty() {
        let taken = framer.push(&rest[..size().clamp(1, rest.len())]);
        rest = &rest[taken..];
        if let Some(item) = framer.next() {
            take!(item);
        }
        if taken == 0 {
            while let Some(item) = framer.next() {
                take!(item);
            }
        }
    }
    while let Some(item) = framer.finish() {
        take!(item);
    }
    found
}

/// As [`cut`], by a splitter in a buffer that keeps only the bytes that the splitter needs.
fn split<F: Frame>(stream: &[u8], limit: usize, mut size: impl FnMut() -> usize) -> Vec<Found> {
    let (mut splitter, mut buffer, mut found) = (Splitter::<F>::new(), Vec::new(), Vec::new());
    let mut rest = stream;
    loop {
        let (chunk, later) = rest.split_at(size().clamp(1, rest.len().max(1)).min(rest.len()));
        let has_ended = chunk.is_empty();
        (rest, _) = (later, buffer.extend_from_slice(chunk));
        loop {
            let next = if has_ended { splitter.finish(&mut buffer, limit) } else { splitter.next(&mut buffer, limit) };
            let is_found = next.is_some();
            found.extend(next.map(|next| {
                next.map(|span| buffer[span].escape_ascii().to_string()).map_err(|e| (e.kind(), e.offset()))
            }));
            let kept = splitter.kept(&mut buffer);
            buffer.truncate(kept.end);
            buffer.drain(..kept.start);
            if !is_found {
                break;
            }
        }
        assert!(buffer.len() <= limit, "{} bytes are kept", buffer.len());
        if has_ended {
            return found;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(2000)) })]

    #[test]
    fn chunks_do_not_change_lines(stream in stream(), sizes in sizes()) {
        does_not_change::<Lines, 16>(&stream, &sizes)?;
        does_not_change::<Lines, 1>(&stream, &sizes)?;
        does_not_change::<Lines, 512>(&stream, &sizes)?;
    }

    #[test]
    fn chunks_do_not_change_content_length(stream in stream(), sizes in sizes()) {
        does_not_change::<ContentLength, 16>(&stream, &sizes)?;
        does_not_change::<ContentLength, 1>(&stream, &sizes)?;
        does_not_change::<ContentLength, 512>(&stream, &sizes)?;
    }

    #[test]
    fn chunks_do_not_change_events(stream in stream(), sizes in sizes()) {
        does_not_change::<Events<8, 8>, 16>(&stream, &sizes)?;
        does_not_change::<Events<0, 0>, 1>(&stream, &sizes)?;
        does_not_change::<Events, 512>(&stream, &sizes)?;
        let see = |event: Event<'_>| (event.event.to_vec(), event.id.to_vec(), event.data.to_vec());
        let one_by_one = cut_as::<Events<8, 8>, 32, _>(&stream, || 1, see);
        prop_assert_eq!(cut_as::<Events<8, 8>, 32, _>(&stream, rotating(&sizes), see), one_by_one);
    }

    #[test]
    fn chunks_do_not_change_values(stream in stream(), sizes in sizes()) {
        does_not_change::<Values, 16>(&stream, &sizes)?;
        does_not_change::<Values, 1>(&stream, &sizes)?;
        does_not_change::<Values, 512>(&stream, &sizes)?;
    }

    #[test]
    fn any_bytes_do_no_harm(stream in prop::collection::vec(any::<u8>(), 0..300), sizes in sizes()) {
        does_not_change::<Lines, 32>(&stream, &sizes)?;
        does_not_change::<ContentLength, 32>(&stream, &sizes)?;
        does_not_change::<Events<4, 4>, 32>(&stream, &sizes)?;
        does_not_change::<Values, 32>(&stream, &sizes)?;
    }

    #[test]
    fn what_is_encoded_comes_out_of_any_chunks(
        texts in prop::collection::vec(prop::sample::select(vec!["{}", "[1,\r\n2]", "\"\\n\"", "1", "-2", "null", "{\"a\":\n[]}"]), 0..8),
        sizes in sizes(),
    ) {
        // the content of each frame, and its reading
        fn wire<F: Frame>(texts: &[&str]) -> Vec<u8> {
            let mut wire = Vec::new();
            for text in texts {
                let mut out = [0; 64];
                let len = F::encode(text.as_bytes(), &mut out).expect("room enough");
                wire.extend(&out[..len]);
            }
            wire
        }
        let exact: Vec<Found> = texts.iter().map(|text| Ok(text.as_bytes().escape_ascii().to_string())).collect();
        let replaced: Vec<Found> = texts.iter().map(|text| Ok(text.replace(['\r', '\n'], " ").as_bytes().escape_ascii().to_string())).collect();
        prop_assert_eq!(cut::<Lines, 64>(&wire::<Lines>(&texts), rotating(&sizes)), replaced.clone());
        prop_assert_eq!(cut::<ContentLength, 64>(&wire::<ContentLength>(&texts), rotating(&sizes)), exact.clone());
        prop_assert_eq!(cut::<Events, 64>(&wire::<Events>(&texts), rotating(&sizes)), replaced);
        prop_assert_eq!(cut::<Values, 64>(&wire::<Values>(&texts), rotating(&sizes)), exact);
    }
}

/// The time for the last `count` bytes of a message that arrives byte by byte.
fn last_bytes<F: Frame, const N: usize>(framer: &mut Framer<F, N>, wire: &[u8], count: usize) -> Duration {
    let mut start = Instant::now();
    let mut messages = 0;
    for (place, byte) in wire.iter().enumerate() {
        if place == wire.len() - count {
            start = Instant::now();
        }
        framer.spare()[0] = *byte;
        framer.filled(1);
        while let Some(found) = framer.next() {
            assert!(found.is_ok());
            messages += 1;
        }
    }
    assert_eq!(messages, 1);
    start.elapsed()
}

/// Bytes that arrive one by one into a buffer of a megabyte take the same time each, independent of the number before.
fn is_linear<F: Frame>(wire: impl Fn(usize) -> Vec<u8>) {
    const ROOM: usize = 1 << 20;
    const LAST: usize = ROOM / 256;
    let mut framer: Box<Framer<F, ROOM>> = Box::default();
    let (short, long) = (wire(LAST), wire(ROOM - 64));
    // The best of some, because the machine has other things to do, and short enough to be done before they are. Where
    // each byte costs something for all before it, the last ones of the long message take 512 times as long.
    let best = |framer: &mut Framer<F, ROOM>, wire: &[u8]| (0..5).map(|_| last_bytes(framer, wire, LAST)).min();
    let (short, long) = (best(&mut framer, &short).unwrap(), best(&mut framer, &long).unwrap());
    assert!(long < short * 8, "{short:?} for the first {LAST} bytes, {long:?} for as many behind a megabyte");
}

#[test]
fn a_megabyte_byte_by_byte_takes_linear_time() {
    std::thread::Builder::new()
        .stack_size(16 << 20)
        .spawn(|| {
            is_linear::<Lines>(|len| [&vec![b'x'; len][..], b"\n"].concat());
            is_linear::<ContentLength>(|len| {
                [format!("Content-Length: {len}\r\n\r\n").as_bytes(), &vec![b'x'; len]].concat()
            });
            is_linear::<Events>(|len| [b"data: ".as_slice(), &vec![b'x'; len], b"\n\n"].concat());
            // many fields that compete for the room
            is_linear::<Events>(|len| {
                [b"data: x\nid: 1234567890\nevent: x\n".repeat(len / 32), b"\n".to_vec()].concat()
            });
            is_linear::<Values>(|len| [b"[".as_slice(), &b"\"x\",10,".repeat(len / 7), b"0]"].concat());
        })
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn a_long_stream_has_offsets_beyond_its_buffer() {
    let mut framer = Framer::<Lines, 64>::new();
    let count = if cfg!(miri) { 100 } else { 100_000 };
    for _ in 0..count {
        assert_eq!(framer.push(b"{\"id\":1}\n"), 9);
        assert_eq!(framer.next(), Some(Ok(&b"{\"id\":1}"[..])));
    }
    assert_eq!(framer.push(b"\xEF\xBB\xBF\n"), 4);
    let error = framer.next().unwrap().unwrap_err();
    assert_eq!((error.kind(), error.offset()), (FrameErrorKind::ByteOrderMark, 9 * count));
}

/// The item of a message with so many bytes in a buffer of 64.
fn sized<F: Frame>(len: usize) -> Vec<Found> {
    let message = format!(r#"["{}"]"#, "x".repeat(len - 4));
    let mut wire = vec![0; len + 64];
    let written = F::encode(message.as_bytes(), &mut wire).unwrap();
    // with a message behind it, whole or at the end of the stream
    let stream = [&wire[..written], &wire[..written]].concat();
    let found = cut::<F, 64>(&stream, || usize::MAX);
    for size in 1..stream.len() {
        assert_eq!(cut::<F, 64>(&stream, || size), found, "chunks of {size}");
    }
    assert!(found.len() == 2, "{found:?}");
    if found.iter().all(|found| found.is_ok()) {
        assert_eq!(
            found,
            [Ok(message.clone()), Ok(message)]
                .map(|found| found.map(|text| text.as_bytes().escape_ascii().to_string()))
        );
    }
    found
}

/// The longest message that has room in a buffer of 64 bytes is `longest`.
fn holds<F: Frame>(longest: usize) {
    for len in [4, longest - 1, longest] {
        assert!(sized::<F>(len).iter().all(|found| found.is_ok()), "{len} bytes");
    }
    for len in [longest + 1, 66, 128] {
        let kinds: Vec<_> = sized::<F>(len).into_iter().map(|found| found.map_err(|(kind, _)| kind)).collect();
        assert_eq!(kinds, [Err(FrameErrorKind::TooLong), Err(FrameErrorKind::TooLong)], "{len} bytes");
    }
}

#[test]
fn every_frame_holds_as_much_as_it_says() {
    // a line and its LF; data is shorter than the buffer
    holds::<Lines>(63);
    holds::<Events>(63);
    holds::<ContentLength>(64);
    holds::<Values>(64);
}

#[test]
fn a_splitter_shows_the_state_of_its_frame() {
    let mut splitter = Splitter::<Events>::default();
    let mut bytes = b"id: 7\ndata: {}\n\n".to_vec();
    assert!(splitter.next(&mut bytes, 64).is_some_and(|found| found.is_ok()));
    assert_eq!((splitter.frame().last_event_id(), splitter.is_over()), (&b"7"[..], false));
    let mut other = Splitter::<Lines>::new();
    assert!(other.next(&mut b"GET / HTTP/1.1\r\n".to_vec(), 64).is_some_and(|found| found.is_err()) && other.is_over());
}

#[test]
fn a_splitter_without_room_refuses_and_goes_on() {
    fn refuses<F: Frame>(stream: &[u8]) {
        let (mut splitter, mut buffer) = (Splitter::<F>::new(), stream.to_vec());
        for is_end in [false, true] {
            let mut kinds = Vec::new();
            while let Some(found) = if is_end { splitter.finish(&mut buffer, 0) } else { splitter.next(&mut buffer, 0) }
            {
                kinds.push(found.unwrap_err().kind());
                let kept = splitter.kept(&mut buffer);
                buffer.truncate(kept.end);
                buffer.drain(..kept.start);
            }
            let expected: &[_] = if is_end { &[] } else { &[FrameErrorKind::TooLong; 2] };
            assert_eq!(kinds, expected);
        }
    }
    refuses::<Lines>(b"{}\n[]\n");
    refuses::<Values>(b"{}\n[]\n");
    refuses::<Events>(b"data: {}\n\ndata: []\n\n");
    refuses::<ContentLength>(b"Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n[]");
}

#[test]
fn a_limit_that_is_lowered_refuses_what_has_begun() {
    let (mut splitter, mut buffer) = (Splitter::<Events>::new(), b"data: abcdefgh".to_vec());
    assert_eq!(splitter.next(&mut buffer, 64), None);
    buffer.push(b'x');
    assert_eq!(splitter.next(&mut buffer, 4).unwrap().unwrap_err().kind(), FrameErrorKind::TooLong);
}

#[test]
fn the_end_of_a_stream_comes_behind_its_last_messages() {
    let (mut splitter, mut buffer) = (Splitter::<Lines>::new(), b"1\n22\n3".to_vec());
    let mut found = Vec::new();
    while let Some(message) = splitter.finish(&mut buffer, 64) {
        found.push(buffer[message.unwrap()].to_vec());
        let kept = splitter.kept(&mut buffer);
        buffer.truncate(kept.end);
        buffer.drain(..kept.start);
    }
    assert_eq!(found, [&b"1"[..], b"22", b"3"]);
}
