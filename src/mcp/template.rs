//! URI templates: matching URIs, and the values of their variables.

use core::fmt;

use super::file_path::file_path;
use crate::json::{RawStr, same};

/// A URI template of RFC 6570. [`new`](Self::new) checks it, or the compiler with [`uri_template!`](super::uri_template).
///
/// ```
/// use nanojsonrpc::mcp::{UriTemplate, uri_template};
///
/// const NOTES: UriTemplate = uri_template!("note:///{day}/{+path}.md");
/// assert_eq!(NOTES.as_str(), "note:///{day}/{+path}.md");
/// assert!(UriTemplate::new("note:///{?query}").is_none());
/// ```
///
/// ```compile_fail
/// const AMBIGUOUS: nanojsonrpc::mcp::UriTemplate = nanojsonrpc::mcp::uri_template!("note:///{day}{path}");
/// ```
///
/// # Matching
/// | part | matches |
/// |---|---|
/// | literal: unreserved and reserved characters of RFC 3986, `%` and two hexadecimal digits | itself, byte for byte |
/// | `{name}` | a value without reserved characters (`:/?#[]@!$&'()*+,;=`) |
/// | `{+name}`, once in a template | a value that may have reserved characters |
///
/// A name has letters, digits, `_`, and `.` between them, and may occur once. A value is not empty, and each `%` in it is followed
/// by two hexadecimal digits. It is returned percent-encoded, as in the URI. Characters that are not allowed in URIs, such as a
/// space or `é`, count as unreserved.
///
/// Between two variables there must be a literal with a reserved character. Therefore a URI matches in only one way, with
/// the values that a client expanded.
///
/// Other operators, lists (`{a,b}`), prefixes (`{a:3}`), explosions (`{a*}`), and literals that RFC 6570 percent-encodes are refused. If
/// the value is always present, write `.{a}` instead of `{.a}`, `/{a}` instead of `{/a}`, `#{+a}` instead of `{#a}`, and `?a={a}` instead
/// of `{?a}`.
///
/// # Limits
/// Length: any. Matching takes time linear in the URI, and no memory.
///
/// Source: RFC 6570 §2, §3.2.2, §3.2.3.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct UriTemplate<'a>(&'a str);

/// A [`UriTemplate`](crate::mcp::UriTemplate) of a constant. An invalid template does not compile.
#[macro_export]
#[doc(hidden)]
macro_rules! __mcp_uri_template {
    ($text:expr) => {
        const {
            match $crate::mcp::UriTemplate::new($text) {
                ::core::option::Option::Some(__template) => __template,
                ::core::option::Option::None => {
                    ::core::panic!("not a URI template that `UriTemplate` can match: see its documentation")
                }
            }
        }
    };
}

impl<'a> UriTemplate<'a> {
    /// Checks the template `text`; `None` if it is not valid or cannot be matched.
    pub const fn new(text: &'a str) -> Option<Self> {
        if is_template(text.as_bytes()) { Some(Self(text)) } else { None }
    }

    /// A text that was a template when it was registered.
    pub(super) const fn validated(text: &'a str) -> Self {
        Self(text)
    }

    /// The text of the template.
    pub const fn as_str(self) -> &'a str {
        self.0
    }

    /// Whether `uri` matches the template.
    pub fn matches(self, uri: RawStr<'_>) -> bool {
        self.read(uri, "").is_ok()
    }

    /// The value of the variable `name` in `uri`, percent-encoded as in the URI; `None` if the template has no such
    /// variable or does not match.
    ///
    /// The client chooses the value: it may be `..`, `%2e%2e%2f`, `\` or `%00`. For the path of a file take
    /// [`file_path`](Self::file_path).
    ///
    /// ```
    /// use nanojsonrpc::{RawValue, mcp::uri_template};
    ///
    /// let uri = RawValue::constant(r#""file:///a.b%20c.json""#).and_then(|uri| uri.as_str_raw()).unwrap_or_default();
    /// let name = uri_template!("file:///{name}.json").variable(uri, "name");
    /// assert_eq!(name.and_then(|name| name.as_str()), Some("a.b%20c"));
    /// ```
    pub fn variable<'u>(self, uri: RawStr<'u>, name: &str) -> Option<RawStr<'u>> {
        self.read(uri, name).ok()?
    }

    /// The value of the variable `name` in `uri`, percent-decoded, if it is the path of a file below a directory: one file name for
    /// `{name}`, several names with `/` between them for `{+name}`. The path is written to `buffer`. It has one meaning on Unix and Windows,
    /// so the value is refused if it has
    ///
    /// - an empty name, so also a `/` at its start or end; `.` or `..`; a name that ends with a dot or a space;
    /// - a control character such as NUL, or one of `\ : " < > | ? *`, so also the drive `C:`;
    /// - a device of Windows, with any extension: `nul`, `COM1.txt`;
    /// - an encoded `/`, `%2f`; a name that is still percent-encoded, from `%252e`; bytes that are not UTF-8.
    ///
    /// It does not look at files. If the directory has links to other directories, or names that no client may read, the program must
    /// check these, too; some file systems ignore case.
    ///
    /// ```
    /// use nanojsonrpc::{RawValue, mcp::uri_template};
    ///
    /// const NOTES: nanojsonrpc::mcp::UriTemplate = uri_template!("note:///{day}/{+path}");
    /// let uri = RawValue::constant(r#""note:///m%C3%A4rz/a/b.txt""#).and_then(|uri| uri.as_str_raw()).unwrap_or_default();
    /// assert_eq!(NOTES.file_path(uri, "day", &mut [0; 64]), Some("m\u{e4}rz"));
    /// assert_eq!(NOTES.file_path(uri, "path", &mut [0; 64]), Some("a/b.txt"));
    ///
    /// let uri = RawValue::constant(r#""note:///%2e%2e/a/../b""#).and_then(|uri| uri.as_str_raw()).unwrap_or_default();
    /// assert!(NOTES.file_path(uri, "day", &mut [0; 64]).or(NOTES.file_path(uri, "path", &mut [0; 64])).is_none());
    /// ```
    ///
    /// # Limits
    /// The value, as it is encoded in the URI: the length of `buffer`; a longer one is `None`.
    pub fn file_path<'b>(self, uri: RawStr<'_>, name: &str, buffer: &'b mut [u8]) -> Option<&'b str> {
        file_path(self.variable(uri, name)?, buffer)
    }

    /// The value of the variable `wanted`. `Err` if the template does not match `uri`.
    ///
    /// No value of `{name}` has a reserved character, so it ends where the literal after it begins, and that literal has a
    /// known number of unreserved characters before its first reserved one. The value of `{+name}` ends before as many
    /// reserved characters as the rest of the template has. So there is no backtracking.
    #[inline(never)]
    fn read<'u>(self, uri: RawStr<'u>, wanted: &str) -> Result<Option<RawStr<'u>>, ()> {
        let (mut uri, mut template) = (uri, self.0);
        let mut found = None;
        loop {
            let Some((literal, behind)) = split(template, b'{') else {
                let rest = uri.strip_prefix(template).ok_or(())?;
                return if rest.is_empty() { Ok(found) } else { Err(()) };
            };
            uri = uri.strip_prefix(literal).ok_or(())?;
            let (name, behind) = split(behind, b'}').ok_or(())?;
            let (name, mut reserved) = match name.strip_prefix('+') {
                Some(name) => {
                    let all = uri.chars().filter(is_reserved_char).count();
                    (name, all.checked_sub(behind.bytes().filter(|byte| is_reserved(*byte)).count()).ok_or(())?)
                }
                None => (name, 0),
            };
            let before_reserved = uri.chars().take_while(|c| {
                let is_part = !is_reserved_char(c) || reserved != 0;
                reserved = reserved.wrapping_sub(usize::from(is_reserved_char(c)));
                is_part
            });
            // in a URI that is no template, a variable may be before the next reserved character
            let unreserved = behind.bytes().take_while(|byte| *byte != b'{' && !is_reserved(*byte));
            let len = before_reserved.count().checked_sub(unreserved.count()).ok_or(())?;
            let (value, rest) = uri.split_at_char(len);
            if !is_value(value) {
                return Err(());
            }
            if same(name.as_bytes(), wanted.as_bytes()) {
                found = Some(value);
            }
            (uri, template) = (rest, behind);
        }
    }
}

impl fmt::Debug for UriTemplate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for UriTemplate<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{=str}", self.0);
    }
}

/// RFC 3986 §2.2.
const fn is_reserved(byte: u8) -> bool {
    matches!(
        byte,
        b':' | b'/'
            | b'?'
            | b'#'
            | b'['
            | b']'
            | b'@'
            | b'!'
            | b'$'
            | b'&'
            | b'\''
            | b'('
            | b')'
            | b'*'
            | b'+'
            | b','
            | b';'
            | b'='
    )
}

fn is_reserved_char(c: &char) -> bool {
    u8::try_from(*c).is_ok_and(is_reserved)
}

/// RFC 3986 §2.3.
const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Whether `value` is not empty and each `%` in it begins `"%" HEXDIG HEXDIG`. RFC 3986 §2.1.
fn is_value(value: RawStr<'_>) -> bool {
    let mut digits = 0u8;
    let is_encoded = value.chars().all(|c| {
        let is_expected = digits == 0 || c.is_ascii_hexdigit();
        digits = if c == '%' { 2 } else { digits.saturating_sub(1) };
        is_expected
    });
    is_encoded && digits == 0 && !value.is_empty()
}

/// Whether `text` is a template as [`UriTemplate`] documents it.
const fn is_template(text: &[u8]) -> bool {
    let mut rest = text;
    // after a variable, before a reserved character
    let mut is_open = false;
    let mut has_reserved_variable = false;
    loop {
        rest = match rest {
            [] => return true,
            [b'{', expression @ ..] => {
                let (is_reserved_variable, name) = match expression {
                    [b'+', name @ ..] => (true, name),
                    name => (false, name),
                };
                let Some(behind) = behind_name(name) else { return false };
                if is_open || is_reserved_variable && has_reserved_variable || has_variable(behind, name) {
                    return false;
                }
                is_open = true;
                has_reserved_variable |= is_reserved_variable;
                behind
            }
            [b'%', high, low, behind @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => behind,
            [byte, behind @ ..] if is_reserved(*byte) => {
                is_open = false;
                behind
            }
            [byte, behind @ ..] if is_unreserved(*byte) => behind,
            _ => return false,
        };
    }
}

/// The text after the name and its closing bracket. RFC 6570 §2.3, without percent-encoded characters.
const fn behind_name(name: &[u8]) -> Option<&[u8]> {
    let mut rest = name;
    let mut is_behind_character = false;
    loop {
        (rest, is_behind_character) = match rest {
            [b'}', behind @ ..] if is_behind_character => return Some(behind),
            [b'.', behind @ ..] if is_behind_character => (behind, false),
            [byte, behind @ ..] if byte.is_ascii_alphanumeric() || *byte == b'_' => (behind, true),
            _ => return None,
        };
    }
}

/// Whether `template` has a variable with the name at the front of `name`, which ends with a bracket.
const fn has_variable(template: &[u8], name: &[u8]) -> bool {
    let mut rest = template;
    loop {
        rest = match rest {
            [] => return false,
            [b'{', b'+', behind @ ..] | [b'{', behind @ ..] if is_same_name(behind, name) => return true,
            [_, behind @ ..] => behind,
        };
    }
}

const fn is_same_name(mut one: &[u8], mut other: &[u8]) -> bool {
    loop {
        (one, other) = match (one, other) {
            ([b'}', ..], [b'}', ..]) => return true,
            ([first, one @ ..], [second, other @ ..]) if *first == *second => (one, other),
            _ => return false,
        };
    }
}

/// The text before and after the first `bracket`. `str::split_once` takes 300 bytes of flash more.
fn split(text: &str, bracket: u8) -> Option<(&str, &str)> {
    let place = text.bytes().position(|byte| byte == bracket)?;
    Some((text.get(..place)?, text.get(place.wrapping_add(1)..)?))
}
