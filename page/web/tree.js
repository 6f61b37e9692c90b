// A value as a tree: each node gives its JSON Pointer. Levels are read when they are opened.
import { ask } from "./engine.js";
import { token } from "./compare.js";
import { cut, element, many } from "./dom.js";

/// How many children are shown at once.
const PAGE = 100;

/// The type of a value, by its first byte.
function type(spelled) {
  switch (spelled[0]) {
    case "{": return "object";
    case "[": return "array";
    case '"': return "string";
    case "t": case "f": return "boolean";
    case "n": return "null";
    default: return "number";
  }
}

/// The nodes of the value at `bytes` of a text. `given` is that text, for the worker; `select` is called with a place in it.
export function tree(given, name, bytes, at, select) {
  const list = element("ul", { class: "tree" });
  const spelled = given.text.slice(at[0], Math.min(at[1], at[0] + 120));
  list.append(node(given, { name, bytes, at, spelled, isCut: at[1] - at[0] > 120, len: null }, "", select, true));
  return list;
}

function node(given, child, pointer, select, isRoot) {
  const kind = type(child.spelled);
  const isOpenable = (kind === "object" || kind === "array") && child.len !== 0;
  const line = element("span", { class: "line" },
    child.name === null ? null : element("span", { class: "name" }, String(child.name)),
    element("span", { class: `value ${kind}` }, isOpenable && child.len !== null
      ? many(child.len, kind === "object" ? "member" : "element")
      : isOpenable ? kind : cut(child.spelled, 80)));
  const jump = element("button", {
    type: "button", class: "pointer", title: "Select in the text",
    "aria-label": `Select ${pointer === "" ? "the whole value" : pointer} in the text`, onclick: () => select(child.at),
  }, pointer === "" ? "\"\"" : pointer);
  if (!isOpenable) return element("li", {}, element("div", { class: "leaf" }, line, jump));
  const children = element("ul");
  const summary = element("summary", {}, line);
  const details = element("details", {}, summary, children);
  let isRead = false;
  const open = async () => {
    if (isRead) return;
    isRead = true;
    await more(given, child, kind, pointer, select, children, 0);
  };
  details.addEventListener("toggle", open);
  if (isRoot) {
    details.open = true;
    open();
  }
  return element("li", { class: "branch" }, details, jump);
}

/// Appends the next page of children.
async function more(given, parent, kind, pointer, select, list, from) {
  const read = await ask("children", { ...given, at: parent.bytes, from, count: PAGE + 1 });
  const nodes = read.slice(0, PAGE).map((child, place) => {
    const name = kind === "array" ? from + place : child.name;
    return node(given, { ...child, name }, `${pointer}/${token(name)}`, select, false);
  });
  list.append(...nodes);
  if (read.length > PAGE) {
    const button = element("button", { type: "button", class: "quiet", onclick: async () => {
      button.parentElement.remove();
      await more(given, parent, kind, pointer, select, list, from + PAGE);
    } }, "More");
    list.append(element("li", {}, button));
  }
}
