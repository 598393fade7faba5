// Until `graph` is a scene it reads the data of the file itself.
// The graph around one issue: what it waits for to the left, what waits for it to the right.

const NODES = 60;
const BOX = { width: 210, height: 54, x: 270, y: 70, column: 9 };

/** An issue, its children if it has any, and what is linked to them, up to `depth` steps away. */
function around(focus, depth) {
  const inside = new Set([focus]);
  let left = 0;
  let edge = [];
  const add = (issue, next) => {
    if (!issue || inside.has(issue)) return;
    if (inside.size >= NODES) left += 1;
    else if (inside.add(issue)) next.push(issue);
  };
  for (const child of focus.children.toSorted((a, b) => isOpen(b) - isOpen(a) || ORDERS.priority(a, b))) add(child, edge);
  edge.unshift(focus);
  for (let step = 0; step < depth; step += 1) {
    const next = [];
    for (const { links, dependents, parent } of edge) {
      for (const [kind, other] of [...links, ...dependents]) if (kind === 'blocks' || step === 0) add(byId.get(other), next);
      if (step === 0) add(byId.get(parent), next);
    }
    edge = next;
  }
  return { inside: [...inside], left };
}

/** The edges between some issues, each from what comes first. */
function edgesOf(inside) {
  const own = (to) => [...to.links, ...(to.parent ? [['parent-child', to.parent]] : [])].map(([kind, from, suspended]) => ({ from: byId.get(from), to, kind, suspended }));
  return inside.flatMap(own).filter(({ from, to }) => from !== to && inside.includes(from));
}

/** Columns by the longest way from the left, by what blocks alone unless nothing does; rows near their neighbours. */
function layout(inside, edges) {
  const layer = new Map(inside.map((issue) => [issue, 0]));
  const firm = edges.filter((edge) => !edge.suspended && ['blocks', 'parent-child'].includes(edge.kind));
  for (let round = 0, moved = true; moved && round < inside.length; round += 1) {
    moved = false;
    for (const { from, to } of firm) {
      if (layer.get(to) > layer.get(from) || layer.get(from) >= inside.length) continue;
      layer.set(to, layer.get(from) + 1);
      moved = true;
    }
  }
  const columns = Array.from({ length: inside.length + 1 }, (_, i) => inside.filter((issue) => layer.get(issue) === i)).filter((column) => column.length);
  const row = new Map();
  const settle = (column) => column.forEach((issue, i) => row.set(issue, i - column.length / 2));
  columns.forEach(settle);
  const middle = (issue) => {
    const near = edges.flatMap(({ from, to }) => (from === issue ? to : to === issue ? from : []));
    return near.reduce((sum, other) => sum + row.get(other) / near.length, 0);
  };
  for (let round = 0; round < 6; round += 1) {
    for (const column of columns) {
      const weight = new Map(column.map((issue) => [issue, middle(issue)]));
      settle(column.sort((a, b) => weight.get(a) - weight.get(b)));
    }
  }
  // A column that is too high becomes several.
  return columns.flatMap((column) => {
    const size = Math.ceil(column.length / Math.ceil(column.length / BOX.column));
    return Array.from({ length: Math.ceil(column.length / size) }, (_, i) => column.slice(i * size, (i + 1) * size));
  });
}

function node(issue, focus, { x, y }) {
  const { id, title, column, status } = issue;
  const css = `node ${column ?? (isOpen(issue) ? 'other' : 'done')} ${issue === focus ? 'focus' : ''}`;
  const said = `${id}: ${title} (${status})`;
  return svg('a', { href: issue === focus ? address(id) : graphOf(id), class: css, 'data-item': id, transform: `translate(${x},${y})` },
    svg('title', said), svg('rect', { width: BOX.width, height: BOX.height, rx: 8 }),
    svg('text.id', { x: 10, y: 16 }, shortened(id, 24)), svg('text.id', { x: BOX.width - 10, y: 16, 'text-anchor': 'end' }, `P${issue.priority}`),
    svg('foreignObject', { x: 10, y: 20, width: BOX.width - 20, height: 32 }, el('div.text', title)));
}

function drawing(focus, inside, edges) {
  const columns = layout(inside, edges);
  const high = Math.max(...columns.map((column) => column.length));
  const place = new Map(columns.flatMap((column, i) => column.map((issue, j) => [issue, { x: 8 + i * BOX.x, y: 30 + (j + (high - column.length) / 2) * BOX.y }])));
  const [width, height] = [columns.length * BOX.x - 44, high * BOX.y + 22];
  const curve = ({ from, to, kind, suspended }) => {
    const [a, b] = [place.get(from), place.get(to)];
    // A long line leaves the row, so that it is seen beside the boxes between its ends.
    const lift = Math.abs(b.x - a.x) > 1.5 * BOX.x && Math.abs(b.y - a.y) < BOX.height ? BOX.height : 0;
    const [x1, y1, x2, y2] = [a.x + BOX.width, a.y + BOX.height / 2, b.x, b.y + BOX.height / 2];
    const bend = Math.max(30, Math.abs(x2 - x1) / 2);
    const css = ['edge', kind !== 'blocks' && (kind === 'parent-child' ? 'child' : 'soft'), suspended && 'suspended', [from, to].includes(focus) && 'near'];
    return svg('path', { class: css.filter(Boolean).join(' '), d: `M${x1},${y1}C${x1 + bend},${y1 - lift} ${x2 - bend},${y2 - lift} ${x2 - 3},${y2}`, 'marker-end': kind === 'blocks' && 'url(#arrow)' },
      svg('title', `${to.id} ${kind === 'blocks' ? 'is blocked by' : kind} ${from.id}${suspended ? ' (suspended: it would close a cycle)' : ''}`));
  };
  // The parts of an epic follow from one another: only where a chain begins does a line lead to the epic.
  const led = new Set(edges.filter((edge) => edge.kind === 'blocks' && !edge.suspended).map((edge) => edge.to));
  const shown = edges.filter((edge) => edge.kind !== 'parent-child' || !led.has(edge.to));
  const arrow = svg('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' }, svg('path', { d: 'M0,0L8,4L0,8z' }));
  const picture = svg('svg', { width, height, role: 'group', 'aria-label': `Graph around ${focus.id}: ${plural(inside.length, 'issue')}` },
    arrow, shown.map(curve), inside.map((issue) => node(issue, focus, place.get(issue))));
  return [picture, place.get(focus)];
}

/** Where to begin: open epics, then what most wait for. */
function beginnings() {
  const first = (size) => issues.filter((issue) => isOpen(issue) && size(issue)).sort((a, b) => size(b) - size(a)).slice(0, 30);
  return [...first((issue) => issue.children.length), ...first((issue) => waiting(issue).length)];
}

const form = (name, ...content) => el('form.choices', { 'aria-label': name, submit: (event) => event.preventDefault() }, content);
const select = (name, title, chosen, options, change) => el('label', el('span', title),
  el('select', { name, change: (event) => change(event.target.value) }, options.map(([value, text]) => el('option', { value, selected: value === chosen }, text))));
const called = (id) => `${id} ${byId.get(id)?.title ?? ''}`;

function graphScreen(_, { to: { arg: id, depth: steps } }) {
  const begin = beginnings();
  const focus = byId.get(id) ?? begin[0] ?? issues.find((issue) => issue.links.length) ?? issues[0];
  if (!focus) {
    return ['', el('p.none', 'There are no issues')];
  }
  const depth = Math.min(6, Math.max(1, Number(steps) || 2));
  const { inside, left } = around(focus, depth);
  const edges = edgesOf(inside);
  const [picture, at] = drawing(focus, inside, edges);
  // The new screen has the same two fields, and the focus stays in its own.
  const go = (name) => (to, far) => { visit({ screen: 'graph', arg: to, depth: far }); main.querySelector(`[name=${name}]`)?.focus(); };
  const choices = [...new Set([...begin, focus])].map((issue) => [issue.id, shortened(called(issue.id), 60)]);
  const box = el('div.picture', { tabindex: 0, role: 'region', 'aria-label': 'Picture; scrolls' }, picture);
  const key = (css, text) => el('span', { class: `key ${css}` }, text);
  requestAnimationFrame(() => box.scrollTo(at.x - (box.clientWidth - BOX.width) / 2, at.y - (box.clientHeight - BOX.height) / 2));
  return [`${plural(inside.length, 'issue')}, ${plural(edges.length, 'link')}${left ? `; ${left} more are too many for one picture` : ''}`, el('div.graph',
    form('Graph', select('focus', 'Around', focus.id, choices, (other) => go('focus')(other, depth)),
      select('depth', 'Steps', depth, [1, 2, 3, 4, 5, 6].map((n) => [n, n]), (far) => go('depth')(focus.id, far)), el('a', { href: address(focus.id) }, `Open ${shortened(focus.id, 24)}`), state(brief(focus.id)), meter(head(focus).children, 'Children')), box,
    el('p.legend', key('', 'has to be done first'), key('child', 'part of'), key('soft', 'other links'), edges.some((edge) => edge.suspended) && key('suspended', 'suspended: would close a circle')))];
}
