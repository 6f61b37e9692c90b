//! The subset of regular expressions that is checked: a sequence of characters and classes with counts, anchored by `^`. Without a choice
//! how often a class repeats, so that the check needs one pass and no memory.

use proc_macro2::TokenStream;
use quote::quote;

/// A regular expression as classes.
#[derive(Debug)]
pub(super) struct Pattern {
    pieces: Vec<Piece>,
    /// Whether it ends with `$`.
    is_closed: bool,
}

#[derive(Debug)]
struct Piece {
    class: Class,
    least: u16,
    most: u16,
}

/// A set of characters: ranges with both ends, or all other characters.
#[derive(Clone, Debug)]
struct Class {
    ranges: Vec<(char, char)>,
    is_negated: bool,
}

const DIGITS: [(char, char); 1] = [('0', '9')];
const WORDS: [(char, char); 4] = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
/// ECMA-262 §12.3, line terminators.
const LINE_ENDS: [(char, char); 3] = [('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')];

type Letters<'t> = core::iter::Peekable<core::str::Chars<'t>>;

impl Pattern {
    /// Reads a regular expression; says what is beyond the subset.
    pub(super) fn read(text: &str) -> Result<Self, &'static str> {
        let rest = text.strip_prefix('^').ok_or("a `pattern` that does not begin with `^`")?;
        let mut letters = rest.chars().peekable();
        let (mut pieces, mut is_closed): (Vec<Piece>, bool) = (Vec::new(), false);
        while let Some(letter) = letters.next() {
            let class = match letter {
                '$' if letters.peek().is_none() => {
                    is_closed = true;
                    break;
                }
                '[' => Class::read(&mut letters)?,
                '.' => Class { ranges: LINE_ENDS.to_vec(), is_negated: true },
                '\\' => Class::escape(&mut letters)?,
                '(' | ')' | '|' => return Err("a group or a choice; an `enum` is a choice of strings"),
                '^' | '$' | '*' | '+' | '?' | '{' | '}' | ']' => return Err("this use of a special character"),
                _ => Class::of(letter),
            };
            let (least, most) = counts(&mut letters)?;
            if matches!(letters.peek(), Some('*' | '+' | '?' | '{')) {
                return Err("a count of a count");
            }
            pieces.push(Piece { class, least, most });
        }
        let mut rest = pieces.as_slice();
        while let [first, behind @ ..] = rest {
            if first.least != first.most && first.meets(behind) {
                return Err("a repetition before a class with the same characters");
            }
            rest = behind;
        }
        Ok(Self { pieces, is_closed })
    }

    /// The pattern as a constant expression.
    pub(super) fn constant(&self, rule: &str) -> TokenStream {
        let pieces = self.pieces.iter().map(|Piece { class: Class { ranges, is_negated }, least, most }| {
            let ranges = ranges.iter().map(|(first, last)| quote!((#first, #last)));
            quote!(__json_schema::Piece { ranges: &[#(#ranges),*], is_negated: #is_negated, least: #least, most: #most })
        });
        let is_closed = self.is_closed;
        quote!(__json_schema::Pattern { rule: &#rule, pieces: &[#(#pieces),*], is_closed: #is_closed })
    }
}

impl Piece {
    /// Whether a character of this class may also be the next one of the pieces `behind`.
    fn meets(&self, behind: &[Self]) -> bool {
        for piece in behind {
            if self.class.meets(&piece.class) {
                return true;
            }
            if piece.least > 0 {
                return false;
            }
        }
        false
    }
}

impl Class {
    fn of(letter: char) -> Self {
        Self { ranges: vec![(letter, letter)], is_negated: false }
    }

    /// Reads the class behind a `[`.
    fn read(letters: &mut Letters<'_>) -> Result<Self, &'static str> {
        let is_negated = letters.next_if_eq(&'^').is_some();
        let mut ranges = Vec::new();
        loop {
            let first = match letters.next().ok_or("a class without an end")? {
                ']' if ranges.is_empty() => return Err("an empty class"),
                ']' => return Ok(Self { ranges, is_negated }),
                '[' => return Err("a `[` in a class; write `\\[`"),
                '\\' => match Self::escape(letters)? {
                    Self { is_negated: true, .. } => return Err("a negated class in a class"),
                    Self { ranges: inner, .. } => match inner.as_slice() {
                        [(first, last)] if first == last => *first,
                        _ => {
                            ranges.extend(inner);
                            continue;
                        }
                    },
                },
                letter => letter,
            };
            let mut ahead = letters.clone();
            if ahead.next() != Some('-') || matches!(ahead.peek(), Some(']') | None) {
                ranges.push((first, first));
                continue;
            }
            *letters = ahead;
            let last = match letters.next().ok_or("a class without an end")? {
                '\\' => match Self::escape(letters)?.ranges.as_slice() {
                    [(letter, end)] if letter == end => *letter,
                    _ => return Err("a range to a class"),
                },
                letter => letter,
            };
            if last < first {
                return Err("a range without characters");
            }
            ranges.push((first, last));
        }
    }

    /// Reads the escape behind a `\`.
    fn escape(letters: &mut Letters<'_>) -> Result<Self, &'static str> {
        let (ranges, is_negated) = match letters.next() {
            Some('d') => (DIGITS.to_vec(), false),
            Some('D') => (DIGITS.to_vec(), true),
            Some('w') => (WORDS.to_vec(), false),
            Some('W') => (WORDS.to_vec(), true),
            Some('n') => return Ok(Self::of('\n')),
            Some('r') => return Ok(Self::of('\r')),
            Some('t') => return Ok(Self::of('\t')),
            Some(letter) if letter.is_ascii_punctuation() => return Ok(Self::of(letter)),
            _ => return Err("this escape; there are `\\d`, `\\w`, `\\n`, `\\r`, `\\t`, and escaped punctuation"),
        };
        Ok(Self { ranges, is_negated })
    }

    /// The ranges of all characters of the class, in order.
    fn all(&self) -> Vec<(u32, u32)> {
        let mut ranges: Vec<_> =
            self.ranges.iter().map(|(first, last)| (u32::from(*first), u32::from(*last))).collect();
        if !self.is_negated {
            return ranges;
        }
        ranges.sort_unstable();
        let (mut others, mut next) = (Vec::new(), 0u32);
        for (first, last) in ranges {
            if let Some(end) = first.checked_sub(1).filter(|end| *end >= next) {
                others.push((next, end));
            }
            next = next.max(last.saturating_add(1));
        }
        if next <= u32::from(char::MAX) {
            others.push((next, char::MAX.into()));
        }
        others
    }

    fn meets(&self, other: &Self) -> bool {
        let others = other.all();
        self.all().iter().any(|(first, last)| others.iter().any(|(start, end)| first <= end && start <= last))
    }
}

/// Reads the counts behind a class.
fn counts(letters: &mut Letters<'_>) -> Result<(u16, u16), &'static str> {
    let counts = match letters.peek() {
        Some('*') => (0, u16::MAX),
        Some('+') => (1, u16::MAX),
        Some('?') => (0, 1),
        Some('{') => {
            let text: String = letters.by_ref().skip(1).take_while(|letter| *letter != '}').collect();
            let number = |digits: &str| match digits.bytes().all(|digit| digit.is_ascii_digit()) {
                true => digits.parse::<u16>().map_err(|_| "this count"),
                false => Err("this count"),
            };
            let (least, most) = match text.split_once(',') {
                None => (number(&text)?, number(&text)?),
                Some((least, "")) => (number(least)?, u16::MAX),
                Some((least, most)) => (number(least)?, number(most)?),
            };
            return if least > most { Err("a least count above the greatest") } else { Ok((least, most)) };
        }
        _ => return Ok((1, 1)),
    };
    letters.next();
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn sequences_of_classes_are_accepted() {
        for pattern in [
            "^",
            "^$",
            "^a",
            "^abc$",
            "^[a-z][a-z0-9_]{0,31}$",
            r"^\d{4}-\d{2}-\d{2}$",
            r"^[\w.-]+@[a-z]+$",
            "^[^@]+@[^@]+$",
            r"^\+?[1-9]\d*$",
            r"^[+\-]?\d+$",
            "^a{2,}b{1,3}c?d*e+$",
            r"^[\[\]\\^-]$",
            "^é*a.$",
            r"^\D\W\n\r\t\.$",
            r"^[\.-a]$",
            r"^[!-\/]$",
        ] {
            assert!(Pattern::read(pattern).is_ok(), "{pattern}: {:?}", Pattern::read(pattern).err());
        }
    }

    #[test]
    fn other_regular_expressions_are_refused() {
        for (pattern, what) in [
            ("a$", "begin"),
            ("", "begin"),
            ("^(a|b)$", "group"),
            ("^a|^b", "group"),
            ("^a$b", "special"),
            ("^a^", "special"),
            ("^{", "special"),
            ("^a+?$", "count of a count"),
            ("^a{2}{3}$", "count of a count"),
            ("^a{,2}$", "this count"),
            ("^a{x}$", "this count"),
            ("^a{+1}$", "this count"),
            ("^a{99999999999}$", "this count"),
            ("^a{3,2}$", "least count"),
            ("^[]a]$", "empty class"),
            ("^[a", "without an end"),
            ("^[a-", "without an end"),
            ("^[a[b]$", "in a class"),
            (r"^[\D]$", "negated"),
            (r"^[a-\d]$", "range to a class"),
            ("^[z-a]$", "range without"),
            (r"^\s$", "escape"),
            (r"^\p{L}$", "escape"),
            (r"^\1$", "escape"),
            ("^a*a$", "repetition"),
            (r"^\d+\.?\d*$", "repetition"),
            ("^[^a]*b$", "repetition"),
            ("^.*x$", "repetition"),
            (r"^\w?[^é]$", "repetition"),
        ] {
            let refused = Pattern::read(pattern).err();
            assert!(refused.is_some_and(|found| found.contains(what)), "{pattern}: {refused:?}");
        }
    }
}
