// The Inspector in a terminal, in each era that it speaks: its strict reading of
// the tools, a call, a refusal, and a server that wants a token.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { demo } from './work.mjs';

const { url, both } = demo();

function inspect(token, ...args) {
  const header = token ? ['--header', `Authorization: Bearer ${token}`] : [];
  const run = spawnSync(process.execPath, ['node_modules/.bin/mcp-inspector', '--cli', '--server-url', url.href, '--transport', 'http', ...header, ...args, '--format', 'json', '-q'], { encoding: 'utf8' });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

// findings are where the strict reading has something to say, and what.
function findings(text) {
  const paths = [...text.matchAll(/^ *Path: (\S+)/gm)].map((m) => m[1]);
  const issues = [...text.matchAll(/^ *Issue: (.*)/gm)].map((m) => m[1]);
  assert.equal(paths.length, issues.length);
  return paths.map((path, i) => ({ path, issue: issues[i] }));
}

for (const era of ['legacy', 'modern', 'auto']) {
  const list = inspect(both, '--protocol-era', era, '--method', 'tools/list', '--strict');
  assert.equal(list.code, 0, `${era}: ${list.err}`);
  assert.equal(JSON.parse(list.out).result.tools.length, 13);
  // A value that may be null is said to be so, in answers alone. There are such, so
  // that none found is a report that was not understood.
  const found = findings(list.err);
  assert.notEqual(found.length, 0, list.err);
  for (const { path, issue } of found) {
    assert.match(path, /^outputSchema\./, issue);
    assert.match(issue, /^`type` is an array/, path);
  }

  const call = inspect(both, '--protocol-era', era, '--method', 'tools/call', '--tool-name', 'list_trips');
  assert.equal(call.code, 0, `${era}: ${call.err}`);
  assert.equal(JSON.parse(call.out).result.structuredContent['@type'], 'Collection');

  const refused = inspect(both, '--protocol-era', era, '--method', 'tools/call', '--tool-name', 'get_trip', '--tool-arg', 'id=nowhere');
  assert.equal(refused.code, 1, `${era}: ${refused.err}`);
  assert.match(refused.out + refused.err, /Trip .*nowhere.* was not found\. Call list_trips/);

  const stranger = inspect('', '--protocol-era', era, '--method', 'tools/list');
  assert.equal(stranger.code, 3, `${era}: ${stranger.out}${stranger.err}`);
  assert.match(stranger.out + stranger.err, /auth_required/);
}
