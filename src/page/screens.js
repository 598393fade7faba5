// The screens that are lists: Inbox, List, Log. Each draws a scene and nothing else.

const REASON_SIGNS = {
  question: ['question', 'accent', 'Question'], person: ['person', 'red', 'Waits for a person'], conflict: ['conflict', 'violet', 'Written at the same time'],
  review: ['review', 'green', 'To accept'], landed: ['landed', 'green', 'Landed, still open'], stale: ['stale', 'amber', 'Stale'],
};

/** Why an issue is in the inbox, in words that follow its title. */
function because(need) {
  const { reason, conflict, close, commit } = need;
  const shown = (value) => (conflict.field === 'priority' ? `P${value}` : value);
  if (reason === 'conflict') return `${conflict.field}: ${conflict.current === undefined ? '' : `${shown(conflict.current)} or `}${shown(conflict.value)}`;
  if (reason === 'review') return close ? `closed by ${close.by ?? 'an agent'}${close.reason ? `: ${close.reason}` : ''}` : 'asks for a review';
  if (reason === 'landed') return `landed in ${commit.slice(0, 10)}, still open`;
  if (reason === 'stale') return `nothing since ${day(instant(need.at))}`;
  return need.blocked_for ?? 'for a person';
}

/** A row of a list: a sign, an id, what it is about, who, when. On a small screen in two lines. */
function item({ id, key = id, sign, title, note, who, at, more }) {
  return el('li.item', sign, el('span.wide', code(id)),
    el('span.what', el('a.text', { href: address(key), 'data-item': key }, title), note && el('span.note', note), el('span.narrow', [id, note || (who?.agent ?? who?.assignee)].filter(Boolean).join(' · '))),
    el('span.end', more, who && person(who)), el('span.age', when(at)));
}
const sign = (reason) => { const [name, tone, words] = REASON_SIGNS[reason]; return el('span.sign', { role: 'img', 'aria-label': words, title: words }, icon(name, tone)); };

function inboxScreen(scene) {
  const questions = scene.questions.map((it) => item({ id: it.issue, key: it.key, sign: sign('question'), title: it.text.replace(/\s+/g, ' '), note: it.title, who: { assignee: it.by, agent: it.agent }, at: it.at, more: [it.to && el('span.chip', `to ${it.to}`), hooks.row?.(it)] }));
  const needs = scene.needs.map((it) => item({ id: it.issue, key: it.key, sign: sign(it.reason), title: it.title, note: because(it), who: it.holder, at: it.at, more: hooks.row?.(it) }));
  const works = scene.at_work.map((it) => item({ id: it.id, key: it.key, sign: columnIcon('in_progress'), title: it.title, note: it.last_note && `${it.last_note.kind}: ${it.last_note.text}`, who: it, at: it.last_activity, more: priority(it) }));
  const next = scene.ready.map((it) => item({ id: it.id, key: it.key, sign: columnIcon('ready'), title: it.title, note: it.unblocks && `unblocks ${it.unblocks}`, who: it, at: it.at, more: priority(it) }));
  const all = questions.length + needs.length;
  const unread = hooks.unread?.(scene);
  const part = (title, count, rows, none) => (rows.length || none) && el('section.part', { 'aria-label': title }, el('h2', title, ' ', el('span.count', count)), rows.length ? el('ul.items', rows) : el('p.none', none));
  const last = scene.at_work[0];
  const quiet = `Nothing needs you. ${last ? `${plural(works.length, 'issue')} at work, the last change ${ago(instant(last.last_activity))} ago.` : 'No one is at work.'}`;
  const more = scene.ready_count > next.length && el('a.more', { href: `${root('list')}list?${new URLSearchParams({ q: 'is:ready' })}` }, `All ${scene.ready_count} that can be started`);
  return [`${all} ${all === 1 ? 'needs' : 'need'} you`, el('div.scroll.list', { tabindex: -1 },
    part('Needs you', all, [...questions, ...needs], !unread && quiet), part('At work', works.length, works), hooks.news?.(scene), part('Next', scene.ready_count, next), more, unread)];
}

/** Columns of the list: title, the orders that a click on it gives, how small a screen has it. */
const HEADS = [['Id', 'id', 'wide'], ['Title', 'title', ''], ['State', null, ''], ['P', 'priority', ''], ['Type', null, 'wide'], ['Assignee', null, 'wide'], ['Updated', 'updated', 'wide']];

function listScreen(scene, { query, set, ask }) {
  const [, sort, way] = /^(\w+?)(-asc|-desc)?$/.exec(scene.sort ?? (scene.words.length ? '' : 'priority')) ?? [];
  const isDown = sort === 'updated' ? way !== '-asc' : way === '-desc';
  const turn = (key) => (sort === key && !way ? `${key}${key === 'updated' ? '-asc' : '-desc'}` : key);
  const heading = ([title, key, css]) => el('th', { scope: 'col', class: css, 'aria-sort': key && (sort === key ? (isDown ? 'descending' : 'ascending') : 'none') },
    key ? el('button', { type: 'button', 'data-sort': key, click: () => set([...termsOf(query).filter((part) => !part.startsWith('sort:')), `sort:${turn(key)}`].join(' ')) }, title) : title);
  const body = el('tbody');
  let heads = [];
  const row = (head) => (head.begins !== undefined ? el('tr', el('th.group', { scope: 'rowgroup', colspan: 7 }, head.begins)) : el('tr', el('td.wide', code(head.id)),
    el('td.what', el('span.line', el('a.text', { href: address(head.key ?? head.id), 'data-item': head.key ?? head.id }, marked(head.title, scene.words)), meter(head.children, 'Children'), due(head), el('span.labels', labels(head))),
      head.excerpt && el('span.note.text', marked(head.excerpt, scene.words)), el('span.narrow', head.id, head.assignee && ` · ${head.agent ?? head.assignee}`)),
    el('td', state(head)), el('td', priority(head)), el('td.wide', head.type), el('td.wide', person(head)), el('td.wide', when(head.updated_at))));
  const groupOf = (head) => head?.group ?? 'none';
  let isComing = false;
  const more = el('button.more', { type: 'button', click: async () => {
    if (isComing) return;
    isComing = true;
    try {
      for (let of; of !== scene;) {
        of = scene;
        const next = await ask('rows', { query, offset: heads.length });
        // Others have come meanwhile: these may not be the ones that follow.
        if (of !== scene) continue;
        goesOn(more, heads.length, () => put(next.heads));
      }
    } finally { isComing = false; }
  } });
  const put = (added) => {
    heads = [...heads, ...added];
    fill(body, scene.grouped ? heads.flatMap((head, i) => (i && groupOf(head) === groupOf(heads[i - 1]) ? head : [{ begins: groupOf(head) }, head])) : heads, row);
    more.hidden = scene.isAll || heads.length >= scene.total;
    more.textContent = moreOf(200, scene.total - heads.length);
  };
  put(scene.heads);
  const box = el('div.scroll.rows', { tabindex: -1 }, scene.total
    ? el('table', el('caption.unseen', 'Issues'), el('thead', el('tr', HEADS.map(heading))), body) : nothing(scene, set), more);
  box.takes = (next) => {
    if (!next.total || !scene.total || next.sort !== scene.sort || next.grouped !== scene.grouped) return null;
    heads = [];
    scene = next;
    put(next.heads);
    return plural(next.total, 'issue');
  };
  return [plural(scene.total, 'issue'), box];
}

/** Says why there is nothing, and what leads on. */
function nothing(scene, set) {
  if (!scene.all) return el('p.none', 'No issues yet: ', el('code', 'git beads create "..."'), ' makes the first, ', el('code', 'git beads init --import FILE'), ' imports those of another tracker.');
  return el('p.none', 'No issue matches', scene.hidden > 0 && ['; ', el('button.link', { type: 'button', click: () => set(`${scene.query} is:any`.trim()) }, `${scene.hidden} closed: show`)]);
}

/** Verbs and entries as they are told. */
const DONE = { start: 'started', stop: 'let go', done: 'closed', close: 'closed', reopen: 'reopened', accept: 'accepted', create: 'created', delete: 'deleted', resolve: 'settled', restore: 'restored', import: 'imported', update: 'changed', block: 'blocked', defer: 'deferred', undo: 'took back', split: 'split', label: 'changed', dep: 'linked', ask: 'asked', answer: 'answered', note: 'noted' };
const SAID = { finding: 'found', decision: 'decided', comment: 'commented', question: 'asked', answer: 'answered' };
/** What an operation did, from the subject of its commit: a word, and what that does not say already; of one issue, or of `count`. */
function doneBy(subject, issue, count = 1) {
  // The subject of an answer that was taken back has its number alone.
  const [, verb, rest = ''] = /^([\w-]+):? ?([^]*)$/.exec(subject.replace(/(answer [^ ]+): [0-9A-Z]{26}$/, '$1')) ?? [null, ''];
  const word = Object.hasOwn(DONE, verb) ? DONE[verb] : subject;
  if (word === subject || verb === 'import') return { word };
  if (verb === 'undo') {
    const done = doneBy(rest.replace(/^\w+: /, ''), issue, count);
    return { word, text: [done.word, done.text].filter(Boolean).join(': ') };
  }
  const [, removed, linked] = /^(add|rm) [^ ]+: ([^]*)$/.exec(verb === 'dep' ? rest : '') ?? [];
  if (linked) return { word: removed === 'rm' ? 'unlinked' : word, text: linked.replace(/^blocks /, 'waits for ') };
  // Of several issues the subject begins with their ids.
  const [ids, ...said] = rest.split(': ');
  const text = count > 1 || ids === issue?.id ? said.join(': ') : rest;
  const isSaid = text === issue?.title || (verb !== 'update' && text.split(', ').every((it) => ['status', 'deleted', 'accepted', 'defer', verb].includes(it)));
  return { word, text: isSaid ? undefined : text };
}
/** One thing that happened, after the name of who did it. */
const happening = ({ word, count, others, text, why }) => [word, count && ` ${plural(count, 'issue')}`, others && ` with ${plural(others, 'other issue')}`, text && ': ', text && el('span.text', shortened(text, 300)), why && el('span.why', why)];

function logScreen(scene, { ask }) {
  const list = el('ol.items.log');
  let before = '';
  let next;
  const event = (it) => {
    const today = day(instant(it.at));
    const begins = today !== before && el('li.day', el('h2', today));
    before = today;
    return [begins, el('li.item', el('span.age', { title: moment(instant(it.at)) }, moment(instant(it.at)).slice(11, 16)), el('span.end', author(it)), el('span.wide', it.id && code(it.id)),
      el('span.what', it.id && el('a.text', { href: address(it.id), 'data-item': it.id }, it.title), el('span.note', happening(it)), el('span.narrow', [it.id, byWhom(it)].filter(Boolean).join(' · '))))].filter(Boolean);
  };
  const add = (part) => {
    list.append(...part.events.flatMap(event));
    ({ next } = part);
  };
  add(scene);
  let isComing = false;
  const more = el('button.more', { type: 'button', hidden: next === undefined, click: async () => {
    if (isComing) return;
    isComing = true;
    try {
      const part = await ask('log', { offset: next });
      goesOn(more, list.querySelectorAll('[data-item]').length, () => {
        add(part);
        more.hidden = next === undefined;
      });
    } finally { isComing = false; }
  } }, 'Show more');
  return ['', el('div.scroll.list', { tabindex: -1 }, scene.events.length ? list : el('p.none', 'Nothing has happened yet.'), more)];
}
