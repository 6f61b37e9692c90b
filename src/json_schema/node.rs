//! JSON values that are known at compile time.

/// A JSON value that is known at compile time: a tree whose parts are shared by several types.
///
/// ```
/// use nanojsonrpc::json_schema::{JsonSchema, Node};
///
/// let Node::Object { members } = <Option<bool>>::SCHEMA else { unreachable!() };
/// assert_eq!(members[0].0, "anyOf");
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Node {
    /// JSON text, written unchanged.
    Json {
        /// The text, which is valid JSON.
        text: &'static str,
    },
    /// A string.
    Text {
        /// The content, without escapes; they are added on writing.
        text: &'static str,
    },
    /// A capacity.
    Number {
        /// The number.
        number: usize,
    },
    /// An array.
    Array {
        /// Its elements.
        elements: &'static [Node],
    },
    /// An array of the names with `true`.
    Names {
        /// The names.
        names: &'static [(&'static str, bool)],
    },
    /// An object.
    Object {
        /// Its members.
        members: &'static [(&'static str, Node)],
    },
    /// An object with its own members and those of another object; its own members replace members of the same name.
    Over {
        /// Its own members.
        members: &'static [(&'static str, Node)],
        /// The other object.
        under: &'static Node,
    },
}

impl Node {
    /// Whether this is the schema of an object that allows additional members, as the macro generates for a struct or a tagged enum. A map
    /// does not count, because serde passes the surrounding members to a flattened map, too, and the schema of the map would validate them.
    #[doc(hidden)]
    #[must_use]
    pub const fn allows_more(&self) -> bool {
        match self.member("oneOf") {
            _ if self.member("additionalProperties").is_some() => false,
            Some(Node::Array { elements }) if self.member("type").is_some() => {
                let mut rest = *elements;
                while let [first, behind @ ..] = rest {
                    if !first.allows_more() {
                        return false;
                    }
                    rest = behind;
                }
                true
            }
            Some(_) => false,
            None => self.member("properties").is_some(),
        }
    }

    /// The length of the JSON text.
    #[doc(hidden)]
    #[must_use]
    pub const fn text_len(&self) -> usize {
        let mut sink: Sink<0> = Sink { bytes: [], len: 0 };
        sink.put(self);
        sink.len
    }

    /// The JSON text, which has `LEN` bytes.
    #[doc(hidden)]
    #[must_use]
    pub const fn text<const LEN: usize>(&self) -> [u8; LEN] {
        let mut sink: Sink<LEN> = Sink { bytes: [0; LEN], len: 0 };
        sink.put(self);
        sink.bytes
    }

    /// The first paragraph of `text`, which ends at an empty line, without white space around it.
    #[doc(hidden)]
    #[must_use]
    pub const fn paragraph(text: &str) -> &str {
        let text = text.trim_ascii();
        let mut rest = text.as_bytes();
        while let [first, behind @ ..] = rest {
            if *first == b'\n' && is_empty_line(behind) {
                return match text.split_at_checked(text.len().wrapping_sub(rest.len())) {
                    Some((paragraph, _)) => paragraph.trim_ascii_end(),
                    None => text,
                };
            }
            rest = behind;
        }
        text
    }

    /// The value of the member `name` of an object.
    pub(super) const fn member(&self, name: &str) -> Option<&Self> {
        let (members, under) = match self {
            Self::Object { members } => (*members, None),
            Self::Over { members, under } => (*members, Some(*under)),
            _ => return None,
        };
        let mut rest = members;
        while let [(own, value), behind @ ..] = rest {
            if is_same(own.as_bytes(), name.as_bytes()) {
                return Some(value);
            }
            rest = behind;
        }
        match under {
            Some(under) => under.member(name),
            None => None,
        }
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Node {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Node of {} bytes", self.text_len());
    }
}

/// Whether `text` begins with an empty line.
const fn is_empty_line(mut text: &[u8]) -> bool {
    while let [b' ' | b'\t' | b'\r', rest @ ..] = text {
        text = rest;
    }
    matches!(text, [b'\n', ..])
}

/// Counts the bytes, and stores the first `LEN`.
struct Sink<const LEN: usize> {
    bytes: [u8; LEN],
    len: usize,
}

/// The members that surround an object, and those around them.
struct Hidden<'h> {
    members: &'static [(&'static str, Node)],
    next: Option<&'h Hidden<'h>>,
}

impl<const LEN: usize> Sink<LEN> {
    const fn put(&mut self, node: &Node) {
        match *node {
            Node::Json { text } => self.bytes(text.as_bytes()),
            Node::Text { text } => self.quoted(text),
            Node::Number { number } => self.number(number),
            Node::Array { elements } => {
                self.byte(b'[');
                let mut rest = elements;
                while let [first, behind @ ..] = rest {
                    self.put(first);
                    self.comma_before(behind.len());
                    rest = behind;
                }
                self.byte(b']');
            }
            Node::Names { names } => {
                self.byte(b'[');
                let start = self.len;
                let mut rest = names;
                while let [(name, is_there), behind @ ..] = rest {
                    if *is_there {
                        self.comma_after(start);
                        self.quoted(name);
                    }
                    rest = behind;
                }
                self.byte(b']');
            }
            Node::Object { .. } | Node::Over { .. } => {
                self.byte(b'{');
                self.members(node, None, self.len);
                self.byte(b'}');
            }
        }
    }

    /// Writes the members of an object that are not `hidden`. `start` is where the first member of the whole object is written.
    const fn members(&mut self, node: &Node, hidden: Option<&Hidden<'_>>, start: usize) {
        let (members, under) = match *node {
            Node::Object { members } => (members, None),
            Node::Over { members, under } => (members, Some(under)),
            // the types of `types` and the types from the macro are objects
            _ => return,
        };
        let mut rest = members;
        while let [(name, value), behind @ ..] = rest {
            if !is_hidden(name, hidden) {
                self.comma_after(start);
                self.quoted(name);
                self.byte(b':');
                self.put(value);
            }
            rest = behind;
        }
        if let Some(under) = under {
            self.members(under, Some(&Hidden { members, next: hidden }), start);
        }
    }

    const fn comma_before(&mut self, left: usize) {
        if left > 0 {
            self.byte(b',');
        }
    }

    const fn comma_after(&mut self, start: usize) {
        if self.len > start {
            self.byte(b',');
        }
    }

    const fn quoted(&mut self, text: &str) {
        self.byte(b'"');
        let mut rest = text.as_bytes();
        while let [first, behind @ ..] = rest {
            match *first {
                b'"' | b'\\' => {
                    self.byte(b'\\');
                    self.byte(*first);
                }
                0..0x20 => {
                    self.bytes(b"\\u00");
                    self.digit(*first >> 4);
                    self.digit(*first & 15);
                }
                _ => self.byte(*first),
            }
            rest = behind;
        }
        self.byte(b'"');
    }

    const fn digit(&mut self, digit: u8) {
        self.byte(if digit < 10 { b'0' | digit } else { digit.wrapping_add(b'a').wrapping_sub(10) });
    }

    const fn number(&mut self, number: usize) {
        if number > 9 {
            self.number(number / 10);
        }
        #[expect(clippy::cast_possible_truncation, reason = "a digit")]
        self.digit((number % 10) as u8);
    }

    const fn bytes(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let [first, behind @ ..] = rest {
            self.byte(*first);
            rest = behind;
        }
    }

    const fn byte(&mut self, byte: u8) {
        if let Some((_, rest)) = self.bytes.split_at_mut_checked(self.len) {
            if let Some(place) = rest.first_mut() {
                *place = byte;
            }
        }
        self.len = self.len.wrapping_add(1);
    }
}

const fn is_hidden(name: &str, hidden: Option<&Hidden<'_>>) -> bool {
    let Some(Hidden { members, next }) = hidden else { return false };
    let mut rest: &[(&str, Node)] = members;
    while let [(other, _), behind @ ..] = rest {
        if is_same(name.as_bytes(), other.as_bytes()) {
            return true;
        }
        rest = behind;
    }
    is_hidden(name, *next)
}

pub(super) const fn is_same(mut a: &[u8], mut b: &[u8]) -> bool {
    while let ([first, rest @ ..], [other, behind @ ..]) = (a, b) {
        if *first != *other {
            return false;
        }
        (a, b) = (rest, behind);
    }
    a.is_empty() && b.is_empty()
}
