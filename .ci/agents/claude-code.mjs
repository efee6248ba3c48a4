// Claude Code signs in, in the network of namespace.sh. It names itself by the
// document under claude.ai and is answered at localhost. It wants a terminal.
// usage: claude-code.mjs [refused]
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { browser, login } from './person.mjs';
import { demo } from './work.mjs';

const { url } = demo();
const claude = join(import.meta.dirname, `vendors/node_modules/@anthropic-ai/claude-code-linux-${process.arch}/claude`);
if (!existsSync(claude)) process.exit(77);

const home = mkdtempSync(join(process.env.BIKETRIP_DOCUMENTS, 'claude-'));
const { env, opened } = browser(home);
Object.assign(env, { HOME: home, CLAUDE_CONFIG_DIR: home });
const run = (...args) => execFileSync(claude, args, { env, cwd: home, encoding: 'utf8', timeout: 60_000 });

run('mcp', 'add', '--transport', 'http', '--scope', 'user', 'trips', url.href);
const end = await login('script', ['-qefc', `${claude} mcp login trips`, '/dev/null'], { env, opened });
if (process.argv[2] === 'refused') {
  assert.ok(end.refused, end.said);
  assert.match(run('mcp', 'list'), /Needs authentication/);
} else {
  assert.equal(end.code, 0, end.said);
  assert.match(opened(), /^200 http:\/\/localhost:\d+\/callback\n$/);
  assert.match(run('mcp', 'list'), /✔ Connected/); // with its token
}
