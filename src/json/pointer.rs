//! JSON Pointer, RFC 6901.

use core::str::Chars;

use super::{Kind, RawValue};

impl<'a> RawValue<'a> {
    /// Finds the value at `pointer`. An empty pointer denotes this value; otherwise each level is `/` and a name or index, with `~1` for
    /// `/` and `~0` for `~`.
    ///
    /// Names are compared decoded; of several members with the same name, the first counts. `None` if there is no such value, or if
    /// `pointer` is not a JSON Pointer.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// let params = nanojsonrpc::RawValue::parse(br#"{"a":[{"b/c":42}]}"#)?;
    /// assert_eq!(params.pointer("/a/0/b~1c").and_then(|value| value.as_i64()), Some(42));
    /// # Ok(()) }
    /// ```
    ///
    /// # Limits
    /// Stack: constant. Time: one walk over each value on the path.
    ///
    /// Source: RFC 6901 §3, §4.
    pub fn pointer(self, pointer: &str) -> Option<RawValue<'a>> {
        let (mut value, mut rest) = (self, pointer);
        while !rest.is_empty() {
            let (token, behind) = first(rest)?;
            rest = behind;
            value = match value.kind() {
                Kind::Object => value.members().find(|(name, _)| name.chars().map(Ok).eq(Token::of(token)))?.1,
                Kind::Array => value.element(index(token)?)?,
                _ => return None,
            };
        }
        Some(value)
    }
}

/// The first step of a pointer, without its slash, and the rest; `None` if it does not begin with a slash.
///
/// `str::split` would link a panic.
fn first(pointer: &str) -> Option<(&str, &str)> {
    let token = pointer.strip_prefix('/')?;
    token.split_at_checked(token.bytes().take_while(|byte| *byte != b'/').count())
}

/// `array-index = %x30 / ( %x31-39 *(%x30-39) )`
fn index(token: &str) -> Option<usize> {
    match token.as_bytes() {
        [b'0'] | [b'1'..=b'9', ..] => token.parse().ok(),
        _ => None,
    }
}

/// The decoded characters of one step. A `~` before neither `0` nor `1` becomes an error, which equals no character of a name.
struct Token<'p>(Chars<'p>);

impl<'p> Token<'p> {
    fn of(token: &'p str) -> Self {
        Self(token.chars())
    }
}

impl Iterator for Token<'_> {
    type Item = Result<char, ()>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(match self.0.next()? {
            '~' => match self.0.next() {
                Some('0') => Ok('~'),
                Some('1') => Ok('/'),
                _ => Err(()),
            },
            c => Ok(c),
        })
    }
}
