// jayson and vscode-jsonrpc call the examples stdio, tcp and language_server.
'use strict';

const readline = require('node:readline');
const jayson = require('jayson');
const Caller = require('jayson/lib/client/browser');
const rpc = require('vscode-jsonrpc/node');
const { assert, check, connect, example, finish, spawn, tcp } = require('./harness');

const TEXT = 'smile \u{1f600}, \u00e9, \u4e2d, \u0000, "quoted", \\, \u2028';

// JSON in ASCII, with surrogates escaped.
const escaped = (text) => text.replace(/[^\0-\x7f]/g, (unit) => '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'));

// A promise of the result of a call of jayson.
const call = (client, method, params, id) =>
  new Promise((resolve, reject) => {
    client.request(method, params, ...(id === undefined ? [] : [id]), (error, answer) =>
      error ? reject(error) : resolve(answer),
    );
  });

const send = (client, batch) =>
  new Promise((resolve, reject) => {
    client.request(batch, (error, answer) => (error ? reject(error) : resolve(answer)));
  });

// jayson over the example stdio; `change` is done to each text that is sent.
function overStdio(change = (text) => text) {
  const server = spawn(example('stdio'), [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = [];
  const surprises = [];
  readline.createInterface({ input: server.stdout }).on('line', (line) => {
    const callback = waiting.shift();
    if (callback) callback(null, line);
    else surprises.push(line);
  });
  const client = new Caller((text, callback) => {
    server.stdin.write(`${change(text)}\n`);
    const isNotification = (message) => !Object.hasOwn(message, 'id');
    const message = JSON.parse(text);
    if ([message].flat().every(isNotification)) callback();
    else waiting.push(callback);
  }, {});
  const end = () =>
    new Promise((resolve) => {
      server.on('close', (status) => resolve({ status, surprises }));
      server.stdin.end();
    });
  return { client, end };
}

async function jaysonChecks(way, open) {
  const checked = (name, body) =>
    check(`jayson, ${way}: ${name}`, async () => {
      const { client, end } = open();
      await body(client);
      assert.deepEqual(await end(), { status: 0, surprises: [] });
    });

  await checked('calls by position', async (client) => {
    const answer = await call(client, 'subtract', [42, 23], 1);
    assert.deepEqual(answer, { jsonrpc: '2.0', result: 19, id: 1 });
  });
  await checked('calls by name', async (client) => {
    const answer = await call(client, 'subtract', { subtrahend: 23, minuend: 42 }, 'a-b');
    assert.deepEqual(answer, { jsonrpc: '2.0', result: 19, id: 'a-b' });
  });
  await checked('the ids that it makes', async (client) => {
    assert.deepEqual((await call(client, 'get_data', [])).result, ['hello', 5]);
  });
  await checked('errors with code, message and data', async (client) => {
    const error = { code: 1, message: 'Failed, as asked', data: [TEXT] };
    assert.deepEqual((await call(client, 'fail', [TEXT], 1)).error, error);
    assert.deepEqual((await call(client, 'foobar', [], 2)).error, { code: -32601, message: 'Method not found' });
    assert.equal((await call(client, 'sum', { a: 1 }, 3)).error.code, -32602);
    assert.deepEqual((await call(client, 'large', [140000], 4)).error, { code: -32603, message: 'Internal error' });
  });
  await checked('notifications, then a call', async (client) => {
    assert.equal(await call(client, 'update', [1], null), undefined);
    assert.equal(await call(client, 'foobar', [1], null), undefined);
    assert.equal((await call(client, 'sum', [1], 1)).result, 1);
  });
  await checked('a batch with mixed failures', async (client) => {
    const answers = await send(client, [
      client.request('sum', [1, 2, 4], 1),
      client.request('update', [7], null),
      client.request('subtract', [1], 2),
      client.request('foo.get', {}, '3'),
      client.request('updates', [], 4),
    ]);
    assert.deepEqual(
      answers.map(({ id, result, error }) => [id, result ?? error.code]),
      [[1, 7], [2, -32602], ['3', -32601], [4, 1]],
    );
  });
  await checked('emoji and other text', async (client) => {
    assert.deepEqual((await call(client, 'echo', [TEXT, { [TEXT]: null }], 1)).result, [TEXT, { [TEXT]: null }]);
  });
  await checked('large calls and results', async (client) => {
    const text = '\u00e9'.repeat(8000);
    assert.deepEqual((await call(client, 'echo', { text }, 1)).result, { text });
    assert.equal((await call(client, 'large', [70000], 1)).result, 'x'.repeat(70000));
    assert.match((await call(client, 'echo', [text + text], 1)).error.message, /too long/);
  });
}

async function vscodeChecks(port) {
  const checked = (name, body) =>
    check(`vscode-jsonrpc, tcp --content-length: ${name}`, async () => {
      const socket = await connect(port);
      const connection = rpc.createMessageConnection(
        new rpc.StreamMessageReader(socket),
        new rpc.StreamMessageWriter(socket),
      );
      const surprises = [];
      connection.onError(([error]) => surprises.push(error.message));
      connection.onUnhandledNotification((message) => surprises.push(message));
      connection.listen();
      try {
        await body(connection, socket);
        assert.deepEqual(surprises, []);
      } finally {
        connection.dispose();
        socket.destroy();
      }
    });
  const fails = async (promise, code) => {
    await assert.rejects(promise, (error) => error instanceof rpc.ResponseError && error.code === code);
  };

  await checked('calls by position', async (connection) => {
    assert.equal(await connection.sendRequest('subtract', 42, 23), 19);
  });
  await checked('calls by name', async (connection) => {
    const byName = new rpc.RequestType('subtract', rpc.ParameterStructures.byName);
    assert.equal(await connection.sendRequest(byName, { subtrahend: 42, minuend: 23 }), -19);
  });
  await checked('errors', async (connection) => {
    await fails(connection.sendRequest('foobar'), -32601);
    await fails(connection.sendRequest('subtract', 1), -32602);
    await fails(connection.sendRequest('large', 140000), -32603);
    await assert.rejects(connection.sendRequest('fail', { why: TEXT }), (error) => {
      assert.deepEqual([error.code, error.message, error.data], [1, 'Failed, as asked', { why: TEXT }]);
      return true;
    });
  });
  await checked('notifications are heard and not answered', async (connection) => {
    await connection.sendNotification('update', 1);
    await connection.sendNotification('foobar');
    await connection.sendNotification('update', { a: 1 });
    assert.equal(await connection.sendRequest('updates'), 2);
  });
  await checked('emoji and other text', async (connection) => {
    assert.deepEqual(await connection.sendRequest('echo', TEXT, { [TEXT]: TEXT }), [TEXT, { [TEXT]: TEXT }]);
  });
  await checked('500 calls in flight', async (connection) => {
    const numbers = Array.from({ length: 500 }, (_, number) => number);
    const sums = await Promise.all(numbers.map((number) => connection.sendRequest('sum', number, 1)));
    assert.deepEqual(sums, numbers.map((number) => number + 1));
  });
  await checked('large calls and results', async (connection) => {
    const text = '\u4e2d'.repeat(5000);
    assert.deepEqual(await connection.sendRequest('echo', text, 1), [text, 1]);
    assert.equal((await connection.sendRequest('large', 70000)).length, 70000);
  });
  await checked('a cancelled call is answered all the same', async (connection) => {
    const cancelling = new rpc.CancellationTokenSource();
    const sum = connection.sendRequest('sum', 1, 2, cancelling.token);
    cancelling.cancel();
    assert.equal(await sum, 3);
  });
}

// The example language_server, as an editor starts it.
async function languageServerChecks() {
  const checked = (name, body) =>
    check(`vscode-jsonrpc, language_server: ${name}`, async () => {
      const server = spawn(example('language_server'), [], { stdio: ['pipe', 'pipe', 'pipe'] });
      const ended = new Promise((resolve) => server.on('close', resolve));
      let surprises = '';
      server.stderr.setEncoding('utf8').on('data', (data) => (surprises += data));
      const connection = rpc.createMessageConnection(
        new rpc.StreamMessageReader(server.stdout),
        new rpc.StreamMessageWriter(server.stdin),
      );
      const marks = [];
      connection.onNotification('textDocument/publishDiagnostics', (params) => marks.push(params));
      connection.listen();
      const open = (uri, text) =>
        connection.sendNotification('textDocument/didOpen', {
          textDocument: { uri, languageId: 'plaintext', version: 1, text },
        });
      try {
        const { capabilities } = await connection.sendRequest('initialize', { processId: null, capabilities: {} });
        assert.equal(capabilities.textDocumentSync, 1);
        await connection.sendNotification('initialized', {});
        await body(connection, open, marks);
        assert.equal(await connection.sendRequest('shutdown'), null);
        await connection.sendNotification('exit');
        assert.equal(await ended, 0);
        assert.equal(surprises, '');
      } finally {
        connection.dispose();
        server.kill();
      }
    });
  const search = (connection, ...params) => connection.sendRequest('demo/search', ...params);

  await checked('a document of 200 KB full of escapes', async (connection, open, marks) => {
    const line = `\u0001\t"q\\u00e9" \u{1f600} ${TEXT}`;
    const long = 'l'.repeat(101);
    const count = Math.ceil(200_000 / line.length);
    await open('file:///large', [...Array(count).fill(line), long].join('\n'));
    assert.equal(await search(connection, '\u{1f600}', 0), count * (line.split('\u{1f600}').length - 1));
    assert.equal(marks.length, 1);
    assert.equal(marks[0].uri, 'file:///large');
    assert.deepEqual(marks[0].diagnostics.map(({ range }) => [range.start.character, range.end.character]), [[100, 101]]);
  });
  await checked('documents are opened while a search waits', async (connection, open, marks) => {
    const later = search(connection, 'needle', 1);
    await open('file:///a', 'a needle and a needle');
    assert.equal(await search(connection, 'needle', 0), 2);
    assert.equal(marks.length, 1);
    await open('file:///b', 'needle');
    assert.equal(await later, 3);
  });
  await checked('a search that is cancelled is answered at once', async (connection) => {
    const cancelling = new rpc.CancellationTokenSource();
    const never = search(connection, 'a', 3600, cancelling.token);
    const others = Array.from({ length: 7 }, () => search(connection, 'a', 0));
    assert.deepEqual(await Promise.all(others), [0, 0, 0, 0, 0, 0, 0]);
    cancelling.cancel();
    await assert.rejects(never, (error) => error instanceof rpc.ResponseError && error.code === -32800);
  });
}

(async () => {
  await jaysonChecks('stdio', () => overStdio());
  await check('jayson, stdio: emoji as escaped surrogates', async () => {
    const { client, end } = overStdio(escaped);
    assert.deepEqual((await call(client, 'echo', [TEXT], TEXT.slice(0, 9))).result, [TEXT]);
    assert.deepEqual(await end(), { status: 0, surprises: [] });
  });
  await check('jayson, stdio: notifications are heard', async () => {
    const { client, end } = overStdio();
    await call(client, 'update', [1], null);
    await call(client, 'update', { a: 1 }, null);
    assert.equal((await call(client, 'updates', [], 1)).result, 2);
    await end();
  });
  const port = await tcp();
  await jaysonChecks('tcp', () => ({
    client: jayson.client.tcp({ port, host: '127.0.0.1' }),
    end: async () => ({ status: 0, surprises: [] }),
  }));
  await vscodeChecks(await tcp('--content-length'));
  await languageServerChecks();
  finish();
})();
