// What a reader does with the page. Run by tests/clients/page/mod.rs: node scenarios.mjs CLIENTS SCENARIO FILE [DATA]

import { readFileSync } from 'node:fs';
import { becomes, browse, check, go, open, same } from './driver.mjs';
import { graphs } from './graph.mjs';
import { layouts } from './layouts.mjs';

const texts = (selector) => `[...document.querySelectorAll(${JSON.stringify(selector)})].map((node) => node.textContent.trim())`;
const shown = (scope) => `[...document.querySelectorAll(${JSON.stringify(`${scope} [data-item]`)})].map((node) => node.dataset.item)`;
const hash = 'decodeURIComponent(location.hash)';
const focused = 'document.activeElement.dataset.item';
const rows = shown('tbody');

const scenarios = {
  /** Board, panel, links, an issue alone, and back. */
  async clicks(browser, file) {
    const page = await open(browser, file);
    same(await page.title(), 'Inbox · repo', 'the first screen is the inbox');
    same(await page.evaluate(texts('.part h2')), ['Needs you 0', 'At work 1', 'Next 3'], 'parts of the inbox');
    await page.click('nav >> text=Board');
    same(await page.title(), 'Board · repo', 'title');
    same(await page.evaluate(texts('.column h2')), ['Ready3', 'In progress1', 'Blocked1', 'Open, not ready1', 'Done, 7 days1'], 'columns');
    same(await page.evaluate(shown('[data-column=in_progress]')), ['bd-api'], 'in progress');
    await page.click('[data-column=in_progress] .card');
    await becomes(page, hash, '#/board?issue=bd-api', 'the issue stands beside the board');
    same(await page.title(), 'Board · repo', 'and the board stays');
    const sections = await page.evaluate(texts('aside h3'));
    same(sections, ['Unblocks', 'Description', 'Waited for', 'Linked', 'Memory', 'History'], 'sections');
    same(await page.evaluate(texts('.memory .prose')), ['only bodies over 64 KB hang', 'stream the body', 'seen twice'], 'memory');
    same(await page.evaluate(texts('.history li > :last-child')), ['Ann commented: seen twice', 'Ann decided: stream the body', 'Ann found: only bodies over 64 KB hang', 'bob started', 'Ann imported with 6 other issues', 'import created'], 'history in words');
    same(await page.evaluate(texts('.prose > ul > li > p')), ['☐ one', '☑ two'], 'a list in a body');
    same(await page.evaluate(texts('.prose ul ul li')), ['deeper'], 'a list in it');
    same(await page.evaluate(texts('.prose tr')), ['wherems', 'here12'], 'a table');
    same(await page.evaluate('[...document.querySelectorAll(".prose p a")].map((node) => node.href.replace(/^file:.*#/, "#"))'), ['#/bd-old', 'https://x.example/a?b', 'https://x.example/a?b', 'https://x.example/c'], 'links');
    same(await page.evaluate(texts('.prose pre')), ['code <b>stays</b>'], 'code in a body');
    await page.click('.prose a');
    await becomes(page, hash, '#/board?issue=bd-old', 'an id in a body leads to its issue');
    await page.goBack();
    await becomes(page, hash, '#/board?issue=bd-api', 'back');
    await page.click('aside >> text=Use the API');
    await becomes(page, hash, '#/board?issue=bd-use', 'what waits for it');
    await page.click('[aria-label="Show this issue alone"]');
    await becomes(page, hash, '#/bd-use', 'alone');
    same(await page.title(), 'bd-use Use the API · repo', 'title of an issue');
    same(await page.evaluate(texts('.stop h3')), ['Waits for 1 open issue'], 'what it waits for comes first');
    same(await page.evaluate(texts('.stop .reference')), ['bd-apiin progressServe the API'], 'with its state');
    await page.click('article >> text=Board');
    await becomes(page, hash, '#/board', 'back to the screen');
    await page.click('nav >> text=Stats');
    await becomes(page, texts('.tiles b').replace('].map', '].slice(0, 2).map'), ['6', '1'], 'totals');
    check(await page.getAttribute('.chart svg', 'aria-label').then((text) => text.startsWith('Burn-up: 7 created, 1 closed')), 'burn-up');
    await page.click('nav >> text=Log');
    same(await page.evaluate(texts('.log .what > .note')), ['commented: seen twice', 'decided: stream the body', 'found: only bodies over 64 KB hang', 'started', 'imported 7 issues'], 'what happened');
    return page;
  },

  /** Words in titles, bodies and memory; terms as chips; an address that keeps them. */
  async finding(browser, file) {
    const page = await open(browser, file);
    await page.fill('#search', 'hang BODIES');
    await becomes(page, rows, ['bd-api'], 'found in the memory');
    check((await page.textContent('td .note')).includes('only bodies over 64 KB hang'), 'where it was found');
    same(await page.evaluate(texts('td .note mark')), ['bodies', 'hang'], 'marks');
    await page.fill('#search', 'api');
    await becomes(page, rows, ['bd-api', 'bd-use'], 'open ones');
    await page.fill('#search', 'api is:any');
    await becomes(page, rows, ['bd-api', 'bd-use', 'bd-old'], 'titles before bodies');
    await becomes(page, hash, '#/list?q=api+is:any', 'the address keeps it');
    await page.reload();
    await becomes(page, rows, ['bd-api', 'bd-use', 'bd-old'], 'after a reload');
    same(await page.inputValue('#search'), 'api is:any', 'the words');
    same(await page.evaluate(texts('#chips button')), ['api', 'is:any', 'Clear'], 'chips');
    await page.click('#chips >> text=is:any');
    await becomes(page, rows, ['bd-api', 'bd-use'], 'a chip takes its term away');
    await page.fill('#search', 'old server');
    await becomes(page, texts('.none'), ['No issue matches; 1 closed: show'], 'a closed one');
    await page.click('.none button');
    await becomes(page, rows, ['bd-old'], 'it is shown');
    await page.click('.clear');
    await becomes(page, `${rows}.length`, 6, 'all that is open again');
    await page.click('#filter');
    await page.fill('#menu input', 'net');
    await page.keyboard.press('Enter');
    await becomes(page, rows, ['bd-api'], 'by label');
    await page.click('nav >> text=Board');
    await page.fill('#search', 'assignee:bob');
    await becomes(page, texts('.column h2'), ['Ready0', 'In progress1', 'Blocked0', 'Done, 7 days0'], 'the board too');
    await page.fill('#search', 'label:');
    await becomes(page, texts('.notice'), ['Searched for these words: a value is missing here label:'], 'what is no query');
    same(await page.evaluate(texts('.notice mark')), ['label:'], 'and where');
    await page.fill('#search', 'group:priority');
    await becomes(page, texts('.column h2'), ['P01', 'P12', 'P21', 'P31', 'P41'], 'groups are columns');
    await go(page, '#/list?q=nothing+of+the+kind');
    await becomes(page, texts('.none'), ['No issue matches'], 'nothing found');
    return page;
  },

  /** Labels narrow a screen; a menu narrows it by a value of an issue, or by all but that. */
  async labels(browser, file) {
    const page = await open(browser, file, { hash: '#/board' });
    await page.click('.card .label');
    await becomes(page, hash, '#/board?q=label:net', 'a label of a card');
    same(await page.evaluate(shown('.board')), ['bd-api'], 'narrows the board');
    await page.click('#chips button');
    await becomes(page, hash, '#/board', 'its chip takes it away');
    await page.click('[data-column=in_progress] .title');
    await page.click('aside .label');
    await becomes(page, hash, '#/board?q=label:net&issue=bd-api', 'a label of the panel');
    await page.keyboard.press('Escape');
    await go(page, '#/list');
    await page.focus('[data-item=bd-api]');
    await page.keyboard.press('f');
    await becomes(page, texts('#menu .entry > .text:not(.note)'), ['open', 'in_progress', 'P0', 'task', 'bob', 'net', 'bd-epic Epic of all'], 'the values of the issue');
    for (let i = 0; i < 4; i += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('-');
    await becomes(page, hash, '#/list?q=-type:task', 'a dash takes the opposite');
    same(await page.evaluate(rows), ['bd-epic'], 'and leaves the others');
    return page;
  },

  /** `y` and the menu Copy. */
  async copying(browser, file) {
    const page = await open(browser, file, { hash: '#/board' });
    await page.evaluate(() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; });
    await page.focus('[data-item=bd-api]');
    for (const [key, text] of [['y', 'bd-api'], ['t', 'Serve the API'], ['s', 'git beads start bd-api'], ['c', 'Closes: bd-api']]) {
      await page.keyboard.press('y');
      await page.keyboard.press(key);
      await becomes(page, 'window.copied', text, `y ${key}`);
    }
    same(await page.textContent('#said'), 'Copied Closes: bd-api', 'it is said');
    await page.keyboard.press('Enter');
    await page.click('aside >> text=Copy');
    await page.click('#menu >> text=Link');
    await becomes(page, 'window.copied', `file://${file}#/bd-api`, 'a link');
    return page;
  },

  /** Orders of the list, both ways, and what a screen reader hears of it. */
  async sorting(browser, file) {
    const page = await open(browser, file, { hash: '#/list?q=is:any' });
    const sorted = '[...document.querySelectorAll("th[aria-sort]")].map((th) => th.getAttribute("aria-sort")).join(" ")';
    same(await page.evaluate(sorted), 'none none ascending none', 'by priority at first');
    await page.click('[data-sort=title]');
    await becomes(page, texts('td.what a'), ['Bare', 'Count to two', 'Epic of all', 'Old server', 'Serve the API', 'Use the API', 'Zebra'], 'by title');
    await becomes(page, hash, '#/list?q=is:any+sort:title', 'the query says so');
    await page.click('[data-sort=title]');
    await becomes(page, 'document.querySelector("td.what a").textContent', 'Zebra', 'backwards');
    same(await page.evaluate(sorted), 'none descending none none', 'said so');
    await page.click('[data-sort=updated]');
    await becomes(page, sorted, 'none none none descending', 'the newest first');
    await go(page, '#/list?q=is:any+group:status');
    await becomes(page, texts('th.group'), ['closed', 'in_progress', 'open'], 'groups have names');
    return page;
  },

  /** All of it without a mouse. */
  async keys(browser, file) {
    const page = await open(browser, file);
    await page.keyboard.press('3');
    await becomes(page, hash, '#/list', '3');
    await page.keyboard.press('j');
    await becomes(page, focused, 'bd-api', 'j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await becomes(page, focused, 'bd-api', 'k');
    await page.keyboard.press('Enter');
    await becomes(page, hash, '#/list?issue=bd-api', 'Enter');
    await page.keyboard.press('j');
    await becomes(page, hash, '#/list?issue=bd-epic', 'the issue follows');
    await page.keyboard.press('k');
    await page.keyboard.press('Shift+Enter');
    await becomes(page, hash, '#/bd-api', 'Shift-Enter');
    await page.keyboard.press('Escape');
    await becomes(page, hash, '#/list', 'Escape leads back');
    await becomes(page, focused, 'bd-api', 'to the issue');
    await page.keyboard.press('Enter');
    await page.keyboard.press('4');
    await becomes(page, hash, '#/graph/bd-api', '4');
    await page.keyboard.press('2');
    await page.keyboard.press('l');
    await becomes(page, focused, 'bd-two', 'the first column');
    await page.keyboard.press('ArrowRight');
    await becomes(page, focused, 'bd-api', 'the second');
    await page.keyboard.press('h');
    await becomes(page, focused, 'bd-two', 'and back');
    await page.keyboard.press('6');
    await becomes(page, hash, '#/stats', '6');
    await page.keyboard.press('/');
    await page.keyboard.type('zebra lives', { delay: 60 });
    same(await page.inputValue('#search'), 'zebra lives', 'nothing that is typed is lost');
    await becomes(page, hash, '#/list?q=zebra+lives', '/');
    await page.fill('#search', 'zebra');
    await becomes(page, rows, ['bd-zebra'], 'keys in the search are text');
    await page.keyboard.press('Enter');
    await becomes(page, focused, 'bd-zebra', 'Enter leads to the first found');
    await page.keyboard.press('/');
    await page.keyboard.type('lives');
    await becomes(page, hash, '#/list?q=zebra+lives', 'words are added');
    await page.keyboard.press('Enter');
    await page.keyboard.press('?');
    await becomes(page, 'document.querySelector("#keys").open', true, '?');
    await page.keyboard.press('Escape');
    await becomes(page, 'document.querySelector("#keys").open', false, 'Escape');
    return page;
  },

  /** Keys that come faster than the browser tells of a new address, or than a search begins: each finds its screen. */
  async hurry(browser, file) {
    const page = await open(browser, file);
    const keys = async (all, read, wanted) => {
      await page.evaluate(press, all);
      await becomes(page, read, wanted, all.join(' '));
      // What is told late draws nothing again, and takes the focus from nothing.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 150)))');
      same(await page.evaluate(read), wanted, `${all.join(' ')}, a little later`);
    };
    await keys(['3', 'j', 'j', '2', 'l', 'l'], focused, 'bd-api');
    await keys(['Enter', '4', 'j'], `${hash} + " " + document.activeElement.hasAttribute("data-item")`, '#/graph/bd-api true');
    await keys(['6', '2', 'l', 'Enter', 'j'], `${hash} + " " + (${focused})`, '#/board?issue=bd-zebra bd-zebra');
    await keys(['Escape', 'k', 'Enter', 'Escape'], `${hash} + " " + (${focused})`, '#/board bd-two');
    await keys(['3', '1', '3'], hash, '#/list');
    await page.fill('#search', 'zebra');
    await keys(['Enter'], `${hash} + " " + (${focused})`, '#/list?q=zebra bd-zebra');
    await page.goto(`file://${file}#/graph/bd-api`);
    await page.focus('[name=depth]');
    await page.selectOption('[name=depth]', '1');
    await becomes(page, `${hash} + " " + document.activeElement.name`, '#/graph/bd-api?depth=1 depth', 'the focus stays where it was');
    // A search that is due while a button of the mouse is down waits: what is under the mouse gets its click.
    await page.goto(`file://${file}#/list?q=zebra`);
    await becomes(page, rows, ['bd-zebra'], 'the search of the address');
    await page.hover('[data-sort=title]');
    await page.fill('#search', '');
    await page.mouse.down();
    await page.waitForTimeout(200);
    await page.mouse.up();
    await becomes(page, `${hash}.includes("sort:title")`, true, 'the list is sorted');
    return page;
  },

  /** Light, dark, by the system and by choice; every text is readable in both. */
  async themes(browser, file) {
    const ground = 'getComputedStyle(document.body).backgroundColor';
    // One tab at a time: what is not in front is slow.
    const dark = await open(browser, file, { scheme: 'dark' });
    const dim = await dark.evaluate(ground);
    await contrasts(dark, 'dark');
    await dark.close();
    const light = await open(browser, file);
    const bright = await light.evaluate(ground);
    check(bright !== dim, 'the system decides');
    await light.click('#theme');
    await becomes(light, ground, dim, 'the button');
    await light.reload();
    await light.waitForSelector('h1:not(:empty)');
    await becomes(light, ground, dim, 'the choice stays');
    await light.click('#theme');
    await becomes(light, ground, bright, 'the button again');
    await contrasts(light, 'light');
    light.wrong.push(...dark.wrong);
    return light;
  },

  /** What a screen reader needs. */
  async landmarks(browser, file) {
    const page = await open(browser, file, { hash: '#/list' });
    for (const place of ['header', 'nav[aria-label]', 'search', 'main', 'footer', 'table caption', 'th[scope=col]', '[role=status]']) {
      check(await page.locator(place).count(), `${place} is missing`);
    }
    const nameless = `[...document.querySelectorAll('a, button, select, input, svg[role], progress, [role=region]')].filter((node) =>
      !(node.getAttribute('aria-label') || node.textContent.trim() || node.closest('label'))).map((node) => node.outerHTML)`;
    for (const view of ['board', 'inbox', 'graph/bd-epic', 'log', 'stats', 'bd-api']) {
      await go(page, `#/${view}`);
      same(await page.evaluate(nameless), [], `everything on ${view} has a name`);
      same(await page.evaluate('document.querySelectorAll("h1").length'), 1, 'one heading');
      same(await page.evaluate('document.activeElement.id'), 'main', 'the focus follows');
    }
    await page.reload();
    await page.waitForSelector('h1:not(:empty)');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Tab');
    same(await page.evaluate('document.activeElement.id'), 'skip', 'the first stop skips the rail');
    await page.keyboard.press('Enter');
    await becomes(page, 'document.activeElement.id', 'main', 'it does');
    return page;
  },

  /** Hostile text everywhere: it stays text, on every page. */
  async hostile(browser, file, dataFile) {
    const page = await open(browser, file);
    const records = readFileSync(dataFile, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
    same(await page.evaluate('document.querySelectorAll("script, style, link, base, iframe, object, embed, img, form").length'), 4, 'elements of the frame');
    for (const view of ['#/inbox', '#/board', '#/list', '#/graph', '#/log', '#/stats', '#/list?q=<img', '#/list?q=%', '#/graph/%', '#/%E0%A4%A', '#/"><script>alert(1)</script>', '#/issue/', '#/list?q=sort:__proto__', '#/board?q=group:constructor', '#/graph/board?depth=__proto__', '#/?', '#/board?issue=__proto__', '#/list?issue=']) {
      await go(page, view);
      check((await page.textContent('h1')).length, `${view} has a title`);
    }
    const address = (id) => (['inbox', 'board', 'list', 'graph', 'log', 'stats', 'issue'].includes(id) ? '#/issue/' : '#/') + encodeURIComponent(id);
    for (const record of records) {
      await go(page, address(record.id));
      await page.waitForFunction((id) => document.querySelector('article code')?.textContent === id, record.id);
      const seen = await page.evaluate(() => ({ title: document.querySelector('h2.text').textContent, text: document.querySelector('main').textContent }));
      same(seen.title, visible(record.title), `title of ${record.id}`);
      if (record.description) check(seen.text.includes(visible(record.description).slice(0, 30).trim()), `body of ${record.id}`);
      same(await page.evaluate('document.querySelectorAll("main script, main img, main iframe, main style, main [onerror], main [onload], main [style]").length'), 0, `elements on ${record.id}`);
      check(!/[\u202a-\u202e\u2066-\u2069\u200b]/.test(seen.text), `nothing on ${record.id} turns the text around it`);
      await go(page, `#/graph/${encodeURIComponent(record.id)}`);
      await page.waitForSelector('.node.focus');
      await go(page, `#/board?issue=${encodeURIComponent(record.id)}`);
      same(await page.evaluate('document.querySelector("aside h2").textContent'), visible(record.title), `panel of ${record.id}`);
    }
    // What is copied may be pasted into a terminal.
    await page.evaluate(() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; });
    for (const record of records) {
      await go(page, address(record.id));
      await page.click('article >> text=Copy');
      await page.keyboard.press('t');
      await becomes(page, 'window.copied', visible(record.title).trim().replace(/\s+/g, ' '), `title of ${record.id}, copied`);
    }
    // A label is a term that finds it, whatever it says.
    await go(page, '#/list?q=is:any');
    for (const label of await page.evaluate('[...new Set([...document.querySelectorAll("[data-term]")].map((node) => node.dataset.term))]')) {
      await go(page, `#/list?q=${encodeURIComponent(`is:any ${label}`)}`);
      check(await page.evaluate(`!document.querySelector(".notice") && ${rows}.length > 0`), `${label} finds its issue`);
    }
    await page.setViewportSize({ width: 320, height: 740 });
    for (const place of ['#/inbox', '#/board', '#/list', '#/list?q=a', '#/log', '#/stats', ...records.flatMap((record) => [address(record.id), `#/inbox?issue=${encodeURIComponent(record.id)}`])]) {
      await go(page, place);
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      check(wide <= 0, `${place} is ${wide} pixels too wide`);
    }
    same(await page.evaluate('[typeof window.pwned, document.cookie]'), ['undefined', ''], 'nothing ran');
    return page;
  },

  /** Thousands of issues: the page opens, finds and sorts, and draws only a part of them. */
  async many(browser, file) {
    const page = await open(browser, file, { hash: '#/board' });
    console.log(`opened in ${Math.round(await page.evaluate('performance.now()'))} ms`);
    const cards = 'Math.max(...[...document.querySelectorAll(".column")].map((column) => column.querySelectorAll(".card").length))';
    same(await page.evaluate(cards), 50, 'a column shows a part');
    for (let i = 0; i < 3; i += 1) await page.click('.column button.more:visible');
    same(await page.evaluate(cards), 200, 'and more on demand, up to a bound');
    check((await page.textContent('.column a.more')).includes('more in the list'), 'the list has the rest');
    check(await page.evaluate("document.activeElement.matches('[data-item]')"), 'what was added goes on');
    await page.goto(`file://${file}#/list`);
    await becomes(page, `${rows}.length`, 200, 'so does the list');
    await page.click('.more:visible');
    await becomes(page, `${rows}.length`, 400, 'and more on demand');
    await page.fill('#search', 'is:any needle4711');
    await becomes(page, `${rows}.length`, 1, 'one of all');
    await page.fill('#search', '');
    await page.click('[data-sort=title]');
    await becomes(page, 'document.querySelector("[data-sort=title]").parentNode.getAttribute("aria-sort")', 'ascending', 'sorted');
    await go(page, '#/graph/big-epic');
    await page.waitForSelector('.node.focus');
    check(await page.evaluate('document.querySelectorAll("li .node:not(.rest)").length') <= 120, 'the graph draws a part');
    check((await page.textContent('#count')).includes('too many for one picture'), 'and says so');
    return page;
  },

  ...graphs,
  ...layouts,
};

const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const visible = (text) => text.replace(HIDDEN, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);

/** Presses keys one after the other, and lets the browser do nothing between. Runs in the page. */
function press(keys) {
  for (const key of keys) {
    const at = document.activeElement;
    const goes = at.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    // What a browser does by itself with a key that nobody has taken.
    if (goes && key === 'Enter') at.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
  }
}

/** Everything can be read wherever one goes. */
async function contrasts(page, name) {
  for (const place of ['inbox', 'board', 'list', 'graph/bd-epic', 'log', 'stats', 'bd-api', 'board?issue=bd-use']) {
    await go(page, `#/${place}`);
    same(await page.evaluate(unreadable), [], `contrast of ${place}, ${name}`);
  }
}

/** Texts whose contrast with what is behind them is below 4.5 (WCAG AA). Runs in the page. */
function unreadable() {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (channels) => channels.slice(0, 3).map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const box = at.tagName === 'a' && at.querySelector('rect');
      const colour = rgb(box ? getComputedStyle(box).fill : getComputedStyle(at).backgroundColor);
      if (colour[3] > 250) return colour;
    }
    return [255, 255, 255, 255];
  };
  const bad = new Set();
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || !node.checkVisibility?.() || node.closest('script, option, title, .skip, .unseen, dialog')) continue;
    const style = getComputedStyle(node);
    const [a, b] = [light(rgb(node.ownerSVGElement ? style.fill : style.color)), light(behind(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.add(`${node.tagName}.${node.getAttribute('class')} ${ratio.toFixed(2)}: ${node.textContent.trim().slice(0, 20)}`);
  }
  return [...bad];
}

const [, , clients, name, file, data] = process.argv;
await browse(clients, async (browser) => {
  const page = await scenarios[name](browser, file, data);
  same(page.wrong, [], 'nothing goes wrong on the way');
});
console.log('ok');
