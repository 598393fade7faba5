// The data, and elements whose text is only ever text: nothing here makes markup of a string.

const data = JSON.parse(document.getElementById('data').textContent);
const issues = data.issues;
const byId = new Map(issues.map((issue) => [issue.id, issue]));
const $ = (id) => document.getElementById(id);

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
  if (classes.length) attributes.class = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') node.addEventListener(key, value);
    else if (value != null && value !== false) node.setAttribute(key, value === true ? '' : visible(value));
  }
  const present = rest.flat(4).filter((child) => child != null && child !== false);
  node.append(...present.map((child) => (child instanceof Node ? child : visible(child))));
  return node;
}
const el = (tag, ...rest) => made('1999/xhtml', tag, rest);
const svg = (tag, ...rest) => made('2000/svg', tag, rest);

const plural = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;
const iso = (time) => new Date(time).toISOString();
const two = (number) => String(number).padStart(2, '0');
// In the zone of the reader.
const day = (time) => { const at = new Date(time); return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`; };
function moment(time) {
  const at = new Date(time);
  const offset = -at.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
  return `${day(time)} ${two(at.getHours())}:${two(at.getMinutes())} ${zone}`;
}
const DAY = 86400000;

/** How long before the page was made. */
function ago(time) {
  const days = Math.floor((data.at - time) / DAY);
  if (days < 1) return days < 0 ? day(time) : 'today';
  if (days < 14) return `${days}d`;
  if (days < 60) return `${Math.floor(days / 7)}w`;
  return days < 730 ? `${Math.floor(days / 30)}mo` : `${Math.floor(days / 365)}y`;
}
const when = (time) => el('time', { datetime: iso(time), title: moment(time) }, ago(time));

const isOpen = (issue) => issue.status !== 'closed';
const named = (word) => word[0].toUpperCase() + word.slice(1);
const VIEWS = ['board', 'list', 'graph', 'progress'];
const graphOf = (id) => `#/graph/${encodeURIComponent(id)}`;
const address = (id) => (VIEWS.includes(id) || id === 'issue' ? '#/issue/' : '#/') + encodeURIComponent(id);

// What is not said is empty, and what is said at one end of an edge is known at both.
for (const issue of issues) {
  for (const list of ['labels', 'links', 'memory', 'conflicts', 'commits']) issue[list] ??= [];
  Object.assign(issue, { children: [], dependents: [], operations: [] });
  for (const [name, tree] of Object.entries(issue.texts ?? {})) issue[name] = plain(tree);
}
for (const issue of issues) {
  byId.get(issue.parent)?.children.push(issue);
  for (const [kind, id, suspended] of issue.links) byId.get(id)?.dependents.push([kind, issue.id, suspended]);
}
for (const operation of data.operations) for (const i of operation[3]) issues[i].operations.push(operation);

const holds = ([kind, id, suspended]) => kind === 'blocks' && !suspended && byId.has(id) && isOpen(byId.get(id));
const blockers = (issue) => issue.links.filter(holds);
const waiting = (issue) => issue.dependents.filter(holds);

/** How many of an issue's children are done; nothing where it has none. */
function bar({ children }) {
  const [done, all] = [children.filter((child) => !isOpen(child)).length, children.length];
  return all > 0 && el('span.bar', el('progress', { value: done, max: all, 'aria-label': `${done} of ${all} done` }), ` ${done}/${all}`);
}
const priority = (issue) => el('span', { class: `priority p${issue.priority}`, title: 'Priority' }, `P${issue.priority}`);
const status = (text) => el('span.status', { 'data-status': text }, text.replaceAll('_', ' '));
const labels = (issue) => issue.labels.map((label) => el('span.label', label));
const person = (name) => name && el('span.person', { title: 'Assignee' }, name);
const reference = (id) => {
  const issue = byId.get(id);
  if (!issue) return el('code', id);
  return el('a.reference', { href: address(id), 'data-item': true },
    el('code', id), ' ', el('span', { class: isOpen(issue) ? 'text' : 'text ended' }, issue.title), ' ', status(issue.status));
};
