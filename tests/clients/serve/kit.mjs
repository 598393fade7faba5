// Starts servers of a repository and opens pages of theirs: node SCENARIOS.mjs CLIENTS SCENARIO BINARY FOLDER.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

import { browse, same } from '../page/driver.mjs';

export const [clients, scenario, binary, folder] = process.argv.slice(2);
// In their own time, and each with ids of its own.
const { GIT_BEADS_NOW, GIT_BEADS_SEED, ...env } = process.env;
export const beads = (...args) => execFileSync(binary, args, { cwd: folder, env, encoding: 'utf8' }).trim();
const running = [];

/** Starts a server, and waits for its address. */
export async function serve(...args) {
  const child = spawn(binary, ['serve', ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  const [line] = await once(child.stdout, 'data');
  const address = String(line).trim();
  const [, port] = /:(\d+)\//.exec(address);
  return { address, port, child, base: address.split('#')[0] };
}

/** Opens a page; what goes wrong is put into `page.wrong`. */
export async function open(browser, address, { width = 1440, height = 900, scheme = 'light' } = {}) {
  const page = await browser.newPage();
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  page.wrong = [];
  page.streams = 0;
  page.on('console', (message) => page.wrong.push(`console ${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => page.wrong.push(`error: ${error.message}`));
  page.on('request', (request) => { if (request.url().endsWith('/api/live')) page.streams += 1; });
  await page.goto(address);
  await page.waitForSelector('#live:not(:empty)', { state: 'attached' });
  return page;
}
export const go = (page, place) => page.evaluate((to) => { location.hash = to; }, place);
export const text = (page, selector) => page.evaluate((of) => document.querySelector(of)?.textContent ?? '', selector);
export const appears = (page, what) => page.waitForFunction((of) => document.querySelector('main').textContent.includes(of), what);
/** Nothing goes wrong; a browser tells of each refusal, which a page says in words. */
export const right = (page) => same(page.wrong.filter((it) => !/status of (4\d\d)/.test(it)), [], 'nothing goes wrong');
/** Waits until something of the page is so; what the page says is in the error. */
export async function becomes(page, test, what) {
  try {
    await page.waitForFunction(test, what);
  } catch {
    throw new Error(`${what} never came: ${await text(page, '#said')} / ${await text(page, '#ask .notice')} / ${(await text(page, '#menu')).slice(0, 300)} / ${page.wrong}`);
  }
}

/** Runs the scenario that was asked for. */
export async function run(scenarios, flags = []) {
  try {
    await browse(clients, scenarios[scenario], flags);
    console.log('ok');
  } finally {
    for (const child of running) child.kill();
  }
}
