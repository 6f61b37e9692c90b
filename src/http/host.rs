//! The value of `Host`: `uri-host [ ":" port ]`. RFC 9110 §7.2, RFC 3986 §3.2.2.

/// The offset of the first byte that does not belong to a non-empty host with an optional port; `None` if `host` is valid.
pub(super) fn fault(host: &[u8]) -> Option<usize> {
    // IP-literal = "[" ( IPv6address / IPvFuture ) "]" (RFC 3986 §3.2.2)
    let inside = host.strip_prefix(b"[");
    let name = name_len(inside.unwrap_or(host), inside.is_some());
    let mut len = name.saturating_add(inside.is_some().into());
    if name == 0 || inside.is_some() && host.get(len) != Some(&b']') {
        return Some(len);
    }
    len = len.saturating_add(inside.is_some().into());
    if let Some([b':', port @ ..]) = host.get(len..) {
        let digits = port.iter().take_while(|byte| byte.is_ascii_digit()).count();
        len = len.saturating_add(1).saturating_add(digits);
    }
    (len != host.len()).then_some(len)
}

/// The length of the registered name at the front of `text`, or of the inside of an IP literal, which has colons and no percent signs.
fn name_len(text: &[u8], is_literal: bool) -> usize {
    let mut rest = text;
    loop {
        rest = match rest {
            // unreserved and sub-delims (RFC 3986 §2.2, §2.3)
            [
                b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=',
                behind @ ..,
            ] => behind,
            [byte, behind @ ..] if byte.is_ascii_alphanumeric() || *byte == b':' && is_literal => behind,
            [b'%', one, two, behind @ ..] if one.is_ascii_hexdigit() && two.is_ascii_hexdigit() && !is_literal => {
                behind
            }
            _ => return text.len().saturating_sub(rest.len()),
        };
    }
}
