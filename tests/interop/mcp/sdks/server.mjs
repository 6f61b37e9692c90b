// A server of the TypeScript SDK with the tools of server.py.
//
// server.mjs [--http events|json_response|stateless_http]: on standard input and output, or over HTTP on loopback; then the first line of
// the output is its URL. In 2026-07-28, `json_response` answers with JSON, too.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler, inputRequired, isLegacyRequest, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const text = text => ({ content: [{ type: 'text', text }] });
const QUESTION = {
    message: 'Who is it?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
};
const THOUGHT = { messages: [{ role: 'user', content: { type: 'text', text: 'Hm?' } }], maxTokens: 7 };
const said = (person, answer, roots) => text(`${person.content.name} | ${answer.content.text} | ${roots.roots[0].uri}`);

function build({ era }) {
    const server = new McpServer({ name: 'sdk', version: '0' });
    const numbers = z.object({ a: z.int(), b: z.int() });
    server.registerTool('add', { description: 'Adds two numbers.', inputSchema: numbers, outputSchema: z.object({ result: z.int() }) }, ({ a, b }) => ({
        ...text(`${a + b}`),
        structuredContent: { result: a + b }
    }));
    server.registerTool('climb', { description: 'Reports progress.', inputSchema: z.object({ steps: z.int() }) }, async ({ steps }, { mcpReq }) => {
        const progressToken = mcpReq._meta?.progressToken;
        for (let step = 0; progressToken !== undefined && step < steps; step++) {
            const params = { progressToken, progress: step, total: steps, message: `step ${step} \u00b0` };
            await mcpReq.notify({ method: 'notifications/progress', params });
        }
        return text('up');
    });
    server.registerTool('fall', { description: 'Fails.' }, () => {
        throw new Error('Error executing tool fall');
    });
    server.registerTool('ask', { description: 'Sends a request to the client.' }, async ({ mcpReq }) => {
        if (era === 'legacy') {
            // as part of the stream of the call; without a stream, nobody answers
            const ask = (method, params) => mcpReq.send({ method, params }, { timeout: 1000 });
            const person = await ask('elicitation/create', QUESTION);
            return said(person, await ask('sampling/createMessage', THOUGHT), await ask('roots/list'));
        }
        const { person, answer, roots } = mcpReq.inputResponses ?? {};
        if (person) return said(person, answer, roots);
        const inputRequests = { person: inputRequired.elicit(QUESTION), answer: inputRequired.createMessage(THOUGHT), roots: inputRequired.listRoots() };
        return inputRequired({ inputRequests });
    });
    return server;
}

/** Serves the revisions with sessions, in a session or without. */
function legacy(mode) {
    const sessions = new Map();
    return async (request, response, body) => {
        const known = sessions.get(request.headers['mcp-session-id']);
        if (known) return known.handleRequest(request, response, body);
        const transport = new NodeStreamableHTTPServerTransport({
            sessionIdGenerator: mode === 'stateless_http' ? undefined : () => randomUUID(),
            enableJsonResponse: mode === 'json_response',
            onsessioninitialized: id => {
                sessions.set(id, transport);
            }
        });
        await build({ era: 'legacy' }).connect(transport);
        await transport.handleRequest(request, response, body);
    };
}

const [option, mode] = process.argv.slice(2);
if (option !== '--http') {
    serveStdio(build);
} else {
    const responseMode = mode === 'json_response' ? 'json' : 'auto';
    const [modern, sessions] = [toNodeHandler(createMcpHandler(build, { legacy: 'reject', responseMode })), legacy(mode)];
    const server = createServer(async (request, response) => {
        const converted = await toWebRequest(request);
        const isLegacy = await isLegacyRequest(converted);
        const body = request.method === 'POST' ? await converted.json().catch(() => {}) : undefined;
        await (isLegacy ? sessions : modern)(request, response, body);
    });
    server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}/mcp`));
}
