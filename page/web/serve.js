// The view of the servers: the examples of the crate, run in this page.
import { ask } from "./engine.js";
import { $, cut, element } from "./dom.js";
import { CONSOLE } from "./examples.js";
import { explained } from "./explain.js";

/// Values that a client cannot write, by the place in `ErrorKind`.
const OUTGOING = { 40: "output full", 44: "16 calls are in flight" };

/// The most lines of the log.
const LINES = 400;

export function serveView(changed) {
  const field = $("#text-serve");
  const line = $("#line");
  const log = $("#log");
  const servers = $("#servers");
  const history = [];
  let place = 0;

  const server = () => Number(servers.elements.server.value);

  function say(kind, text, title) {
    log.append(element("li", { class: kind }, element("span", { class: "who" }, title), element("pre", {}, text)));
    while (log.childElementCount > LINES) log.firstElementChild.remove();
    log.parentElement.scrollTop = log.parentElement.scrollHeight;
  }

  function heard(said) {
    for (const { isDropped, text } of said) say(isDropped ? "dropped" : "answer", text, isDropped ? "dropped" : "server");
    if (said.every(({ isDropped }) => isDropped)) say("nothing", "no answer", "server");
  }

  async function send() {
    const text = field.value;
    say("sent", cut(text, 4000), "client");
    try {
      heard(await ask("serve", { server: server(), text }));
    } catch (trouble) {
      say("trouble", trouble.message, "page");
    }
  }

  /// `METHOD [PARAMS]`, of which PARAMS is JSON without a space before its bracket.
  function calls(words) {
    const isBatch = /(^|\s)--batch(\s|$)/.test(words);
    const isNotification = /(^|\s)--notify(\s|$)/.test(words);
    let rest = words.replace(/(^|\s)--(batch|notify)(?=\s|$)/g, " ").trim();
    const list = [];
    while (rest !== "") {
      const [method] = /^\S+/.exec(rest);
      rest = rest.slice(method.length).trim();
      const params = /^[[{]/.test(rest) ? balanced(rest) : "";
      rest = rest.slice(params.length).trim();
      list.push([method, params || undefined]);
    }
    if (list.length === 0) throw new Error("a call has a method");
    if (list.length > 1 && !isBatch) throw new Error("several calls need --batch, and params are an array or object");
    return { calls: list, isBatch, isNotification };
  }

  /// The bracketed value at the front; the whole rest if it does not end.
  function balanced(text) {
    let depth = 0;
    for (const { 0: found, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
      if (found === "[" || found === "{") depth += 1;
      if (found === "]" || found === "}") depth -= 1;
      if (depth === 0) return text.slice(0, index + 1);
    }
    return text;
  }

  async function call() {
    const words = line.value.trim();
    if (words === "") return;
    history.push(words);
    place = history.length;
    line.value = "";
    try {
      const asked = calls(words);
      let sent = 0;
      for (const { text, fault, said, received } of await ask("call", { server: server(), ...asked })) {
        if (fault !== undefined) {
          say("trouble", OUTGOING[fault] ?? explained(fault).words, "client");
          continue;
        }
        say("sent", text, "client");
        heard(said);
        for (const { what, tag, result, error } of received) {
          const name = asked.calls[asked.isBatch ? tag : sent]?.[0];
          if (what === "result") say("result", result, name);
          else if (what === "error") say("refused", error, name);
          else if (what !== "notification") say("refused", what, "client");
        }
        sent += 1;
      }
    } catch (trouble) {
      say("trouble", trouble.message, "page");
    }
  }

  async function restart(isSilent) {
    await ask("restart", { dialect: server() === 1 ? 1 : 0, lenient: false });
    if (!isSilent) say("nothing", "The server and the client have been started again.", "page");
  }

  function chips() {
    const list = CONSOLE[server()].map((words) => element("li", {}, element("button", { type: "button", class: "chip", onclick: () => {
      line.value = words;
      line.focus();
    } }, cut(words, 60))));
    $("#methods").replaceChildren(element("h2", { class: "label" }, "Calls to try"), element("ul", { class: "chips" }, ...list));
  }

  $("#sending").addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  });
  field.addEventListener("input", changed);
  $("#console").addEventListener("submit", (event) => {
    event.preventDefault();
    call();
  });
  line.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    place = Math.min(Math.max(0, place + step), history.length);
    line.value = history[place] ?? "";
  });
  servers.addEventListener("submit", (event) => event.preventDefault());
  servers.addEventListener("change", () => {
    chips();
    restart(false);
    changed();
  });
  $("#restart").addEventListener("click", () => restart(false));
  chips();

  return {
    get: () => ({ text: field.value, server: servers.elements.server.value }),
    set(state) {
      const before = servers.elements.server.value;
      servers.elements.server.value = state.server ?? "0";
      if (state.text !== undefined) field.value = state.text;
      chips();
      if (before !== servers.elements.server.value) restart(true);
      changed();
    },
  };
}
