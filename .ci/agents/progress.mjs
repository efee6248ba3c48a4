// Progress as real clients see it, in both eras, from the tool of the conformance
// suite that reports three steps; and an answer by events from one that reports
// none.
import assert from 'node:assert/strict';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { demo } from './work.mjs';

const { url, both } = demo();
const requestInit = { headers: { Authorization: `Bearer ${both}` } };

async function watch(call) {
  for (const [tool, want] of [['test_tool_with_progress', [[1, 'begun'], [2, 'half way'], [3, 'done']]], ['test_simple_text', []]]) {
    const told = [];
    const result = await call({ name: tool, arguments: {} }, { onprogress: (p) => told.push([p.progress, p.message]) });
    assert.deepEqual(told, want);
    assert.equal(JSON.parse(result.content[0].text).text, result.structuredContent.text);
  }
}

const v1 = new ClientV1({ name: 'progress-v1', version: '1' }, { capabilities: {} });
await v1.connect(new TransportV1(url, { requestInit }));
await watch((params, options) => v1.callTool(params, undefined, options));
await v1.close();

for (const mode of ['legacy', 'auto']) {
  const v2 = new Client({ name: 'progress-v2', version: '1' }, { capabilities: {}, versionNegotiation: { mode } });
  await v2.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  await watch((params, options) => v2.callTool(params, options));
  await v2.close();
}
