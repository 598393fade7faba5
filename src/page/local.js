// The data of the file. `scene` makes of it what the drawing asks for, as a server makes it of a store.

const data = JSON.parse(document.getElementById('data').textContent);
const issues = data.issues;
const byId = new Map(issues.map((issue) => [issue.id, issue]));
present = data.at;

const address = (id) => `#/${SCREENS.includes(id) || id === 'issue' ? 'issue/' : ''}${encodeURIComponent(id)}`;
const graphOf = (id) => `#/graph/${encodeURIComponent(id)}`;
const root = () => '#/';
const inside = (to) => to.replace(/^#\/?/, '');
/** All is here: what an address names is drawn at once. */
const ready = (to, show) => show();
const begun = () => badge(ask('inbox'));

const isOpen = (issue) => issue.status !== 'closed';
// What is not said is empty, and what is said at one end of an edge is known at both.
for (const issue of issues) {
  for (const list of ['labels', 'links', 'memory', 'conflicts', 'commits']) issue[list] ??= [];
  Object.assign(issue, { children: [], dependents: [], operations: [] });
  for (const [name, tree] of Object.entries(issue.texts ?? {})) issue[name] = plain(tree);
}
for (const issue of issues) {
  byId.get(issue.parent)?.children.push(issue);
  for (const [kind, id, suspended] of issue.links) {
    byId.get(id)?.dependents.push([kind, issue.id, suspended]);
    // A part of several has one parent, and links to the others.
    if (kind === 'parent-child' && !suspended && id !== issue.parent) byId.get(id)?.children.push(issue);
  }
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
const progress = ({ children }) => counted(children.filter((child) => !isOpen(child)).length, children.length);
/** The order of the program: of what is alike in priority and time the ids decide, by their characters. */
const urgent = (a, b) => ORDERS.priority(a, b) || (a.id < b.id ? -1 : Number(a.id > b.id));
function brief(id) {
  const issue = byId.get(id);
  return issue ? { id, title: issue.title, status: issue.status, column: columnOf(issue) } : { id };
}

/** What a row or a card shows of an issue. */
function head(issue) {
  // What has ended waits for nothing.
  const waits = isOpen(issue) ? blockers(issue) : [];
  const boxes = issue.acceptance?.match(/^[☐☑]/gm) ?? [];
  return {
    ...brief(issue.id), priority: issue.priority, type: issue.type, assignee: issue.assignee, agent: issue.agent, labels: issue.labels,
    blockers: waits.slice(0, 2).map(([, id]) => brief(id)), blockers_count: waits.length, unblocks: some(waiting(issue).length),
    criteria: counted(boxes.filter((box) => box === '☑').length, boxes.length), children: progress(issue),
    at: stamp(issue.closed ?? issue.started ?? issue.updated), updated_at: stamp(issue.updated), due: isOpen(issue) ? issue.due : undefined, overdue: isOverdue(issue) || undefined,
    questions: some(openQuestions(issue).length), blocked_for: issue.status === 'blocked' ? issue.reason : undefined,
  };
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
function eventsOf(operation, issue) {
  const [at, who, subject, on, why] = operation;
  const [by, agent] = data.actors[who];
  const event = { at: stamp(at), by, agent, id: issue.id, title: issue.title, why };
  const entries = issue.memory.filter((entry) => entry[2] === at && SAID[entry[0]]);
  if (/^(note|ask|answer)\b/.test(subject) && entries.length) return entries.map(([kind, , , text]) => ({ ...event, word: SAID[kind], text: plain(text) })).reverse();
  return [{ ...event, others: some(on.length - 1), ...doneBy(subject, issue, on.length) }];
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

/** What a small drawing shows of an issue. */
const small = (issue) => ({ ...brief(issue.id), priority: issue.priority, children: progress(issue) });
/** Where a graph can begin: what has most open parts, then what most wait for. */
function beginnings() {
  const most = (count) => issues.map((issue) => [isOpen(issue) ? count(issue) : 0, issue]).filter(([n]) => n).sort((a, b) => b[0] - a[0] || urgent(a[1], b[1])).slice(0, 30).map(([, issue]) => issue);
  return [...new Set([...most((issue) => issue.children.filter(isOpen).length), ...most((issue) => waiting(issue).filter(([, id]) => isOpen(byId.get(id))).length)])];
}
/** The issues at the other ends of edges that are in effect, or were. */
const ends = (edges) => edges.filter(([kind, id, suspended]) => kind === 'blocks' && !suspended && byId.has(id)).map(([, id]) => byId.get(id));
const NEXT = { before: (issue) => ends(issue.links), after: (issue) => ends(issue.dependents) };
const MOST_NODES = 120;
/** Groups that have a column of the board, at most. */
const MOST_GROUPS = 100;

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
    const ready = issues.filter((issue) => issue.column === 'ready' && !taken.has(issue.id)).sort(urgent);
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
      // Other states by their names, behind what is open and not ready.
      for (const name of [...columns.keys()].slice(3).filter((it) => it !== 'open').sort()) {
        const mine = columns.get(name);
        columns.delete(name);
        columns.set(name, mine);
      }
      for (const last of ['review', 'done']) {
        const mine = columns.get(last) ?? (last === 'done' ? [] : null);
        columns.delete(last);
        if (mine) columns.set(last, mine.sort((a, b) => b.closed - a.closed));
      }
    }
    const drawn = ([name, mine]) => ({ key: name ?? '', title: titleOf(name, !asked.group), total: mine.length, heads: mine.slice(0, 200).map(head) });
    const some = asked.group ? [...columns].slice(0, MOST_GROUPS) : [...columns];
    const fault = some.length < columns.size ? { message: `of more than ${MOST_GROUPS} groups only the first have a column`, from: 0, to: 0 } : undefined;
    return { query, group: asked.group && true, fault: asked.fault ?? fault, total: asked.result.length, columns: some.map(drawn) };
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
    return { events, offset, next: offset + part.length < data.operations.length ? offset + part.length : undefined };
  },
  graph({ id, steps = 2, closed = false }) {
    const begin = beginnings();
    const focus = byId.get(id) ?? begin[0] ?? issues.toSorted(urgent)[0];
    const graph = { steps, closed, nodes: [], edges: [], folded: { before: 0, inside: 0, after: 0 }, left: 0, beginnings: begin.map(({ id, title }) => ({ id, title })) };
    if (!focus) return graph;
    const known = new Set([focus]);
    const sides = new Map();
    const add = (those, side) => those.filter((issue) => !known.has(issue) && known.add(issue)).sort((a, b) => isOpen(b) - isOpen(a) || urgent(a, b)).filter((issue) => {
      if (!isOpen(issue) && !closed) graph.folded[side] += 1;
      else if (sides.size >= MOST_NODES) graph.left += 1;
      else return sides.set(issue, side);
      return false;
    });
    const middle = [focus, ...add(focus.children, 'inside')];
    if (!focus.children.length) sides.set(focus, 'inside');
    for (const side of ['before', 'after']) for (let n = 0, edge = middle; n < steps; n += 1) edge = add(edge.flatMap(NEXT[side]), side);
    const far = new Map();
    const stepOf = (issue) => {
      if (!far.has(issue)) {
        far.set(issue, 1);
        const side = sides.get(issue);
        const nearer = NEXT[side === 'before' ? 'after' : 'before'](issue).filter((other) => sides.get(other) === side);
        far.set(issue, 1 + Math.max(0, ...nearer.map(stepOf)));
      }
      return far.get(issue);
    };
    // Between an issue and its own parts the box says it.
    const isOwn = (a, b) => !sides.has(a) && sides.get(b) === 'inside';
    for (const issue of new Set([focus, ...sides.keys()])) {
      for (const [kind, to, suspended] of issue.links) {
        const other = byId.get(to);
        const isShown = other && other !== issue && (other === focus || sides.has(other));
        if (kind === 'blocks' && isShown && !isOwn(issue, other) && !isOwn(other, issue)) graph.edges.push({ first: to, then: issue.id, suspended: suspended && true });
      }
    }
    return { ...graph, focus: small(focus), parent: focus.parent, nodes: [...sides].map(([issue, side]) => ({ ...small(issue), side, step: stepOf(issue) })) };
  },
  stats() {
    const week = (time) => Math.floor((time / DAY + 3) / 7);
    const lives = issues.map(({ created, closed, started }) => ({ opened: Math.min(created, data.at), closed: closed && Math.min(closed, data.at), started }));
    const first = lives.reduce((least, { opened, closed }) => Math.min(least, opened, closed ?? least), data.at);
    // Day 0 was a Thursday, three days after a Monday.
    const weeks = Array.from({ length: lives.length && week(data.at) - week(first) + 1 }, (_, i) => ({ week: stamp(((week(first) + i) * 7 - 3) * DAY).slice(0, 10), opened: 0, closed: 0 }));
    for (const { opened, closed } of lives) {
      weeks[week(opened) - week(first)].opened += 1;
      if (closed) weeks[week(closed) - week(first)].closed += 1;
    }
    weeks.forEach((it, i) => { for (const key of ['opened', 'closed']) it[`total_${key}`] = it[key] + (i ? weeks[i - 1][`total_${key}`] : 0); });
    const ended = lives.filter(({ closed }) => closed);
    const known = ({ started, closed }) => started <= closed;
    const took = ended.map((life) => Math.floor(Math.max(0, life.closed - (known(life) ? life.started : life.opened)) / 1000)).sort((a, b) => a - b);
    const rank = (percent) => took[Math.ceil((took.length * percent) / 100) - 1];
    const count = (column) => issues.filter((issue) => issue.column === column).length;
    return {
      opened: lives.length, closed: ended.length, open: issues.filter(isOpen).length, ready: count('ready'), in_progress: count('in_progress'), blocked: count('blocked'), weeks,
      cycle_time: took.length ? { count: took.length, from_start: ended.filter(known).length, median_seconds: rank(50), p90_seconds: rank(90) } : undefined,
      epics: issues.filter((issue) => issue.type === 'epic' && isOpen(issue) && issue.children.length).sort(urgent).map(small),
    };
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
