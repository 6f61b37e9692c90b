// The address, and the examples.
import { check, holds, open, same, settled, text } from "./harness.mjs";

const later = (page) => page.waitForTimeout(400);

export async function share(page, shot, { browser, server }) {
  const again = async (work) => {
    await later(page);
    const other = await open(browser, server, { hash: new URL(page.url()).hash });
    await settled(other);
    await work(other);
    await other.close();
  };

  await check("share: text and rules of a message", async () => {
    const given = '{"jsonrpc":"2.0",\n "method":"é&=#%+ ","params":{"x":"😀"},"id":1.5}';
    await page.fill("#text-message", given);
    await page.check("[name=dialect][value='1']");
    await page.fill("[name=depth]", "5");
    await again(async (other) => {
      same(await other.inputValue("#text-message"), given);
      same([await other.isChecked("[name=dialect][value='1']"), await other.inputValue("[name=depth]")], [true, "5"]);
      same(await text(other, "#headline"), "Refused");
    });
  });

  await check("share: a long text is packed, and a longer one is not shared", async () => {
    const given = JSON.stringify({ jsonrpc: "2.0", method: "m", params: Array.from({ length: 2000 }, (_, index) => index) });
    await page.fill("#text-message", given);
    await again(async (other) => same(await other.inputValue("#text-message"), given));
    holds(page.url().includes("packed=") && page.url().length < 9000, `${page.url().length} characters`);
    await page.fill("#text-message", Array.from({ length: 40000 }, () => Math.random().toString(36)).join());
    await later(page);
    same(new URL(page.url()).hash, "");
    await page.click("#share");
    await page.waitForFunction(() => document.querySelector("#share").textContent === "Too long for a link");
  });

  await check("share: a stream, and a server", async () => {
    await page.click("#tab-stream");
    await page.fill("#text-stream", "Content-Length: 2\n\n{}");
    await page.check("[name=frame][value='1']");
    await page.fill("[name=chunk]", "3");
    await again(async (other) => {
      same(await other.getAttribute("#tab-stream", "aria-selected"), "true");
      same([await other.inputValue("#text-stream"), await other.isChecked("[name=frame][value='1']"), await other.inputValue("[name=chunk]")], ["Content-Length: 2\n\n{}", true, "3"]);
    });
    await page.click("#tab-serve");
    await page.check("[name=server][value='1']");
    await page.fill("#text-serve", "[]");
    await again(async (other) => same([await other.inputValue("#text-serve"), await other.isChecked("[name=server][value='1']")], ["[]", true]));
  });

  await check("share: an address that is typed is read, and one that is cut off does no harm", async () => {
    await page.evaluate(() => { location.hash = "#view=message&text=%5B%5D"; });
    await page.waitForFunction(() => document.querySelector("#text-message").value === "[]");
    for (const hash of ["#packed=AAAA", "#text=%", "#view=nothing&text=1&dialect=9&frame=x", "#x"]) {
      const other = await open(browser, server, { hash });
      await settled(other);
      holds((await text(other, "#headline")).length > 3, hash);
      await other.close();
    }
  });

  await check("share: every example loads, and is explained", async () => {
    const examples = await page.evaluate(async () => (await import("./examples.js")).EXAMPLES);
    same([examples.message[0][1].length, examples.message[1][1].length, examples.message[2][1].length >= 8], [10, 15, true]);
    let count = 0;
    for (const view of Object.keys(examples)) {
      await page.click(`#tab-${view}`);
      for (const [group, [, list]] of examples[view].entries()) {
        for (const [place, [name, given, why]] of list.entries()) {
          await page.selectOption(`#example-${view}`, `${group} ${place}`);
          same(await page.inputValue(`#text-${view}`), given, name);
          same(await text(page, `#why-${view}`), why);
          holds(why.length > 20, name);
          count += 1;
        }
      }
    }
    console.log(`   ${count} examples`);
  });

  await check("share: nine of the ten mistakes show a fault or a difference at once", async () => {
    await page.click("#tab-message");
    const list = await page.evaluate(async () => (await import("./examples.js")).EXAMPLES.message[0][1]);
    for (const [place, [name]] of list.entries()) {
      await page.selectOption("#example-message", `0 ${place}`);
      await settled(page);
      if (await text(page, "#headline") === "Refused") continue;
      await page.waitForSelector(".differences");
      same(name, "An id that grew too large");
    }
  });
}
