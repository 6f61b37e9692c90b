//! Cuts of a WebSocket stream change nothing; written frames are read; no bytes make a framer panic or hang.
//!
//! The items are also compared with those of a reader of whole streams, which has no cuts and no capacities.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nanojsonrpc::frame::websocket::{Client, MaskingKey, Received, Server, Side};
use nanojsonrpc::frame::{Frame, FrameErrorKind, Framer, WebSocket};

struct Keys;

impl MaskingKey for Keys {
    fn next_key() -> [u8; 4] {
        [0xA5, 0x01, 0xFF, 0x7E]
    }
}

/// Room for any message of a fuzzed stream.
const ROOM: usize = 4_096;

/// The opcode and the payload, or a fault and its offset.
type Found = Result<(u8, Vec<u8>), (FrameErrorKind, u64)>;

// The first byte selects the check, the next four cut the rest.
fuzz_target!(|input: &[u8]| {
    let Some(([kind, sizes @ ..], stream)) = input.split_first_chunk::<5>() else { return };
    match kind % 3 {
        0 => read::<Server>(stream, sizes, true),
        1 => read::<Client<Keys>>(stream, sizes, false),
        _ => {
            round_trip::<Server, Client<Keys>>(stream, sizes);
            round_trip::<Client<Keys>, Server>(stream, sizes);
        }
    }
});

fn read<S: Side>(stream: &[u8], sizes: &[u8], is_masked: bool) {
    check::<S, 1>(stream, sizes);
    check::<S, 24>(stream, sizes);
    let found = check::<S, ROOM>(stream, sizes);
    if stream.len() < ROOM - 125 {
        assert_eq!(found, expected(stream, is_masked));
    }
}

fn check<S: Side, const N: usize>(stream: &[u8], sizes: &[u8]) -> Vec<Found> {
    let whole = cut::<S, N>(stream, &[u8::MAX]);
    assert_eq!(cut::<S, N>(stream, &[1]), whole);
    assert_eq!(cut::<S, N>(stream, sizes), whole);
    whole
}

fn cut<S: Side, const N: usize>(stream: &[u8], sizes: &[u8]) -> Vec<Found> {
    let mut framer = Framer::<WebSocket<S>, N>::new();
    let mut found = Vec::new();
    let mut sizes = sizes.iter().cycle();
    let mut rest = stream;
    while !rest.is_empty() {
        let size = sizes.next().map_or(1, |size| usize::from(*size).max(1));
        let len = framer.push(&rest[..size.min(rest.len())]);
        assert_ne!(len, 0, "stuck");
        rest = &rest[len..];
        while let Some(item) = framer.next() {
            found.push(item.map(owned).map_err(|error| (error.kind(), error.offset())));
            assert!(found.len() <= 2 * stream.len(), "it never stops");
        }
    }
    while let Some(item) = framer.finish() {
        found.push(item.map(owned).map_err(|error| (error.kind(), error.offset())));
        assert!(found.len() <= 2 * stream.len(), "it never stops");
    }
    found
}

fn owned(item: Received<'_>) -> (u8, Vec<u8>) {
    let mut reply = [0; 140];
    assert!(item.reply::<Server>(&mut reply).is_ok());
    match item {
        Received::Text(text) => {
            assert!(std::str::from_utf8(text).is_ok());
            (1, text.to_vec())
        }
        Received::Binary(bytes) => (2, bytes.to_vec()),
        Received::Ping(bytes) => (9, bytes.to_vec()),
        Received::Pong(bytes) => (10, bytes.to_vec()),
        Received::Close(close) if close.code() == 1005 => (8, vec![]),
        Received::Close(close) => (8, [&close.code().to_be_bytes(), close.reason()].concat()),
        _ => unreachable!("a new item"),
    }
}

/// The messages in a whole stream, and its fault, as RFC 6455 has them.
fn expected(stream: &[u8], is_masked: bool) -> Vec<Found> {
    let mut found = Vec::new();
    let end = messages(stream, is_masked, &mut found);
    if let Err((kind, at)) = end {
        found.push(Err((kind, at as u64)));
    }
    found
}

fn messages(stream: &[u8], is_masked: bool, found: &mut Vec<Found>) -> Result<(), (FrameErrorKind, usize)> {
    let truncated = (FrameErrorKind::Truncated, stream.len());
    let fault = |fault: FrameErrorKind, at: usize| (fault, at);
    let byte = |at: usize| stream.get(at).copied().ok_or(truncated);
    let mut message: Option<(u8, Vec<u8>)> = None;
    let mut at = 0;
    while at < stream.len() {
        let (first, start) = (byte(at)?, at);
        let (is_last, opcode) = (first & 0x80 != 0, first & 15);
        let wrong = match opcode {
            _ if first & 0x70 != 0 => Some(FrameErrorKind::ReservedBit),
            3..=7 | 11.. => Some(FrameErrorKind::ReservedOpcode),
            8.. if !is_last => Some(FrameErrorKind::FragmentedControl),
            0 if message.is_none() => Some(FrameErrorKind::UnexpectedContinuation),
            1 | 2 if message.is_some() => Some(FrameErrorKind::UnfinishedMessage),
            _ => None,
        };
        if let Some(wrong) = wrong {
            return Err(fault(wrong, start));
        }
        let second = byte(at + 1)?;
        if (second & 0x80 != 0) != is_masked {
            return Err(fault(
                if is_masked { FrameErrorKind::MissingMask } else { FrameErrorKind::UnexpectedMask },
                start + 1,
            ));
        }
        let mut len = u64::from(second & 0x7F);
        at += 2;
        if len > 125 {
            if opcode >= 8 {
                return Err(fault(FrameErrorKind::ControlTooLong, start + 1));
            }
            let width = if len == 126 { 2 } else { 8 };
            let digits = &stream[at..stream.len().min(at + width)];
            // the faults that a length shows before its end
            let value = digits.iter().fold(0, |value, digit| value << 8 | u64::from(*digit));
            let value_of =
                |count: usize| digits[..count].iter().fold(0_u64, |value, digit| value << 8 | u64::from(*digit));
            if width == 8 {
                if digits.first().is_some_and(|digit| *digit >= 0x80) {
                    return Err(fault(FrameErrorKind::LengthOutOfRange, at));
                }
                if let Some(count) = (1..=digits.len()).find(|count| value_of(*count) > u64::from(u32::MAX)) {
                    return Err(fault(FrameErrorKind::FrameTooLarge, at + count - 1));
                }
                if digits.len() >= 6 && value_of(6) == 0 {
                    return Err(fault(FrameErrorKind::LengthNotMinimal, at + 5));
                }
            } else if digits.len() == 2 && value < 126 {
                return Err(fault(FrameErrorKind::LengthNotMinimal, at + 1));
            }
            at += width;
            byte(at - 1)?;
            len = value;
        }
        let stored = message.as_ref().map_or(0, |(_, text)| text.len()) as u64;
        // a message without a byte so far is read until its front fills the buffer, and the stream is shorter
        if stored > 0 && opcode < 8 && stored + len >= ROOM as u64 + u64::from(is_last) {
            return Err((FrameErrorKind::TooLong, at - 1));
        }
        let key = if is_masked { stream.get(at..at + 4).ok_or(truncated)? } else { &[0; 4] };
        at += if is_masked { 4 } else { 0 };
        let end = at + len as usize;
        let payload = &stream[at..stream.len().min(end)];
        let payload: Vec<u8> = payload.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
        if opcode >= 8 {
            if end > stream.len() {
                return Err(truncated);
            }
            if opcode == 8 {
                match payload[..] {
                    [] => {}
                    [_] => return Err(fault(FrameErrorKind::InvalidClose, at)),
                    [high, low, ref reason @ ..] => {
                        let code = u16::from_be_bytes([high, low]);
                        if !matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) {
                            return Err(fault(FrameErrorKind::InvalidCloseCode, at));
                        }
                        if let Some(wrong) = wrong_byte(reason, true) {
                            return Err(fault(FrameErrorKind::InvalidUtf8, at + 2 + wrong));
                        }
                    }
                }
                found.push(Ok((8, payload)));
                return Ok(());
            }
            found.push(Ok((opcode, payload)));
            at = end;
            continue;
        }
        let (kind, mut text) = message.take().unwrap_or((opcode, vec![]));
        let before = text.len();
        text.extend(&payload);
        if kind == 1 {
            let is_whole = is_last && end <= stream.len();
            if let Some(wrong) = wrong_byte(&text, is_whole) {
                // an empty last fragment has no byte: the last one of its header
                let place = if wrong < before { at - 1 } else { at + wrong - before };
                return Err(fault(FrameErrorKind::InvalidUtf8, place));
            }
        }
        if end > stream.len() {
            return Err(truncated);
        }
        at = end;
        if is_last {
            found.push(Ok((kind, text)));
        } else {
            message = Some((kind, text));
        }
    }
    if message.is_some() { Err(truncated) } else { Ok(()) }
}

/// The first byte that no UTF-8 continues with; the last one of a whole text that stops inside a character.
fn wrong_byte(text: &[u8], is_whole: bool) -> Option<usize> {
    let error = std::str::from_utf8(text).err()?;
    if error.error_len().is_none() {
        return is_whole.then(|| text.len() - 1);
    }
    let valid = error.valid_up_to();
    (valid..text.len())
        .find(|end| std::str::from_utf8(&text[valid..=*end]).is_err_and(|error| error.error_len().is_some()))
}

/// Each side reads the output of the other: `data` as texts and pings, cut at 0xFF.
fn round_trip<S: Side, P: Side>(data: &[u8], sizes: &[u8]) {
    let (mut wire, mut expected, mut out) = (Vec::new(), Vec::new(), vec![0; data.len() + 200]);
    for piece in data.split(|byte| *byte == 0xFF) {
        let text = String::from_utf8_lossy(piece);
        let text = &text.as_bytes()[..if text.len() < data.len() { text.len() } else { 0 }];
        let len = WebSocket::<S>::encode(text, &mut out).expect("room enough");
        wire.extend(&out[..len]);
        expected.push(Ok((1, text.to_vec())));
        let ping = &piece[..piece.len().min(125)];
        let len = WebSocket::<S>::ping(ping, &mut out).expect("room enough");
        wire.extend(&out[..len]);
        expected.push(Ok((9, ping.to_vec())));
    }
    if expected.iter().flatten().all(|(_, bytes)| bytes.len() <= ROOM) {
        assert_eq!(cut::<P, ROOM>(&wire, sizes), expected);
    }
}
