// A browser, a file server, and a line for each check.
import http from "node:http";
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.PAGE_TOOLS}/`);
const { chromium } = require("playwright-core");
export const AXE = require.resolve("axe-core/axe.min.js");

const DIST = path.resolve(import.meta.dirname, "../dist");
/// Not at the root, as on most file servers.
const PREFIX = "/some/where/";
const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", wasm: "application/wasm" };

export const counts = { passed: 0, failed: 0 };

/// One check; a failure does not end the others.
export async function check(name, work) {
  try {
    await work();
    counts.passed += 1;
    console.log(`ok ${name}`);
  } catch (error) {
    counts.failed += 1;
    console.log(`FAILED ${name}: ${String(error.message ?? error).slice(0, 1500)}`);
  }
}

export function same(found, expected, about = "") {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${about} found ${left}, expected ${right}`);
}

export function holds(condition, about) {
  if (!condition) throw new Error(about);
}

/// Serves the page on loopback, and nothing outside of it.
export async function serve() {
  const server = http.createServer((request, response) => {
    const url = new URL(request.url, "http://localhost");
    const name = url.pathname.startsWith(PREFIX) ? path.basename(url.pathname.slice(PREFIX.length) || "index.html") : "";
    const file = path.join(DIST, name);
    if (name === "" || !fs.existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[name.split(".").pop()] ?? "application/octet-stream" });
    fs.createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { origin: `http://127.0.0.1:${server.address().port}`, url: `http://127.0.0.1:${server.address().port}${PREFIX}`, close: () => server.close() };
}

export async function launch() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] });
}

/// Unwanted output of pages: errors, and requests to other hosts.
export const complaints = [];

/// A page that is ready.
export async function open(browser, server, { hash = "", ...options } = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(`console: ${message.text()}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(server.url) && !url.startsWith("blob:") && !url.startsWith("data:")) complaints.push(`request: ${url}`);
  });
  await page.goto(server.url + hash);
  await page.waitForSelector("html[data-ready]");
  return page;
}

/// Types a text, and waits until it is read.
export async function type(page, text, field = "#text-message") {
  await page.fill(field, text);
  await settled(page);
}

/// Waits until the worker has answered all earlier requests.
export async function settled(page) {
  await page.evaluate(async () => {
    const { ask } = await import("./engine.js");
    await ask("size");
    await ask("size");
    await new Promise(requestAnimationFrame);
  });
}

export const text = (page, selector) => page.locator(selector).first().innerText();
export const texts = (page, selector) => page.locator(selector).allInnerTexts();
