// Where things stand, at each width, for each reader: facts that can be measured.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { becomes, check, go, open, same } from './driver.mjs';

const PLACES = ['inbox', 'board', 'list', 'graph/bd-epic', 'log', 'stats', 'bd-api', 'board?issue=bd-use', 'list?q=label:net&issue=bd-api', 'list?q=nothing+here'];
const box = (page, selector) => page.evaluate((one) => {
  const { left, top, right, bottom, width, height } = document.querySelector(one).getBoundingClientRect();
  return { left, top, right, bottom, width, height };
}, selector);
const tooWide = 'document.documentElement.scrollWidth - innerWidth';

/** Makes the browser one of a telephone: fingers, no hover. */
async function fingers(browser, page) {
  const session = await browser.newCDPSession(page);
  await session.send('Emulation.setDeviceMetricsOverride', { width: 390, height: 844, deviceScaleFactor: 1, mobile: true });
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 1 });
}

export const layouts = {
  /** A desk: the columns scroll and fold, their heads stay; the panel says first what an issue waits for. */
  async wide(browser, file) {
    const page = await open(browser, file, { hash: '#/board', width: 1440, height: 900 });
    const ready = '[data-column=ready]';
    const before = await box(page, `${ready} h2`);
    await page.evaluate(`document.querySelector("${ready} .cardbox").scrollTop = 500`);
    same(await page.evaluate(`document.querySelector("${ready} .cardbox").scrollTop`), 500, 'a column scrolls');
    same(await page.evaluate('document.querySelector("[data-column=blocked] .cardbox").scrollTop + document.scrollingElement.scrollTop'), 0, 'by itself');
    same(await box(page, `${ready} h2`), before, 'its head stays');
    await page.evaluate(`document.querySelector("${ready} .cardbox").scrollTop = 0`);
    const whole = await page.evaluate(`[...document.querySelectorAll("${ready} .card")].filter((card) => card.getBoundingClientRect().bottom <= innerHeight).length`);
    check(whole >= 7, `a column shows ${whole} cards of two lines at 900 px`);
    await page.click(`${ready} .fold`);
    same((await box(page, ready)).width, 40, 'it folds to 40 px');
    await page.reload();
    await page.waitForSelector(`${ready}.folded`);
    await page.click(`${ready} .fold`);
    check((await box(page, ready)).width > 200, 'and opens');
    await page.click('[data-item=tall-blocked]');
    const panel = await box(page, 'aside');
    same([panel.width, panel.right], [440, 1440], 'the panel stands beside the board');
    // What is done makes room with the next frame.
    await page.waitForSelector('[data-column=done].column.folded');
    for (const open of ['ready', 'in_progress', 'blocked']) {
      const column = await box(page, `[data-column=${open}]`);
      check(column.width >= 230 && column.right <= panel.left, `${open} stays whole beside it: ${JSON.stringify(column)}`);
    }
    const stop = await box(page, '.stop');
    check(stop.bottom < 450 && stop.top < (await box(page, '.texts')).top, `what it waits for is above the fold: ${JSON.stringify(stop)}`);
    same(await page.textContent('.stop .state'), 'ready', 'with the state of it');
    same(await page.textContent('aside .top .state'), 'blocked', 'its own state is that of the board');
    check(await page.evaluate('[...document.querySelectorAll(".card.before")].length') <= 1, 'at most what it waits for is marked');
    await page.hover('[data-item=tall-blocked]');
    same(await page.evaluate('[...document.querySelectorAll(".card.before")].map((card) => card.dataset.card)'), ['tall-0'], 'a card marks what it waits for');
    const link = page.locator('dd a[title="https://x.example/a/very/long/address/of/another/tracker/issues/1276"]');
    check(/^x\.example\/.*….*issues\/1276$/.test(await link.textContent()), 'an address elsewhere is cut in the middle');
    await page.setViewportSize({ width: 1920, height: 1080 });
    const [bar, main, rail] = [await box(page, '#bar'), await box(page, 'main'), await box(page, '#rail')];
    same([bar.left, main.left, rail.right], [216, 216, 216], 'one left edge');
    same([bar.right, (await box(page, 'aside')).width], [1920, 560], 'the width is used');
    return page;
  },

  /** A telephone: nothing wider than the screen but what scrolls by itself, all large enough for a finger. */
  async narrow(browser, file) {
    const page = await open(browser, file, { width: 390, height: 844 });
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      for (const place of PLACES) {
        await go(page, `#/${place}`);
        const wide = await page.evaluate(tooWide);
        check(wide <= 0, `${place} is ${wide} pixels too wide at ${width}`);
      }
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await go(page, '#/board');
    const column = await box(page, '[data-column=in_progress]');
    same([column.left, column.width], [0, 350], 'the board opens at what is in progress, and the next column shows');
    same((await box(page, 'nav')).bottom, 840, 'the screens are at the bottom');
    await page.click('[data-column=in_progress] .card');
    const panel = await box(page, 'aside');
    same([panel.left, panel.top, panel.width, panel.bottom], [0, 0, 390, 788], 'an issue is a page');
    same(await page.evaluate('document.activeElement.id'), 'close', 'the focus is on the way back');
    await page.click('#close');
    await becomes(page, 'document.querySelector("aside").hidden', true, 'which leads back');
    await go(page, '#/list?q=label:net+type:task+is:open');
    const chips = await page.evaluate('[...document.querySelectorAll("#chips button")].map((chip) => chip.getBoundingClientRect().top)');
    same([new Set(chips).size, chips.length], [1, 4], 'the parts of a query are one row');
    await fingers(browser, page);
    for (const place of PLACES) {
      await go(page, `#/${place}`);
      const small = await page.evaluate(`[...document.querySelectorAll('#rail a, #bar button, #bar input, aside button, aside a, .item, .column .card, td.what, article .top button, .more')].filter((node) => node.checkVisibility() && !node.closest('.prose, .facts, .history'))
        .map((node) => [node.outerHTML.slice(0, 60), node.getBoundingClientRect()]).filter(([, { width, height }]) => height < 44 || width < 44).map(([what, { width, height }]) => what + ' ' + width + 'x' + height)`);
      same(small, [], `everything on ${place} is large enough for a finger`);
    }
    return page;
  },

  /** Other readers: axe-core finds nothing, forced colours show what is chosen, nothing moves, paper has no controls. */
  async access(browser, file) {
    const axe = readFileSync(join(process.argv[2], 'node_modules/axe-core/axe.min.js'), 'utf8');
    const wrong = [];
    for (const scheme of ['light', 'dark']) {
      const page = await open(browser, file, { scheme });
      await page.evaluate(axe);
      for (const width of [1440, 1024, 390, 320]) {
        await page.setViewportSize({ width, height: 900 });
        for (const place of PLACES) {
          await go(page, `#/${place}`);
          const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' ')}`)));
          wrong.push(...found.map((what) => `${place} ${width} ${scheme}: ${what}`));
        }
      }
      for (const key of ['y', 'f', '?']) {
        await go(page, '#/board');
        await page.setViewportSize({ width: 1440, height: 900 });
        await page.focus('[data-item=bd-api]');
        await page.keyboard.press(key);
        const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`)));
        wrong.push(...found.map((what) => `menu ${key} ${scheme}: ${what}`));
        await page.keyboard.press('Escape');
      }
      check(!page.wrong.length, page.wrong.join('\n'));
      await page.close();
    }
    same(wrong, [], 'axe-core');
    const page = await open(browser, file, { hash: '#/inbox?issue=bd-api' });
    same(await page.evaluate('getComputedStyle(document.querySelector("aside")).animationName'), 'none', 'nothing moves for who wants that');
    await page.emulateMedia({ forcedColors: 'active' });
    const lines = 'getComputedStyle(document.querySelector(".item:has([aria-current])")).outlineStyle + getComputedStyle(document.querySelector("nav [aria-current]")).outlineStyle';
    same(await page.evaluate(lines), 'solidsolid', 'what is chosen has a line');
    await page.emulateMedia({ forcedColors: 'none', media: 'print', colorScheme: 'dark' });
    same(await page.evaluate('["#rail", "search", "button"].map((one) => document.querySelector(one).checkVisibility())'), [false, false, false], 'paper has no controls');
    same(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)', 'and is white');
    await go(page, '#/board');
    same(await page.evaluate('getComputedStyle(document.querySelector(".cardbox")).overflowY'), 'visible', 'nothing is cut off on it');
    return page;
  },
};
