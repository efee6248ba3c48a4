// The TypeScript SDK, both versions, as a client that signs in by itself.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { auth as authV1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { auth, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { decide } from './person.mjs';
import { demo } from './work.mjs';

const { url } = demo();

// A Provider keeps what the SDK hands it. With a document it is the client that the
// document describes, else one that the operator has registered.
export class Provider {
  redirectUrl = 'http://127.0.0.1:41234/callback';
  kept = {};

  constructor({ id, document }) {
    this.client = id && { client_id: id, issuer: url.origin };
    this.clientMetadataUrl = document;
  }

  get clientMetadata() {
    return { client_name: 'SDK', redirect_uris: [this.redirectUrl], token_endpoint_auth_method: 'none' };
  }

  state = () => (this.kept.state = randomUUID());
  clientInformation = () => this.client;
  saveClientInformation = (client) => void (this.client = client);
  tokens = () => this.kept.tokens;
  saveTokens = (tokens) => void (this.kept.tokens = tokens);
  codeVerifier = () => this.kept.verifier;
  saveCodeVerifier = (verifier) => void (this.kept.verifier = verifier);
  discoveryState = () => this.kept.discovery;
  saveDiscoveryState = (discovery) => void (this.kept.discovery = discovery);
  redirectToAuthorization = (to) => void (this.kept.asked = to);

  // answered is what the person has answered.
  async answered() {
    const { searchParams: answer } = await decide(this.kept.asked);
    assert.equal(answer.get('state'), this.kept.state);
    assert.equal(answer.get('iss'), url.origin);
    return answer;
  }
}

// signIn brings a provider its tokens.
export async function signIn(sdk, provider, scope) {
  assert.equal(await sdk.auth(provider, { serverUrl: url, scope }), 'REDIRECT');
  const answer = await provider.answered();
  assert.equal(await sdk.auth(provider, { serverUrl: url, scope, authorizationCode: answer.get('code'), iss: answer.get('iss') }), 'AUTHORIZED');
  assert.equal(provider.kept.tokens.scope, scope ?? 'trips:read trips:write');
  assert.ok(provider.kept.tokens.expires_in > 0);
}

// connected gives an agent that has the tokens of a provider.
export async function connected(sdk, authProvider, use) {
  const client = new sdk.Client({ name: sdk.name, version: '1' }, { capabilities: {}, ...sdk.options });
  const transport = new sdk.Transport(url, { authProvider });
  await client.connect(transport);
  const agent = {
    list: async () => (await client.listTools()).tools.map((t) => t.name),
    call: (name, args) => client.callTool({ name, arguments: args }),
  };
  await use(agent, transport);
  await client.close();
}

// What is there to sign in with.
export const sdks = [
  { name: 'TypeScript v1', auth: authV1, Client: ClientV1, Transport: TransportV1 },
  ...['legacy', 'auto'].map((mode) => ({ name: `TypeScript v2 ${mode}`, auth, Client, Transport: StreamableHTTPClientTransport, options: { versionNegotiation: { mode } } })),
];
