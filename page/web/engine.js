// The worker, as functions that return promises.

const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
const waiting = new Map();
let numbers = 0;
/// The text that was sent last: it is not copied again.
let sent = null;

worker.onmessage = ({ data: { number, result, trouble } }) => {
  const { resolve, reject } = waiting.get(number);
  waiting.delete(number);
  if (trouble === undefined) resolve(result);
  else reject(new Error(trouble));
};
worker.onerror = (event) => {
  for (const { reject } of waiting.values()) reject(new Error(event.message ?? "the worker has failed"));
  waiting.clear();
};

/// Sends a request to the worker.
export function ask(what, given = {}) {
  numbers += 1;
  const number = numbers;
  return new Promise((resolve, reject) => {
    waiting.set(number, { resolve, reject });
    const isSame = given.text !== undefined && given.text === sent;
    sent = given.text ?? sent;
    worker.postMessage({ number, what, ...given, ...(isSame ? { text: undefined, isSame } : {}) });
  });
}

/// Runs `work` for the newest wish only: while it runs, further wishes wait, and all but the last are dropped.
export function newest(work) {
  let isBusy = false;
  let isWanted = false;
  return async function run() {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      await work();
    }
    isBusy = false;
  };
}
