// Clients that name themselves by a document, in the network of namespace.sh: the
// TypeScript SDK is one, and who names what no server may fetch or take is nobody.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { biketrip, signIn as person } from './person.mjs';
import { connected, Provider, sdks, signIn } from './sdk.mjs';
import { demo } from './work.mjs';

const { url, db } = demo();
for (const [i, sdk] of sdks.entries()) {
  const provider = new Provider({ document: `https://${['agents', 'six', 'agents'][i]}.example.org/client.json` });
  await signIn(sdk, provider);
  await connected(sdk, provider, async ({ list }) => assert.equal((await list()).length, 13));
}

// What the operator has pinned is not fetched, from where nothing would come.
const pinned = { client_id: 'https://nowhere.example.org/pinned.json', client_name: 'Pinned', redirect_uris: ['http://127.0.0.1/callback'] };
const file = join(process.env.BIKETRIP_DOCUMENTS, 'pinned.json');
writeFileSync(file, JSON.stringify(pinned));
execFileSync(process.env.BIKETRIP, ['client', 'pin', pinned.client_id, file, '--db', db, '--default-uri', url.origin]);
await signIn(sdks[0], new Provider({ document: pinned.client_id }));

biketrip('user', 'add', '--default-uri', url.origin, 'carl@example.org');
const cookie = await person('carl@example.org');
const query = { redirect_uri: 'http://127.0.0.1:4123/callback', response_type: 'code', scope: 'trips:read', code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
const told = new Set();
for (const id of [
  ...['redirect', 'other', 'secret', 'localhost', 'large', 'missing'].map((name) => `https://agents.example.org/${name}.json`),
  ...['loopback', 'private', 'metadata', 'nowhere'].map((name) => `https://${name}.example.org/client.json`),
  ...['127.0.0.1', '10.1.2.3', '[::ffff:127.0.0.1]', 'localhost', '2130706433', 'trips.example.org', 'agents.example.org:444'].map((host) => `https://${host}/client.json`),
  'http://agents.example.org/client.json', 'https://agents.example.org', 'https://agents.example.org/', 'https://a@agents.example.org/client.json', 'https://agents.example.org/client.json#x',
]) {
  const res = await fetch(`${url.origin}/oauth/authorize?${new URLSearchParams({ ...query, client_id: id })}`, { headers: { cookie }, redirect: 'manual' });
  const text = await res.text();
  assert.equal(res.status, 400, `${id}: ${res.status} ${text}`);
  assert.equal(JSON.parse(text).error, 'invalid_client', id);
  told.add(text);
}
assert.equal(told.size, 1, `what is wrong is told apart: ${[...told]}`);

const asked = readFileSync(join(process.env.BIKETRIP_DOCUMENTS, 'asked'), 'utf8').trim().split('\n');
assert.deepEqual(asked.filter((line) => !/^(93\.184\.216\.34|2606:4700::1111) /.test(line)), []);
assert.equal(asked.filter((line) => line.endsWith(' agents.example.org/client.json')).length, 1); // kept since
