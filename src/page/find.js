// Which issues are shown: what the address says after `?`, so that a view can be bookmarked.

const OPEN = 'not closed';
const FILTERS = {
  status: (issue) => (isOpen(issue) ? [issue.status, OPEN] : [issue.status]),
  type: (issue) => [issue.type],
  priority: (issue) => [`P${issue.priority}`],
  assignee: (issue) => [issue.assignee ?? 'none'],
  label: (issue) => issue.labels,
  epic: (issue) => (issue.parent ? [issue.parent] : []),
};
const { compare } = new Intl.Collator('en', { numeric: true });
const byWord = (key) => (a, b) => compare(a[key], b[key]);
const ORDERS = {
  id: byWord('id'),
  title: byWord('title'),
  status: byWord('status'),
  priority: (a, b) => a.priority - b.priority || a.created - b.created,
  type: byWord('type'),
  assignee: (a, b) => !a.assignee - !b.assignee || compare(a.assignee, b.assignee),
  updated: (a, b) => b.updated - a.updated,
  created: (a, b) => b.created - a.created,
  oldest: (a, b) => a.created - b.created,
  closed: (a, b) => (b.closed ?? 0) - (a.closed ?? 0),
  due: (a, b) => !a.due - !b.due || instant(a.due) - instant(b.due),
};
const RISING = ['updated', 'created', 'closed'];

/** The order of a query, as `updated-asc`. */
function ordered(text) {
  const [, key, way] = /^(.*?)(-asc|-desc)?$/.exec(text);
  const order = Object.hasOwn(ORDERS, key) ? ORDERS[key] : ORDERS.priority;
  return way && (way === '-asc') === RISING.includes(key) ? (a, b) => order(b, a) : order;
}

/** All that is searched of an issue. */
function searched(issue) {
  if (!issue.searched) {
    const body = [issue.description, issue.design, issue.acceptance, issue.notes, issue.reason, ...issue.memory.map((entry) => plain(entry[3]))].join('\n');
    const head = [issue.id, issue.title, issue.assignee, ...issue.labels].join('\n').toLowerCase();
    issue.searched = { head, body, small: body.toLowerCase() };
  }
  return issue.searched;
}
const askedBy = (query) => (query.get('q')?.trim() ? understood(query.get('q'), true) : null);
const faultOf = (query) => { const fault = askedBy(query)?.fault; return fault ? `, for these words (${fault})` : ''; };
const wordsOf = (query) => (askedBy(query)?.words ?? []).map((word) => word.toLowerCase()).filter(Boolean);

/** The issues that a query lets through, in its order. */
function found(query) {
  const words = wordsOf(query);
  const asked = askedBy(query);
  // A query that says what is closed is asked for all of it.
  const counts = (key) => query.get(key) && !(asked?.lifts && key === 'status' && query.get(key) === OPEN);
  const wanted = Object.keys(FILTERS).filter(counts);
  const passes = (issue) => wanted.every((key) => FILTERS[key](issue).includes(query.get(key)));
  const result = issues.filter((issue) => passes(issue) && (asked?.test(issue) ?? true));
  const sort = query.get('sort') ?? asked?.sort;
  const order = ordered(sort ?? 'priority');
  const rank = (issue) => (!sort && words.some((word) => !searched(issue).head.includes(word)) ? 1 : 0);
  result.sort((a, b) => rank(a) - rank(b) || order(a, b) || ORDERS.id(a, b));
  if (query.get('dir') === 'down') result.reverse();
  const group = groupOf(query);
  return group ? result.sort(together(group)) : result;
}
const groupOf = (query) => GROUPS[askedBy(query)?.group];

/** A text whose searched words are marked. */
function marked(text, words) {
  if (!words.length) return [text];
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return text.split(new RegExp(`(${pattern})`, 'giu')).map((part, i) => (i % 2 ? el('mark', part) : part));
}

/** Where in its texts an issue was found, if not in its title. */
function excerpt(issue, words) {
  const { head, body, small } = searched(issue);
  const word = words.find((one) => !head.includes(one) && small.includes(one));
  if (!word) return null;
  const at = small.indexOf(word);
  const from = Math.max(0, at - 50);
  const part = body.slice(from, at + word.length + 90).replace(/\s+/g, ' ');
  return el('div.excerpt', from > 0 && '… ', marked(part, words), ' …');
}

const called = (id) => `${id} ${byId.get(id)?.title ?? ''}`;
const form = (name, ...content) => el('form.filters', { 'aria-label': name, submit: (event) => event.preventDefault() }, content);
const select = (name, title, chosen, options, change) => el('label', { class: chosen ? 'filter set' : 'filter' }, el('span', title),
  el('select', { name, change: (event) => change(event.target.value) }, options.map(([value, text]) => el('option', { value, selected: value === chosen }, text))));

/** The row of filters above board and list. */
function filters(query, change, keys) {
  const choose = (key) => {
    const counts = new Map();
    for (const value of issues.flatMap(FILTERS[key])) counts.set(value, (counts.get(value) ?? 0) + 1);
    const chosen = query.get(key) ?? '';
    if (chosen && !counts.has(chosen)) counts.set(chosen, 0);
    const values = [...counts.keys()].sort((a, b) => (b === OPEN) - (a === OPEN) || compare(a, b));
    const option = (value) => [value, `${shortened(key === 'epic' ? called(value) : value, 40)} (${counts.get(value)})`];
    return values.length > 0 && select(key, key, chosen, [['', 'any'], ...values.map(option)], (value) => change(key, value));
  };
  const any = [...Object.keys(FILTERS), 'q'].some((key) => query.get(key));
  return form('Filters', keys.map(choose), any && el('button', { type: 'button', class: 'clear', click: () => change(null) }, 'Clear'));
}
const shortened = (text, most) => ([...text].length > most ? `${[...text].slice(0, most - 1).join('')}…` : text);
