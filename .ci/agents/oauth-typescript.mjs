// The TypeScript SDK, both versions, signs in by itself: auth(), calls with its
// token, a refresh when that is not taken, the person again when there is nothing to
// refresh with, and, in the later revision, more scopes when a call wants them.
import assert from 'node:assert/strict';
import { application } from './person.mjs';
import { connected, Provider, sdks, signIn } from './sdk.mjs';
import { read } from './work.mjs';

async function all({ list, call }) {
  assert.equal((await list()).length, 13);
  assert.equal((await call('list_trips', {})).structuredContent['@type'], 'Collection');
}

async function everything(sdk, id) {
  const provider = new Provider({ id });
  await signIn(sdk, provider);
  await connected(sdk, provider, async (agent) => {
    await all(agent);
    // A token that is not taken, in the middle of a session and before one.
    const before = provider.kept.tokens;
    provider.kept.tokens = { ...before, access_token: `${before.access_token}x` };
    await all(agent);
    assert.notEqual(provider.kept.tokens.refresh_token, before.refresh_token);
  });
  provider.kept.tokens = { ...provider.kept.tokens, access_token: 'unknown' };
  await connected(sdk, provider, all);

  // When there is nothing to refresh with any more, the person is asked again.
  provider.kept = { discovery: provider.kept.discovery, tokens: { ...provider.kept.tokens, access_token: 'unknown', refresh_token: 'unknown' } };
  provider.invalidateCredentials = (what) => void (what === 'tokens' && delete provider.kept.tokens);
  console.warn = () => {}; // it says so
  await assert.rejects(connected(sdk, provider, () => {}), /unauthorized/i);
  assert.ok(provider.kept.asked);
}

async function more(sdk, id) {
  const provider = new Provider({ id });
  await signIn(sdk, provider, 'trips:read');
  await connected(sdk, provider, async (agent, transport) => {
    const err = await read(agent);
    if (sdk.options?.versionNegotiation.mode !== 'auto') {
      // Before 2026-07-28 the error of the call says what is missing, and the host
      // asks for it.
      assert.equal(err.data.scope, 'trips:write');
      return;
    }
    assert.match(`${err.constructor.name} ${err.message}`, /unauthorized/i);
    assert.equal(provider.kept.asked.searchParams.get('scope'), 'trips:read trips:write');
    await transport.finishAuth(await provider.answered());
    assert.match((await agent.call('create_trip', { sourceUrl: 'https://ridewithgps.com/routes/990000201' })).structuredContent.nextAction, /get_trip/);
    await all(agent);
  });
}

for (const sdk of sdks) {
  const id = application(sdk.name, 'http://127.0.0.1:8765/callback');
  await everything(sdk, id);
  await more(sdk, id);
}
