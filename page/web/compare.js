// Compares with `JSON.parse` on the same text.

/// The most differences that are listed.
const LISTED = 20;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g;

/// The result of `JSON.parse`.
export function parsed(text) {
  try {
    JSON.parse(text);
    return { isAccepted: true };
  } catch (error) {
    return { isAccepted: false, message: error.message };
  }
}

/// The spelling of a number after `JSON.parse`, if that changes it.
function changed(spelled) {
  const number = Number(spelled);
  if (!Number.isFinite(number)) return "Infinity";
  if (Object.is(number, -0)) return "0, once it is written again";
  if (/^-?\d+$/.test(spelled)) return BigInt(spelled) === BigInt(number) ? null : BigInt(number).toString();
  return null;
}

/// A token of a JSON Pointer.
export const token = (name) => String(name).replaceAll("~", "~0").replaceAll("/", "~1");

/// Where an accepted text means something else to `JSON.parse`: repeated names and numbers that change.
export function differences(text) {
  const found = [];
  const open = [];
  let count = 0;
  const note = (what, pointer, detail, index) => {
    count += 1;
    if (found.length < LISTED) found.push({ what, pointer, detail, index });
  };
  const pointer = () => open.map((level) => `/${token(level.isArray ? level.index : level.name)}`).join("");
  for (const match of text.matchAll(TOKEN)) {
    const [spelled] = match;
    const level = open.at(-1);
    switch (spelled[0]) {
      case "{":
      case "[":
        open.push({ isArray: spelled === "[", index: 0, names: new Set(), name: null, isName: spelled === "{" });
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        level.index += 1;
        level.isName = !level.isArray;
        break;
      case ":":
        level.isName = false;
        break;
      case '"':
        if (!level?.isName) break;
        level.name = JSON.parse(spelled);
        if (level.names.has(level.name)) note("repeated", pointer(), spelled, match.index);
        level.names.add(level.name);
        break;
      case "t":
      case "f":
      case "n":
        break;
      default: {
        const other = changed(spelled);
        if (other !== null) note("number", pointer(), [spelled, other], match.index);
      }
    }
  }
  return { found, count };
}

/// Nanoseconds for one call of `work`, which takes the number of repetitions; of `rounds` the fastest.
export function timed(work, rounds = 3, least = 4) {
  let times = 1;
  let best = Infinity;
  for (let round = 0; round < rounds; ) {
    const since = performance.now();
    work(times);
    const took = performance.now() - since;
    if (took < least && times < 1 << 24) {
      times *= took < least / 8 ? 8 : 2;
      continue;
    }
    best = Math.min(best, took * 1e6 / times);
    round += 1;
  }
  return best;
}
