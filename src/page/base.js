// Elements whose text is only ever text, and the small parts that all screens share. Nothing here makes markup of a string.

const SCREENS = ['inbox', 'board', 'list', 'graph', 'log', 'stats'];
const $ = (id) => document.getElementById(id);
/** What a page that can be changed adds to the drawing. */
const hooks = {};

// Characters that steer, hide or turn the direction of text are shown by their number; what letters and pictures need stays, as on a
// terminal (visible.rs).
const JOINING = '[\\u0620-\\u0dff\\u0f00-\\u109f\\u1780-\\u18af\\u1b00-\\u1c4f\\ua800-\\uabff\\ufb50-\\ufdff\\ufe70-\\ufefc\\u{11000}-\\u{11fff}]';
const PICTURE = '[\\ufe0f\\u2190-\\u21ff\\u2300-\\u23ff\\u2600-\\u27bf\\u2b00-\\u2bff\\u{1f000}-\\u{1faff}]';
const FLAG = '(?<=\\u{1f3f4})[\\u{e0020}-\\u{e007e}]{1,6}\\u{e007f}';
const HIDING = '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u180e\\u200b-\\u200d\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]';
const HIDDEN = new RegExp(`(?<=${JOINING})[\\u200c\\u200d](?=${JOINING})|(?<=${PICTURE})\\u200d(?=${PICTURE})|${FLAG}|(${HIDING})`, 'gu');
const visible = (text) => String(text).replace(HIDDEN, (all, hiding) => (hiding ? `\\u{${hiding.codePointAt(0).toString(16)}}` : all));

/** An element as `tag.class.class`, with attributes and listeners, if the first of the rest holds them, and children. */
function made(space, tag, rest) {
  const [name, ...classes] = tag.split('.');
  const node = document.createElementNS(`http://www.w3.org/${space}`, name);
  const attributes = rest[0]?.constructor === Object ? rest.shift() : {};
  attributes.class = [...classes, attributes.class].filter(Boolean).join(' ') || null;
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') node.addEventListener(key, value);
    else if (value != null && value !== false) node.setAttribute(key, value === true ? '' : key.startsWith('data-') ? value : visible(value));
  }
  const present = rest.flat(4).filter((child) => child != null && child !== false);
  node.append(...present.map((child) => (child instanceof Node ? child : visible(child))));
  return node;
}
const el = (tag, ...rest) => made('1999/xhtml', tag, rest);
const svg = (tag, ...rest) => made('2000/svg', tag, rest);

const plural = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;
const shortened = (text, most) => ([...text].length > most ? `${[...text].slice(0, most - 1).join('')}…` : text);
const named = (word) => (word ? word[0].toUpperCase() + word.slice(1) : '').replaceAll('_', ' ');
const two = (number) => String(number).padStart(2, '0');
const [HOUR, DAY] = [3600000, 86400000];
/** The moment at which what is drawn was true: each scene has its own. */
let present = 0;

const instant = (text) => (text ? Date.parse(text) : null);
// In the zone of the reader.
const day = (time) => { const at = new Date(time); return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`; };
function moment(time) {
  const at = new Date(time);
  const offset = -at.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
  return `${day(time)} ${two(at.getHours())}:${two(at.getMinutes())} ${zone}`;
}

/** How long ago something was. */
function ago(time) {
  const past = present - time;
  const days = Math.floor(past / DAY);
  if (days < 0) return day(time);
  if (days < 1) return past < 60000 ? 'now' : past < HOUR ? `${Math.floor(past / 60000)}m` : `${Math.floor(past / HOUR)}h`;
  if (days < 14) return `${days}d`;
  if (days < 60) return `${Math.floor(days / 7)}w`;
  return days < 730 ? `${Math.floor(days / 30)}mo` : `${Math.floor(days / 365)}y`;
}
/** A time of a scene, which is a text of RFC 3339. */
const when = (text) => text && el('time', { datetime: text, title: moment(instant(text)) }, ago(instant(text)));

/** When an issue is due or comes back: a day, with the time where it is not a whole day. */
function limit(text) {
  const [time, at] = [instant(text), new Date(instant(text))];
  const start = new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
  const end = new Date(at.getFullYear(), at.getMonth(), at.getDate() + 1).getTime() - 1000;
  return [start, end].includes(time) ? day(time) : moment(time);
}

/** A picture of the sheet in the page; it stands beside a word, or its owner has a name. */
const icon = (name, tone) => svg(`svg.i${tone ? `.t-${tone}` : ''}`, { 'aria-hidden': 'true', viewBox: '0 0 16 16' }, svg('use', { href: `#i-${name}` }));
const TONES = { ready: 'accent', in_progress: 'amber', blocked: 'red', review: 'violet', done: 'green', closed: 'green', open: 'accent' };
const toneOf = (column) => TONES[column] ?? 'soft';
const columnIcon = (column) => icon(Object.hasOwn(TONES, column) ? `s-${column === 'closed' ? 'done' : column}` : 's-other', toneOf(column));
/** Where a head stands on the board, else its status. */
const stateOf = (head) => head.column ?? head.status;
const COLUMNS = { ready: 'Ready', in_progress: 'In progress', blocked: 'Blocked', review: 'Review', done: 'Done, 7 days' };
const state = (head) => el(`span.state.b-${toneOf(stateOf(head))}`, columnIcon(stateOf(head)), el('span', stateOf(head).replaceAll('_', ' ')));

const code = (id) => el('code.id', id);
const priority = ({ priority: p }) => el(`b.priority.p${p}`, { title: 'Priority' }, `P${p}`);
const initials = (name) => (name.match(/[\p{L}\p{N}]+/gu) ?? [name]).slice(0, 2).map((word) => [...word][0]).join('').toUpperCase() || '?';
/** A person is round, an agent is square. */
function person({ assignee, agent }) {
  if (!assignee) return null;
  const name = agent ? `${assignee}/${agent}` : assignee;
  return el('span.person', { title: 'Assignee' }, el('span.av', { class: agent && 'agent', 'aria-hidden': 'true' }, initials(agent ?? assignee)), el('span.text', agent ?? name));
}
const author = ({ by, agent }) => person({ assignee: by, agent });
/** Who did something, in words: a person, or an agent for a person. */
const byWhom = ({ by, agent }) => (agent ? `${by}/${agent}` : by);
/** Labels; a click narrows the screen to one. */
const labels = ({ labels: all }, tab) => all.map((label) => el('button.chip.label', { type: 'button', 'data-term': term('label', label), tabindex: tab ? 0 : -1, title: `Only label ${label}` }, label));
/** Parts that are done, of all. */
const meter = (counts, what) => counts && el('span.meter', el('progress', { value: counts[0], max: counts[1], 'aria-label': `${what}: ${counts[0]} of ${counts[1]} done` }), `${counts[0]}/${counts[1]}`);
const due = (head) => head.due && stateOf(head) !== 'closed' && el('span.chip', { class: head.overdue ? 'b-red' : null }, `${head.overdue ? 'overdue' : 'due'} ${limit(head.due)}`);
/** An issue in a line, with the state of it. */
const reference = (head) => (head.title === undefined ? el('code', head.id)
  : el('a.reference', { href: address(head.id), 'data-item': head.id }, code(head.id), state(head), el('span.text', head.title)));

/** A term of a query. */
const term = (key, value) => `${key}:${/^[\p{L}\p{N}_.:/@-]+$/u.test(value) && !/^-/.test(value) ? value : `"${value.replace(/(["\\])/g, '\\$1')}"`}`;
/** The parts of a query which stand beside each other; one part where they don't. */
function termsOf(query) {
  const parts = query.match(/-?(?:\((?:[^()"]|"(?:[^"\\]|\\.)*"|\([^()]*\))*\)|(?:[^\s()"]|"(?:[^"\\]|\\.)*")+)/gu) ?? [];
  const isPlain = parts.join(' ') === query.trim().replace(/\s+/g, ' ') && !parts.some((part) => ['OR', 'AND', 'NOT'].includes(part));
  return isPlain ? parts : [query.trim()];
}

/** A text whose searched words are marked. */
function marked(text, words = []) {
  if (!words.length) return [text];
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return text.split(new RegExp(`(${pattern})`, 'giu')).map((part, i) => (i % 2 ? el('mark', part) : part));
}

const shownBy = (it) => JSON.stringify([it, ...[it.at, it.updated_at].map((time) => ago(instant(time)))]);
/** Fills a list with what `one` makes of each thing. What shows the same as before stays where it is: little is laid out again. */
function fill(list, all, one, shown = shownBy) {
  const there = new Map([...list.children].map((node) => [node.shows, node]));
  const nodes = all.map((it) => {
    const shows = shown(it);
    const node = there.get(shows) ?? one(it);
    there.delete(shows);
    return Object.assign(node, { shows });
  });
  const wanted = new Set(nodes);
  for (const node of [...list.children]) if (!wanted.has(node)) node.remove();
  nodes.forEach((node, i) => { if (list.children[i] !== node) list.insertBefore(node, list.children[i] ?? null); });
}

/** Shows the first of many, and more on demand; `put` gets all that are to be shown. */
function pile(all, size, put) {
  const more = el('button.more', { type: 'button', click: () => { const before = shown; goesOn(more, before, add); } });
  let shown = 0;
  const add = () => {
    shown = Math.min(all.length, shown + size);
    put(all.slice(0, shown));
    more.hidden = shown >= all.length;
    more.textContent = moreOf(size, all.length - shown);
  };
  more.takes = (next) => { all = next; shown = Math.max(0, shown - size); add(); };
  add();
  return more;
}

const moreOf = (size, rest) => (size < rest ? `Show ${size} more of ${rest}` : `Show ${rest} more`);
/** Adds to what is shown; a focus on the button goes on to the first that was added where the button goes. */
function goesOn(more, shown, add) {
  const hadFocus = document.activeElement === more;
  add();
  if (hadFocus && more.hidden) more.parentNode?.querySelectorAll('[data-item]')[shown]?.focus({ preventScroll: true });
}

/** What the browser keeps for this reader, where it keeps anything. */
const kept = (name) => { try { return JSON.parse(localStorage.getItem(`git-beads-${name}`)); } catch { return null; } };
const keep = (name, value) => { try { localStorage.setItem(`git-beads-${name}`, JSON.stringify(value)); } catch { /* it keeps nothing */ } };
