// The view of a stream: frames, framing errors, chunks.
import { check, holds, same, settled, text, texts, type } from "./harness.mjs";

const FRAMES = { lines: 0, length: 1, events: 2, values: 3, any: 4 };

async function framing(page, given) {
  await page.evaluate((given) => {
    const { elements } = document.querySelector("#framing");
    for (const [name, value] of Object.entries({ frame: 0, chunk: 7, buffer: 4096, ends: "lf", "stream-dialect": 0, ...given })) elements.namedItem(name).value = value;
    document.querySelector("#framing").dispatchEvent(new Event("input"));
  }, given);
  await settled(page);
}

const put = (page, given) => type(page, given, "#text-stream");
const call = (id) => `{"jsonrpc":"2.0","method":"m","id":${id}}`;
const errors = (page) => texts(page, "#items .fault-item .kind");

export async function stream(page, shot) {
  await page.click("#tab-stream");

  await check("stream: lines, and a bad one does not spoil the next", async () => {
    await framing(page, { frame: FRAMES.lines });
    await put(page, `${call(1)}\nno message\n[${call(2)},1]\n{"jsonrpc":"2.0","method":"n"}\n`);
    same(await text(page, "#stream-headline"), "4 messages");
    same(await texts(page, "#items .badge"), ["Request", "Refused", "Batch of 2", "Notification"]);
    same((await texts(page, "#items .answer"))[0], call(1));
    await shot("lines");
  });

  await check("stream: lines of a terminal end with CR, and a device omits the version", async () => {
    await framing(page, { frame: FRAMES.any, ends: "cr", "stream-dialect": 3 });
    await put(page, `{"id":1,"src":"user_1","method":"m"}\n{"id":1,"result":null,"error":[20,"no"]}\n`);
    same(await texts(page, "#items .badge"), ["Request", "Error response"]);
    await framing(page, { frame: FRAMES.any, ends: "cr" });
    same(await texts(page, "#items .badge"), ["Refused", "Refused"]);
  });

  await check("stream: a stream that ends inside a message", async () => {
    await put(page, `${call(1)}\n{"jsonrpc":`);
    same(await texts(page, "#items .badge"), ["Request", "Refused"]);
    await framing(page, { frame: FRAMES.length });
    await put(page, "Content-Length: 99\n\n{}");
    same(await errors(page), ["Truncated"]);
  });

  for (const ends of ["lf", "crlf"]) {
    await check(`stream: Content-Length with ${ends}, and each of its faults`, async () => {
      await framing(page, { frame: FRAMES.length, ends });
      await put(page, `Content-Length: ${call(1).length}\n\n${call(1)}content-type: x\nCONTENT-LENGTH: ${call(12).length}\n\n${call(12)}`);
      same(await texts(page, "#items .badge"), ["Request", "Request"]);
      for (const [head, name] of [["Content-Length: x\n\n", "InvalidLength"], ["A: 1\n\n", "MissingLength"], ["Content-Length: 1\nContent-Length: 2\n\n", "RepeatedLength"],
        ["Content-Length: 4294967296\n\n", "LengthTooLarge"], ["no header\n\n", "InvalidHeader"], [`A: ${"x".repeat(1100)}\n\n`, "HeaderTooLong"]]) {
        await put(page, `${head}Content-Length: ${call(3).length}\n\n${call(3)}`);
        same(await errors(page), [name]);
        same(await texts(page, "#items .badge"), ["Framing error", "Request"], name);
        holds(await page.locator("#editor-stream .fault").count() === 1, `${name} is not marked`);
        holds((await text(page, "#items .section")).length > 5 && JSON.parse(await text(page, "#items .fault-item .answer")).error.code < 0, name);
      }
    });
  }

  await check("stream: events with name, id and several lines of data", async () => {
    await framing(page, { frame: FRAMES.events });
    await put(page, `id: 7\nevent: message\ndata: ${call(1)}\n\n: comment\n\ndata: {"jsonrpc":"2.0",\ndata: "method":"n"}\n\n`);
    same(await texts(page, "#items .badge"), ["Request", "Notification"]);
    holds((await text(page, "#items li")).includes("event message, id 7"), await text(page, "#items li"));
    await put(page, `id: ${"x".repeat(65)}\ndata: 1\n\nevent: ${"x".repeat(33)}\ndata: 1\n\ndata: ${call(1)}\n\n`);
    same(await errors(page), ["EventIdTooLong", "EventNameTooLong"]);
  });

  await check("stream: bare values, and where reading goes on", async () => {
    await framing(page, { frame: FRAMES.values });
    await put(page, `${call(1)}${call(2)}\n{"jsonrpc" 1}\n${call(3)}`);
    same(await texts(page, "#items .badge"), ["Request", "Request", "Framing error", "Request"]);
    same(await errors(page), ["ExpectedColon"]);
    await put(page, `${call(1)}{"jsonrpc" 1}${call(2)}${call(3)}`);
    same(await errors(page), ["ExpectedColon", "Unseparated"]);
    await put(page, `POST / HTTP/1.1\n\n${call(1)}\n`);
    same(await errors(page), ["OtherProtocol"]);
  });

  await check("stream: a byte order mark and a message too long for the buffer", async () => {
    await framing(page, { frame: FRAMES.lines, buffer: 64 });
    await put(page, `\uFEFF${call(1)}\n"${"x".repeat(80)}"\n${call(2)}\n`);
    same(await errors(page), ["ByteOrderMark", "TooLong"]);
    same(await texts(page, "#items .badge"), ["Framing error", "Request", "Framing error", "Request"]);
  });

  await check("stream: chunks of any size give the same", async () => {
    const given = `${call(1)}\n${call(2)}\r\n\n{"x"\n${call(3)}`;
    await framing(page, {});
    await put(page, given);
    const before = await texts(page, "#items li");
    for (const chunk of [1, 2, 3, 5, 1000]) {
      await framing(page, { chunk });
      const badges = await texts(page, "#items .badge");
      same(badges, ["Request", "Request", "Refused", "Request"], `chunks of ${chunk}`);
      holds((await text(page, "#chunks")).includes("The same with chunks of 1, 2, 3, 7, 64 bytes"), await text(page, "#chunks"));
    }
    same(before.length, 4);
  });

  await check("stream: a message of it is read in the other view", async () => {
    await page.click("#items li:nth-child(2) button.small");
    await settled(page);
    same(await page.inputValue("#text-message"), call(2));
    same(await page.getAttribute("#tab-message", "aria-selected"), "true");
  });
}
