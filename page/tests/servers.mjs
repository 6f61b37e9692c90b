// The view of the servers: the methods of the specification, the Model Context Protocol, the console.
import { check, holds, same, settled, text, texts } from "./harness.mjs";

/// JSON-RPC 2.0, section 7: texts of a client, and answers of a server.
const error = (code, message, id) => ({ jsonrpc: "2.0", error: { code, message }, id });
const result = (result, id) => ({ jsonrpc: "2.0", result, id });
const ANSWERS = [
  result(19, 1), result(-19, 2), result(19, 3), result(19, 4), null, null, error(-32601, "Method not found", "1"), error(-32700, "Parse error", null),
  error(-32600, "Invalid Request", null), error(-32700, "Parse error", null), error(-32600, "Invalid Request", null), [error(-32600, "Invalid Request", null)],
  Array(3).fill(error(-32600, "Invalid Request", null)),
  [result(7, "1"), result(19, "2"), error(-32600, "Invalid Request", null), error(-32601, "Method not found", "5"), result(["hello", 5], "9")], null,
];

const sorted = (value) => JSON.stringify(value, (_, inner) => inner && typeof inner === "object" && !Array.isArray(inner)
  ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner);

export async function servers(page, shot) {
  await page.click("#tab-serve");
  const clear = () => page.evaluate(() => document.querySelector("#log").replaceChildren());
  const send = async (given) => {
    await clear();
    await page.fill("#text-serve", given);
    await page.press("#text-serve", "Control+Enter");
    await page.waitForFunction(() => document.querySelector("#log").childElementCount > 1);
    await settled(page);
    return texts(page, "#log .answer pre");
  };
  const call = async (line) => {
    await clear();
    await page.fill("#line", line);
    await page.press("#line", "Enter");
    await page.waitForFunction(() => document.querySelector("#log").childElementCount > 0);
    await settled(page);
    return page.$$eval("#log li", (lines) => lines.map((line) => [line.className, ...Array.from(line.children, (child) => child.textContent)]));
  };

  const section7 = await page.evaluate(async () => (await import("./examples.js")).EXAMPLES.serve[0][1]);
  await check("serve: section 7 of the specification has 15 examples", () => same(section7.length, ANSWERS.length));
  for (const [place, [name, given]] of section7.entries()) {
    await check(`serve: ${name}, as the specification answers it`, async () => {
      const answers = (await send(given)).map((answer) => JSON.parse(answer));
      same(sorted(answers), sorted(ANSWERS[place] === null ? [] : [ANSWERS[place]]));
      if (ANSWERS[place] === null) same(await text(page, "#log .nothing pre"), "no answer");
    });
  }

  await check("serve: what is dropped is shown", async () => {
    await send('{"jsonrpc":"2.0","method":"nobody"}');
    same(await texts(page, "#log .dropped pre"), ["notification without listener: nobody"]);
  });

  await check("console: a call, its result by id, and an error", async () => {
    await page.click("#restart");
    await settled(page);
    same(await call("subtract [42,23]"), [["sent", "client", '{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}'], ["answer", "server", '{"jsonrpc":"2.0","result":19,"id":1}'], ["result", "subtract", "19"]]);
    same((await call("nope")).at(-1), ["refused", "nope", "Method not found"]);
    same((await call('subtract ["x"]')).at(-1)[0], "refused");
  });

  await check("console: notifications, and batches", async () => {
    same((await call("--notify update [1]")).map(([kind]) => kind), ["sent", "nothing"]);
    same((await call("updates")).at(-1), ["result", "updates", "1"]);
    const said = await call("--batch sum [1,2] get_data nope [3]");
    same(said.slice(2), [["result", "sum", "3"], ["result", "get_data", '["hello",5]'], ["refused", "nope", "Method not found"]]);
    await shot("console");
  });

  await check("console: what cannot be sent", async () => {
    same((await call("sum [1")).map(([kind, , words]) => [kind, words]), [["trouble", "unexpected end"]]);
    same((await call("sum 5 6"))[0][0], "trouble");
    same((await call("--batch"))[0][0], "trouble");
  });

  await check("console: lines before by arrow", async () => {
    await page.press("#line", "ArrowUp");
    await page.press("#line", "ArrowUp");
    same(await page.inputValue("#line"), "sum 5 6");
    await page.press("#line", "ArrowDown");
    same(await page.inputValue("#line"), "--batch");
    await page.press("#line", "ArrowDown");
    same(await page.inputValue("#line"), "");
  });

  await check("serve: the lifecycle of MCP", async () => {
    await page.check("[name=server][value='1']");
    await settled(page);
    const lifecycle = await page.evaluate(async () => (await import("./examples.js")).EXAMPLES.serve[1][1]);
    const answers = [];
    for (const [name, given] of lifecycle) answers.push([name, (await send(given)).map((answer) => JSON.parse(answer))]);
    const of = Object.fromEntries(answers);
    same(of.Initialize[0].result.protocolVersion, "2025-11-25");
    same(of.Initialized, []);
    same(of["List the tools"][0].result.tools.map(({ name }) => name).sort(), ["add", "count", "echo"]);
    same(of["Call a tool"][0].result.content, [{ type: "text", text: "42" }]);
    same(of["Call a slow tool"].map(({ method, params, result }) => method ? params.progress : result.content[0].text), [1, 2, 3, "counted to 3"]);
    same(of["Read a resource"][0].result.contents[0].mimeType, "text/plain");
    holds(JSON.stringify(of["Get a prompt"]).includes("Write a greeting for Ada."), "the prompt");
    same(of["Complete an argument"][0].result.completion.values, ["Ada", "Alan"]);
    same(of.Ping[0].result, {});
    holds(of["Discover, without a session"][0].result.supportedVersions.includes("2026-07-28"), "the revision");
    await shot("mcp");
  });

  await check("console: MCP from a new start, and no batches", async () => {
    await page.click("#restart");
    await settled(page);
    same((await call("tools/list")).at(-1)[0], "refused");
    const lines = await page.evaluate(async () => (await import("./examples.js")).CONSOLE[1]);
    for (const line of lines) same((await call(line)).at(-1)[0], "result", line);
    same((await call("--batch ping []"))[0], ["trouble", "client", "batch not allowed"]);
  });

  await check("serve: each call to try of the methods works", async () => {
    await page.check("[name=server][value='0']");
    await settled(page);
    const lines = await page.evaluate(async () => (await import("./examples.js")).CONSOLE[0]);
    for (const line of lines) {
      const kinds = (await call(line)).map(([kind]) => kind);
      holds(!kinds.includes("trouble") && (kinds.includes("result") || kinds.includes("nothing") || line.startsWith("fail")), `${line}: ${kinds}`);
    }
  });
}
