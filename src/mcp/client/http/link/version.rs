//! The revision in the answer to `initialize`, found while its bytes pass.

use heapless::String;

use crate::mcp::Revision;

/// The text before the value. A string that contains it has a backslash before its quotation marks.
const NAME: &[u8] = b"\"protocolVersion\"";
/// The length of a revision.
const LEN: usize = 10;

/// Finds the value of the first member `protocolVersion`. The [`Client`](crate::mcp::client::Client) reads the answer itself; the requests
/// after it need the revision before the program can tell it.
#[derive(Clone, Debug)]
pub(super) struct VersionFinder {
    /// The length of the front of [`NAME`] that was found.
    matched: usize,
    value: Option<String<LEN>>,
    is_done: bool,
}

impl VersionFinder {
    pub(super) const fn new() -> Self {
        Self { matched: 0, value: None, is_done: false }
    }

    pub(super) fn take(&mut self, byte: u8) {
        if self.is_done {
            return;
        }
        if self.matched < NAME.len() {
            self.matched = match byte {
                _ if NAME.get(self.matched) == Some(&byte) => self.matched.wrapping_add(1),
                b'"' => 1,
                _ => 0,
            };
            return;
        }
        self.is_done = match (&mut self.value, byte) {
            (None, b':' | b' ' | b'\t' | b'\r' | b'\n') => false,
            (None, b'"') => {
                self.value = Some(String::new());
                false
            }
            (Some(value), b'0'..=b'9' | b'-') if value.len() < LEN => value.push(char::from(byte)).is_err(),
            (Some(_), b'"') => true,
            // no revision
            _ => {
                self.value = None;
                true
            }
        };
    }

    /// The revision, if the value is one.
    pub(super) fn found(&self) -> Option<Revision> {
        let value = self.value.as_ref().filter(|_| self.is_done)?;
        Revision::ALL.into_iter().find(|revision| value == revision.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::VersionFinder;
    use crate::mcp::Revision;

    fn found(text: &str) -> Option<Revision> {
        let mut finder = VersionFinder::new();
        text.bytes().for_each(|byte| finder.take(byte));
        finder.found()
    }

    #[test]
    fn the_first_member_counts() {
        assert_eq!(found(r#"{"protocolVersion": "2025-06-18"}"#), Some(Revision::V2025_06_18));
        assert_eq!(
            found("data: {\"result\":{\"\"protocolVersion\"\n:\n\"2025-03-26\",\"x\":1}}"),
            Some(Revision::V2025_03_26)
        );
        assert_eq!(
            found(r#"{"text":"a \"protocolVersion\":\"2025-06-18\"","protocolVersion":"2025-11-25"}"#),
            Some(Revision::V2025_11_25)
        );
    }

    #[test]
    fn another_value_is_none() {
        for text in [
            "{}",
            r#"{"protocolVersion":1}"#,
            r#"{"protocolVersion":"2025-06-1"}"#,
            r#"{"protocolVersion":"2025-06-18"#,
            r#"{"protocolVersion":"2025-06-189"}"#,
            r#"{"protocolVersion":null}"#,
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
