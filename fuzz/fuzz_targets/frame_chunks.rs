//! Where the chunks are cut changes nothing that a frame hands out; no bytes make one panic or get stuck.
//!
//! Bare values are also held against `RawValue::parse`: what comes out is valid, and the first error is the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nanojsonrpc::frame::{ContentLength, Events, Frame, FrameErrorKind, Framer, Lines, Values};
use nanojsonrpc::{ErrorKind, RawValue};

type Found = Result<Vec<u8>, (FrameErrorKind, u64)>;

// The first bytes say how the rest is cut.
fuzz_target!(|input: &[u8]| {
    let Some((sizes, stream)) = input.split_first_chunk::<4>() else { return };
    check::<Lines, 24>(stream, sizes);
    check::<Lines, 512>(stream, sizes);
    check::<ContentLength, 24>(stream, sizes);
    check::<ContentLength, 512>(stream, sizes);
    check::<Events<4, 4>, 24>(stream, sizes);
    check::<Events, 512>(stream, sizes);
    check::<Values, 24>(stream, sizes);
    values(stream, &check::<Values, 2048>(stream, sizes));
});

fn check<F: Frame, const N: usize>(stream: &[u8], sizes: &[u8]) -> Vec<Found> {
    let whole = cut::<F, N>(stream, &[u8::MAX]);
    assert_eq!(cut::<F, N>(stream, &[1]), whole);
    assert_eq!(cut::<F, N>(stream, sizes), whole);
    whole
}

fn cut<F: Frame, const N: usize>(stream: &[u8], sizes: &[u8]) -> Vec<Found> {
    let mut framer = Framer::<F, N>::new();
    let mut found = Vec::new();
    let mut sizes = sizes.iter().cycle();
    let mut rest = stream;
    while !rest.is_empty() {
        let size = sizes.next().map_or(1, |size| usize::from(*size).max(1));
        let len = framer.push(&rest[..size.min(rest.len())]);
        assert_ne!(len, 0, "stuck");
        rest = &rest[len..];
        while let Some(item) = framer.next() {
            found.push(item.map(|item| item.as_ref().to_vec()).map_err(|error| (error.kind(), error.offset())));
            assert!(found.len() <= 2 * stream.len(), "it never stops");
        }
        assert!(framer.next().is_none());
    }
    while let Some(item) = framer.finish() {
        found.push(item.map(|item| item.as_ref().to_vec()).map_err(|error| (error.kind(), error.offset())));
        assert!(found.len() <= 2 * stream.len(), "it never stops");
    }
    found
}

/// What the first value of the stream is, by the plain parser, and that every value is one.
fn values(stream: &[u8], found: &[Found]) {
    for value in found.iter().flatten() {
        assert_eq!(RawValue::parse(value).map(RawValue::as_bytes), Ok(&value[..]));
    }
    if stream.len() >= 2048 {
        return;
    }
    let error = match RawValue::parse(stream) {
        Ok(value) => return assert_eq!(found, [Ok(value.as_bytes().to_vec())]),
        Err(error) => error,
    };
    let (offset, first) = (error.offset(), found.first());
    match error.kind() {
        ErrorKind::TrailingData => assert_eq!(first, Some(&Ok(stream[..offset].trim_ascii().to_vec()))),
        ErrorKind::UnexpectedEnd if stream.trim_ascii().is_empty() => assert_eq!(first, None),
        ErrorKind::UnexpectedEnd => assert_eq!(first, Some(&Err((FrameErrorKind::Truncated, offset as u64)))),
        _ if stream[offset..].starts_with(b"\xEF\xBB\xBF") && error.kind() == ErrorKind::ExpectedValue => {}
        kind => assert_eq!(first, Some(&Err((FrameErrorKind::NotJson(kind), offset as u64)))),
    }
}
