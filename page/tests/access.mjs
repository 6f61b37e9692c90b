// Access with a keyboard, a screen reader, a small screen, and without a network.
import fs from "node:fs";
import { AXE, check, holds, open, same, settled, text, type } from "./harness.mjs";

const AXE_SOURCE = fs.readFileSync(AXE, "utf8");

/// Brings each view into a state with something of everything.
const STATES = {
  request: async (page) => type(page, '{"jsonrpc":"2.0","method":"sum","params":[1,{"a":[true,null]}],"id":12345678901234567890,"trace":7}'),
  refused: async (page) => type(page, '{"jsonrpc":"2.0","method":"sum",}'),
  batch: async (page) => {
    await type(page, '[{"jsonrpc":"2.0","method":"a","id":1},1,{"jsonrpc":"2.0","result":[],"id":"1"},{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":2}]');
    for (const place of [1, 2, 3, 4]) await page.click(`.elements li:nth-child(${place}) summary`);
  },
  stream: async (page) => {
    await page.click("#tab-stream");
    await type(page, '\uFEFF{"jsonrpc":"2.0","method":"a"}\nx\n[1,2]\n', "#text-stream");
  },
  serve: async (page) => {
    await page.click("#tab-serve");
    await page.click("#sending button");
    for (const line of ["--batch sum [1] nope []", "--notify nobody", "sum ["]) {
      await page.fill("#line", line);
      await page.press("#line", "Enter");
      await settled(page);
    }
  },
};

export async function access(page, shot, { browser, server }) {
  for (const colorScheme of ["light", "dark"]) {
    for (const [size, viewport] of [["wide", { width: 1360, height: 900 }], ["narrow", { width: 360, height: 740 }]]) {
      const other = await open(browser, server, { viewport, colorScheme });
      for (const [state, bring] of Object.entries(STATES)) {
        await check(`access: axe-core finds nothing, ${state}, ${colorScheme}, ${size}`, async () => {
          await bring(other);
          await settled(other);
          if (state === "request") await other.waitForSelector("#compare .differences");
          await shot(`${state}-${colorScheme}-${size}`, other);
          if (!(await other.evaluate(() => "axe" in window))) await other.evaluate(AXE_SOURCE);
          const { violations, passes } = await other.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
          same(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html, failureSummary }) => [html.slice(0, 160), failureSummary])]), []);
          holds(passes.length > 15, `${passes.length} rules`);
          const width = await other.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
          holds(width[0] <= width[1], `it is ${width[0]} wide on a screen of ${width[1]}`);
        });
      }
      await other.close();
    }
  }

  await check("access: at 320 pixels nothing is cut off", async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    for (const view of ["message", "stream", "serve"]) {
      await page.click(`#tab-${view}`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      holds(width <= 320, `${view} is ${width} wide`);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  await check("access: the views are tabs for the keyboard", async () => {
    await page.click("#tab-serve");
    const selected = () => page.$eval("[role=tab][aria-selected=true]", (tab) => [tab.textContent, tab === document.activeElement]);
    for (const [key, expected] of [["ArrowRight", "Message"], ["ArrowRight", "Stream"], ["ArrowLeft", "Message"], ["ArrowLeft", "Serve"], ["Home", "Message"], ["End", "Serve"], ["Home", "Message"]]) {
      await page.keyboard.press(key);
      same(await selected(), [expected, true], key);
    }
  });

  await page.click("#tab-message");
  await check("access: the keyboard reaches everything, and leaves the text", async () => {
    await type(page, '{"jsonrpc":"2.0","method":"m","params":[[1],{"a":2}]}');
    await page.focus("#tab-message");
    const reached = new Set();
    for (let press = 0; press < 60; press += 1) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.name || document.activeElement.className || document.activeElement.tagName));
    }
    for (const expected of ["share", "theme", "example-message", "file", "text-message", "dialect", "lenient", "depth", "id", "method", "batch", "len", "bytes", "SUMMARY", "pointer"]) {
      holds(reached.has(expected), `${expected} is not reached: ${[...reached]}`);
    }
  });

  await check("access: a node of the tree opens by key, and the focus can be seen", async () => {
    const summary = page.locator(".tree summary").nth(1);
    await summary.focus();
    await page.keyboard.press("Enter");
    await settled(page);
    same(await page.locator(".tree details").nth(1).evaluate((details) => details.open), true);
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    same(outline, "solid");
  });

  await check("access: the verdict is said, once", async () => {
    await type(page, '{"jsonrpc":"2.0",}');
    same(await page.textContent("#status"), "Refused: expected a member name, line 1, column 18");
    await type(page, '{"jsonrpc":"2.0","method":"m"}');
    same(await page.textContent("#status"), "Notification");
    same(await page.getAttribute("#status", "role"), "status");
  });

  await check("access: light and dark by choice, which is kept", async () => {
    const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.selectOption("#theme", "dark");
    const dark = await paper();
    await page.reload();
    await page.waitForSelector("html[data-ready]");
    same(await paper(), dark);
    await page.selectOption("#theme", "light");
    holds((await paper()) !== dark, "light is dark");
    await page.selectOption("#theme", "");
  });

  await check("access: without a network, once it is there", async () => {
    await page.context().setOffline(true);
    await type(page, '{"jsonrpc":"2.0","result":1,"id":7}');
    same(await text(page, "#headline"), "Success response");
    await page.click("#tab-serve");
    await page.fill("#line", "sum [1,2]");
    await page.press("#line", "Enter");
    await page.waitForSelector("#log .result");
    await page.context().setOffline(false);
  });
}
