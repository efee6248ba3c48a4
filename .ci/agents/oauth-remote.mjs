// mcp-remote signs in by itself: it opens a browser, listens for the answer, and
// brings the tools to a host that speaks stdio alone. A second run has kept its
// tokens and opens nothing.
// usage: oauth-remote.mjs [register | ADDRESS]: registers itself, or is the client that
// a document describes, instead of one that the operator has registered
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { application, browser } from './person.mjs';
import { demo } from './work.mjs';

const { url } = demo();
const folder = mkdtempSync(join(tmpdir(), 'mcp-remote-'));
const { env, opened } = browser(folder);
const [how = 'operator'] = process.argv.slice(2);
const who =
  how === 'register' ? []
  : how === 'operator' ? ['--static-oauth-client-info', JSON.stringify({ client_id: application('mcp-remote', 'http://127.0.0.1/oauth/callback') })]
  : ['--client-metadata-url', how];

async function tools() {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['node_modules/mcp-remote/dist/proxy.js', url.href, '--allow-http', '--host', '127.0.0.1', '--auth-timeout', '30', ...who],
    env: { ...env, MCP_REMOTE_CONFIG_DIR: folder },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr.on('data', (text) => (said += text));
  const client = new Client({ name: 'host', version: '1' }, { capabilities: {} });
  try {
    await client.connect(transport);
    return (await client.listTools()).tools.length;
  } catch (err) {
    throw new Error(`${err.message}\n${said}\nopened: ${opened()}`);
  } finally {
    await client.close();
  }
}

try {
  for (const run of ['first', 'second']) {
    assert.equal(await tools(), 13, run);
    assert.match(opened(), /^200 http:\/\/127\.0\.0\.1:\d+\/oauth\/callback\n$/, run);
  }
} finally {
  rmSync(folder, { recursive: true });
}
