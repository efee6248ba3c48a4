// mcp-remote, which brings the server to hosts that speak stdio alone, by itself
// and with the eras negotiated.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { demo, read, work } from './work.mjs';

const { url, both, reader } = demo();

async function connected(token, args, use) {
  const client = new Client({ name: 'host', version: '1' }, { capabilities: {} });
  await client.connect(new StdioClientTransport({
    command: process.execPath,
    args: ['node_modules/mcp-remote/dist/proxy.js', url.href, '--allow-http', '--header', `Authorization: Bearer ${token}`, ...args],
    env: { ...process.env },
    stderr: 'ignore',
  }));
  await client.ping();
  await use({
    list: async () => (await client.listTools()).tools.map((t) => t.name),
    call: (name, args) => client.callTool({ name, arguments: args }),
  });
  await client.close();
}

// A missing scope is told by HTTP, and mcp-remote goes to ask for it. It gets as far
// as the server that gives tokens, which takes no client that it does not know.
for (const args of [[], ['--protocol', 'auto']]) {
  await connected(both, args, (agent) => work(agent, ['mcp-remote', ...args].join(' ')));
  await connected(reader, args, async (agent) => assert.match((await read(agent)).message, /does not support dynamic client registration/));
}
