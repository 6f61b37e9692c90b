//! Frames of one's own: COBS and a length before each message, as the example has them.

use crate::frames::{Found, cut, frames, message};
use example::{Cobs, LengthPrefix};
use nanojsonrpc::ErrorKind;
use nanojsonrpc::frame::{Frame, FrameErrorKind, Framer};

#[path = "../../examples/frames/mod.rs"]
mod example;

fn error(kind: FrameErrorKind, offset: u64) -> Found {
    Err((kind, offset))
}

fn text(bytes: &[u8]) -> Found {
    message(&bytes.escape_ascii().to_string())
}

/// The frame of `message` in an output of the exact length and in a larger one, which must be equal.
fn encoded<F: Frame>(message: &[u8]) -> Vec<u8> {
    let mut out = vec![0xAA; 2 * message.len() + 16];
    let len = F::encode(message, &mut out).unwrap();
    out.truncate(len);
    assert_eq!(F::encode(message, &mut vec![0; len]), Ok(len));
    assert_eq!(F::encode(message, &mut vec![0; len - 1]).map_err(|error| error.kind()), Err(ErrorKind::OutputFull));
    out
}

#[test]
fn cobs_is_read_as_its_authors_show_it() {
    for (bytes, frame) in [
        (&b""[..], &b"\x01\0"[..]),
        (b"\0", b"\x01\x01\0"),
        (b"\0\0", b"\x01\x01\x01\0"),
        (b"\x11\x22\0\x33", b"\x03\x11\x22\x02\x33\0"),
        (b"\x11\x22\x33\x44", b"\x05\x11\x22\x33\x44\0"),
        (b"\x11\0\0\0", b"\x02\x11\x01\x01\x01\0"),
    ] {
        assert_eq!(frames::<Cobs, 16>(&[frame, b"\0", frame].concat()), [text(bytes), text(bytes)]);
    }
    let long: Vec<u8> = (1..=u8::MAX).collect();
    let stream = [b"\xFF", &long[..254], b"\x02\xFF\0"].concat();
    assert_eq!(cut::<Cobs, 300>(&stream, || 7), [text(&long)]);
}

#[test]
fn a_message_in_cobs_is_read_as_it_was_written() {
    for len in [1, 2, 252, 253, 254, 255, 507, 508, 509, 1000, 9000] {
        let message = [b"\"", &vec![b'x'; len][..], b"\""].concat();
        let frame = encoded::<Cobs>(&message);
        assert!(!frame[..frame.len() - 1].contains(&0) && frame.ends_with(&[0]));
        for size in [1, 100, usize::MAX] {
            assert_eq!(
                cut::<Cobs, 9100>(&[&frame[..], &frame].concat(), || size),
                [text(&message), text(&message)],
                "{len}"
            );
        }
    }
}

#[test]
fn a_fault_in_cobs_costs_its_own_frame() {
    let good = b"\x04[1]\0";
    let cases: [(&[u8], Found); 4] = [
        (b"\x05[1]\0", error(FrameErrorKind::Malformed, 4)),
        (b"\x09[2,3,4,5\0", error(FrameErrorKind::TooLong, 9)),
        (b"\x0C[2,3,4,5,6]\0", error(FrameErrorKind::TooLong, 9)),
        (b"\x03[2\x03]\0", error(FrameErrorKind::Malformed, 5)),
    ];
    for (frame, found) in cases {
        let stream = [frame, good, good].concat();
        assert_eq!(frames::<Cobs, 8>(&stream), [found, text(b"[1]"), text(b"[1]")], "{}", frame.escape_ascii());
    }
    assert_eq!(frames::<Cobs, 8>(b"\x04[1]\0\x04[1"), [text(b"[1]"), error(FrameErrorKind::Truncated, 8)]);
    assert_eq!(frames::<Cobs, 8>(b"\x04[1]"), [error(FrameErrorKind::Truncated, 4)]);
    assert_eq!(frames::<Cobs, 4>(b"\x07[1,2,"), [error(FrameErrorKind::TooLong, 5)]);
}

#[test]
fn a_length_tells_where_a_message_ends() {
    let frame = encoded::<LengthPrefix>(b"[1,\n2]");
    assert_eq!(frame, b"\0\0\0\x06[1,\n2]");
    let stream = [&frame[..], b"\0\0\0\x09[2,3,4,5]", b"\0\0\0\0", &frame].concat();
    let expected = [text(b"[1,\n2]"), error(FrameErrorKind::TooLong, 22), text(b""), text(b"[1,\n2]")];
    assert_eq!(frames::<LengthPrefix, 8>(&stream), expected);
    assert_eq!(frames::<LengthPrefix, 8>(b"\0\0"), [error(FrameErrorKind::Truncated, 2)]);
    assert_eq!(frames::<LengthPrefix, 8>(&frame[..7]), [error(FrameErrorKind::Truncated, 7)]);
    assert_eq!(frames::<LengthPrefix, 2>(&frame[..7]), [error(FrameErrorKind::TooLong, 6)]);
    // the next stream has no part of the last one
    let mut framer = Framer::<LengthPrefix, 8>::new();
    framer.push(&frame[..7]);
    assert!(framer.finish().is_some_and(|found| found.is_err()) && framer.finish().is_none());
    framer.push(b"\0\0\0\x02[]");
    assert_eq!(framer.next(), Some(Ok(&b"[]"[..])));
}

#[cfg(feature = "embedded-io")]
#[test]
fn connections_and_limits_work_with_own_frames() {
    use nanojsonrpc::Notification;
    use nanojsonrpc::connection::{Connection, ConnectionError};

    fn sent<F: Frame>(len: usize, room: usize) -> Result<Vec<u8>, ErrorKind> {
        let (mut sent, mut output) = (vec![0; 20_000], vec![0; room]);
        let mut writer = &mut sent[..];
        let mut framer = Framer::<F, 64>::new();
        let text = ["\"", &"x".repeat(len - 2), "\""].concat();
        let mut connection = Connection::new(&b""[..], &mut writer, &mut framer, &mut output);
        match connection.send_text(text.as_bytes()) {
            Err(ConnectionError::Message(error)) => return Err(error.kind()),
            outcome => outcome.unwrap(),
        }
        assert!(connection.send(&Notification::new("x")).is_ok());
        let left = writer.len();
        sent.truncate(20_000 - left);
        let behind = encoded::<F>(br#"{"jsonrpc":"2.0","method":"x"}"#);
        assert_eq!(sent, [encoded::<F>(text.as_bytes()), behind].concat());
        Ok(sent)
    }

    for len in [2, 253, 254, 255, 508, 5000, Cobs::MAX_MESSAGE_LEN] {
        assert!(sent::<Cobs>(len, 40 + len.max(40) + 1).is_ok(), "{len}");
        assert!(sent::<LengthPrefix>(len, 40 + len.max(40)).is_ok(), "{len}");
        assert_eq!(sent::<Cobs>(len.max(60), 40 + len.max(60)), Err(ErrorKind::OutputFull));
    }
    assert_eq!(sent::<Cobs>(Cobs::MAX_MESSAGE_LEN + 1, 15_000), Err(ErrorKind::OutputFull));
}
