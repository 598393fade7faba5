// Measures the live page: node speed.mjs CLIENTS ADDRESS REPO BINARY FOLDER. Prints a line for each thing: words, a bar, and
// milliseconds. The folder is that of the repository, whose name in the page is REPO.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { browse, check } from '../page/driver.mjs';

const [clients, address, repo, binary, folder] = process.argv.slice(2);
const base = address.split('#')[0];
const run = promisify(execFile);
const print = (what, times) => console.log(`${what}|${times.map((time) => time.toFixed(2)).join(' ')}`);
const LOADS = 20;
const TURNS = 250;
const CHANGES = 100;

/** In the page: the times at which frames are painted. */
function watch() {
  const painted = (is) => new Promise((done) => {
    const frame = () => requestAnimationFrame(() => {
      if (!is()) { frame(); return; }
      // What is there at the beginning of a frame is painted at its end.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now());
      port2.postMessage(0);
    });
    frame();
  });
  window.painted = painted;
  /** From an event, which is to come, until something is painted. */
  window.arm = (type, is) => {
    window.took = new Promise((done) => {
      addEventListener(type, (event) => painted(is).then((at) => done(at - event.timeStamp)), { capture: true, once: true });
    });
  };
  window.rows = () => [...document.querySelectorAll('main td.what [data-item]')];
}

async function board(page) {
  const times = [];
  for (let n = 0; n < LOADS; n += 1) {
    await page.goto('about:blank');
    await page.goto(`${base}#/${repo}/board`);
    times.push(await page.evaluate(() => window.painted(() => document.querySelector('.board .card'))));
  }
  print('the first board, painted', times);
}

/** Clicks on rows of the list, whose issue is drawn beside it, and on nothing. */
async function clicks(page) {
  const [times, empty] = [[], []];
  for (let n = 0; n < TURNS; n += 1) {
    const spot = await page.evaluate((at) => {
      const row = window.rows()[at];
      window.arm('click', () => window.rows()[at].hasAttribute('aria-current'));
      const { x, y } = row.getBoundingClientRect();
      return { x: x + 5, y: y + 5 };
    }, (n * 7) % 15);
    await page.mouse.click(spot.x, spot.y);
    times.push(await page.evaluate(() => window.took));
    await page.evaluate(() => window.arm('click', () => true));
    await page.click('#count', { force: true });
    empty.push(await page.evaluate(() => window.took));
  }
  print('a click on nothing, to compare', empty);
  print('a click on a row, its issue painted', times);
}

async function keys(page) {
  const times = [];
  await page.evaluate(() => window.rows()[0].focus());
  for (let n = 0; n < TURNS; n += 1) {
    const step = n % 20 < 10 ? 1 : -1;
    await page.evaluate((by) => {
      const wanted = window.rows().indexOf(document.activeElement) + by;
      window.arm('keydown', () => {
        const row = window.rows()[wanted];
        return row === document.activeElement && row.hasAttribute('aria-current');
      });
    }, step);
    await page.keyboard.press(step > 0 ? 'j' : 'k');
    times.push(await page.evaluate(() => window.took));
  }
  print('`j` and `k`, the next issue painted', times);
}

/** Another process changes the title of an issue in the list. */
async function changes(page) {
  const id = await page.evaluate(() => window.rows()[3].dataset.item);
  const [times, own] = [[], []];
  for (let n = 0; n < CHANGES; n += 1) {
    const title = `changed ${n} times by another process.`;
    const seen = page.evaluate((text) => window.painted(() => document.querySelector('main').textContent.includes(text)).then((at) => performance.timeOrigin + at), title);
    const begun = performance.timeOrigin + performance.now();
    await run(binary, ['update', id, '--title', title], { cwd: folder });
    own.push(performance.timeOrigin + performance.now() - begun);
    times.push((await seen) - begun);
  }
  print('that change alone, to compare', own);
  print('a change of another process, from its start to painted', times);
}

await browse(clients, async (browser) => {
  const page = await browser.newPage();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.addInitScript(watch);
  await page.goto(address);
  await page.waitForSelector('#live:not(:empty)', { state: 'attached' });
  // The key is kept once it was taken.
  await page.waitForFunction(() => sessionStorage.getItem('git-beads-key'));
  await board(page);
  await page.evaluate((to) => { location.hash = to; }, `#/${repo}/list`);
  await page.waitForFunction(() => window.rows().length > 100);
  await clicks(page);
  await keys(page);
  await changes(page);
  check(await page.evaluate(() => document.querySelector('#live').textContent === 'live'), 'it is live to the end');
});
