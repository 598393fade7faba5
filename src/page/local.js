// The data of the file. `scene` makes of it what the drawing asks for, as a server makes it of a store.

const data = JSON.parse(document.getElementById('data').textContent);
const issues = data.issues;
const byId = new Map(issues.map((issue) => [issue.id, issue]));
present = data.at;

const isOpen = (issue) => issue.status !== 'closed';
// What is not said is empty, and what is said at one end of an edge is known at both.
for (const issue of issues) {
  for (const list of ['labels', 'links', 'memory', 'conflicts', 'commits']) issue[list] ??= [];
  Object.assign(issue, { children: [], dependents: [], operations: [] });
  for (const [name, tree] of Object.entries(issue.texts ?? {})) issue[name] = plain(tree);
}
for (const issue of issues) {
  byId.get(issue.parent)?.children.push(issue);
  for (const [kind, id, suspended] of issue.links) byId.get(id)?.dependents.push([kind, issue.id, suspended]);
}
for (const operation of data.operations) for (const i of operation[3]) issues[i].operations.push(operation);

const holds = ([kind, id, suspended]) => kind === 'blocks' && !suspended && byId.has(id) && isOpen(byId.get(id));
const blockers = (issue) => issue.links.filter(holds);
const waiting = (issue) => issue.dependents.filter(holds);
/** Whether an open issue should have been done by now. */
const isOverdue = (issue) => isOpen(issue) && issue.due != null && instant(issue.due) < data.at;
/** The questions of an issue that no answer follows. */
const openQuestions = (issue) => (isOpen(issue) ? issue.memory.filter(([kind], i) => kind === 'question' && issue.memory[i + 1]?.[0] !== 'answer') : []);

const stamp = (time) => (time == null ? undefined : new Date(time).toISOString());
const some = (n) => n || undefined;
function columnOf(issue) {
  if (!isOpen(issue) && STATES.review(issue)) return 'review';
  return issue.column ?? (isOpen(issue) ? issue.status : undefined);
}
const counted = (done, all) => (all ? [done, all] : undefined);
function brief(id) {
  const issue = byId.get(id);
  return issue ? { id, title: issue.title, status: issue.status, column: columnOf(issue) } : { id };
}

/** What a row or a card shows of an issue. */
function head(issue) {
  // What has ended waits for nothing.
  const waits = isOpen(issue) ? blockers(issue) : [];
  const boxes = issue.acceptance?.match(/^[☐☑]/gm) ?? [];
  const done = issue.children.filter((child) => !isOpen(child)).length;
  return {
    ...brief(issue.id), priority: issue.priority, type: issue.type, assignee: issue.assignee, agent: issue.agent, labels: issue.labels,
    blockers: waits.slice(0, 2).map(([, id]) => brief(id)), blockers_count: waits.length, unblocks: some(waiting(issue).length),
    criteria: counted(boxes.filter((box) => box === '☑').length, boxes.length), children: counted(done, issue.children.length),
    at: stamp(issue.closed ?? issue.started ?? issue.updated), updated_at: stamp(issue.updated), due: isOpen(issue) ? issue.due : undefined, overdue: isOverdue(issue) || undefined,
    questions: some(openQuestions(issue).length), blocked_for: issue.status === 'blocked' ? issue.reason : undefined,
  };
}

/** What stands above a column of the board. */
function titleOf(key, isState) {
  if (!isState) return key ?? 'None';
  return Object.hasOwn(COLUMNS, key) ? COLUMNS[key] : key === 'open' ? 'Open, not ready' : named(key);
}

const asQuestion = (issue) => ([, [by, agent], at, text, [to, options] = [null, []]]) => ({ issue: issue.id, title: issue.title, text: plain(text), by, agent, at: stamp(at), to: to ?? undefined, options });

/** Who has closed an issue: the last who did it here. */
function closer(issue) {
  const operation = issue.operations.find(([, , subject]) => subject.startsWith('done'));
  return operation && data.actors[operation[1]].filter(Boolean).join('/');
}

const REASONS = [
  ['person', (issue) => STATES.waiting(issue), (issue) => ({ blocked_for: issue.status === 'blocked' ? issue.reason : undefined })],
  ['conflict', (issue) => isOpen(issue) && issue.conflicts.length > 0],
  ['review', (issue) => STATES.review(issue), (issue) => (isOpen(issue) ? {} : { close: { by: closer(issue), reason: issue.reason } })],
  ['landed', (issue) => STATES.landed(issue), (issue) => ({ commit: issue.commits.find((commit) => commit[2])[0] })],
  ['stale', (issue) => STATES.stale(issue), (issue) => ({ holder: { assignee: issue.assignee, agent: issue.agent } })],
];

/** What was last said of an issue. */
function lastNote({ memory }) {
  const [kind, [by, agent] = [], at, text] = memory.toSorted((a, b) => a[2] - b[2]).at(-1) ?? [];
  return kind && { kind, by, agent, at: stamp(at), text: shortened(plain(text).replace(/\s+/g, ' '), 200) };
}

/** What an operation did with an issue, newest first: who, and in what words. An import has brought the issue, with all in it. */
const DONE = { start: 'started', stop: 'let go', done: 'closed', close: 'closed', reopen: 'reopened', accept: 'accepted', create: 'created', delete: 'deleted', restore: 'restored', import: 'imported', update: 'changed', block: 'blocked', defer: 'deferred', undo: 'took back', split: 'split', label: 'changed', dep: 'linked' };
const SAID = { finding: 'found', decision: 'decided', comment: 'commented', question: 'asked', answer: 'answered' };
function eventsOf(operation, issue) {
  const [at, who, subject, on, why] = operation;
  const [by, agent] = data.actors[who];
  const [, verb, rest = ''] = /^([\w-]+):? ?([^]*)$/.exec(subject) ?? [null, '', subject];
  const event = { at: stamp(at), by, agent, id: issue.id, title: issue.title, why };
  const entries = issue.memory.filter((entry) => entry[2] === at && SAID[entry[0]]);
  if (['note', 'ask', 'answer'].includes(verb) && entries.length) return entries.map(([kind, , , text]) => ({ ...event, word: SAID[kind], text: plain(text) })).reverse();
  if (!Object.hasOwn(DONE, verb)) return [{ ...event, word: subject }];
  // Of several issues the subject begins with their ids.
  const said = on.length > 1 ? rest.split(': ').slice(1).join(': ') : rest;
  return [{ ...event, word: DONE[verb], others: some(on.length - 1), text: verb === 'import' ? undefined : said }];
}

function historyOf(issue) {
  const events = issue.operations.flatMap((operation) => eventsOf(operation, issue));
  // What an import brought has happened elsewhere, before the first operation here.
  const first = issue.operations.at(-1)?.[0] ?? Infinity;
  if (issue.closed < first - 1000) events.push({ at: stamp(issue.closed), word: 'closed' });
  if (issue.created < first - 1000) events.push({ at: stamp(issue.created), by: issue.created_by, word: 'created' });
  return events;
}

const isName = (word) => word.includes('-') && byId.has(word);
const pieces = (text) => [...text.matchAll(/[\p{L}\p{N}_][\p{L}\p{N}_.-]*[\p{L}\p{N}_]/gu)].map(([word]) => word);

/** The scenes, by their names: each takes what it is asked and gives what is drawn. */
const SCENES = {
  inbox() {
    const questions = issues.flatMap((issue) => openQuestions(issue).map(asQuestion(issue)));
    const taken = new Set(questions.map((question) => question.issue));
    const needs = [];
    for (const [reason, applies, more = () => ({})] of REASONS) {
      const rows = issues.filter((issue) => !taken.has(issue.id) && applies(issue)).sort((a, b) => a.updated - b.updated);
      for (const issue of rows) {
        taken.add(issue.id);
        const row = { reason, issue: issue.id, title: issue.title, at: stamp(issue.updated), ...more(issue) };
        if (reason !== 'conflict') needs.push(row);
        else for (const [field, by, value] of issue.conflicts) needs.push({ ...row, conflict: { field, by, value, current: currentOf(issue, field) } });
      }
    }
    const needed = new Set(needs.map((need) => need.issue));
    const at_work = issues.filter((issue) => issue.status === 'in_progress' && !needed.has(issue.id)).sort(ORDERS.updated);
    const ready = issues.filter((issue) => issue.column === 'ready' && !taken.has(issue.id)).sort((a, b) => ORDERS.priority(a, b) || ORDERS.id(a, b));
    return {
      questions: questions.sort((a, b) => (a.at < b.at ? -1 : 1)), needs,
      at_work: at_work.map((issue) => ({ ...head(issue), since: stamp(issue.started), last_activity: stamp(issue.updated), last_note: lastNote(issue) })),
      ready: ready.slice(0, 10).map(head), ready_count: ready.length,
    };
  },
  board({ query }) {
    const asked = found(query, true);
    const key = asked.group ? (issue) => asked.group(issue) : columnOf;
    const columns = new Map(asked.group ? [] : [['ready', []], ['in_progress', []], ['blocked', []]]);
    for (const issue of asked.result) {
      const name = key(issue);
      if (asked.group ? !isOpen(issue) : name === undefined) continue;
      if (!columns.has(name)) columns.set(name, []);
      columns.get(name).push(issue);
    }
    if (!asked.group) {
      for (const last of ['review', 'done']) {
        const mine = columns.get(last) ?? (last === 'done' ? [] : null);
        columns.delete(last);
        if (mine) columns.set(last, mine.sort((a, b) => b.closed - a.closed));
      }
    }
    const drawn = ([name, mine]) => ({ key: name ?? '', title: titleOf(name, !asked.group), total: mine.length, heads: mine.slice(0, 200).map(head) });
    return { query, group: asked.group && true, fault: asked.fault, total: asked.result.length, columns: [...columns].map(drawn) };
  },
  rows({ query, offset = 0, n = 200 }) {
    const asked = found(query, false);
    const row = (issue) => ({ ...head(issue), group: asked.group?.(issue) ?? undefined, excerpt: excerpt(issue, asked.words) });
    return { query, sort: asked.sort, grouped: asked.group && true, words: asked.words, fault: asked.fault, total: asked.result.length, all: issues.length, hidden: asked.hidden, offset, heads: asked.result.slice(offset, offset + n).map(row) };
  },
  issue({ id }) {
    const issue = byId.get(id);
    if (!issue) return { id, missing: true };
    const texts = issue.texts ?? {};
    const words = [issue.reason ?? '', ...Object.values(texts).map(plain), ...issue.memory.map((entry) => plain(entry[3]))];
    const blocks = ([kind]) => kind === 'blocks';
    const others = [...issue.links, ...issue.dependents].filter(([kind]) => kind !== 'blocks' && kind !== 'parent-child');
    const link = ([kind, to, suspended]) => ({ kind, ...brief(to), suspended: !!suspended });
    return {
      ...head(issue), texts, parent: issue.parent && brief(issue.parent),
      waits_for: issue.links.filter(blocks).map(link), unblocks: issue.dependents.filter(blocks).map(link), linked: others.map(link),
      parts: issue.children.toSorted(ORDERS.id).map((child) => brief(child.id)), reason: issue.reason,
      questions: openQuestions(issue).map(asQuestion(issue)), review: STATES.review(issue) && !isOpen(issue) ? { by: closer(issue) } : undefined,
      conflicts: issue.conflicts.map(([field, by, value]) => ({ field, by, value, current: currentOf(issue, field) })),
      created_at: stamp(issue.created), created_by: issue.created_by, started_at: stamp(issue.started), closed_at: stamp(issue.closed),
      due: issue.due, defer: issue.defer, external_ref: issue.external_ref, branch: issue.branch,
      memory: issue.memory.map(([kind, [by, agent], at, text, question]) => ({ kind, by, agent, at: stamp(at), text, options: question?.[1] ?? [] })),
      commits: issue.commits.map(([commit, at, closes, subject]) => ({ commit, at: stamp(at), closes, subject })),
      events: historyOf(issue), older: issue.older, older_log: issue.older_log,
      names: Object.fromEntries(words.flatMap(pieces).filter(isName).map((one) => [one, byId.get(one).title])),
    };
  },
  log({ offset = 0, n = 100 }) {
    const part = data.operations.slice(offset, offset + n);
    const events = part.flatMap((operation) => {
      if (operation[3].length === 1) return eventsOf(operation, issues[operation[3][0]]);
      const [event] = eventsOf(operation, issues[operation[3][0]]);
      return [{ ...event, id: undefined, title: undefined, others: undefined, count: operation[3].length }];
    });
    return { events, offset, total: data.operations.length };
  },
  /** What issues have of each kind, and how many: for menus that narrow a screen. */
  words({ id }) {
    const of = { is: stateWords, status: (issue) => [issue.status], priority: (issue) => [`P${issue.priority}`], type: (issue) => [issue.type], assignee: (issue) => (issue.assignee ? [issue.assignee] : []), label: (issue) => issue.labels, in: (issue) => (issue.parent ? [issue.parent] : []) };
    const those = id === undefined ? issues : [byId.get(id)].filter(Boolean);
    return { words: Object.entries(of).map(([key, values]) => {
      const counts = new Map();
      for (const issue of issues) for (const value of values(issue)) counts.set(value, (counts.get(value) ?? 0) + 1);
      const shown = new Set(those.flatMap(values));
      const entries = [...counts].filter(([value]) => shown.has(value)).sort((a, b) => (key === 'label' || key === 'assignee' ? b[1] - a[1] : 0) || compare(a[0], b[0]));
      return { key, values: entries.map(([value, count]) => ({ value, count, title: key === 'in' ? byId.get(value)?.title : undefined })) };
    }) };
  },
};
const stateWords = (issue) => ['open', 'ready', 'blocked', 'stale', 'review', 'overdue', 'waiting'].filter((name) => STATES[name](issue));
const currentOf = (issue, field) => { const key = { acceptance_criteria: 'acceptance', issue_type: 'type' }[field] ?? field; return issue[key] == null ? undefined : String(issue[key]); };

/** Answers what the drawing asks for. */
const scene = (name, asked = {}) => ({ ...SCENES[name](asked), scene: name, at: stamp(data.at) });

$('name')?.append(visible(data.name));
$('footer')?.append(`${plural(issues.length, 'issue')} as of ${moment(data.at)}, state ${data.commit.slice(0, 10)}; made by git beads ${data.version}`);
