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
    const next = all.slice(shown, shown + size).map(one);
    shown += next.length;
    into.append(...next);
    more.hidden = shown >= all.length;
    more.textContent = `Show ${Math.min(size, all.length - shown)} more of ${all.length - shown}`;
  };
  add();
  return more;
}

function card(issue) {
  const sub = progress(issue);
  const waits = blockers(issue);
  const holds = waiting(issue).length;
  return el('li', {}, el('a', { class: 'card', href: address(issue.id), 'data-item': true },
    el('span', { class: 'line' }, el('code', {}, issue.id), priority(issue), issue.type !== 'task' && el('span', { class: 'type' }, issue.type), when(issue.closed ?? issue.started ?? issue.updated)),
    el('span', { class: 'text' }, issue.title),
    sub && bar(sub),
    waits.length > 0 && el('span', { class: 'waits' }, `waits for ${waits.slice(0, 2).map(([, id]) => id).join(', ')}${waits.length > 2 ? ` and ${waits.length - 2} more` : ''}`),
    issue.column === 'blocked' && issue.reason && el('span', { class: 'waits' }, shortened(issue.reason, 120)),
    el('span', { class: 'line' }, person(issue.assignee), holds > 0 && el('span', { class: 'holds', title: 'Issues that wait for it' }, `unblocks ${holds}`),
      labels(issue).slice(0, 4))));
}

const COLUMNS = [['blocked', 'Blocked'], ['ready', 'Ready'], ['in_progress', 'In progress'], ['done', 'Done, 7 days']];
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
    announce(`${plural(all.length - all.filter((issue) => !issue.column).length, 'issue')} on the board${off ? `, ${off} open elsewhere: epics, deferred, pinned` : ''}`);
  };
  frame(main, 'Board', query, ['type', 'priority', 'assignee', 'label', 'epic'], results, draw);
}

function row(words) {
  return (issue) => el('tr', { class: isOpen(issue) ? null : 'over' },
    el('td', { class: 'wide id' }, el('code', {}, issue.id)),
    el('td', { class: 'what' }, el('code', { class: 'narrow' }, issue.id), el('a', { class: 'text', href: address(issue.id), 'data-item': true }, marked(issue.title, words)),
      progress(issue) && bar(progress(issue)), ' ', labels(issue), excerpt(issue, words)),
    el('td', {}, status(issue.status)), el('td', {}, priority(issue)),
    el('td', { class: 'wide' }, el('span', { class: 'type' }, issue.type)), el('td', { class: 'wide' }, person(issue.assignee)), el('td', { class: 'wide' }, when(issue.updated)));
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
    const more = pile(all, ROWS, row(wordsOf(query)), body);
    const heads = [head('id', 'Id', 'wide'), head('title', 'Title'), head('status', 'Status'), head('priority', 'P'),
      head('type', 'Type', 'wide'), head('assignee', 'Assignee', 'wide'), head('updated', 'Updated', 'wide')];
    results.replaceChildren(all.length
      ? el('table', {}, el('caption', { class: 'unseen' }, 'Issues'), el('thead', {}, el('tr', {}, heads)), body)
      : el('p', { class: 'none' }, 'No issue matches'), more);
    announce(plural(all.length, 'issue'));
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
  main.replaceChildren(el('div', { class: 'top' }, el('h1', {}, title), el('p', { id: 'count', class: 'count', role: 'status' })), bar, results);
  show();
}

const section = (title, ...content) => el('section', { 'aria-label': title }, el('h2', {}, title), content);
const KINDS = { finding: 'Finding', decision: 'Decision', comment: 'Comment' };

function past(issue) {
  const done = (operations.get(issue.id) ?? []).map(([at, who, what, , why]) => ({ at, who: data.actors[who], what, why }));
  // What an import brought has happened elsewhere, before the first operation here.
  const first = done.at(-1)?.at ?? Infinity;
  if (issue.closed && issue.closed < first - 1000) done.push({ at: issue.closed, who: '', what: 'closed' });
  if (issue.created < first - 1000) done.push({ at: issue.created, who: issue.created_by ?? '', what: 'created' });
  const lines = done.map(({ at, who, what, why }) =>
    el('li', {}, when(at), ' ', el('b', {}, who), ' ', el('span', { class: 'text' }, what), why && el('div', { class: 'why' }, why)));
  const older = issue.older && el('p', { class: 'none' }, `${issue.older} older: git beads log ${issue.id} -n 0`);
  return lines.length > 0 && section('History', el('ol', { class: 'history' }, lines), older);
}

function linked(title, links) {
  return links.length > 0 && section(title, el('ul', { class: 'links' }, links.map(([kind, id, suspended]) => el('li', {},
    reference(id, [kind !== 'blocks' && el('span', { class: 'kind' }, kind), suspended && el('span', { class: 'kind bad' }, 'suspended: it would close a circle')])))));
}

function facts(issue) {
  const fact = (name, value) => value && [el('dt', {}, name), el('dd', {}, value)];
  return el('dl', { class: 'facts' }, fact('Status', status(issue.status)), fact('Reason', issue.reason && prose(issue.reason)), fact('Priority', priority(issue)), fact('Type', issue.type),
    fact('Assignee', person(issue.assignee)), fact('Labels', issue.labels?.length && labels(issue)),
    fact('Created', [when(issue.created), issue.created_by && ` by ${issue.created_by}`]), fact('Updated', when(issue.updated)),
    fact('Started', issue.started && when(issue.started)), fact('Closed', issue.closed && when(issue.closed)),
    fact('Due', issue.due), fact('Deferred until', issue.defer), fact('Elsewhere', issue.external_ref));
}

function page(id, main) {
  const issue = byId.get(id);
  if (!issue) {
    main.replaceChildren(el('h1', {}, 'Not here'), el('p', {}, 'This page holds no issue ', el('code', {}, id), '. ', el('a', { href: '#/list' }, 'See the list')));
    return 'Not here';
  }
  const text = (title, value) => value && section(title, prose(value));
  const below = children.get(id) ?? [];
  const memory = (issue.memory ?? []).map(([kind, by, at, said]) => el('li', { class: kind },
    el('div', { class: 'line' }, el('b', {}, KINDS[kind] ?? kind), ` ${by} `, when(at)), prose(said)));
  const conflicts = (issue.conflicts ?? []).map(([field, by, value]) => el('li', {}, el('b', {}, field), ` by ${by}: `, el('span', { class: 'text' }, value)));
  const commits = (issue.commits ?? []).map(([commit, at, closes, subject]) => el('li', {}, when(at), ' ', el('code', {}, commit), ' ', el('span', { class: 'text' }, subject), closes && el('span', { class: 'kind' }, 'closes it')));
  const links = issue.links ?? [];
  main.replaceChildren(el('article', { class: 'issue' },
    el('div', { class: 'top' }, issue.parent && el('p', { class: 'up' }, 'Part of ', reference(issue.parent)),
      el('p', { class: 'line' }, el('code', {}, issue.id), priority(issue), status(issue.status), el('a', { href: `#/graph/${encodeURIComponent(id)}` }, 'Graph')),
      el('h1', { class: 'text' }, issue.title), progress(issue) && bar(progress(issue))),
    el('div', { class: 'body' },
      text('Description', issue.description), text('Design', issue.design), text('Acceptance', issue.acceptance), text('Notes', issue.notes),
      conflicts.length > 0 && section('Written at the same time', el('ul', {}, conflicts)),
      below.length > 0 && section('Children', el('ul', { class: 'links' }, below.toSorted(ORDERS.id).map((child) => el('li', {}, reference(child.id))))),
      linked('Waits for', links.filter(([kind]) => kind === 'blocks')),
      linked('Unblocks', (dependents.get(id) ?? []).filter(([kind]) => kind === 'blocks')),
      linked('Linked', [...links, ...(dependents.get(id) ?? [])].filter(([kind]) => kind !== 'blocks' && kind !== 'parent-child')),
      memory.length > 0 && section('Memory', el('ol', { class: 'memory' }, memory)),
      commits.length > 0 && section('Commits', el('ol', { class: 'history' }, commits)), past(issue)),
    el('aside', { 'aria-label': 'Facts' }, facts(issue))));
  return `${issue.id} ${issue.title}`;
}
