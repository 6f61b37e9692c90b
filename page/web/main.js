// The page: its views, its examples, its address.
import { ask } from "./engine.js";
import { $, count, element } from "./dom.js";
import { read, written } from "./address.js";
import { EXAMPLES, START } from "./examples.js";
import { messageView } from "./message.js";
import { streamView } from "./stream.js";
import { serveView } from "./serve.js";

const VIEWS = ["message", "stream", "serve"];
const DEFAULTS = {
  view: "message", dialect: "0", lenient: "0", depth: "63", id: "64", method: "64", frame: "0", chunk: "7", buffer: "4096", ends: "lf",
  "stream-dialect": "0", server: "0",
};
let current = "message";
let isReady = false;
let timer = 0;
let ownHash = "";

const views = {
  message: messageView(() => changed("message")),
  stream: streamView(() => changed("stream"), (text) => {
    views.message.set({ text, dialect: views.stream.get()["stream-dialect"] });
    show("message", true);
  }),
  serve: serveView(() => changed("serve")),
};

function changed(view) {
  if (!isReady || view !== current) return;
  clearTimeout(timer);
  timer = setTimeout(write, 250);
}

/// Writes the state to the address.
async function write() {
  const hash = await written({ view: current, ...views[current].get() }, DEFAULTS);
  ownHash = hash === null ? "" : `#${hash}`;
  history.replaceState(null, "", ownHash === "" ? location.pathname + location.search : ownHash);
  return hash !== null;
}

function show(view, hasFocus = false) {
  current = view;
  for (const name of VIEWS) {
    const tab = $(`#tab-${name}`);
    tab.setAttribute("aria-selected", String(name === view));
    tab.tabIndex = name === view ? 0 : -1;
    $(`#view-${name}`).hidden = name !== view;
  }
  if (hasFocus) $(`#tab-${view}`).focus();
  changed(view);
}

for (const view of VIEWS) {
  $(`#tab-${view}`).addEventListener("click", () => show(view));
  const select = $(`#example-${view}`);
  select.append(element("option", { value: "" }, "choose…"), ...EXAMPLES[view].map(([label, examples], group) =>
    element("optgroup", { label }, ...examples.map(([name], place) => element("option", { value: `${group} ${place}` }, name)))));
  select.addEventListener("change", () => {
    if (select.value === "") return;
    const [group, place] = select.value.split(" ").map(Number);
    const [, text, why, settings] = EXAMPLES[view][group][1][place];
    views[view].set({ ...settings, text });
    $(`#why-${view}`).textContent = why;
    $(`#why-${view}`).hidden = false;
  });
}

$("[role=tablist]").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const place = event.key === "Home" ? 0 : event.key === "End" ? VIEWS.length - 1
    : step && (VIEWS.indexOf(current) + step + VIEWS.length) % VIEWS.length;
  if (place === undefined) return;
  event.preventDefault();
  show(VIEWS[place], true);
});

$("#share").addEventListener("click", async ({ target }) => {
  clearTimeout(timer);
  let said = "Too long for a link";
  if (await write()) {
    try {
      await navigator.clipboard.writeText(location.href);
      said = "Copied";
    } catch {
      said = "The address is the link";
    }
  }
  target.textContent = said;
  $("#status").textContent = said;
  setTimeout(() => { target.textContent = "Copy link"; }, 2000);
});

const theme = $("#theme");
function paint() {
  document.documentElement.style.colorScheme = theme.value || "light dark";
}
try {
  theme.value = localStorage.getItem("theme") ?? "";
} catch {
  // storage may be forbidden
}
theme.addEventListener("change", () => {
  paint();
  try {
    localStorage.setItem("theme", theme.value);
  } catch {
    // then it lasts as long as the page
  }
});
paint();

/// Takes the state from the address.
async function load() {
  const state = await read(location.hash);
  if (state === null) return false;
  const { view, ...rest } = state;
  const known = VIEWS.includes(view) ? view : "message";
  views[known].set(rest);
  show(known);
  return true;
}
addEventListener("hashchange", () => {
  if (location.hash !== ownHash) load();
});

const [, text, , settings] = START;
if (!(await load()) || current !== "message") views.message.set({ ...settings, text });
const [, [[, stream, , framing]]] = EXAMPLES.stream[0];
if (current !== "stream") views.stream.set({ ...framing, text: stream });
if (current !== "serve") views.serve.set({ text: EXAMPLES.serve[0][1][0][1] });
isReady = true;

try {
  $("#size").textContent = `${count(await ask("size"))} bytes`;
  document.documentElement.dataset.ready = "";
} catch (trouble) {
  $("#trouble").textContent = `The crate could not be loaded: ${trouble.message}`;
  $("#trouble").hidden = false;
}
