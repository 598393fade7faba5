// What a reader does with the page. Run by tests/clients/page/mod.rs: node scenarios.mjs CLIENTS SCENARIO FILE [DATA]

import { readFileSync } from 'node:fs';
import { becomes, browse, check, go, open, same } from './driver.mjs';

const texts = (selector) => `[...document.querySelectorAll(${JSON.stringify(selector)})].map((node) => node.textContent.trim())`;
const ids = (scope) => texts(`${scope} [data-item] code`);
const hash = 'decodeURIComponent(location.hash)';
const focused = 'document.activeElement.querySelector("code")?.textContent ?? document.activeElement.closest("tr")?.querySelector("code").textContent';

const scenarios = {
  /** Board, links, the page of an issue, and back. */
  async clicks(browser, file) {
    const page = await open(browser, file);
    same(await page.title(), 'Board · repo', 'title');
    same(await page.evaluate(texts('.column h2')), ['Ready 3', 'In progress 1', 'Blocked 1', 'Done, 7 days 1'], 'columns');
    same(await page.evaluate(ids('.in_progress')), ['bd-api'], 'in progress');
    await page.click('.in_progress .card');
    await becomes(page, hash, '#/bd-api', 'address');
    same(await page.title(), 'bd-api Serve the API · repo', 'title of an issue');
    const sections = await page.evaluate(texts('article h2'));
    same(sections, ['Description', 'Waits for', 'Unblocks', 'Linked', 'Memory', 'History'], 'sections');
    same(await page.evaluate(texts('.memory .prose')), ['only bodies over 64 KB hang', 'stream the body', 'seen twice'], 'memory');
    same(await page.evaluate(texts('.history .text')), ['note: 3 added', 'start', 'import issues.jsonl: 7 created, 0 updated', 'created'], 'history');
    same(await page.evaluate(texts('.prose > ul > li > p')), ['☐ one', '☑ two'], 'a list in a body');
    same(await page.evaluate(texts('.prose ul ul li')), ['deeper'], 'a list in it');
    same(await page.evaluate(texts('.prose tr')), ['wherems', 'here12'], 'a table');
    same(await page.evaluate('[...document.querySelectorAll(".prose p a")].map((node) => node.href.replace(/^file:.*#/, "#"))'), ['#/bd-old', 'https://x.example/a?b', 'https://x.example/a?b', 'https://x.example/c'], 'links');
    same(await page.evaluate(texts('.prose pre')), ['code <b>stays</b>'], 'code in a body');
    await page.click('.prose a');
    await becomes(page, hash, '#/bd-old', 'an id in a body leads to its issue');
    await page.goBack();
    await page.click('text=Use the API');
    await becomes(page, hash, '#/bd-use', 'what waits for it');
    await page.click('nav >> text=Progress');
    await becomes(page, texts('.tiles b').replace('].map', '].slice(0, 2).map'), ['6', '1'], 'totals');
    check(await page.getAttribute('.chart svg', 'aria-label').then((text) => text.startsWith('Burn-up: 7 created, 1 closed')), 'burn-up');
    return page;
  },

  /** Words in titles, bodies and memory; filters; an address that keeps them. */
  async finding(browser, file) {
    const page = await open(browser, file);
    await page.fill('#search', 'hang BODIES');
    await becomes(page, texts('td.id'), ['bd-api'], 'found in the memory');
    check((await page.textContent('.excerpt')).includes('only bodies over 64 KB hang'), 'where it was found');
    same(await page.evaluate(texts('.excerpt mark')), ['bodies', 'hang'], 'marks');
    await page.fill('#search', 'api');
    await becomes(page, texts('td.id'), ['bd-api', 'bd-use', 'bd-old'], 'titles before bodies');
    await page.selectOption('[name=status]', 'not closed');
    await becomes(page, texts('td.id'), ['bd-api', 'bd-use'], 'filtered');
    await becomes(page, hash, '#/list?q=api&status=not+closed', 'the address keeps it');
    await page.reload();
    await becomes(page, texts('td.id'), ['bd-api', 'bd-use'], 'after a reload');
    same(await page.inputValue('#search'), 'api', 'the words');
    await page.fill('#search', 'old server');
    await becomes(page, texts('.none'), ['No issue matches; 1 in another state'], 'a closed one');
    await page.fill('#search', 'is:closed old');
    await becomes(page, texts('td.id'), ['bd-old'], 'a query that asks for what is closed');
    await page.fill('#search', 'old server');
    await becomes(page, texts('.none'), ['No issue matches; 1 in another state'], 'without it');
    await page.click('.none a');
    await becomes(page, texts('td.id'), ['bd-old'], 'it is shown');
    await page.click('.clear');
    await becomes(page, 'document.querySelectorAll("tbody tr").length', 7, 'all again');
    await page.selectOption('[name=label]', 'net');
    await becomes(page, '[...document.querySelectorAll("td.id")].map((node) => node.textContent)', ['bd-api'], 'by label');
    await page.click('nav >> text=Board');
    await page.selectOption('[name=assignee]', 'bob');
    await becomes(page, texts('.column h2'), ['Ready 0', 'In progress 1', 'Blocked 0', 'Done, 7 days 0'], 'the board too');
    await page.fill('#search', 'nothing of the kind');
    await becomes(page, texts('.none'), ['No issue matches'], 'nothing found');
    return page;
  },

  /** Columns of the list, both ways, and what a screen reader hears of it. */
  async sorting(browser, file) {
    const page = await open(browser, file, { hash: '#/list' });
    const sorted = '[...document.querySelectorAll("th")].map((th) => th.getAttribute("aria-sort")).join(" ")';
    same(await page.evaluate(sorted), 'none none none ascending none none none', 'by priority at first');
    await page.click('[data-sort=title]');
    await becomes(page, texts('td.what a'), ['Bare', 'Count to two', 'Epic of all', 'Old server', 'Serve the API', 'Use the API', 'Zebra'], 'by title');
    await page.click('[data-sort=title]');
    await becomes(page, 'document.querySelector("td.what a").textContent', 'Zebra', 'backwards');
    same(await page.evaluate(sorted), 'none descending none none none none none', 'said so');
    same(await page.evaluate('document.activeElement.dataset.sort'), 'title', 'the focus stays');
    for (const key of ['id', 'status', 'type', 'assignee', 'updated']) {
      await page.click(`[data-sort=${key}]`);
      await becomes(page, `document.querySelector("[data-sort=${key}]").parentNode.getAttribute("aria-sort")`, 'ascending', key);
    }
    await go(page, '#/list?q=is:any+group:status');
    await becomes(page, texts('th.group'), ['closed', 'in_progress', 'open'], 'groups have names');
    return page;
  },

  /** All of it without a mouse. */
  async keys(browser, file) {
    const page = await open(browser, file);
    await page.keyboard.press('l');
    await becomes(page, hash, '#/list?status=not closed', 'l');
    await page.keyboard.press('j');
    await becomes(page, focused, 'bd-api', 'j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await becomes(page, focused, 'bd-api', 'k');
    await page.keyboard.press('Enter');
    await becomes(page, hash, '#/bd-api', 'Enter');
    await page.keyboard.press('g');
    await becomes(page, hash, '#/graph/bd-api', 'g');
    await page.keyboard.press('u');
    await becomes(page, hash, '#/bd-api', 'u');
    await page.keyboard.press('b');
    await page.keyboard.press('ArrowRight');
    await becomes(page, focused, 'bd-two', 'the first column');
    await page.keyboard.press('ArrowRight');
    await becomes(page, focused, 'bd-api', 'the second');
    await page.keyboard.press('p');
    await becomes(page, hash, '#/progress', 'p');
    await page.keyboard.press('/');
    await page.keyboard.type('zebra lives', { delay: 60 });
    same(await page.inputValue('#search'), 'zebra lives', 'nothing that is typed is lost');
    await becomes(page, hash, '#/list?q=zebra+lives', '/');
    await page.fill('#search', 'zebra');
    await becomes(page, texts('td.id'), ['bd-zebra'], 'keys in the search are text');
    await page.keyboard.press('Enter');
    await becomes(page, focused, 'bd-zebra', 'Enter leads to the first found');
    await page.keyboard.press('?');
    await becomes(page, 'document.querySelector("#keys").open', true, '?');
    await page.keyboard.press('Escape');
    await becomes(page, 'document.querySelector("#keys").open', false, 'Escape');
    return page;
  },

  /** Keys that come faster than the browser tells of a new address, or than a search begins: each finds its view. */
  async hurry(browser, file) {
    const page = await open(browser, file);
    const keys = async (all, read, wanted) => {
      await page.evaluate(press, all);
      await becomes(page, read, wanted, all.join(' '));
      // What is told late draws nothing again, and takes the focus from nothing.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 150)))');
      same(await page.evaluate(read), wanted, `${all.join(' ')}, a little later`);
    };
    await keys(['l', 'j', 'j', 'b', 'ArrowRight', 'ArrowRight'], focused, 'bd-api');
    await keys(['Enter', 'g', 'j'], `${hash} + " " + document.activeElement.hasAttribute("data-item")`, '#/graph/bd-api true');
    await keys(['u', 'p', 'b', 'ArrowRight'], `${hash} + " " + (${focused})`, '#/board bd-two');
    await keys(['u', 'u', 'j'], `${hash} + " " + (${focused})`, '#/bd-api bd-epic');
    await keys(['u', 'ArrowRight', 'Enter'], hash, '#/bd-two');
    await keys(['u', '/', 'z', 'e'], 'document.activeElement.value', 'ze');
    await page.fill('#search', 'zebra');
    await keys(['Enter'], `${hash} + " " + (${focused})`, '#/list?q=zebra bd-zebra');
    await page.goto(`file://${file}#/graph/bd-api`);
    await page.focus('[name=depth]');
    await page.selectOption('[name=depth]', '1');
    await becomes(page, `${hash} + " " + document.activeElement.name`, '#/graph/bd-api?depth=1 depth', 'the focus stays where it was');
    // A search that is due while a button of the mouse is down waits: what is under the mouse gets its click.
    await page.goto(`file://${file}#/list?q=zebra`);
    await becomes(page, texts('td.id'), ['bd-zebra'], 'the search of the address');
    await page.hover('[data-sort=title]');
    await page.fill('#search', '');
    await page.mouse.down();
    await page.waitForTimeout(200);
    await page.mouse.up();
    await becomes(page, hash, '#/list?sort=title', 'the list is sorted, and then searched');
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
    await light.keyboard.press('t');
    await becomes(light, ground, dim, 't');
    await light.reload();
    await light.waitForSelector('main h1');
    await becomes(light, ground, dim, 'the choice stays');
    await light.click('#theme');
    await becomes(light, ground, bright, 'the button');
    await contrasts(light, 'light');
    light.wrong.push(...dark.wrong);
    return light;
  },

  /** A phone: nothing wider than the screen but what scrolls by itself. */
  async narrow(browser, file) {
    const page = await open(browser, file, { width: 360, height: 740 });
    for (const place of ['board', 'list', 'graph/bd-epic', 'progress', 'bd-api']) {
      await go(page, `#/${place}`);
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      check(wide <= 0, `${place} is ${wide} pixels too wide`);
      const small = await page.evaluate('[...document.querySelectorAll("header a, header button, header input")].filter((node) => node.getBoundingClientRect().height < 28).length');
      same(small, 0, `${place}: everything in the header is large enough for a finger`);
    }
    const elsewhere = page.locator('dd a[href="https://x.example/issues/1276"]');
    same(await elsewhere.textContent(), 'https://x.example/issues/1276', 'its address elsewhere is a link');
    await go(page, '#/list');
    await page.locator('select').first().selectOption({ index: 1 });
    await page.waitForSelector('.clear');
    const clear = await page.evaluate('document.querySelector(".clear").getBoundingClientRect().height');
    check(clear < 40, `the button that clears the filters is one line high, not ${clear}`);
    await becomes(page, texts('td.what .narrow').replace('].map', '].slice(0, 1).map'), ['bd-api'], 'ids stand with the titles');
    return page;
  },

  /** What a screen reader needs. */
  async landmarks(browser, file) {
    const page = await open(browser, file, { hash: '#/list' });
    for (const place of ['header', 'nav[aria-label]', 'search', 'main', 'footer', 'table caption', 'th[scope=col]', '[role=status]']) {
      check(await page.locator(place).count(), `${place} is missing`);
    }
    const nameless = `[...document.querySelectorAll('a, button, select, input, svg[role], progress, [role=region]')].filter((node) =>
      !(node.getAttribute('aria-label') || node.textContent.trim() || node.closest('label'))).map((node) => node.outerHTML)`;
    for (const view of ['board', 'list', 'graph/bd-epic', 'progress', 'bd-api']) {
      await go(page, `#/${view}`);
      same(await page.evaluate(nameless), [], `everything on ${view} has a name`);
      same(await page.evaluate('document.querySelectorAll("h1").length'), 1, 'one heading');
      same(await page.evaluate('document.activeElement.id'), 'main', 'the focus follows');
    }
    await page.reload();
    await page.waitForSelector('main h1');
    await page.keyboard.press('Tab');
    same(await page.evaluate('document.activeElement.id'), 'skip', 'the first stop skips the header');
    await page.keyboard.press('Enter');
    await becomes(page, 'document.activeElement.id', 'main', 'it does');
    return page;
  },

  /** The graph: what is linked, which way, circles that were cut. */
  async graph(browser, file) {
    const page = await open(browser, file, { hash: '#/graph/bd-api' });
    const nodes = '[...document.querySelectorAll(".node")].map((node) => node.querySelector(".id").textContent).sort()';
    same(await page.evaluate(nodes), ['bd-api', 'bd-epic', 'bd-two', 'bd-use'], 'around an issue');
    const x = (id) => page.evaluate(`[...document.querySelectorAll('.node')].find((node) => node.querySelector('.id').textContent === '${id}').getBoundingClientRect().x`);
    check(await x('bd-api') < await x('bd-use'), 'what comes first stands to the left');
    same(await page.evaluate(texts('.edge.suspended title')), ['bd-api is blocked by bd-use (suspended: it would close a cycle)'], 'a suspended edge');
    await page.click('.node:has-text("bd-use")');
    await becomes(page, hash, '#/graph/bd-use', 'a click moves there');
    await page.click('.node.focus');
    await becomes(page, hash, '#/bd-use', 'a click on the middle opens it');
    await page.click('text=Graph >> nth=1');
    await page.selectOption('[name=depth]', '1');
    await becomes(page, hash, '#/graph/bd-use?depth=1', 'steps');
    await page.selectOption('[name=focus]', 'bd-epic');
    await becomes(page, nodes, ['bd-api', 'bd-epic', 'bd-two', 'bd-use'], 'an epic with its children');
    return page;
  },

  /** Hostile text everywhere: it stays text, on every page. */
  async hostile(browser, file, dataFile) {
    const page = await open(browser, file);
    const records = readFileSync(dataFile, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
    same(await page.evaluate('document.querySelectorAll("script, style, link, base, iframe, object, embed, img, form:not(.filters)").length'), 4, 'elements of the frame');
    for (const view of ['#/board', '#/list', '#/graph', '#/progress', '#/list?q=<img', '#/list?q=%', '#/graph/%', '#/%E0%A4%A', '#/"><script>alert(1)</script>', '#/issue/', '#/list?sort=__proto__&dir=down', '#/list?status=constructor', '#/graph/board?depth=__proto__', '#/?']) {
      await go(page, view);
      await page.waitForSelector('main h1');
    }
    const address = (id) => (['board', 'list', 'graph', 'progress', 'issue'].includes(id) ? '#/issue/' : '#/') + encodeURIComponent(id);
    for (const record of records) {
      await go(page, address(record.id));
      await page.waitForFunction((id) => document.querySelector('article code')?.textContent === id, record.id);
      const seen = await page.evaluate(() => ({ title: document.querySelector('h1').textContent, text: document.querySelector('main').textContent }));
      same(seen.title, visible(record.title), `title of ${record.id}`);
      if (record.description) check(seen.text.includes(visible(record.description).slice(0, 30).trim()), `body of ${record.id}`);
      same(await page.evaluate('document.querySelectorAll("main script, main img, main iframe, main style, main [onerror], main [onload], main [style]").length'), 0, `elements on ${record.id}`);
      check(!/[\u202a-\u202e\u2066-\u2069\u200b]/.test(seen.text), `nothing on ${record.id} turns the text around it`);
      await go(page, `#/graph/${encodeURIComponent(record.id)}`);
      await page.waitForSelector('.node.focus');
    }
    await page.setViewportSize({ width: 360, height: 740 });
    for (const place of ['#/board', '#/list', '#/list?q=a', '#/progress', ...records.map((record) => address(record.id))]) {
      await go(page, place);
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      check(wide <= 0, `${place} is ${wide} pixels too wide`);
    }
    same(await page.evaluate('[typeof window.pwned, document.cookie]'), ['undefined', ''], 'nothing ran');
    return page;
  },

  /** Thousands of issues: the page opens, finds and sorts, and draws only a part of them. */
  async many(browser, file) {
    const page = await open(browser, file);
    console.log(`opened in ${Math.round(await page.evaluate('performance.now()'))} ms`);
    check(await page.evaluate('document.querySelectorAll(".card").length') <= 160, 'the board shows a part');
    await page.goto(`file://${file}#/list`);
    await becomes(page, 'document.querySelectorAll("tbody tr").length', 200, 'so does the list');
    await page.click('.more');
    await becomes(page, 'document.querySelectorAll("tbody tr").length', 400, 'and more on demand');
    await page.fill('#search', 'needle4711');
    await becomes(page, 'document.querySelectorAll("tbody tr").length', 1, 'one of all');
    await page.fill('#search', '');
    await page.click('[data-sort=title]');
    await becomes(page, 'document.querySelector("[data-sort=title]").parentNode.getAttribute("aria-sort")', 'ascending', 'sorted');
    await go(page, '#/graph/big-epic');
    await page.waitForSelector('.node.focus');
    check(await page.evaluate('document.querySelectorAll(".node").length') <= 60, 'the graph draws a part');
    check((await page.textContent('#count')).includes('too many for one picture'), 'and says so');
    return page;
  },
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
  for (const place of ['board', 'list', 'graph/bd-epic', 'progress', 'bd-api']) {
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
