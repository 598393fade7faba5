// Which screen and issue the address names, the bar above, and the keys.

const [main, panel] = [$('main'), $('panel')];

/** Where one is: a screen with its argument and query, and the issue beside it; or an issue alone. */
function parsed(address = location.hash) {
  const [path, search] = inside(address).split('?');
  const [name, ...rest] = path.split('/').map((part) => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
  const words = new URLSearchParams(search);
  const to = { screen: name || 'inbox', arg: rest[0], query: words.get('q') ?? '', issue: words.get('issue'), depth: words.get('depth'), closed: words.has('closed'), change: words.has('change') || undefined };
  if (to.screen === 'progress') to.screen = 'stats';
  return SCREENS.includes(to.screen) ? to : { screen: 'issue', issue: name === 'issue' && rest[0] ? rest[0] : name, query: '', change: to.change };
}
function written({ screen, arg, query, issue, depth, closed, change: isChange }) {
  if (screen === 'issue') return `${address(issue)}${isChange ? '?change=1' : ''}`;
  const words = new URLSearchParams(Object.entries({ q: query, depth, closed: closed && 1, issue, change: issue && isChange && 1 }).filter(([, value]) => value));
  return `${root(screen)}${screen}${arg === undefined ? '' : `/${encodeURIComponent(arg)}`}${words.size ? `?${words}` : ''}`;
}

/** What is drawn, and the last screen that was: an issue alone leads back to it. */
let drawn = {};
let under = { screen: 'inbox', query: '' };

/** Goes somewhere. It is drawn at once: the next key is pressed on what stands there. */
function visit(to, replaced) {
  const text = typeof to === 'string' ? to : written(to);
  if (replaced) history.replaceState(null, '', text);
  else if (location.hash !== text) history.pushState(null, '', text);
  arrived();
}
const change = (part, replaced) => visit({ ...parsed(), ...part }, replaced);

const TITLES = { inbox: 'Inbox', board: 'Board', list: 'List', graph: 'Graph', log: 'Log', stats: 'Stats' };
const DRAWINGS = { inbox: ['inbox', inboxScreen], board: ['board', boardScreen], list: ['rows', listScreen], log: ['log', logScreen], graph: ['graph', graphScreen], stats: ['stats', statsScreen] };
const ask = (name, asked) => {
  const answer = scene(name, asked);
  present = instant(answer.at) ?? present;
  return answer;
};
const takesQuery = (screen) => ['board', 'list'].includes(screen);

/** The scene of a screen, and what is asked for it. */
const askedOf = ({ screen, arg, query, issue, depth, closed }) => (screen === 'issue' ? ['issue', { id: issue }] : [DRAWINGS[screen][0], { query, id: arg, steps: Math.min(6, Math.max(1, Number(depth) || 2)), closed }]);
const arrived = () => ready(parsed(), draw);

/** Draws what the address names, and no more than what has changed of it, or all; `isThere` where that is drawn already. */
function draw(isAll, isThere) {
  const to = parsed();
  const key = (at) => JSON.stringify([at.screen, at.arg, at.query, at.depth, at.closed, at.screen === 'issue' && [at.issue, at.change]]);
  const isOtherScreen = key(to) !== key(drawn);
  const isNew = isAll || isOtherScreen;
  const isElsewhere = to.screen !== drawn.screen || to.arg !== drawn.arg || (to.screen === 'issue' && isNew && !isAll);
  const before = document.activeElement;
  if (to.screen !== 'issue') under = { ...to, issue: null };
  const isOther = to.issue !== drawn.issue || to.change !== drawn.change;
  const isFirst = !drawn.screen;
  drawn = to;
  const stays = isThere && !isOtherScreen;
  if (isNew) drawScreen(to, stays);
  if (isNew || isOther) drawPanel(to, stays && !isOther);
  if (isFirst) return;
  if (isElsewhere && before !== $('search') && !before.closest('[popover]')) main.focus({ preventScroll: true });
  else if (!before.isConnected) (panel.hidden ? main : panel).focus({ preventScroll: true });
}

/** What is wrong with a query, and where. */
const faultOf = (query, { message, from, to }) => el('p.notice', { role: 'status' }, `${message} `, el('code', query.slice(0, from), el('mark', query.slice(from, to)), query.slice(to)));

/** Draws a screen. One that stands there already takes what is new, where it can. */
function drawScreen(to, isThere) {
  const isAlone = to.screen === 'issue';
  let title = TITLES[to.screen];
  if (isAlone) {
    const issue = ask(...askedOf(to));
    const close = el('button', { type: 'button', click: closeIssue }, icon('back'), ` ${TITLES[under.screen]}`);
    main.replaceChildren(el('div.scroll.alone', { tabindex: -1 }, articleOf(to, issue, [el('span.end', buttonsOf(issue)), close])));
    $('count').textContent = '';
    title = issue.missing ? 'Not here' : `${issue.id} ${issue.title}`;
    $('title').textContent = visible(issue.missing ? title : issue.id);
  } else {
    const drawnScene = ask(...askedOf(to));
    let count = isThere && !drawnScene.fault && main.children.length === 1 && main.firstChild.takes?.(drawnScene);
    if (!count) {
      const [text, ...content] = DRAWINGS[to.screen][1](drawnScene, { query: to.query, set: (query) => change({ query }, true), ask, to });
      main.replaceChildren(...[drawnScene.fault && faultOf(to.query, drawnScene.fault), ...content].filter(Boolean));
      count = text;
    }
    $('title').textContent = title;
    $('count').textContent = count;
    if (to.screen === 'board') { makeRoom(main.querySelector('.board')); atWork(main.querySelector('.board')); }
  }
  document.title = visible(`${title} · ${$('name').textContent}`);
  document.body.dataset.screen = to.screen;
  drawBar(to);
}

/** The query as chips, and which screen is the present one. */
function drawBar({ screen, query }) {
  if (document.activeElement !== $('search')) $('search').value = query;
  const parts = takesQuery(screen) ? termsOf(query).filter(Boolean) : [];
  const without = (i) => change({ query: parts.filter((_, j) => j !== i).join(' ') }, true);
  $('chips').replaceChildren(...parts.map((part, i) => el('button.chip', { type: 'button', 'aria-label': `Remove ${part}`, click: () => without(i) }, el('span.text', part), icon('close'))),
    ...(parts.length > 1 ? [el('button.chip.clear', { type: 'button', click: () => change({ query: '' }, true) }, 'Clear')] : []));
  $('bar').classList.toggle('narrowed', parts.length > 0);
  for (const link of $('screens').children) {
    if (link.dataset.screen === screen) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

const buttonsOf = (issue) => !issue.missing && [
  el('button', { type: 'button', click: ({ currentTarget }) => copyMenu(issue.id, issue.title, currentTarget) }, 'Copy'),
  el('a.button', { href: graphOf(issue.id) }, 'Graph')];

/** The issue, or the change that it names. */
const articleOf = (to, issue, buttons) => (to.change && hooks.change ? hooks.change(issue) : issueArticle(issue, buttons));

/** The issue beside the screen. Where it stands there already, who has scrolled away from its row stays there. */
function drawPanel(to, isThere) {
  const { screen, issue: id } = to;
  const isShown = screen !== 'issue' && id != null;
  const wasHidden = panel.hidden;
  panel.hidden = !isShown;
  for (const other of main.querySelectorAll('[data-item][aria-current]')) other.removeAttribute('aria-current');
  if (!isShown) { panel.replaceChildren(); return; }
  const issue = ask('issue', { id });
  const whole = el('button', { type: 'button', title: 'Alone (Shift-Enter)', 'aria-label': 'Show this issue alone', click: () => visit(address(id)) }, icon('whole'));
  const close = el('button', { type: 'button', id: 'close', title: 'Close (Esc)', 'aria-label': 'Close this issue', click: closeIssue }, icon('close'));
  panel.replaceChildren(articleOf(to, issue, [el('span.end', buttonsOf(issue)), !issue.missing && whole, close]));
  const there = [...main.querySelectorAll('[data-item]')].filter((item) => item.dataset.item === id);
  for (const item of there) item.setAttribute('aria-current', 'true');
  panel.scrollTop = 0;
  if (!isThere) there[0]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  if (innerWidth < 640 && wasHidden) close.focus();
}

/** Closes what is open: the issue beside a screen, or alone. */
function closeIssue() {
  const id = parsed().issue;
  if (parsed().change) { change({ change: undefined }); return; }
  if (parsed().screen === 'issue') visit(under);
  else change({ issue: null });
  [...main.querySelectorAll('[data-item]')].find((item) => item.dataset.item === id)?.focus();
}

/** The issue that a key is about: the one in focus, else the open one. */
const chosen = () => document.activeElement.closest('[data-item]')?.dataset.item ?? parsed().issue;

/** Searches for what has been typed: on this screen where it takes a query, else in the list. */
function search() {
  clearTimeout(timer);
  // What is under the mouse stays there until it is clicked: a click on what has been replaced is lost.
  if (pointing) { typed(); return; }
  const query = $('search').value.trim();
  const to = parsed();
  if (query === to.query) return;
  if (takesQuery(to.screen)) change({ query }, true);
  else if (query) visit({ screen: 'list', query });
}
let timer = 0;
let pointing = false;
/** Searches when nothing more is typed for a moment. */
function typed() {
  clearTimeout(timer);
  timer = setTimeout(search, 80);
}

/** Adds a term to the query of this screen, or of the list. */
function narrow(part) {
  const to = parsed();
  const query = takesQuery(to.screen) ? to.query : '';
  if (termsOf(query).includes(part)) return;
  visit({ screen: takesQuery(to.screen) ? to.screen : 'list', query: `${query} ${part}`.trim(), issue: to.screen === 'issue' ? null : to.issue });
}

const items = (scope = main) => [...scope.querySelectorAll('[data-item]')].filter((item) => item.checkVisibility());
const indexOf = (all) => { const at = all.indexOf(document.activeElement); return at < 0 ? all.findIndex((item) => item.hasAttribute('aria-current')) : at; };
/** Puts the focus on an item; an issue beside the screen follows it. */
function choose(item) {
  if (!item) return;
  item.focus({ preventScroll: true });
  (item.closest('.card') ?? item).scrollIntoView({ block: 'nearest', inline: 'nearest' });
  if (!panel.hidden) change({ issue: item.dataset.item }, true);
}
/** Moves to the next item, on the board within a column. */
function step(by) {
  const column = document.activeElement.closest('.column, .step') ?? main.querySelector(':is(.column, .step):has([aria-current])');
  let all = items(column ?? main.querySelector('.column:not(.folded):has([data-item])') ?? main);
  const at = indexOf(all);
  if (at + by >= all.length) {
    [...(column ?? main).querySelectorAll('button.more')].findLast((more) => !more.hidden)?.click();
    all = items(column ?? main);
  }
  choose(at < 0 ? all[0] : all[Math.max(0, Math.min(all.length - 1, at + by))]);
}
/** Moves to the same row of the next column of the board that has one. */
function across(by) {
  const columns = [...main.querySelectorAll('.column:not(.folded), .step')].map((column) => items(column)).filter((all) => all.length);
  const at = columns.findIndex((all) => indexOf(all) >= 0);
  const target = columns[at < 0 ? 0 : at + by];
  choose(target?.[Math.min(target.length - 1, Math.max(0, columns[at] ? indexOf(columns[at]) : 0))]);
}
const screenKey = (screen, i) => [`${i + 1}`, TITLES[screen], () => visit({ screen, query: takesQuery(screen) ? under.query : '', arg: screen === 'graph' ? chosen() ?? undefined : undefined })];

const KEYS = [
  ...SCREENS.map(screenKey),
  ['j', 'Next issue', () => step(1)], ['k', 'Previous issue', () => step(-1)],
  ['l', 'Next column', () => across(1)], ['h', 'Previous column', () => across(-1)],
  ['Enter', 'Open the issue; with Shift alone', null],
  ['Escape', 'Back', closeIssue],
  ['/', 'Search', () => { const field = $('search'); field.focus(); if (field.value) field.value = `${field.value.trim()} `; }],
  ['f', 'Narrow by a value of this issue', async () => filterMenu((await ask('words', { id: chosen() ?? undefined })).words, document.activeElement.closest('[data-item]') ?? $('filter'), narrow)],
  ['y', 'Copy the id and more', async () => { const id = chosen(); if (id == null) return; const issue = await ask('issue', { id }); copyMenu(issue.id, issue.title ?? issue.id, document.activeElement.closest('[data-item]')); }],
  ['?', 'These keys', () => showKeys()],
];
const ARROWS = { ArrowDown: 'j', ArrowUp: 'k', ArrowRight: 'l', ArrowLeft: 'h', Backspace: 'Escape' };

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || $('keys').open || hooks.isBusy?.()) return;
  if (event.key === ' ' && event.target.closest('button')) return;
  if ($('menu').matches(':popover-open')) { menuKey(event); return; }
  const { target } = event;
  // A field that was closed has the focus until the next picture.
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.checkVisibility()) {
    if (event.key === 'Escape' || (event.key === 'Enter' && target.id === 'search')) {
      if (target.id === 'search') search();
      target.blur();
      step(1);
    }
    return;
  }
  if (event.key === 'Enter' && event.shiftKey && chosen() != null) {
    event.preventDefault();
    visit(address(chosen()));
    return;
  }
  const key = Object.hasOwn(ARROWS, event.key) ? ARROWS[event.key] : event.key;
  // Where nothing stands in rows the arrows scroll.
  if (event.key.startsWith('Arrow') && (panel.contains(target) || !main.querySelector('.board, .items, .rows, .step'))) return;
  const does = KEYS.find(([name]) => name === key)?.[2];
  if (key === 'Escape' && hooks.escape?.()) return;
  if (!does || (key === 'Escape' && parsed().issue == null)) return;
  event.preventDefault();
  does();
}

/** A link within the page is followed at once; one to an issue opens it beside the screen, a label narrows the screen. */
function clicked(event) {
  if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const label = event.target.closest('[data-term]');
  const isPlain = !event.target.closest('button, a, input, summary') && !String(getSelection());
  const link = event.target.closest('a[href^="#/"]') ?? (isPlain && event.target.closest('tbody tr')?.querySelector('a[data-item]'));
  if (label) narrow(label.dataset.term);
  if (!link || label) return;
  event.preventDefault();
  const to = parsed(link.getAttribute('href'));
  if (to.screen === 'issue' && parsed().screen !== 'issue') change({ issue: to.issue, change: undefined });
  else visit(link.getAttribute('href'));
}

function theme(name) {
  document.documentElement.dataset.theme = name;
  $('theme').replaceChildren(icon(name === 'dark' ? 'sun' : 'moon'));
}
const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';

/** How much of the inbox blocks others. */
function badge({ questions, needs }) {
  const waiting = questions.length + needs.filter((need) => need.reason === 'person').length;
  $('screens').querySelector('.badge')?.remove();
  if (waiting) $('screens').firstChild.append(el('b.badge', { 'aria-label': `${waiting} wait for a person` }, waiting));
}

/** Shows the keys, each with the reason for which it does nothing here. */
function showKeys() {
  const line = ([key, what,, why]) => el('div', el('dt', el('kbd', key.replace('Escape', 'Esc').replace(' ', 'Space').replace(/^[A-Z]$/, 'Shift-$&'))), el('dd', `${what[0].toUpperCase()}${what.slice(1)}`, why?.() && el('span.note', ` ${why()}`)));
  $('keys').replaceChildren(el('div.line', el('h2', { id: 'keys-title' }, 'Keys'), el('span.end', el('button', { type: 'button', click: () => $('keys').close() }, 'Close'))), el('dl', KEYS.map(line)));
  $('keys').showModal();
}

function begin() {
  $('screens').append(...SCREENS.map((screen, i) => el('a', { href: `#/${screen}`, 'data-screen': screen, title: `${TITLES[screen]} (${i + 1})` }, icon(screen), el('span', TITLES[screen]))));
  begun();
  const choice = kept('theme');
  if (['dark', 'light'].includes(choice)) theme(choice);
  else $('theme').replaceChildren(icon(isDark() ? 'sun' : 'moon'));
  $('theme').addEventListener('click', () => { theme(isDark() ? 'light' : 'dark'); keep('theme', document.documentElement.dataset.theme); });
  $('help').addEventListener('click', showKeys);
  $('filter').addEventListener('click', async () => filterMenu((await ask('words')).words, $('filter'), narrow));
  $('skip').addEventListener('click', (event) => { event.preventDefault(); main.focus(); });
  $('search').addEventListener('input', typed);
  for (const name of ['popstate', 'hashchange']) window.addEventListener(name, arrived);
  document.addEventListener('click', clicked);
  // A press that opens a menu, or ends outside of the window, may have no pointerup.
  for (const name of ['pointerdown', 'pointerup', 'pointercancel', 'contextmenu', 'keydown']) {
    document.addEventListener(name, () => { pointing = name === 'pointerdown'; });
  }
  document.addEventListener('keydown', pressed);
  arrived();
}
begin();
