// The documents of clients, some of which no server may take, and the TLS of the
// server itself, in the network of namespace.sh. What is asked for is kept, with the
// address at which it was: whatever is not public must never be.
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer as listen, request } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';

const folder = process.env.BIKETRIP_DOCUMENTS;

// What vendors publish, as of 2026.
const replicas = {
  'claude.ai/oauth/claude-code-client-metadata': { client_name: 'Claude Code', client_uri: 'https://claude.ai', redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' },
  'chatgpt.com/oauth/codex/client.json': { client_name: 'Codex', client_uri: 'https://chatgpt.com', redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none', application_type: 'native' },
};

const own = { client_name: 'Agent of the check', redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1/oauth/callback', 'http://[::1]/callback'], token_endpoint_auth_method: 'none' };

function answer(req, res) {
  const { host } = req.headers;
  if (host === 'trips.example.org') {
    const onward = request({ host: '127.0.0.1', port: 8080, method: req.method, path: req.url, headers: req.headers, setHost: false }, (told) => {
      res.writeHead(told.statusCode, told.headers);
      told.pipe(res);
    });
    onward.on('error', () => res.destroy());
    res.on('close', () => onward.destroy());
    req.pipe(onward);
    return;
  }
  appendFileSync(join(folder, 'asked'), `${req.socket.localAddress} ${host}${req.url}\n`);
  const json = (status, value, more = {}) => res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'max-age=600', ...more }).end(JSON.stringify(value));
  const named = { client_id: `https://${host}${req.url}`, ...(replicas[host + req.url] ?? own) };
  switch (req.url) {
    case '/redirect.json':
      return json(302, named, { location: 'https://agents.example.org/client.json' });
    case '/other.json':
      return json(200, { ...named, client_id: 'https://agents.example.org/client.json' });
    case '/secret.json':
      return json(200, { ...named, client_secret: 'x' });
    case '/localhost.json':
      return json(200, { ...named, redirect_uris: ['http://localhost/callback'] });
    case '/large.json':
      return json(200, { ...named, more: 'x'.repeat(65536) });
    case '/missing.json':
      return json(404, named);
    default:
      return json(200, named);
  }
}

const tls = { key: readFileSync(join(folder, 'leaf.key')), cert: readFileSync(join(folder, 'leaf.pem')) };
const up = (server, port, host) => new Promise((done, fail) => server.on('error', fail).listen(port, host, done));
for (const host of ['93.184.216.34', '2606:4700::1111', '127.0.0.1', '10.1.2.3', '169.254.169.254']) {
  await up(createServer(tls, answer), 443, host);
  await up(listen(answer), 80, host);
}
console.log('up');
