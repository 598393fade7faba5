// The data of a server. `scene` gives what was fetched; `ready` fetches what an address needs, and everything is drawn at once then.

// The key comes behind the sign that no browser sends, and leaves the address at once.
const channel = new BroadcastChannel('git-beads');
const [, given, beginning = '//inbox'] = /^#k=(\w+)(\/.*)?$/.exec(location.hash) ?? [];
let key = given ?? sessionStorage.getItem('git-beads-key');
// A key is kept, and told to other tabs, once the server has taken it: any page can open this one with a false one.
let isTaken = false;
const refused = new Set();
if (given) history.replaceState(null, '', `#${beginning}`);

/** The repository in the address, and that of what is drawn; none for all. An issue of another one than that in the address has both in its id. */
const bare = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
const here = () => bare(/^#\/([^/?]*)/.exec(location.hash)?.[1] ?? '');
let home = '';
const split = (id) => (id?.includes('\n') ? id.split('\n') : [here() || home, id]);
const enc = encodeURIComponent;
const address = (id) => { const [repo, own] = split(id); return `#/${enc(repo)}/issue/${enc(own)}`; };
const graphOf = (id) => `#/${enc(here() || home)}/graph/${enc(id)}`;
const root = (screen) => `#/${enc(here() || (['inbox', 'list'].includes(screen) ? '' : split(parsed().issue)[0] || desk?.here || desk?.repos[0]?.repo || ''))}/`;
function inside(to) {
  const [, repo, rest] = /^#?\/?([^/?]*)\/?(.*)/.exec(to);
  const [, id] = /^issue\/([^/?]*)/.exec(rest) ?? [];
  return id && bare(repo) !== here() ? `issue/${enc(`${bare(repo)}\n${bare(id)}`)}` : rest;
}

const agentOf = ({ claim }) => /\/(.*)/.exec(claim?.by ?? '')?.[1];
const some = (n) => n || undefined;
/** The column as the board has it: what was closed long ago has none. */
const columnOf = ({ column, status, at: time }, now) => (column === 'other' ? status : column !== 'done' || (time && instant(now) - instant(time) <= 7 * DAY) ? column : undefined);
const head = (it, now) => ({
  ...it, column: columnOf(it, now), agent: agentOf(it), labels: it.labels ?? [],
  // What has ended waits for nothing.
  ...(it.status === 'closed' ? { blockers: [], blockers_count: 0 } : { blockers_count: it.blocker_count }), unblocks: some(it.unblocks),
  children: it.children ? [it.children - it.open_children, it.children] : undefined, overdue: some(it.due && instant(it.due) < instant(now)), questions: some(it.asks),
});
const small = (it) => it && { ...it, column: it.column === 'done' ? undefined : columnOf(it) };
const party = (text) => { const [by, agent] = text.split('/'); return { by, agent }; };

/** What an operation did with an issue, in the words of the drawing. */
function eventsOf(it, issue, count = 1) {
  const event = { at: it.at, by: it.actor, agent: it.agent, id: issue?.id, title: issue?.title, why: some(it.context?.goal), count: count > 1 ? count : undefined };
  if (it.said?.length) return it.said.map(({ what, text }) => ({ ...event, word: SAID[what] ?? what, text })).reverse();
  return [{ ...event, ...doneBy(it.subject, issue, count) }];
}

const warned = ([message]) => (message ? { message, from: 0, to: 0 } : undefined);

/** Makes what the drawing asks for of what the server says. */
const MADE = {
  inbox({ inbox, blocking, here: own, seen }, { repo }) {
    // Beside the name of its repository an id needs no prefix.
    const short = ({ repo: name }, id) => (id.startsWith(`${name}-`) ? id : `${name} ${id.slice(id.lastIndexOf('-') + 1)}`);
    const row = (id) => (it) => (repo ? it : { ...it, [id]: short(it, it[id]), key: `${it.repo}\n${it[id]}` });
    const worked = (it) => ({ ...it, agent: agentOf(it) });
    return {
      seen, changed: (inbox.changed ?? []).map((it) => (repo ? it : { ...it, latest: it.latest.map((one) => ({ ...one, short: short(it, one.issue) })) })),
      questions: (inbox.questions ?? []).map((it) => ({ options: [], ...it })).map(row('issue')),
      needs: (inbox.needs ?? []).map((it) => ({ ...it, holder: it.holder && worked(it.holder) })).map(row('issue')),
      at_work: (inbox.at_work ?? []).map(worked).map(row('id')), ready: (inbox.ready ?? []).map(row('id')), ready_count: inbox.ready_count ?? 0,
      repos: inbox.repos ?? [], blocking, here: own,
    };
  },
  board({ at, columns, total, group, warnings, seen }, { query }) {
    // A state says where a card is; among groups the card says it.
    const drawn = (it) => ({ ...it, title: titleOf(group ? it.key || undefined : it.key, !group), heads: it.heads.map((one) => ({ ...head(one, at), ...(!group && { column: it.key }) })) });
    return { query, total, seen, group: group && true, fault: warned(warnings), columns: columns.map(drawn) };
  },
  rows(found, { query }) {
    const grouped = some(found.group);
    const group = (it) => (grouped === 'priority' ? `P${it.priority}` : it[grouped === 'epic' ? 'parent' : grouped]);
    return { ...found, query, fault: warned(found.warnings), words: [], grouped: grouped && true, heads: found.heads.map((it) => ({ ...head(it, found.at), group: grouped && group(it) })) };
  },
  issue({ at, head: own, issue, texts, memory, operations, around, names, cannot, seen }) {
    const end = (link) => ({ kind: link.type, ...link, ...small(around[link.id]), suspended: !!link.suspended });
    const [waits, waited] = [issue.dependencies ?? [], issue.dependents ?? []];
    const isWait = ({ type }) => type === 'blocks';
    const questions = memory.filter((it) => it.kind === 'question' && !it.answer && issue.status !== 'closed');
    const said = ({ kind, id, by, at: time, blocks: text, options = [] }) => ({ kind, entry: id, ...party(by), at: time, text, options });
    return {
      ...(own ? head(own, at) : issue), id: issue.id, title: issue.title, seen, cannot, raw: issue, texts: Object.fromEntries(texts.map(({ name, blocks: text }) => [name, text])), parent: issue.parent && (small(around[issue.parent]) ?? { id: issue.parent }),
      waits_for: waits.filter(isWait).map(end), unblocks: waited.filter(isWait).map(end), linked: [...waits, ...waited].filter((it) => !isWait(it)).map(end),
      parts: (issue.children ?? []).map((it) => small(around[it.id]) ?? it), reason: issue.reason, questions: questions.map((it) => ({ ...said(it), text: plain(it.blocks) })),
      review: issue.status === 'closed' && issue.closed_by_agent && !issue.accepted ? { by: issue.closed_by_agent } : undefined,
      conflicts: (issue.conflicts ?? []).map((it) => ({ ...it, value: String(it.value ?? 'too long for here') })),
      created_at: issue.created_at, created_by: issue.created_by, started_at: issue.claim?.since, closed_at: issue.closed_at, due: issue.due, defer: issue.defer, external_ref: issue.external_ref,
      memory: memory.flatMap((it) => [said(it), it.answer && said({ kind: 'answer', ...it.answer })].filter(Boolean)),
      commits: (issue.commits ?? []).map((it) => ({ ...it, commit: it.commit.slice(0, 10) })), events: operations.flatMap((it) => eventsOf(it, issue)), names,
    };
  },
  log: ({ operations, offset, more }) => ({ offset, next: more ? offset + operations.length : undefined, events: operations.flatMap(({ issue, count, ...it }) => eventsOf(it, issue, count)) }),
  graph: (graph) => ({ ...graph, focus: small(graph.focus), nodes: graph.nodes.map(small) }),
  change: (change) => change,
  stats: (stats) => ({ ...stats, epics: stats.epics.map(small) }),
  words({ people, labels: all, types, queries }) {
    const values = { is: ['open', 'ready', 'blocked', 'stale', 'review', 'overdue', 'waiting'], status: ['in_progress', 'deferred', 'closed'], priority: ['P0', 'P1', 'P2', 'P3', 'P4'], type: types, assignee: people, label: all };
    return { people, labels: all, types, queries, words: Object.entries(values).map(([name, those]) => ({ key: name, values: those.map((value) => ({ value })) })) };
  },
};

/** What the server takes of what is asked, where it is not the same. */
const SENT = {
  inbox: () => ({}), stats: () => ({}), words: () => ({}),
  board: ({ query = '' }) => ({ query, most: 200 }),
  rows: ({ query = '', offset = 0 }) => ({ query, offset, count: offset ? 200 : Math.max(200, main.querySelectorAll('td.what').length) }),
  log: ({ offset = 0 }) => ({ offset, count: offset ? 100 : Math.max(100, Math.ceil(main.querySelectorAll('.log > .item').length / 100) * 100) }),
  issue: ({ id }) => ({ id: split(id)[1] }), change: ({ id }) => ({ id: split(id)[1] }),
  graph: ({ id, steps, closed }) => ({ id: split(id)[1], steps, closed: !!closed }),
};

/** What was fetched, by what was asked, and what of it is drawn: an act rests on that. */
const [fetched, shownScenes] = [new Map(), new Map()];
/** Keeps the 200 that were used last. */
function remember(scenes, name, what) {
  scenes.delete(name);
  scenes.set(name, what);
  if (scenes.size > 200) scenes.delete(scenes.keys().next().value);
}
/** The address that is drawn: until another one is, no key is for what it names. */
let shownAt;
const isDrawn = () => shownAt === location.hash;
let desk;
const nameOf = (repo, name, { query, id, offset, steps, closed }) => JSON.stringify([repo, name, query, id, offset, steps, closed]);
const repoOf = (name, { id, all }) => (all ? '' : ['issue', 'graph', 'change'].includes(name) ? split(id)[0] : here() || (['inbox', 'rows', 'words'].includes(name) ? '' : split(parsed().issue)[0] || home));

async function post(path, body) {
  const answer = await fetch(path, { method: 'POST', headers: { 'Beads-Key': key, 'Content-Type': 'application/json' }, body: JSON.stringify(body), credentials: 'omit', redirect: 'error' });
  if (answer.status === 401) lost('This page is of an earlier run: open the address that `git beads serve` prints.');
  else if (!isTaken && key) {
    isTaken = true;
    sessionStorage.setItem('git-beads-key', key);
    channel.postMessage({ key });
  }
  return answer;
}

const keyOf = (name, asked) => nameOf(repoOf(name, asked), name, asked);

/** The rows of each repository, one after the other. */
async function getRows(asked) {
  const { repos } = fetched.get(nameOf('', 'inbox', {}))?.made ?? await get('inbox', { all: true });
  const names = repos.filter((it) => !it.error).map((it) => it.repo);
  const all = await Promise.all(names.map(async (repo) => {
    const answer = await post('/api/scene', { scene: 'rows', repo, query: asked.query ?? '', count: 200 });
    const said = await answer.json();
    return { repo, said, made: answer.ok && MADE.rows(said, { ...asked, repo }) };
  }));
  const found = all.filter((it) => it.made);
  if (!found.length) return all[0];
  const sum = (what) => found.reduce((n, { made }) => n + made[what], 0);
  return { made: {
    ...found[0].made, grouped: true, total: sum('total'), all: sum('all'), hidden: sum('hidden'), isAll: true, fault: found.every(({ made }) => made.fault) ? found[0].made.fault : undefined,
    seen: Object.fromEntries(found.map(({ repo, made }) => [repo, made.seen])), at: found[0].said.at,
    heads: found.flatMap(({ repo, made }) => made.heads.map((it) => ({ ...it, group: repo, key: `${repo}\n${it.id}` }))),
  } };
}

/** The words of all repositories. */
async function getWords() {
  const all = await Promise.all(desk.repos.filter((it) => !it.error).map(({ repo }) => sceneOf(repo, 'words')));
  const union = (kind) => [...new Set(all.flatMap((it) => it[kind] ?? []))];
  const made = MADE.words({ people: union('people'), labels: union('labels'), types: union('types'), queries: [] });
  return { made, isFault: !all.every((it) => it.people) };
}

/** How often something has moved: what was asked for before that is old when it comes. */
let movements = 0;

/** Asks the server for a scene, and keeps it; a scene without what can't be had says so. */
async function get(name, asked) {
  const repo = repoOf(name, asked);
  const begun = movements;
  const place = nameOf(repo, name, asked);
  const keeps = (made, isFault) => {
    remember(fetched, place, { made, repo, isFault, isOld: isFault || begun !== movements });
    return made;
  };
  if (name === 'words' && !repo) {
    const { made, isFault } = await getWords();
    return keeps(made, isFault);
  }
  const ofAll = name === 'rows' && !repo && await getRows(asked);
  if (ofAll?.made) return keeps({ ...ofAll.made, scene: name });
  const sent = SENT[name](asked);
  const answer = ofAll ? { ok: false } : await post('/api/scene', { scene: name, ...(repo && { repo }), ...sent });
  const said = ofAll ? ofAll.said : await answer.json();
  const message = said.message ?? '';
  let made;
  if (answer.ok) made = { ...MADE[name](said, { ...asked, repo }), scene: name, at: said.at, count: sent.count };
  else if (['issue', 'change'].includes(name)) made = { id: split(asked.id)[1], missing: true, why: [message, said.hint].filter(Boolean).join('; ') };
  else {
    const [what, , mark = ''] = message.split('\n');
    const fault = { message: [what, said.hint].filter(Boolean).join('; '), from: Math.max(0, mark.indexOf('^')), to: Math.max(0, mark.lastIndexOf('^') + 1) };
    made = { query: asked.query, fault, columns: [], heads: [], words: [], events: [], questions: [], needs: [], at_work: [], ready: [], repos: [], blocking: {}, total: 0, all: 1 };
    if (['graph', 'stats'].includes(name)) made = { focus: null, weeks: [], epics: [], opened: 0, closed: 0, open: 0, ready: 0, in_progress: 0, blocked: 0, fault };
  }
  for (const it of [made.heads ?? [], ...(made.columns ?? []).map((column) => column.heads)].flat()) notice(repo, it);
  // What failed here may not fail the next time.
  return keeps(made, !answer.ok && ![400, 404].includes(answer.status));
}

/** A scene that was fetched, else the promise of it. */
function scene(name, asked = {}) {
  const repo = repoOf(name, asked);
  if (name === 'words' && asked.id !== undefined) return scene('issue', { id: asked.id }).then?.(ofIssue) ?? ofIssue(scene('issue', { id: asked.id }));
  const place = nameOf(repo, name, asked);
  const known = fetched.get(place);
  // What the address does not need is fetched again by no move.
  if (known?.isOld && !needsOf(parsed()).some((need) => keyOf(...need) === place)) return get(name, asked);
  if (known) {
    home = repo;
    remember(fetched, place, known);
    remember(shownScenes, place, known.made);
  }
  return known?.made ?? get(name, asked);
}
/** The words of one issue, for the menu that narrows a screen. */
const ofIssue = (it) => ({ words: Object.entries({ status: [it.status], priority: [`P${it.priority}`], type: [it.type], assignee: [it.assignee], label: it.labels, in: [it.parent?.id] }).map(([name, values]) => ({ key: name, values: (values ?? []).filter(Boolean).map((value) => ({ value })) })) });

/** Fetches what an address needs and is not here as it is now; nothing where all is here. */
let turn = 0;
const needsOf = (to) => [['inbox', { all: true }], askedOf(to), to.screen !== 'issue' && to.issue != null && ['issue', { id: to.issue }], to.issue != null && to.change && ['change', { id: to.issue }]].filter(Boolean);
function missing(to) {
  const old = needsOf(to).filter((need) => fetched.get(keyOf(...need))?.isOld ?? true);
  return old.length ? Promise.all(old.map(([name, asked]) => get(name, asked))) : null;
}
let shownOf;
/** Draws what is shown, and the rail. */
function drawAll(show) {
  $('name').textContent = visible(here() || 'All repositories');
  // Of another repository nothing that was drawn is right.
  const isOther = shownOf !== here();
  shownOf = here();
  show(isOther);
  shownAt = location.hash;
  around();
  decorate();
  // What has come with it and was drawn before, or has moved while it came, is drawn as it is now.
  const isBehind = (it, known = fetched.get(it)) => shownScenes.get(it) !== known?.made || (known?.isOld && !known.isFault);
  if (needsOf(parsed()).some((need) => isBehind(keyOf(...need)))) refreshIn(20);
}
/** Ends when what was asked for last is drawn. */
let drawing = Promise.resolve();
let refreshing;
const refreshIn = (time) => { clearTimeout(refreshing); refreshing = setTimeout(refresh, time); };
/** Draws an address at once where all is here, else as soon as it is; of several that were asked for the last. */
function ready(to, show) {
  const mine = turn += 1;
  isRefreshing = false;
  if (!key) { lost('Open the address that `git beads serve` prints.'); return; }
  const coming = missing(to);
  if (!coming) drawAll(show);
  else drawing = coming.then(() => { if (mine === turn) drawAll(show); }, () => { say('Not connected: this was not read'); refreshIn(1000); });
}

/** The rail: the repositories, and what waits in each. */
function around() {
  desk = scene('inbox', { all: true });
  home = drawn.issue == null ? here() : split(drawn.issue)[0];
  if (!here() && desk.repos.length === 1) { history.replaceState(null, '', `#/${enc(desk.repos[0].repo)}/inbox`); arrived(); return; }
  const { screen } = parsed();
  for (const link of $('screens').children) link.href = root(link.dataset.screen) + link.dataset.screen;
  badge(desk);
  const line = (repo, text, count, error) => el('li', el('a', { href: repo ? `#/${enc(repo)}/${screen === 'issue' ? 'inbox' : screen}` : '#//inbox', 'aria-current': here() === repo && 'true', title: error ?? text, class: error && 'bad' }, el('span.text', text), count && el('b.badge', { 'aria-label': `${count} wait for a person` }, count)));
  $('repos').replaceChildren(...(desk.repos.length > 1 ? [line('', 'All repositories')] : []), ...desk.repos.map(({ repo, error, hint }) => line(repo, repo, some(desk.blocking[repo]), error && [error, hint].filter(Boolean).join('; '))));
  $('repo').textContent = $('name').textContent;
  document.body.classList.toggle('all', !here());
}
/** All repositories, or one by its name. */
const elsewhereTo = (repo) => visit(repo ? `#/${enc(repo)}/${parsed().screen === 'issue' ? 'inbox' : parsed().screen}` : '#//inbox');
const pickRepo = () => openMenu('Repositories', $('repo'), ['', ...desk.repos.map(({ repo }) => repo)].map((repo) => ({ text: repo || 'All repositories', note: desk.blocking[repo] || null, run: () => elsewhereTo(repo) })), true);

/** Draws again what has changed; focus, scroll and what was unfolded stay. Not while something is pressed or marked. */
const MOVES = '.scroll, .board, .cardbox, .cards, aside';
function redraw(show) {
  const isBusy = pointing || isDragging() || (!getSelection().isCollapsed && [main, panel].some((it) => it.contains(getSelection().anchorNode)));
  if (isBusy) { refreshIn(300); return; }
  const name = (it) => `${it.closest('[data-column]')?.dataset.column} ${it.className} ${it.tagName}`;
  const label = (it) => it.dataset.item ?? it.getAttribute('name') ?? it.getAttribute('aria-label') ?? it.textContent;
  const moved = [...document.querySelectorAll(MOVES)].map((it) => [name(it), it.scrollTop, it.scrollLeft, it.querySelectorAll('[data-item]').length, it]);
  const focus = document.activeElement;
  const place = [main, panel].find((it) => it !== focus && it.contains(focus));
  const row = isDrawn() && main.contains(focus) && focus.closest('.item, .card, tr')?.querySelector('[data-item]');
  const rows = isDrawn() ? [...main.querySelectorAll('.item, .card, tr')].map((it) => ({ issue: issueAt(it), place: it.getBoundingClientRect() })) : [];
  const at = row ? items().indexOf(row) : -1;
  const part = partOf(focus);
  show();
  for (const [of, top, left, count, was] of moved) {
    const it = [...document.querySelectorAll(MOVES)].find((other) => name(other) === of);
    // A pile adds at once; the rows of the list are as many as before.
    for (let more; it?.matches('.cardbox') && it.querySelectorAll('[data-item]').length < count && (more = it.querySelector(':scope > button.more:not([hidden])'));) more.click();
    // Where its rows stay, the browser keeps what is seen in its place.
    it?.scrollTo({ top: it === was && it !== panel ? undefined : top, left, behavior: 'instant' });
  }
  // A button of a row is that of the same issue. Of what was acted on the row is the same only in the same part, and no button is.
  const hasMoved = (it) => row && actedOn?.name === split(row.dataset.item).join('\n') && (part !== partOf(it) || it.tagName === 'BUTTON');
  const isSame = (it) => label(it) === label(focus) && issueAt(it) === issueAt(focus) && !hasMoved(it);
  const all = place && !(focus.isConnected && !hasMoved(focus)) ? [...place.querySelectorAll(focus.tagName)].filter(isSame) : [focus];
  const same = all.find((it) => partOf(it) === part) ?? all[0];
  // What is drawn now has all that was done; an act can be answered before what it has moved is read.
  const isNew = seenNow() === undefined || seenNow() !== actedOn?.seen;
  if (actedOn?.isDone && isNew && fetched.get(keyOf(...askedOf(parsed())))?.isOld === false) actedOn = null;
  // The row in the place of one that has gone is the next.
  const next = row ? items()[Math.min(at, items().length - 1)] : null;
  if (place) (same ?? next ?? place).focus({ preventScroll: true });
  const now = Date.now();
  drawnBefore = [...drawnBefore.filter((it) => now - it.at < 500), { rows, at: now }];
  if (place && !same && next && row.dataset.item !== next.dataset.item) slipped = { key: next.dataset.item, at: now };
}
/** Where the rows were before they were drawn anew, for half a second: what is pressed then was meant for what was there. */
let drawnBefore = [];
/** The issue that has come by itself to what is pressed, or into the focus. */
let [slipped, isPressed] = [null, false];
const issueAt = (it) => it?.closest('.item, .card, tr')?.querySelector('[data-item]')?.dataset.item;
/** Sees whether another issue was where something is pressed. */
function presses(x, y, target) {
  const key = issueAt(target);
  const issueThen = ({ rows }) => rows.find(({ place }) => place.left <= x && x < place.right && place.top <= y && y < place.bottom)?.issue;
  const drawn = drawnBefore.find((it) => Date.now() - it.at < 500 && issueThen(it) !== key);
  slipped = drawn ? { key, at: drawn.at } : null;
  isPressed = true;
}
/** One at a time, and none of an address that was left: what moves meanwhile is old when it is drawn, and fetched by the next. */
let isRefreshing = false;
async function refresh() {
  if (isRefreshing) return;
  isRefreshing = true;
  const mine = turn;
  const isRead = await (missing(parsed()) ?? Promise.resolve()).then(() => true, () => false);
  if (mine !== turn) return;
  isRefreshing = false;
  const rows = parsed().screen === 'list' && isDrawn() && fetched.get(keyOf(...askedOf(parsed())));
  // More rows were added than there were when it was asked for.
  const isShort = rows && rows.made.count < main.querySelectorAll('td.what').length && rows.made.heads.length < rows.made.total;
  if (isShort) rows.isOld = true;
  if (isRead && !isShort) redraw(() => drawAll((isOther) => draw(true, !isOther)));
  // A server that has gone is tried by the stream.
  else if (!since) refreshIn(isRead ? 20 : 1000);
}

/** What has moved is old: it stays until the new is here. */
function moves(repo) {
  movements += 1;
  for (const it of fetched.values()) if (repo === undefined || !it.repo || it.repo === repo) it.isOld = true;
  refreshIn(20);
}
const clock = () => { const now = new Date(); return `${two(now.getHours())}:${two(now.getMinutes())}`; };
let since;
function connected(is) {
  since = is ? undefined : since ?? clock();
  $('live').textContent = is ? 'live' : `not connected since ${since}, read only`;
  $('live').classList.toggle('b-red', !is);
}
function lost(text) {
  refused.add(key);
  [key, isTaken] = [null, false];
  sessionStorage.removeItem('git-beads-key');
  dropDrafts();
  $('live').textContent = text;
  $('live').classList.add('b-red');
  channel.postMessage({ wants: true });
}

/** One tab has the stream, and tells the others. */
function heard(message) {
  if (message.wants && isTaken) channel.postMessage({ key, connected: since === undefined });
  // One that was refused is not tried again, whoever has it still.
  if (message.key && !key && !refused.has(message.key)) { key = message.key; wake?.(); connected(true); moves(); }
  if (message.connected !== undefined && key) {
    const was = $('live').textContent === 'live';
    connected(message.connected);
    // What has moved without a stream was told by none. What is on its way is drawn before it is asked for again.
    if (message.connected && (message.begun || !was)) drawing.then(() => moves(), () => moves());
  }
  if (message.moved) moves(message.moved);
}
const tell = (message) => { channel.postMessage(message); heard(message); };
let wake;
const pause = (time) => new Promise((done) => { wake = done; setTimeout(done, time); });
async function listen() {
  for (let wait = 250; ; wait = Math.min(wait * 2, 5000)) {
    try {
      const answer = key && await post('/api/live', {});
      if (answer?.ok) {
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let text = '';
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          const events = (text + part.value).split('\n\n');
          text = events.pop();
          for (const event of events) {
            if (event === ': live') { tell({ connected: true, begun: true }); wait = 250; }
            const [, data] = /^event: moved\ndata: (.*)$/.exec(event) ?? [];
            if (data) tell({ moved: JSON.parse(data).repo });
          }
        }
      }
    } catch { /* it is tried again */ }
    if (key) tell({ connected: false });
    await pause(wait);
  }
}

/** Begins, once the page is there. */
function begun() {
  $('footer').before(el('nav', { 'aria-label': 'Repositories' }, el('ul', { id: 'repos' })));
  $('theme').before(el('span.chip', { id: 'live', role: 'status' }));
  beginActs();
  $('title').after(el('button.plain', { id: 'repo', type: 'button', title: 'Another repository', click: pickRepo }));
  KEYS.push(['0', 'All repositories, or this one', () => visit(here() ? '#//inbox' : `${root('list')}inbox`)]);
  channel.onmessage = ({ data }) => heard(data);
  channel.postMessage({ wants: true });
  // The address of another run, put into this page.
  addEventListener('hashchange', () => { if (location.hash.startsWith('#k=')) location.reload(); });
  navigator.locks.request('git-beads-live', listen);
  // Ages are others each minute.
  setInterval(() => { if (!document.hidden && !since && key) moves(); }, 60000);
}
