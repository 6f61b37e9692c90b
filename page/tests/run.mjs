// Every check of the page, in Chromium. `run.mjs NAME…` runs some of the parts.
import fs from "node:fs";
import path from "node:path";
import { check, complaints, counts, launch, open, same, serve } from "./harness.mjs";
import { message } from "./message.mjs";
import { stream } from "./stream.mjs";
import { servers } from "./servers.mjs";
import { share } from "./share.mjs";
import { corpora } from "./corpora.mjs";
import { long } from "./long.mjs";
import { access } from "./access.mjs";

const parts = { message, stream, servers, share, corpora, long, access };
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
const shots = process.env.PAGE_SCREENSHOTS;
fs.mkdirSync(shots, { recursive: true });
const [server, browser] = [await serve(), await launch()];
try {
  for (const name of wanted) {
    const since = Date.now();
    const page = await open(browser, server);
    const shot = (title, of = page) => of.screenshot({ path: path.join(shots, `${name}-${title}.png`), fullPage: true });
    await parts[name](page, shot, { browser, server });
    await page.close();
    console.log(`   ${name}: ${((Date.now() - since) / 1000).toFixed(1)} s`);
  }
  await check("no error on any page, and no request to another host", () => same(complaints, []));
} finally {
  await browser.close();
  server.close();
}
console.log(`page: ${counts.passed} passed, ${counts.failed} failed, ${fs.readdirSync(shots).length} screenshots`);
process.exitCode = counts.failed === 0 ? 0 : 1;
