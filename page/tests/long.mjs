// A message of 1 MB that is typed into.
import { check, holds, same, text } from "./harness.mjs";

const LEN = 1 << 20;

/// In the browser: types into the field as a person does, and returns the longest time during which the page was blocked.
async function typing(selector) {
  const field = document.querySelector(selector);
  const frames = [];
  let last = performance.now();
  let isOver = false;
  const tick = () => {
    const now = performance.now();
    frames.push(now - last);
    last = now;
    if (!isOver) requestAnimationFrame(tick);
  };
  field.focus();
  field.setSelectionRange(LEN_OF_HEAD, LEN_OF_HEAD);
  await new Promise(requestAnimationFrame);
  last = performance.now();
  requestAnimationFrame(tick);
  for (let key = 0; key < 12; key += 1) {
    document.execCommand("insertText", false, "x");
    await new Promise((resolve) => setTimeout(resolve, 80));
  }
  isOver = true;
  return Math.max(...frames);
}
const HEAD = '{"jsonrpc":"2.0","method":"m';

export async function long(page, shot, { browser }) {
  const given = `${HEAD}","params":[${Array.from({ length: LEN / 32 }, (_, index) => `{"at":${index + 1e6},"celsius":21.5}`).join(",\n")}],"id":1}`;
  const script = `(${typing.toString().replaceAll("LEN_OF_HEAD", String(HEAD.length))})`;
  let here = 0;

  await check(`long: a message of ${given.length} bytes is read while one types`, async () => {
    await page.evaluate((given) => {
      const field = document.querySelector("#text-message");
      field.value = given;
      field.dispatchEvent(new Event("input"));
    }, given);
    await page.waitForFunction(() => document.querySelector("#headline").textContent === "Request");
    here = await page.evaluate(`${script}("#text-message")`);
    await page.waitForFunction(() => document.querySelector(".facts dd")?.textContent === '"mxxxxxxxxxxxx"');
    same((await page.inputValue("#text-message")).length, given.length + 12);
  });

  await check("long: typing waits no longer than in a field of its own, but for a frame or two", async () => {
    const bare = await browser.newPage();
    await bare.setContent(`<textarea id="bare" style="width:600px;height:500px"></textarea>`);
    await bare.evaluate((given) => { document.querySelector("#bare").value = given; }, given);
    const alone = await bare.evaluate(`${script}("#bare")`);
    await bare.close();
    console.log(`   longest wait: ${here.toFixed(0)} ms here, ${alone.toFixed(0)} ms in a field of its own`);
    holds(here < 3 * alone + 150, `${here} ms here, ${alone} ms in a field of its own`);
  });

  await check("long: its tree is read in pages", async () => {
    await page.locator(".tree details").first().waitFor();
    await page.waitForFunction(() => document.querySelectorAll(".tree .branch").length >= 100);
    await page.locator(".tree").getByRole("button", { name: "More" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".tree .branch").length >= 200);
    await page.getByRole("button", { name: "Select /150 in the text" }).click();
    same(await page.$eval("#text-message", (field) => JSON.parse(field.value.slice(field.selectionStart, field.selectionEnd)).at), 1000150);
  });

  await check("long: a fault at the end is found, and its place selected", async () => {
    await page.evaluate((given) => {
      const field = document.querySelector("#text-message");
      field.value = `${given.slice(0, -1)},}`;
      field.dispatchEvent(new Event("input"));
    }, given);
    await page.waitForFunction(() => document.querySelector("#headline").textContent === "Refused");
    holds((await text(page, "#verdict .place")).startsWith(`byte ${new Intl.NumberFormat("en").format(given.length)} `), await text(page, "#verdict .place"));
    await page.click("#verdict .place button");
    same(await page.$eval("#text-message", (field) => field.value.slice(field.selectionStart, field.selectionEnd)), "}");
  });
}
