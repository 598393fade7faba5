// Draws the scene `graph`: steps are columns, the parts of an issue stand in a box, edges run at right angles in the gaps between.

const [ROWS, LEAST, MOST_WIDE, INSET, HEAD] = [16, 212, 320, 12, 32];
const tall = () => (matchMedia('(pointer: coarse)').matches ? 44 : 28);

/** Adds to a list under a key. */
const put = (map, key, value) => map.set(key, [...(map.get(key) ?? []), value]);

/** The columns of the picture, at most 16 rows each. What has edges stands on their side, and near what they lead to. */
function columnsOf({ nodes, edges, folded, focus }) {
  const [waits, leads] = [new Set(edges.map((edge) => edge.then)), new Set(edges.map((edge) => edge.first))];
  const aside = ({ id }) => (leads.has(id) ? 2 : waits.has(id) ? 0 : 1);
  const isBox = !nodes.some((node) => node.id === focus.id);
  const titles = {
    before: (step) => (step === 1 ? 'Waited for' : `Waited for, step ${step}`),
    inside: (step) => (isBox ? `Step ${step}` : 'This issue'),
    after: (step) => (step === 1 ? 'Wait for it' : `Wait for it, step ${step}`),
  };
  const part = (side) => {
    const own = nodes.filter((node) => node.side === side);
    const steps = Math.max(folded[side] ? 1 : 0, ...own.map((node) => node.step));
    return Array.from({ length: steps }, (_, i) => i + 1).flatMap((step) => {
      const cells = own.filter((node) => node.step === step).sort((a, b) => aside(a) - aside(b));
      const size = Math.ceil(cells.length / Math.max(1, Math.ceil(cells.length / ROWS)));
      const made = Array.from({ length: size ? Math.ceil(cells.length / size) : 1 }, (_, n) => ({ side, title: titles[side](step), isMore: n > 0, cells: cells.slice(n * size, (n + 1) * size) }));
      if (step === 1 && folded[side]) made[0].fold = folded[side];
      return [made];
    });
  };
  const columns = [...part('before').reverse(), ...part('inside'), ...part('after')].flat();
  const row = new Map();
  const settle = ({ cells }) => cells.forEach(({ id }, i) => row.set(id, i));
  const near = new Map();
  for (const { first, then } of edges) { put(near, first, then); put(near, then, first); }
  columns.forEach(settle);
  const middle = ({ id }) => {
    const rows = (near.get(id) ?? []).filter((other) => row.has(other)).map((other) => row.get(other));
    return near.has(id) ? rows.reduce((sum, n) => sum + n / rows.length, 0) : ROWS;
  };
  for (let round = 0; round < 6; round += 1) {
    for (const column of columns) {
      const weight = new Map(column.cells.map((cell) => [cell, middle(cell)]));
      settle({ cells: column.cells.sort((a, b) => weight.get(a) - weight.get(b)) });
    }
  }
  return { columns, isBox };
}

/** Puts what overlaps on tracks beside each other: each takes the first that is free from its level on. Returns how many there are. */
function onTracks(all) {
  const tracks = [];
  for (const one of all) {
    let at = one.level ?? 0;
    while (tracks[at]?.some((other) => other.from <= one.to && one.from <= other.to)) at += 1;
    for (let i = 0; i <= at; i += 1) tracks[i] ??= [];
    tracks[at].push(one);
    one.track = at;
  }
  return tracks.length;
}

/** Places nodes, box and edges. What leads further than to the next column takes a lane between two rows. */
function placed(scene, room) {
  const { columns, isBox } = columnsOf(scene);
  const place = new Map(columns.flatMap(({ cells }, c) => cells.map(({ id }, r) => [id, { c, r }])));
  const inside = columns.flatMap(({ side }, c) => (side === 'inside' ? c : []));
  const [first, last] = [inside[0], inside.at(-1)];
  const whole = isBox ? scene.focus.id : undefined;
  const ways = scene.edges.map((edge) => ({ edge, out: (edge.first === whole ? last : place.get(edge.first).c) + 1, in: edge.then === whole ? first : place.get(edge.then).c }));
  const lanes = new Map();
  for (const way of ways) {
    if (way.out === way.in) continue;
    const from = place.get(way.edge.first);
    const key = from ? way.edge.first : `\n${way.edge.then}`;
    if (!lanes.has(key)) lanes.set(key, { k: from ? from.r + 1 : place.get(way.edge.then).r, from: way.out, to: way.out });
    way.lane = lanes.get(key);
    way.lane.from = Math.min(way.lane.from, way.in);
    way.lane.to = Math.max(way.lane.to, way.in);
  }
  const rows = Math.max(...columns.map(({ cells, fold }) => cells.length + (fold ? 1 : 0)));
  const height = tall();
  const tops = [];
  let bottom = isBox ? 2 * HEAD : HEAD;
  for (let k = 0; k <= rows; k += 1) {
    const own = [...lanes.values()].filter((lane) => lane.k === k).sort((a, b) => a.to - a.from - b.to + b.from);
    const count = onTracks(own);
    for (const lane of own) lane.y = bottom + 4 + 5 * lane.track;
    tops.push(bottom + Math.max(k ? 8 : 0, count ? 3 + 5 * count : 0));
    bottom = tops[k] + (k < rows ? height : 0);
  }
  // What leaves an issue in a gap is one net, and so is what comes from its lane to where it enters.
  const nets = columns.map(() => new Map());
  nets.push(new Map());
  const net = (gap, key, left, right) => {
    const known = nets[gap].get(key) ?? nets[gap].set(key, { left, from: left, to: left, rights: [] }).get(key);
    known.rights.push(right);
    known.from = Math.min(known.from, right);
    known.to = Math.max(known.to, right);
    return known;
  };
  const y = (id) => tops[place.get(id).r] + height / 2;
  for (const way of ways) {
    const { first: from, then } = way.edge;
    const [start, end] = [from !== whole && y(from), then !== whole && y(then)];
    // An edge of the box itself has no row there: it leaves or enters beside the other's middle.
    way.start = start || (way.lane ? way.lane.y : end + 7);
    way.end = end || (way.lane ? way.lane.y : start + 7);
    if (way.lane) {
      if (start) way.exit = net(way.out, from, way.start, way.lane.y);
      if (end) way.enter = net(way.in, `\n${from}`, way.lane.y, way.end);
    } else if (start && end) way.exit = net(way.out, from, way.start, way.end);
    else if (start) way.start = way.end;
    else way.end = way.start;
  }
  const gaps = nets.map((own, gap) => {
    const turning = [...own.values()].filter((one) => one.from < one.to).sort((a, b) => a.to - a.from - b.to + b.from);
    // Where one enters a row that another leaves, it stands to the right of that one.
    for (let round = 0, moved = true; moved && round < turning.length; round += 1) {
      moved = false;
      for (const one of turning) {
        const least = Math.max(0, ...turning.filter((other) => other !== one && one.rights.includes(other.left)).map((other) => (other.level ?? 0) + 1));
        if (least > (one.level ?? 0)) { one.level = least; moved = true; }
      }
    }
    const tracks = onTracks(turning.sort((a, b) => (a.level ?? 0) - (b.level ?? 0)));
    const bare = gap === 0 || gap === columns.length ? 0 : 16;
    const border = isBox && (gap === first || gap === last + 1) ? INSET : 0;
    return { start: isBox && gap === last + 1 ? INSET : 0, border, width: border + (tracks || own.size ? Math.max(28, 20 + 6 * tracks) : bare) };
  });
  const wide = Math.max(LEAST, Math.min(MOST_WIDE, Math.floor((room - gaps.reduce((sum, gap) => sum + gap.width, 0)) / columns.length)));
  let x = 0;
  gaps.forEach((gap, i) => { gap.x = x + gap.start; x += gap.width; if (columns[i]) { columns[i].x = x; x += wide; } });
  const trackX = (gap, { track }) => gaps[gap].x + 9 + 6 * (track ?? 0);
  const lines = ways.map(({ edge, out, in: into, start, end, exit, enter, lane }) => {
    const from = edge.first === whole ? columns[last].x + wide + INSET : columns[out - 1].x + wide;
    const to = edge.then === whole ? columns[first].x - INSET : columns[into].x;
    const turns = [exit && trackX(out, exit), enter && trackX(into, enter)];
    const points = [[from, start]];
    if (exit) points.push([turns[0], start], [turns[0], lane ? lane.y : end]);
    if (enter) points.push([turns[1], lane.y], [turns[1], end]);
    return { edge, points: [...points, [to, end]] };
  });
  const frame = isBox && { left: columns[first].x - INSET, top: 0, width: columns[last].x + wide - columns[first].x + 2 * INSET, height: bottom + 4 };
  return { columns, lines, tops, wide, height, frame, width: x, bottom: bottom + 5 };
}

/** A line with round corners. */
function lineOf(points) {
  const all = points.filter(([x, y], i) => !i || x !== points[i - 1][0] || y !== points[i - 1][1]);
  const toward = ([x, y], [x2, y2]) => {
    const far = Math.abs(x2 - x) + Math.abs(y2 - y);
    const by = Math.min(4, far / 2) / far;
    return `${x + (x2 - x) * by},${y + (y2 - y) * by}`;
  };
  return `M${all[0]}${all.slice(1, -1).map((corner, i) => `L${toward(corner, all[i])}Q${corner} ${toward(corner, all[i + 2])}`).join('')}L${all.at(-1)}`;
}

const at = (node, place) => { for (const [key, value] of Object.entries(place)) node.style[key] = `${value}px`; return node; };
const graphAt = ({ focus, steps, closed }, other) => written({ screen: 'graph', arg: focus.id, depth: steps, closed, ...other });

/** The picture; who can't see it reads lists of steps. */
function plan(scene, room) {
  const { columns, lines, tops, wide, height, frame, width, bottom } = placed(scene, room);
  const ids = [scene.focus, ...scene.nodes].map(({ id }) => id);
  // What all ids begin with says nothing here.
  let bare = ids[0].lastIndexOf('-') + 1;
  while (bare && !ids.every((id) => id.length > bare && id.startsWith(ids[0].slice(0, bare)))) bare = bare > 1 ? ids[0].lastIndexOf('-', bare - 2) + 1 : 0;
  const waits = new Map();
  for (const { first, then } of scene.edges) put(waits, then, first);
  const node = (brief, css) => {
    const said = `${brief.id}: ${brief.title} (${stateOf(brief)})`;
    return el(`a.node.b-${toneOf(stateOf(brief))}`, { href: address(brief.id), 'data-item': brief.id, title: said, class: [css, brief.status === 'closed' && 'done'].filter(Boolean).join(' ') },
      columnIcon(stateOf(brief)), el('code.id', el('span.unseen', brief.id.slice(0, bare)), shortened(brief.id.slice(bare), 20)), el('span.text', brief.title),
      el('span.unseen', ` ${stateOf(brief)}`, waits.has(brief.id) && `, waits for ${waits.get(brief.id).join(', ')}`), meter(brief.children, 'Children'));
  };
  const column = ({ side, title, isMore, cells, fold, x }) => el('section.step', { 'aria-label': isMore ? `${title}, more` : title },
    !isMore && at(el('h2', title), { left: x, top: frame ? HEAD + 4 : 4 }),
    el('ol', cells.map((brief, r) => el('li', at(node(brief, brief.id === scene.focus.id && 'focus'), { left: x, top: tops[r], width: wide, height }))),
      fold && el('li', at(el('a.node.rest', { href: graphAt(scene, { closed: true }), 'data-fold': side }, columnIcon('done'), `${fold} done`), { left: x, top: tops[cells.length], width: wide, height }))));
  const arrow = svg('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' }, svg('path', { d: 'M0,0L8,4L0,8z' }));
  const edges = lines.map(({ edge, points }) => svg('path', { class: `edge${edge.suspended ? ' suspended' : ''}`, 'data-first': edge.first, 'data-then': edge.then, d: lineOf(points), 'marker-end': 'url(#arrow)' }));
  const picture = el('div.plan', svg('svg', { width, height: bottom, 'aria-hidden': 'true' }, arrow, edges),
    frame && at(el('div.frame'), frame), frame && at(node(scene.focus, 'focus whole'), { left: frame.left + 4, top: 4, maxWidth: frame.width - 8, height: 28 }), columns.map(column));
  for (const event of ['mouseover', 'focusin', 'mouseleave', 'focusout']) {
    picture.addEventListener(event, ({ type, target }) => {
      const id = /over|in$/.test(type) && target.closest('.node')?.dataset.item;
      for (const edge of edges) edge.classList.toggle('near', [edge.dataset.first, edge.dataset.then].includes(id));
    });
  }
  return [at(picture, { width, height: bottom }), columns.find(({ side }) => side === 'inside').x];
}

function graphScreen(scene) {
  const { focus, parent, nodes, edges, folded, left, steps, closed, beginnings } = scene;
  if (!focus) return ['', el('p.none', 'There are no issues')];
  // The new screen has the same two fields, and the focus stays in its own.
  const select = (name, title, chosen, options, to) => el('label', el('span', title), el('select', { name, change: ({ target }) => { visit(graphAt(scene, to(target.value))); main.querySelector(`[name=${name}]`)?.focus(); } },
    options.map(([value, text]) => el('option', { value, selected: value === chosen }, text))));
  const begin = beginnings.some(({ id }) => id === focus.id) ? beginnings : [focus, ...beginnings];
  const done = folded.before + folded.inside + folded.after;
  const [picture, x] = plan(scene, main.clientWidth - 32);
  const scroll = el('div.picture.scroll', { tabindex: -1 }, picture, !edges.length && nodes.length < 2 && !done && el('p.soft', 'It waits for nothing, and nothing waits for it.'));
  requestAnimationFrame(() => { if (innerWidth < 640) scroll.scrollLeft = x - 2 * INSET; });
  return [`${plural(nodes.length, 'issue')}, ${plural(edges.length, 'edge')}${left ? `; ${left} more are too many for one picture` : ''}`, el('div.graph',
    el('form.choices', { 'aria-label': 'Graph', submit: (event) => event.preventDefault() },
      select('focus', 'Around', focus.id, begin.map(({ id, title }) => [id, shortened(`${id} ${title}`, 60)]), (arg) => ({ arg })),
      select('depth', 'Steps around it', steps, [1, 2, 3, 4, 5, 6].map((n) => [n, n]), (depth) => ({ depth })),
      (done > 0 || closed) && el('a.button.plain', { href: graphAt(scene, { closed: !closed }) }, closed ? 'Hide done' : `Show ${done} done`),
      parent && el('span.soft', 'Part of ', el('a', { href: graphOf(parent) }, parent)),
      edges.some((edge) => edge.suspended) && el('span.key.suspended', 'suspended: would close a circle')), scroll)];
}
