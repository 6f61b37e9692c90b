// Shows the verdict on a text.
import { code, explained, hint } from "./explain.js";
import { count, cut, element, many } from "./dom.js";
import { tree } from "./tree.js";

const TITLES = { request: "Request", notification: "Notification", success: "Success response", error: "Error response", refused: "Refused" };
const COUNTED = {
  request: ["request"], notification: ["notification"], success: ["success"], error: ["error response"], refused: ["refused", "refused"],
};

/// The headline over a text.
export function headline(verdict) {
  if (!verdict.isBatch) return TITLES[verdict.messages[0].kind];
  return `Batch of ${many(verdict.total, "message")}`;
}

/// The same with its content, for screen readers.
export function spoken(verdict) {
  const [first] = verdict.messages;
  if (verdict.isBatch) return `${headline(verdict)}: ${counted(verdict)}`;
  if (first.kind === "refused") return `Refused: ${explained(first.fault).words}, line ${first.place.line}, column ${first.place.column}`;
  return headline(verdict);
}

function counted({ counts }) {
  return Object.entries(COUNTED).filter(([kind]) => counts[kind] > 0).map(([kind, words]) => many(counts[kind], ...words)).join(", ");
}

/// The tints of messages in their text.
export function tints(messages) {
  return messages.flatMap(({ parts }) => parts.map(({ name, nameAt, at }) =>
    // the name and its value
    ({ at: [nameAt[0], at[1]], class: `part-${name}` })));
}

/// A fault: kind, place, the text around it, the reason, and a server's answer.
export function faultOf({ fault, place: found, answer }, { select, isFrame = false }) {
  const { words, name, section, sentence } = explained(fault);
  const [before, here, after] = found.excerpt;
  const place = `byte ${count(found.offset)} · line ${count(found.line)} · column ${count(found.column)}`;
  const more = hint(words, here, before);
  return element("div", { class: "refusal" },
    element("p", { class: "what" }, element("strong", { class: "words" }, words), " ", element("code", { class: "kind" }, name)),
    element("p", { class: "place" }, select
      ? element("button", { type: "button", class: "pointer", onclick: () => select([found.index, found.end]) }, place)
      : place),
    element("pre", { class: "excerpt", tabindex: "0", role: "group", "aria-label": "The text around the fault" }, before,
      element("mark", {}, here === "" ? "⟨end⟩" : shownByte(here)), after),
    element("p", { class: "sentence" }, sentence, more ? ` ${more}` : "", " ", element("span", { class: "section" }, section)),
    answer
      ? element("div", {}, element("p", { class: "label" }, `A server answers ${code(fault)}:`), element("pre", { class: "answer", tabindex: "0", role: "group", "aria-label": "The answer" }, answer))
      : element("p", { class: "label" }, isFrame ? "No message is lost, and there is no answer." : "A server does not answer: this looks like a response, and an answer could end a call of the peer."));
}

/// A character that can be seen.
function shownByte(character) {
  const names = { "\n": "⏎", "\t": "⇥", "\r": "␍", " ": "␣", "\uFEFF": "BOM", "\u0000": "NUL" };
  return names[character] ?? character;
}

/// The parts of a message.
function facts(message, given, { dialect, lenient }) {
  const rows = [];
  const part = (name) => message.parts.find((part) => part.name === name);
  if (message.method !== undefined) rows.push(["method", element("code", { class: "part-method" }, cut(message.method, 120))]);
  if (message.kind === "notification") rows.push(["id", "none: no answer"]);
  else if (message.id !== undefined) rows.push(["id", element("code", { class: "part-id" }, cut(message.id, 120))]);
  if (message.kind === "request" && message.id === "null") {
    rows.push(["note", "Null as the id of a request is discouraged: errors without a call have it, too."]);
  }
  if (message.ends !== undefined && message.ends !== null) {
    const number = (message.id ?? "").replaceAll('"', "").replace(/\.0*$/, "");
    const isSame = message.id === number;
    rows.push(["ends", message.ends
      ? `the call ${number}${isSame ? "" : ", for a lenient client"}`
      : `no call: ${number} is a number, and this id is not${lenient ? "" : "; a lenient client accepts it"}`]);
  }
  if (part("params") === undefined && (message.kind === "request" || message.kind === "notification")) rows.push(["params", "none"]);
  const others = message.parts.filter(({ name }) => name === "other");
  if (others.length > 0) {
    const names = others.map(({ nameAt }) => given.text.slice(...nameAt)).join(" ");
    rows.push(["ignored", element("code", { class: "part-other" }, cut(names, 120))]);
  }
  return element("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

/// The value to look into: params, result or error; the message itself if it is refused.
function payload(message, given, select) {
  const name = { request: "params", notification: "params", success: "result", error: "error" }[message.kind];
  const part = message.parts.find((part) => part.name === name);
  if (part) return tree(given, name, part.bytes, part.at, select);
  if (message.kind === "refused" && message.at[0] < message.at[1]) return tree(given, "message", message.bytes, message.at, select);
  return null;
}

/// One message, in full.
export function whole(message, given, rules, select) {
  const inside = payload(message, given, select);
  return element("div", { class: "message" },
    message.kind === "refused" ? faultOf(message, { select }) : facts(message, given, rules),
    inside && element("p", { class: "label" }, message.kind === "refused" ? "It is JSON:" : "Payload and JSON Pointers:"), inside);
}

/// The messages of a batch, each to be opened.
export function elements(messages, from, given, rules, select) {
  return messages.map((message, place) => {
    const details = element("details", {}, element("summary", {},
      element("span", { class: `badge ${message.kind}` }, TITLES[message.kind]), " ",
      element("span", { class: "brief" }, brief(message))));
    details.addEventListener("toggle", () => {
      if (details.open && details.childElementCount === 1) details.append(whole(message, given, rules, select));
    });
    return element("li", { value: from + place + 1 }, details);
  });
}

function brief(message) {
  if (message.kind === "refused") return explained(message.fault).words;
  return [message.method, message.id && `id ${message.id}`].filter(Boolean).map((text) => cut(text, 60)).join(" · ");
}

export { counted, TITLES };
