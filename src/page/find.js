// Which issues a query lets through, and their order.

const { compare } = new Intl.Collator('en', { numeric: true });
const byWord = (key) => (a, b) => compare(a[key], b[key]);
const ORDERS = {
  id: byWord('id'),
  title: byWord('title'),
  priority: (a, b) => a.priority - b.priority || a.created - b.created,
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

/** The issues that a query lets through, in its order; where it says nothing of states, the open ones or `all`. */
function found(query, all) {
  const asked = query.trim() ? understood(query, true) : { test: () => true, words: [], lifts: false };
  const words = asked.words.map((word) => word.toLowerCase()).filter(Boolean);
  const matching = issues.filter((issue) => asked.test(issue));
  const result = matching.filter((issue) => all || asked.lifts || isOpen(issue));
  const order = ordered(asked.sort ?? 'priority');
  const rank = (issue) => (!asked.sort && words.some((word) => !searched(issue).head.includes(word)) ? 1 : 0);
  result.sort((a, b) => rank(a) - rank(b) || order(a, b) || (a.id < b.id ? -1 : 1));
  const group = GROUPS[asked.group];
  return { result: group ? result.sort(together(group)) : result, words, group, sort: asked.sort, fault: asked.fault && { ...asked.fault, message: `Searched for these words: ${asked.fault.message}` }, hidden: matching.length - result.length };
}

/** Where in its texts an issue was found, if not in its title. */
function excerpt(issue, words) {
  const { head, body, small } = searched(issue);
  const word = words.find((one) => !head.includes(one) && small.includes(one));
  if (!word) return undefined;
  const at = small.indexOf(word);
  const from = Math.max(0, at - 50);
  return `${from > 0 ? '… ' : ''}${body.slice(from, at + word.length + 90).replace(/\s+/g, ' ')} …`;
}
