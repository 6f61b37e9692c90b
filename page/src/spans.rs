//! The spans of the parts of a text.

use nanojsonrpc::RawValue;

use crate::out::Out;

/// The offset of `part`, a part of `text`.
pub(crate) fn offset(text: &[u8], part: &[u8]) -> usize {
    part.as_ptr().addr().wrapping_sub(text.as_ptr().addr())
}

/// Where a value begins and ends.
pub(crate) fn span(value: RawValue<'_>) -> [usize; 2] {
    [value.offset(), value.offset().wrapping_add(value.as_bytes().len())]
}

/// The names that JSON-RPC 2.0 defines.
const NAMES: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// Appends the members of a message: the place of the name in the list above, or 6, then where the name and the value begin and end.
/// No member follows [`END`].
pub(crate) fn parts(text: &[u8], message: RawValue<'_>, out: &mut Out<'_>) {
    for (name, value) in message.members() {
        let known = NAMES.iter().take_while(|known| name != **known).count();
        // with the quotation marks
        let start = offset(text, name.as_bytes()).wrapping_sub(1);
        out.words(&[known, start, start.wrapping_add(name.as_bytes().len()).wrapping_add(2)]);
        out.words(&span(value));
    }
    out.word(END);
}

/// The end of a list.
pub(crate) const END: u32 = u32::MAX;
