// The graph around one issue: what it waits for to the left, what waits for it to the right.

const NODES = 60;
const BOX = { width: 210, height: 54, x: 60, y: 16, column: 9 };

/** An issue, its children if it has any, and what is linked to them, up to `depth` steps away. */
function around(focus, depth) {
  const inside = new Set([focus.id]);
  let left = 0;
  const add = (id, next) => {
    if (!byId.has(id) || inside.has(id)) return;
    if (inside.size >= NODES) left += 1;
    else if (inside.add(id)) next.push(id);
  };
  let edge = [focus.id];
  for (const child of (children.get(focus.id) ?? []).toSorted((a, b) => isOpen(b) - isOpen(a) || ORDERS.priority(a, b))) add(child.id, edge);
  for (let step = 0; step < depth; step += 1) {
    const next = [];
    for (const id of edge) {
      for (const [kind, other] of [...(byId.get(id).links ?? []), ...(dependents.get(id) ?? [])]) if (kind === 'blocks' || step === 0) add(other, next);
      if (step === 0 && byId.get(id).parent) add(byId.get(id).parent, next);
    }
    edge = next;
  }
  return { ids: [...inside], left };
}

/** The edges between some issues, each from what comes first. */
function edgesOf(ids) {
  const inside = new Set(ids);
  const edges = [];
  for (const id of ids) {
    const issue = byId.get(id);
    for (const [kind, other, suspended] of issue.links ?? []) if (inside.has(other) && other !== id) edges.push({ from: other, to: id, kind, suspended: Boolean(suspended) });
    if (inside.has(issue.parent) && issue.parent !== id) edges.push({ from: issue.parent, to: id, kind: 'parent-child', suspended: false });
  }
  return edges;
}

/** Columns by the longest way from the left, by what blocks alone unless nothing does; rows near their neighbours. */
function layout(ids, edges) {
  const layer = new Map(ids.map((id) => [id, 0]));
  const firm = edges.filter((edge) => !edge.suspended && ['blocks', 'parent-child'].includes(edge.kind));
  for (let round = 0, moved = true; moved && round < ids.length; round += 1) {
    moved = false;
    for (const { from, to } of firm) {
      if (layer.get(to) > layer.get(from) || layer.get(from) >= ids.length) continue;
      layer.set(to, layer.get(from) + 1);
      moved = true;
    }
  }
  const columns = [];
  for (const id of ids) (columns[layer.get(id)] ??= []).push(id);
  const row = new Map();
  const settle = (column) => column.forEach((id, i) => row.set(id, i - column.length / 2));
  const filled = columns.filter(Boolean);
  filled.forEach(settle);
  const near = new Map();
  for (const { from, to } of edges) {
    push(near, from, to);
    push(near, to, from);
  }
  const middle = (id) => (near.get(id) ?? []).reduce((sum, other, _, all) => sum + row.get(other) / all.length, 0);
  for (let round = 0; round < 6; round += 1) {
    for (const column of filled) {
      const weight = new Map(column.map((id) => [id, middle(id)]));
      column.sort((a, b) => weight.get(a) - weight.get(b));
      settle(column);
    }
  }
  // A column that is too high becomes several.
  return filled.flatMap((column) => {
    const parts = Math.ceil(column.length / BOX.column);
    const size = Math.ceil(column.length / parts);
    return Array.from({ length: parts }, (_, i) => column.slice(i * size, (i + 1) * size));
  });
}

function node(id, focus, at) {
  const issue = byId.get(id);
  const words = issue.title.split(/\s+/);
  const lines = [''];
  for (const word of words) {
    if (lines.length === 1 && lines[0] && (lines[0] + word).length > 28) lines.push('');
    lines[lines.length - 1] += `${lines.at(-1) ? ' ' : ''}${word}`;
  }
  const fit = (text) => visible(shortened(text ?? '', 31));
  const css = ['node', issue.column ?? (isOpen(issue) ? 'other' : 'done'), id === focus && 'focus'].filter(Boolean).join(' ');
  return svg('a', { href: id === focus ? address(id) : `#/graph/${encodeURIComponent(id)}`, class: css, 'data-item': true, transform: `translate(${at.x},${at.y})`,
    'aria-label': `${id}: ${issue.title}, ${issue.status}` },
    svg('title', {}, `${id}: ${issue.title} (${issue.status})`), svg('rect', { width: BOX.width, height: BOX.height, rx: 8 }),
    svg('text', { class: 'id', x: 10, y: 16 }, shortened(id, 24)), svg('text', { class: 'id', x: BOX.width - 10, y: 16, 'text-anchor': 'end' }, `P${issue.priority}`),
    lines.length === 1 ? svg('text', { x: 10, y: 35 }, fit(lines[0])) : [svg('text', { x: 10, y: 32 }, fit(lines[0])), svg('text', { x: 10, y: 46 }, fit(lines[1]))]);
}

function drawing(focus, depth) {
  const { ids, left } = around(focus, depth);
  const edges = edgesOf(ids);
  const columns = layout(ids, edges);
  const high = Math.max(...columns.map((column) => column.length));
  const place = new Map();
  columns.forEach((column, i) => column.forEach((id, j) =>
    place.set(id, { x: 8 + i * (BOX.width + BOX.x), y: 30 + (j + (high - column.length) / 2) * (BOX.height + BOX.y) })));
  const [width, height] = [16 + columns.length * (BOX.width + BOX.x) - BOX.x, 38 + high * (BOX.height + BOX.y) - BOX.y];
  const curve = ({ from, to, kind, suspended }) => {
    const [a, b] = [place.get(from), place.get(to)];
    // A long line leaves the row, so that it is seen beside the boxes between its ends.
    const lift = Math.abs(b.x - a.x) > 1.5 * (BOX.width + BOX.x) && Math.abs(b.y - a.y) < BOX.height ? BOX.height : 0;
    const [x1, y1, x2, y2] = [a.x + BOX.width, a.y + BOX.height / 2, b.x, b.y + BOX.height / 2];
    const bend = Math.max(30, Math.abs(x2 - x1) / 2);
    const css = ['edge', kind === 'blocks' ? 'blocks' : kind === 'parent-child' ? 'child' : 'soft', suspended && 'suspended', (from === focus.id || to === focus.id) && 'near'].filter(Boolean).join(' ');
    return svg('path', { class: css, d: `M${x1},${y1}C${x1 + bend},${y1 - lift} ${x2 - bend},${y2 - lift} ${x2 - 3},${y2}`, 'marker-end': kind === 'blocks' ? 'url(#arrow)' : null },
      svg('title', {}, `${to} ${kind === 'blocks' ? 'waits for' : kind} ${from}${suspended ? ' (suspended: it would close a circle)' : ''}`));
  };
  // The parts of an epic follow from one another: only where a chain begins does a line lead to the epic.
  const led = new Set(edges.filter((edge) => edge.kind === 'blocks' && !edge.suspended).map((edge) => edge.to));
  const shown = (edge) => edge.kind !== 'parent-child' || !led.has(edge.to);
  const arrow = svg('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' }, svg('path', { d: 'M0,0L8,4L0,8z' }));
  const picture = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': `Graph around ${focus.id}: ${plural(ids.length, 'issue')}` },
    svg('defs', {}, arrow), edges.filter(shown).map(curve), ids.map((id) => node(id, focus.id, place.get(id))));
  return { picture, ids, edges, left };
}

/** Where to begin: open epics, then what most wait for. */
function beginnings() {
  const epics = issues.filter((issue) => isOpen(issue) && children.has(issue.id)).sort((a, b) => children.get(b.id).length - children.get(a.id).length);
  const holders = issues.filter((issue) => isOpen(issue) && waiting(issue).length > 0).sort((a, b) => waiting(b).length - waiting(a).length);
  return [...new Set([...epics.slice(0, 30), ...holders.slice(0, 30)])];
}

function graph(id, query, main) {
  const begin = beginnings();
  const linked = issues.find((issue) => issue.links?.length) ?? issues[0];
  const focus = byId.get(id) ?? begin[0] ?? linked;
  if (!focus) {
    main.replaceChildren(el('h1', {}, 'Graph'), el('p', { class: 'none' }, 'There are no issues'));
    return;
  }
  const depth = Math.min(6, Math.max(1, Number(query.get('depth')) || 2));
  const { picture, ids, edges, left } = drawing(focus, depth);
  const go = (to, steps) => again(() => visit(`#/graph/${encodeURIComponent(to)}?depth=${steps}`));
  const option = (issue) => el('option', { value: issue.id, selected: issue === focus }, shortened(`${issue.id} ${issue.title}`, 60));
  const choices = begin.includes(focus) ? begin : [focus, ...begin];
  const form = el('form', { class: 'filters', 'aria-label': 'Graph', submit: (event) => event.preventDefault() },
    el('label', { class: 'filter' }, el('span', {}, 'around'), el('select', { name: 'focus', change: (event) => go(event.target.value, depth) }, choices.map(option))),
    el('label', { class: 'filter' }, el('span', {}, 'steps'), el('select', { name: 'depth', change: (event) => go(focus.id, event.target.value) },
      [1, 2, 3, 4, 5, 6].map((n) => el('option', { value: n, selected: n === depth }, n)))));
  const box = el('div', { class: 'picture', tabindex: 0, role: 'region', 'aria-label': 'Picture; scrolls' }, picture);
  main.replaceChildren(el('div', { class: 'top' }, el('h1', {}, 'Graph'), el('p', { id: 'count', class: 'count', role: 'status' },
    `${plural(ids.length, 'issue')}, ${plural(edges.length, 'link')}${left ? `; ${left} more are too many for one picture` : ''}`)), form,
    el('p', { class: 'lead' }, reference(focus.id), progress(focus) && [' ', bar(progress(focus))]), box,
    el('p', { class: 'legend' }, el('span', { class: 'key blocks' }, 'has to be done first'), ' ', el('span', { class: 'key child' }, 'part of'), ' ', el('span', { class: 'key soft' }, 'other links'),
      ' ', edges.some((edge) => edge.suspended) && el('span', { class: 'key suspended' }, 'suspended: would close a circle')));
  const at = picture.querySelector('.focus').getAttribute('transform').match(/[\d.]+/g).map(Number);
  box.scrollTo(at[0] - (box.clientWidth - BOX.width) / 2, at[1] - (box.clientHeight - BOX.height) / 2);
}
