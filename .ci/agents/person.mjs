// The person at the browser, for clients that have none: signs in by a link, and
// answers what an application asks. Run with an address, it is the browser that a
// program opens.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { demo } from './work.mjs';

const { url: server, user, db } = demo();

// biketrip runs a verb on the server's file, and gives what it prints.
export function biketrip(...args) {
  return JSON.parse(execFileSync(process.env.BIKETRIP, [...args, '--db', db, '--json'], { encoding: 'utf8' }));
}

// application registers one, and gives its id.
export const application = (name, ...uris) => biketrip('client', 'add', '--name', name, ...uris.flatMap((uri) => ['--redirect-uri', uri])).id;

// link is where the person signs in, once.
export const link = (email = user) => biketrip('user', 'link', '--default-uri', server.origin, email).link;

// signIn gives the cookie of a new session.
export async function signIn(email = user) {
  const res = await fetch(link(email), { method: 'POST', redirect: 'manual' });
  assert.equal(res.status, 303, await res.text());
  return res.headers.get('set-cookie').split(';')[0];
}

// decide answers what an authorization URL asks, and gives where the application is
// told so, which nobody has opened yet.
export async function decide(asked, decision = 'authorize', cookie = undefined) {
  cookie ??= await signIn();
  const go = async (to, want, init = {}) => {
    const res = await fetch(new URL(to, server), { redirect: 'manual', headers: { cookie, accept: 'text/html' }, ...init });
    const page = await res.text();
    assert.equal(res.status, want, `${to} answers ${res.status}: ${page}`);
    return { to: res.headers.get('location'), page };
  };
  const asks = await go(asked, 302);
  if (!asks.to.startsWith('/oauth/consent/')) return new URL(asks.to); // an error
  await go(asks.to, 200);
  const { page } = await go(asks.to, 200, { method: 'POST', body: new URLSearchParams({ decision }) });
  const next = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page);
  assert.ok(next, page);
  return new URL((await go(next[1].replaceAll('&amp;', '&'), 302)).to);
}

// browser is what a program needs around it to open this one, and tells what was
// opened so far.
export function browser(folder) {
  const opened = join(folder, 'opened');
  writeFileSync(opened, '');
  const here = import.meta.dirname;
  return {
    env: { ...process.env, BIKETRIP_OPENED: opened, BROWSER: join(here, 'xdg-open'), PATH: [here, dirname(process.execPath), process.env.PATH].join(delimiter) },
    opened: () => readFileSync(opened, 'utf8'),
  };
}

// login runs what opens a browser, and waits for its end; or, where the server has
// refused it, for that, since what waits for an answer waits for minutes.
export async function login(command, args, { env, opened }) {
  const program = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (text) => (said += text));
  let refused = false;
  const watch = setInterval(() => {
    refused = /answers 400/.test(opened());
    if (refused) process.kill(-program.pid, 'SIGKILL');
  }, 200);
  const late = setTimeout(() => process.kill(-program.pid, 'SIGKILL'), 60_000);
  const code = await new Promise((done) => program.on('close', done));
  clearInterval(watch);
  clearTimeout(late);
  return { code, refused, said: `${said}\nopened: ${opened()}` };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const answer = await decide(process.argv[2]);
  const res = await fetch(answer);
  console.log(`${res.status} ${answer.origin}${answer.pathname}`);
  assert.ok(res.ok, await res.text());
}
