// Texts of JavaScript as bytes of UTF-8, and the position of a byte in the text.

/// The bytes of a text, and the index in the text for each byte. With `isNotation`, `\xFF` is the byte FF.
export function encoded(text, isNotation = false) {
  const bytes = new TextEncoder().encode(text);
  const hasNotation = isNotation && /\\x[0-9a-fA-F]{2}/.test(text);
  if (!hasNotation && bytes.length === text.length) return { bytes, index: (offset) => offset };
  const places = new Uint32Array(bytes.length + 1);
  let at = 0;
  for (let index = 0; index < text.length; ) {
    const code = text.codePointAt(index);
    const byte = hasNotation && code === 0x5c && /^\\x[0-9a-fA-F]{2}/.exec(text.slice(index, index + 4));
    if (byte) {
      bytes[at] = parseInt(byte[0].slice(2), 16);
      places[at++] = index;
      index += 4;
      continue;
    }
    const len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (hasNotation) bytes.set(new TextEncoder().encode(String.fromCodePoint(code)), at);
    places.fill(index, at, at + len);
    at += len;
    index += code < 0x10000 ? 1 : 2;
  }
  places[at] = text.length;
  return { bytes: bytes.subarray(0, at), index: (offset) => places[Math.min(offset, at)] };
}

/// Bytes as a text; those that are not UTF-8 in the notation above.
export function shown(bytes) {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), isNotation: false };
  } catch {
    const text = Array.from(bytes, (byte) => byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16).toUpperCase()}`);
    return { text: text.join(""), isNotation: true };
  }
}

/// The line and the column, counted from 1 in characters, of an index.
export function lineAndColumn(text, index) {
  const before = text.slice(0, index);
  const start = before.lastIndexOf("\n") + 1;
  let line = 1;
  for (let at = before.indexOf("\n"); at !== -1; at = before.indexOf("\n", at + 1)) line += 1;
  return { line, column: [...before.slice(start)].length + 1 };
}
