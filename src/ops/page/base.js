// The data, and elements whose text is only ever text: nothing here makes markup of a string.

const data = JSON.parse(document.getElementById('data').textContent);
const issues = data.issues;
const byId = new Map(issues.map((issue) => [issue.id, issue]));
const $ = (id) => document.getElementById(id);

// Characters that are invisible or turn the direction of text are shown, as on a terminal. Joiners of emoji stay.
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const visible = (text) => String(text).replace(HIDDEN, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? '' : visible(value));
  }
  const present = children.flat(4).filter((child) => child !== null && child !== undefined && child !== false);
  node.append(...present.map((child) => (child instanceof Node ? child : visible(child))));
  return node;
}
const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

const plural = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;
const day = (time) => new Date(time).toISOString().slice(0, 10);
const moment = (time) => new Date(time).toISOString().slice(0, 16).replace('T', ' ') + ' UTC';
const DAY = 86400000;

/** How long before the page was made. */
function ago(time) {
  const days = Math.floor((data.at - time) / DAY);
  if (days < 1) return days < 0 ? day(time) : 'today';
  if (days < 14) return `${days}d`;
  if (days < 60) return `${Math.floor(days / 7)}w`;
  return days < 730 ? `${Math.floor(days / 30)}mo` : `${Math.floor(days / 365)}y`;
}
const when = (time) => el('time', { datetime: new Date(time).toISOString(), title: moment(time) }, ago(time));

const isOpen = (issue) => issue.status !== 'closed';
const VIEWS = ['board', 'list', 'graph', 'progress'];
const address = (id) => (VIEWS.includes(id) || id === 'issue' ? '#/issue/' : '#/') + encodeURIComponent(id);

// What is said at one end of an edge is known at both.
const children = new Map();
const dependents = new Map();
const push = (map, key, value) => (map.get(key) ?? map.set(key, []).get(key)).push(value);
for (const issue of issues) {
  if (issue.parent) push(children, issue.parent, issue);
  for (const [kind, id, suspended] of issue.links ?? []) push(dependents, id, [kind, issue.id, suspended]);
}
const blockers = (issue) =>
  (issue.links ?? []).filter(([kind, id, suspended]) => kind === 'blocks' && !suspended && byId.has(id) && isOpen(byId.get(id)));
const waiting = (issue) =>
  (dependents.get(issue.id) ?? []).filter(([kind, id, suspended]) => kind === 'blocks' && !suspended && isOpen(byId.get(id)));

/** Done and all of an issue's children; none where it has none. */
function progress(issue) {
  const all = children.get(issue.id);
  return all && { done: all.filter((child) => !isOpen(child)).length, all: all.length };
}

const bar = ({ done, all }) =>
  el('span', { class: 'bar' }, el('progress', { value: done, max: all, 'aria-label': `${done} of ${all} done` }), ` ${done}/${all}`);
const priority = (issue) => el('span', { class: `priority p${Math.min(4, Math.max(0, issue.priority))}`, title: 'Priority' }, `P${issue.priority}`);
const status = (text) => el('span', { class: 'status', 'data-status': text }, text.replaceAll('_', ' '));
const labels = (issue) => (issue.labels ?? []).map((label) => el('span', { class: 'label' }, label));
const person = (name) => name && el('span', { class: 'person', title: 'Assignee' }, name);
const reference = (id, extra) => {
  const issue = byId.get(id);
  if (!issue) return el('span', { class: 'reference' }, el('code', {}, id), extra);
  return el('a', { class: 'reference', href: address(id), 'data-item': true },
    el('code', {}, id), ' ', el('span', { class: isOpen(issue) ? 'text' : 'text ended' }, issue.title), ' ', status(issue.status), extra);
};
