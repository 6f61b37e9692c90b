//! Objects of which one look tells everything: short, the first member as foreseen, no white space, nothing in
//! strings that is no plain ASCII, and at most one array or object, with none in it.
//!
//! As in [`structure`](super::structure), which has no such limits, each token is judged by the one before it. So it does not
//! matter which members there are, and of which kind: that differs from element to element, and nobody foresees it.

use super::super::names::Names;
use super::block::{Block, Look, digit, not_plain};
use super::scalar::{literal, long_number};
use super::string::between;
use super::structure::{Behind, Tokens};
use super::word::{byte, eight};

/// The bytes of the flat objects, each with a comma behind it, that begin the array of which `text` is the inside: as many
/// as are valid.
#[inline(never)]
pub(super) fn elements(text: &[u8], names: &'static Names) -> usize {
    let mut rest = text;
    while let Some([b',', behind @ ..]) = object(rest, names) {
        rest = behind;
    }
    text.len().wrapping_sub(rest.len())
}

/// What is behind the object at the front of `text`; `None` if it is not flat, or not valid, or near the end of the text.
#[inline(always)]
fn object<'a>(text: &'a [u8], names: &'static Names) -> Option<&'a [u8]> {
    names.beginning_of(*text.first_chunk()?)?;
    let members = text.get(16..)?;
    let Flat { end, .. } = Flat::of(members, Block::new(members.first_chunk()?))?;
    members.get((end.trailing_zeros() as usize).wrapping_add(1)..)
}

/// *( value-separator member ) end-object
pub(super) struct Flat {
    /// A bit for the comma before each member.
    pub(super) begins: u64,
    /// The bit of the closing bracket.
    pub(super) end: u64,
}

impl Flat {
    /// What is at the front of `text`, of which `look` is what is seen; `None` if it is not flat, or not valid.
    #[inline(always)]
    pub(super) fn of(text: &[u8], look: impl Look) -> Option<Self> {
        if look.any(not_plain) {
            return None;
        }
        let quote = look.equal(b'"');
        let inside = between(quote);
        let mut rest = look.bracket() & !inside;
        let mut next = || {
            let lowest = rest & rest.wrapping_neg();
            rest ^= lowest;
            (lowest, byte(text, lowest.trailing_zeros() as usize))
        };
        // from the opening bracket to the closing one
        let (mut opening, mut closing, mut bracket) = (0, 0, 0);
        let mut is_array = false;
        let mut last = next();
        if last.1 != b'}' {
            let (begin, end) = (last, next());
            // a closing one is two above what it closes
            if end.1.wrapping_sub(begin.1) != 2 {
                return None;
            }
            (opening, closing) = (begin.0, end.0);
            bracket = closing.wrapping_sub(opening);
            is_array = begin.1 == b'[';
            last = next();
        }
        if last.0 == 0 || last.1 != b'}' {
            return None;
        }
        let (last, _) = last;
        let within = last ^ last.wrapping_sub(1);
        let comma = look.equal(b',') & !inside;
        let colon = look.equal(b':') & !inside;
        let mut tokens = Tokens { quote, inside, comma, colon, opening, closing: closing | last, scalar: 0 };
        tokens.scalar = !(tokens.all() | inside) & within;
        // where an object is the innermost that is open
        let object = if is_array { !bracket } else { u64::MAX };
        let wrong = tokens.misplaced(object, &mut { Behind::VALUE }, |tokens, carry| tokens << 1 | *carry);
        // int = zero / ( digit1-9 *DIGIT )
        let start = tokens.scalar & !(tokens.scalar << 1);
        let digit = look.mask(digit);
        let odd = tokens.scalar & !digit | start & digit >> 1 & look.equal(b'0');
        if wrong & within != 0 || odd != 0 && !are_scalars(text, tokens.scalar, start) {
            return None;
        }
        Some(Self { begins: comma & !bracket & within, end: last })
    }
}

/// Whether each run of `scalar` bytes of `text`, which begin at the bits `start`, is a number or literal.
#[inline(never)]
fn are_scalars(text: &[u8], scalar: u64, mut start: u64) -> bool {
    while start != 0 {
        let at = start.trailing_zeros();
        let len = (!(scalar >> at)).trailing_zeros() as usize;
        let rest = text.get(at as usize..).unwrap_or_default();
        let read = if byte(rest, 0) >= b'a' { literal(eight(rest, 0)) } else { long_number(rest) };
        if read != Some(len) {
            return false;
        }
        start &= start.wrapping_sub(1);
    }
    true
}
