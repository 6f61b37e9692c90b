// Everything that takes time, away from the thread that shows it.
import { Crate } from "./wasm.js";
import { encoded, lineAndColumn, shown } from "./places.js";
import { differences, parsed, timed } from "./compare.js";

/// The place of `ErrorKind::BatchNotAllowed`.
const BATCH_NOT_ALLOWED = 15;
/// Longer texts are not measured.
const MEASURED = 1 << 21;

const crate = fetch(new URL("nanojsonrpc.wasm", import.meta.url))
  .then((response) => {
    if (!response.ok) throw new Error(`nanojsonrpc.wasm: ${response.status}`);
    return response.arrayBuffer();
  })
  .then((source) => Crate.load(source));

/// The text that was read last: its bytes and their address.
let last = { text: "", isNotation: false, ...encoded("") };

function take(text, isNotation) {
  if (text !== last.text || isNotation !== last.isNotation) last = { text, isNotation, ...encoded(text, isNotation) };
  return last;
}

/// Where a fault is, for people.
function faultPlace(text, index, offset) {
  const { line, column } = lineAndColumn(text, index);
  // up to the end of the character; empty at the end of the text
  const code = text.codePointAt(index);
  const end = code === undefined ? index : index + (code > 0xffff ? 2 : 1);
  const before = text.slice(Math.max(0, index - 40), index);
  return { offset, index, end, line, column, excerpt: [before, text.slice(index, end), text.slice(end, end + 40)] };
}

const work = {
  async size(crate) {
    return crate.size;
  },

  read(crate, { text, isNotation, rules, from, count }) {
    const { bytes, index } = take(text, isNotation);
    const verdict = crate.read(bytes, rules, from, count);
    const place = ([start, end]) => [index(start), index(end)];
    for (const message of verdict.messages) {
      message.bytes = message.at;
      message.at = place(message.at);
      for (const part of message.parts) {
        part.bytes = part.at;
        part.at = place(part.at);
        part.nameAt = place(part.nameAt);
      }
      const part = (name) => message.parts.find((part) => part.name === name);
      const spelled = (name) => part(name) && text.slice(...part(name).at);
      message.method = spelled("method")?.slice(0, 400);
      message.id = spelled("id")?.slice(0, 400);
      if (message.kind === "refused") message.place = faultPlace(text, index(message.offset), message.offset);
    }
    verdict.len = bytes.length;
    return verdict;
  },

  children(crate, { text, isNotation, at: [start, end], from, count }) {
    const { bytes, index } = take(text, isNotation);
    crate.put(bytes);
    return crate.children(start, end, from, count).map((child) => {
      const [from, to] = child.at.map(index);
      const spelled = text.slice(from, Math.min(to, from + 120));
      const name = child.nameAt[1] === 0 ? null : JSON.parse(text.slice(...child.nameAt.map(index)));
      return { name, bytes: child.at, at: [from, to], len: child.len, spelled, isCut: to - from > 120 };
    });
  },

  compare(crate, { text, isNotation, rules, isAccepted }) {
    const { bytes } = take(text, isNotation);
    const decoded = isNotation ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) : text;
    const theirs = parsed(decoded);
    const compared = { theirs, len: bytes.length };
    if (theirs.isAccepted && isAccepted) compared.differences = differences(decoded);
    if (bytes.length !== 0 && bytes.length <= MEASURED) {
      compared.ours = timed((times) => crate.repeat(bytes, rules.dialect, times));
      compared.native = timed((times) => {
        for (let time = 0; time < times; time += 1) {
          try {
            JSON.parse(decoded);
          } catch {
            // a refusal takes time, too
          }
        }
      });
    }
    return compared;
  },

  frames(crate, { text, isNotation, ends, framing }) {
    const sent = text.replaceAll("\n", { lf: "\n", crlf: "\r\n", cr: "\r" }[ends]);
    const { bytes, index } = encoded(sent, isNotation);
    const shift = ends === "crlf" ? (at) => at - (sent.slice(0, at).match(/\r\n/g)?.length ?? 0) : (at) => at;
    const { items, total } = crate.frames(bytes, framing);
    for (const item of items) {
      if (item.offset !== undefined) item.place = faultPlace(text, shift(index(item.offset)), item.offset);
      else if (item.refused + item.accepted > 0) {
        const rules = { dialect: framing.dialect, depth: 63, id: 64, method: 64 };
        const encoder = new TextEncoder().encode(item.text);
        item.messages = crate.read(encoder, rules, 0, 1).messages;
      }
    }
    // the same with other chunks
    const plain = (read) => JSON.stringify([read.total, read.items.map(({ text, fault, offset }) => [text, fault, offset])]);
    const cuts = [1, 2, 3, 7, 64, 4096].filter((chunk) => chunk === 1 || chunk < bytes.length * 2);
    const same = plain({ items, total });
    const isSame = bytes.length > 1 << 16 || cuts.every((chunk) => plain(crate.frames(bytes, { ...framing, chunk })) === same);
    return { items, total, len: bytes.length, cuts, isSame, isCompared: bytes.length <= 1 << 16 };
  },

  serve(crate, { server, text }) {
    return crate.serve(server, encoded(text).bytes);
  },

  restart(crate, { dialect, lenient }) {
    crate.restart(dialect, lenient);
  },

  /// Sends calls, one text for each or all in one, and returns the outcome of each.
  call(crate, { server, calls, isBatch, isNotification }) {
    const dialect = server === 1 ? 1 : 0;
    // MCP has no batches, and a server without them would answer an error
    if (isBatch && dialect === 1) return [{ fault: BATCH_NOT_ALLOWED }];
    const texts = isBatch ? [calls] : calls.map((call) => [call]);
    return texts.map((calls) => {
      const { text, fault } = crate.call(calls, isBatch, isNotification);
      if (fault !== undefined) return { fault };
      const said = crate.serve(server, encoded(text).bytes);
      const heard = said.filter(({ isDropped }) => !isDropped).flatMap(({ text }) => {
        const messages = JSON.parse(text);
        const list = Array.isArray(messages) ? messages : [messages];
        return crate.receive(text, dialect).map((received, place) => ({ ...received, result: JSON.stringify(list[place].result), error: list[place].error?.message }));
      });
      return { text, said, received: heard };
    });
  },

  /// A file as text.
  open(crate, { buffer }) {
    return shown(new Uint8Array(buffer));
  },
};

/// The text that came last.
let sent = "";

onmessage = async ({ data: { number, what, isSame, ...given } }) => {
  sent = given.text ?? sent;
  if (isSame) given.text = sent;
  try {
    postMessage({ number, result: await work[what](await crate, given) });
  } catch (error) {
    postMessage({ number, trouble: String(error.message ?? error) });
  }
};
