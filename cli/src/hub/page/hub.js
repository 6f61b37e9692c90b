// The page of the hub. Texts of devices reach the page as text only. JSON is shown as it was sent: 2^53 + 1 and 21.50 stay so.

const $ = (selector, from = document) => from.querySelector(selector);
const [ROWS, ANSWERS, POLL_MS, SLEEP_MS, LONGEST_WAIT_MS] = [500, 20, 5000, 60000, 15000];
const { format } = new Intl.NumberFormat("en");
const count = (value, one) => `${format(value ?? 0)} ${one}${value === 1 ? "" : "s"}`;

/// At most so many characters; control characters, marks of direction and lone surrogates as JSON escapes.
function visible(value, most = 400) {
  const text = String(value ?? "");
  const escape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const shown = text.length > most ? `${text.slice(0, most)}…` : text;
  return shown.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (found) => found.split("").map(escape).join(""));
}

/// A name as the inside of a JSON string, so that each name can be read and typed.
const escaped = (name) => visible(JSON.stringify(String(name)).slice(1, -1));
function unescaped(typed) {
  try { return JSON.parse(`"${typed}"`); } catch { return typed; }
}

function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function make(tag, name, ...children) {
  const node = document.createElement(tag);
  node.className = name;
  node.append(...children);
  return node;
}

const moment = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
const [clock, fine] = [moment, { ...moment, fractionalSecondDigits: 3 }].map((parts) => new Intl.DateTimeFormat("en-GB", parts).format);
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" }).format;
const since = (unixMs) => new Date(unixMs).toDateString() === new Date().toDateString() ? clock(unixMs) : day(unixMs);

// --- JSON texts, which are valid ---

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const opens = (token) => token === "{" || token === "[";
const closes = (token) => token === "}" || token === "]";

/// The members or elements of a text: [name or place, text].
function children(text) {
  const found = [];
  let [depth, start, end, name, last] = [0, -1, 0, null, ""];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (closes(token)) depth -= 1;
    if (depth === 1 && token === ":") [name, start] = [JSON.parse(last), -1];
    else if ((depth === 1 && token === ",") || (depth === 0 && closes(token))) {
      if (start >= 0) found.push([name ?? found.length, text.slice(start, end)]);
      [name, start] = [null, -1];
    } else if (depth === 1 && start < 0) start = index;
    if (opens(token)) depth += 1;
    [end, last] = [index + token.length, token];
  }
  return found;
}
const child = (text, name) => children(text ?? "").find(([found]) => found === name)?.[1];

/// A text over several lines, with a class for each token; a long one without classes.
function pretty(text) {
  const parts = [];
  let [depth, last] = [0, ""];
  for (const [token] of text.matchAll(TOKEN)) {
    if (closes(token)) depth -= 1;
    if (closes(token) ? !opens(last) : opens(last) || last === ",") parts.push(["", `\n${"  ".repeat(depth)}`]);
    if (token === ":") parts.at(-1)[0] = "name";
    const kind = token[0] === '"' ? "string" : /[-\w]/.test(token[0]) ? "plain" : "";
    parts.push([kind, kind === "string" ? visible(token, Infinity) : token === ":" ? ": " : token]);
    if (opens(token)) depth += 1;
    last = token;
  }
  const long = parts.length > 10000;
  return make("pre", "", ...(long ? [parts.map(([, part]) => part).join("")] : parts.map(([kind, part]) => kind ? make("span", kind, part) : part)));
}

// --- the hub ---

let token = sessionStorage.getItem("token") ?? "";
let [session, streams, awake] = [new AbortController(), new AbortController(), new AbortController()];
let [asleep, calls] = [false, 0];

const wait = (ms) => new Promise((over) => AbortSignal.any([AbortSignal.timeout(ms), awake.signal]).addEventListener("abort", over));
function wake() {
  awake.abort();
  awake = new AbortController();
}

/// The hub has answered, but not with what was asked for.
class Refusal extends Error {}

async function request(path, { headers, signal, ...options }) {
  const all = { ...(token && { authorization: `Bearer ${token}` }), ...headers };
  const response = await fetch(path, { ...options, cache: "no-store", headers: all, signal: AbortSignal.any([session.signal, signal ?? session.signal]) });
  if (response.status !== 401) return response;
  askToken(token && "The hub does not know this token.");
  throw new Refusal("the hub asks for a token");
}

/// The text of the response. `params` is a JSON text, or empty.
async function rpc(method, params = "", signal = null) {
  const body = `{"jsonrpc":"2.0","id":${calls += 1},"method":${JSON.stringify(method)}${params && `,"params":${params}`}}`;
  const response = await request("rpc", { method: "POST", headers: { "content-type": "application/json" }, body, signal });
  const text = await response.text();
  if (!/^\s*{.*}\s*$/s.test(text) || (child(text, "result") ?? child(text, "error")) === undefined) throw new Refusal(`HTTP ${response.status} ${visible(text)}`);
  return text;
}

/// Events of a stream, as in the HTML standard, "Interpreting an event stream".
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let [rest, data, id] = ["", [], ""];
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    rest += read.value;
    if (!/[\r\n]/.test(read.value)) continue;
    // a CR at the end may be half a CRLF
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop();
    for (const line of lines) {
      const [, field, content] = line.match(/^(data|id): ?(.*)$/s) ?? [];
      if (field === "data") data.push(content);
      else if (field === "id") id = content;
      else if (line === "" && data.length > 0) yield { id, data: data.splice(0).join("\n") };
    }
  }
}

/// Works again and again until the session ends. `work` is called with a function to call when the hub has answered.
async function repeat(part, section, pause, work) {
  const { signal } = session;
  for (let tries = 0; !signal.aborted; tries += 1) {
    while (asleep) await wait(1e9);
    if (streams.signal.aborted) streams = new AbortController();
    await work(() => { tries = 0; trouble(part, false); }).catch((error) => {
      if (signal.aborted) return;
      if (error instanceof Refusal) put($(".empty", section), `The hub does not send this: ${visible(error.message)}.`);
      else if (tries > 0 && !asleep) trouble(part, true);
    });
    document.documentElement.dataset.ready = "";
    await wait(pause(tries));
  }
}

/// Reads a stream; after a loss from the last event on, where the hub still has it.
function follow(path, { section }, receive) {
  let last = "";
  const pause = (tries) => Math.min(500 * 2 ** tries, LONGEST_WAIT_MS) * (0.75 + Math.random() / 2);
  repeat(path, section, pause, async (answered) => {
    const response = await request(path, { headers: { accept: "text/event-stream", ...(last && { "last-event-id": last }) }, signal: streams.signal });
    if (!response.ok) throw new Refusal(`HTTP ${response.status}`);
    answered();
    for await (const { id, data } of events(response.body)) {
      last = id;
      receive(JSON.parse(data), data);
    }
  });
}

function start() {
  $("#logout").hidden = token === "";
  [session, streams, stale] = [new AbortController(), new AbortController(), true];
  repeat("devices", $("#devices"), () => POLL_MS, async (answered) => {
    const sent = performance.now();
    const { result, error } = JSON.parse(await rpc("hub.devices", "", AbortSignal.timeout(2 * POLL_MS)));
    answered();
    if (error) throw new Refusal(error.message);
    showAll(result, sent);
    if (stale) await discover();
  });
  follow("rpc", notifications, (message, text) => {
    if (message.method === "hub.device") showOne(message.params, performance.now());
    notifications.add(message, text);
  });
  follow("traffic", traffic, ({ params: event }, text) => traffic.add(event, text));
}

const away = new Set();
/// Says that a part of the hub does not answer, or does again.
function trouble(part, begins) {
  const changed = begins ? !away.has(part) : away.delete(part);
  if (begins) away.add(part);
  // streams may not notice that their connections are dead, and wait long until they try again
  if (changed && part === "devices") begins ? streams.abort() : wake();
  $("#away").hidden = away.size === 0;
  put($("#away p"), away.size === 0 ? "" : "The hub is away. This page tries again by itself, and shows what was known last.");
  document.body.classList.toggle("stale", away.size > 0);
}
$("#away button").addEventListener("click", wake);

let said = [];
/// For screen readers; many changes in one sentence.
function say(sentence) {
  if (said.push(sentence) > 1) return;
  setTimeout(() => {
    put($("#said"), said.length > 3 ? `${said.length} changes. ${$("#summary").textContent}` : said.join(" "));
    said = [];
  }, 500);
}

// a tab that stays hidden gives its connections back: a browser has six for a host
let hiding;
document.addEventListener("visibilitychange", () => {
  clearTimeout(hiding);
  if (document.hidden) hiding = setTimeout(() => { asleep = true; streams.abort(); }, SLEEP_MS);
  else if (asleep) { asleep = false; wake(); }
});

// --- token ---

const login = $("#login");
function askToken(why) {
  if (session.signal.aborted) return;
  session.abort();
  wake();
  sum();
  put($("#refused"), why);
  login.showModal();
  document.documentElement.dataset.ready = "";
}

/// A new session; nothing that one user has seen is left for the next.
function begin(next) {
  if (next !== token) {
    for (const log of [traffic, notifications]) log.clear();
    for (const field of [method, params]) field.value = "";
    for (const part of away) trouble(part, false);
    $("#answers").replaceChildren();
    [history, place] = [[], 0];
    discovered.clear();
    showAll([], Infinity);
  }
  token = next;
  $("#token").value = "";
  sessionStorage.setItem("token", token);
  session.abort();
  start();
}
$("#logout").addEventListener("click", () => begin(""));
login.addEventListener("submit", () => begin($("#token").value));
// Escape closes a dialog
login.addEventListener("close", () => session.signal.aborted && login.showModal());

// --- devices ---

const devices = new Map();
const [list, chosen, sought] = [$("#list"), $("#device"), $("#devices input")];

function showOne(device, heard) {
  const { name, state, hub, since: began, address, calls, errors, inFlight, notifications: sent, fault } = device;
  const known = devices.get(name);
  const row = known?.row ?? list.appendChild(make("li", "", ...["name", "state", "address", "since", "counts", "fault"].map((part) => make("span", part))));
  devices.set(name, { ...device, row, heard });
  if (known?.state !== state) {
    row.dataset.state = state;
    stale ||= known === undefined || state === "up";
    if (known) say(`${visible(name)} is ${visible(state)}${fault ? `: ${visible(fault)}` : ""}.`);
  }
  const counts = `${count(calls, "call")}, ${count(errors, "error")}, ${format(inFlight ?? 0)} in flight, ${count(sent, "notification")}`;
  const texts = [visible(name), state === "elsewhere" ? `at ${visible(hub)}` : visible(state), visible(address), `since ${since(began)}`, counts, visible(fault)];
  texts.forEach((text, at) => put(row.children[at], text));
  sum();
}

/// All devices as `hub.devices` tells them, but not over what an event has told since then.
function showAll(all, sent) {
  const names = new Set(all.map(({ name }) => name));
  for (const [name, { row, heard }] of devices) {
    if (names.has(name) || heard > sent) continue;
    row.remove();
    devices.delete(name);
  }
  for (const device of all) if (!(devices.get(device.name)?.heard > sent)) showOne(device, sent);
  sum();
}

let summing = 0;
/// Counts of states and the choice of devices, once a frame.
function sum() {
  summing ||= requestAnimationFrame(() => {
    summing = 0;
    const states = Map.groupBy(devices.values(), ({ state }) => visible(state));
    const parts = [...states].map(([state, { length }]) => `${format(length)} ${state}`);
    put($("#summary"), session.signal.aborted ? "" : `${count(devices.size, "device")}${parts.length ? `: ${parts.join(", ")}` : ""}`);
    $("#devices .empty").hidden = devices.size > 0 || session.signal.aborted;
    const [names, before] = [[...devices.keys(), "hub"], chosen.value];
    if (names.join() !== Array.from(chosen.options, ({ value }) => value).join()) {
      chosen.replaceChildren(...names.map((name) => new Option(visible(name), name)));
      chosen.value = names.includes(before) && before !== "hub" ? before : names[0];
      hint();
    }
    sift();
  });
}

function sift() {
  const words = sought.value.toLowerCase();
  for (const { name, state, address, row } of devices.values()) row.hidden = !`${name} ${state} ${address}`.toLowerCase().includes(words);
}
sought.addEventListener("input", sift);
// a shorter way for the mouse
list.addEventListener("click", ({ target }) => {
  for (const { name, row } of devices.values()) if (row.contains(target)) chosen.value = name;
  hint();
});

// --- console ---

/// By device and name of the method, its description as JSON text.
const discovered = new Map();
let [stale, history, place] = [true, [], 0];
const [method, params] = [$("#method"), $("#params")];

/// Reads which methods each device describes.
async function discover() {
  stale = false;
  const document = child(await rpc("rpc.discover").catch(() => ""), "result");
  discovered.clear();
  discovered.set("hub", new Map([["devices", ""]]));
  for (const [, text] of children(child(document, "methods") ?? "")) {
    const [, device, name] = JSON.parse(text).name.match(/^([^.]*)\.(.*)$/s);
    if (!discovered.has(device)) discovered.set(device, new Map());
    discovered.get(device).set(name, text);
  }
  hint();
}

/// Shows what the device says about the method.
function hint() {
  const known = discovered.get(chosen.value) ?? new Map();
  const names = [...known.keys()].map(escaped);
  $("#methods").replaceChildren(...names.map((name) => new Option("", name)));
  for (const { row, name } of devices.values()) row.classList.toggle("chosen", name === chosen.value);
  const text = known.get(unescaped(method.value)) ?? "";
  const { summary, description, result } = JSON.parse(text || "{}");
  const schema = (from) => make("code", "", visible(child(from, "schema") ?? ""));
  const items = children(child(text, "params") ?? "").map(([, param]) => {
    const { name, $ref, required } = JSON.parse(param);
    return make("li", "", make("code", "name", escaped(name ?? $ref)), required ? " required " : " optional ", schema(param));
  });
  const which = method.value && known.size ? "other methods" : count(known.size, "method");
  const sentence = text ? summary ?? description : `${visible(chosen.value)} describes ${which}: ${names.join(", ") || "type the name of one"}`;
  const returns = result ? [make("p", "soft", `Returns ${visible(result.name ?? "a result")} `, schema(child(text, "result")))] : [];
  $("#about").replaceChildren(make("p", text ? "" : "soft", visible(sentence)), make("ul", "", ...items), ...returns);
}

/// Says what is wrong with the params. True if nothing is.
function validate() {
  const text = params.value.trim();
  let fault = /^([[{]|$)/.test(text) ? "" : "Params are an object or an array.";
  try { JSON.parse(text || "[]"); } catch (error) { fault ||= `Params are no JSON: ${visible(error.message)}`; }
  put($("#wrong"), fault);
  params.setAttribute("aria-invalid", String(fault !== ""));
  return fault === "";
}

/// Calls, and shows the answer.
async function send() {
  if (!validate()) return params.focus();
  if (method.value === "") return method.focus();
  const [entry, text] = [{ device: chosen.value, method: method.value, params: params.value }, params.value.trim()];
  if (JSON.stringify(history.at(-1)) !== JSON.stringify(entry)) history.push(entry);
  place = history.length;
  const name = `${visible(entry.device)}.${visible(entry.method)}`;
  const verdict = make("span", "verdict", "waiting …");
  const answer = make("li", "", make("p", "head", make("strong", "", name), make("code", "", visible(text, 120)), verdict));
  $("#answers").prepend(answer);
  if ($("#answers").childElementCount > ANSWERS) $("#answers").lastChild.remove();
  const begun = performance.now();
  const over = (state, words, ...nodes) => {
    answer.className = state;
    answer.append(...nodes);
    put(verdict, `${words}, ${format(Math.round(performance.now() - begun))} ms, at ${clock(Date.now())}`);
    say(`${name}: ${verdict.textContent}.`);
  };
  try {
    const response = await rpc(`${entry.device}.${unescaped(entry.method)}`, text);
    const error = child(response, "error");
    if (error === undefined) return over("result", "result", pretty(child(response, "result")));
    const data = child(error, "data");
    over("error", `error ${child(error, "code")}`, make("p", "message", visible(JSON.parse(error).message, 2000)), data ? pretty(data) : "");
  } catch (error) {
    over("error", "no answer", make("p", "message", error instanceof Refusal ? error.message : "The hub was not reached, or the connection was lost: the call may have run."));
  }
}

// earlier calls; after the last comes one without params
params.addEventListener("keydown", (event) => {
  const { value, selectionStart: at } = params;
  const [step, rest] = { ArrowUp: [-1, value.slice(0, at)], ArrowDown: [1, value.slice(at)] }[event.key] ?? [0, ""];
  const to = place + step;
  // inside of the text, the keys move by lines
  if (step === 0 || rest.includes("\n") || to < 0 || to > history.length || event.ctrlKey || event.shiftKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  const entry = history[to] ?? { ...history.at(-1), params: "" };
  [place, chosen.value, method.value, params.value] = [to, entry.device, entry.method, entry.params];
  validate();
  hint();
});
params.addEventListener("input", validate);
for (const field of [method, chosen]) field.addEventListener("input", hint);
$("#call").addEventListener("focusin", () => stale && !session.signal.aborted && discover());
$("#call").addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && $("#call").requestSubmit());
$("#call").addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});

// --- logs ---

/// The last rows of a stream in a table, newest first, drawn once a frame. `read` gives cells, words to filter by, state and payload.
class Log {
  constructor(id, read) {
    this.section = $(`#${id}`);
    [this.body, this.sought, this.read] = [$("tbody", this.section), $("input", this.section), read];
    [this.queue, this.seen, this.paused, this.frame] = [[], 0, false, 0];
    this.sought.addEventListener("input", () => { for (const row of this.body.rows) row.hidden = !this.fits(row); });
    $(".pause", this.section).addEventListener("click", () => { this.paused = !this.paused; this.draw(); });
    $(".clear", this.section).addEventListener("click", () => this.clear());
  }

  fits({ words }) { return words.toLowerCase().includes(this.sought.value.toLowerCase()); }

  add(message, text) {
    const entry = { at: Date.now(), ...this.read(message, text) };
    this.seen += 1;
    if (this.fits(entry)) this.queue.push(entry);
    // a hidden tab has no frames
    if (this.queue.length > 2 * ROWS) this.queue.splice(0, this.queue.length - ROWS);
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = 0;
    if (!this.paused) this.body.prepend(...this.queue.splice(0).slice(-ROWS).reverse().map((entry) => this.row(entry)));
    while (this.body.rows.length > ROWS) this.body.lastChild.remove();
    $(".empty", this.section).hidden = this.body.rows.length > 0;
    put($(".pause", this.section), this.paused ? "Resume" : "Pause");
    put($(".counted", this.section), this.paused ? `paused, ${format(Math.min(this.queue.length, ROWS))} new` : `${format(this.seen)} seen`);
  }

  row({ at, cells, words, state, payload }) {
    const row = make("tr", state, ...[fine(at), ...cells].map((cell) => make("td", "", cell)));
    row.words = words;
    row.hidden = !this.fits(row);
    if (payload.length > 60) row.cells[2].append(make("details", "payload", make("summary", "", payload.slice(0, 200)), make("code", "", payload)));
    else if (payload) row.cells[2].append(make("code", "payload", payload));
    return row;
  }

  clear() {
    [this.queue, this.seen] = [[], 0];
    this.body.replaceChildren();
    this.draw();
  }
}

const traffic = new Log("traffic", ({ device, kind, method: name, user, micros, code, bytes, ...payloads }, text) => {
  const state = kind === "notification" ? kind : code === undefined ? "ok" : "error";
  const parts = Object.keys(payloads).length ? Object.fromEntries(children(child(text, "params"))) : {};
  const payload = [parts.params, parts.result ?? parts.error].filter(Boolean).map((part) => visible(part, 4000)).join(" → ");
  const verdict = state === "error" ? `error ${code}` : state;
  const [time, size] = [micros, bytes].map((value) => value === undefined ? "" : format(value));
  const cells = [visible(device), escaped(name), visible(user), time, verdict, size];
  return { cells, state, payload, words: `${device}.${name} ${user ?? ""} ${verdict}` };
});
const notifications = new Log("notifications", ({ method: name }, text) => {
  const payload = visible(child(text, "params"), 8000);
  return { cells: [escaped(name), ""], state: "", payload, words: `${name} ${payload}` };
});

start();
