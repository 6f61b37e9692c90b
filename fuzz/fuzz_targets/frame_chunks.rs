//! The cuts between chunks do not change the results of a frame; no bytes make a frame panic or hang.
//!
//! Bare values are also compared with `RawValue::parse`: each item is valid, and the first error is the same.
#![no_main]

#[path = "../../tests/common/entry_points.rs"]
mod entry_points;

use entry_points::comes_out_of_a_stream;
use libfuzzer_sys::fuzz_target;
use nanojsonrpc::RawValue;
use nanojsonrpc::frame::{ContentLength, Events, Frame, FrameErrorKind, Framer, Lines, Values};

/// The buffer of the longer of two streams of values.
const ROOM: usize = 2_048;

type Found = Result<Vec<u8>, (FrameErrorKind, u64)>;

// The first byte selects the frame, and the next four the cuts of the rest.
fuzz_target!(|input: &[u8]| {
    let Some(([kind, sizes @ ..], stream)) = input.split_first_chunk::<5>() else { return };
    match kind % 4 {
        0 => {
            check::<Lines, 24>(stream, sizes);
            check::<Lines, 512>(stream, sizes);
        }
        1 => {
            check::<ContentLength, 24>(stream, sizes);
            check::<ContentLength, 512>(stream, sizes);
        }
        2 => {
            check::<Events<4, 4>, 24>(stream, sizes);
            check::<Events, 512>(stream, sizes);
        }
        _ => {
            check::<Values, 24>(stream, sizes);
            let found = check::<Values, ROOM>(stream, sizes);
            for value in found.iter().flatten() {
                assert_eq!(RawValue::parse(value).map(RawValue::as_bytes), Ok(&value[..]));
            }
            if stream.len() < ROOM {
                comes_out_of_a_stream::<ROOM>(stream, RawValue::parse(stream));
            }
        }
    }
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
