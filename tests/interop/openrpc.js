// The OpenRPC document that the example service answers: valid by the meta-schema, and read by the tools of open-rpc.org, a
// validator of calls and a generator of clients.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { MethodCallValidator, parseOpenRPCDocument, validateOpenRPCDocument } = require('@open-rpc/schema-utils-js');
const { assert, check, example, finish, spawn } = require('./harness');

// Runs a program with these lines as its input; gives its output.
function run(program, options, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, { stdio: ['pipe', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (data) => (out += data));
    child.on('error', reject);
    child.on('close', () => resolve(out));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

async function call(method, params) {
  const out = await run(example('service'), [], `${JSON.stringify({ jsonrpc: '2.0', method, params, id: 1 })}\n`);
  const { result, error } = JSON.parse(out);
  return { result, error };
}

(async () => {
  let found = {};
  await check('OpenRPC: rpc.discover is a valid document', async () => {
    found = (await call('rpc.discover')).result;
    assert.equal(validateOpenRPCDocument(found), true);
    const parsed = await parseOpenRPCDocument(found);
    assert.deepEqual(parsed.methods.map(({ name }) => name), ['lamp.set', 'lamp.level', 'lamp.off']);
  });
  await check('OpenRPC: a validator takes the params that the service takes', async () => {
    const validator = new MethodCallValidator(found);
    for (const params of [[40], [40, 'dusk'], [0, null], [255], { level: 40 }, { level: 1, reason: 'dusk' }, [256], [-1], ['40'], [], {}, { level: null }, [40, 5]]) {
      const errors = validator.validate('lamp.set', params);
      const { error } = await call('lamp.set', params);
      assert.equal(errors.length === 0, error?.code !== -32602, JSON.stringify(params));
    }
  });
  await check('OpenRPC: @open-rpc/generator makes a client in TypeScript', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'openrpc-'));
    try {
      fs.writeFileSync(path.join(folder, 'openrpc.json'), JSON.stringify(found));
      const generator = path.join(process.env.NODE_PATH, '.bin', 'open-rpc-generator');
      const options = ['generate', '-t', 'client', '-l', 'typescript', '-n', 'lamp', '-d', 'openrpc.json', '-o', '.'];
      await run('sh', ['-c', `cd ${folder} && ${generator} ${options.join(' ')}`], '');
      const text = fs.readFileSync(path.join(folder, 'client/typescript/src/index.ts'), 'utf8');
      assert.match(text, /export type LampSet = \(level: Integer\w+, reason\?: AnyOf\w+\) => Promise<Integer\w+>;/);
      assert.match(text, /export type LampOff = \(\) => Promise<void>;/);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
  finish();
})();
