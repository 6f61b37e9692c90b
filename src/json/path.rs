//! The path from a value to one of its bytes, for error messages.

use core::fmt::{self, Write as _};

use super::{Kind, RawStr, RawValue};

impl<'a> RawValue<'a> {
    /// Returns the path from this value to the innermost value that contains the byte at `offset` of the message, such as `.values[3]`. The
    /// bytes before a value in an object, among them its name and the comma, count as bytes of that value. The offset comes from a
    /// `PayloadError` or an [`Error`](crate::Error). The path implements `Display`.
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

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mut value, offset } = *self;
        // a bracket, and in an array a byte between two elements, belongs to the container itself
        let holds = |value: RawValue<'_>| (value.offset()..value.end()).contains(&offset);
        while holds(value) {
            value = match value.kind() {
                Kind::Object if offset != value.offset() => {
                    // compare the ends, because the name and the comma come before the value
                    let Some((name, member)) = value.members().find(|(_, member)| offset < member.end()) else { break };
                    write_name(name, f)?;
                    member
                }
                Kind::Array => {
                    let Some((index, element)) = value.elements().enumerate().find(|(_, element)| holds(*element))
                    else {
                        break;
                    };
                    write!(f, "[{index}]")?;
                    element
                }
                _ => break,
            };
        }
        Ok(())
    }
}

fn write_name(name: RawStr<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let text = core::str::from_utf8(name.as_bytes()).unwrap_or_default();
    if !text.is_empty() && text.as_bytes().iter().all(is_plain) {
        f.write_char('.')?;
        f.write_str(text)
    } else {
        write!(f, "[\"{text}\"]")
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Path<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{}", defmt::Display2Format(self));
    }
}
