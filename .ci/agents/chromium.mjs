// Debian's Chromium, watched: no page of the server may say an error, ask for
// anything of anybody else's, or have a fault that axe finds, in light and in dark.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import axe from 'axe-core';
import { chromium } from 'playwright-core';

const shots = process.env.BIKETRIP_SCREENSHOTS;
if (shots) mkdirSync(shots, { recursive: true });

export const launch = () => chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] });

// site serves what answer gives, and keeps what it was asked.
export async function site(answer) {
  const asked = [];
  const server = createServer((req, res) => {
    asked.push(new URL(req.url, 'http://x'));
    const { status = 200, headers = {}, body = 'arrived' } = answer(asked.at(-1));
    res.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(`<!DOCTYPE html><title>site</title><link rel="icon" href="data:,">${body}`);
  });
  await new Promise((up) => server.listen(0, '127.0.0.1', up));
  return { origin: `http://127.0.0.1:${server.address().port}`, asked, close: () => server.close() };
}

// visit gives use a page in a profile of its own, which takes a CA that it does not
// know. errors are those that the browser
// is to say, and no other.
export async function visit(browser, origins, { errors = [], ...options }, use) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
  const said = [];
  const elsewhere = [];
  context.on('console', (m) => m.type() === 'error' && said.push(`${m.text()} (${m.location().url})`));
  context.on('weberror', (err) => said.push(String(err.error())));
  context.on('request', (req) => origins.includes(new URL(req.url()).origin) || req.url().startsWith('data:') || elsewhere.push(req.url()));
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  await use(page, context);
  await context.close();
  assert.deepEqual(elsewhere, []);
  for (const want of errors) assert.ok(said.some((text) => want.test(text)), `the browser does not say ${want}, but ${JSON.stringify(said)}`);
  assert.deepEqual(said.filter((text) => !errors.some((want) => want.test(text))), []);
}

// look holds a page against what axe knows, and takes pictures of it.
export async function look(page, name) {
  assert.equal(await page.locator('h1').count(), 1, name);
  await page.evaluate(axe.source);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    if (shots) await page.screenshot({ path: join(shots, `${name}-${colorScheme}.png`), fullPage: true });
    const faults = await page.evaluate("axe.run({ resultTypes: ['violations'] }).then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.html + ' ' + n.failureSummary).join(' ')))");
    assert.deepEqual(faults, [], `${name}, ${colorScheme}`);
  }
  if (!shots) return;
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  await page.screenshot({ path: join(shots, `${name}-narrow.png`), fullPage: true });
  await page.setViewportSize(size);
}
