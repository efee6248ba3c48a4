// The TypeScript client, version 2: legacy (2025-11-25), auto and pinned
// (2026-07-28), and where it knows nothing but an earlier revision.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { demo, read, work, write } from './work.mjs';

const { url, both, reader, writer } = demo();

const earlier = ['2025-06-18', '2025-03-26'];
const spoken = { legacy: '2025-11-25', auto: '2026-07-28', pin: '2026-07-28' };

function options(mode) {
  if (earlier.includes(mode)) return { supportedProtocolVersions: [mode], versionNegotiation: { mode: 'legacy' } };
  return { versionNegotiation: { mode: mode === 'pin' ? { pin: spoken.pin } : mode } };
}

async function connected(mode, token, use) {
  const client = new Client({ name: 'typescript-v2', version: '1' }, { capabilities: {}, ...options(mode) });
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
  await client.connect(transport);
  assert.equal(client.getNegotiatedProtocolVersion(), spoken[mode] ?? mode);
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

// A call and a refusal are enough of these: what differs is at the door.
for (const mode of earlier) {
  await connected(mode, reader, async (agent) => assert.equal((await read(agent)).code, -32000));
}
