// The example client calls a server of jayson, in lines, and one of vscode-jsonrpc, behind Content-Length. The example adapter
// connects to a hub of vscode-jsonrpc.
'use strict';

const net = require('node:net');
const jayson = require('jayson');
const rpc = require('vscode-jsonrpc/node');
const { assert, check, client, finish, listen, spawn, example } = require('./harness');

const TEXT = 'smile \u{1f600}, \u00e9, \u4e2d, \u0000, "quoted", \\, \u2028';
// as the client prints it: with escapes for backslashes and for characters that a terminal does not print
const PRINTED = TEXT.replace(/\\/g, '\\\\').replace(/[\0\u2028]/g, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);
const escaped = (text) => text.replace(/[^\0-\x7f]/g, (unit) => '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'));

const subtract = (params) => {
  const [minuend, subtrahend] = Array.isArray(params) ? params : [params.minuend, params.subtrahend];
  if (typeof minuend !== 'number' || typeof subtrahend !== 'number') throw { code: -32602, message: 'two numbers' };
  return minuend - subtrahend;
};

// The notifications that a server has received.
const heard = [];

function jaysonServer() {
  const method = (body) => (params, callback) => {
    try {
      callback(null, body(params));
    } catch (error) {
      callback(error);
    }
  };
  return jayson
    .server({
      subtract: method(subtract),
      echo: method((params) => params),
      fail: method((data) => {
        throw { code: 7, message: TEXT, data };
      }),
      large: method(([size]) => 'x'.repeat(size)),
      update: method((params) => heard.push(params)),
      hang: () => {},
    })
    .tcp();
}

// A server that also calls its client.
function vscodeServer() {
  return net.createServer((socket) => {
    const connection = rpc.createMessageConnection(
      new rpc.StreamMessageReader(socket),
      new rpc.StreamMessageWriter(socket),
    );
    connection.onError(() => {});
    socket.on('error', () => {});
    connection.onRequest((method, params) => {
      if (method === 'subtract') {
        try {
          return subtract(params);
        } catch ({ code, message }) {
          return new rpc.ResponseError(code, message);
        }
      }
      if (method === 'echo') return params;
      if (method === 'fail') return new rpc.ResponseError(7, TEXT, params);
      if (method === 'ask') {
        // answers with the client's answer to a call of the server
        connection.sendNotification('log', ['before', TEXT]);
        return connection.sendRequest('workspace/configuration', {}).catch(({ code }) => code);
      }
      return new rpc.ResponseError(-32601, 'unknown');
    });
    connection.onNotification((method, params) => heard.push([method, params]));
    connection.listen();
  });
}

async function checks(way, port, ...options) {
  const call = (...rest) => client(...options, `127.0.0.1:${port}`, ...rest);
  const checked = (name, body) => check(`client, ${way}: ${name}`, body);

  await checked('calls by position', async () => {
    assert.deepEqual(await call('subtract', '[42,23]'), { out: '19\n', err: '', status: 0 });
  });
  await checked('calls by name', async () => {
    const ran = await call('subtract', '{"subtrahend":23,\n"minuend":42}');
    assert.deepEqual(ran, { out: '19\n', err: '', status: 0 });
  });
  await checked('an error response is status 1', async () => {
    const ran = await call('subtract', '["a"]');
    assert.deepEqual([ran.out, ran.status], ['', 1]);
    assert.match(ran.err, /^error -32602: two numbers/);
  });
  await checked('an error with text and data', async () => {
    const ran = await call('fail', '[{"a":null}]');
    assert.deepEqual(ran, { out: '', err: `error 7: ${PRINTED}, data: [{"a":null}]\n`, status: 1 });
  });
  await checked('an unknown method', async () => {
    const ran = await call('foobar');
    assert.equal(ran.status, 1);
    assert.match(ran.err, /^error -32601: /);
  });
  await checked('emoji, raw and as escaped surrogates', async () => {
    const text = JSON.stringify([TEXT]);
    for (const params of [text, escaped(text)]) {
      const ran = await call('echo', params);
      assert.deepEqual([JSON.parse(ran.out), ran.status], [[TEXT], 0]);
    }
  });
  await checked('large params', async () => {
    const params = JSON.stringify(['\u00e9'.repeat(30000)]);
    assert.deepEqual(await call('echo', params), { out: `${params}\n`, err: '', status: 0 });
    const ran = await call('echo', JSON.stringify(['x'.repeat(66000)]));
    assert.deepEqual([ran.out, ran.status], ['', 3]);
    assert.match(ran.err, /cannot send/);
  });
  await checked('a notification is sent, and no answer awaited', async () => {
    heard.length = 0;
    const ran = await call('--notify', 'update', '[1,2]');
    assert.deepEqual(ran, { out: '', err: '', status: 0 });
    while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(heard.flat(3), way === 'jayson' ? [1, 2] : ['update', 1, 2]);
  });
}

async function jaysonChecks(port) {
  const call = (...rest) => client(...rest);
  const address = `127.0.0.1:${port}`;
  await checks('jayson', port);
  await check('client, jayson: a batch with mixed failures', async () => {
    const ran = await call('--batch', address, 'subtract', '[3,2]', 'foobar', '[]', 'subtract', '{"a":1}', 'echo', '[5]');
    assert.deepEqual([ran.out.split('\n').sort(), ran.status], [['', 'echo: [5]', 'subtract: 1'], 1]);
    assert.match(ran.err, /^foobar: error -32601: /m);
    assert.match(ran.err, /^subtract: error -32602: /m);
  });
  await check('client, jayson: a batch of 64', async () => {
    const calls = Array.from({ length: 64 }, (_, number) => ['subtract', `[${number},1]`]);
    const ran = await call('--batch', address, ...calls.flat());
    const expected = calls.map((_, number) => `subtract: ${number - 1}\n`);
    assert.deepEqual([ran.out, ran.err, ran.status], [expected.join(''), '', 0]);
    const more = await call('--batch', address, ...calls.flat(), 'subtract', '[1,1]');
    assert.deepEqual([more.out, more.status], ['', 3]);
    assert.match(more.err, /too many calls/);
  });
  await check('client, jayson: a batch of notifications', async () => {
    heard.length = 0;
    const ran = await call('--notify', '--batch', address, 'update', '[1]', 'update', '[2]');
    assert.deepEqual(ran, { out: '', err: '', status: 0 });
    while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(heard, [[1], [2]]);
  });
  await check('client, jayson: large results, and one too large', async () => {
    const ran = await call(address, 'large', '[65000]');
    assert.deepEqual([ran.out.length, ran.status], [65003, 0]);
    const more = await call(address, 'large', '[66000]');
    assert.deepEqual([more.out, more.status], ['', 3]);
    assert.match(more.err, /too long/);
  });
  await check('client, jayson: no answer in time', async () => {
    const ran = await call('--timeout', '0.2', address, 'hang');
    assert.deepEqual(ran, { out: '', err: 'client: no answer within 0.2 s\n', status: 3 });
  });
  await check('client, jayson: 20 clients at once', async () => {
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    const ran = await Promise.all(numbers.map((number) => call(address, 'subtract', `[${number},1]`)));
    assert.deepEqual(ran.map(({ out }) => out), numbers.map((number) => `${number - 1}\n`));
  });
}

// A server that sends these bytes to each client, and closes the connection.
async function answering(bytes, ...options) {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });
  const port = await listen(server);
  const ran = await client(...options, `127.0.0.1:${port}`, 'x');
  server.close();
  return ran;
}

async function strangeServers() {
  await check('client: nobody listens', async () => {
    const server = net.createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const ran = await client(`127.0.0.1:${port}`, 'x');
    assert.equal(ran.status, 3);
    assert.match(ran.err, /^client: cannot connect to 127/);
  });
  await check('client: a server that hangs up', async () => {
    const ran = await answering('');
    assert.deepEqual([ran.out, ran.status], ['', 3]);
    assert.match(ran.err, /hung up/);
  });
  await check('client: answers that are none', async () => {
    // a refused answer ends its call at once; without one, the server has hung up
    const refused = '{"jsonrpc":"2.0","result":1,"error":null,"id":1}\n';
    for (const [bytes, status] of [['garbage\n', 3], [refused, 1], ['{"jsonrpc":"2.0"', 3]]) {
      const ran = await answering(bytes);
      assert.deepEqual([ran.out, ran.status], ['', status]);
    }
    const ran = await answering('HTTP/1.1 400 Bad Request\r\n\r\n', '--content-length');
    assert.deepEqual([ran.out, ran.status], ['', 3]);
    assert.match(ran.err, /another protocol/);
  });
  await check('client: the answer among others', async () => {
    const lines = ['{"result":1,"jsonrpc":"2.0","id":9}', '{"jsonrpc":"2.0","method":"tick"}', '{"jsonrpc":"2.0","result":"1","id":1}'];
    const ran = await answering(`${lines.join('\n')}\n`);
    assert.deepEqual([ran.out, ran.status], ['"1"\n', 0]);
    assert.match(ran.err, /no call in flight\nnotification tick: null\n/);
  });
  await check('client: an error for a call that the server could not read', async () => {
    const ran = await answering('{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}\n');
    assert.deepEqual(ran, { out: '', err: 'error -32700: Parse error\n', status: 1 });
  });
}

async function commandLines() {
  const run = (name, ...options) =>
    new Promise((resolve) => {
      const child = spawn(example(name), options, { stdio: ['ignore', 'pipe', 'pipe'] });
      const ran = { out: '', err: '' };
      child.stdout.on('data', (data) => (ran.out += data));
      child.stderr.on('data', (data) => (ran.err += data));
      child.on('close', (status) => resolve({ ...ran, status }));
    });
  await check('client: wrong command lines are status 2, and say why', async () => {
    for (const [words, why] of [
      [[], /ADDR:PORT is missing/],
      [['127.0.0.1:1'], /METHOD is missing/],
      [['127.0.0.1:1', ''], /METHOD must not be empty/],
      [['127.0.0.1:1', 'x', '[1'], /unexpected end at byte 2/],
      [['127.0.0.1:1', 'x', '5'], /array or object/],
      [['127.0.0.1:1', 'x', '[]', 'y'], /unexpected argument "y"/],
      [['--timeout', '-1', '127.0.0.1:1', 'x'], /--timeout must be/],
      [['--timeout', 'soon', '127.0.0.1:1', 'x'], /soon/],
      [['--what'], /--what/],
    ]) {
      const ran = await client(...words);
      assert.deepEqual([ran.out, ran.status], ['', 2], words.join(' '));
      assert.match(ran.err, why);
    }
  });
  await check('tcp: wrong command lines are status 2, a wrong address 1', async () => {
    for (const [words, status] of [[['--port', '1'], 2], [['x'], 2], [['--listen'], 2], [['--listen', 'nowhere'], 2], [['--listen', '192.0.2.1:0'], 1]]) {
      const ran = await run('tcp', ...words);
      assert.deepEqual([ran.out, ran.status], ['', status], words.join(' '));
      assert.match(ran.err, /^tcp: /);
    }
  });
  await check('client, tcp: --help', async () => {
    for (const name of ['client', 'tcp']) {
      const ran = await run(name, '--help');
      assert.deepEqual([ran.err, ran.status], ['', 0]);
      assert.match(ran.out, new RegExp(`Usage: ${name} `));
    }
  });
  await check('embassy: ends by itself, and all has been answered', async () => {
    const ran = await run('embassy');
    assert.deepEqual([ran.err, ran.status], ['', 0]);
    for (const line of ['channel 1: 201', 'channel 9: error -32001: no such channel', 'calibrated: 196', 'tick [3]']) {
      assert.ok(ran.out.includes(`${line}\n`), line);
    }
  });
}

// A hub of vscode-jsonrpc, to which the example adapter connects.
async function adapterChecks() {
  const waiting = [];
  const arrived = [];
  const hub = net.createServer((socket) => {
    const connection = rpc.createMessageConnection(new rpc.StreamMessageReader(socket), new rpc.StreamMessageWriter(socket));
    const readings = [];
    connection.onNotification('sensor.reading', (reading) => readings.push(reading));
    connection.onError(() => {});
    connection.listen();
    const peer = { socket, connection, readings };
    if (waiting.length) waiting.shift()(peer);
    else arrived.push(peer);
  });
  const next = () => new Promise((resolve) => (arrived.length ? resolve(arrived.shift()) : waiting.push(resolve)));
  const port = await listen(hub);
  const adapter = spawn(example('adapter'), [`127.0.0.1:${port}`], { stdio: 'ignore' });
  const ended = new Promise((resolve) => adapter.on('close', resolve));
  const set = ({ connection }, state) =>
    connection.sendRequest(new rpc.RequestType('led.set', rpc.ParameterStructures.byName), { state });

  await check('adapter, vscode-jsonrpc: readings arrive and calls are answered', async () => {
    const peer = await next();
    assert.equal(await set(peer, 'on'), true);
    await assert.rejects(set(peer, 'bl\u00fce'), (error) => error.code === -32001 && error.message === 'no such state');
    await assert.rejects(set(peer, 1), (error) => error.code === -32602);
    await assert.rejects(peer.connection.sendRequest('led.blink'), (error) => error.code === -32601);
    while (peer.readings.length < 12) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(
      peer.readings.slice(0, 12).map(({ celsius, unit }) => `${celsius} ${unit}`),
      [21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 20, 21].map((celsius) => `${celsius} \u00b0C`),
    );
    peer.socket.write('Content-Length: 40\r\n\r\n{"jsonrpc":');
    peer.socket.destroy();
  });
  await check('adapter, vscode-jsonrpc: it connects again, and ends when it is told to', async () => {
    const peer = await next();
    assert.equal(await peer.connection.sendRequest('led.get'), true);
    while (!peer.readings.length) await new Promise((resolve) => setTimeout(resolve, 20));
    await peer.connection.sendNotification('stop');
    assert.equal(await ended, 0);
  });
  adapter.kill();
  hub.close();
  for (const { socket } of arrived) socket.destroy();
}

(async () => {
  await jaysonChecks(await listen(jaysonServer()));
  const port = await listen(vscodeServer());
  await checks('vscode-jsonrpc', port, '--content-length');
  await check('client, vscode-jsonrpc: what the server asks and tells is answered and shown', async () => {
    const ran = await client('--content-length', `127.0.0.1:${port}`, 'ask');
    assert.deepEqual([ran.out, ran.status], ['-32601\n', 0]);
    assert.match(ran.err, /^notification log: \[?\["before",/);
  });
  await adapterChecks();
  await strangeServers();
  await commandLines();
  finish();
})();
