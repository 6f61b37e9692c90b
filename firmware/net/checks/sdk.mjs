// The official TypeScript SDK of MCP calls the tools of the chip. Prints what it has received as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const client = new Client({ name: "check", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent.result;
const names = (await client.listTools()).tools.map((tool) => tool.name);
const switched = [await call("led_set", { on: true }), await call("led_get", {}), await call("led_set", { on: false })];
const sums = await Promise.all([0, 1, 2, 3, 4].map((at) => call("add", { a: at, b: 1 })));
const wrong = await client.callTool({ name: "blink", arguments: { every: 3 } });
const unknown = await client.callTool({ name: "reboot", arguments: {} }).catch((error) => error.code);
await client.close();
console.log(JSON.stringify({ names, switched, sums, wrong: wrong.isError && wrong.content[0].text, unknown }));
