//! Checks that the keywords of a field limit its values, and do not allow more than its type.

use core::cmp::Ordering;

use super::node::{Node, is_same};

impl Node {
    /// Whether the keyword `name` with the value `number`, which has no exponent, allows no more than the schema. For example, a lower
    /// `maximum` narrows the schema, a higher `maximum` does not.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_narrowed_by(&self, name: &str, number: &str) -> bool {
        match name.as_bytes() {
            b"minimum" | b"exclusiveMinimum" | b"minItems" | b"minLength" => {
                !matches!(self.order(number, name), Some(Ordering::Less))
            }
            b"maximum" | b"exclusiveMaximum" | b"maxItems" | b"maxLength" => {
                !matches!(self.order(number, name), Some(Ordering::Greater))
            }
            _ => true,
        }
    }

    /// Whether the keyword `name` with the value `value` may replace the same keyword of the schema: it must refuse at least the same
    /// values. For example, `multipleOf` 6 may replace 3, but a `pattern` may replace only an equal one.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_replaced_by(&self, name: &str, value: &Self) -> bool {
        let Some(own) = self.member(name) else { return true };
        match (name.as_bytes(), own, value) {
            (b"pattern" | b"format", Self::Text { text: own }, Self::Text { text }) => {
                is_same(own.as_bytes(), text.as_bytes())
            }
            (b"multipleOf", Self::Json { text: own }, Self::Json { text }) => is_multiple(text, own),
            (name, _, _) => !matches!(name, b"pattern" | b"format" | b"multipleOf"),
        }
    }

    /// Whether the schema describes a member called `name`, in its `properties` or in those of a part.
    #[doc(hidden)]
    #[must_use]
    pub const fn has_property(&self, name: &str) -> bool {
        if let Some(properties) = self.member("properties") {
            if properties.member(name).is_some() {
                return true;
            }
        }
        has_property_in(self.member("allOf"), name)
            || has_property_in(self.member("oneOf"), name)
            || has_property_in(self.member("anyOf"), name)
    }

    /// Whether a number, a string or an array can satisfy both the schema and the keyword `name` with the value `number`. For example, no
    /// `u8` satisfies a `minimum` of 300.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_satisfiable_with(&self, name: &str, number: &str) -> bool {
        let (opposite, open, is_lower) = match name.as_bytes() {
            b"minimum" | b"exclusiveMinimum" => ("maximum", "exclusiveMaximum", true),
            b"maximum" | b"exclusiveMaximum" => ("minimum", "exclusiveMinimum", false),
            b"minLength" => ("maxLength", "", true),
            b"maxLength" => ("minLength", "", false),
            b"minItems" => ("maxItems", "", true),
            b"maxItems" => ("minItems", "", false),
            _ => return true,
        };
        let may_be_equal = !matches!(name.as_bytes(), [b'e', ..]);
        is_within(self.order(number, opposite), is_lower, may_be_equal)
            && is_within(self.order(number, open), is_lower, false)
    }

    /// The order of `number` and the limit `name` of the schema; `None` if it has no such limit.
    const fn order(&self, number: &str, name: &str) -> Option<Ordering> {
        let own = match self.member(name) {
            Some(own) => own,
            // an `Option`: the type, or null
            None => match self.member("anyOf") {
                Some(Self::Array { elements: [first, other] }) if other.is_null() => return first.order(number, name),
                _ => return None,
            },
        };
        let digits;
        let own = match own {
            // a given schema may have a number with an exponent, which is not compared
            Self::Json { text } if has_exponent(text.as_bytes()) => return None,
            Self::Json { text } => text.as_bytes(),
            Self::Number { .. } => {
                digits = own.text::<20>();
                match digits.split_at_checked(own.text_len()) {
                    Some((digits, _)) => digits,
                    None => return None,
                }
            }
            _ => return None,
        };
        Some(if is_less(number.as_bytes(), own) {
            Ordering::Less
        } else if is_less(own, number.as_bytes()) {
            Ordering::Greater
        } else {
            Ordering::Equal
        })
    }

    /// Whether this is the schema of null.
    const fn is_null(&self) -> bool {
        matches!(self.member("type"), Some(Self::Json { text }) if is_same(text.as_bytes(), b"\"null\""))
    }

    /// Whether the keyword `name` can refuse a value of the schema: `minimum` limits numbers only, `maxLength` strings (JSON Schema
    /// Validation 2020-12 §6). A schema without a known type counts as one of any values.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_affected_by(&self, name: &str) -> bool {
        match Kind::of_keyword(name.as_bytes()) {
            Some(kind) => self.allows(kind),
            None => true,
        }
    }

    /// Whether some value of the schema is of this kind.
    const fn allows(&self, kind: Kind) -> bool {
        match self.member("type") {
            Some(Self::Array { elements }) => return any(elements, kind, Part::Name),
            Some(name) => return kind.is_named(name),
            None => {}
        }
        match (self.member("enum"), self.member("const"), self.member("anyOf"), self.member("oneOf")) {
            (Some(Self::Array { elements }), _, _, _) => any(elements, kind, Part::Value),
            (_, Some(value), _, _) => kind.contains(value),
            (_, _, Some(Self::Array { elements }), _) | (_, _, _, Some(Self::Array { elements })) => {
                any(elements, kind, Part::Schema)
            }
            _ => true,
        }
    }
}

/// The values that a keyword limits.
#[derive(Clone, Copy)]
enum Kind {
    Number,
    String,
    Array,
}

/// An element of a list: the name of a type, a value, or a schema.
#[derive(Clone, Copy)]
enum Part {
    Name,
    Value,
    Schema,
}

/// Whether one of `elements` allows values of this kind.
const fn any(elements: &[Node], kind: Kind, part: Part) -> bool {
    let mut rest = elements;
    while let [first, behind @ ..] = rest {
        let is_this = match part {
            Part::Name => kind.is_named(first),
            Part::Value => kind.contains(first),
            Part::Schema => first.allows(kind),
        };
        if is_this {
            return true;
        }
        rest = behind;
    }
    false
}

impl Kind {
    /// The kind that the keyword limits; `None` if it applies to all values.
    const fn of_keyword(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"minimum" | b"maximum" | b"exclusiveMinimum" | b"exclusiveMaximum" | b"multipleOf" => Self::Number,
            b"minLength" | b"maxLength" | b"pattern" => Self::String,
            b"minItems" | b"maxItems" | b"uniqueItems" => Self::Array,
            _ => return None,
        })
    }

    /// Whether `name` is the name of a type with these values. A node that is no name counts as any type.
    const fn is_named(self, name: &Node) -> bool {
        let name = match name {
            Node::Json { text } => match text.as_bytes() {
                [b'"', name @ .., b'"'] => name,
                _ => return true,
            },
            Node::Text { text } => text.as_bytes(),
            _ => return true,
        };
        match self {
            Self::Number => matches!(name, b"number" | b"integer"),
            Self::String => matches!(name, b"string"),
            Self::Array => matches!(name, b"array"),
        }
    }

    /// Whether `value` is of this kind.
    const fn contains(self, value: &Node) -> bool {
        match (self, value) {
            (Self::Number, Node::Json { text }) => matches!(text.as_bytes(), [b'-' | b'0'..=b'9', ..]),
            (Self::Number, Node::Number { .. })
            | (Self::String, Node::Text { .. })
            | (Self::Array, Node::Array { .. }) => true,
            _ => false,
        }
    }
}

/// Whether one of the schemas in the array `parts` describes a member called `name`.
const fn has_property_in(parts: Option<&Node>, name: &str) -> bool {
    let Some(Node::Array { elements }) = parts else { return false };
    let mut rest = *elements;
    while let [first, behind @ ..] = rest {
        if first.has_property(name) {
            return true;
        }
        rest = behind;
    }
    false
}

/// Whether `number` is an integer multiple of `of`; `false` if one of them has an exponent or too many digits.
const fn is_multiple(number: &str, of: &str) -> bool {
    let (number, of) = (number.as_bytes(), of.as_bytes());
    let (number_scale, of_scale) = (scale(number), scale(of));
    let scale = if number_scale < of_scale { of_scale } else { number_scale };
    match (scaled(number, scale), scaled(of, scale)) {
        (Some(number), Some(of)) => matches!(number.checked_rem(of), Some(0)),
        _ => is_same(number, of),
    }
}

/// The number of digits after the decimal point.
const fn scale(number: &[u8]) -> usize {
    match number.split_at_checked(integer_len(number)) {
        Some((_, [b'.', fraction @ ..])) => fraction.len(),
        _ => 0,
    }
}

/// The number without a sign times 10 to the power of `power`, which is not less than its own scale.
const fn scaled(number: &[u8], power: usize) -> Option<u128> {
    let mut sum = Some(0);
    let mut rest = number;
    while let [first, behind @ ..] = rest {
        match *first {
            digit @ b'0'..=b'9' => sum = with_digit(sum, digit & 0x0F),
            b'.' => {}
            _ => return None,
        }
        rest = behind;
    }
    let mut zeros = power.saturating_sub(scale(number));
    while zeros > 0 && sum.is_some() {
        sum = with_digit(sum, 0);
        zeros = zeros.wrapping_sub(1);
    }
    sum
}

/// `number` with one more decimal digit at its end.
const fn with_digit(number: Option<u128>, digit: u8) -> Option<u128> {
    let Some(number) = number else { return None };
    match number.checked_mul(10) {
        Some(product) => product.checked_add(digit as u128),
        None => None,
    }
}

const fn has_exponent(mut number: &[u8]) -> bool {
    while let [first, rest @ ..] = number {
        if matches!(*first, b'e' | b'E') {
            return true;
        }
        number = rest;
    }
    false
}

/// Whether a lower limit is not above the upper limit, or an upper limit not below the lower one. `order` compares the limit with the other
/// limit.
const fn is_within(order: Option<Ordering>, is_lower: bool, may_be_equal: bool) -> bool {
    match order {
        Some(Ordering::Less) => is_lower,
        Some(Ordering::Equal) => may_be_equal,
        Some(Ordering::Greater) => !is_lower,
        None => true,
    }
}

const fn is_less(a: &[u8], b: &[u8]) -> bool {
    match (without_zero_sign(a), without_zero_sign(b)) {
        ([b'-', a @ ..], [b'-', b @ ..]) => is_less_without_signs(b, a),
        ([b'-', ..], _) => true,
        (_, [b'-', ..]) => false,
        (a, b) => is_less_without_signs(a, b),
    }
}

/// `-0` as `0`, and any other number unchanged.
const fn without_zero_sign(number: &[u8]) -> &[u8] {
    match number {
        [b'-', digits @ ..] if !is_positive(digits) => digits,
        _ => number,
    }
}

/// Whether `a` is less than `b`, without signs.
const fn is_less_without_signs(mut a: &[u8], mut b: &[u8]) -> bool {
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
            (_, rest) => return a.is_empty() && is_positive(rest),
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

/// Whether a number without a sign, or a fraction, is more than zero.
const fn is_positive(mut fraction: &[u8]) -> bool {
    while let [first, rest @ ..] = fraction {
        if matches!(*first, b'1'..=b'9') {
            return true;
        }
        fraction = rest;
    }
    false
}
