// What is sent to the server so that something changes, and the texts that are asked for before. Nothing is drawn as done before it is.

const settings = JSON.parse($('data').textContent);
const KEY_OF = Object.fromEntries(settings.keys.acts);
/** A remark with the key of its act, as the program says it. */
const sentence = ({ text, act: kind, does }) => (kind ? `${text ? `${text}: ` : ''}\`${KEY_OF[kind]}\` ${does}` : text);

const known = (name, asked) => shownScenes.get(keyOf(name, asked));
/** The commit of the picture in which an issue is seen: an act names it. */
function seenOf(key, repo) {
  const to = parsed();
  if (key === to.issue) return known('issue', { id: key })?.seen;
  const seen = known(...askedOf(to))?.seen;
  return typeof seen === 'object' ? seen[repo] : seen;
}
/** An issue by its key in the page, and where it is. */
function targetOf(key) {
  const [repo, id] = split(key);
  return { key, repo, id, seen: seenOf(key, repo) };
}
/** The commits of the picture that is drawn. */
const seenNow = () => JSON.stringify(known(...askedOf(parsed()))?.seen);
/** What is known of an issue as it is now: it stands beside the screen, or nothing has moved since it was fetched. */
function panelOf({ key }) {
  const it = fetched.get(keyOf('issue', { id: key }));
  return key === parsed().issue ? known('issue', { id: key }) : it?.isOld === false ? it.made : undefined;
}
/** What is known of an issue here: from the panel, else from its row or card. */
function headOf(target) {
  const scene = known(...askedOf(parsed())) ?? {};
  const all = [scene.heads, ...(scene.columns ?? []).map((column) => column.heads), scene.at_work, scene.ready].flat();
  const issue = panelOf(target);
  return issue && !issue.missing ? issue : all.find((it) => it && (it.key ?? it.id) === target.key);
}
/** The row of the inbox for a reason. */
const isOf = ({ repo, id }) => (it) => it.key === `${repo}\n${id}`;
const needOf = (target, reason) => known('inbox', { all: true })?.needs.filter(isOf(target)).find((it) => it.reason === reason);

/** The issues that are marked, by repository and id: an act on one of them is about all, in one commit of one repository. */
const marks = new Set();
const nameOfIssue = ({ repo, id }) => `${repo}\n${id}`;
const markedWith = (target) => (marks.has(nameOfIssue(target)) ? [...marks] : []);
const idsOf = (target) => (marks.has(nameOfIssue(target)) ? [...marks].map((name) => name.split('\n')[1]) : [target.id]);
const about = (target) => (markedWith(target).length > 1 ? `${marks.size} issues` : target.id);
function mark(target) {
  const name = nameOfIssue(target);
  if (marks.has(name)) marks.delete(name);
  else if ([...marks].some((other) => other.split('\n')[0] !== target.repo)) { say('The marks are in another repository: Esc takes them off'); return; }
  else marks.add(name);
  decorate();
  say(marks.size ? `${plural(marks.size, 'issue')} marked` : 'No issue is marked');
}

/** Rows that others have changed since they were looked at, and when each was changed as far as it is known here. */
const [touched, noticed] = [new Set(), new Map()];
function notice(repo, { id, updated_at: at }) {
  const name = `${repo}\n${id}`;
  if ((noticed.get(name) ?? at) !== at) touched.add(name);
  noticed.set(name, at);
}
/** Shows on what is drawn what is marked, and what others have changed. A mark that is not seen any more is none. */
function decorate() {
  const there = new Set();
  for (const it of main.querySelectorAll('[data-item]')) {
    const [box, name] = [it.closest('.card, .item, tr'), split(it.dataset.item).join('\n')];
    there.add(name);
    box?.classList.toggle('marked', marks.has(name));
    box?.classList.toggle('touched', touched.has(name));
    if (marks.has(name)) it.setAttribute('aria-description', 'marked');
    else it.removeAttribute('aria-description');
  }
  for (const name of marks) if (!there.has(name)) marks.delete(name);
}

/** Sends an act, and answers what has come of it; a `message` says why nothing has. */
async function sent(asked) {
  if (settings.read_only) return { message: 'Nothing can be changed here: `serve` was begun with `--read-only`' };
  if (since || !key) return { message: 'Not connected: nothing can be changed now' };
  const slow = [[100, 'Saving'], [2000, 'Still saving: another process may have the lock, or the disk is slow']].map(([time, words]) => setTimeout(say, time, words));
  try {
    const answer = await post('/api/act', asked);
    const said = await answer.json();
    return answer.ok ? said : { code: said.code, message: [said.message.split('\n')[0], said.hint].filter(Boolean).join('; ') };
  } catch {
    return { message: 'Not connected: it may be done or not, look before you do it again' };
  } finally {
    slow.forEach(clearTimeout);
  }
}
/** The commits of this tab: what it has set itself it may set again unseen. */
const ownCommits = [];
/** Says what was done, with a way back. */
function told({ said, commit, heads = [], repo }) {
  for (const it of heads) noticed.set(`${repo}\n${it.id}`, it.updated_at);
  say(said);
  if (!commit) return;
  ownCommits.splice(0, ownCommits.length - 50);
  ownCommits.push(commit);
  $('said').append(' ', el('button.link', { type: 'button', click: () => back({ act: 'undo', commit }) }, 'Undo'));
}
/** The issue that the last act is on, from when it is sent until it is drawn: where it has left its part of the inbox, the next one is in its place. */
let actedOn = null;
/** Performs an act on an issue; answers why it was not done. */
async function perform(target, act) {
  const { repo, seen } = target;
  // Before it is sent: the stream can be quicker than the answer.
  const [before, mine] = [actedOn, { name: nameOfIssue(target), seen: seenNow() }];
  actedOn = mine;
  const done = await sent({ repo, seen, mine: ownCommits, ...act });
  mine.isDone = true;
  if (!done.commit && actedOn === mine) actedOn = before;
  if (done.message) { say(done.message); return done; }
  marks.clear();
  told(done);
  if (act.act === 'create' && done.heads?.length === 1) $('said').append(' ', el('a', { href: `#/${enc(repo)}/issue/${enc(done.heads[0].id)}` }, 'Open'));
  // What was sent back has no change to be looked at any more.
  if (act.act === 'reopen' && parsed().change && parsed().issue === target.key) change({ change: undefined });
  moves(repo);
  return null;
}
/** Takes back what was done here last, or what is named, or brings it back. */
async function back(asked) {
  const done = await sent(asked);
  if (done.message) { say(done.message); return; }
  if (done.commit) ownCommits.push(done.commit);
  told({ ...done, commit: null });
  moves(done.repo);
}
/** What the server says of a repository; nothing where it does not. */
async function sceneOf(repo, name, asked = {}) {
  try {
    const answer = await post('/api/scene', { scene: name, repo, ...asked });
    if (answer.ok) return answer.json();
  } catch { /* said below */ }
  say('Not connected: this was not read');
  return {};
}

const DRAFT = 'git-beads-draft';
function dropDrafts() { for (const name of Object.keys(sessionStorage)) if (name.startsWith(DRAFT)) sessionStorage.removeItem(name); }

const partOf = (it) => it.closest('section.part')?.getAttribute('aria-label');

let asking = 0;
/** Asks for a text, perhaps for another one than `load` finds. `send` answers why it was not taken; what was typed stays then, and is kept where one leaves. */
function askText({ title, target, anchor, value = '', load, isLong, mayBeEmpty, options = [], note, what = '', send }) {
  const box = $('ask');
  const mine = asking += 1;
  const name = `${DRAFT} ${target.repo} ${target.id} ${title} ${what}`;
  const draft = JSON.parse(sessionStorage.getItem(name) ?? 'null');
  // A draft was begun on an older picture: another text that has come since is not overwritten by it.
  if (draft?.seen) target.seen = draft.seen;
  const field = el('textarea', { 'aria-label': title, rows: isLong ? 14 : 1, spellcheck: 'true' });
  field.value = draft?.text ?? value;
  const fault = el('p.notice', { role: 'alert', hidden: true });
  const preview = el('div.prose.preview', { hidden: true, tabindex: 0 });
  let [isSending, loaded] = [false];
  const keeps = () => {
    // Once the key was refused nothing is left to a program that may listen in the place of this one.
    if (key && field.value.trim() && field.value !== value) sessionStorage.setItem(name, JSON.stringify({ text: field.value, seen: target.seen }));
    else sessionStorage.removeItem(name);
  };
  const isHere = () => mine === asking && box.matches(':popover-open');
  const take = async (text) => {
    if (isSending || (!mayBeEmpty && !text.trim())) return;
    isSending = field.readOnly = true;
    if (loaded) {
      const isHere = await loaded;
      isSending = field.readOnly = isHere;
      if (!isHere) return;
      text = field.value;
    }
    // What is on its way is no draft: it would be sent twice.
    sessionStorage.removeItem(name);
    const failed = await send(isLong ? text : text.trim());
    isSending = field.readOnly = false;
    if (!failed) { field.value = value; if (isHere()) box.hidePopover(); return; }
    keeps();
    const isOlder = failed.code === 'changed';
    // Who sends it again has read why: what is shown by then is what counts.
    if (isOlder) target.seen = undefined;
    fault.hidden = false;
    fault.textContent = visible(`${failed.message}.${isOlder ? ' Sent again, it is for what is shown now.' : ''}`);
  };
  const shows = async () => {
    const parsed = field.hidden ? {} : await sceneOf(target.repo, 'prose', { text: field.value });
    mentioned = {};
    preview.replaceChildren(...blocks(parsed.prose ?? []));
    [preview.hidden, field.hidden] = [field.hidden, !field.hidden];
    (field.hidden ? preview : field).focus();
  };
  const choice = (option) => el('li', el('button', { type: 'button', click: () => take(option) }, el('span.text', option)));
  const buttons = [isLong && el('button', { type: 'button', click: shows }, 'Preview'), el('button.go', { type: 'button', click: () => take(field.value) }, isLong ? 'Save' : 'Send')];
  box.replaceChildren(...[el('h2', title), note && el('p.text.ask', note), options.length > 0 && el('ol.options', options.map(choice)), field, preview, fault,
    el('div.line', el('span.soft', isLong ? 'Ctrl-Enter saves' : 'Enter sends, Shift-Enter begins a line'), el('span.end', buttons))].filter(Boolean));
  box.classList.toggle('long', !!isLong);
  box.setAttribute('aria-label', title);
  field.oninput = () => {
    keeps();
    // A number that nothing follows for a moment is that option, unless an option begins with one.
    const text = field.value;
    if (!(Number(text) <= options.length) || !/^[1-9]$/.test(text) || !haveNumbers(options)) return;
    setTimeout(() => { if (isHere() && field.value === text) take(text); }, 700);
  };
  box.onkeydown = (event) => {
    const sends = event.key === 'Enter' && event.target === field && !event.isComposing && (isLong ? event.ctrlKey || event.metaKey : !event.shiftKey);
    if (!sends) return;
    event.preventDefault();
    take(field.value);
  };
  // The row that it was opened for, and those after it, each in its part.
  const spot = (it) => `${partOf(it)}\n${it.dataset.item}`;
  const isOf = (it) => it.dataset.item === target.key;
  const rows = panel.contains(anchor) ? [] : items();
  const at = Math.max(rows.findIndex((it) => isOf(it) && it.closest('.item, .card, tr')?.contains(anchor)), rows.findIndex(isOf));
  const [own, ...after] = at < 0 ? [] : rows.slice(at).map(spot);
  box.onbeforetoggle = ({ newState }) => {
    if (newState !== 'closed') return;
    if (!isSending) keeps();
    setTimeout(() => {
      if (box.matches(':popover-open')) return;
      const all = items();
      const now = all.find((it) => spot(it) === own);
      // What was acted on and has left its part was drawn while the box was open; the browser may have gone with it.
      const hasLeft = own && !now && actedOn?.name === nameOfIssue(target);
      const active = document.activeElement;
      // The focus leaves a closed box with the next picture.
      if (active !== document.body && !box.contains(active) && !(hasLeft && issueAt(active) === target.key)) return;
      const next = hasLeft && (all.find((it) => after.includes(spot(it))) ?? all.at(-1));
      (next || now || all.find(isOf) || (panel.hidden ? main : panel)).focus({ preventScroll: true });
      if (next) slipped = { key: next.dataset.item, at: Date.now() };
    });
  };
  // What is short may be typed over; a text is gone on with.
  const begins = () => { if (isLong) field.setSelectionRange(0, 0); else field.select(); };
  float(box, anchor);
  field.focus();
  begins();
  // An act on a text rests on what is shown of it here. What is typed meanwhile stays.
  loaded = load?.().then((it) => {
    value = it.text;
    if (draft) return true;
    target.seen = it.seen;
    if (!field.value) { field.value = value; begins(); }
    return true;
  }).catch((error) => {
    fault.hidden = false;
    fault.textContent = visible(error instanceof TypeError ? 'Not connected: this was not read' : error.message);
    return false;
  });
}

/** Asks for one of the issues of a repository. */
async function askIssue({ title, target, anchor, run }) {
  const find = async (text) => ((await sceneOf(target.repo, 'named', { text })).issues ?? []).filter(({ id }) => id !== target.id);
  const entry = (it) => ({ text: `${it.id} ${it.title}`, run: () => run(it.id) });
  const add = openMenu(title, anchor, [], true, grows(find, entry));
  add((await find('')).map(entry));
}
/** Adds to a menu what the server finds for the words in its field. */
const grows = (find, entry) => {
  let last = 0;
  return async (text, list, line) => {
    const mine = last += 1;
    const found = text ? await find(text) : [];
    if (mine !== last) return;
    for (const it of list.querySelectorAll('.found')) it.remove();
    const there = new Set([...list.querySelectorAll('li:not([hidden])')].map((it) => it.dataset.word));
    for (const it of found) {
      const added = line(entry(it));
      added.classList.add('found');
      if (!there.has(added.dataset.word)) list.append(added);
    }
  };
};

/** The words of a repository, for pickers. */
const wordsOf = async (repo) => ({ people: [], labels: [], types: [], queries: [], ...await sceneOf(repo, 'words') });

/** Asks for one of the words of a repository, or for a new one. */
async function askWord({ title, target, anchor, kind, own = [], none, run }) {
  const entries = [none && { text: none, run: () => run('') }, ...own.map((word) => ({ text: `remove ${word}`, run: () => run(word, true) }))].filter(Boolean);
  let all = [];
  const add = openMenu(title, anchor, entries, true, (text, list, line) => {
    list.querySelector('.new')?.remove();
    if (!text || all.includes(text)) return;
    const added = line({ text: `Use “${text}”, which is new`, run: () => run(text) });
    added.classList.add('new');
    list.append(added);
  });
  const { dataset } = $('menu');
  dataset.loads = 'still';
  all = (await wordsOf(target.repo))[kind];
  const isTaken = dataset.loads === 'taken';
  delete dataset.loads;
  add(all.filter((word) => !own.includes(word)).map((word) => ({ text: word, run: () => run(word) })));
  const typed = $('menu').querySelector('input')?.value.trim();
  if (isTaken && typed && $('menu').matches(':popover-open')) takeTyped(typed);
}
