// The view of one text.
import { ask, newest } from "./engine.js";
import { $, count, cut, element, many } from "./dom.js";
import { Editor } from "./editor.js";
import { counted, elements, headline, spoken, tints, whole } from "./verdict.js";

/// How many messages of a batch are shown at once.
const PAGE = 100;
/// The pause in typing after which the two are compared, in milliseconds.
const QUIET = 350;

export function messageView(changed) {
  const rulesForm = $("#rules");
  const editor = new Editor($("#editor-message"), update);
  const status = $("#status");
  let shownFor = null;
  let quiet = 0;

  function rules() {
    const data = new FormData(rulesForm);
    const limit = (name) => (data.get(name) === "" ? undefined : Math.min(Math.max(0, Math.trunc(Number(data.get(name)))), 0xfffffffe));
    return {
      dialect: Number(data.get("dialect")),
      depth: Math.min(limit("depth") ?? 63, 63),
      id: Math.min(limit("id") ?? 64, 64),
      method: Math.min(limit("method") ?? 64, 255),
      batch: limit("batch"),
      len: limit("len"),
      lenient: data.get("lenient") === "1",
    };
  }

  const isNotation = () => rulesForm.elements.bytes.checked;

  const read = newest(async () => {
    const given = { text: editor.text, isNotation: isNotation() };
    const used = rules();
    try {
      const verdict = await ask("read", { ...given, rules: used, from: 0, count: PAGE });
      // text typed meanwhile is read next
      if (given.text !== editor.text) return;
      show(verdict, given, used);
    } catch (trouble) {
      $("#headline").textContent = "Not read";
      $("#verdict").replaceChildren(element("p", {}, trouble.message));
    }
  });

  function show(verdict, given, used) {
    const select = (at) => editor.select(at);
    const faults = verdict.messages.filter(({ kind }) => kind === "refused").map(({ place }) => place);
    editor.colour(tints(verdict.messages), faults);
    const card = $(".verdict");
    card.dataset.kind = verdict.isBatch ? (verdict.counts.refused > 0 ? "mixed" : "batch") : verdict.messages[0].kind;
    $("#headline").textContent = headline(verdict);
    const parts = [];
    if (verdict.isBatch) {
      parts.push(element("p", { class: "counted" }, counted(verdict)));
      const list = element("ol", { class: "elements" }, ...elements(verdict.messages, 0, given, used, select));
      parts.push(list);
      if (verdict.total > PAGE) parts.push(further(list, verdict.total, given, used, select));
    } else {
      parts.push(whole(verdict.messages[0], given, used, select));
    }
    parts.push(element("p", { class: "measure" }, many(verdict.len, "byte")));
    $("#verdict").replaceChildren(...parts);
    const words = spoken(verdict);
    if (status.textContent !== words) status.textContent = words;
    clearTimeout(quiet);
    const isAccepted = verdict.isJson;
    quiet = setTimeout(() => compare(given, used, isAccepted), shownFor === null ? 0 : QUIET);
    shownFor = given.text;
  }

  function further(list, total, given, used, select) {
    const button = element("button", { type: "button", class: "quiet" }, `${count(total - PAGE)} more`);
    button.addEventListener("click", async () => {
      const from = list.childElementCount;
      const { messages } = await ask("read", { ...given, rules: used, from, count: PAGE });
      list.append(...elements(messages, from, given, used, select));
      const left = total - list.childElementCount;
      button.textContent = `${count(left)} more`;
      if (left <= 0) button.remove();
    });
    return button;
  }

  async function compare(given, used, isAccepted) {
    const compared = await ask("compare", { ...given, rules: used, isAccepted });
    if (given.text !== editor.text) return;
    const time = (nanoseconds) => nanoseconds === undefined ? "not measured"
      : nanoseconds < 1e4 ? `${count(Math.round(nanoseconds))} ns`
      : nanoseconds < 1e7 ? `${count(Math.round(nanoseconds / 1e3))} µs` : `${count(Math.round(nanoseconds / 1e6))} ms`;
    const theirs = compared.theirs;
    const row = (name, ours, native) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, ours), element("td", {}, native));
    const rows = [
      row("JSON", isAccepted ? "accepted" : "refused", theirs.isAccepted ? "accepted" : element("span", {}, "refused: ", element("q", {}, cut(theirs.message, 160)))),
      row("Time", time(compared.ours), time(compared.native)),
    ];
    const table = element("table", {},
      element("thead", {}, element("tr", {}, element("td"), element("th", { scope: "col" }, "nanojsonrpc"), element("th", { scope: "col" }, "JSON.parse"))),
      element("tbody", {}, ...rows));
    const notes = [];
    if (isAccepted !== theirs.isAccepted) {
      notes.push(element("p", { class: "differs" }, theirs.isAccepted
        ? "JSON.parse accepts what is refused here: half a surrogate pair, a value that is too deep, or bytes that it never sees."
        : "JSON.parse refuses what is accepted here."));
    }
    const { found, count: total } = compared.differences ?? { found: [], count: 0 };
    if (total > 0) {
      notes.push(element("p", { class: "differs" }, `${many(total, "place")} that JSON.parse changes:`));
      notes.push(element("ul", { class: "differences" }, ...found.map(({ what, pointer, detail }) => element("li", {}, ...(what === "repeated"
        ? [element("code", {}, cut(detail, 60)), " stands twice at ", element("code", {}, cut(pointer, 80)), ": it keeps the last"]
        : [element("code", {}, cut(detail[0], 60)), " at ", element("code", {}, cut(pointer, 80)), " becomes ", element("code", {}, cut(detail[1], 60))])))));
    } else if (isAccepted && theirs.isAccepted) {
      notes.push(element("p", {}, "The same value to both."));
    }
    notes.push(element("p", { class: "hint" }, "Here the time is for the whole verdict: UTF-8, grammar, depth and the message. JSON.parse begins with a string that is decoded already, and builds objects."));
    $("#compare").replaceChildren(table, ...notes);
    $("#compare").setAttribute("aria-busy", "false");
  }

  function update() {
    clearTimeout(quiet);
    // the shown result is of another text
    $("#compare").setAttribute("aria-busy", "true");
    read();
    changed();
  }

  rulesForm.addEventListener("input", update);
  rulesForm.addEventListener("submit", (event) => event.preventDefault());

  async function open(file) {
    const { text, isNotation } = await ask("open", { buffer: await file.arrayBuffer() });
    rulesForm.elements.bytes.checked = isNotation;
    editor.text = text;
    update();
  }
  $("#file").addEventListener("change", ({ target }) => target.files[0] && open(target.files[0]));
  editor.root.addEventListener("dragover", (event) => event.preventDefault());
  editor.root.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    open(file);
  });

  return {
    get: () => ({
      text: editor.text, dialect: rulesForm.elements.dialect.value, lenient: rulesForm.elements.lenient.value, depth: rulesForm.elements.depth.value,
      id: rulesForm.elements.namedItem("id").value, method: rulesForm.elements.namedItem("method").value, batch: rulesForm.elements.batch.value, len: rulesForm.elements.len.value,
      bytes: isNotation() ? "1" : "",
    }),
    set(state) {
      for (const [name, value] of Object.entries({ dialect: "0", lenient: "0", depth: "63", id: "64", method: "64", batch: "", len: "", ...state })) {
        const field = rulesForm.elements.namedItem(name);
        if (field !== null && name !== "bytes") field.value = value;
      }
      rulesForm.elements.bytes.checked = Boolean(state.bytes) && state.bytes !== "0";
      if (state.text !== undefined) editor.text = state.text;
      update();
    },
  };
}
