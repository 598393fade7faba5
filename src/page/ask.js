// What is sent to the server so that something changes, and the texts that are asked for before. Nothing is drawn as done before it is.

const settings = JSON.parse($('data').textContent);
const KEY_OF = Object.fromEntries(settings.keys.acts);
/** A remark with the key of its act, as the program says it. */
const sentence = ({ text, act: kind, does }) => (kind ? `${text ? `${text}: ` : ''}\`${KEY_OF[kind]}\` ${does}` : text);

const known = (name, asked) => fetched.get(nameOf(repoOf(name, asked), name, asked))?.made;
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
const panelOf = ({ key }) => known('issue', { id: key });
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

/** The issues that are marked: an act on several is one commit, of one repository. */
const marks = new Set();
const idsOf = ({ id }) => (marks.size ? [...marks].map((key) => split(key)[1]) : [id]);
const about = ({ id }) => (marks.size > 1 ? `${marks.size} issues` : marks.size ? split([...marks][0])[1] : id);
function mark(key) {
  const [repo] = split(key);
  if (marks.has(key)) marks.delete(key);
  else if ([...marks].some((other) => split(other)[0] !== repo)) { say('The marks are in another repository: Esc takes them off'); return; }
  else marks.add(key);
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
/** Shows on what is drawn what is marked, and what others have changed. */
function decorate() {
  for (const it of main.querySelectorAll('[data-item]')) {
    const box = it.closest('.card, .item, tr');
    box?.classList.toggle('marked', marks.has(it.dataset.item));
    box?.classList.toggle('touched', touched.has(split(it.dataset.item).join('\n')));
  }
}

/** Sends an act, and answers what has come of it; a `message` says why nothing has. */
async function sent(asked) {
  if (settings.read_only) return { message: 'Nothing can be changed here: `serve` was begun with `--read-only`' };
  if (since || !key) return { message: 'Not connected: nothing can be changed now' };
  const slow = [[100, 'Saving'], [2000, 'Still saving: another process may have the lock, or the disk is slow']].map(([time, words]) => setTimeout(say, time, words));
  try {
    const answer = await post('/api/act', asked);
    const said = await answer.json();
    return answer.ok ? said : { message: [said.message.split('\n')[0], said.hint].filter(Boolean).join('; ') };
  } catch {
    return { message: 'Not connected: it may be done or not, look before you do it again' };
  } finally {
    slow.forEach(clearTimeout);
  }
}
/** Says what was done, with a way back. */
function told({ said, commit, heads = [], repo }) {
  for (const it of heads) noticed.set(`${repo}\n${it.id}`, it.updated_at);
  say(said);
  if (commit) $('said').append(' ', el('button.link', { type: 'button', click: () => back({ act: 'undo', commit }) }, 'Undo'));
}
/** Performs an act on an issue; answers why it was not done. */
async function perform({ repo, seen }, act) {
  const done = await sent({ repo, seen, ...act });
  if (done.message) { say(done.message); return done.message; }
  marks.clear();
  told(done);
  moves(repo);
  return '';
}
/** Takes back what was done here last, or what is named, or brings it back. */
async function back(asked) {
  const done = await sent(asked);
  if (done.message) say(done.message);
  else { told({ ...done, commit: null }); moves(done.repo); }
}

const DRAFT = 'git-beads-draft';
function dropDrafts() { for (const name of Object.keys(sessionStorage)) if (name.startsWith(DRAFT)) sessionStorage.removeItem(name); }

/** Asks for a text. `send` answers why it was not taken; what was typed stays then, and is kept where one leaves. */
function askText({ title, target, anchor, value = '', isLong, mayBeEmpty, options = [], note, send }) {
  const box = $('ask');
  const draft = `${DRAFT} ${target.repo} ${target.id} ${title}`;
  const field = el('textarea', { 'aria-label': title, rows: isLong ? 14 : 1, spellcheck: 'true' });
  field.value = sessionStorage.getItem(draft) ?? value;
  const fault = el('p.notice', { role: 'alert', hidden: true });
  const preview = el('div.prose.preview', { hidden: true, tabindex: 0 });
  let isSending = false;
  const take = async (text) => {
    if (isSending || (!mayBeEmpty && !text.trim())) return;
    isSending = true;
    const why = await send(text.trim());
    isSending = false;
    fault.hidden = !why;
    if (why) {
      // Who sends it again has read why: what is shown by then is what counts.
      fault.textContent = visible(`${why}. Sent again, it is for what is shown now.`);
      target.seen = undefined;
      return;
    }
    field.value = value;
    box.hidePopover();
  };
  const shows = async () => {
    const parsed = field.hidden ? null : await (await post('/api/scene', { scene: 'prose', repo: target.repo, text: field.value })).json();
    mentioned = {};
    preview.replaceChildren(...blocks(parsed?.blocks ?? []));
    [preview.hidden, field.hidden] = [field.hidden, !field.hidden];
    (field.hidden ? preview : field).focus();
  };
  const choice = (option, i) => el('li', el('button', { type: 'button', click: () => take(`${i + 1}`) }, el('span.text', option)));
  const buttons = [isLong && el('button', { type: 'button', click: shows }, 'Preview'), el('button.go', { type: 'button', click: () => take(field.value) }, isLong ? 'Save' : 'Send')];
  box.replaceChildren(...[el('h2', title), note && el('p.text.ask', note), options.length > 0 && el('ol.options', options.map(choice)), field, preview, fault,
    el('div.line', el('span.soft', isLong ? 'Ctrl-Enter saves' : 'Enter sends, Shift-Enter begins a line'), el('span.end', buttons))].filter(Boolean));
  box.classList.toggle('long', !!isLong);
  box.setAttribute('aria-label', title);
  box.onkeydown = (event) => {
    const sends = event.key === 'Enter' && event.target === field && !event.isComposing && (isLong ? event.ctrlKey || event.metaKey : !event.shiftKey);
    // Among options that are numbers themselves a digit says nothing.
    const option = !field.value && !options.some((it) => /^\s*\d/.test(it)) && options.length >= Number(event.key) && Number(event.key) > 0;
    if (!sends && !option) return;
    event.preventDefault();
    take(option ? event.key : field.value);
  };
  // Before it closes: what is opened at once afterwards finds the draft.
  box.onbeforetoggle = ({ newState }) => {
    if (newState !== 'closed') return;
    if (field.value.trim() && field.value !== value) sessionStorage.setItem(draft, field.value);
    else sessionStorage.removeItem(draft);
    setTimeout(() => { if (document.activeElement === document.body) choose([...main.querySelectorAll('[data-item]')].find((it) => it.dataset.item === target.key) ?? main); });
  };
  float(box, anchor);
  field.focus();
  field.select();
}

/** Asks for one of the issues of a repository. */
async function askIssue({ title, target, anchor, run }) {
  const find = async (text) => {
    const answer = await post('/api/scene', { scene: 'named', repo: target.repo, text });
    return answer.ok ? (await answer.json()).issues.filter(({ id }) => id !== target.id) : [];
  };
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
async function wordsOf(repo) {
  const answer = await post('/api/scene', { scene: 'words', repo });
  return answer.ok ? answer.json() : { people: [], labels: [], types: [], queries: [] };
}

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
  all = (await wordsOf(target.repo))[kind];
  add(all.filter((word) => !own.includes(word)).map((word) => ({ text: word, run: () => run(word) })));
}
