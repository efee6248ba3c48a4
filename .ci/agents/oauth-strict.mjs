// oauth4webapi, which takes nothing that the standards do not say: both documents,
// a code, its exchange, a refresh, and what is refused.
import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';
import { application, decide } from './person.mjs';
import { demo } from './work.mjs';

const { url } = demo();
const options = { [oauth.allowInsecureRequests]: true }; // http on this computer
const redirectURI = 'http://127.0.0.1:41235/callback';
const client = { client_id: application('oauth4webapi', 'http://127.0.0.1/callback') };

const resource = await oauth.processResourceDiscoveryResponse(url, await oauth.resourceDiscoveryRequest(url, options));
assert.deepEqual(resource.authorization_servers, [url.origin]);
const issuer = new URL(resource.authorization_servers[0]);
const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' }));
assert.ok(as.authorization_response_iss_parameter_supported);
assert.deepEqual([as.code_challenge_methods_supported, as.token_endpoint_auth_methods_supported], [['S256'], ['none']]);

// ask asks the person, and gives where they have sent the answer.
async function ask(decision) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const asked = new URL(as.authorization_endpoint);
  asked.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectURI,
    response_type: 'code',
    scope: resource.scopes_supported.join(' '),
    resource: resource.resource,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const answer = await decide(asked, decision);
  assert.equal(answer.origin + answer.pathname, redirectURI);
  return { answer, state, verifier };
}

const told = (error) => (err) => err instanceof oauth.ResponseBodyError && err.status === 400 && err.error === error;
const exchange = async (params, verifier) =>
  oauth.processAuthorizationCodeResponse(as, client, await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), params, redirectURI, verifier, { ...options, additionalParameters: { resource: resource.resource } }));
const refresh = async (token, more = {}) =>
  oauth.processRefreshTokenResponse(as, client, await oauth.refreshTokenGrantRequest(as, client, oauth.None(), token, { ...options, additionalParameters: more }));

// call lists the tools with a token.
async function call({ access_token: token }) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' });
  const res = await oauth.protectedResourceRequest(token, 'POST', url, headers, body, options);
  assert.equal(res.status, 200);
  return (await res.json()).result.tools.length;
}

const { answer, state, verifier } = await ask('authorize');
const params = oauth.validateAuthResponse(as, client, answer, state);
await assert.rejects(exchange(params, oauth.generateRandomCodeVerifier()), told('invalid_grant')); // and is not spent
const first = await exchange(params, verifier);
assert.equal(first.scope, 'trips:read trips:write');
assert.equal(await call(first), 13);

const second = await refresh(first.refresh_token);
assert.notEqual(second.refresh_token, first.refresh_token);
assert.equal(await call(second), 13);
await assert.rejects(refresh(first.refresh_token), told('invalid_grant')); // by a late process of the same client
const narrow = await refresh(second.refresh_token, { scope: 'trips:read' });
assert.equal(narrow.scope, 'trips:read');
assert.equal(await call(narrow), 4);
await assert.rejects(refresh(narrow.refresh_token, { resource: `${url}/` }), told('invalid_target'));
const last = await refresh(narrow.refresh_token);
assert.equal(last.scope, 'trips:read trips:write');

// A code that comes again from who can prove it is stolen, and all of it ends.
await assert.rejects(exchange(params, verifier), told('invalid_grant'));
await assert.rejects(call(last), (err) => err instanceof oauth.WWWAuthenticateChallengeError && err.status === 401 && err.cause[0].parameters.resource_metadata !== undefined);
await assert.rejects(refresh(last.refresh_token), told('invalid_grant'));

const refused = await ask('refuse');
assert.equal(refused.answer.searchParams.get('iss'), as.issuer);
assert.throws(() => oauth.validateAuthResponse(as, client, refused.answer, refused.state), (err) => err instanceof oauth.AuthorizationResponseError && err.error === 'access_denied');

const mixed = new URL(answer);
mixed.searchParams.set('iss', 'https://other.example');
assert.throws(() => oauth.validateAuthResponse(as, client, mixed, state), /"iss" \(issuer\) response parameter value/);
