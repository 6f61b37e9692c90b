//! Shared by the tests of the frames: reads a stream and returns its items as plain values.
// Each test file uses its own part of this.
#![allow(dead_code)]

use nanojsonrpc::frame::{Buffer, Frame, FrameErrorKind, Framer, FramerOver};

/// A message, or an error and its offset.
pub(crate) type Found = Result<String, (FrameErrorKind, u64)>;

pub(crate) fn message(text: &str) -> Found {
    Ok(text.to_string())
}

/// The items of `stream`, cut into chunks of the sizes that `size` returns.
pub(crate) fn cut<F: Frame, const N: usize>(stream: &[u8], size: impl FnMut() -> usize) -> Vec<Found> {
    cut_as::<F, N, _>(stream, size, |item| item.as_ref().escape_ascii().to_string())
}

/// The same, with a function that selects the parts of an item.
pub(crate) fn cut_as<F: Frame, const N: usize, T>(
    stream: &[u8],
    size: impl FnMut() -> usize,
    see: impl Fn(F::Item<'_>) -> T,
) -> Vec<Result<T, (FrameErrorKind, u64)>> {
    cut_over(&mut Framer::<F, N>::new(), stream, size, see)
}

/// The same over any buffer.
pub(crate) fn cut_over<F: Frame, B: Buffer, T>(
    framer: &mut FramerOver<F, B>,
    stream: &[u8],
    mut size: impl FnMut() -> usize,
    see: impl Fn(F::Item<'_>) -> T,
) -> Vec<Result<T, (FrameErrorKind, u64)>> {
    let mut found = Vec::new();
    let mut rest = stream;
    while !rest.is_empty() {
        let spare = framer.spare();
        assert!(!spare.is_empty(), "stuck at byte {}", stream.len() - rest.len());
        let len = size().clamp(1, rest.len()).min(spare.len());
        spare[..len].copy_from_slice(&rest[..len]);
        framer.filled(len);
        rest = &rest[len..];
        while let Some(item) = framer.next() {
            found.push(item.map(&see).map_err(|error| (error.kind(), error.offset())));
            // a frame holds a byte, and an error is reported for one
            assert!(found.len() <= 2 * stream.len(), "it never stops");
        }
        assert!(framer.next().is_none(), "a message was there and did not come");
    }
    while let Some(item) = framer.finish() {
        found.push(item.map(&see).map_err(|error| (error.kind(), error.offset())));
        assert!(found.len() <= 2 * stream.len(), "it never stops");
    }
    assert!(framer.next().is_none() && framer.finish().is_none(), "the end has two ends");
    found
}

/// The items of `stream`; asserts that they are the same for chunks of every size.
pub(crate) fn frames<F: Frame, const N: usize>(stream: &[u8]) -> Vec<Found> {
    let found = cut::<F, N>(stream, || usize::MAX);
    for size in (1..=stream.len()).step_by(if cfg!(miri) { 1 + stream.len() / 3 } else { 1 }) {
        assert_eq!(cut::<F, N>(stream, || size), found, "chunks of {size}: {}", stream.escape_ascii());
    }
    found
}
