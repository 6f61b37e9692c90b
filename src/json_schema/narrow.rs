//! Checks that the keywords of a field do not allow more than its type.

use super::node::{Node, is_same, len, text};

impl Node {
    /// Whether the keyword `name` with the value `number`, which has no exponent, allows no more than the schema. For example, a lower
    /// `maximum` narrows it, a higher one does not.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_narrowed_by(&self, name: &str, number: &str) -> bool {
        let own = match self.member(name) {
            Some(own) => own,
            // an `Option`: the type, or null
            None => match self.member("anyOf") {
                Some(Self::Array { elements: [first, ..] }) => return first.is_narrowed_by(name, number),
                _ => return true,
            },
        };
        let digits;
        let own = match own {
            Self::Json { text } => text.as_bytes(),
            Self::Number { .. } => {
                digits = text::<20>(own);
                match digits.split_at_checked(len(own)) {
                    Some((digits, _)) => digits,
                    None => return false,
                }
            }
            _ => return true,
        };
        let (name, number) = (name.as_bytes(), number.as_bytes());
        if is_same(name, b"minimum") || is_same(name, b"minItems") || is_same(name, b"minLength") {
            !is_less(number, own)
        } else if is_same(name, b"maximum") || is_same(name, b"maxItems") || is_same(name, b"maxLength") {
            !is_less(own, number)
        } else {
            true
        }
    }
}

const fn is_less(a: &[u8], b: &[u8]) -> bool {
    match (a, b) {
        ([b'-', a @ ..], [b'-', b @ ..]) => is_shorter(b, a),
        ([b'-', ..], _) => true,
        (_, [b'-', ..]) => false,
        _ => is_shorter(a, b),
    }
}

/// Whether `a` is less than `b`, without signs.
const fn is_shorter(mut a: &[u8], mut b: &[u8]) -> bool {
    let (of_a, of_b) = (integer_len(a), integer_len(b));
    if of_a != of_b {
        return of_a < of_b;
    }
    loop {
        match (a, b) {
            ([first, rest @ ..], [other, behind @ ..]) => {
                if *first != *other {
                    return *first < *other;
                }
                (a, b) = (rest, behind);
            }
            (_, rest) => return a.is_empty() && has_digits(rest),
        }
    }
}

/// The number of digits before the point.
const fn integer_len(mut digits: &[u8]) -> usize {
    let mut len: usize = 0;
    while let [b'0'..=b'9', rest @ ..] = digits {
        len = len.wrapping_add(1);
        digits = rest;
    }
    len
}

/// Whether a fraction is more than zero.
const fn has_digits(mut fraction: &[u8]) -> bool {
    while let [first, rest @ ..] = fraction {
        if matches!(*first, b'1'..=b'9') {
            return true;
        }
        fraction = rest;
    }
    false
}
