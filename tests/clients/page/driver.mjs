// Opens an exported page in a headless Chromium, and lets nothing pass that a reader would not want: errors in the
// console, requests, dialogs, elements that text has become.

import { createRequire } from 'node:module';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

// Milliseconds; beside many other tests a browser is slow to start.
const PATIENCE = 60_000;

/** Runs `drive` with a browser; `clients` is the folder that holds playwright-core. */
export async function browse(clients, drive, flags = []) {
  const { chromium } = createRequire(join(clients, 'node_modules/'))('playwright-core');
  const folder = mkdtempSync(join(tmpdir(), 'git-beads-chromium-'));
  const executablePath = process.env.PATH.split(':').map((path) => join(path, 'chromium')).find(existsSync);
  const browser = await chromium.launchPersistentContext(folder, { executablePath, args: [...FLAGS, ...flags], headless: true, timeout: PATIENCE });
  browser.setDefaultTimeout(PATIENCE);
  try {
    await drive(browser);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens a file at a place in it; what goes wrong is put into `page.wrong`. */
export async function open(browser, file, { hash = '', width = 1400, height = 900, scheme = 'light' } = {}) {
  const page = await browser.newPage();
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  page.wrong = [];
  page.on('console', (message) => page.wrong.push(`console ${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => page.wrong.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => { page.wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('popup', () => page.wrong.push('a window was opened'));
  const address = `file://${file}`;
  page.on('request', (request) => {
    const url = request.url();
    if (url.split('#')[0] !== address && !url.startsWith('data:')) page.wrong.push(`request: ${url}`);
  });
  await page.goto(address + hash);
  await page.waitForSelector('h1:not(:empty)');
  return page;
}

/** Goes to a place in the page, and waits until it is drawn. */
export const go = (page, place) => page.evaluate((to) => new Promise((done) => {
  const before = location.href;
  window.addEventListener('hashchange', () => setTimeout(done), { once: true });
  location.hash = to;
  if (location.href === before) done();
}), place);

export function check(condition, what) {
  if (!condition) throw new Error(what);
}
export const same = (a, b, what) => check(JSON.stringify(a) === JSON.stringify(b), `${what}: ${JSON.stringify(a)} is not ${JSON.stringify(b)}`);

/** Waits until something of the page is as it should be. */
export async function becomes(page, read, wanted, what) {
  let last;
  for (let i = 0; i < 500; i += 1) {
    last = await page.evaluate(read);
    if (JSON.stringify(last) === JSON.stringify(wanted)) return;
    await page.waitForTimeout(20);
  }
  same(last, wanted, what);
}
