// The query language of `git beads list -w` as a predicate over what the page holds. docs/queries.md describes it;
// tests/queries.json is run by both.

const KEY_NAMES = {
  is: 'is', has: 'has', no: 'no', status: 'status', type: 'type', priority: 'priority', p: 'priority', assignee: 'assignee', a: 'assignee',
  label: 'label', l: 'label', author: 'author', by: 'author', actor: 'actor', parent: 'parent', epic: 'parent', in: 'in',
  'blocked-by': 'blocked-by', on: 'blocked-by', blocks: 'blocks', created: 'created', updated: 'updated', closed: 'closed', due: 'due',
  title: 'title', text: 'text', memory: 'memory', id: 'id', source: 'source', sort: 'sort', group: 'group', at: 'at',
};
const ORDERED = ['priority', 'created', 'updated', 'closed', 'due'];
const SORTS = ['priority', 'created', 'oldest', 'updated', 'closed', 'due', 'id', 'title'];
const STATE_WORDS = ['open', 'closed', 'any', 'deleted', 'review'];

/** What is wrong with a query, and where; of what another language says so, what it is here. */
class Fault extends Error {
  constructor(what, from, to, meant) {
    super(what);
    Object.assign(this, { from, to, meant });
  }
}

/** What stands in front of the values of a key: `label:`, or with signs of comparison `status=`, `priority <`. */
function keyHead(text) {
  const [colon, name] = /^([A-Za-z][\w-]*):(?![/:])/.exec(text) ?? [];
  if (name) return { name, length: colon.length };
  const [alone, other] = /^([A-Za-z][\w-]+)\s+(?:==?|!=|<>|[<>]=?|!?~)(?=\s)/.exec(text) ?? [];
  if (other && !Object.hasOwn(KEY_NAMES, other.toLowerCase())) return { name: other, length: alone.length };
  const [head, word, sign] = /^([A-Za-z][\w-]+)\s*(?:(!=|==?)\s*|(?=[<>]))/.exec(text) ?? [];
  return word && Object.hasOwn(KEY_NAMES, word.toLowerCase()) ? { name: word, length: head.length, negated: sign === '!=' } : null;
}

/** The operator that a word is meant to be. */
const meantOperator = (word) => ({ '&&': 'AND', '&': 'AND', '||': 'OR', '|': 'OR' })[word]
  ?? ['AND', 'OR', 'NOT'].find((one) => one === word.toUpperCase() && one !== word);

/** Reads a query: its tree, its order. */
function read(text) {
  let at = 0;
  let parts = 0;
  const whole = {};
  const rest = () => text.slice(at);
  const space = () => { at = text.length - rest().trimStart().length; };
  const isOperator = (name) => rest().startsWith(name) && /^($|[\s()])/.test(text.slice(at + name.length));
  const operator = (name) => { space(); return isOperator(name) && (at += name.length, true); };
  const takes = (sign) => rest().startsWith(sign) && (at += sign.length, true);
  const part = () => { if ((parts += 1) > 256) throw new Fault('a query has 256 parts at most', at, at + 1); };
  const joined = (kind, found) => (found.length === 1 ? found[0] : { kind, of: found });
  const isNone = (tree) => tree.kind === 'all' && !tree.of.length;

  function either(depth) {
    const found = [all(depth)];
    while (operator('OR')) {
      const end = at;
      found.push(all(depth));
      if (isNone(found.at(-1))) throw new Fault('OR joins nothing here', end - 2, end);
    }
    if (found.length > 1 && isNone(found[0])) throw new Fault('OR has nothing before it', 0, at);
    return joined('any', found);
  }
  function all(depth) {
    const found = [];
    for (;;) {
      space();
      if (at >= text.length || text[at] === ')' || isOperator('OR')) break;
      const from = at;
      if (operator('AND')) {
        if (!found.length || /^\s*($|\))/.test(rest())) throw new Fault('AND joins nothing here', from, at);
        continue;
      }
      checkOperator(found.at(-1));
      const tree = unary(depth);
      if (tree) found.push(tree);
    }
    return joined('all', found);
  }
  function checkOperator(before) {
    const word = /^[^\s()]*/.exec(rest())[0];
    const meant = meantOperator(word);
    const after = text.slice(at + word.length).trimStart();
    const joins = before && after && !after.startsWith(')');
    if (meant && (meant === 'NOT' ? /^[("!#@-]/.test(after) || keyHead(after) : joins)) throw new Fault('operators are in capitals', at, at + word.length, meant);
  }
  function unary(depth) {
    const from = at;
    if (/^!(\(|\p{Alphabetic})/u.test(rest())) throw new Fault('a dash negates', at, at + 1, '-');
    const dash = takes('-');
    if (!dash && !operator('NOT')) return atom(depth);
    if (!dash) space();
    if (/^($|[-\s)])/.test(rest()) || ['OR', 'AND', 'NOT'].some(isOperator)) throw new Fault('nothing is negated here', from, at);
    return { kind: 'not', of: atom(depth + 1) };
  }
  function atom(depth) {
    if (depth > 32) throw new Fault('brackets are 32 deep at most', at, at + 1);
    part();
    if (text[at] === '(') {
      const from = at;
      at += 1;
      const tree = either(depth + 1);
      space();
      if (!takes(')')) throw new Fault('this bracket is never closed', from, from + 1);
      if (isNone(tree)) throw new Fault('these brackets are empty', from, at);
      return tree;
    }
    if (text[at] === '"') return { kind: 'text', ...phrase() };
    if (text[at] === '@') {
      at += 1;
      const name = until(/[\s()]/);
      if (!name.text) throw new Fault('@ names nothing', name.from, name.to);
      throw new Fault(`no query is saved as \`${name.text}\``, name.from, name.to);
    }
    const label = /^#(\p{Alphabetic}[^\s()]*)/u.exec(rest());
    if (label) throw new Fault('a label has its key before it', at, at + label[0].length, `label:${label[1]}`);
    return termOrWord(depth);
  }
  function phrase() {
    const from = at;
    const found = /^"((?:[^"\\]|\\[^])*)"/.exec(rest());
    if (!found) throw new Fault('this quote is never closed', from, from + 1);
    at += found[0].length;
    return { text: found[1].replace(/\\(["\\])/g, '$1'), quoted: true, from, to: at };
  }
  function until(ends) {
    const from = at;
    const end = rest().search(ends);
    at = end < 0 ? text.length : at + end;
    return { text: text.slice(from, at), quoted: false, from, to: at };
  }
  function termOrWord(depth) {
    const head = keyHead(rest());
    if (!head) return { kind: 'text', ...until(/[\s()]/) };
    const { name, length, negated } = head;
    const key = Object.hasOwn(KEY_NAMES, name.toLowerCase()) && KEY_NAMES[name.toLowerCase()];
    if (!key) throw new Fault(`\`${name}:\` is no key of a query`, at, at + name.length);
    const from = at;
    at += length;
    const found = term(key, from, depth);
    return found && negated ? { kind: 'not', of: found } : found;
  }
  function term(key, from, depth) {
    const signs = at;
    const compared = ['<=', '>=', '<', '>'].find(takes) ?? '';
    if (compared) space();
    if (compared && !ORDERED.includes(key)) throw new Fault('this key has no order to compare by', signs, at);
    const values = [];
    do {
      if (values.length) part();
      const value = text[at] === '"' ? phrase() : until(/[\s(),]/);
      if (!value.text) throw new Fault('a value is missing here', from, at);
      values.push(value);
    } while (takes(','));
    if (/^[^\s()]/.test(rest())) throw new Fault('a space or a comma is missing here', at, at + 1);
    if (!['sort', 'group', 'at'].includes(key)) return { kind: 'term', key, compared, values };
    if (depth) throw new Fault('sort:, group: and at: are outside of brackets and not negated', from, at);
    if (whole[key]) throw new Fault('this is said twice', from, at);
    if (values.length > 1) throw new Fault('one value is enough here', from, at);
    whole[key] = values[0];
    return null;
  }

  if ([...text].length > 4096) throw new Fault('a query has 4,096 characters at most', 0, text.length);
  const tree = either(0);
  space();
  if (at < text.length) throw new Fault('no bracket is open here', at, at + 1);
  if (isNone(tree) && !whole.sort && !whole.group && !whole.at) throw new Fault('the query is empty', 0, text.length);
  return { tree, ...whole };
}

/** The words of a text, as the index of `git beads search` has them: in small letters, without accents. */
const tokens = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().split(/[^\p{L}\p{N}\p{Co}]+/u).filter(Boolean);
const hay = (texts) => ` ${tokens(texts.filter(Boolean).join('\n')).join(' ')} `;

/** All that is searched of an issue, in words that a space comes before and after. */
function indexed(issue) {
  issue.indexed ??= {
    title: hay([issue.id, issue.title]),
    text: hay([issue.description, issue.design, issue.acceptance, issue.notes]),
    memory: hay(issue.memory.map((entry) => plain(entry[3]))),
  };
  return issue.indexed;
}

/** Whether an issue has a word that begins so, or a phrase; null where there is no word to look for. */
function texted({ text, quoted }, places) {
  const words = tokens(text);
  if (!words.length) return null;
  const wanted = ` ${words.join(' ')}${quoted ? ' ' : ''}`;
  return (issue) => places.some((place) => indexed(issue)[place].includes(wanted));
}

/** The first moment of a time, the one after the last, and whether it is a distance from the present. */
function instants(value, future) {
  const found = dated(value.text, future);
  if (!found) throw new Fault(`\`${value.text}\` is not a date`, value.from, value.to);
  return found;
}

const bounds = (value) => {
  const [from, to] = value.quoted ? [] : [...value.text.split(/\.\.(.*)/s)];
  return to === undefined ? null : [from, to].map((text) => (text && text !== '*' ? { ...value, text } : null));
};

/** Whether a time is what a value says. */
function timed(value, compared, future, of) {
  let [from, to] = [-Infinity, Infinity];
  const range = bounds(value);
  if (range && compared) throw new Fault('a range is not compared by < or >', value.from, value.to);
  const ends = (one) => { const [start, end, isFar] = instants(one, future); return [start, Math.max(end, start + 1), isFar]; };
  if (range) {
    if (range[0]) [from] = ends(range[0]);
    if (range[1]) [, to] = ends(range[1]);
  } else {
    const [start, end, isFar] = ends(value);
    if (compared === '<') to = start;
    else if (compared === '<=' || (!compared && isFar && future)) to = end;
    else if (compared === '>') from = end;
    else from = start;
    if (!compared && !isFar) to = end;
  }
  return (issue) => of(issue) != null && of(issue) >= from && of(issue) < to;
}

function prioritized(value, compared) {
  const number = (one) => {
    const found = /^[pP]?([0-4])$/.exec(one.text);
    if (!found) throw new Fault(`\`${one.text}\` is not a priority: 0 to 4, or P0 to P4 (P0 is the most urgent)`, value.from, value.to);
    return Number(found[1]);
  };
  const range = bounds(value);
  if (range) {
    const [from, to] = [range[0] ? number(range[0]) : 0, range[1] ? number(range[1]) : 9];
    return (issue) => issue.priority >= from && issue.priority <= to;
  }
  const wanted = number(value);
  const compare = { '<': (n) => n < wanted, '<=': (n) => n <= wanted, '>': (n) => n > wanted, '>=': (n) => n >= wanted, '': (n) => n === wanted }[compared];
  return (issue) => compare(issue.priority);
}

const STATES = {
  open: isOpen,
  closed: (issue) => !isOpen(issue),
  any: () => true,
  ready: (issue) => issue.column === 'ready',
  blocked: (issue) => issue.column === 'blocked',
  waiting: (issue) => isOpen(issue) && (issue.labels.includes('human') || (issue.status === 'blocked' && !!issue.reason?.trim())),
  question: null,
  review: (issue) => (isOpen(issue) && issue.labels.includes('review')) || (!!issue.review && issue.closed >= data.at - 14 * DAY),
  stale: (issue) => issue.status === 'in_progress' && issue.updated < data.at - 14 * DAY,
  landed: (issue) => isOpen(issue) && issue.commits.some((commit) => commit[2]),
  conflicted: (issue) => issue.conflicts.length > 0,
  deleted: () => false,
  deferred: (issue) => isOpen(issue) && (issue.status === 'deferred' || instant(issue.defer) > data.at),
  overdue: isOverdue,
  mine: null,
  epic: (issue) => issue.type.toLowerCase() === 'epic',
};
const isSet = (key) => (issue) => issue[key] != null;
const isFilled = (key) => (issue) => !!issue[key]?.trim();
const HAS = {
  assignee: isSet('assignee'), label: (issue) => issue.labels.length > 0, parent: isSet('parent'), due: isSet('due'),
  links: (issue) => [...issue.links, ...issue.dependents].some(([kind]) => kind !== 'parent-child'),
  memory: (issue) => issue.memory.length > 0,
  criteria: isFilled('acceptance'), design: isFilled('design'), description: isFilled('description'), notes: isFilled('notes'),
  branch: (issue) => issue.branch === 1,
};

/** One of the words of a table, or a fault. */
function word(table, value, what) {
  const small = value.text.toLowerCase();
  const name = Object.keys(table).find((one) => one === small || (table === HAS && (`${one}s` === small || one === `${small}s`)));
  if (!name) throw new Fault(`\`${value.text}\` is not ${what}: ${Object.keys(table).join(', ')}`, value.from, value.to);
  return name;
}

/** The id that a value means: whole, or without what is in front of its first dash. */
function meant(value) {
  const ids = byId.has(value.text) ? [value.text] : issues.map((issue) => issue.id).filter((id) => id.slice(id.indexOf('-') + 1) === value.text);
  return ids[0] ?? value.text;
}
const hasLink = (kind, from, to) => from?.links.some(([one, id, suspended]) => one === kind && id === to && !suspended) ?? false;
const below = (issue, id, seen = new Set()) => {
  for (let at = issue; at && !seen.has(at.id); at = byId.get(at.parent)) {
    seen.add(at.id);
    if (at.parent === id) return issue.id !== id;
  }
  return false;
};
const like = (value) => {
  const isBeginning = !value.quoted && value.text.endsWith('*');
  const text = isBeginning ? value.text.slice(0, -1) : value.text;
  return (one) => one != null && (isBeginning ? one.startsWith(text) : one === text);
};
/** Whether a name is what a value says: that name, or where no one has it, as a part, in any case. */
const personal = (value, all) => {
  if (!value.quoted && /^@?me$/.test(value.text)) throw new Fault('a page does not know who you are', value.from, value.to);
  const text = value.quoted ? value.text : value.text.replace(/^@+/, '');
  const names = new Set(all().filter((name) => name != null));
  const those = value.quoted || text.endsWith('*') || names.has(text) ? [] : [...names].filter((name) => name.toLowerCase().includes(text.toLowerCase()));
  return those.length ? (one) => those.includes(one) : like({ ...value, text });
};
const people = () => issues.flatMap((issue) => [issue.assignee, issue.created_by]);

/** What a value of a key asks of an issue. */
function asked(key, value, compared) {
  const { text } = value;
  const id = () => meant(value);
  const time = () => timed(value, compared, false, (issue) => issue[key]);
  const words = () => texted(value, [key]) ?? (() => true);
  const made = {
    is: () => STATES[word(STATES, value, 'a state')] ?? personal({ ...value, text: 'me', quoted: false }, people),
    has: () => HAS[word(HAS, value, 'a property')],
    no: () => { const has = HAS[word(HAS, value, 'a property')]; return (issue) => !has(issue); },
    status: () => (issue) => issue.status === text.toLowerCase(),
    type: () => (issue) => issue.type.toLowerCase() === text.toLowerCase(),
    priority: () => prioritized(value, compared),
    label: () => { const is = like(value); return (issue) => issue.labels.some(is); },
    assignee: () => { if (text === 'none' && !value.quoted) return (issue) => issue.assignee == null; const is = personal(value, people); return (issue) => is(issue.assignee); },
    author: () => { const is = personal(value, people); return (issue) => is(issue.created_by); },
    actor: () => { const is = personal(value, () => data.actors.map(([name]) => name)); return (issue) => issue.operations.some((operation) => is(data.actors[operation[1]][0])); },
    parent: () => { const up = id(); return (issue) => issue.parent === up; },
    in: () => { const up = id(); return (issue) => below(issue, up); },
    'blocked-by': () => { const on = id(); return (issue) => hasLink('blocks', issue, on); },
    blocks: () => { const by = byId.get(id()); return (issue) => hasLink('blocks', by, issue.id); },
    created: time, updated: time, closed: time, title: words, text: words, memory: words,
    due: () => timed(value, compared, true, (issue) => instant(issue.due)),
    source: () => (issue) => issue.source?.includes(text.toLowerCase()),
    id: () => { const is = text.endsWith('*') && !value.quoted ? like(value) : like({ text: id(), quoted: true }); return (issue) => is(issue.id); },
  };
  return made[key]();
}

/** A tree as a predicate; null where nothing of it can be looked for. */
function predicate(tree) {
  if (tree.kind === 'text') return texted(tree, ['title', 'text', 'memory']);
  if (tree.kind === 'term') {
    const any = tree.values.map((value) => asked(tree.key, value, tree.compared));
    return (issue) => any.some((test) => test(issue));
  }
  if (tree.kind === 'not') {
    const test = predicate(tree.of);
    return test && ((issue) => !test(issue));
  }
  const tests = tree.of.map(predicate).filter(Boolean);
  if (!tests.length) return null;
  return tree.kind === 'all' ? (issue) => tests.every((test) => test(issue)) : (issue) => tests.some((test) => test(issue));
}

/** Whether a tree says itself which states it is about. */
function lifts(tree) {
  if (tree.kind === 'term') return ['status', 'closed'].includes(tree.key) || (tree.key === 'is' && tree.values.some((value) => STATE_WORDS.includes(value.text.toLowerCase())));
  return tree.kind === 'not' ? lifts(tree.of) : (tree.of ?? []).some(lifts);
}

/** The words of a tree that are not negated. */
function positive(tree) {
  if (tree.kind === 'text') return [tree.text];
  if (tree.kind === 'term') return ['title', 'text', 'memory'].includes(tree.key) ? tree.values.map((value) => value.text) : [];
  return tree.kind === 'not' ? [] : (tree.of ?? []).flatMap(positive);
}

/** What issues are put together by; what has none of it comes last. */
const GROUPS = {
  status: (issue) => issue.status,
  assignee: (issue) => issue.assignee,
  priority: (issue) => `P${issue.priority}`,
  type: (issue) => issue.type,
  parent: (issue) => issue.parent,
  epic: (issue) => issue.parent,
};
const together = (group) => (a, b) => !group(a) - !group(b) || (group(a) < group(b) ? -1 : +(group(a) > group(b)));

/** A query: which issues it lets through, its order, its words. What can't be read is words, if that is asked for. */
function understood(text, words) {
  try {
    const { tree, sort, group, at } = read(text);
    if (at) throw new Fault('a page has no past', at.from, at.to);
    const key = sort?.text.replace(/-(asc|desc)$/, '');
    if (sort && !SORTS.includes(key)) throw new Fault(`\`${sort.text}\` is not an order: ${SORTS.join(', ')}`, sort.from, sort.to);
    if (group && !Object.hasOwn(GROUPS, group.text)) throw new Fault(`\`${group.text}\` is not a group: ${Object.keys(GROUPS).join(', ')}`, group.from, group.to);
    return { test: predicate(tree) ?? (() => true), sort: sort?.text, group: group?.text, lifts: lifts(tree), words: positive(tree) };
  } catch (fault) {
    if (!words || !(fault instanceof Fault)) throw fault;
    const parts = text.split(/\s+/).filter(Boolean);
    const tree = { kind: 'all', of: parts.map((part) => ({ kind: 'text', text: part })) };
    const meant = fault.meant && text.slice(0, fault.from) + fault.meant + text.slice(fault.to);
    return { test: predicate(tree) ?? (() => true), lifts: false, words: parts, fault: { message: meant ? `${fault.message}: did you mean ${meant}?` : fault.message, from: fault.from, to: fault.to } };
  }
}
