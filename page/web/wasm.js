// The crate in WebAssembly: texts in, words out. See ../src/lib.rs.

/// Room for a text, in bytes.
export const ROOM = 8 << 20;
const END = 0xffffffff;
export const KINDS = ["request", "notification", "success", "error", "refused"];
export const NAMES = ["jsonrpc", "id", "method", "params", "result", "error", "other"];
const RECEIVED = ["result", "error", "duplicate", "unknown", "null id", "request", "notification", "refused"];

/// Words of 32 bits, and texts behind their lengths.
class Words {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }
  get more() {
    return this.at < this.bytes.length;
  }
  word() {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }
  text() {
    const len = this.word();
    this.at += len;
    return new TextDecoder().decode(this.bytes.subarray(this.at - len, this.at));
  }
}

export class Crate {
  /// Compiles the module; one with imports could panic, and is refused.
  static async load(source) {
    const module = await WebAssembly.compile(source);
    if (WebAssembly.Module.imports(module).length !== 0) throw new Error("the module has imports");
    const { exports } = await WebAssembly.instantiate(module);
    return new Crate(exports, source.byteLength);
  }

  constructor(exports, size) {
    this.exports = exports;
    this.size = size;
  }

  #memory(start, len) {
    return new Uint8Array(this.exports.memory.buffer, start, len);
  }

  /// Gives the crate a text, and returns its length.
  put(bytes) {
    if (bytes.length > ROOM) throw new RangeError(`the page reads at most ${ROOM} bytes`);
    this.#memory(this.exports.text(), bytes.length).set(bytes);
    return bytes.length;
  }

  #output(len) {
    return this.#memory(this.exports.output(), len);
  }

  #said(len) {
    return new TextDecoder().decode(this.#output(len));
  }

  /// The verdict on `bytes`, and `count` of its messages from `from` on.
  read(bytes, rules, from = 0, count = 200) {
    const { dialect, depth, id, method, batch, len, lenient } = rules;
    const words = new Words(this.#output(this.exports.read(
      this.put(bytes), dialect, depth, id, method, batch ?? END, len ?? END, lenient ? 1 : 0, from, count)));
    const flags = words.word();
    const counts = Object.fromEntries(KINDS.map((kind) => [kind, words.word()]));
    const verdict = { isJson: (flags & 1) !== 0, isBatch: (flags & 2) !== 0, counts, messages: [] };
    verdict.total = KINDS.reduce((sum, kind) => sum + counts[kind], 0);
    while (words.more) {
      const message = { kind: KINDS[words.word()], at: [words.word(), words.word()], parts: [] };
      for (let name = words.word(); name !== END; name = words.word()) {
        message.parts.push({ name: NAMES[name], nameAt: [words.word(), words.word()], at: [words.word(), words.word()] });
      }
      if (message.kind === "refused") {
        message.offset = words.word();
        message.fault = words.word();
        message.answer = words.text();
      } else if (message.kind === "success" || message.kind === "error") {
        message.ends = [null, true, false][words.word()];
      }
      verdict.messages.push(message);
    }
    return verdict;
  }

  /// The members or elements of the value between two offsets of the text that was put last.
  children(start, end, from, count) {
    const words = new Words(this.#output(this.exports.children(start, end, from, count)));
    const children = [];
    while (words.more) {
      children.push({ nameAt: [words.word(), words.word()], at: [words.word(), words.word()], len: words.word() });
    }
    return children;
  }

  /// The messages and framing errors of a stream.
  frames(bytes, { frame, chunk, buffer, dialect }) {
    const words = new Words(this.#output(this.exports.frames(this.put(bytes), frame, chunk, buffer, dialect)));
    const kept = this.exports.messages();
    const text = () => {
      const [start, end] = [words.word(), words.word()];
      return new TextDecoder().decode(this.#memory(kept + start, end - start));
    };
    const items = [];
    for (let tag = words.word(); tag !== END; tag = words.word()) {
      if (tag === 1) {
        items.push({ offset: words.word(), fault: words.word(), answer: words.text() });
        continue;
      }
      const item = { at: words.word(), text: text(), accepted: words.word(), refused: words.word() };
      if (frame === 2) Object.assign(item, { event: text(), id: text() });
      items.push(item);
    }
    return { items, total: words.word() };
  }

  /// The output of a server for a text: messages, and those that it dropped.
  serve(server, bytes) {
    const said = this.#said(this.exports.serve(server, this.put(bytes)));
    return said.split("\n").filter((line) => line !== "").map((line) => ({ isDropped: line[0] === "!", text: line.slice(1) }));
  }

  restart(dialect, lenient) {
    this.exports.restart(dialect, lenient ? 1 : 0);
  }

  /// The text of calls, which are pairs of a method and params in JSON; or the kind of the fault.
  call(calls, isBatch, isNotification) {
    const list = `[${calls.map(([method, params]) => `[${JSON.stringify(method)},${params ?? "null"}]`).join()}]`;
    const said = this.#said(this.exports.call(this.put(new TextEncoder().encode(list)), isBatch ? 1 : 0, isNotification ? 1 : 0));
    return said[0] === "<" ? { text: said.slice(1) } : { fault: said.charCodeAt(1) - 0x20 };
  }

  /// The meaning of a text of the server for the client: the kind of each message, and the index of its call.
  receive(text, dialect) {
    const words = new Words(this.#output(this.exports.receive(this.put(new TextEncoder().encode(text)), dialect)));
    const received = [];
    while (words.more) received.push({ what: RECEIVED[words.word()], tag: words.word() });
    return received;
  }

  /// Reads a text so many times.
  repeat(bytes, dialect, times) {
    return this.exports.repeat(this.put(bytes), dialect, times);
  }
}
