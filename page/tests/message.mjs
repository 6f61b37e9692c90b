// The view of one text: kinds, parts, tree, refusals, rules, and the comparison.
import fs from "node:fs";
import path from "node:path";
import { check, holds, same, settled, text, texts, type } from "./harness.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");

/// A text for each kind of fault that a text can have, with the byte, and settings.
const FAULTS = {
  UnexpectedEnd: ['{"jsonrpc":', 11], ExpectedValue: ['{"a":]', 5], ExpectedName: ["{1:2}", 1], ExpectedColon: ['{"a" 1}', 5],
  TrailingData: ["{} {}", 3], ExpectedComma: ["[1 2]", 3], InvalidLiteral: ["[nul]", 4], InvalidNumber: ["[01]", 2], InvalidEscape: ['["\\x"]', 3],
  LoneSurrogate: ['["\\ud800"]', 8], InvalidUtf8: ['["\\xFF"]', 2, { bytes: true }], ControlCharacter: ['["\t"]', 2],
  TooDeep: ["[".repeat(64), 63], NotAMessage: ["1", 0], EmptyBatch: [" []", 1],
  BatchNotAllowed: ['[{"jsonrpc":"2.0","method":"m"}]', 0, { dialect: 1 }], RepeatedMember: ['{"jsonrpc":"2.0","id":1,"method":"m","id":2}', 42],
  MissingVersion: ['{"method":"m","id":1}', 0], InvalidVersion: ['{"jsonrpc":2.0,"method":"m","id":1}', 11], MissingMember: ['{"jsonrpc":"2.0","id":1}', 0],
  ConflictingMembers: ['{"jsonrpc":"2.0","result":1,"error":{},"id":1}', 36], InvalidMethod: ['{"jsonrpc":"2.0","method":""}', 26],
  MissingId: ['{"jsonrpc":"2.0","result":1}', 0], InvalidId: ['{"jsonrpc":"2.0","method":"m","id":[]}', 35],
  InvalidParams: ['{"jsonrpc":"2.0","method":"m","params":1,"id":1}', 39], InvalidErrorObject: ['{"jsonrpc":"2.0","error":{"code":1.5,"message":""},"id":1}', 25],
  IdTooLong: ['{"jsonrpc":"2.0","method":"m","id":"12345"}', 35, { id: 4 }], MethodTooLong: ['{"jsonrpc":"2.0","method":"12345","id":1}', 26, { method: 4 }],
  BatchTooLong: ['[{"jsonrpc":"2.0","method":"m"},1]', 32, { batch: 1 }], MessageTooLong: ['{"jsonrpc":"2.0","method":"m"}', 10, { len: 10 }],
};

/// Sets rules; the others get their defaults.
async function rules(page, given = {}) {
  await page.evaluate((given) => {
    const { elements } = document.querySelector("#rules");
    const all = { dialect: 0, lenient: 0, depth: 63, id: 64, method: 64, batch: "", len: "", ...given };
    for (const [name, value] of Object.entries(all)) if (name !== "bytes") elements.namedItem(name).value = value;
    elements.bytes.checked = Boolean(given.bytes);
    document.querySelector("#rules").dispatchEvent(new Event("input"));
  }, given);
  await settled(page);
}

const place = (page) => text(page, "#verdict .place");
const kindsOfCrate = () => {
  const source = fs.readFileSync(path.join(ROOT, "src/error.rs"), "utf8");
  const body = /pub enum ErrorKind \{([\s\S]*?)\n\}/.exec(source)[1];
  const names = [...body.matchAll(/^    ([A-Z]\w+),$/gm)].map(([, name]) => name);
  const words = Object.fromEntries([...source.matchAll(/(?:Self::)?([A-Z]\w+) => "((?:[^"\\]|\\.)*)"/g)].map(([, name, words]) => [name, words.replaceAll('\\"', '"')]));
  // the remaining arm
  words.MessageTooLong = /_ => "(message too long)"/.exec(source)[1];
  return { names, words };
};

export async function message(page, shot) {
  await check("message: a request, its parts in colour and its payload", async () => {
    await type(page, '{"jsonrpc":"2.0","method":"sum","params":[1,{"a/b":"~"}],"id":"x","trace":7}');
    same(await text(page, "#headline"), "Request");
    const painted = await page.$$eval("#editor-message .paint span", (spans) => spans.map((span) => [span.className, span.textContent]));
    same(painted, [["part-jsonrpc", '"jsonrpc":"2.0"'], ["part-method", '"method":"sum"'], ["part-params", '"params":[1,{"a/b":"~"}]'], ["part-id", '"id":"x"'], ["part-other", '"trace":7']]);
    same(await texts(page, ".facts dd"), ['"sum"', '"x"', '"trace"']);
    same(await page.$eval("#editor-message .paint", (paint) => paint.textContent.replace("\u200b", "")), await page.inputValue("#text-message"), "the layer");
  });

  await check("message: the tree gives JSON Pointers, and selects", async () => {
    await page.click(".tree summary >> nth=1");
    await settled(page);
    const pointers = await texts(page, ".tree .pointer");
    same([...pointers].sort(), ['""', "/0", "/1", "/1/a~1b"]);
    await page.getByRole("button", { name: "Select /1/a~1b in the text" }).click();
    same(await page.$eval("#text-message", (field) => field.value.slice(field.selectionStart, field.selectionEnd)), '"~"');
  });

  await check("message: notification, success, error response", async () => {
    for (const [given, headline, parts] of [
      ['{"jsonrpc":"2.0","method":"tick"}', "Notification", ["method"]],
      ['{"jsonrpc":"2.0","result":{"a":1},"id":1}', "Success response", ["result", "id"]],
      ['{"jsonrpc":"2.0","error":{"code":-1,"message":"no"},"id":null}', "Error response", ["error", "id"]],
    ]) {
      await type(page, given);
      same(await text(page, "#headline"), headline);
      for (const part of parts) holds(await page.locator(`.paint .part-${part}`).count() === 1, `${given}: no ${part}`);
    }
  });

  await check("message: each element of a batch has its own verdict", async () => {
    await type(page, '[{"jsonrpc":"2.0","method":"a","id":1},1,[],{"jsonrpc":"2.0","method":"b"}]');
    same(await text(page, "#headline"), "Batch of 4 messages");
    same(await text(page, ".counted"), "1 request, 1 notification, 2 refused");
    same(await texts(page, ".elements .badge"), ["Request", "Refused", "Refused", "Notification"]);
    holds(await page.locator(".paint .fault").count() === 2, "two faults are marked");
    await page.click(".elements li:nth-child(3) summary");
    await settled(page);
    holds((await text(page, ".elements li:nth-child(3)")).includes("NotAMessage"), "an array is no element");
    await shot("batch");
  });

  await check("message: a batch of 1,000 is shown in pages", async () => {
    await type(page, `[${Array.from({ length: 1000 }, (_, id) => `{"jsonrpc":"2.0","method":"m","id":${id}}`).join()}]`);
    same(await page.locator(".elements > li").count(), 100);
    await page.getByRole("button", { name: "900 more" }).click();
    await settled(page);
    same(await page.locator(".elements > li").count(), 200);
    same(await text(page, ".elements > li:nth-child(200) .brief"), '"m" · id 199');
  });

  const { names, words } = kindsOfCrate();
  await check("message: the explanations have the words and the order of the crate", async () => {
    const known = await page.evaluate(async () => (await import("./explain.js")).FAULTS);
    same(known.map(([, name]) => name), names.slice(0, known.length), "names");
    for (const [said, name, section, sentence] of known) {
      same(said, words[name], name);
      holds(section.length > 5 && sentence.length > 20, `${name} is not explained`);
    }
    same(Object.keys(FAULTS), names.slice(0, known.length).filter((name) => name !== "UnexpectedMessage"), "a text for each kind");
  });

  for (const [name, [given, byte, settings]] of Object.entries(FAULTS)) {
    await check(`message: ${name} has kind, byte, mark, sentence and answer`, async () => {
      await rules(page, settings);
      await type(page, given);
      same(await page.locator("#verdict").getByText(name, { exact: true }).count() > 0, true, "the name of the kind");
      holds((await place(page)).startsWith(`byte ${byte} `), await place(page));
      holds(await page.locator("#editor-message .paint .fault").count() > 0, "no mark in the text");
      holds((await text(page, "#verdict .section")).length > 5, "no section");
      const isResponse = /"(result|error)"/.test(given) && !given.includes('"method"');
      const answer = await page.locator("#verdict .answer").allInnerTexts();
      if (isResponse) return same(answer, []);
      const { error, jsonrpc } = JSON.parse(answer[0]);
      same([jsonrpc, error.code], ["2.0", names.indexOf(name) <= names.indexOf("TooDeep") ? -32700 : -32600]);
    });
  }
  await rules(page);

  await check("message: line and column count characters, bytes count bytes", async () => {
    await type(page, '{\n  "é": "😀",\n  "ü" 1}');
    same(await place(page), "byte 25 · line 3 · column 7");
    same(await text(page, "#verdict mark"), "1");
    await page.click("#verdict .place button");
    same(await page.$eval("#text-message", (field) => field.value.slice(field.selectionStart, field.selectionEnd)), "1");
  });

  await check("message: a text that stops early is marked behind its end", async () => {
    await type(page, '{"jsonrpc":"2.0"');
    holds(await page.locator(".paint .fault.at-end").count() === 1, "no mark");
    same(await text(page, "#verdict mark"), "⟨end⟩");
  });

  await check("message: dialects differ", async () => {
    const headlines = async (given) => {
      const found = [];
      for (const dialect of [0, 1, 2]) {
        await rules(page, { dialect });
        await type(page, given);
        found.push(await text(page, "#headline"));
      }
      return found;
    };
    same(await headlines('{"jsonrpc":"2.0","method":"m","params":[1],"id":1}'), ["Request", "Refused", "Request"]);
    same(await headlines('{"jsonrpc":"2.0","method":"m","params":7,"id":1}'), ["Refused", "Refused", "Request"]);
    same(await headlines('{"jsonrpc":"2.0","method":"m","id":1.5}'), ["Request", "Refused", "Refused"]);
  });

  await check("message: a limit of depth, and an earlier fault before it", async () => {
    for (const [depth, given, headline, at] of [[2, "[[[]]]", "Refused", 2], [3, "[[[1]]]", "Batch of 1 message", null], [0, "{}", "Refused", 0], [2, "[}[[[", "Refused", 1], [1, "{} [[", "Refused", 3]]) {
      await rules(page, { depth });
      await type(page, given);
      same(await text(page, "#headline"), headline, `${depth} ${given}`);
      if (at !== null) holds((await place(page)).startsWith(`byte ${at} `), `${given}: ${await place(page)}`);
    }
  });

  await check("message: strict and lenient ids of responses", async () => {
    for (const [lenient, id, expected] of [[0, '"1"', "no call"], [1, '"1"', "the call 1, for a lenient client"], [0, "1", "the call 1"], [1, "1.0", "the call 1, for a lenient client"], [0, "1.0", "no call"]]) {
      await rules(page, { lenient });
      await type(page, `{"jsonrpc":"2.0","result":19,"id":${id}}`);
      holds((await texts(page, ".facts dd")).some((fact) => fact.startsWith(expected)), `${lenient} ${id}: ${await texts(page, ".facts dd")}`);
    }
    await rules(page);
  });

  await check("message: a file with bytes that are no UTF-8", async () => {
    await page.setInputFiles("#file", { name: "latin1.json", mimeType: "application/json", buffer: Buffer.from('{"jsonrpc":"2.0","method":"caf\xE9"}', "latin1") });
    await page.waitForFunction(() => document.querySelector("#text-message").value.includes("\\xE9"));
    await settled(page);
    same(await text(page, "#headline"), "Refused");
    same(await place(page), "byte 31 · line 1 · column 35");
    holds(await page.isChecked("[name=bytes]"), "the switch is off");
    await rules(page);
  });

  await check("compare: repeated names, large integers, negative zero", async () => {
    await rules(page);
    await type(page, '{"jsonrpc":"2.0","method":"m","params":{"a":1,"a":2,"n":[9007199254740993,-0,1e400,0.1]}}');
    await page.waitForSelector(".differences");
    same(await texts(page, ".differences li"), ['"a" stands twice at /params/a: it keeps the last', "9007199254740993 at /params/n/0 becomes 9007199254740992", "-0 at /params/n/1 becomes 0, once it is written again", "1e400 at /params/n/2 becomes Infinity"]);
    await shot("compare");
  });

  await check("compare: half a surrogate pair, and the same value to both", async () => {
    await type(page, '{"jsonrpc":"2.0","method":"m","params":["\\ud83d"]}');
    await page.waitForFunction(() => document.querySelector("#compare .differs")?.textContent.includes("half a surrogate pair"));
    same((await texts(page, "#compare tbody tr:first-child td")), ["refused", "accepted"]);
    await type(page, '{"jsonrpc":"2.0","method":"m"}');
    await page.waitForFunction(() => document.querySelector("#compare").textContent.includes("The same value to both"));
  });

  await check("compare: the bytes of the module and a time for both", async () => {
    const size = fs.statSync(path.join(ROOT, "page/dist/nanojsonrpc.wasm")).size;
    same(await text(page, "#size"), `${new Intl.NumberFormat("en").format(size)} bytes`);
    holds(size <= 61440, `${size} bytes`);
    const times = await texts(page, "#compare tbody tr:nth-child(2) td");
    holds(times.length === 2 && times.every((time) => /^[\d,]+ (ns|µs|ms)$/.test(time)), String(times));
    console.log(`   a notification of 30 bytes: ${times[0]} here, ${times[1]} with JSON.parse`);
  });
}
