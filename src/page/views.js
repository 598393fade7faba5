// Board, list, the page of an issue. Each view fills the main part and says its title.

const CARDS = 40;
const ROWS = 200;

/** Draws something again; what had the focus in it has it afterwards. */
function again(draw) {
  const at = document.activeElement;
  const name = ['href', 'name', 'data-sort'].find((one) => at.hasAttribute(one));
  draw();
  if (at.isConnected) return;
  const same = name && main.querySelector(`[${name}="${CSS.escape(at.getAttribute(name))}"]`);
  (same || main).focus({ preventScroll: true });
}

/** Shows the first of many, and more on demand. */
function pile(all, size, one, into) {
  const more = el('button', { type: 'button', class: 'more', click: () => add() });
  let shown = 0;
  const add = () => {
    const next = all.slice(shown, shown + size).map((item, i) => one(item, shown + i));
    shown += next.length;
    into.append(...next.flat());
    more.hidden = shown >= all.length;
    more.textContent = `Show ${Math.min(size, all.length - shown)} more of ${all.length - shown}`;
  };
  add();
  return more;
}

function card(issue) {
  const waits = blockers(issue);
  const holds = waiting(issue).length;
  return el('li', el('a.card', { href: address(issue.id), 'data-item': true },
    el('span.line', el('code', issue.id), priority(issue), issue.type !== 'task' && el('span.type', issue.type), when(issue.closed ?? issue.started ?? issue.updated)),
    el('span.text', issue.title),
    bar(issue),
    due(issue),
    waits.length > 0 && el('span.waits', `blocked by ${waits.slice(0, 2).map(([, id]) => id).join(', ')}${waits.length > 2 ? ` and ${waits.length - 2} more` : ''}`),
    issue.column === 'blocked' && issue.reason && el('span.waits', shortened(issue.reason, 120)),
    el('span.line', person(issue.assignee), holds > 0 && el('span.holds', { title: 'Issues that wait for it' }, `unblocks ${holds}`),
      labels(issue).slice(0, 4))));
}

const COLUMNS = [['ready', 'Ready'], ['in_progress', 'In progress'], ['blocked', 'Blocked'], ['done', 'Done, 7 days']];
const count = (column) => issues.filter((issue) => issue.column === column).length;

function board(query, main) {
  const results = el('div', { class: 'board' });
  const draw = () => {
    const all = found(query);
    const columns = COLUMNS.map(([column, title]) => {
      const mine = all.filter((issue) => issue.column === column);
      if (column === 'done') mine.sort((a, b) => b.closed - a.closed);
      const cards = el('ul', { class: 'cards' });
      const more = pile(mine, CARDS, card, cards);
      return el('section', { class: `column ${column}`, 'aria-label': `${title}: ${mine.length}` },
        el('h2', {}, title, ' ', el('span', { class: 'count' }, mine.length)),
        mine.length ? cards : el('p', { class: 'none' }, 'Nothing here'), more);
    });
    results.replaceChildren(...columns);
    const off = all.filter((issue) => !issue.column && isOpen(issue)).length;
    announce(`${plural(all.length - all.filter((issue) => !issue.column).length, 'issue')} on the board${faultOf(query)}${off ? `, ${off} open elsewhere: epics, deferred, pinned` : ''}`);
  };
  frame(main, 'Board', query, ['type', 'priority', 'assignee', 'label', 'epic'], results, draw);
}

function row(words) {
  return (issue) => el('tr', { class: isOpen(issue) ? null : 'over' },
    el('td.wide.id', el('code', issue.id)),
    el('td.what', el('code.narrow', issue.id), el('a.text', { href: address(issue.id), 'data-item': true }, marked(issue.title, words)),
      bar(issue), ' ', due(issue), ' ', labels(issue), excerpt(issue, words)),
    el('td', status(issue.status)), el('td', priority(issue)),
    el('td.wide', el('span.type', issue.type)), el('td.wide', person(issue.assignee)), el('td.wide', when(issue.updated)));
}

function table(query, main) {
  const results = el('div', { class: 'results' });
  const draw = () => {
    const all = found(query);
    const sort = query.get('sort') ?? (query.get('q') ? '' : 'priority');
    const down = query.get('dir') === 'down';
    const head = (key, title, css) => el('th', { scope: 'col', class: css, 'aria-sort': sort === key ? (down ? 'descending' : 'ascending') : 'none' },
      el('button', { type: 'button', 'data-sort': key, click: () => sortBy(key) }, title));
    const body = el('tbody');
    const [group, drawn] = [groupOf(query), row(wordsOf(query))];
    const begins = (issue, i) => group && (i === 0 || group(all[i - 1]) !== group(issue));
    const heading = (issue) => el('tr', el('th.group', { scope: 'rowgroup', colspan: 7 }, group(issue) ?? 'none'));
    const more = pile(all, ROWS, (issue, i) => [begins(issue, i) && heading(issue), drawn(issue)].filter(Boolean), body);
    const heads = [head('id', 'Id', 'wide'), head('title', 'Title'), head('status', 'Status'), head('priority', 'P'),
      head('type', 'Type', 'wide'), head('assignee', 'Assignee', 'wide'), head('updated', 'Updated', 'wide')];
    results.replaceChildren(all.length
      ? el('table', {}, el('caption', { class: 'unseen' }, 'Issues'), el('thead', {}, el('tr', {}, heads)), body)
      : nothing(query), more);
    announce(`${plural(all.length, 'issue')}${faultOf(query)}`);
  };
  const sortBy = (key) => {
    const same = (query.get('sort') ?? 'priority') === key;
    query.set('sort', key);
    if (same && query.get('dir') !== 'down') query.set('dir', 'down');
    else query.delete('dir');
    remember(query);
    again(draw);
  };
  frame(main, 'List', query, Object.keys(FILTERS), results, draw);
}

/** Says that nothing matches, and how many do in another state. */
function nothing(query) {
  const wide = new URLSearchParams(query);
  wide.delete('status');
  const others = query.get('status') ? found(wide).length : 0;
  return el('p', { class: 'none' }, 'No issue matches', others > 0 && ['; ', el('a', { href: `#/list?${wide}` }, `${others} in another state`)]);
}

/** A title, the filters, and what they leave. */
function frame(main, title, query, keys, results, draw) {
  const bar = el('div');
  const change = (key, value) => {
    if (key === null) for (const name of [...Object.keys(FILTERS), 'q']) query.delete(name);
    else if (value) query.set(key, value);
    else query.delete(key);
    $('search').value = query.get('q') ?? '';
    remember(query);
    again(show);
  };
  const show = () => {
    bar.replaceChildren(filters(query, change, keys));
    draw();
  };
  main.replaceChildren(top(title), bar, results);
  show();
}

const section = (title, ...content) => el('section', { 'aria-label': title }, el('h2', title), content);
const top = (title, said) => el('div.top', el('h1', title), el('p.count', { id: 'count', role: 'status' }, said));

/** A section with a list, where there is anything to list. */
const listed = (title, css, entries, ...more) =>
  entries.length > 0 && section(title, el('ul', { class: css }, entries.map((entry) => el('li', entry))), more);
const text = (said) => el('span.text', said);

function past(issue) {
  const done = issue.operations.map(([at, who, what, , why]) => [at, data.actors[who], what, why]);
  // What an import brought has happened elsewhere, before the first operation here.
  const first = done.at(-1)?.[0] ?? Infinity;
  if (issue.closed < first - 1000) done.push([issue.closed, '', 'closed']);
  if (issue.created < first - 1000) done.push([issue.created, issue.created_by, 'created']);
  const line = ([at, who, what, why]) => [happened(at), ' ', el('b', who), ' ', text(what), why && el('div.why', why)];
  const older = issue.older && el('p.none', `${issue.older} older: ${issue.older_log}`);
  return listed('History', 'history', done.map(line), older);
}

const linked = (title, links) => listed(title, 'links', links.map(([kind, id, suspended]) =>
  [reference(id), kind !== 'blocks' && el('span.kind', kind), suspended && el('span.kind.bad', 'suspended: it would close a cycle')]));

/** The address of an issue in another tracker; a long one is broken behind its slashes. */
function elsewhere(to) {
  const parts = to.split(/(?<=\/)/).flatMap((part) => [part, el('wbr')]);
  return leads(to) ? el('a', { href: to, rel: 'noreferrer' }, parts) : to;
}

function facts(issue) {
  const all = {
    Status: status(issue.status),
    Reason: issue.reason && el('span.text', mentions(issue.reason)),
    Priority: priority(issue),
    Type: issue.type,
    Assignee: person(issue.assignee),
    Labels: issue.labels.length > 0 && labels(issue),
    Created: [when(issue.created), issue.created_by && ` by ${issue.created_by}`],
    Updated: when(issue.updated),
    Started: issue.started && when(issue.started),
    Closed: issue.closed && when(issue.closed),
    Due: issue.due && (due(issue) || limit(issue.due)),
    'Deferred until': issue.defer && limit(issue.defer),
    Elsewhere: issue.external_ref && elsewhere(issue.external_ref),
  };
  return el('dl', Object.entries(all).map(([name, value]) => value && [el('dt', name), el('dd', value)]));
}

function page(id, main) {
  const issue = byId.get(id);
  if (!issue) {
    main.replaceChildren(el('h1', 'Not here'), el('p', 'This page holds no issue ', el('code', id), '. ', el('a', { href: '#/list' }, 'See the list')));
    return 'Not here';
  }
  const { parent, children, links, dependents } = issue;
  const body = (title) => issue[title.toLowerCase()] && section(title, prose(issue.texts[title.toLowerCase()]));
  const memory = ([kind, by, at, said]) => el('li', { class: kind }, el('div.line', el('b', named(kind)), ` ${by} `, when(at)), prose(said));
  const conflict = ([field, by, value]) => [el('b', field), ` by ${by}: `, text(value)];
  const commit = ([name, at, closes, subject]) => [when(at), ' ', el('code', name), ' ', text(subject), closes && el('span.kind', 'closes it')];
  const blocks = ([kind]) => kind === 'blocks';
  const others = [...links, ...dependents].filter(([kind]) => kind !== 'blocks' && kind !== 'parent-child');
  main.replaceChildren(el('article', { class: 'issue' },
    el('div.top', parent && el('p', 'Part of ', reference(parent)),
      el('p.line', el('code', id), priority(issue), status(issue.status), el('a', { href: graphOf(id) }, 'Graph')),
      el('h1.text', issue.title), bar(issue)),
    el('div', ['Description', 'Design', 'Acceptance', 'Notes'].map(body),
      listed('Written at the same time', '', issue.conflicts.map(conflict)),
      listed('Children', 'links', children.toSorted(ORDERS.id).map((child) => reference(child.id))),
      linked('Waits for', links.filter(blocks)),
      linked('Unblocks', dependents.filter(blocks)),
      linked('Linked', others),
      issue.memory.length > 0 && section('Memory', el('ol.memory', issue.memory.map(memory))),
      listed('Commits', 'history', issue.commits.map(commit)), past(issue)),
    el('aside', { 'aria-label': 'Facts' }, facts(issue))));
  return `${id} ${issue.title}`;
}
