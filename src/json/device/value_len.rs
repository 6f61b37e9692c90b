//! The byte-by-byte walk over a value. Tests compare that of hosts with it.

/// The length of the validated value at the front of `text`.
pub(in crate::json) fn value_len(text: &[u8]) -> usize {
    let (mut rest, mut open) = (text.iter(), 0u32);
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => loop {
                match rest.next() {
                    Some(b'\\') => _ = rest.next(),
                    Some(b'"') | None => break,
                    Some(_) => {}
                }
            },
            b'{' | b'[' => open = open.wrapping_add(1),
            b'}' | b']' if open != 0 => open = open.wrapping_sub(1),
            // a byte that follows a number or literal
            b'}' | b']' | b',' | 0..=b' ' if open == 0 => {
                return text.len().wrapping_sub(rest.len()).wrapping_sub(1);
            }
            _ => continue,
        }
        if open == 0 {
            break;
        }
    }
    text.len().wrapping_sub(rest.len())
}
