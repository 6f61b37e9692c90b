//! Matches texts against the subset of regular expressions that the macro accepts.

use crate::json::place::Rule;

/// A sequence of classes with counts, anchored at the front. No class shares a character with one that may follow it, so the
/// longest repetition of each class is the only one to try: the time is linear in the text.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// The keyword and the regular expression.
    pub rule: Rule,
    /// The classes.
    pub pieces: &'static [Piece],
    /// Whether the text ends after the last class, as `$` demands.
    pub is_closed: bool,
}

/// A class of characters with its counts.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Ranges of characters, both ends included.
    pub ranges: &'static [(char, char)],
    /// Whether the class is that of all other characters.
    pub is_negated: bool,
    /// The least count.
    pub least: u16,
    /// The greatest count; `u16::MAX` if there is none.
    pub most: u16,
}

impl Pattern {
    /// Whether a text matches. Not inlined: programs link one copy.
    #[inline(never)]
    pub(super) fn matches(&self, text: &str) -> bool {
        let mut rest = text.as_bytes();
        self.matches_all(core::iter::from_fn(|| code_point(&mut rest)))
    }

    /// Whether the code points match.
    #[inline(always)]
    pub(super) fn matches_all(&self, mut rest: impl Iterator<Item = u32>) -> bool {
        // one call of `next`, which is inlined
        let mut letter = None;
        for piece in self.pieces {
            let mut count = 0u16;
            loop {
                letter = letter.or_else(|| rest.next());
                if !letter.is_some_and(|letter| count != piece.most && piece.contains(letter)) {
                    break;
                }
                // no end if there is no greatest count
                (letter, count) = (None, count.saturating_add(u16::from(count < UNBOUNDED.wrapping_sub(1))));
            }
            if count < piece.least {
                return false;
            }
        }
        !self.is_closed || letter.or_else(|| rest.next()).is_none()
    }
}

/// The greatest count of a class that may repeat without end.
const UNBOUNDED: u16 = u16::MAX;

impl Piece {
    fn contains(&self, letter: u32) -> bool {
        self.ranges.iter().any(|(first, last)| (u32::from(*first)..=u32::from(*last)).contains(&letter))
            != self.is_negated
    }
}

/// Takes the next code point of valid UTF-8: half of the flash of `str::chars`. RFC 3629 §3.
#[inline(always)]
fn code_point(rest: &mut &[u8]) -> Option<u32> {
    let (first, mut behind) = rest.split_first()?;
    let mut letter = u32::from(*first);
    if letter >= 0x80 {
        letter &= 0x7F_u32.wrapping_shr(first.leading_ones());
        while let Some((next @ 0x80..0xC0, more)) = behind.split_first() {
            letter = letter << 6 | u32::from(next & 0x3F);
            behind = more;
        }
    }
    *rest = behind;
    Some(letter)
}
