//! WebSocket: the examples of RFC 6455 §5.7, and case groups after its sections, numbered as in the Autobahn suite.
#![cfg(feature = "websocket")]

use nanojsonrpc::frame::websocket::{self, Client, MaskingKey, Received, Server, Side};
use nanojsonrpc::frame::{Frame, FrameErrorKind, Framer, WebSocket};
use proptest::prelude::*;

use crate::cases::cases;
use crate::frames::{cut, cut_as};

/// A key that is no key of the RFC, so that no test depends on one.
struct Keys;

impl MaskingKey for Keys {
    fn next_key() -> [u8; 4] {
        [0xA5, 0x01, 0xFF, 0x7E]
    }
}

type ToServer = WebSocket;
type ToClient = WebSocket<Client<Keys>>;

/// An item as owned bytes behind a name, or an error.
type Found = Result<(&'static str, Vec<u8>), (FrameErrorKind, u64)>;

fn see(item: Received<'_>) -> (&'static str, Vec<u8>) {
    let name = match item {
        Received::Text(_) => "text",
        Received::Binary(_) => "binary",
        Received::Ping(_) => "ping",
        Received::Pong(_) => "pong",
        Received::Close(close) => {
            return ("close", [&close.code().to_be_bytes(), close.reason()].concat());
        }
        _ => "unknown",
    };
    (name, item.as_ref().to_vec())
}

fn item(name: &'static str, bytes: &[u8]) -> Found {
    Ok((name, bytes.to_vec()))
}

fn text(text: &str) -> Found {
    item("text", text.as_bytes())
}

fn fault(fault: FrameErrorKind, offset: u64) -> Found {
    Err((fault, offset))
}

/// The items of a stream, which are the same for chunks of every size.
fn read<S: Side + 'static, const N: usize>(stream: &[u8]) -> Vec<Found> {
    let found = cut_as::<WebSocket<S>, N, _>(stream, || usize::MAX, see);
    let step = if cfg!(miri) { 1 + stream.len() / 3 } else { 1 + stream.len() / 300 };
    for size in (1..=stream.len()).step_by(step) {
        assert_eq!(cut_as::<WebSocket<S>, N, _>(stream, || size, see), found, "chunks of {size}");
    }
    found
}

/// A frame with any header, written independently of the library; masked for a server.
fn frame(first: u8, payload: &[u8], key: Option<[u8; 4]>) -> Vec<u8> {
    let mask = if key.is_some() { 0x80 } else { 0 };
    let mut frame = match payload.len() {
        len @ 0..=125 => vec![first, mask | len as u8],
        len @ 126..=65535 => [&[first, mask | 126][..], &(len as u16).to_be_bytes()].concat(),
        len => [&[first, mask | 127][..], &(len as u64).to_be_bytes()].concat(),
    };
    let key = key.inspect(|key| frame.extend(key)).unwrap_or_default();
    frame.extend(payload.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key));
    frame
}

fn masked(first: u8, payload: impl AsRef<[u8]>) -> Vec<u8> {
    frame(first, payload.as_ref(), Some([0x37, 0xFA, 0x21, 0x3D]))
}

/// The items of masked frames, each a first byte and a payload.
fn served<const N: usize>(frames: &[(u8, &[u8])]) -> Vec<Found> {
    read::<Server, N>(&frames.iter().flat_map(|(first, payload)| masked(*first, payload)).collect::<Vec<u8>>())
}

const TEXT: u8 = 0x81;
const BINARY: u8 = 0x82;
const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;
const PONG: u8 = 0x8A;
/// The first and a middle fragment of a message, and its last.
const FIRST: u8 = 0x01;
const MIDDLE: u8 = 0x00;
const LAST: u8 = 0x80;

#[test]
fn section_5_7_examples_of_a_server_are_read_by_a_client() {
    assert_eq!(read::<Client<Keys>, 64>(b"\x81\x05Hello"), [text("Hello")]);
    assert_eq!(read::<Client<Keys>, 64>(b"\x01\x03\x48\x65\x6c\x80\x02\x6c\x6f"), [text("Hello")]);
    assert_eq!(read::<Client<Keys>, 64>(b"\x89\x05Hello"), [item("ping", b"Hello")]);
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(read::<Client<Keys>, 256>(&[b"\x82\x7E\x01\x00", &bytes[..]].concat()), [item("binary", &bytes)]);
    let bytes = vec![0x5A; 65536];
    let stream = [b"\x82\x7F\0\0\0\0\0\x01\0\0", &bytes[..]].concat();
    assert_eq!(cut_as::<ToClient, 65536, _>(&stream, || 777, see), [item("binary", &bytes)]);
}

#[test]
fn section_5_7_examples_of_a_client_are_read_by_a_server() {
    let stream = b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58\x8a\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";
    assert_eq!(read::<Server, 64>(stream), [text("Hello"), item("pong", b"Hello")]);
}

#[test]
fn section_5_7_examples_are_written() {
    let mut out = [0; 64];
    assert_eq!(ToServer::encode(b"Hello", &mut out).map(|len| out[..len].to_vec()), Ok(b"\x81\x05Hello".to_vec()));
    assert_eq!(ToServer::ping(b"Hello", &mut out).map(|len| out[..len].to_vec()), Ok(b"\x89\x05Hello".to_vec()));
    let key = [0xA5, 0x01, 0xFF, 0x7E];
    assert_eq!(
        ToClient::encode(b"Hello", &mut out).map(|len| out[..len].to_vec()),
        Ok(frame(TEXT, b"Hello", Some(key)))
    );
    assert_eq!(ToClient::pong(b"Hello", &mut out).map(|len| out[..len].to_vec()), Ok(frame(PONG, b"Hello", Some(key))));
}

#[test]
fn group_1_texts_and_binaries_of_every_length_class() {
    for len in [0, 1, 125, 126, 127, 128, 65535, 65536] {
        let payload = vec![b'*'; len];
        let stream = [masked(TEXT, &payload), masked(BINARY, &payload)].concat();
        let expected = [item("text", &payload), item("binary", &payload)];
        for size in [1, 997, usize::MAX] {
            assert_eq!(cut_as::<ToServer, 65536, _>(&stream, || size, see), expected, "{len} bytes");
        }
    }
}

#[test]
fn group_1_every_length_is_written_in_the_fewest_bytes() {
    let mut out = vec![0; 70_000];
    for len in [0, 1, 125, 126, 127, 65535, 65536, 65537] {
        let message = vec![b'7'; len];
        let written = ToServer::encode(&message, &mut out).unwrap();
        assert_eq!(out[..written], frame(TEXT, &message, None)[..], "{len} bytes");
        assert_eq!(
            ToServer::encode(&message, &mut out[..written - 1]).map_err(|error| error.kind()),
            Err(nanojsonrpc::ErrorKind::OutputFull)
        );
        let written = ToClient::encode(&message, &mut out).unwrap();
        assert_eq!(out[..written], frame(TEXT, &message, Some(Keys::next_key()))[..], "{len} bytes");
    }
}

#[test]
fn group_2_pings_and_pongs() {
    let longest = [0xFE; 125];
    assert_eq!(
        served::<128>(&[(PING, b""), (PING, b"a"), (PING, &longest), (PONG, b""), (PONG, b"unasked")]),
        [item("ping", b""), item("ping", b"a"), item("ping", &longest), item("pong", b""), item("pong", b"unasked")]
    );
    assert_eq!(served::<256>(&[(PING, &[0; 126])]), [fault(FrameErrorKind::ControlTooLong, 1)]);
    assert_eq!(served::<256>(&[(CLOSE, &[0; 126])]), [fault(FrameErrorKind::ControlTooLong, 1)]);
    let mut out = [0; 256];
    assert_eq!(
        ToServer::ping(&[0; 126], &mut out).map_err(|error| error.kind()),
        Err(nanojsonrpc::ErrorKind::InvalidValue)
    );
}

#[test]
fn group_2_a_ping_is_answered_by_a_pong_with_its_payload() {
    let mut framer = Framer::<ToServer, 256>::new();
    framer.push(&masked(PING, b"payload"));
    let mut out = [0; 64];
    let len = framer.next().unwrap().unwrap().reply::<Server>(&mut out).unwrap();
    assert_eq!(out[..len], frame(PONG, b"payload", None)[..]);
    framer.push(&masked(TEXT, b"{}"));
    assert_eq!(framer.next().unwrap().unwrap().reply::<Client<Keys>>(&mut out), Ok(0));
    assert!(!framer.frame().is_over());
    framer.push(&masked(CLOSE, b"\x03\xE8bye"));
    let close = framer.next().unwrap().unwrap();
    assert_eq!(close.as_ref(), b"bye");
    let len = close.reply::<Client<Keys>>(&mut out).unwrap();
    assert_eq!(out[..len], frame(CLOSE, b"\x03\xE8", Some(Keys::next_key()))[..]);
    assert!(framer.frame().is_over());
}

#[test]
fn the_code_of_a_close_stays_until_the_framer_is_cleared() {
    let closed = |mut input: &[u8]| {
        let mut framer = Framer::<ToServer, 16>::new();
        assert_eq!(framer.frame().peer_close(), None);
        while !input.is_empty() {
            input = &input[framer.push(input)..];
            while framer.next().is_some() {}
        }
        while framer.finish().is_some() {}
        let code = framer.frame().peer_close();
        framer.clear();
        assert_eq!(framer.frame().peer_close(), None);
        code
    };
    for code in [1000, 1014, 3000, 4999_u16] {
        assert_eq!(closed(&masked(CLOSE, code.to_be_bytes())), Some(code));
    }
    assert_eq!(closed(&masked(CLOSE, b"\x0F\xA1no key")), Some(4001));
    assert_eq!(closed(&masked(CLOSE, b"")), Some(websocket::Close::NO_CODE));
    // one that does not fit the buffer
    assert_eq!(closed(&masked(CLOSE, b"\x0F\xA1a reason of 24 characters")), Some(websocket::Close::NO_CODE));
    // faults, and the end of the stream
    for other in
        [&masked(CLOSE, 1005_u16.to_be_bytes())[..], &masked(CLOSE, b"1"), &masked(PING, b"\x0F\xA1"), b"\xC1\x80", b""]
    {
        assert_eq!(closed(other), None, "{other:?}");
    }
    // between fragments
    assert_eq!(closed(&[masked(FIRST, b"{"), masked(CLOSE, b"\x03\xE8")].concat()), Some(1000));
}

#[test]
fn group_3_reserved_bits() {
    for bits in 1..8 {
        let found = served::<64>(&[(TEXT, b"a"), (TEXT | bits << 4, b"b"), (TEXT, b"c")]);
        assert_eq!(found, [text("a"), fault(FrameErrorKind::ReservedBit, 7)]);
        assert_eq!(served::<64>(&[(PING | bits << 4, b"b")]), [fault(FrameErrorKind::ReservedBit, 0)]);
    }
}

#[test]
fn group_4_reserved_opcodes() {
    for opcode in (3..8).chain(11..16) {
        for fin in [0, 0x80] {
            assert_eq!(
                served::<64>(&[(PING, b""), (fin | opcode, b"")]),
                [item("ping", b""), fault(FrameErrorKind::ReservedOpcode, 6)]
            );
        }
    }
}

#[test]
fn group_5_fragments_with_control_frames_between_them() {
    assert_eq!(served::<64>(&[(FIRST, b"a"), (MIDDLE, b""), (MIDDLE, b"b"), (LAST, b"c")]), [text("abc")]);
    assert_eq!(served::<64>(&[(FIRST, b""), (MIDDLE, b""), (LAST, b"")]), [text("")]);
    assert_eq!(served::<64>(&[(0x02, b"a"), (LAST, b"\xFF")]), [item("binary", b"a\xFF")]);
    assert_eq!(
        served::<64>(&[
            (FIRST, b"ab"),
            (PING, b"1"),
            (MIDDLE, b"cd"),
            (PONG, b"2"),
            (PING, b""),
            (LAST, b"ef"),
            (TEXT, b"g")
        ]),
        [item("ping", b"1"), item("pong", b"2"), item("ping", b""), text("abcdef"), text("g")]
    );
    // one byte a fragment
    let bytes: Vec<u8> = (0..60_u8).collect();
    let mut stream = masked(FIRST, b"");
    for byte in &bytes {
        stream.extend([masked(MIDDLE, [*byte]), masked(PING, b"p")].concat());
    }
    stream.extend(masked(LAST, b""));
    let mut expected = vec![item("ping", b"p"); 60];
    expected.push(item("text", &bytes));
    assert_eq!(read::<Server, 64>(&stream), expected);
}

#[test]
fn group_5_wrong_fragments() {
    assert_eq!(served::<64>(&[(LAST, b"a")]), [fault(FrameErrorKind::UnexpectedContinuation, 0)]);
    assert_eq!(
        served::<64>(&[(TEXT, b"a"), (MIDDLE, b"a")]),
        [text("a"), fault(FrameErrorKind::UnexpectedContinuation, 7)]
    );
    assert_eq!(served::<64>(&[(FIRST, b"a"), (TEXT, b"a")]), [fault(FrameErrorKind::UnfinishedMessage, 7)]);
    assert_eq!(served::<64>(&[(FIRST, b"a"), (0x02, b"a")]), [fault(FrameErrorKind::UnfinishedMessage, 7)]);
    for opcode in 8..11 {
        assert_eq!(served::<64>(&[(opcode, b"")]), [fault(FrameErrorKind::FragmentedControl, 0)]);
    }
}

#[test]
fn group_6_text_is_utf8_wherever_it_is_cut() {
    let valid = "κόσμε \u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}\u{D7FF}\u{E000} 😀";
    assert_eq!(served::<128>(&[(TEXT, valid.as_bytes())]), [text(valid)]);
    for cut in 0..=valid.len() {
        let (first, last) = valid.as_bytes().split_at(cut);
        assert_eq!(
            served::<128>(&[(FIRST, first), (PING, b"\xFF"), (LAST, last)]),
            [item("ping", b"\xFF"), text(valid)]
        );
    }
    // a binary message is not text
    assert_eq!(served::<8>(&[(BINARY, b"\xFF")]), [item("binary", b"\xFF")]);
}

#[test]
fn group_6_the_first_wrong_byte_is_the_fault() {
    // a text, and the first byte that no text continues with
    for (bytes, wrong) in [
        (&b"a\x80"[..], 1),
        (b"\xC0\xAF", 0),
        (b"\xC1\xBF", 0),
        (b"\xE0\x9F\xBF", 1),
        (b"\xED\xA0\x80", 1),
        (b"\xF0\x8F\xBF\xBF", 1),
        (b"\xF4\x90\x80\x80", 1),
        (b"\xF5\x80\x80\x80", 0),
        (b"\xFF", 0),
        (b"abcdefghijklmnop\xE2\x82x", 18),
        (b"\xCE\xBA\xE1\xBD\xB9\xCF\x83\xCE\xBC\xCE\xB5\xED\xA0\x80edited", 12),
        // stops inside a character: its last byte
        (b"abc\xE2\x82", 4),
        (b"\xF0\x9F\x98", 2),
    ] {
        let offset = 6 + wrong as u64;
        assert_eq!(
            served::<64>(&[(TEXT, bytes), (TEXT, b"")]),
            [fault(FrameErrorKind::InvalidUtf8, offset)],
            "{bytes:x?}"
        );
        for cut in 0..=bytes.len() {
            // a fragment behind the wrong byte is not read
            let offset = offset + if wrong >= cut { 6 } else { 0 };
            let (first, last) = bytes.split_at(cut);
            let found = served::<64>(&[(FIRST, first), (LAST, last)]);
            let is_cut_short = core::str::from_utf8(bytes).unwrap_err().error_len().is_none();
            if is_cut_short && cut == bytes.len() {
                // the last byte of the header of the empty fragment
                assert_eq!(found, [fault(FrameErrorKind::InvalidUtf8, offset + 6)], "{bytes:x?} at {cut}");
            } else {
                assert_eq!(found, [fault(FrameErrorKind::InvalidUtf8, offset)], "{bytes:x?} at {cut}");
            }
        }
    }
}

#[test]
fn group_6_a_fault_comes_before_the_end_of_its_message() {
    let mut framer = Framer::<ToServer, 256>::new();
    let stream = masked(TEXT, [&b"ab\xFF"[..], &[b'x'; 100]].concat());
    framer.push(&stream[..8]);
    assert_eq!(framer.next(), None);
    framer.push(&stream[8..9]);
    let error = framer.next().unwrap().unwrap_err();
    assert_eq!((error.kind(), error.offset()), (FrameErrorKind::InvalidUtf8, 8));
}

#[test]
fn group_7_close_codes() {
    let close = |payload: &[u8]| served::<128>(&[(CLOSE, payload), (TEXT, b"dropped"), (0xFF, b"")]);
    assert_eq!(close(b""), [item("close", &websocket::Close::NO_CODE.to_be_bytes())]);
    assert_eq!(close(b"\x03"), [fault(FrameErrorKind::InvalidClose, 6)]);
    for code in 0..=u16::MAX {
        let is_valid = matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999);
        let stream = masked(CLOSE, code.to_be_bytes());
        let found = cut_as::<ToServer, 16, _>(&stream, || usize::MAX, see);
        if is_valid {
            assert_eq!(found, [item("close", &code.to_be_bytes())]);
        } else {
            assert_eq!(found, [fault(FrameErrorKind::InvalidCloseCode, 6)], "{code}");
        }
        let mut out = [0; 16];
        assert_eq!(ToServer::close(code, "x", &mut out).is_ok(), is_valid, "{code}");
    }
    let reason = "é".repeat(61);
    assert_eq!(
        close(&[b"\x03\xE8", reason.as_bytes()].concat()),
        [item("close", &[b"\x03\xE8", reason.as_bytes()].concat())]
    );
    assert_eq!(close(b"\x03\xE8a\xFFb"), [fault(FrameErrorKind::InvalidUtf8, 9)]);
    assert_eq!(close(b"\x03\xE8a\xC3"), [fault(FrameErrorKind::InvalidUtf8, 9)]);
    let mut out = [0; 256];
    assert_eq!(ToServer::close(1000, &"x".repeat(123), &mut out), Ok(127));
    assert_eq!(
        ToServer::close(1000, &"x".repeat(124), &mut out).map_err(|error| error.kind()),
        Err(nanojsonrpc::ErrorKind::InvalidValue)
    );
}

#[test]
fn group_7_a_close_ends_a_message_in_fragments() {
    assert_eq!(served::<64>(&[(FIRST, b"a"), (CLOSE, b"\x03\xE8"), (LAST, b"b")]), [item("close", b"\x03\xE8")]);
}

#[test]
fn a_client_refuses_masks_and_a_server_requires_them() {
    assert_eq!(read::<Server, 64>(b"\x81\x05Hello"), [fault(FrameErrorKind::MissingMask, 1)]);
    assert_eq!(read::<Client<Keys>, 64>(&masked(TEXT, b"Hello")), [fault(FrameErrorKind::UnexpectedMask, 1)]);
    assert_eq!(read::<Server, 64>(b"\x88\x00"), [fault(FrameErrorKind::MissingMask, 1)]);
}

#[test]
fn a_length_has_the_fewest_bytes() {
    for len in [0_u16, 1, 125] {
        let stream = [&[TEXT, 126][..], &len.to_be_bytes()].concat();
        assert_eq!(read::<Client<Keys>, 64>(&stream), [fault(FrameErrorKind::LengthNotMinimal, 3)], "{len}");
    }
    for len in [0_u64, 125, 126, 65535] {
        let stream = [&[TEXT, 127][..], &len.to_be_bytes()].concat();
        // shown by six bytes of zeros
        assert_eq!(read::<Client<Keys>, 64>(&stream), [fault(FrameErrorKind::LengthNotMinimal, 7)], "{len}");
    }
}

#[test]
fn a_length_is_at_most_four_gigabytes() {
    for (len, kind, offset) in [
        (1 << 63, FrameErrorKind::LengthOutOfRange, 2),
        (u64::MAX, FrameErrorKind::LengthOutOfRange, 2),
        ((1 << 63) - 1, FrameErrorKind::FrameTooLarge, 6),
        (1 << 62, FrameErrorKind::FrameTooLarge, 6),
        (1 << 40, FrameErrorKind::FrameTooLarge, 8),
        (1 << 32, FrameErrorKind::FrameTooLarge, 9),
    ] {
        let stream = [&[TEXT, 127][..], &u64::to_be_bytes(len), b"{}"].concat();
        assert_eq!(read::<Client<Keys>, 64>(&stream), [fault(kind, offset)], "{len}");
    }
    let stream = [&[TEXT, 127][..], &u64::from(u32::MAX).to_be_bytes(), &[b'x'; 64]].concat();
    assert_eq!(read::<Client<Keys>, 64>(&stream), [Err((FrameErrorKind::TooLong, 9))]);
    // until its front has filled the buffer, a message that is too long is like any other
    assert_eq!(read::<Client<Keys>, 64>(&stream[..73]), [Err((FrameErrorKind::Truncated, 73))]);
}

#[test]
fn a_message_that_is_too_long_is_dropped_to_its_end() {
    let long = [b'x'; 200];
    assert_eq!(served::<64>(&[(TEXT, &long[..64]), (TEXT, b"a")]), [item("text", &long[..64]), text("a")]);
    assert_eq!(served::<64>(&[(TEXT, &long[..65]), (TEXT, b"a")]), [Err((FrameErrorKind::TooLong, 1)), text("a")]);
    assert_eq!(served::<64>(&[(TEXT, &long), (TEXT, b"a")]), [Err((FrameErrorKind::TooLong, 3)), text("a")]);
    // in fragments: one error, whatever follows; control frames between them are read
    assert_eq!(
        served::<64>(&[
            (FIRST, &long[..40]),
            (MIDDLE, &long[..40]),
            (PING, b"p"),
            (MIDDLE, &long),
            (LAST, b"\xFF"),
            (TEXT, b"a")
        ]),
        [Err((FrameErrorKind::TooLong, 47)), item("ping", b"p"), text("a")]
    );
    // all but the last fragment leave a byte of room
    assert_eq!(served::<64>(&[(FIRST, &long[..63]), (LAST, b"y")]), [item("text", &[&long[..63], b"y"].concat())]);
    assert_eq!(
        served::<64>(&[(FIRST, &long[..64]), (LAST, b""), (TEXT, b"a")]),
        [Err((FrameErrorKind::TooLong, 1)), text("a")]
    );
}

#[test]
fn a_text_behind_one_that_was_dropped_inside_a_character_begins_anew() {
    assert_eq!(
        served::<16>(&[(FIRST, b"ab\xE2"), (LAST, &[b'x'; 20]), (TEXT, b"c")]),
        [Err((FrameErrorKind::TooLong, 10)), text("c")]
    );
}

#[test]
fn a_control_frame_without_room_ends_the_message_before_it() {
    let long = [b'x'; 125];
    assert_eq!(
        served::<64>(&[(FIRST, &long[..60]), (PING, b"12345"), (LAST, b""), (TEXT, b"a")]),
        [Err((FrameErrorKind::TooLong, 67)), item("ping", b"12345"), text("a")]
    );
    assert_eq!(
        served::<64>(&[(FIRST, &long[..60]), (PING, b"1234"), (LAST, b"")]),
        [item("ping", b"1234"), item("text", &long[..60])]
    );
    // beyond any room
    assert_eq!(served::<64>(&[(PING, &long), (TEXT, b"a")]), [Err((FrameErrorKind::TooLong, 1)), text("a")]);
    assert_eq!(
        served::<64>(&[(FIRST, b"a"), (PING, &long), (LAST, b""), (TEXT, b"a")]),
        [Err((FrameErrorKind::TooLong, 8)), text("a")]
    );
}

#[test]
fn the_end_of_the_stream_inside_what_is_skipped_is_no_second_fault() {
    let long = [b'a'; 80];
    for (first, other) in [(PING, TEXT), (TEXT, PING)] {
        let cut = masked(first, long);
        let found = read::<Server, 64>(&cut[..cut.len() - 1]);
        assert!(matches!(found[..], [Err((FrameErrorKind::TooLong, _))]), "{found:?}");
        let stream = [&masked(other, b"a")[..], &cut[..cut.len() - 1]].concat();
        assert_eq!(read::<Server, 64>(&stream).len(), 2);
    }
}

#[test]
fn the_end_of_the_stream_inside_a_message_is_a_fault() {
    let stream = [masked(TEXT, b"{}"), masked(FIRST, b"ab"), masked(PING, b"c"), masked(LAST, b"de")].concat();
    for end in 0..=stream.len() {
        let found = read::<Server, 16>(&stream[..end]);
        let is_between = end == 0 || end == 8 || end == stream.len();
        let truncated = Err((FrameErrorKind::Truncated, end as u64));
        assert_eq!(found.contains(&truncated), !is_between, "{end}");
    }
    // a message reported as too long is not reported again
    assert_eq!(read::<Server, 1>(&masked(TEXT, b"abc")[..8]), [Err((FrameErrorKind::TooLong, 1))]);
}

#[test]
fn a_framer_can_be_used_again_behind_a_fault() {
    let mut framer = Framer::<ToServer, 64>::new();
    framer.push(b"\xFF\xFF\xFF");
    assert!(framer.next().unwrap().is_err());
    assert_eq!(framer.push(&masked(TEXT, b"lost")), 10);
    assert_eq!(framer.next(), None);
    assert_eq!(framer.finish(), None);
    framer.clear();
    framer.push(&masked(TEXT, b"read"));
    assert_eq!(framer.next(), Some(Ok(Received::Text(b"read"))));
}

/// Frames that mean something, and any bytes.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let first =
        prop::sample::select(vec![TEXT, BINARY, CLOSE, PING, PONG, FIRST, 0x02, MIDDLE, LAST, LAST, 0xC1, 0x83]);
    let text =
        prop::sample::select(vec!["", "{}", "é", "[1,2,3]", "😀😀", "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":1}"]);
    let bytes = prop_oneof![
        6 => text.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..20),
        1 => (any::<u8>(), 0..200_usize).prop_map(|(byte, len)| vec![byte; len]),
    ];
    prop_oneof![
        12 => (first, bytes, any::<Option<[u8; 4]>>()).prop_map(|(first, bytes, key)| frame(first, &bytes, key)),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(2000)) })]

    #[test]
    fn chunks_do_not_change_frames(
        pieces in prop::collection::vec(piece(), 0..12),
        sizes in prop::collection::vec(prop_oneof![4 => 1..4_usize, 2 => 1..40_usize, 1 => Just(usize::MAX)], 1..20),
    ) {
        fn same<S: Side + 'static>(stream: &[u8], sizes: &[usize]) {
            fn check<S: Side + 'static, const N: usize>(stream: &[u8], sizes: &[usize]) {
                let expected = cut_as::<WebSocket<S>, N, _>(stream, || 1, see);
                let mut sizes = sizes.iter().cycle();
                assert_eq!(cut_as::<WebSocket<S>, N, _>(stream, || *sizes.next().unwrap(), see), expected);
                assert_eq!(cut_as::<WebSocket<S>, N, _>(stream, || usize::MAX, see), expected);
                assert!(expected.iter().flatten().all(|(_, bytes)| bytes.len() <= N.max(2)));
                let faults = expected.iter().filter(|found| matches!(found, Err((kind, _)) if kind.close_code().is_some()));
                assert!(faults.count() <= 1);
            }
            check::<S, 1>(stream, sizes);
            check::<S, 16>(stream, sizes);
            check::<S, 512>(stream, sizes);
        }
        let stream = pieces.concat();
        same::<Server>(&stream, &sizes);
        same::<Client<Keys>>(&stream, &sizes);
    }

    #[test]
    fn written_messages_are_read(
        messages in prop::collection::vec("\\PC{0,80}", 0..8),
        pings in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..126), 8),
        size in 1..100_usize,
    ) {
        fn wire<S: Side>(messages: &[String], pings: &[Vec<u8>]) -> Vec<u8> {
            let (mut wire, mut out) = (Vec::new(), [0; 512]);
            for (message, ping) in messages.iter().zip(pings) {
                let len = WebSocket::<S>::encode(message.as_bytes(), &mut out).unwrap();
                wire.extend(&out[..len]);
                let len = WebSocket::<S>::ping(ping, &mut out).unwrap();
                wire.extend(&out[..len]);
            }
            let len = WebSocket::<S>::close(1000, "end", &mut out).unwrap();
            wire.extend(&out[..len]);
            wire
        }
        let mut expected: Vec<Found> = Vec::new();
        for (message, ping) in messages.iter().zip(&pings) {
            expected.extend([text(message), item("ping", ping)]);
        }
        expected.push(item("close", b"\x03\xE8end"));
        prop_assert_eq!(cut_as::<ToServer, 512, _>(&wire::<Client<Keys>>(&messages, &pings), || size, see), expected.clone());
        prop_assert_eq!(cut_as::<ToClient, 512, _>(&wire::<Server>(&messages, &pings), || size, see), expected);
    }

    #[test]
    fn fragments_anywhere_make_the_same_text(message in "\\PC{0,80}", cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let bytes = message.as_bytes();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        let (mut stream, mut start) = (Vec::new(), 0);
        for cut in &cuts {
            stream.extend(masked(if stream.is_empty() { FIRST } else { MIDDLE }, &bytes[start..*cut]));
            start = *cut;
        }
        stream.extend(masked(if stream.is_empty() { TEXT } else { LAST }, &bytes[start..]));
        prop_assert_eq!(cut_as::<ToServer, 512, _>(&stream, || 3, see), [text(&message)]);
    }
}

#[test]
fn a_megabyte_byte_by_byte_is_one_message() {
    let len = if cfg!(miri) { 300 } else { 1 << 20 };
    let text = "€".repeat(len / 3);
    let found = cut::<WebSocket, { 1 << 20 }>(&masked(TEXT, &text), || 1);
    assert_eq!(found, [Ok(text.as_bytes().escape_ascii().to_string())]);
}

#[test]
fn a_fault_is_told_in_words_and_by_the_code_of_its_close() {
    use FrameErrorKind::*;

    for (kind, words, code) in [
        (ReservedBit, "reserved bit set", 1002),
        (ReservedOpcode, "reserved opcode", 1002),
        (MissingMask, "frame of a client without a mask", 1002),
        (UnexpectedMask, "frame of a server with a mask", 1002),
        (LengthNotMinimal, "length in too many bytes", 1002),
        (LengthOutOfRange, "length of 2^63 or more", 1002),
        (FragmentedControl, "control frame in fragments", 1002),
        (ControlTooLong, "control frame over 125 bytes", 1002),
        (UnexpectedContinuation, "continuation without a message", 1002),
        (UnfinishedMessage, "message inside a message", 1002),
        (FrameTooLarge, "frame over 4 GiB", 1009),
        (InvalidClose, "close with one byte", 1002),
        (InvalidCloseCode, "invalid close code", 1002),
        (InvalidUtf8, "text is not UTF-8", 1007),
    ] {
        assert_eq!((kind.to_string().as_str(), kind.close_code()), (words, Some(code)));
        assert_eq!(kind.is_limit(), kind == FrameErrorKind::FrameTooLarge);
    }
    assert_eq!(FrameErrorKind::TooLong.close_code(), None);
}

#[test]
fn a_message_is_framed_around_its_text() {
    let mut text = *b"a\n";
    WebSocket::<Server>::replace_line_ends(&mut text);
    assert_eq!(text, *b"a\n");
    assert_eq!(WebSocket::<Server>::head(5).as_ref(), b"\x81\x05");
    assert_eq!(WebSocket::<Server>::head(300).as_ref(), b"\x81\x7e\x01\x2c");
    // a key of zeros changes no byte
    assert_eq!(ToClient::head(5).as_ref(), b"\x81\x85\0\0\0\0");
}
