// The npm package ws calls the example websocket, and is called by it.
'use strict';

const WebSocket = require('ws');
const { assert, check, example, finish, spawn, listening } = require('./harness');

const TEXT = 'smile \u{1f600}, \u00e9, \u4e2d, \u0000, "quoted", \\, \u2028';

const request = (method, params, id = 1) => JSON.stringify({ jsonrpc: '2.0', method, params, id });

// A connection whose messages are awaited one by one.
function connect(port, options) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, options);
    const [arrived, waiting] = [[], []];
    socket.on('message', (data, isBinary) => {
      const message = isBinary ? data : String(data);
      if (waiting.length) waiting.shift()(message);
      else arrived.push(message);
    });
    socket.receive = () => new Promise((take) => (arrived.length ? take(arrived.shift()) : waiting.push(take)));
    socket.ask = (text, ...how) => {
      socket.send(text, ...how);
      return socket.receive().then(JSON.parse);
    };
    socket.on('open', () => resolve(socket));
    socket.on('error', reject);
  });
}

const closed = (socket) => new Promise((resolve) => socket.on('close', (code) => resolve(code)));

async function calls(port) {
  const checked = (name, body) => check(`websocket, ws: ${name}`, body);
  await checked('calls, errors, batches and notifications', async () => {
    const socket = await connect(port);
    assert.deepEqual(await socket.ask(request('subtract', [42, 23])), { jsonrpc: '2.0', result: 19, id: 1 });
    assert.equal((await socket.ask(request('foobar'))).error.code, -32601);
    socket.send('{"jsonrpc":"2.0","method":"update"}');
    assert.equal((await socket.ask(request('updates'))).result, 1);
    assert.equal((await socket.ask(`[${request('sum', [1, 2])},1]`)).length, 2);
    socket.terminate();
  });
  await checked('text in fragments, cut inside characters', async () => {
    const socket = await connect(port);
    const call = Buffer.from(request('echo', [TEXT]));
    for (let size = 1; size < 8; size += 1) {
      for (let at = 0; at < call.length; at += size) {
        socket.send(call.subarray(at, at + size), { binary: false, fin: at + size >= call.length });
        if (at % 5 === 0) socket.ping('beat');
      }
      assert.deepEqual((JSON.parse(await socket.receive())).result, [TEXT]);
    }
    socket.terminate();
  });
  await checked('pings are answered', async () => {
    const socket = await connect(port);
    for (const payload of ['', 'x', 'x'.repeat(125)]) {
      const pong = new Promise((resolve) => socket.once('pong', resolve));
      socket.ping(payload);
      assert.equal(String(await pong), payload);
    }
    socket.terminate();
  });
  await checked('long results, and a call that is too long', async () => {
    const socket = await connect(port, { perMessageDeflate: false });
    for (const size of [125, 126, 65535, 65536]) {
      assert.equal((await socket.ask(request('large', [size]))).result.length, size);
    }
    assert.equal((await socket.ask(request('echo', ['x'.repeat(100000)]))).error.code, -32600);
    assert.equal((await socket.ask(request('sum', [1, 2]))).result, 3);
    socket.terminate();
  });
  await checked('closes come back', async () => {
    for (const code of [1000, 1001, 3000, 4999]) {
      const socket = await connect(port);
      const ended = closed(socket);
      socket.close(code, 'bye');
      assert.equal(await ended, code);
    }
    const socket = await connect(port);
    const ended = closed(socket);
    socket.close();
    assert.equal(await ended, 1005);
  });
  await checked('a text that is no UTF-8 is closed with 1007', async () => {
    const socket = await connect(port);
    const ended = closed(socket);
    socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
    assert.equal(await ended, 1007);
  });
}

// Runs the example until it exits.
function call(...options) {
  return new Promise((resolve, reject) => {
    const child = spawn(example('websocket'), options, { stdio: ['ignore', 'pipe', 'pipe'] });
    const ran = { out: '', err: '' };
    child.stdout.on('data', (data) => (ran.out += data));
    child.stderr.on('data', (data) => (ran.err += data));
    child.on('error', reject);
    child.on('close', (status) => resolve({ ...ran, status }));
  });
}

async function asClient() {
  const server = new WebSocket.Server({ port: 0, host: '127.0.0.1' });
  const codes = [];
  const counted = async (count) => {
    while (codes.length < count) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  await new Promise((resolve) => server.on('listening', resolve));
  server.on('connection', (socket) => {
    socket.on('close', (code) => codes.push(code));
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const { method, params, id } = JSON.parse(data);
      if (method === 'mask') {
        // no server may mask
        socket._sender.ping(Buffer.from('x'), true, () => {});
        return;
      }
      socket.ping('beat');
      const answer = JSON.stringify({ jsonrpc: '2.0', result: params, id });
      socket.send(answer.slice(0, 9), { fin: false });
      socket.send(answer.slice(9), { fin: true });
    });
  });
  const address = `127.0.0.1:${server.address().port}`;
  await check('websocket calls ws: results in fragments, behind pings, and a close', async () => {
    const ran = await call(address, 'echo', '[1,"\u00e9"]');
    assert.deepEqual(ran, { out: '[1,"\u00e9"]\n', err: '', status: 0 });
    await counted(1);
    assert.deepEqual(codes, [1000]);
  });
  await check('websocket calls ws: a masked frame of a server is closed with 1002', async () => {
    const ran = await call(address, 'mask', '[]');
    assert.deepEqual([ran.out, ran.status], ['', 1]);
    await counted(2);
    assert.equal(codes[1], 1002);
  });
  server.close();
}

(async () => {
  await calls(await listening('websocket'));
  await asClient();
  finish();
})();
