// The TypeScript client, version 2, in both revisions: legacy (2025-11-25), auto
// and pinned (2026-07-28).
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { demo, read, work, write } from './work.mjs';

const { url, both, reader, writer } = demo();

async function connected(mode, token, use) {
  const client = new Client({ name: 'typescript-v2', version: '1' }, { capabilities: {}, versionNegotiation: { mode: mode === 'pin' ? { pin: '2026-07-28' } : mode } });
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
  await client.connect(transport);
  assert.equal(client.getNegotiatedProtocolVersion(), mode === 'legacy' ? '2025-11-25' : '2026-07-28');
  await use({
    list: async () => (await client.listTools()).tools.map((t) => t.name),
    call: (name, args) => client.callTool({ name, arguments: args }),
  });
  await client.close();
}

for (const mode of ['legacy', 'auto', 'pin']) {
  await connected(mode, both, (agent) => work(agent, `TypeScript v2 ${mode}`));
  await connected(mode, reader, async (agent) => {
    const err = await read(agent);
    if (mode === 'legacy') assert.equal(err.code, -32000);
    else assert.match(`${err.constructor.name} ${err.message}`, /scope/i);
  });
  await connected(mode, writer, write);
  await assert.rejects(connected(mode, both + 'x', () => {}), /401|invalid_token|unauthorized|access token/i);
}
