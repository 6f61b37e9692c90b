//! The path from a value to one of its bytes, for error messages.

use core::fmt;

use super::{Kind, RawStr, RawValue, Writer};

impl<'a> RawValue<'a> {
    /// Returns the path from this value to the innermost value that contains the byte at `offset` of the message, such as `.values[3]`. The
    /// bytes before a value in an object, among them its name and the comma, count as bytes of that value. The offset comes from a
    /// `PayloadError` or an [`Error`](crate::Error). The path implements `Display` and [`ToText`](crate::message::ToText).
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::RawValue;
    ///
    /// let params = RawValue::parse(br#"{"unit":"C","values":[[1,2],["3",4]]}"#)?;
    /// if let Err(problem) = params.get("values").unwrap_or(RawValue::NULL).read::<[(i32, i32); 2]>() {
    ///     let path = params.path_to(problem.offset());
    ///     assert_eq!(format!("params{path}: {problem}"), "params.values[1][0]: unexpected type at byte 29, expected i32");
    /// }
    /// # Ok(()) }
    /// # main().unwrap();
    /// # }
    /// ```
    ///
    /// # Limits
    /// Stack: constant. `Display` computes the path, in one walk over the text for each step, so a program that never displays it links
    /// none of this code. The path is empty if the byte belongs to no inner value, or is outside of this value.
    pub const fn path_to(self, offset: usize) -> Path<'a> {
        Path { value: self, offset }
    }

    /// The offset in the message of the first byte after the value.
    fn end(self) -> usize {
        self.offset().saturating_add(self.as_bytes().len())
    }
}

/// The path from a value to one of its bytes; see [`RawValue::path_to`]. A step is `.name` or `[index]`; a name with characters other than
/// ASCII letters, digits and `_` becomes `["name"]`, with its escapes as in the message.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    value: RawValue<'a>,
    offset: usize,
}

/// A step of a path: to a member or an element.
enum Step<'a> {
    Name(RawStr<'a>),
    Index(usize),
}

impl<'a> Path<'a> {
    /// Whether the path has no step.
    #[cfg(feature = "serde")]
    pub(crate) fn is_empty(mut self) -> bool {
        self.next().is_none()
    }

    /// The innermost value that contains the byte.
    #[cfg(feature = "serde")]
    pub(crate) fn value(mut self) -> RawValue<'a> {
        while self.next().is_some() {}
        self.value
    }

    /// Steps into the inner value that contains the byte.
    fn next(&mut self) -> Option<Step<'a>> {
        let Self { value, offset } = *self;
        // a bracket, and in an array a byte between two elements, belongs to the container itself
        let holds = |value: RawValue<'_>| (value.offset()..value.end()).contains(&offset);
        if !holds(value) {
            return None;
        }
        let (step, inner) = match value.kind() {
            // compare the ends, because the name and the comma come before the value
            Kind::Object if offset != value.offset() => value
                .members()
                .find(|(_, member)| offset < member.end())
                .map(|(name, member)| (Step::Name(name), member)),
            Kind::Array => {
                let element = value.elements().enumerate().find(|(_, element)| holds(*element));
                element.map(|(index, element)| (Step::Index(index), element))
            }
            _ => None,
        }?;
        self.value = inner;
        Some(step)
    }

    /// Appends the path, escaped, until the output is full.
    pub(crate) fn put_to(mut self, out: &mut Writer<'_>) {
        while let Some(step) = self.next() {
            match step {
                Step::Name(name) if is_plain(name) => {
                    out.put_byte(b'.');
                    out.put(name.as_bytes());
                }
                Step::Name(name) => {
                    out.put_escaped("[\"");
                    out.put_escaped_bytes(name.as_bytes());
                    out.put_escaped("\"]");
                }
                Step::Index(index) => {
                    out.put_byte(b'[');
                    out.put_integer(false, index as u64);
                    out.put_byte(b']');
                }
            }
        }
    }
}

/// Whether `name` has only ASCII letters, digits and `_`.
fn is_plain(name: RawStr<'_>) -> bool {
    !name.as_bytes().is_empty() && name.as_bytes().iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = *self;
        while let Some(step) = rest.next() {
            match step {
                Step::Name(name) => {
                    let text = core::str::from_utf8(name.as_bytes()).unwrap_or_default();
                    if is_plain(name) { write!(f, ".{text}")? } else { write!(f, "[\"{text}\"]")? }
                }
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Path<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{}", defmt::Display2Format(self));
    }
}
