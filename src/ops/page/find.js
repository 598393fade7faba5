// Which issues are shown: what the address says after `?`, so that a view can be bookmarked.

const OPEN = 'not closed';
const FILTERS = {
  status: (issue) => [issue.status, isOpen(issue) ? OPEN : ''],
  type: (issue) => [issue.type],
  priority: (issue) => [`P${issue.priority}`],
  assignee: (issue) => [issue.assignee ?? 'nobody'],
  label: (issue) => issue.labels ?? [],
  epic: (issue) => (issue.parent ? [issue.parent] : []),
};
const ORDERS = {
  id: (a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }),
  title: (a, b) => a.title.localeCompare(b.title, 'en'),
  status: (a, b) => a.status.localeCompare(b.status),
  priority: (a, b) => a.priority - b.priority || a.created - b.created,
  type: (a, b) => a.type.localeCompare(b.type),
  assignee: (a, b) => (a.assignee ?? '\uffff').localeCompare(b.assignee ?? '\uffff'),
  updated: (a, b) => b.updated - a.updated,
};

const texts = new Map();
/** All that is searched of an issue. */
function searched(issue) {
  if (!texts.has(issue)) {
    const memory = (issue.memory ?? []).map((entry) => entry[3]);
    const body = [issue.description, issue.design, issue.acceptance, issue.notes, issue.reason, ...memory].filter(Boolean).join('\n');
    const head = [issue.id, issue.title, issue.assignee, ...(issue.labels ?? [])].filter(Boolean).join('\n').toLowerCase();
    texts.set(issue, { head, body, small: body.toLowerCase() });
  }
  return texts.get(issue);
}
const wordsOf = (query) => (query.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);

/** The issues that a query lets through, in its order. */
function found(query) {
  const words = wordsOf(query);
  const wanted = Object.keys(FILTERS).filter((key) => query.get(key));
  const passes = (issue) => wanted.every((key) => FILTERS[key](issue).includes(query.get(key)));
  const has = (issue) => {
    const { head, small } = searched(issue);
    return words.every((word) => head.includes(word) || small.includes(word));
  };
  const result = issues.filter((issue) => passes(issue) && (!words.length || has(issue)));
  const order = Object.hasOwn(ORDERS, query.get('sort')) ? ORDERS[query.get('sort')] : ORDERS.priority;
  const rank = (issue) => (words.every((word) => searched(issue).head.includes(word)) ? 0 : 1);
  const ranked = words.length && !query.get('sort');
  result.sort((a, b) => (ranked ? rank(a) - rank(b) : 0) || order(a, b) || ORDERS.id(a, b));
  return query.get('dir') === 'down' ? result.reverse() : result;
}

/** A text whose searched words are marked. */
function marked(text, words) {
  if (!words.length) return [text];
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return text.split(new RegExp(`(${pattern})`, 'giu')).map((part, i) => (i % 2 ? el('mark', {}, part) : part));
}

/** Where in its texts an issue was found, if not in its title. */
function excerpt(issue, words) {
  const { head, body, small } = searched(issue);
  const word = words.find((one) => !head.includes(one) && small.includes(one));
  if (!word) return null;
  const at = small.indexOf(word);
  const from = Math.max(0, at - 50);
  const part = body.slice(from, at + word.length + 90).replace(/\s+/g, ' ');
  return el('div', { class: 'excerpt' }, from > 0 && '… ', marked(part, words), ' …');
}

/** The row of filters above board and list. */
function filters(query, change, keys) {
  const choose = (key) => {
    const counts = new Map();
    for (const issue of issues) for (const value of FILTERS[key](issue)) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
    const chosen = query.get(key) ?? '';
    if (!counts.size && !chosen) return null;
    const values = [...counts.keys()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    if (chosen && !counts.has(chosen)) values.unshift(chosen);
    if (counts.has(OPEN)) values.unshift(...values.splice(values.indexOf(OPEN), 1));
    const said = (value) => (key === 'epic' && byId.has(value) ? `${value} ${byId.get(value).title}` : value);
    const option = (value) => el('option', { value, selected: value === chosen }, `${shortened(said(value), 40)} (${counts.get(value) ?? 0})`);
    return el('label', { class: chosen ? 'filter set' : 'filter' }, el('span', {}, key),
      el('select', { name: key, change: (event) => change(key, event.target.value) }, el('option', { value: '' }, 'any'), values.map(option)));
  };
  const any = [...Object.keys(FILTERS), 'q'].some((key) => query.get(key));
  return el('form', { class: 'filters', 'aria-label': 'Filters', submit: (event) => event.preventDefault() }, keys.map(choose),
    any && el('button', { type: 'button', class: 'clear', click: () => change(null) }, 'Clear'));
}
const shortened = (text, most) => ([...text].length > most ? `${[...text].slice(0, most - 1).join('')}…` : text);
