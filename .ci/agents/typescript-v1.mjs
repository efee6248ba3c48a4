// The TypeScript SDK, version 1, which speaks 2025-11-25.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { demo, read, work, write } from './work.mjs';

const { url, both, reader, writer } = demo();

async function connected(token, use) {
  const client = new Client({ name: 'typescript-v1', version: '1' }, { capabilities: {} });
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
  const problems = [];
  client.onerror = transport.onerror = (err) => problems.push(String(err));
  await client.connect(transport);
  assert.equal(transport.protocolVersion, '2025-11-25');
  assert.equal(transport.sessionId, undefined);
  await client.ping();
  await use({
    list: async () => (await client.listTools()).tools.map((t) => t.name),
    call: (name, args) => client.callTool({ name, arguments: args }),
  });
  await client.close();
  assert.deepEqual(problems, []);
}

await connected(both, (agent) => work(agent, 'TypeScript v1'));
await connected(reader, async (agent) => {
  const err = await read(agent);
  assert.equal(err.code, -32000);
  assert.equal(err.data.scope, 'trips:write');
});
await connected(writer, write);
await assert.rejects(connected(both + 'x', () => {}), /401|invalid_token|access token/i);
