// Does the jobs of a day in the live page: by mouse, by keys and by touch.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';

import { check, same } from '../page/driver.mjs';
import { appears, beads, becomes, folder, go, open, right, run, serve, text } from './kit.mjs';

const shown = (id) => JSON.parse(beads('show', id, '--json')).issue;
const git = (...args) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
const said = (page, what) => becomes(page, (of) => document.querySelector('#said').textContent.includes(of), what);
const row = (id) => `main [aria-label="Needs you"] .item:has([data-item$="${id}"])`;
const in_row = (id, name) => `${row(id)} .does button:has-text("${name}")`;
const gone = (page, selector) => page.waitForFunction((of) => !document.querySelector(of), selector);
const commits = () => beads('log', '-q', '--limit', '0').split('\n').length;
/** Starts a server and opens a page of it at a place. */
async function begin(browser, place = '#/repo/inbox', more = {}) {
  const page = await open(browser, (await serve(...(more.args ?? []))).address, more);
  await go(page, place);
  // The inbox of all repositories is drawn first, where there is one.
  const isThere = (to) => location.hash === to && document.querySelector('main').childElementCount > 0 && (to.startsWith('#//') || document.querySelector('#name').textContent !== 'All repositories');
  await page.waitForFunction(isThere, place);
  return page;
}
const focus = (page, id) => page.focus(`main [data-item$="${id}"]`);

const scenarios = {
  async questions(browser) {
    const page = await begin(browser);
    // One click.
    await page.click(in_row('app-9hn2', '#222'));
    await said(page, 'app-9hn2: answered: #222');
    same(beads('inbox', '-q'), '', 'the question is answered');
    await gone(page, row('app-9hn2'));
    // It is among what is ready then; the row in its place is the next to answer.
    const is_next = () => /app-(q5zt|b0w4)$/.test(document.activeElement.dataset.item);
    check(await page.evaluate(is_next), 'the next row of this part has the focus');
    await page.click('#said button');
    await said(page, 'undone: app-9hn2: answered: #222');
    await page.waitForSelector(row('app-9hn2'));
    await page.keyboard.press('Shift+U');
    await said(page, 'done again: app-9hn2');
    await gone(page, row('app-9hn2'));
    await page.keyboard.press('u');
    await page.waitForSelector(row('app-9hn2'));
    // What is answered from a box is drawn before the box knows that it was taken.
    await page.evaluate((of) => {
      const sends = window.fetch;
      window.fetch = async (...asked) => {
        const answer = await sends(...asked);
        if (asked[1]?.body?.includes('"act":"answer","id":"app-9hn2"')) while (document.querySelector(of)) await new Promise(requestAnimationFrame);
        return answer;
      };
    }, row('app-9hn2'));
    // In words, by keys: what is typed and two keys.
    await focus(page, 'app-9hn2');
    await page.keyboard.press('Shift+A');
    await page.waitForSelector('#ask:popover-open textarea');
    check((await text(page, '#ask')).includes('Which of the two greys?'), 'what was asked is shown');
    await page.keyboard.type('the darker one');
    await page.keyboard.press('Enter');
    await said(page, 'answered: the darker one');
    await gone(page, row('app-9hn2'));
    await becomes(page, is_next, 'the next row of this part has the focus after a box too');
    check(JSON.stringify(shown('app-9hn2')).includes('the darker one') || beads('show', 'app-9hn2').includes('the darker one'), 'the answer is there');
    // What is blocked for a reason is answered by a comment.
    const before = commits();
    await page.click(in_row('app-q5zt', 'Answer'));
    await page.keyboard.type('the MIT one');
    await page.keyboard.press('Enter');
    await said(page, 'app-q5zt: answered: the MIT one');
    same(shown('app-q5zt').status, 'open', 'it waits no more');
    same(commits(), before + 1, 'one commit');
    // What was answered and taken back is told in words.
    await go(page, '#/repo/issue/app-9hn2');
    await page.waitForSelector('main article .facts');
    const told = await text(page, 'main');
    check(told.includes('took back: answered') && !/[0-9A-Z]{26}/.test(told), 'the history says what was taken back');
    // An issue beside a screen that has no row of it stays open after a box.
    await go(page, '#/repo/inbox?issue=app-m6r0');
    await page.click('#panel button:has-text("Comment")');
    await page.waitForSelector('#ask:popover-open textarea');
    await page.keyboard.type('Later');
    await page.keyboard.press('Enter');
    await said(page, 'app-m6r0: commented');
    await becomes(page, () => !document.querySelector('#ask').matches(':popover-open') && document.activeElement.closest('#panel'), 'the panel has the focus');
    right(page);
  },
  async review(browser) {
    git('commit', '-q', '--allow-empty', '-m', 'Store counters\n\nCloses: app-x81m');
    for (const id of ['app-3f9k', 'app-2ss6'].filter((it) => beads('list', '--all', '-q', '-n', '0').includes(it))) beads('--agent', 'c-1', 'done', id, '-r', 'it works', '--force', '-q');
    const page = await begin(browser);
    await page.click(in_row('app-x81m', 'Close'));
    await said(page, 'app-x81m: closed: Store counters');
    check(shown('app-x81m').evidence.commit, 'with its commit');
    await gone(page, row('app-x81m'));
    await page.click(in_row('app-3f9k', 'Change'));
    await page.waitForSelector('#panel article');
    check((await text(page, '#panel')).includes('No change'), 'that there is none is said');
    await page.keyboard.press('Escape');
    await page.waitForSelector('#panel article .facts');
    await page.keyboard.press('Escape');
    // The change, and its acceptance: two keys.
    await page.click(in_row('app-3f9k', 'Accept'));
    await said(page, 'app-3f9k: accepted');
    await gone(page, row('app-3f9k'));
    await page.keyboard.press('u');
    await page.waitForSelector(row('app-3f9k'));
    await focus(page, 'app-3f9k');
    await page.keyboard.press('Shift+X');
    await page.keyboard.type('no test');
    await page.keyboard.press('Enter');
    await said(page, 'app-3f9k: open again: no test');
    // The change of what was closed.
    await go(page, '#/repo/issue/app-x81m');
    await page.waitForSelector('main article .facts');
    await page.keyboard.press('v');
    await page.waitForSelector('main .patch');
    check((await text(page, 'main')).includes('Store counters'), 'the message');
    // What was sent back is the issue again.
    await page.click('main .does button:has-text("Send back")');
    await page.waitForSelector('#ask:popover-open textarea');
    await page.keyboard.type('not yet');
    await page.keyboard.press('Enter');
    await said(page, 'app-x81m: open again: not yet');
    await page.waitForSelector('main article .facts');
    await go(page, '#/repo/inbox');
    // A claim that is stale is let go by one click.
    await page.click(in_row('app-b0w4', 'Let go'));
    await said(page, 'app-b0w4: open again');
    right(page);
  },
  async fields(browser) {
    const page = await begin(browser, '#/repo/list');
    await page.waitForSelector('main table');
    await page.keyboard.press('j');
    const ids = await page.$$eval('main [data-item]', (all) => all.slice(0, 3).map((it) => it.dataset.item));
    const before = commits();
    for (const key of ['Space', 'j', 'Space', 'j', 'Space', 'p', '2']) await page.keyboard.press(key);
    await said(page, ': priority 2');
    for (const id of ids) same(shown(id).priority, 2, `${id} is less urgent`);
    same(commits(), before + 1, 'one commit');
    await page.keyboard.press('u');
    await said(page, 'undone');
    await go(page, '#/repo/issue/app-7c2d');
    await page.waitForSelector('main .facts');
    const press = async (key, title) => { await page.keyboard.press(key); if (title) await page.waitForFunction((of) => [...document.querySelectorAll('#menu:popover-open, #ask:popover-open')].some((it) => it.getAttribute('aria-label').includes(of)), title); };
    await press('r', 'Title of app-7c2d');
    await page.keyboard.type('Uploads time out');
    await page.keyboard.press('Enter');
    await said(page, 'title Uploads time out');
    await press('a', 'Assign app-7c2d');
    await page.keyboard.type('nina');
    await page.click('#menu .new button');
    await said(page, 'assignee nina');
    await press('#', 'Labels of app-7c2d');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await said(page, 'app-7c2d: labels -');
    await press('t', 'Type of app-7c2d');
    await page.keyboard.type('chore');
    await page.keyboard.press('Enter');
    await said(page, 'type chore');
    await press('c', 'Comment on app-7c2d');
    await page.keyboard.type('seen again today');
    await page.keyboard.press('Enter');
    await said(page, 'app-7c2d: commented: ');
    const issue = shown('app-7c2d');
    same([issue.title, issue.assignee, issue.type], ['Uploads time out', 'nina', 'chore'], 'what was changed');
    // A text of several lines, with a look at it.
    await appears(page, 'seen again today');
    await page.click('.facts button:has-text("Due")');
    await page.keyboard.type('2030-01-31');
    await page.keyboard.press('Enter');
    await said(page, 'due 2030-01-31');
    await press('e', 'Edit app-7c2d');
    await page.keyboard.press('d');
    await page.waitForSelector('#ask.long:popover-open textarea');
    await page.fill('#ask textarea', '# Why\n\nIt **hurts**.');
    await page.click('#ask button:has-text("Preview")');
    await page.waitForSelector('#ask .preview strong');
    await page.click('#ask button:has-text("Preview")');
    await page.focus('#ask textarea');
    await page.keyboard.press('Control+Enter');
    await said(page, 'app-7c2d: description');
    await page.waitForSelector('main .texts strong');
    // Links, by what finds an issue.
    await press('d', 'Links of app-7c2d');
    await press('w', 'waits for');
    await page.keyboard.type('counters');
    await page.waitForSelector('#menu .entry:has-text("app-x81m")');
    await page.keyboard.press('Enter');
    await said(page, 'app-7c2d: waits for app-x81m');
    await page.waitForSelector('main .stop:has-text("Waits for")');
    await press('Shift+D');
    await said(page, '`u` brings it back');
    await page.keyboard.press('u');
    await said(page, 'undone');
    await press('n', 'New issue in repo');
    await page.keyboard.type('Made in the page');
    await page.keyboard.press('Enter');
    await said(page, 'created: Made in the page');
    check(beads('list').includes('Made in the page'), 'a new issue');
    await page.click('#said a');
    await page.waitForFunction(() => document.querySelector('article h2')?.textContent === 'Made in the page');
    right(page);
  },
  async board(browser) {
    const page = await begin(browser, '#/repo/board');
    await page.waitForSelector('.card');
    const id = await page.$eval('[data-column=ready] .card', (card) => card.dataset.card);
    const place = (selector) => page.$eval(selector, (it) => { const { x, y, width } = it.getBoundingClientRect(); return { x: x + width / 2, y: y + 20 }; });
    const drag = async (from, to, drops = true) => {
      const [a, b] = [await place(from), await place(to)];
      await page.mouse.move(a.x, a.y);
      await page.mouse.down();
      await page.mouse.move((a.x + b.x) / 2, a.y + 5, { steps: 4 });
      await page.mouse.move(b.x, b.y + 60, { steps: 4 });
      if (drops) await page.mouse.up();
    };
    const card = (of) => `.card[data-card="${of}"]`;
    await drag(card(id), '[data-column=in_progress]', false);
    same(await text(page, '.drop'), 'start', 'what a drop does is said');
    await page.keyboard.press('Escape');
    await page.mouse.up();
    same(await page.$('.ghost'), null, 'Esc ends it');
    same(shown(id).status, 'open', 'and nothing has moved');
    check(!page.url().includes('issue='), 'nor was it opened');
    await drag(card(id), '[data-column=in_progress]');
    await said(page, `${id}: in progress by`);
    await page.waitForSelector(`[data-column=in_progress] ${card(id)}`);
    await focus(page, id);
    await page.keyboard.press('Shift+H');
    await said(page, `${id}: open again`);
    await page.waitForSelector(`[data-column=ready] ${card(id)}`);
    await drag(card(id), '[data-column=blocked]');
    await page.waitForSelector('#ask:popover-open textarea');
    await page.keyboard.type('the paint is wet');
    await page.keyboard.press('Enter');
    await page.waitForSelector(`[data-column=blocked] ${card(id)}`);
    await page.waitForFunction((of) => document.querySelector(of)?.textContent.includes('the paint is wet'), card(id));
    await drag(card(id), '[data-column=done]');
    await page.waitForSelector('#ask:popover-open textarea');
    await page.keyboard.press('Escape');
    same(shown(id).status, 'blocked', 'left');
    // What another has moved meanwhile is not moved on.
    await drag(card(id), '[data-column=ready]', false);
    beads('--actor', 'lea', 'update', id, '--status', 'open');
    beads('--actor', 'lea', 'start', id);
    await page.mouse.up();
    await said(page, `${id} is in_progress, not blocked`);
    same(shown(id).assignee, 'lea', 'it is hers');
    right(page);
  },
  async conflict(browser) {
    const page = await begin(browser, '#/a/inbox');
    const need = JSON.parse(beads('inbox', '--all', '--json')).needs?.[0] ?? {};
    await page.waitForSelector('main .does button');
    await page.click('main .does button:nth-child(2)');
    await said(page, 'priority settled');
    same(beads('conflicts', '-q'), '', `settled ${need.issue ?? ''}`);
    await gone(page, 'main .does');
    right(page);
  },
  /** What was typed stays, whatever fails. */
  async failing(browser) {
    const server = await serve();
    const page = await open(browser, server.address);
    await go(page, '#/repo/issue/app-7c2d');
    await page.waitForSelector('main .facts');
    await page.keyboard.press('r');
    await page.waitForSelector('#ask:popover-open textarea');
    await page.keyboard.type('Mine');
    beads('--actor', 'lea', 'update', 'app-7c2d', '--title', 'Hers');
    await appears(page, 'Hers');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#ask .notice:not([hidden])');
    check((await text(page, '#ask .notice')).includes('Hers'), 'what it is now is said');
    same(await page.$eval('#ask textarea', (it) => it.value), 'Mine', 'what was typed');
    await page.keyboard.press('Enter');
    await said(page, 'title Mine');
    same(shown('app-7c2d').title, 'Mine', 'sent again it counts');
    await page.keyboard.press('c');
    await page.waitForSelector('#ask:popover-open textarea');
    await page.keyboard.type('Half a comm');
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await page.waitForSelector('#ask:popover-open textarea');
    same(await page.$eval('#ask textarea', (it) => it.value), 'Half a comm', 'a draft is kept');
    server.child.kill();
    await once(server.child, 'exit');
    await page.waitForFunction(() => document.querySelector('#live').textContent.includes('not connected'));
    await page.keyboard.press('Enter');
    await page.waitForSelector('#ask .notice:not([hidden])');
    check((await text(page, '#ask .notice')).includes('Not connected'), 'said');
    same(await page.$eval('#ask textarea', (it) => it.value), 'Half a comm', 'it is there still');
    await serve('--port', server.port);
    await page.waitForFunction(() => document.querySelector('#live').textContent.includes('earlier run'));
    await page.focus('#ask textarea');
    await page.keyboard.type('!');
    same(await page.evaluate(() => Object.keys(sessionStorage).filter((it) => it.includes('draft'))), [], 'no draft is left to a page of another run');
  },
  async reading(browser) {
    const page = await begin(browser, '#/repo/inbox', { args: ['--read-only'] });
    same(await page.$('#new:not([hidden])'), null, 'no new issue');
    await focus(page, 'app-9hn2');
    const before = commits();
    await page.click(in_row('app-9hn2', '#222'));
    await said(page, 'Nothing can be changed here');
    await focus(page, 'app-9hn2');
    await page.keyboard.press('i');
    await said(page, 'Nothing can be changed here');
    same(commits(), before, 'nothing was changed');
    right(page);
  },
  async palette(browser) {
    const page = await begin(browser);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('stats');
    await page.keyboard.press('Enter');
    await page.waitForSelector('main .stats');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('licences');
    await page.keyboard.press('Escape');
    await page.keyboard.press(':');
    await page.waitForSelector('#menu:popover-open input');
    await page.keyboard.type('Uploads');
    await page.waitForSelector('#menu .found');
    await page.keyboard.press('Enter');
    await page.waitForURL(/issue[/=]app-7c2d/);
    await page.waitForSelector('main .facts, #panel .facts');
    await page.keyboard.press('?');
    await page.waitForSelector('#keys[open]');
    const keys = await text(page, '#keys');
    for (const words of ['Answer the question', 'Accept that it is done', 'asks nothing']) check(keys.includes(words), `${words} is in the keys: ${keys}`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('1');
    await page.waitForSelector('main .list');
    // What others did, until it was looked at.
    beads('whats-new');
    beads('--actor', 'lea', 'note', 'app-7c2d', '--decision', 'count per key');
    await page.waitForSelector('section[aria-label="Since you looked"] .item:has-text("count per key")');
    // First it is shown, and then marked.
    await page.keyboard.press('=');
    await page.waitForSelector('section[aria-label="Since you looked"] [data-item]:focus');
    await page.keyboard.press('=');
    await gone(page, 'section[aria-label="Since you looked"]');
    right(page);
  },
  /** An act is for the issue that its reader saw, and for no other. */
  async meant(browser) {
    for (const id of ['app-3f9k', 'app-x81m', 'app-m6r0']) beads('--agent', 'c-1', 'done', id, '--force', '-q');
    const page = await begin(browser);
    const reviews = () => page.$$eval('main .item:has([aria-label="To accept"]) [data-item]', (all) => all.map((it) => it.dataset.item));
    const [first, second] = await reviews();
    // What has come into the place of the first is not accepted by the second click.
    const { x, y } = await page.$eval(`main .item:has([data-item="${first}"]) button:has-text("Accept")`, (it) => { const place = it.getBoundingClientRect(); return { x: place.x + 5, y: place.y + 5 }; });
    await page.mouse.click(x, y);
    await said(page, `${first}: accepted`);
    await page.waitForFunction((of) => !document.querySelector(`[aria-label="Needs you"] [data-item="${of}"]`), first);
    const focused = () => page.evaluate(() => [document.activeElement.tagName, document.activeElement.dataset.item]);
    same(await focused(), ['A', second], 'the next row has the focus, and no button of it');
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    check((await reviews()).includes(second), 'the second one is there still');
    // Nor is another one by a press that was meant for what was there when it was aimed at: by mouse, which rests, and by finger.
    for (const [n, pointerType] of ['mouse', 'touch'].entries()) {
      await page.evaluate(({ n, pointerType }) => { window.pressed = new Promise((done) => {
        const rows = () => [...document.querySelectorAll('[aria-label="Needs you"] .item')];
        const last = rows().at(-1);
        const name = last.querySelector('[data-item]').dataset.item;
        const { x, y } = last.querySelector('.does button:last-of-type').getBoundingClientRect();
        const press = () => {
          const item = document.elementFromPoint(x + 5, y + 5)?.closest('.item');
          const there = item?.querySelector('.does button');
          if (!there || item.querySelector('[data-item]').dataset.item === name) return;
          watch.disconnect();
          // In the order of Chromium: a finger is taken off before the button has the focus.
          const up = () => there.dispatchEvent(new PointerEvent('pointerup', { bubbles: true, pointerType }));
          there.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, clientX: x + 5, clientY: y + 5, pointerType }));
          for (const event of n ? [up, () => there.focus()] : [() => there.focus(), up]) event();
          there.click();
          done(document.querySelector('#said').textContent);
        };
        const watch = new MutationObserver(press);
        watch.observe(document.querySelector('main'), { childList: true, subtree: true });
        document.querySelector('#said').textContent = '';
      }); }, { n, pointerType });
      beads('--agent', 'c-2', 'ask', 'app-7c2d', `One more, by ${n}?`);
      check((await page.evaluate(() => window.pressed)).includes('has just taken the place of another'), 'that another one is there is said');
    }
    // Marks are for what is marked, and end where they are not seen.
    await go(page, '#/repo/list');
    await page.waitForSelector('main table');
    await focus(page, 'app-7c2d');
    await page.keyboard.press('Space');
    await page.waitForSelector('tr.marked');
    await focus(page, 'app-9hn2');
    await page.keyboard.press('i');
    await said(page, 'app-9hn2: assignee me');
    check(shown('app-7c2d').assignee !== shown('app-9hn2').assignee, 'the marked one is as it was');
    // A text begins with what is there now, not with what was known of an issue that was open before.
    await page.click('main [data-item="app-9hn2"]');
    await page.waitForSelector('#panel article');
    await page.keyboard.press('Escape');
    beads('update', 'app-9hn2', '--title', 'Hers', '--description', 'Her text', '--due', '2030-01-01');
    await appears(page, 'Hers');
    for (const [keys, has] of [['r', 'Hers'], ['ed', 'Her text'], ['eu', '2030-01-01']]) {
      await focus(page, 'app-9hn2');
      for (const key of keys) await page.keyboard.press(key);
      await becomes(page, (text) => document.querySelector('#ask:popover-open textarea')?.value.startsWith(text), has);
      await page.keyboard.press('Escape');
    }
    // One that could not be read is not taken for an empty one.
    await page.route((url) => url.pathname === '/api/scene', (route) => (route.request().postDataJSON().scene === 'issue' ? route.fulfill({ status: 409, json: { message: 'the index is busy', code: 'io' } }) : route.continue()));
    beads('update', 'app-9hn2', '--title', 'Hers again');
    await appears(page, 'Hers again');
    await focus(page, 'app-9hn2');
    for (const key of 'ed') await page.keyboard.press(key);
    await becomes(page, () => document.querySelector('#ask .notice')?.textContent.includes('the index is busy'), 'a reason');
    await page.keyboard.type('Mine');
    await page.keyboard.press('Control+Enter');
    same(shown('app-9hn2').description, 'Her text', 'nothing was written');
    await page.unrouteAll({ behavior: 'wait' });
    await page.keyboard.press('Escape');
    await page.evaluate(() => { for (const name of Object.keys(sessionStorage)) if (name.startsWith('git-beads-draft')) sessionStorage.removeItem(name); });
    // Below the title of a new one is what it is about.
    await page.keyboard.press('n');
    await page.waitForSelector('#ask:popover-open textarea');
    await page.keyboard.type('Gift cards');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('Sell them');
    await page.keyboard.press('Enter');
    await appears(page, 'Gift cards');
    const made = JSON.parse(beads('list', '--where', 'gift', '--json')).issues[0];
    same([made.title, shown(made.id).description], ['Gift cards', 'Sell them'], 'title and description');
    // An undo is for the act before it, though that is on its way.
    await focus(page, 'app-9hn2');
    await page.keyboard.press('Shift+D');
    await page.keyboard.press('u');
    await said(page, 'undone: app-9hn2: deleted');
    same(shown('app-9hn2').status, 'open', 'it is back');
    // An answer in words may begin with the number of an option.
    await go(page, '#/repo/inbox');
    await page.waitForSelector(row('app-9hn2'));
    await focus(page, 'app-9hn2');
    await page.keyboard.press('Shift+A');
    await page.waitForSelector('#ask:popover-open textarea');
    await page.keyboard.insertText('2 of both');
    same(await page.$eval('#ask textarea', (it) => it.value), '2 of both', 'the answer');
    // It is there after a reload too, and no change takes the focus out of it, however small the page is.
    await page.reload();
    await page.waitForSelector(row('app-9hn2'));
    await page.setViewportSize({ width: 400, height: 800 });
    await go(page, '#/repo/inbox?issue=app-9hn2');
    await page.waitForSelector('#panel .facts');
    await page.click('#panel .stop button:has-text("Answer")');
    await page.waitForSelector('#ask:popover-open textarea');
    same(await page.$eval('#ask textarea', (it) => it.value), '2 of both', 'the draft');
    await page.keyboard.press('End');
    await page.keyboard.type(', ');
    beads('--actor', 'lea', 'update', 'app-7c2d', '--title', 'Another');
    await page.waitForFunction(() => document.querySelector('main').textContent.includes('Another'));
    await page.keyboard.type('Done');
    await page.keyboard.press('Enter');
    await said(page, 'answered: 2 of both, Done');
    check(await page.$('#said button') !== null, 'and can be undone');
    right(page);
  },
  async touch(browser) {
    const page = await begin(browser, '#/repo/inbox', { width: 390, height: 844 });
    const client = await page.context().newCDPSession(page);
    await client.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    const tap = async (selector) => {
      let place = { height: 0 };
      // What is drawn again in between has no place.
      while (!place.height) place = await page.locator(selector).first().evaluate((it) => { it.scrollIntoView({ block: 'nearest' }); return it.getBoundingClientRect().toJSON(); });
      const { x, y, width, height } = place;
      check(height >= 43.5, `${selector} is large enough for a finger: ${height}`);
      const touchPoints = [{ x: x + width / 2, y: y + height / 2 }];
      await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
      await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    await tap(in_row('app-9hn2', '#333'));
    await said(page, 'app-9hn2: answered: #333');
    // A finger is put where a row was seen: what the last tap has changed is drawn first.
    await gone(page, row('app-9hn2'));
    // Half a second after its row has come up to there.
    await page.evaluate(() => { const { now } = Date; Date.now = () => now() + 500; });
    await tap(in_row('app-b0w4', 'Let go'));
    await said(page, 'app-b0w4: open again');
    await tap('#new');
    await page.waitForSelector('#ask:popover-open textarea');
    await page.keyboard.type('By finger');
    await tap('#ask .go');
    await said(page, 'created: By finger');
    await go(page, '#/repo/board');
    await page.waitForSelector('[data-column=ready] .card:has-text("By finger")');
    const id = await page.$eval('[data-column=ready] .card', (card) => card.dataset.card);
    await page.$eval('[data-column=ready]', (it) => it.scrollIntoView({ inline: 'start' }));
    const from = await page.$eval(`.card[data-card="${id}"]`, (it) => { const { x, y } = it.getBoundingClientRect(); return { x: x + 60, y: y + 20 }; });
    await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [from] });
    await page.waitForSelector('.ghost');
    for (let step = 1; step <= 6; step += 1) await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: from.x + (375 - from.x) * step / 6, y: from.y + 40 }] });
    same(await text(page, '.drop'), 'start', 'over the next column');
    await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await said(page, `${id}: in progress by`);
    right(page);
  },
};

run(scenarios);
