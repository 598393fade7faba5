// Drives the live page as it is read.

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { check, same } from '../page/driver.mjs';
import { appears, beads, clients, folder, go, open, right, run, scenario, serve, text } from './kit.mjs';

const scenarios = {
  async live(browser) {
    const { address } = await serve();
    const page = await open(browser, address);
    check(!page.url().includes('k='), 'the key has left the address');
    await go(page, '#/repo/board');
    await page.waitForSelector('.card a');
    const first = await page.$eval('.card a', (link) => link.dataset.item);
    await page.focus('.card a');
    await page.keyboard.press('Enter');
    await page.waitForSelector('aside:not([hidden]) article');
    await page.focus('.card a');
    await page.keyboard.press('f');
    await page.keyboard.type('pri');
    beads('create', 'Made by another process', '-p', '0');
    await appears(page, 'Made by another process');
    same(await page.$eval('#menu input', (field) => field.value), 'pri', 'what was typed');
    check(await page.$eval('#menu', (menu) => menu.matches(':popover-open')), 'the menu is open');
    await page.keyboard.press('Escape');
    await page.focus(`main [data-item="${first}"]`);
    beads('update', first, '--title', 'Another title of it');
    await appears(page, 'Another title of it');
    same(await page.evaluate(() => document.activeElement.dataset.item), first, 'the focus is on the same issue');
    await page.waitForFunction(() => document.querySelector('#panel h2').textContent === 'Another title of it');
    // Text in the search field, and a page that is scrolled.
    await page.fill('#search', 'another');
    await page.waitForURL(/q=another/);
    beads('create', 'And another one');
    await appears(page, 'And another one');
    same(await page.$eval('#search', (field) => field.value), 'another', 'the query');
    same(await page.evaluate(() => document.activeElement.id), 'search', 'the focus stays in the field');
    await page.fill('#search', '');
    for (let n = 0; n < 30; n += 1) beads('q', `Number ${n}`, '-p', '4');
    await go(page, '#/repo/list');
    await page.waitForSelector('main table');
    await appears(page, 'Number 29');
    await page.$eval('.scroll', (it) => { it.scrollTop = 200; });
    const placeOf = () => page.evaluate(() => [...document.querySelectorAll('td.what [data-item]')].find((it) => it.textContent === 'Number 29').getBoundingClientRect().y);
    const place = await placeOf();
    beads('create', 'Above all', '-p', '0');
    await appears(page, 'Above all');
    await page.waitForFunction(() => document.querySelector('.scroll').scrollTop > 200);
    same(await placeOf(), place, 'what is seen stays where it is');
    // Also where the open issue is not seen any more.
    await page.click('td.what [data-item]');
    await page.waitForSelector('aside:not([hidden]) article');
    await page.$eval('.scroll', (it) => { it.scrollTop = 200; });
    beads('create', 'Below most', '-p', '4');
    await appears(page, 'Below most');
    same(await page.$eval('.scroll', (it) => it.scrollTop), 200, 'it is scrolled as before');
    await page.keyboard.press('Escape');
    await go(page, `#/repo/list?q=${encodeURIComponent('is:opn')}`);
    await page.waitForSelector('.notice mark');
    check((await text(page, '.notice')).includes('did you mean'), 'a fault is explained');
    // A page that is loaded again has its key still.
    await page.reload();
    await page.waitForSelector('.notice');
    same(page.wrong.filter((it) => !it.includes('400')), [], 'nothing goes wrong');
    // An address that begins with more than the inbox.
    const board = await open(browser, (await serve('--show', 'board?q=priority:0')).address);
    await appears(board, 'Above all');
    check(board.url().endsWith('#/repo/board?q=priority:0'), board.url());
    const issue = await open(browser, (await serve('--show', 'app-9hn2')).address);
    await issue.waitForSelector('article h2');
    check((await text(issue, 'article')).includes('app-9hn2'), 'the issue is shown');
    right(board);
    right(issue);
  },
  async patched(browser) {
    const { address } = await serve();
    const page = await open(browser, address);
    const asked = [];
    page.on('request', (request) => { if (request.url().endsWith('/api/scene')) asked.push(request.postDataJSON().scene); });
    const parts = 'main :is(tbody tr, .card)';
    const remember = () => page.evaluate((of) => { for (const it of document.querySelectorAll(of)) it.isOld = true; }, parts);
    const others = () => page.evaluate((of) => [...document.querySelectorAll(of)].filter((it) => !it.isOld).flatMap((it) => it.querySelector('[data-item]')?.textContent ?? []), parts);
    // Another column is another board.
    beads('q', 'Of the last column', '-p', '4');
    const places = ['#/repo/list', '#/repo/list?q=group%3Apriority', '#/repo/board', '#/repo/board?q=group%3Apriority'];
    for (const [n, place] of places.entries()) {
      const made = beads('q', `Made before ${n}`, '-p', '1');
      await go(page, place);
      await page.waitForFunction((to) => to.includes(document.body.dataset.screen) && to.includes('q=') === document.querySelector('#bar').classList.contains('narrowed'), place);
      await appears(page, `Made before ${n}`);
      await remember();
      beads('update', made, '--title', `Changed ${n}`);
      await appears(page, `Changed ${n}`);
      same(await others(), [`Changed ${n}`], `what is drawn anew on ${place}`);
      await remember();
      beads('update', made, '-p', '4');
      await page.waitForFunction((of) => document.querySelector(`main [data-item="${of}"]`).closest('tr, .card').querySelector('.priority').textContent === 'P4', made);
      same(await others(), [`Changed ${n}`], `what has another place on ${place}`);
      const count = await text(page, '#count');
      beads('done', made, '-r', 'seen');
      await page.waitForFunction(([of, was]) => document.querySelector('#count').textContent !== was || document.querySelector(`[data-column=done] [data-item="${of}"]`), [made, count]);
    }
    // What is here and has not moved is not fetched again.
    await go(page, '#/repo/list');
    await appears(page, 'Title');
    const [first, second] = await page.$$eval('main td.what [data-item]', (all) => all.map((it) => it.dataset.item));
    for (const id of [first, second]) {
      await page.click(`main [data-item="${id}"]`);
      await page.waitForFunction((of) => document.querySelector('#panel article')?.ariaLabel === of, id);
    }
    asked.length = 0;
    await page.click(`main [data-item="${first}"]`);
    await page.waitForFunction((of) => document.querySelector('#panel article')?.ariaLabel === of, first);
    same(asked, [], 'nothing is asked for');
    beads('update', first, '--title', 'Moved on');
    await page.waitForFunction(() => document.querySelector('#panel h2').textContent === 'Moved on');
    same([...new Set(asked)].toSorted(), ['inbox', 'issue', 'rows'], 'what is drawn is asked for, as it has moved');
    // A menu that was opened before knows a new word.
    await page.click('#filter');
    await page.waitForSelector('#menu .entry');
    await page.keyboard.press('Escape');
    beads('create', 'With a new word', '--label', 'never-seen');
    await appears(page, 'With a new word');
    await page.click('#filter');
    await page.waitForFunction(() => document.querySelector('#menu').textContent.includes('never-seen'));
    right(page);
  },
  async tabs(browser) {
    const { address, base } = await serve();
    const pages = [await open(browser, address)];
    // The others get the key from the first one.
    for (let n = 1; n < 8; n += 1) pages.push(await open(browser, `${base}#/repo/list`));
    await go(pages[0], '#/repo/list');
    for (const page of pages) await page.waitForSelector('main table');
    beads('create', 'Seen in each');
    for (const page of pages) await appears(page, 'Seen in each');
    same(pages.reduce((sum, page) => sum + page.streams, 0), 1, 'one stream');
    const taken = Promise.any(pages.slice(1).map((page) => page.waitForRequest(/live/).then(() => page)));
    await pages[0].close();
    const second = await taken;
    beads('create', 'Seen by the rest');
    for (const page of pages.slice(1)) await appears(page, 'Seen by the rest');
    // What moves while no tab has the stream was told to none.
    await second.close();
    beads('create', 'While there was no stream');
    for (const page of pages.slice(1).filter((it) => it !== second)) { await appears(page, 'While there was no stream'); right(page); }
  },
  async many(browser) {
    const file = join(folder, '..', 'many.jsonl');
    const at = '2026-01-01T00:00:00Z';
    const lines = Array.from({ length: 450 }, (_, n) => JSON.stringify({ id: `app-many.${n + 1}`, title: `One of many ${n}`, status: 'open', priority: 3, issue_type: 'task', created_at: at, updated_at: at }));
    writeFileSync(file, lines.join('\n'));
    beads('import', file, '-q');
    for (const id of ['app-many.1', 'app-many.2']) beads('start', id, '-q');
    const { address } = await serve();
    const page = await open(browser, address);
    // On the board what was unfolded stays so, whatever goes and whatever column comes.
    await go(page, '#/repo/board');
    await page.waitForSelector('.card');
    const unfolded = () => page.$$eval('[data-column=ready] .card', (all) => all.length);
    beads('delete', 'app-many.1');
    await page.waitForFunction(() => !document.querySelector('[data-item="app-many.1"]'));
    same(await unfolded(), 50, 'no more is unfolded');
    for (let n = 0; n < 3; n += 1) await page.click('[data-column=ready] button.more:visible');
    same(await unfolded(), 200, 'all that a column shows');
    await page.focus('[data-item="app-many.120"]');
    await page.keyboard.press('Space');
    await page.waitForSelector('.card.marked');
    beads('delete', 'app-many.2');
    await page.waitForFunction(() => !document.querySelector('[data-item="app-many.2"]'));
    beads('defer', 'app-many.300', '--until', '2030-01-01');
    await page.waitForSelector('[data-column=deferred] .card');
    same([await unfolded(), await page.$$eval('.marked', (all) => all.length)], [200, 1], 'as it was');
    // Rows that are added are those of now.
    const rows = () => page.$$eval('td.what [data-item]', (all) => all.map((it) => it.dataset.item));
    const listed = () => JSON.parse(beads('list', '-n', '400', '--json')).issues.map((it) => it.id);
    await go(page, '#/repo/list');
    await page.waitForSelector('main table');
    await page.click('button.more');
    await page.waitForFunction(() => document.querySelectorAll('td.what').length === 400);
    const last = (await rows())[390];
    await go(page, '#/repo/board');
    await page.waitForSelector('.card');
    beads('done', last, '-r', 'over');
    for (const title of ['First', 'Second']) beads('create', title, '-p', '0');
    await appears(page, 'Second');
    await go(page, '#/repo/list');
    await page.waitForSelector('main table');
    await page.click('button.more');
    await page.waitForFunction(() => document.querySelectorAll('td.what').length === 400);
    same(await rows(), listed(), 'the rows');
    // Rows that are added, twice at once, while others come; a click while others come; another screen.
    const isRows = (request) => request.url().endsWith('/api/scene') && request.postDataJSON().scene === 'rows';
    const held = async (title) => {
      let lets;
      const gate = new Promise((done) => { lets = done; });
      await page.route((url) => url.pathname === '/api/scene', async (route) => {
        if (isRows(route.request()) && !route.request().postDataJSON().offset) await gate;
        await route.continue();
      });
      const coming = page.waitForRequest(isRows);
      beads('create', title, '-p', '0');
      await coming;
      return async () => { lets(); await page.unrouteAll({ behavior: 'wait' }); };
    };
    const third = await held('Third');
    await page.$eval('button.more', (more) => { more.click(); more.click(); });
    await page.waitForFunction(() => document.querySelectorAll('td.what').length > 400);
    await third();
    await appears(page, 'Third');
    same(new Set(await rows()).size, (await rows()).length, 'each once');
    const fourth = await held('Fourth');
    await page.click('[data-item="app-many.5"]');
    await fourth();
    await appears(page, 'Fourth');
    await page.waitForSelector('#panel article');
    const fifth = await held('Fifth');
    await page.keyboard.press('5');
    await page.waitForSelector('main .log');
    await fifth();
    await appears(page, 'Fifth');
    right(page);
    // After more issues than are kept, what is drawn each time is still there.
    await go(page, '#/repo/list');
    await page.waitForSelector('main table');
    await page.click('button.more');
    await page.waitForFunction(() => document.querySelectorAll('td.what').length > 300);
    await page.focus('td.what [data-item]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#panel article');
    for (let n = 0; n < 205; n += 1) {
      const next = (await rows())[n + 1];
      await page.keyboard.press('j');
      await page.waitForFunction((of) => document.querySelector('#panel article')?.ariaLabel === of, next);
    }
    right(page);
    // What could not be read is read later.
    const network = await page.context().newCDPSession(page);
    const conditions = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', { ...conditions, offline: true });
    beads('create', 'Sixth', '-p', '0');
    const other = (await rows())[2];
    await page.click(`td.what [data-item="${other}"]`);
    await page.waitForFunction(() => document.querySelector('#said').textContent.startsWith('Not connected'));
    await network.send('Network.emulateNetworkConditions', { ...conditions, offline: false });
    await appears(page, 'Sixth');
    await page.waitForFunction((of) => document.querySelector('#panel article')?.ariaLabel === of, other);
  },
  async gone(browser) {
    const first = await serve();
    const page = await open(browser, first.address);
    await go(page, '#/repo/list');
    await page.waitForSelector('main table');
    const ended = once(first.child, 'exit');
    first.child.kill();
    await ended;
    await page.waitForFunction(() => /^not connected since \d\d:\d\d, read only$/.test(document.querySelector('#live').textContent));
    check((await text(page, 'main')).length > 0, 'what was read is there still');
    beads('create', 'While it was gone');
    const second = await serve('--port', first.port);
    check(second.address !== first.address, 'another key');
    await page.waitForFunction(() => document.querySelector('#live').textContent.includes('earlier run'));
    // The new address in any tab is enough.
    const other = await open(browser, second.address);
    await appears(page, 'While it was gone');
    await page.waitForFunction(() => document.querySelector('#live').textContent === 'live');
    right(other);
  },
  async attacks(browser) {
    const { port, base, address } = await serve();
    const reader = await open(browser, address);
    const evil = createServer((_, answer) => { answer.setHeader('content-type', 'text/html'); answer.end('<title>evil</title>'); });
    evil.listen(0, '127.0.0.1');
    await once(evil, 'listening');
    const page = await browser.newPage();
    const read = [];
    page.on('response', (answer) => { if (answer.url().includes('/api/') && answer.status() < 400) read.push(answer.url()); });
    for (const host of ['evil.example', 'localhost', '127.0.0.1']) {
      await page.goto(`http://${host}:${evil.address().port}/`);
      const got = await page.evaluate(async (to) => {
        const tries = {
          page: () => fetch(to).then((it) => it.text()),
          scene: () => fetch(`${to}api/scene`, { method: 'POST', body: '{"scene":"inbox"}' }).then((it) => it.text()),
          blind: () => fetch(`${to}api/scene`, { method: 'POST', mode: 'no-cors', body: '{"scene":"inbox"}' }).then((it) => it.text()).then((it) => { if (!it) throw new Error('opaque'); return it; }),
          key: () => fetch(`${to}api/scene`, { method: 'POST', headers: { 'Beads-Key': 'x', 'Content-Type': 'application/json' }, body: '{"scene":"inbox"}' }).then((it) => it.text()),
          frame: () => new Promise((done, fail) => { const frame = document.createElement('iframe'); frame.src = to; frame.onload = () => { try { done(frame.contentDocument.title); } catch (error) { fail(error); } }; document.body.append(frame); setTimeout(() => fail(new Error('nothing')), 3000); }),
          window: () => new Promise((done, fail) => { const other = open(to); setTimeout(() => { try { done(other.document.title); } catch (error) { fail(error); } finally { other?.close(); } }, 500); }),
          script: () => new Promise((done, fail) => { const script = document.createElement('script'); script.src = to; script.onload = done; script.onerror = fail; document.body.append(script); }),
          form: () => { const form = document.createElement('form'); form.method = 'post'; form.enctype = 'text/plain'; form.action = `${to}api/scene`; form.target = 'nowhere'; document.body.append(form); form.submit(); throw new Error('sent'); },
        };
        const found = {};
        for (const [name, attempt] of Object.entries(tries)) {
          try { found[name] = String(await attempt()); } catch { /* as it should be */ }
        }
        return found;
      }, base);
      same(got, {}, `${host} reads nothing`);
    }
    // A name of theirs that leads to this machine.
    for (const place of ['', 'api/scene']) {
      const answer = await page.goto(`http://evil.example:${port}/${place}`).catch(() => null);
      same(answer?.status(), 421, 'another name is not served');
    }
    const rebound = await page.evaluate(() => fetch('/api/scene', { method: 'POST', headers: { 'Beads-Key': 'x' }, body: '{}' }).then((it) => it.status));
    same(rebound, 421, 'nor read from there');
    same(read, [], 'no call was answered');
    check((await reader.$$('main .item')).length > 0, 'the reader reads on');
    evil.close();
  },
  async repositories(browser) {
    const { address } = await serve();
    const page = await open(browser, address);
    await appears(page, 'Something elsewhere');
    const names = await page.$$eval('#repos a .text', (all) => all.map((it) => it.textContent));
    same(names, ['All repositories', 'repo', 'other'], 'the rail');
    // The words of a filter are those of all of them.
    await page.click('#filter');
    for (const label of ['later', 'away']) await page.waitForSelector(`#menu li[data-word="${label}"]`);
    await page.keyboard.press('Escape');
    await page.click('main .item:has-text("Something elsewhere") a');
    await page.waitForSelector('aside article');
    check(page.url().includes('#//inbox?issue='), 'beside the inbox of all');
    await page.click('#panel a.button:has-text("Graph")');
    await page.waitForURL(/#\/other\/graph\//);
    await page.waitForSelector('.node');
    await page.click('#repos a:has-text("repo"):not(:has-text("All"))');
    await page.waitForURL(/#\/repo\/graph/);
    await page.keyboard.press('3');
    await page.waitForURL(/#\/repo\/list/);
    await page.keyboard.press('0');
    await page.waitForURL(/#\/\/inbox/);
    await page.goBack();
    await page.waitForSelector('main table');
    for (const [key, wait] of [['4', '.plan'], ['5', '.log'], ['6', '.stats'], ['2', '.board'], ['1', '.list']]) {
      await page.keyboard.press(key);
      await page.waitForSelector(`main ${wait}`);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.click('#repo');
    await page.click('#menu .entry:has-text("other")');
    await page.waitForURL(/#\/other\//);
    right(page);
  },
  async access(browser) {
    const { address } = await serve();
    const source = readFileSync(join(clients, 'node_modules/axe-core/axe.min.js'), 'utf8');
    const places = ['#//inbox', '#/repo/inbox', '#/repo/board', '#/repo/list', '#/repo/graph', '#/repo/log', '#/repo/stats'];
    for (const [width, height] of [[1440, 900], [390, 844]]) {
      for (const scheme of ['light', 'dark']) {
        const page = await open(browser, address, { width, height, scheme });
        await page.waitForSelector('main .item');
        await page.evaluate(source);
        const id = await page.$eval('main .item a', (link) => link.getAttribute('href'));
        for (const place of [...places, id]) {
          await go(page, place);
          await page.waitForFunction((to) => location.hash === to && document.querySelector('main').childElementCount > 0, place);
          await page.waitForTimeout(100);
          const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' ')}`)));
          same(found, [], `${place} at ${width}, ${scheme}`);
        }
        right(page);
        await page.close();
      }
    }
  },
};

run(scenarios, scenario === 'attacks' ? ['--host-resolver-rules=MAP evil.example 127.0.0.1'] : []);
