// Codex signs in, in the network of namespace.sh. It names itself by the document
// under chatgpt.com and is answered at 127.0.0.1; the document names localhost as
// well. usage: codex.mjs [refused]
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { browser, login } from './person.mjs';
import { demo } from './work.mjs';

const { url } = demo();
const codex = join(import.meta.dirname, 'vendors/node_modules/.bin/codex');
if (!existsSync(codex)) process.exit(77);

const home = mkdtempSync(join(process.env.BIKETRIP_DOCUMENTS, 'codex-'));
const { env, opened } = browser(home);
Object.assign(env, { HOME: home, CODEX_HOME: home });

// tools are those that Codex finds with its token, as its app server tells.
async function tools() {
  const server = spawn(codex, ['app-server'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  for (const message of [
    { id: 1, method: 'initialize', params: { clientInfo: { name: 'check', version: '1' } } },
    { method: 'initialized' },
    { id: 2, method: 'mcpServerStatus/list', params: { detail: 'toolsAndAuthOnly' } },
  ]) server.stdin.write(`${JSON.stringify(message)}\n`);
  try {
    for await (const line of createInterface(server.stdout)) {
      const { id, result, error } = JSON.parse(line);
      if (id === 2) return Object.keys(result?.data[0].tools ?? assert.fail(JSON.stringify(error)));
    }
    assert.fail('the app server ends');
  } finally {
    server.kill();
  }
}

const end = await login('sh', ['-c', '"$0" mcp add trips --url "$1" && "$0" mcp login trips', codex, url.href], { env, opened });
const [{ auth_status: status }] = JSON.parse(execFileSync(codex, ['mcp', 'list', '--json'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
if (process.argv[2] === 'refused') {
  assert.ok(end.refused, end.said);
  assert.equal(status, 'not_logged_in');
} else {
  assert.equal(end.code, 0, end.said);
  assert.match(opened(), /^(200 http:\/\/127\.0\.0\.1:\d+\/callback\n){2}$/); // the first when it is added
  assert.equal(status, 'o_auth');
  assert.equal((await tools()).length, 13);
}
