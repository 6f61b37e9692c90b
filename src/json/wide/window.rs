//! A window of sixty-four bytes, of which is known where the special ones and the digits are.

use super::block::{self, LEN};
use super::value::Find;
use super::word::byte;
use super::{numbers, scalar, string, word};

/// What is known of the sixty-four bytes from `base` on. It moves on when something is asked of bytes beyond it.
///
/// `INDENTED` text is given a third mask for what is at the beginning of its lines.
pub(super) struct Window<const INDENTED: bool> {
    base: usize,
    special: u64,
    digit: u64,
    not_indent: u64,
}

/// A number that begins behind so many bytes of the window would often end beyond it.
const LATE: usize = 40;

impl<const INDENTED: bool> Window<INDENTED> {
    #[inline(always)]
    pub(super) fn new(text: &[u8], at: usize) -> Self {
        let mut window = Self { base: 0, special: 0, digit: 0, not_indent: 0 };
        window.move_to(text, at);
        window
    }

    #[inline(never)]
    fn move_to(&mut self, text: &[u8], at: usize) {
        let [special, digit, not_indent] = block::read(text, at, |block| {
            [block.special(), block.digit(), if INDENTED { block.not_indent() } else { 0 }]
        });
        *self = Self { base: at, special, digit, not_indent };
    }

    /// Where the first of the bytes that `mask` holds is, from `at` on, if it is in the window.
    #[inline(always)]
    fn seen(&self, mask: u64, at: usize) -> Option<usize> {
        let offset = at.wrapping_sub(self.base);
        let ahead = if offset < LEN { mask >> offset } else { 0 };
        if ahead == 0 { None } else { Some(at.wrapping_add(ahead.trailing_zeros() as usize)) }
    }

    /// Where the first special byte beyond the window is. The end of the text is one.
    #[inline(never)]
    fn far_special(&mut self, text: &[u8], mut at: usize) -> usize {
        loop {
            self.move_to(text, at);
            if self.special != 0 {
                return at.wrapping_add(self.special.trailing_zeros() as usize);
            }
            at = at.wrapping_add(LEN);
        }
    }

    /// Where the first byte beyond the window is that indents no line.
    #[inline(never)]
    fn far_line(&mut self, text: &[u8], mut at: usize) -> usize {
        loop {
            self.move_to(text, at);
            if self.not_indent != 0 {
                return at.wrapping_add(self.not_indent.trailing_zeros() as usize);
            }
            at = at.wrapping_add(LEN);
        }
    }
}

impl<const IS_INDENTED: bool> Find for Window<IS_INDENTED> {
    const INDENTED: bool = IS_INDENTED;

    #[inline(always)]
    fn string(&mut self, text: &[u8], at: usize) -> Option<usize> {
        let end = self.special(text, at);
        if byte(text, end) == b'"' { Some(end.wrapping_add(1)) } else { string::rest(text, end) }
    }

    #[inline(always)]
    fn special(&mut self, text: &[u8], at: usize) -> usize {
        match self.seen(self.special, at) {
            Some(special) => special,
            None => self.far_special(text, at),
        }
    }

    /// Of a short number the mask of digits tells all but whether an exponent follows.
    #[inline(always)]
    fn number(&mut self, text: &[u8], at: usize, first: u8) -> Option<usize> {
        if at.wrapping_sub(self.base) > LATE {
            self.move_to(text, at);
        }
        // int = zero / ( digit1-9 *DIGIT )
        let start = at.wrapping_add(usize::from(first == b'-'));
        let others = !(self.digit >> (start.wrapping_sub(self.base) & 63));
        let len = others.trailing_zeros();
        if len == 0 || len > 1 && byte(text, start) == b'0' {
            return None;
        }
        let mut end = start.wrapping_add(len as usize);
        let mut next = byte(text, end);
        if len > MOST_DIGITS {
            return scalar::long_number(text, at);
        }
        // frac = decimal-point 1*DIGIT
        if next == b'.' {
            let len = (others >> len >> 1).trailing_zeros();
            end = end.wrapping_add(1).wrapping_add(len as usize);
            if len == 0 || len > MOST_DIGITS || end.wrapping_sub(self.base) >= LEN {
                return scalar::long_number(text, at);
            }
            next = byte(text, end);
        }
        if next | 0x20 == b'e' { scalar::long_number(text, at) } else { Some(end) }
    }

    #[inline(always)]
    fn white_space(&mut self, text: &[u8], at: usize) -> usize {
        if !IS_INDENTED {
            return word::white_space(text, at);
        }
        let next = at.wrapping_add(1);
        if byte(text, at) > b' ' {
            return at;
        }
        if byte(text, at) == b' ' && byte(text, next) > b' ' {
            return next;
        }
        let line = match self.seen(self.not_indent, at) {
            Some(line) => line,
            None => self.far_line(text, at),
        };
        if byte(text, line) > b' ' { line } else { word::long_white_space(text, line) }
    }

    #[inline(always)]
    fn numbers(&mut self, text: &[u8], at: usize) -> usize {
        let end = numbers::skip(text, at);
        self.move_to(text, end);
        end
    }
}

/// More digits than the window is sure to hold, if a number begins no later than [`LATE`].
const MOST_DIGITS: u32 = 18;
