// The view of a stream.
import { ask, newest } from "./engine.js";
import { $, cut, element, many } from "./dom.js";
import { Editor } from "./editor.js";
import { explained } from "./explain.js";
import { TITLES, faultOf } from "./verdict.js";

export function streamView(changed, openMessage) {
  const form = $("#framing");
  const editor = new Editor($("#editor-stream"), update);

  const number = (name, least, most) => Math.min(Math.max(least, Math.trunc(Number(form.elements[name].value)) || least), most);

  const read = newest(async () => {
    const given = { text: editor.text, isNotation: false, ends: form.elements.ends.value };
    const framing = {
      frame: Number(form.elements.frame.value), chunk: number("chunk", 1, 0xffffffff), buffer: number("buffer", 1, 1 << 20),
      dialect: Number(form.elements["stream-dialect"].value),
    };
    const framed = await ask("frames", { ...given, framing });
    if (given.text === editor.text) show(framed, framing);
  });

  function show({ items, total, len, cuts, isSame, isCompared }, framing) {
    const faults = items.filter(({ place }) => place);
    editor.colour([], faults.map(({ place }) => place));
    const messages = total - faults.length;
    const words = [many(messages, "message"), faults.length > 0 && many(faults.length, "framing error")].filter(Boolean).join(", ");
    $("#stream-headline").textContent = total > items.length ? `${many(total, "item")}, of which the first ${items.length} are shown` : words;
    $("#status").textContent = words;
    const pieces = Math.ceil(len / framing.chunk);
    $("#chunks").textContent = `${many(len, "byte")} in ${many(pieces, "chunk")}. `
      + (!isCompared ? "" : isSame ? `The same with chunks of ${cuts.join(", ")} bytes.` : "Other chunks give another result, which is a fault of the crate.");
    $("#items").replaceChildren(...items.map((item) => element("li", {}, item.place
      ? element("div", { class: "item fault-item" }, element("span", { class: "badge refused" }, "Framing error"), faultOf(item, { select: (at) => editor.select(at), isFrame: true }))
      : message(item))));
  }

  function message(item) {
    const [first] = item.messages ?? [];
    const several = item.accepted + item.refused;
    const kind = item.text === "" ? "empty" : several > 1 ? (item.refused > 0 ? "mixed" : "batch") : first?.kind ?? "empty";
    const title = several > 1 ? `Batch of ${several}` : kind === "empty" ? "Empty" : TITLES[kind];
    return element("div", { class: "item" },
      element("p", { class: "row" }, element("span", { class: `badge ${kind}` }, title),
        element("span", { class: "hint" }, `whole after byte ${item.at}`, item.refused > 0 && several > 1 ? `, ${item.refused} refused` : "",
          kind === "refused" && several === 1 ? `: ${explained(first.fault).words} at byte ${first.offset} of it` : ""),
        item.event === undefined ? null : element("span", { class: "hint" }, `event ${item.event}${item.id ? `, id ${item.id}` : ""}`),
        element("button", { type: "button", class: "quiet small", onclick: () => openMessage(item.text), "aria-label": `Read this message: ${cut(item.text, 40)}` }, "Read")),
      element("pre", { class: "answer", tabindex: "0", role: "group", "aria-label": "The message" }, cut(item.text, 600)));
  }

  function update() {
    read();
    changed();
  }
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());

  return {
    get: () => ({
      text: editor.text, frame: form.elements.frame.value, chunk: form.elements.chunk.value, buffer: form.elements.buffer.value,
      ends: form.elements.ends.value, "stream-dialect": form.elements["stream-dialect"].value,
    }),
    set(state) {
      for (const [name, value] of Object.entries({ chunk: "7", buffer: "4096", ends: "lf", "stream-dialect": "0", ...state })) {
        if (name !== "text" && form.elements[name]) form.elements[name].value = value;
      }
      if (state.text !== undefined) editor.text = state.text;
      update();
    },
  };
}
