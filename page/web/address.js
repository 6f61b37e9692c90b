// The state of the page in its address, behind `#`.

/// Longer addresses are not written: browsers and mail programs cut them.
const LONGEST = 8000;
/// Texts up to this length are in the address literally.
const PLAIN = 600;
/// Longer texts are not packed: they would not fit, and trying takes time.
const PACKED = 1 << 17;

async function through(stream, bytes) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/// Base64 of RFC 4648 §5.
function base64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/// The state as a text for the address; `null` if it is too long.
export async function written(state, defaults) {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (name !== "text" && value !== "" && String(value) !== String(defaults[name] ?? "")) parts.set(name, value);
  }
  if (state.text.length > PACKED) return null;
  if (state.text.length <= PLAIN) {
    const plain = new URLSearchParams(parts);
    plain.set("text", state.text);
    return plain.toString();
  }
  const packed = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(state.text));
  parts.set("packed", base64(packed));
  const long = parts.toString();
  return long.length <= LONGEST ? long : null;
}

/// The state of an address; `null` without a state.
export async function read(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const state = Object.fromEntries(parts);
  if (state.packed !== undefined) {
    try {
      const bytes = Uint8Array.from(atob(state.packed.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
      state.text = new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
    } catch {
      // a link that was cut
      return null;
    }
    delete state.packed;
  }
  return state.text === undefined ? null : state;
}
