// The acts of a reader, each with the keys that the program has for it, and where they are in what is drawn.

const update = (target, fields) => perform(target, { act: 'update', ids: idsOf(target), ...fields });
/** Asks for a text that an act needs. */
const askFor = (target, anchor, title, member, act, more = {}) => askText({
  title, target, anchor, ...more,
  send: (text) => perform({ ...target, seen: target.seen ?? seenOf(target.key, target.repo) }, { ...act, ...(text || more.clears ? more.fields?.(text) ?? { [member]: more.isList ? [text] : text } : {}) }),
});
/** What a new issue is made of: its title, and below that what it is about. */
function fieldsOf(text) {
  const [title, ...rest] = text.split('\n');
  return { title, description: rest.join('\n').trim() || undefined };
}

const PRIORITIES = ['critical', 'high', 'medium', 'low', 'some day'];
const MENUS = {
  priority: (t, at) => openMenu(`Priority of ${about(t)}`, at, PRIORITIES.map((words, n) => ({ key: `${n}`, text: `P${n}`, note: words, isNow: headOf(t)?.priority === n, run: () => update(t, { priority: `${n}` }) }))),
  assign: (t, at) => askWord({ title: `Assign ${about(t)} to`, target: t, anchor: at, kind: 'people', none: 'no one', run: (assignee) => update(t, { assignee }) }),
  kind: (t, at) => askWord({ title: `Type of ${about(t)}`, target: t, anchor: at, kind: 'types', run: (type) => update(t, { type }) }),
  labels: (t, at) => askWord({ title: `Labels of ${about(t)}`, target: t, anchor: at, kind: 'labels', own: headOf(t)?.labels ?? [], run: (label, isOff) => perform(t, { act: 'label', ids: idsOf(t), [isOff ? 'rm' : 'labels']: [label] }) }),
  state(t, at) {
    const entry = (key, text, kind, run) => possible(t, kind, { key, text, run });
    openMenu(`State of ${about(t)}`, at, [
      markedWith(t).length < 2 && entry('s', 'Start', 'start', () => perform(t, { act: 'start', id: t.id })),
      { key: 'o', text: 'Open: let go, unblock', run: () => perform(t, { act: opensBy(t), ids: idsOf(t) }) },
      entry('b', 'Blocked, with a reason', 'block', () => DOES.block(t, at)), entry('d', 'Deferred, until a date', 'defer', () => DOES.defer(t, at)),
      entry('x', 'Done, with a reason', 'done', () => DOES.done(t, at)), entry('r', 'Reopen, with a reason', 'reopen', () => DOES.send_back(t, at)),
    ].filter(Boolean));
  },
  link(t, at) {
    const to = (title, run) => () => askIssue({ title: `${t.id} ${title}`, target: t, anchor: at, run });
    const own = (panelOf(t)?.raw.dependencies ?? []).map((link) => ({ text: `${link.type} ${link.id} ${link.title ?? ''}`, run: () => perform(t, { act: 'dep_rm', id: t.id, on: [link.id], type: link.type }) }));
    openMenu(`Links of ${t.id}`, at, [
      { key: 'w', text: 'Waits for', run: to('waits for', (on) => perform(t, { act: 'dep_add', id: t.id, on: [on] })) },
      { key: 'b', text: 'Blocks', run: to('blocks', (id) => perform(t, { act: 'dep_add', id, on: [t.id] })) },
      { key: 'p', text: 'Is part of', run: to('is part of', (parent) => perform(t, { act: 'update', ids: [t.id], parent })) },
      { key: 'r', text: 'Is related to', run: to('is related to', (on) => perform(t, { act: 'dep_add', id: t.id, on: [on], type: 'related' })) },
      panelOf(t)?.parent && { text: 'Is part of nothing', run: () => perform(t, { act: 'update', ids: [t.id], parent: '' }) },
      own.length > 0 && { key: 'x', text: 'Remove a link', run: () => openMenu(`Remove of ${t.id}`, at, own, true) },
    ].filter(Boolean));
  },
  edit: (t, at) => openMenu(`Edit ${t.id}`, at, [{ key: 'r', text: 'Title', run: () => DOES.title(t, at) }, ...Object.entries({ d: 'Description', a: 'Acceptance', g: 'Design', n: 'Notes' }).map(([key, name]) => ({ key, text: name, run: () => editText(t, name, at) })),
    { key: 'u', text: 'Due', run: () => FACTS.Due(t, at) }, { key: 'l', text: 'Elsewhere', run: () => FACTS.Elsewhere(t, at) }]),
};
/** How an issue becomes one that can be started. */
function opensBy(target) {
  const status = headOf(target)?.status;
  if (status === 'in_progress') return 'stop';
  return ['blocked', 'deferred'].includes(status) || needOf(target, 'person') ? 'unblock' : 'stop';
}
/** Why an act is not possible, as far as that is known here. */
const whyNot = (target, kind) => kind && (settings.read_only ? 'Nothing can be changed here' : panelOf(target)?.cannot?.[kind] && markedWith(target).length < 2 && sentence(panelOf(target).cannot[kind]));
const possible = (target, kind, entry) => { const why = whyNot(target, kind); return why ? { ...entry, why, note: why, run: () => say(`${target.id}: ${why}`) } : entry; };

/** What an issue that waits for a person is answered by: a comment, with which it waits no more. */
const answerPerson = (t, at, need) => askFor(t, at, `Answer ${t.id}${need.blocked_for ? ', which opens it' : ''}`, 'comment', { act: 'note', id: t.id, rm: ['human'], ...(need.blocked_for && { status: 'open' }) }, { isList: true, note: need.blocked_for });
const answerTo = (t, entry) => (text) => perform(t, { act: 'answer', id: t.id, entry, text });
/** The values of a field that was written twice; 0 is the one that is shown. */
const settle = (t, conflict, take) => perform(t, { act: 'resolve', id: t.id, field: conflict.field, take });
const valuesOf = (it) => [[0, it.current], ...(it.missing ? [] : [[it.n, it.value]])].map(([n, value]) => [n, shortened(value == null || value === '' ? 'nothing' : it.field === 'priority' ? `P${value}` : String(value), 40)]);
const landedIn = (t) => needOf(t, 'landed') ?? (panelOf(t)?.status !== 'closed' && panelOf(t)?.commits?.find((it) => it.closes));
/** Asks for the text of a field, beginning with what it holds now. */
const askField = (t, at, title, member, ids, name = member, more = {}) => askFor(t, at, title, member, { act: 'update', ids }, {
  clears: true, mayBeEmpty: true, ...more,
  async load() {
    const it = panelOf(t) ?? await get('issue', { id: t.key });
    if (it.missing) throw new Error(it.why);
    // Of several each is as it was seen in its row.
    return { seen: ids.length > 1 ? t.seen : it.seen, text: it.raw[name] ?? '' };
  },
});
const editText = (t, name, at) => askField(t, at, `${name} of ${t.id}`, name.toLowerCase(), [t.id], { Acceptance: 'acceptance_criteria' }[name] ?? name.toLowerCase(), { isLong: true });
const field = (name, member, hint) => (t, at) => askField(t, at, `${name} of ${t.id}${hint}`, member, idsOf(t));
/** The facts that can be changed where they are. */
const FACTS = {
  Assignee: MENUS.assign, Priority: (t, at) => MENUS.priority(t, at), Labels: MENUS.labels, 'Part of': MENUS.link,
  Due: field('Due', 'due', ' (3d, fri, 2027-01-31)'), 'Deferred until': (t, at) => DOES.defer(t, at), Elsewhere: field('Elsewhere', 'external_ref', ''),
};

/** What the keys of the program do here, for the issue that is chosen. */
const DOES = {
  answer(t, at) {
    const question = panelOf(t)?.questions?.[0] ?? known('inbox', { all: true })?.questions.find(isOf(t)) ?? known(...askedOf(parsed()))?.questions?.find((it) => it.issue === t.id);
    const need = needOf(t, 'person');
    if (question) askText({ title: `Answer ${t.id}`, target: t, anchor: at, note: question.text, what: question.entry ?? question.id, options: question.options, send: answerTo(t, question.entry ?? question.id) });
    else if (need) answerPerson(t, at, need);
    else say(`${t.id}: ${whyNot(t, 'answer') || 'asks nothing'}`);
  },
  resolve(t, at) {
    const all = panelOf(t)?.conflicts ?? [needOf(t, 'conflict')?.conflict].filter(Boolean);
    if (!all.length) { say(`${t.id}: no field was changed by two at the same time`); return; }
    openMenu(`Written at the same time: ${t.id}`, at, all.flatMap((it) => [{ heading: it.field }, ...valuesOf(it).map(([n, value]) => ({ key: all.length === 1 ? `${n}` : undefined, text: value, note: `by ${n ? it.by : it.current_by}`, run: () => settle(t, it, n) }))]));
  },
  accept: (t) => perform(t, { act: 'accept', ids: idsOf(t) }),
  send_back: (t, at) => askFor(t, at, `Reopen ${about(t)} because`, 'reason', { act: 'reopen', ids: idsOf(t) }, { mayBeEmpty: !needOf(t, 'review') }),
  done(t, at) {
    const landed = markedWith(t).length < 2 ? landedIn(t) : null;
    askFor(t, at, `Close ${about(t)} because`, 'reason', { act: 'done', ids: idsOf(t), ...(landed && { commit: landed.commit }) }, { mayBeEmpty: true, value: landed?.subject ?? '' });
  },
  block: (t, at) => askFor(t, at, `Blocked: ${about(t)}, because`, 'reason', { act: 'block', ids: idsOf(t) }, { mayBeEmpty: true }),
  defer: (t, at) => askFor(t, at, `Deferred: ${about(t)}, until (3d, fri, 2027-01-31)`, 'until', { act: 'defer', ids: idsOf(t) }, { mayBeEmpty: true }),
  state: MENUS.state, priority: MENUS.priority, assign: MENUS.assign, labels: MENUS.labels, kind: MENUS.kind, link: MENUS.link, edit: MENUS.edit,
  to_me: (t) => update(t, { assignee: 'me' }),
  title: (t, at) => askFor(t, at, `Title of ${t.id}`, 'title', { act: 'update', ids: [t.id] }, { value: headOf(t)?.title ?? '' }),
  comment: (t, at) => askFor(t, at, `Comment on ${t.id}`, 'comment', { act: 'note', id: t.id }, { isList: true }),
  child: (t, at) => askFor(t, at, `New part of ${t.id}`, 'title', { act: 'create', parent: t.id }, { fields: fieldsOf }),
  split: (t, at) => askFor(t, at, `Split ${t.id} into parts, one a line as “- title”`, 'plan', { act: 'split', id: t.id }, { isLong: true }),
  question: (t, at) => askFor(t, at, `Ask about ${t.id}`, 'text', { act: 'ask', id: t.id }),
  delete: (t) => perform(t, { act: 'delete', ids: idsOf(t) }),
  restore: (t) => perform(t, { act: 'restore', ids: idsOf(t) }),
  change: (t) => { if (parsed().screen === 'issue') change({ change: true }); else change({ issue: t.key, change: true }); },
  follow: (t) => { const it = headOf(t); if (it?.assignee) visit({ screen: 'list', query: `is:any ${term('assignee', it.assignee)} sort:updated` }); else say(`${t.id}: no one works on it`); },
  move_right: (t) => moveAside(t, 1),
  move_left: (t) => moveAside(t, -1),
  mark,
};
/** Marks as seen what is new. */
async function looked(words = 'Seen: what comes now is new') { for (const repo of here() ? [here()] : desk.repos.filter((it) => !it.error).map((it) => it.repo)) { const done = await sent({ act: 'looked', repo }); say(done.message ?? words); moves(repo); } }
/** The acts that need no issue. */
const ALONE = {
  new: (at) => inRepo((repo) => askFor({ key: null, repo, id: '' }, at, `New issue in ${repo}`, 'title', { act: 'create' }, { fields: fieldsOf }), at),
  undo: () => back({ act: 'undo' }),
  redo: () => back({ act: 'redo' }),
  sync: (at) => inRepo(async (repo) => { say('Exchanging with the remote'); const done = await sent({ act: 'sync', repo }); say(`${repo}: ${done.message ?? done.said}`); moves(repo); }, at),
  news: async () => {
    // First it is shown, and once that is chosen it is marked.
    const part = () => main.querySelector('[aria-label="Since you looked"]');
    if (!part()?.contains(document.activeElement)) {
      visit({ screen: 'inbox', query: '' });
      await drawing;
      if (!isDrawn() || parsed().screen !== 'inbox') return;
      const first = part()?.querySelector('[data-item]');
      if (first) { choose(first); say('`=` once more marks it as seen'); return; }
    }
    looked(part() ? undefined : 'Nothing is listed here as new; `5` is all that has happened. What comes from now on is new');
  },
  saved: async (at) => { const { queries } = await wordsOf(here() || desk.here || desk.repos[0].repo); if (queries.length) openMenu('Saved queries', at, queries.map(({ name, query }) => ({ text: name, note: query, run: () => visit({ screen: 'list', query }) })), true); else say('No query is saved: git config --global beads.query.NAME QUERY saves one'); },
  mark_all: () => { const names = items().map((it) => split(it.dataset.item)); for (const name of names) if (name[0] === names[0][0]) marks.add(name.join('\n')); decorate(); say(`${plural(marks.size, 'issue')} marked`); },
  palette: () => openPalette(),
};
/** Does something in the repository that is meant: the one that is shown, else that of the issue, else one is asked for. */
function inRepo(run, at) {
  const repo = here() || (chosen() != null && split(chosen())[0]) || desk.here || (desk.repos.length === 1 && desk.repos[0].repo);
  if (repo) run(repo);
  else openMenu('In which repository?', at, desk.repos.filter((it) => !it.error).map((it) => ({ text: it.repo, run: () => run(it.repo) })), true);
}
/** The acts that keys begin; empty for a key that is none. */
const ACT_OF = Object.fromEntries(settings.keys.lines.map(({ does, act }) => [does, act ?? '']));
/** Begins what a key asks for. */
function begins(does, at = document.activeElement.closest('[data-item]') ?? document.activeElement, of = null) {
  if (Object.hasOwn(ALONE, does)) { ALONE[does](at); return; }
  const id = chosen();
  if (!isDrawn()) { say('Another screen is on its way: the key again is for it'); return; }
  if (!of && id == null) { say('No issue is chosen'); return; }
  const target = of ?? targetOf(id);
  if (!of && hasSlipped(id)) return;
  const one = ['answer', 'resolve', 'comment', 'title', 'child', 'link', 'edit', 'change', 'split', 'question'];
  if (markedWith(target).length > 1 && one.includes(does)) { say(`One issue at a time: Esc takes the ${marks.size} marks off`); return; }
  const why = whyNot(target, ACT_OF[does] ?? does);
  // What waits for a person is answered too.
  if (why && ACT_OF[does] !== '' && !(does === 'answer' && needOf(target, 'person'))) { say(`${target.id}: ${why}`); return; }
  DOES[does](target, at);
}
/** Whether an issue came by itself to where it is, so lately that its reader can't have seen that. */
function hasSlipped(key) {
  if (!slipped || slipped.key !== key || Date.now() - slipped.at > 500) return false;
  say(`${split(key)[1]} has just taken the place of another: nothing was done`);
  return true;
}

/** A button for an act; one that is not possible says why. */
function button(target, does, text, css = '') {
  const why = whyNot(target, ACT_OF[does] ?? does);
  const key = settings.keys.lines.find((line) => line.does === does)?.keys[0];
  return el(`button.plain${css}`, { type: 'button', 'aria-disabled': why && 'true', title: [text, why || (key && `(${key})`)].filter(Boolean).join(' '), click: ({ currentTarget }) => { if (why) say(`${target.id}: ${why}`); else DOES[does](target, currentTarget); } }, text);
}
const plainButton = (text, title, run) => el('button.plain', { type: 'button', title, click: ({ currentTarget }) => run(currentTarget) }, el('span.text', text));
/** Options of a question, or what else is chosen by one click. */
const answers = (t, it, most) => it.options.slice(0, most).map((option) => plainButton(shortened(option, 32), option, () => answerTo(t, it.entry ?? it.id)(option)));

Object.assign(hooks, {
  does(issue) {
    const t = targetOf(parsed().issue);
    if (issue.status === 'tombstone') return el('div.does', button(t, 'restore', 'Restore'));
    return el('div.does', [['state', 'State'], ['comment', 'Comment'], ['edit', 'Edit'], ['link', 'Link'], ['child', 'New part']].map(([does, text]) => button(t, does, text)),
      plainButton('More', 'Ask, split, delete', (at) => openMenu(`More of ${t.id}`, at, [['question', 'Ask a question', 'ask'], ['split', 'Split into parts', 'split'], ['kind', 'Type', 'update'], ['delete', 'Delete', 'delete']].map(([does, text, kind]) => possible(t, kind, { text, run: () => DOES[does](t, at) })))));
  },
  answer: (issue, it) => { const t = targetOf(parsed().issue); return el('div.does', answers(t, it, 9), plainButton('Answer', 'In words (A)', (at) => askText({ title: `Answer ${t.id}`, target: t, anchor: at, note: it.text, what: it.entry, options: it.options, send: answerTo(t, it.entry) }))); },
  settle: (issue, it) => { const t = targetOf(parsed().issue); return el('div.does', valuesOf(it).map(([n, value]) => plainButton(value, `${it.field} by ${n ? it.by : it.current_by}`, () => settle(t, it, n)))); },
  review: () => { const t = targetOf(parsed().issue); return el('div.does', button(t, 'change', 'Change'), button(t, 'accept', 'Accept', '.go'), button(t, 'send_back', 'Send back')); },
  landed(issue) {
    const t = targetOf(parsed().issue);
    const landed = issue.status !== 'closed' && landedIn(t);
    return landed && box('green', `Landed in ${landed.commit.slice(0, 10)}, still open`, el('p.text', landed.subject), el('div.does', closeLanded(t, landed), button(t, 'change', 'Change')));
  },
  fact: (name) => { const t = targetOf(parsed().issue); return Object.hasOwn(FACTS, name) && el('button.link', { type: 'button', 'aria-label': `Change ${name}`, click: ({ currentTarget }) => FACTS[name](t, currentTarget) }, name); },
  text: (name) => { const t = targetOf(parsed().issue); return el('button.link', { type: 'button', 'aria-label': `Edit ${name}`, click: ({ currentTarget }) => editText(t, name, currentTarget) }, 'Edit'); },
  row(it) {
    const t = targetOf(it.key ?? it.issue);
    const buttons = {
      conflict: () => valuesOf(it.conflict).map(([n, value]) => plainButton(value, `${it.conflict.field} by ${n ? it.conflict.by : it.conflict.current_by}`, () => settle(t, it.conflict, n))),
      review: () => [button(t, 'change', 'Change'), button(t, 'accept', 'Accept')],
      landed: () => closeLanded(t, it),
      stale: () => plainButton('Let go', 'Let go (s o)', () => perform(t, { act: 'stop', ids: [t.id] })),
      person: () => plainButton('Answer', 'Answer (A)', (at) => answerPerson(t, at, it)),
    };
    return el('span.does', it.reason ? buttons[it.reason]() : [answers(t, it, 3), plainButton('Answer', 'In words (A)', (at) => askText({ title: `Answer ${t.id}`, target: t, anchor: at, note: it.text, what: it.entry ?? it.id, options: it.options, send: answerTo(t, it.entry ?? it.id) }))]);
  },
  unread({ repos = [] }) {
    const faults = repos.filter((it) => it.error);
    const line = ({ repo, error, hint }) => el('li.item', columnIcon('blocked'), el('span.wide', code(repo)), el('span.what', el('span.text', error), hint && el('span.note', hint), el('span.narrow', repo)), el('span'), el('span'));
    return faults.length > 0 && el('section.part', { 'aria-label': 'Not read' }, el('h2', 'Not read ', el('span.count', faults.length)), el('ul.items', faults.map(line)));
  },
  news(scene) {
    const all = scene.changed.flatMap((it) => it.latest.map((one) => ({ ...one, repo: it.repo })));
    if (!all.length) return null;
    const key = (it) => (here() ? it.issue : `${it.repo}\n${it.issue}`);
    const line = (it) => el('li.item', el('span'), el('span.wide', code(it.short ?? it.issue)), el('span.what', el('a.text', { href: address(key(it)), 'data-item': key(it) }, it.title), el('span.note', it.by && el('b', `${it.by} `), happening({ word: it.what, text: it.text }))), el('span.end'), el('span.age', when(it.at)));
    const count = scene.changed.reduce((sum, it) => sum + it.issues, 0);
    return el('section.part', { 'aria-label': 'Since you looked' }, el('h2', 'Since you looked ', el('span.count', count), ' ', el('button.link', { type: 'button', title: 'Mark as seen (=)', click: () => looked() }, 'Mark as seen')), el('ul.items', all.map(line)));
  },
  change(issue) {
    const found = ask('change', { id: parsed().issue });
    const t = targetOf(parsed().issue);
    const top = el('div.line.top', code(issue.id), el('span.end'), el('button', { type: 'button', id: 'close', click: closeIssue }, icon('back'), ' Issue'));
    const does = el('div.does', issue.raw?.accepted ? el('span.chip.b-green', 'accepted') : button(t, 'accept', 'Accept', '.go'), button(t, 'send_back', 'Send back'));
    if (found.missing) return el('article.issue', top, el('h2', 'No change'), el('p', found.why), issue.reason && el('p.text', mentions(issue.reason)), does);
    const count = ({ added, removed }) => (added == null ? 'no text' : `+${added} -${removed}`);
    const tone = (line) => (/^\+(?!\+\+)/.test(line) ? 'added' : /^-(?!--)/.test(line) ? 'removed' : /^@@/.test(line) ? 'soft' : null);
    return el('article.issue', { 'aria-label': `Change of ${issue.id}` }, top, el('p.soft.text', issue.title), el('h2.text', found.message.split('\n')[0]), el('p.soft', code(found.commit.slice(0, 10)), ` by ${found.by} `, when(found.at), found.of > 1 && `, one of ${found.of} commits that it names`),
      does, issue.reason && el('p.text', mentions(issue.reason)),
      found.message.includes('\n') && el('pre.message', found.message.split('\n').slice(1).join('\n').trim()), section('Files', el('ul.history', found.files.map((file) => el('li', el('span.age', count(file)), el('code.text', file.path))))),
      section('Patch', el('pre.patch', { tabindex: 0 }, found.patch.split('\n').map((line) => el('span', { class: tone(line) }, `${line}\n`)))), found.is_partial && el('p.notice', 'What its files hold is not here, and no remote is asked for it.'), found.is_cut && el('p.soft', 'It is longer: ', el('code', `git show ${found.commit.slice(0, 10)}`)));
  },
});
const closeLanded = (t, { commit, subject }) => plainButton('Close', `Close: landed in ${commit.slice(0, 10)}`, () => perform(t, { act: 'done', ids: [t.id], commit, reason: subject || undefined }));

/** Begins what a reader can change, once the page is there. */
function beginActs() {
  document.body.append(el('div', { id: 'ask', popover: 'auto', role: 'dialog' }));
  $('theme').before(el('button.plain', { id: 'palette', type: 'button', title: 'Find and do (Ctrl-K)', 'aria-label': 'Ctrl-K: find and do', click: openPalette }, el('kbd', 'Ctrl-K')),
    el('button.go', { id: 'new', type: 'button', title: 'New issue (n)', hidden: settings.read_only, 'aria-label': 'New issue', click: ({ currentTarget }) => ALONE.new(currentTarget) }, el('span', 'New')));
  hooks.escape = () => { const had = marks.size > 0; marks.clear(); decorate(); if (had) say('No issue is marked'); return had; };
  const WORDS = { edit: 'edit a text' };
  for (const { does, keys, words } of settings.keys.lines) {
    if (!Object.hasOwn(DOES, does) && !Object.hasOwn(ALONE, does)) continue;
    const why = () => { const id = chosen(); return id != null && Object.hasOwn(DOES, does) && ACT_OF[does] !== '' && whyNot(targetOf(id), ACT_OF[does] ?? does); };
    for (const name of keys.filter((it) => !/^ctrl-| ./.test(it))) KEYS.push([name === 'space' ? ' ' : name, WORDS[does] ?? words, () => begins(does), why]);
  }
  KEYS.push(['Ctrl-K', 'find an issue, a screen or an act by its words'], ['Shift-click', 'mark the issue']);
  document.addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'k') return;
    event.preventDefault();
    openPalette();
  });
  document.addEventListener('focusin', ({ target }) => { if (!isPressed) slipped = null; const id = target.closest('[data-item]')?.dataset.item; if (id && touched.delete(split(id).join('\n'))) decorate(); });
  main.addEventListener('click', (event) => {
    const item = event.shiftKey && event.target.closest('.card, .item, tr')?.querySelector('[data-item]');
    if (!item) return;
    event.preventDefault();
    event.stopPropagation();
    item.focus({ preventScroll: true });
    mark(targetOf(item.dataset.item));
  }, true);
  // The second of two clicks is on what has come into the place of the first.
  main.addEventListener('click', (event) => {
    const inside = event.target.closest('.does button');
    const item = inside?.closest('.item')?.querySelector('[data-item]');
    const isOther = item && hasSlipped(item.dataset.item);
    if (!inside || (event.detail < 2 && !isOther)) return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
  main.addEventListener('mousedown', (event) => { if (event.shiftKey && event.target.closest('.card, .item, tr')) event.preventDefault(); });
  let [left, top] = [0, 0];
  document.addEventListener('pointermove', ({ clientX: x, clientY: y }) => {
    // Who moves has seen what is there.
    if (Math.hypot(x - left, y - top) > 4) drawnBefore = [];
    [left, top] = [x, y];
  }, true);
  for (const name of ['keydown', 'wheel']) document.addEventListener(name, () => { isPressed = false; if (name === 'wheel') drawnBefore = []; }, { capture: true, passive: true });
  document.addEventListener('pointerdown', ({ clientX: x, clientY: y, target }) => presses(x, y, target), true);
  hooks.isBusy = () => isDragging() || $('ask').matches(':popover-open');
  beginDrag();
}
