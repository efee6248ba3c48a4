// The pages in a real browser: signing in, deciding by mouse, by keyboard and
// without scripts, what is shown to nobody, and what no other site may do.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { launch, look, site, visit } from './chromium.mjs';
import { application, biketrip, link } from './person.mjs';
import { demo } from './work.mjs';

const { url, db } = demo();
const secure = url.protocol === 'https:';
const browser = await launch();
const onward = await site(() => ({}));
const client = await site(({ pathname }) => (pathname === '/hop' ? { status: 302, headers: { location: `${onward.origin}/arrived` } } : {}));
const stranger = await site(({ searchParams }) => ({ body: searchParams.get('body') }));
const origins = [url.origin, client.origin, onward.origin, stranger.origin];
const id = application('A desktop agent', `${client.origin}/callback`, `${client.origin}/hop`);
const web = application('Ridge & “Sons” <b>', 'https://agents.example.org/callback');

function asked(path = '/callback', more = {}) {
  const query = { client_id: id, redirect_uri: client.origin + path, response_type: 'code', scope: 'trips:read trips:write', state: 'a state & more', code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256', ...more };
  return `${url.origin}/oauth/authorize?${new URLSearchParams(query)}`;
}

async function signIn(page, email) {
  await page.goto(link(email));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${url.origin}/account`);
}

// signedIn is a visit of who is signed in.
const signedIn = (options, use) => visit(browser, origins, options, async (page, context) => {
  await signIn(page);
  await use(page, context);
});

const button = (page, name) => page.getByRole('button', { name, exact: true });

// answered is what the client is told next, after act.
async function answered(page, act, end = `${client.origin}/callback`) {
  client.asked.length = 0;
  await act();
  await page.waitForURL((to) => to.href.startsWith(end));
  assert.equal(client.asked.length, 1);
  const { searchParams: told } = client.asked[0];
  assert.equal(told.get('state'), 'a state & more');
  assert.equal(told.get('iss'), url.origin);
  return told;
}

const authorized = (told) => assert.match(told.get('code'), /^\S{43}$/);
const refused = (told) => assert.equal(told.get('error'), 'access_denied');

// Signing in.
await visit(browser, origins, { errors: [/404/, /400/] }, async (page, context) => {
  await page.goto(asked());
  assert.equal(page.url(), `${url.origin}/login`);
  await look(page, 'login');
  const once = link();
  await page.goto(once);
  await look(page, 'link');
  await button(page, 'Sign in').click();
  await page.waitForURL(`${url.origin}/account`);
  await look(page, 'account');
  const [cookie] = await context.cookies();
  assert.deepEqual([cookie.name, cookie.httpOnly, cookie.sameSite, cookie.secure], secure ? ['__Host-biketrip', true, 'Lax', true] : ['biketrip', true, 'Lax', false]);
  await page.goto(once);
  await look(page, 'link-used');
  await page.goto(asked('/elsewhere'));
  await look(page, 'error');
});

// Deciding.
await signedIn({}, async (page) => {
  await page.goto(asked());
  await look(page, 'consent');
  authorized(await answered(page, () => button(page, 'Authorize').click()));
  await page.goto(asked('/hop'));
  onward.asked.length = 0;
  authorized(await answered(page, () => button(page, 'Authorize').click(), `${onward.origin}/arrived`));
  assert.equal(onward.asked.length, 1);
  await page.goto(asked());
  refused(await answered(page, () => button(page, 'Refuse').click()));
  // What does not stay on this computer says where it comes from and goes.
  await page.goto(asked('', { client_id: web, redirect_uri: 'https://agents.example.org/callback', scope: 'trips:read' }));
  await look(page, 'consent-web');
  assert.equal(await page.locator('.warning').count(), 0);
  assert.ok((await page.textContent('main')).includes('“Ridge & \'Sons\' <b>”'));
});

// The page in between.
await signedIn({}, async (page) => {
  await page.goto(asked());
  // It goes on by itself, so that it is kept here to be looked at.
  await page.route(/authorize\?request=/, (route) => route.fulfill({ status: 204 }), { times: 1 });
  await button(page, 'Authorize').click();
  await page.getByRole('heading', { name: 'Back to your application' }).waitFor();
  await look(page, 'decided');
  authorized(await answered(page, () => page.getByRole('link', { name: 'Continue' }).click()));
});

// By keyboard.
await signedIn({}, async (page) => {
  for (const [keys, check] of [[['Tab', 'Enter'], authorized], [['Tab', 'Tab', 'Space'], refused]]) {
    await page.goto(asked());
    assert.equal(await page.evaluate('document.activeElement === document.body'), true);
    const consent = page.url();
    await page.keyboard.press('Enter'); // decides nothing
    await page.waitForTimeout(200);
    assert.equal(page.url(), consent);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'solid');
    check(await answered(page, async () => {
      for (const key of keys.slice(1)) await page.keyboard.press(key);
    }));
  }
});

// Without scripts.
await signedIn({ javaScriptEnabled: false }, async (page) => {
  await page.goto(asked());
  authorized(await answered(page, () => button(page, 'Authorize').click()));
});

// What is shown to nobody.
biketrip('user', 'add', '--default-uri', url.origin, 'bob@example.org');
await signedIn({ errors: [/404/, /400/] }, async (page) => {
  const nobody = async (handle) => {
    const res = await page.goto(`${url.origin}/oauth/consent/${handle}`);
    return [res.status(), await page.content()];
  };
  const unknown = await nobody('A'.repeat(43));
  await look(page, 'consent-unknown');
  assert.equal(unknown[0], 404);
  await page.goto(asked());
  const [handle] = page.url().split('/').slice(-1);
  await visit(browser, origins, { errors: [/404/] }, async (other) => {
    await signIn(other, 'bob@example.org');
    const res = await other.goto(page.url());
    assert.deepEqual([res.status(), await other.content()], unknown);
  });
  const file = new DatabaseSync(db); // ten minutes are over at once
  file.exec('PRAGMA busy_timeout = 5000; UPDATE authorization_request SET expires_at = 1');
  file.close();
  assert.deepEqual(await nobody(handle), unknown);
  await page.goto(`${url.origin}/oauth/authorize?request=${handle}`);
  await look(page, 'request-over');
});

// From other sites.
const errors = [/frame-ancestors|frame/i, /form-action/, /403/];
await signedIn({ errors }, async (page) => {
  await page.goto(asked());
  const consent = page.url();
  const show = (body) => page.goto(`${stranger.origin}/?${new URLSearchParams({ body })}`);

  await show(`<iframe src="${consent}"></iframe>`);
  await page.waitForFunction('frames.length === 1');
  assert.equal(await page.frames()[1].locator('button').count(), 0);

  await page.goto(consent);
  stranger.asked.length = 0;
  await page.evaluate((to) => {
    document.forms[0].action = to;
    document.forms[0].elements[0].click();
  }, `${stranger.origin}/taken`);
  await page.waitForTimeout(500);
  assert.deepEqual([stranger.asked, page.url()], [[], consent]);

  await show(`<form method="post" action="${consent}"><button name="decision" value="authorize">Win</button></form>`);
  await button(page, 'Win').click();
  await page.getByRole('heading', { name: 'Not from here' }).waitFor();
  await look(page, 'not-from-here');
  // Nothing of it has decided.
  await page.goto(consent);
  refused(await answered(page, () => button(page, 'Refuse').click()));
});

// Taking back.
await signedIn({}, async (page) => {
  await page.goto(`${url.origin}/account/applications`);
  await look(page, 'applications');
  for (let n; (n = await page.getByRole('button').count()) > 0; ) {
    await page.getByRole('button').first().click();
    await page.waitForFunction((before) => document.querySelectorAll('button').length < before, n);
  }
  await page.getByText('No application has access').waitFor();
  await look(page, 'applications-none');
  await page.goto(`${url.origin}/account`);
  await button(page, 'Sign out').click();
  await page.waitForURL(`${url.origin}/login`);
  await page.goto(`${url.origin}/account/applications`);
  assert.equal(page.url(), `${url.origin}/login`);
});

await browser.close();
for (const s of [onward, client, stranger]) s.close();
