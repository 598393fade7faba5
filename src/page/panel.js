// An issue: beside a screen, or alone. What holds it up comes first, then facts, then texts.

/** Whether options are called by their number: not where one begins with a digit. */
const haveNumbers = (options) => !options.some((option) => /^\s*\d/.test(option));
const section = (title, ...content) => el('section', { 'aria-label': [title].flat()[0] }, el('h3', title), content);
/** A section with a list, where there is anything to list; a long one shows its beginning. */
function listed(title, css, entries, ...more) {
  if (!entries.length) return null;
  const list = el('ul', { class: css });
  const rest = pile(entries, 12, (shown) => list.append(...shown.slice(list.children.length).map((entry) => el('li', entry))));
  return section(title, list, rest, more);
}
const linked = (links) => links.map((link) => [reference(link), link.kind && !['blocks', undefined].includes(link.kind) && el('span.chip', link.kind), link.suspended && el('span.chip.b-red', 'suspended: it would close a cycle')]);

/** What stands above all else, in a box of its own. */
const box = (tone, title, ...content) => el(`section.stop.b-${tone}`, { 'aria-label': title }, el('h3', title), content);

/** Whether an issue waits for another one still. */
const isHolding = (issue, link) => issue.status !== 'closed' && link.title !== undefined && link.status !== 'closed' && !link.suspended;

function first(issue) {
  const open = issue.waits_for.filter((link) => isHolding(issue, link));
  const command = (...words) => el('p.soft', 'In a terminal: ', el('code', words.join(' ')));
  const question = (it) => box('accent', `${byWhom(it)} asks${it.to ? ` ${it.to}` : ''}`, el('p.text.ask', it.text), it.options.length > 0 && !hooks.answer && el('ol.options', it.options.map((option) => el('li.text', option))),
    hooks.answer?.(issue, it) ?? command('git beads answer', quoted(issue.id), it.options.length ? '1' : '"..."'));
  return [
    issue.questions.map(question),
    open.length > 0 && box('red', `Waits for ${plural(open.length, 'open issue')}`, el('ul.links', open.map((link) => el('li', reference(link))))),
    issue.blocked_for && box('red', 'Blocked', el('p.text', mentions(issue.blocked_for))),
    issue.conflicts.length > 0 && box('violet', 'Written at the same time', el('ul', issue.conflicts.map((it) => el('li', el('b', it.field), ': ', it.current && [el('span.text', shortened(it.current, 200)), ' is shown; '], `${it.by} wrote `, el('span.text', shortened(it.value, 200)), hooks.settle?.(issue, it)))), !hooks.settle && command('git beads resolve', quoted(issue.id))),
    issue.review && box('green', `Closed by ${issue.review.by ?? 'an agent'}, not accepted yet`, issue.reason && el('p.text', mentions(issue.reason)), hooks.review?.(issue) ?? command('git beads accept', quoted(issue.id))),
    hooks.landed?.(issue),
    issue.overdue && box('amber', `Overdue since ${limit(issue.due)}`),
  ];
}

/** An address in another tracker, cut in the middle where it is long: host and end are what tells them apart. */
function elsewhere(to) {
  const bare = [...to.replace(/^https?:\/\//i, '')];
  const text = bare.length > 44 ? `${bare.slice(0, 24).join('')}…${bare.slice(-22).join('')}` : bare.join('');
  return leads(to) ? el('a', { href: to, rel: 'noopener noreferrer', title: to }, text) : el('span.text', { title: to }, text);
}

/** The parts of an issue, open ones first. */
function children(issue) {
  const parts = issue.parts.toSorted((a, b) => (a.status === 'closed') - (b.status === 'closed'));
  const found = listed('Children', 'links', parts.map((part) => reference(part)));
  found?.querySelector('h3').append(' ', meter(issue.children, 'Children'));
  return found;
}

function facts(issue) {
  const none = '–';
  const all = {
    Assignee: [person(issue) ?? el('span.soft', 'no one'), issue.started_at && issue.status === 'in_progress' && el('span.soft', 'since ', when(issue.started_at))],
    Priority: [priority(issue), el('span', issue.type)],
    Labels: issue.labels.length > 0 ? labels(issue, true) : hooks.fact && none,
    'Part of': issue.parent ? reference(issue.parent) : hooks.fact && none,
    Reason: issue.reason && !issue.blocked_for && !issue.review && el('span.text', mentions(issue.reason)),
    Due: issue.due ? !issue.overdue && limit(issue.due) : hooks.fact && none,
    'Deferred until': issue.defer && limit(issue.defer),
    Created: [when(issue.created_at), issue.created_by && author({ by: issue.created_by })],
    Updated: when(issue.updated_at),
    Closed: issue.closed_at && when(issue.closed_at),
    Elsewhere: issue.external_ref && elsewhere(issue.external_ref),
  };
  return el('dl.facts', Object.entries(all).map(([name, value]) => value && [el('dt', hooks.fact?.(name) || name), el('dd', value)]));
}

function pastOf(issue) {
  const line = (it) => [el('span.age', when(it.at)), el('span', it.by && [el('b', byWhom(it)), ' '], happening(it))];
  return listed('History', 'history', issue.events.map(line), issue.older && el('p.soft', `${issue.older} older: `, el('code', issue.older_log)));
}

/** Draws the scene `issue` as an article; `buttons` stand at its head. */
function issueArticle(issue, buttons) {
  if (issue.missing) return el('article.issue', el('div.line.top', buttons), el('h2', 'Not here'), el('p', 'No issue ', el('code', issue.id), ' is in this page. ', el('a', { href: `${root('list')}list` }, 'See the list')));
  mentioned = issue.names;
  const memory = (it) => el('li', { class: it.kind }, el('div.line', el('b', named(it.kind)), author(it), el('span.end', when(it.at))), prose(it.text), it.options.length > 0 && el('p.soft.text', it.options.map((option, i) => (haveNumbers(it.options) ? `${i + 1} ${option}` : option)).join(' · ')));
  const text = (title) => issue.texts[title.toLowerCase()] && section([title, hooks.text?.(title, issue)], prose(issue.texts[title.toLowerCase()]));
  const waited = issue.waits_for.filter((link) => !isHolding(issue, link));
  return el('article.issue', { 'aria-label': issue.id },
    el('div.line.top', code(issue.id), state(issue), priority(issue), buttons),
    el('h2.text', issue.title),
    hooks.does?.(issue),
    el('div.first', first(issue),
      listed('Unblocks', 'links', linked(issue.unblocks)),
      issue.children && children(issue)),
    facts(issue),
    el('div.texts', ['Description', 'Acceptance', 'Design', 'Notes'].map(text)),
    listed('Waited for', 'links', linked(waited)), listed('Linked', 'links', linked(issue.linked)),
    issue.memory.length > 0 && section('Memory', el('ol.memory', issue.memory.map(memory))),
    listed('Commits', 'history', issue.commits.map((it) => [el('span.age', when(it.at)), el('span', el('code', it.commit), ' ', el('span.text', it.subject), it.closes && [' ', el('span.chip.b-green', 'closes it')])])),
    pastOf(issue));
}
