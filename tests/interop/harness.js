// Shared by the checks in Node: the examples as peers, and a line for each check.
//
// A check is a function that throws if it does not hold. It has a few seconds.
'use strict';

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const net = require('node:net');
const path = require('node:path');

const SECONDS = 10;
const example = (name) => path.join(process.env.NANOJSONRPC_EXAMPLES, name);

let failures = 0;
const servers = [];

function within(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${SECONDS} s`)), SECONDS * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// Runs a check and prints its line.
async function check(name, body) {
  try {
    await within(body());
    console.log(`ok ${name}`);
  } catch (error) {
    failures += 1;
    console.log(`FAILED ${name}: ${String(error.message ?? error).replace(/\s+/g, ' ').slice(0, 300)}`);
  }
}

// An example that listens; gives its port.
async function listening(name, ...options) {
  const server = spawn(example(name), ['--listen', '127.0.0.1:0', ...options], { stdio: ['ignore', 'pipe', 'ignore'] });
  servers.push(server);
  const line = await within(new Promise((resolve) => server.stdout.once('data', (data) => resolve(String(data)))));
  return Number(line.trim().split(':').at(-1));
}

const tcp = (...options) => listening('tcp', ...options);

// Runs the example client until it exits.
function client(...options) {
  return new Promise((resolve, reject) => {
    const child = spawn(example('client'), options, { stdio: ['ignore', 'pipe', 'pipe'] });
    const ran = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (data) => (ran.out += data));
    child.stderr.setEncoding('utf8').on('data', (data) => (ran.err += data));
    child.on('error', reject);
    child.on('close', (status) => resolve({ ...ran, status }));
  });
}

function listen(server) {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}

function connect(port) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });
}

process.on('exit', () => servers.forEach((server) => server.kill()));

function finish() {
  process.exit(failures === 0 ? 0 : 1);
}

module.exports = { assert, check, client, connect, example, finish, listen, listening, spawn, tcp };
