// What the official suite asks of an authorization server. It prints an address for
// a person to open; that names no scope, and there is no default here.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { application, decide } from './person.mjs';
import { demo } from './work.mjs';

const { url } = demo();
const id = application('conformance', 'http://127.0.0.1/callback');
const port = await new Promise((found) => {
  const free = createServer().listen(0, '127.0.0.1', () => {
    const { port } = free.address();
    free.close(() => found(port));
  });
});

const results = mkdtempSync(join(tmpdir(), 'conformance-'));
const suite = spawn(process.execPath, ['node_modules/.bin/conformance', 'authorization', '--url', url.origin, '--client-id', id, '--resource', url.href, '--port', port, '-o', results]);
let said = '';
let opened;
suite.stderr.on('data', (text) => (said += text));
suite.stdout.on('data', (text) => {
  said += text;
  const asked = /^http\S+\/oauth\/authorize\?\S+$/m.exec(said);
  if (asked && !opened) opened = decide(`${asked[0]}&scope=trips%3Aread%20trips%3Awrite`).then(fetch).catch((err) => (said += err.stack, suite.kill()));
});
const code = await new Promise((done) => suite.on('close', done));
rmSync(results, { recursive: true });
assert.equal(code, 0, said);
for (const scenario of ['authorization-server-metadata-endpoint', 'authorization-code-grant']) {
  assert.match(said, new RegExp(`^✓ ${scenario}: [1-9]\\d* passed, 0 failed$`, 'm'), said);
}
