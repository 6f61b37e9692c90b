// A client of the TypeScript SDK that sends the requests of peers.py.
//
// client.mjs REVISION|probe URL|COMMAND...: the first line of the output is about the server. Each line of the input is a request, or an
// array of requests to send at once; the output has a line for each.

import { createInterface } from 'node:readline';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [way, target, ...args] = process.argv.slice(2);
const mode = way === 'probe' ? 'auto' : way === '2026-07-28' ? { pin: way } : 'legacy';
const client = new Client(
    { name: 'typescript', version: '0' },
    {
        capabilities: { elicitation: {}, sampling: {}, roots: {} },
        versionNegotiation: { mode },
        ...(mode === 'legacy' && { supportedProtocolVersions: [way] })
    }
);
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
client.setRequestHandler('sampling/createMessage', () => ({ role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'none' }));
client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///tmp' }] }));
let logs = [];
client.setNotificationHandler('notifications/message', ({ params }) => {
    logs.push(params.data);
});

const say = about => console.log(JSON.stringify(about));

async function send({ method, params, cancel_ms }) {
    const progress = [];
    const options = { timeout: 10_000, onprogress: ({ progress: done, total }) => progress.push([done, total]) };
    if (cancel_ms) options.signal = AbortSignal.timeout(cancel_ms);
    try {
        // a call of a tool checks the structured content, and answers the requests of the server
        const result = method === 'tools/call' ? await client.callTool(params, options) : await client.request({ method, params }, options);
        return { result, progress, logs: logs.splice(0) };
    } catch (error) {
        const { code, message, data } = error;
        return { error: { code, message, data }, progress, logs: logs.splice(0) };
    }
}

try {
    await client.connect(target.startsWith('http://') ? new StreamableHTTPClientTransport(new URL(target)) : new StdioClientTransport({ command: target, args }));
    say({
        revision: client.getNegotiatedProtocolVersion(),
        server: client.getServerVersion()?.name,
        capabilities: Object.keys(client.getServerCapabilities() ?? {}).sort(),
        instructions: client.getInstructions()
    });
} catch (error) {
    say({ error: { message: `${error}` } });
    process.exit(1);
}
for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    say(await (Array.isArray(request) ? Promise.all(request.map(send)) : send(request)));
}
await client.close();
