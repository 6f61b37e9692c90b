// The page of `jrpc hub` in Chromium: `PAGE_TOOLS=… HUB_TOKEN=… HUB_NOTIFY=… HUB_DOWN=… node hub_page.mjs http://127.0.0.1:PORT/`.
//
// The hub has two devices, lamp and fan, which are `cli/lamp.openrpc.json`, and a user with the token HUB_TOKEN, who may do everything.
// HUB_NOTIFY and HUB_DOWN are commands of the shell: after the first, the lamp sends a notification; after the second, the fan is away.
// PAGE_TOOLS is where `page/build` installs playwright-core and axe-core.
import { execSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { AXE, check, complaints, counts, holds, launch, open, same, text, texts } from "../../page/tests/harness.mjs";

const { HUB_TOKEN, HUB_NOTIFY, HUB_DOWN, HUB_SCREENSHOTS } = process.env;
const url = process.argv[2];
for (const [name, value] of Object.entries({ URL: url, HUB_TOKEN, HUB_NOTIFY, HUB_DOWN })) holds(value, `${name} is missing`);

const browser = await launch();
const server = { url: url.endsWith("/") ? url : `${url}/` };

async function logIn(page) {
  await page.fill("#token", HUB_TOKEN);
  await page.press("#token", "Enter");
  await page.waitForSelector("#list li");
}
async function entered(options) {
  const page = await open(browser, server, options);
  await logIn(page);
  return page;
}
async function call(page, device, method, params = "") {
  const before = await page.locator("#answers .verdict:has-text(' ms')").count();
  await page.selectOption("#device", device);
  await page.fill("#method", method);
  await page.fill("#params", params);
  await page.press("#params", "Control+Enter");
  await page.waitForFunction((count) => [...document.querySelectorAll("#answers .verdict")].filter((node) => node.textContent.includes(" ms")).length > count, before);
  return page.locator("#answers li").first().innerText();
}
/// Answers of `hub.devices` and of calls that no real device gives.
function stand(page, devices, result) {
  return page.route("**/rpc", (route) => {
    const { id, method } = JSON.parse(route.request().postData() ?? "{}");
    if (method === undefined) return route.continue();
    const answer = method === "hub.devices" ? JSON.stringify(devices) : method === "rpc.discover" ? '{"methods":[]}' : result;
    return route.fulfill({ contentType: "application/json", body: `{"jsonrpc":"2.0","result":${answer},"id":${id}}` });
  });
}
const state = (page, device) => text(page, `#list li:has(.name:text-is("${device}")) .state`);

const response = await fetch(server.url);
await check("the page is served with a policy, and needs no token", () => {
  const policy = response.headers.get("content-security-policy") ?? "";
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) holds(policy.includes(rule), `${rule} is missing`);
  same([response.status, policy.includes("unsafe")], [200, false]);
});

const page = await open(browser, server);
await check("the page asks for a token, and does not take a wrong one", async () => {
  await page.waitForSelector("#login[open]");
  same(await page.evaluate(() => document.activeElement.id), "token");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#login[open]");
  await page.fill("#token", "wrong");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#refused:has-text('does not know')");
  same(await page.locator("#list li").count(), 0);
});

await check("with its token, the devices are shown", async () => {
  await logIn(page);
  same((await texts(page, "#list .name")).sort(), ["fan", "lamp"]);
  await page.waitForFunction(() => document.querySelectorAll('#list [data-state="up"]').length === 2);
  same([await state(page, "lamp"), await state(page, "fan")], ["up", "up"]);
  same(await text(page, "#summary"), "2 devices: 2 up");
});

await check("a call by keyboard alone", async () => {
  await page.reload();
  await page.waitForSelector("#device option[value=lamp]", { state: "attached" });
  await page.keyboard.press("Tab");
  same(await page.evaluate(() => document.activeElement.textContent), "Skip to the console");
  for (const key of ["Enter", "Tab", "l"]) await page.keyboard.press(key);
  same(await page.evaluate(() => [document.activeElement.id, document.activeElement.value]), ["device", "lamp"]);
  await page.keyboard.press("Tab");
  await page.keyboard.type("lamp.set");
  await page.waitForSelector("#about li:has-text('level required')");
  await page.keyboard.press("Tab");
  await page.keyboard.type('{"level":20}');
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector("#answers .result");
  holds(/^\d+$/.test(await text(page, "#answers .result pre")), await text(page, "#answers li"));
  holds(/"maximum": ?100\b/.test(await text(page, "#about li")), "the schema is missing");
  same(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), "solid");
});

await check("the call is a row of traffic", async () => {
  await page.waitForSelector("#traffic tbody tr");
  const [time, device, method, , micros, verdict, bytes] = await texts(page, "#traffic tbody tr:first-child td");
  same([device, method.split("\n")[0], verdict], ["lamp", "lamp.set", "ok"]);
  for (const number of [micros, bytes]) holds(/^[\d,]+$/.test(number), number);
  holds(/^\d\d:\d\d:\d\d\.\d{3}$/.test(time), time);
});

await check("errors, numbers as they were sent, and faulty params", async () => {
  holds((await call(page, "lamp", "lamp.nothing")).includes("error -32601"), "no error");
  holds(/"celsius": 31\.50\b/.test(await call(page, "lamp", "lamp.state")), "another number");
  await page.fill("#params", "[1,");
  await page.waitForSelector("#wrong:has-text('no JSON')");
  same(await page.getAttribute("#params", "aria-invalid"), "true");
  const before = await page.locator("#answers li").count();
  await page.press("#params", "Control+Enter");
  same(await page.locator("#answers li").count(), before);
});

await check("arrow keys bring earlier calls back", async () => {
  await page.fill("#params", "");
  const fields = () => page.evaluate(() => [document.querySelector("#method").value, document.querySelector("#params").value]);
  for (const [key, expected] of [["ArrowUp", ["lamp.state", ""]], ["ArrowUp", ["lamp.nothing", ""]], ["ArrowUp", ["lamp.set", '{"level":20}']], ["ArrowDown", ["lamp.nothing", ""]]]) {
    await page.press("#params", key);
    same(await fields(), expected, key);
  }
});

await check("traffic pauses, filters and clears", async () => {
  await page.click("#traffic .pause");
  const before = await page.locator("#traffic tbody tr").count();
  await call(page, "lamp", "lamp.state");
  await page.waitForSelector("#traffic .counted:has-text('paused, 1 new')");
  same(await page.locator("#traffic tbody tr").count(), before);
  await page.click("#traffic .pause");
  await page.waitForFunction((count) => document.querySelectorAll("#traffic tbody tr").length === count, before + 1);
  await page.fill("#traffic input", "error");
  same(await page.locator("#traffic tbody tr:visible").count(), 1);
  await page.fill("#traffic input", "");
  await page.click("#traffic .clear");
  same(await page.locator("#traffic tbody tr").count(), 0);
});

await check("a notification of the lamp appears", async () => {
  execSync(HUB_NOTIFY, { stdio: "ignore" });
  await page.waitForFunction(() => [...document.querySelectorAll("#notifications td:nth-child(2)")].some((cell) => cell.textContent.startsWith("lamp.")));
});

await check("hostile texts are shown as text, and numbers of any size", async () => {
  const other = await entered();
  const name = 'a\u202eb<img src=x onerror="document.title=1">';
  await stand(other, [{ name, address: "\u0000\u2066", state: "down", since: 0, fault: "\ud800<b>" }], '{"n":9007199254740993,"x":21.50,"e":1E400,"\\u0061":"\u202e"}');
  await other.reload();
  await other.waitForSelector("#list li");
  same(await text(other, "#list .name"), 'a\\u202eb<img src=x onerror="document.title=1">');
  same([await text(other, "#list .address"), await text(other, "#list .fault")], ["\\u0000\\u2066", "\\ud800<b>"]);
  const answer = await call(other, name, "x");
  holds(answer.endsWith('{\n  "n": 9007199254740993,\n  "x": 21.50,\n  "e": 1E400,\n  "\\u0061": "\\u202e"\n}'), answer);
  same([await other.title(), await other.locator("main img, main b").count()], ["jrpc hub", 0]);
  await other.close();
});

await check("a thousand devices", async () => {
  const other = await entered();
  const states = ["up", "down", "connecting", "elsewhere"];
  await stand(other, Array.from({ length: 1000 }, (_, at) => ({ name: `d${at}`, address: "tcp:x", state: states[at % 4], hub: "b", since: 0 })), "1");
  await other.reload();
  await other.waitForFunction(() => document.querySelectorAll("#list li").length === 1000);
  same(await text(other, "#summary"), "1,000 devices: 250 up, 250 down, 250 connecting, 250 elsewhere");
  await other.fill("#devices input", "d997");
  // the list is drawn in pieces
  await other.waitForFunction(() => [...document.querySelectorAll("#list li")].filter((row) => row.offsetParent !== null).map((row) => row.querySelector(".name").textContent).join() === "d997");
  await other.close();
});

await check("a hub that is away is said, and comes back", async () => {
  const other = await entered();
  const before = complaints.length;
  await other.route("**/rpc", (route) => route.abort());
  await other.waitForSelector("#away:has-text('The hub is away')", { timeout: 15000 });
  await other.unroute("**/rpc");
  await other.click("#away button");
  await other.waitForSelector("#away", { state: "hidden", timeout: 20000 });
  complaints.splice(before, Infinity, ...complaints.slice(before).filter((line) => !line.includes("ERR_FAILED")));
  await other.close();
});

for (const colorScheme of ["light", "dark"]) {
  for (const [size, viewport] of [["wide", { width: 1360, height: 900 }], ["narrow", { width: 360, height: 740 }]]) {
    await check(`axe-core finds nothing, ${colorScheme}, ${size}`, async () => {
      const other = await entered({ viewport, colorScheme });
      await call(other, "lamp", "lamp.set", '{"level":20}');
      await call(other, "lamp", "lamp.nothing", "[1]");
      await other.fill("#params", "{");
      await other.waitForSelector("#traffic tbody tr");
      if (HUB_SCREENSHOTS) await other.screenshot({ path: path.join(HUB_SCREENSHOTS, `hub-${colorScheme}-${size}.png`), fullPage: true });
      await other.evaluate(fs.readFileSync(AXE, "utf8"));
      const { violations, passes } = await other.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      same(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html, failureSummary }) => [html.slice(0, 160), failureSummary])]), []);
      holds(passes.length > 15, `${passes.length} rules`);
      const [width, screen] = await other.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      holds(width <= screen, `it is ${width} wide on a screen of ${screen}`);
      await other.close();
    });
  }
}

await check("a device that goes down is shown, and said, as soon as the hub says so", async () => {
  // polls tell what was before, so only the event can tell that the fan is away
  let before;
  await page.route("**/rpc", async (route) => {
    if (!route.request().postData()?.includes('"hub.devices"')) return route.continue();
    before ??= await (await route.fetch()).text();
    return route.fulfill({ contentType: "application/json", body: before });
  });
  await page.waitForResponse((answer) => answer.request().postData()?.includes('"hub.devices"') ?? false);
  execSync(HUB_DOWN, { stdio: "ignore" });
  const fan = 'li:has(.name:text-is("fan"))';
  await page.waitForSelector(`${fan}[data-state="down"], ${fan}[data-state="connecting"]`, { timeout: 15000 });
  await page.waitForSelector("#said:has-text('fan is')", { state: "attached" });
  await page.unroute("**/rpc");
  holds((await call(page, "fan", "lamp.state")).includes("error -320"), "the fan answers");
});

await check("logging out leaves nothing", async () => {
  await page.click("#logout");
  await page.waitForSelector("#login[open]");
  same(await page.evaluate(() => [sessionStorage.token, ...["#list li", "#answers li", "tbody tr"].map((selector) => document.querySelectorAll(selector).length)]), ["", 0, 0, 0]);
});

await check("no error in the console, nothing against the policy, and no request to another host", () => {
  same(complaints.filter((line) => !line.includes("status of 401")), []);
});
await browser.close();
console.log(`hub page: ${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
