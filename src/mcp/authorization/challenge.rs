//! The challenge of a server: the value of `WWW-Authenticate`.

use crate::ascii::is_token;

/// The `Bearer` challenge in a value of the header `WWW-Authenticate`, which comes with the status 401 or 403.
///
/// ```
/// use nanojsonrpc::mcp::authorization::Challenge;
///
/// let value = br#"Basic realm="a, b", Bearer error="insufficient_scope", scope="files:read files:write""#;
/// let challenge = Challenge::read(&value[..]).unwrap_or_default();
/// assert_eq!(challenge.scope, Some("files:read files:write"));
/// assert!(challenge.is_insufficient_scope());
/// ```
///
/// If the header is repeated, each value is read alone; `find_map` of an iterator over the values finds the challenge:
///
/// ```
/// use nanojsonrpc::mcp::authorization::Challenge;
///
/// let values = [&b"Negotiate abc=="[..], b"Bearer scope=a"];
/// assert_eq!(values.into_iter().find_map(Challenge::read).and_then(|challenge| challenge.scope), Some("a"));
/// ```
///
/// # Limits
/// A parameter with a quoted pair (`\"`) or a byte that is not ASCII is read as absent: RFC 6750 §3 has no quotation marks and backslashes in
/// these values. Time: one pass over the value.
///
/// Source: RFC 9110 §11.6.1; RFC 6750 §3; RFC 9728 §5.1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Challenge<'h> {
    /// The URL of the metadata of the server, which the client requests first. RFC 9728 §5.1.
    pub resource_metadata: Option<&'h str>,
    /// The scopes that the request needs, with spaces between them.
    pub scope: Option<&'h str>,
    /// The kind of the error, such as `invalid_token` or `insufficient_scope`; absent if the request had no token.
    pub error: Option<&'h str>,
    /// The error in words, for a log.
    pub error_description: Option<&'h str>,
}

impl<'h> Challenge<'h> {
    /// Reads the first `Bearer` challenge of `value`. `None` if it has none, or if it is malformed up to the end of that challenge: an unclosed
    /// string, a parameter without a value, a repeated parameter. The client then [asks](super::WellKnown::of_resource) the well-known URLs.
    pub fn read(value: &'h [u8]) -> Option<Self> {
        let mut rest = value;
        // no challenge, another one, this one
        let mut challenge: Option<Option<Self>> = None;
        loop {
            // #challenge = [ challenge ] *( OWS "," OWS [ challenge ] )
            rest = skip(rest, b" \t,");
            let (name, behind) = until(rest, |byte| !is_token(byte));
            if name.is_empty() {
                // the end, or a byte that begins no element
                return if rest.is_empty() { challenge? } else { None };
            }
            // auth-param = token BWS "=" BWS ( token / quoted-string )
            if let Some(value) = challenge.as_mut().and_then(|_| skip(behind, b" \t").strip_prefix(b"=")) {
                let (value, behind) = param_value(skip(value, b" \t"))?;
                if let Some(Some(challenge)) = &mut challenge {
                    challenge.add(name, value)?;
                }
                rest = separated(behind)?;
                continue;
            }
            // challenge = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
            if let Some(Some(challenge)) = challenge {
                return Some(challenge);
            }
            challenge = Some(name.eq_ignore_ascii_case(b"bearer").then(Self::default));
            rest = match behind {
                [b' ', ..] => behind_scheme(skip(behind, b" "))?,
                _ => separated(behind)?,
            };
        }
    }

    /// Stores a parameter; `None` if it is repeated: "authentication parameters [...] MUST only occur once per challenge" (RFC 9110 §11.2).
    fn add(&mut self, name: &[u8], value: &'h [u8]) -> Option<()> {
        let known = [
            ("resource_metadata", &mut self.resource_metadata),
            ("scope", &mut self.scope),
            ("error", &mut self.error),
            ("error_description", &mut self.error_description),
        ];
        for (known, field) in known {
            if name.eq_ignore_ascii_case(known.as_bytes()) {
                if field.is_some() {
                    return None;
                }
                *field = plain(value);
            }
        }
        Some(())
    }

    /// Whether the token is valid, but does not cover the request: the client [steps up](super::StepUp). The status is 403.
    pub fn is_insufficient_scope(&self) -> bool {
        self.error == Some("insufficient_scope")
    }
}

/// The value of a parameter, unless it has a quoted pair or a byte that is not printable ASCII.
fn plain(value: &[u8]) -> Option<&str> {
    let is_plain = value.iter().all(|byte| matches!(byte, b' '..=b'~') && !b"\\\"".contains(byte));
    core::str::from_utf8(value).ok().filter(|_| is_plain)
}

/// The value at the front of `text`, without quotation marks, and the text after it; `None` if there is none, or if its end is missing.
fn param_value(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let Some(inside) = text.strip_prefix(b"\"") else {
        let (token, behind) = until(text, |byte| !is_token(byte));
        return (!token.is_empty()).then_some((token, behind));
    };
    // quoted-pair = "\" ( HTAB / SP / VCHAR / obs-text )
    let mut is_pair = false;
    let len = inside.iter().position(|byte| {
        let ends = *byte == b'"' && !is_pair;
        is_pair = *byte == b'\\' && !is_pair;
        ends
    })?;
    let (value, behind) = inside.split_at_checked(len)?;
    Some((value, behind.get(1..)?))
}

/// The text after a token68 at the front of `text`; `text` itself if it begins with a parameter or has nothing; `None` for anything else.
///
/// token68 = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
fn behind_scheme(text: &[u8]) -> Option<&[u8]> {
    let (digits, behind) = until(text, |byte| !byte.is_ascii_alphanumeric() && !b"-._~+/".contains(&byte));
    let (name, value) = until(text, |byte| !is_token(byte));
    let is_param = !name.is_empty() && skip(value, b" \t").starts_with(b"=");
    match separated(skip(behind, b"=")) {
        Some(behind) if !digits.is_empty() => Some(behind),
        _ => separated(text).or(is_param.then_some(text)),
    }
}

/// `text` if it begins with a comma, after white space, or is empty.
fn separated(text: &[u8]) -> Option<&[u8]> {
    let rest = skip(text, b" \t");
    matches!(rest, [] | [b',', ..]).then_some(rest)
}

fn skip<'t>(text: &'t [u8], skipped: &[u8]) -> &'t [u8] {
    until(text, |byte| !skipped.contains(&byte)).1
}

/// The text before the first byte for which `ends` is true, and the text from there.
fn until(text: &[u8], mut ends: impl FnMut(u8) -> bool) -> (&[u8], &[u8]) {
    let len = text.iter().position(|byte| ends(*byte)).unwrap_or(text.len());
    text.split_at_checked(len).unwrap_or_default()
}
