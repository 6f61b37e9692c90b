// Hostile texts in the browser: the seeds of the fuzz targets, which are made of the corpora of other projects where these are there,
// and texts with a byte changed. No panic, no other verdict on JSON than that of JSON.parse, and no verdict that depends on the way of
// reading.
import fs from "node:fs";
import path from "node:path";
import { execFileSync } from "node:child_process";
import { check, holds, same, settled, text, type } from "./harness.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");
/// Of so many bytes are the parts that are handed to the browser.
const PART = 1 << 19;

/// The number of texts, and the seeds as `fuzz/seed` spells them for its targets, without writing 20,000 files.
const SPELLED = `
import base64, os, pathlib, runpy
seed = runpy.run_path("fuzz/seed")
folder = pathlib.Path(os.environ.get("NANOJSONRPC_CORPORA", ""))
texts = list(seed["texts"](folder if (folder / "JSONTestSuite").is_dir() else None))
spelled = (spell for spells in seed["TARGETS"].values() for text in texts for spell in spells(text))
print(len(texts))
print("\\n".join(base64.b64encode(text).decode() for text in dict.fromkeys(spelled)))
`;

function seeds() {
  const said = execFileSync("python3", ["-c", SPELLED], { cwd: ROOT, maxBuffer: 1 << 28, encoding: "utf8" });
  const [count, ...lines] = said.trim().split("\n");
  return { count: Number(count), found: lines.map((line) => Buffer.from(line, "base64")) };
}

/// In the browser: the verdicts of the crate on each text, by every entry point.
async function thrown(texts) {
  const { Crate } = await import("./wasm.js");
  const { differences } = await import("./compare.js");
  globalThis.crate ??= await Crate.load(await (await fetch("nanojsonrpc.wasm")).arrayBuffer());
  const { crate } = globalThis;
  const rules = { depth: 63, id: 64, method: 64 };
  const KINDS = { surrogate: 9, deep: 12 };
  const wrong = [];
  let verdicts = 0;
  let place = 0;
  let accepted = 0;
  for (const given of texts) {
    const bytes = Uint8Array.from(atob(given), (letter) => letter.charCodeAt(0));
    try {
      const verdict = crate.read(bytes, { ...rules, dialect: 0 });
      accepted += verdict.isJson ? 1 : 0;
      for (const dialect of [1, 2]) crate.read(bytes, { ...rules, dialect });
      for (const other of [{ depth: 3 }, { id: 2, method: 3 }, { batch: 1 }, { len: 40 }, { lenient: true }]) crate.read(bytes, { ...rules, dialect: 0, ...other });
      // one of the frames in turn
      place += 1;
      const frame = place % 4;
      const [whole, ...cut] = [1 << 20, 1, 3].map((chunk) => crate.frames(bytes, { frame, chunk, buffer: 256, dialect: 0 }));
      const plain = ({ items, total }) => JSON.stringify([total, items.map(({ text, fault, offset }) => [text, fault, offset])]);
      if (cut.some((one) => plain(one) !== plain(whole))) wrong.push([given, "chunks", frame]);
      for (const server of [0, 1]) {
        for (const { text, isDropped } of crate.serve(server, bytes)) if (!isDropped) JSON.parse(text);
      }
      crate.receive(new TextDecoder().decode(bytes), 0);
      verdicts += 14;
      let decoded;
      try {
        decoded = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      } catch {
        if (verdict.isJson) wrong.push([given, "not UTF-8"]);
        continue;
      }
      let isJson = true;
      try {
        JSON.parse(decoded);
      } catch {
        isJson = false;
      }
      const [first] = verdict.messages;
      const isExcused = first.fault === KINDS.surrogate || first.fault === KINDS.deep;
      if (verdict.isJson !== isJson && !(isJson && isExcused)) wrong.push([given, "JSON.parse", isJson]);
      if (verdict.isJson) differences(decoded);
      for (const { at, offset } of verdict.messages) {
        if (at[1] > bytes.length || offset > bytes.length) wrong.push([given, "beyond the end"]);
      }
    } catch (error) {
      wrong.push([given, String(error)]);
    }
  }
  return { wrong: wrong.slice(0, 3), count: wrong.length, verdicts, accepted };
}

export async function corpora(page) {
  const { count, found } = seeds();
  // with one byte changed, which is the same byte in each run
  const changed = found.filter((_, place) => place % 3 === 0).map((bytes, place) => {
    const other = Buffer.from(bytes);
    if (other.length > 0) other[(place * 7919) % other.length] ^= 1 << (place % 8);
    return other;
  });
  await check(`corpora: ${found.length} seeds of the fuzz targets, and ${changed.length} with a bit changed`, async () => {
    holds(found.length >= 100, `${found.length} seeds`);
    const all = [...found, ...changed];
    const sum = { verdicts: 0, accepted: 0 };
    for (let at = 0; at < all.length; ) {
      const part = [];
      for (let len = 0; at < all.length && len < PART; at += 1) {
        part.push(all[at].toString("base64"));
        len += all[at].length;
      }
      const said = await page.evaluate(thrown, part);
      same(said.wrong, [], `${said.count} are wrong:`);
      sum.verdicts += said.verdicts;
      sum.accepted += said.accepted;
    }
    // most texts are JSON; most of their other spellings, such as frames, are not
    holds(sum.accepted > count / 2 && sum.accepted < all.length / 2, `${sum.accepted} of ${all.length} are JSON`);
    console.log(`   ${sum.verdicts} verdicts, ${sum.accepted} of ${all.length} texts are JSON`);
  });

  const folder = path.join(process.env.NANOJSONRPC_CORPORA ?? "", "JSONTestSuite");
  if (process.env.NANOJSONRPC_CORPORA && fs.existsSync(folder)) {
    await check("corpora: JSONTestSuite has the verdicts of its names", async () => {
      const files = fs.readdirSync(folder).filter((name) => /^[yn]_.*\.json$/.test(name));
      const given = files.map((name) => [name, fs.readFileSync(path.join(folder, name)).toString("base64")]);
      const wrong = await page.evaluate(async (given) => {
        const { Crate } = await import("./wasm.js");
        const crate = await Crate.load(await (await fetch("nanojsonrpc.wasm")).arrayBuffer());
        return given.filter(([name, text]) => {
          const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
          return crate.read(bytes, { dialect: 0, depth: 63, id: 64, method: 64 }).isJson !== (name[0] === "y");
        }).map(([name]) => name);
      }, given);
      same(wrong, []);
      holds(files.length > 250, `${files.length} files`);
      console.log(`   ${files.length} files`);
    });
  }

  await check("corpora: texts that are typed, one after the other", async () => {
    const short = found.filter((bytes) => bytes.length > 0 && bytes.length < 300).filter((_, place) => place % 25 === 0).slice(0, 60);
    for (const bytes of short) {
      await type(page, bytes.toString("latin1").replaceAll("\r", ""));
      holds(!["Reading…", "Not read", ""].includes(await text(page, "#headline")), bytes.toString("latin1"));
    }
    await settled(page);
    console.log(`   ${short.length} texts`);
  });
}
