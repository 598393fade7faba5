// Which view the address names, and the keys.

const main = $('main');

const announce = (text) => { $('count').textContent = text; };

/** What the address says: a view, its argument, its query. */
function parsed() {
  const [path, search] = location.hash.replace(/^#\/?/, '').split('?');
  const [first, ...rest] = path.split('/').map((part) => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
  const query = new URLSearchParams(search);
  if (!first) return { view: 'board', query };
  if (VIEWS.includes(first)) return { view: first, id: rest[0], query };
  return { view: 'issue', id: first === 'issue' && rest[0] ? rest[0] : first, query };
}

/** Keeps a changed query in the address, without a new entry in the history of the browser. */
function remember(query) {
  const text = query.toString();
  history.replaceState(null, '', `${location.hash.split('?')[0] || '#/board'}${text ? `?${text}` : ''}`);
  drawn = location.hash;
}

/** Goes to an address. It is drawn at once: the next key is pressed on what stands there. */
function visit(to) {
  location.hash = to;
  arrived();
}

/** The address that is drawn. */
let drawn = null;
/** Draws what the address names, unless it is drawn: a browser tells of a new address late, and more than once. */
function arrived() {
  if (location.hash === drawn) return;
  route(true);
  release();
}

/** Keys that came since the browser was asked to go back, which it does in its own time. */
let held = null;
let patience = 0;
function back() {
  held = [];
  history.back();
  // There may be nothing to go back to.
  clearTimeout(patience);
  patience = setTimeout(release, 500);
}

function release() {
  const keys = held ?? [];
  held = null;
  keys.forEach(press);
}

/** Draws the view that the address names; the focus follows where one has gone to it. */
function route(gone) {
  const { view, id, query } = parsed();
  drawn = location.hash;
  let title = { board: 'Board', list: 'List', graph: 'Graph', progress: 'Progress' }[view];
  if (view === 'board') board(query, main);
  else if (view === 'list') table(query, main);
  else if (view === 'graph') graph(id, query, main);
  else if (view === 'progress') progressView(main);
  else title = page(id, main);
  document.title = visible(`${title} · ${data.name}`);
  // Whoever types is ahead of the address.
  const typing = document.activeElement === $('search');
  if (!typing) $('search').value = query.get('q') ?? '';
  for (const link of $('views').children) {
    if (link.dataset.view === view) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (gone && !typing) {
    window.scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
}

/** Whether a button of the mouse is down. */
let pointing = false;

/** Searches for what has been typed; from any other view, in the list. */
function search() {
  clearTimeout(timer);
  // What is under the mouse stays there until it is clicked: a click on what has been replaced is lost.
  if (pointing) {
    typed();
    return;
  }
  const text = $('search').value.trim();
  const { view, query } = parsed();
  if (text === (query.get('q') ?? '')) return;
  if (view !== 'list') {
    if (text) visit(`#/list?${new URLSearchParams({ q: text })}`);
    return;
  }
  if (text) query.set('q', text);
  else query.delete('q');
  remember(query);
  again(route);
}

let timer = 0;
/** Searches when nothing more is typed for a moment. */
function typed() {
  clearTimeout(timer);
  timer = setTimeout(search, 80);
}

function theme(name) {
  document.documentElement.dataset.theme = name;
  $('theme').textContent = name === 'dark' ? '☀' : '☾';
  try { localStorage.setItem('git-beads-theme', name); } catch { /* a browser that keeps nothing */ }
}
const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';

/** Moves from one issue of a view to the next. */
function step(by) {
  const items = [...main.querySelectorAll('[data-item]')];
  const at = items.indexOf(document.activeElement);
  if (at + by >= items.length) [...main.querySelectorAll('.more')].findLast((more) => !more.hidden)?.click();
  const next = at < 0 ? items[0] : [...main.querySelectorAll('[data-item]')][Math.max(0, at + by)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Moves to the same row of the next column of the board that has one. */
function across(by) {
  const columns = [...main.querySelectorAll('.column')].map((column) => [...column.querySelectorAll('[data-item]')]).filter((items) => items.length);
  const at = columns.findIndex((items) => items.includes(document.activeElement));
  const target = columns[at < 0 ? 0 : at + by];
  target?.[Math.min(target.length - 1, Math.max(0, columns[at]?.indexOf(document.activeElement) ?? 0))].focus();
}

// The list begins as `git beads list` does: without what has ended.
const HOME = { list: `#/list?status=${encodeURIComponent(OPEN)}` };

const KEYS = [
  ['b', 'Board', () => visit('#/board')],
  ['l', 'List', () => visit(HOME.list)],
  ['g', 'Graph, around the issue of this page', () => {
    const { view, id } = parsed();
    visit(view === 'issue' && byId.has(id) ? `#/graph/${encodeURIComponent(id)}` : '#/graph');
  }],
  ['p', 'Progress', () => visit('#/progress')],
  ['/', 'Search', () => $('search').focus()],
  ['j', 'Next issue', () => step(1)],
  ['k', 'Previous issue', () => step(-1)],
  ['ArrowRight', 'Next column', () => across(1)],
  ['ArrowLeft', 'Previous column', () => across(-1)],
  ['Enter', 'Open the issue', null],
  ['u', 'Back', back],
  ['t', 'Light or dark', () => theme(isDark() ? 'light' : 'dark')],
  ['?', 'These keys', () => $('keys').showModal()],
  ['Escape', 'Close', null],
];

const command = (key) => KEYS.find(([name]) => name === key);

/** Does what a key stands for, when its view is there. */
function press(key) {
  const at = document.activeElement;
  if (held) {
    held.push(key);
  } else if (at === $('search') && key.length === 1) {
    at.value += key;
    typed();
  } else if (key === 'Enter') {
    at.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
  } else {
    command(key)?.[2]?.();
  }
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || $('keys').open) return;
  const typing = !held && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (typing) {
    if (event.key === 'Escape' || (event.key === 'Enter' && event.target.id === 'search')) {
      if (event.target.id === 'search') search();
      event.target.blur();
      step(1);
    }
    return;
  }
  if (!held && event.key.startsWith('Arrow') && !main.querySelector('.board')) return;
  if (!(held ? command(event.key) ?? event.key.length === 1 : command(event.key)?.[2])) return;
  event.preventDefault();
  press(event.key);
}

/** A link within the page is followed at once, by mouse and by key. */
function clicked(event) {
  const link = event.target.closest('a[href^="#/"]');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  visit(link.getAttribute('href'));
}

function begin() {
  $('name').append(visible(data.name));
  $('views').append(...VIEWS.map((view) => el('a', { href: HOME[view] ?? `#/${view}`, 'data-view': view }, named(view))));
  $('footer').append(`${plural(issues.length, 'issue')} as of ${moment(data.at)}, state ${data.commit.slice(0, 10)}; made by git beads ${data.version}`);
  const title = el('h2', { id: 'keys-title' }, 'Keys');
  const close = el('button', { type: 'button', click: () => $('keys').close() }, 'Close');
  $('keys').append(title, el('dl', KEYS.map(([key, what]) => [el('dt', el('kbd', key.replace('Arrow', ''))), el('dd', what)])), close);
  let kept = null;
  try { kept = localStorage.getItem('git-beads-theme'); } catch { /* the same */ }
  if (kept === 'dark' || kept === 'light') theme(kept);
  else $('theme').textContent = isDark() ? '☀' : '☾';
  $('theme').addEventListener('click', () => theme(isDark() ? 'light' : 'dark'));
  $('help').addEventListener('click', () => $('keys').showModal());
  $('skip').addEventListener('click', (event) => { event.preventDefault(); main.focus(); });
  $('search').addEventListener('input', typed);
  window.addEventListener('popstate', arrived);
  window.addEventListener('hashchange', arrived);
  document.addEventListener('click', clicked);
  // A press that opens a menu, or ends outside of the window, may have no pointerup.
  for (const name of ['pointerdown', 'pointerup', 'pointercancel', 'contextmenu', 'keydown']) {
    document.addEventListener(name, () => { pointing = name === 'pointerdown'; });
  }
  document.addEventListener('keydown', pressed);
  route();
}
begin();
