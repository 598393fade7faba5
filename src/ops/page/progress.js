// Progress: burn-up, weeks, epics; all from when issues were created and closed.

const WEEKS = 12;

function burnUp() {
  const created = issues.map((issue) => issue.created).sort((a, b) => a - b);
  const closed = issues.filter((issue) => issue.closed).map((issue) => issue.closed).sort((a, b) => a - b);
  if (!created.length) return null;
  const [width, height, left, low] = [760, 260, 48, 24];
  const from = created[0];
  const span = Math.max(DAY, data.at - from);
  const x = (time) => left + ((time - from) / span) * (width - left - 8);
  const y = (n) => height - low - (n / created.length) * (height - low - 12);
  const line = (times) => {
    let path = `M${x(from).toFixed(1)},${y(0).toFixed(1)}`;
    const step = Math.max(1, Math.ceil(times.length / 400));
    for (let i = 0; i < times.length; i += step) path += `H${x(times[i]).toFixed(1)}V${y(i + 1).toFixed(1)}`;
    return `${path}V${y(times.length).toFixed(1)}H${x(data.at).toFixed(1)}`;
  };
  const area = (times) => `${line(times)}V${y(0).toFixed(1)}H${x(from).toFixed(1)}Z`;
  const tick = (n) => [svg('line', { class: 'grid', x1: left, x2: width - 8, y1: y(n), y2: y(n) }), svg('text', { x: left - 6, y: y(n) + 4, 'text-anchor': 'end' }, Math.round(n).toLocaleString('en'))];
  const date = (time, anchor) => svg('text', { x: x(time), y: height - 6, 'text-anchor': anchor }, day(time));
  const said = `Burn-up: ${created.length} created, ${closed.length} closed, ${day(from)} to ${day(data.at)}`;
  return el('figure', { class: 'chart' },
    svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': said }, [0, 0.25, 0.5, 0.75, 1].map((part) => tick(part * created.length)),
      [['created', created], ['closed', closed]].map(([css, times]) => [svg('path', { class: `area ${css}`, d: area(times) }), svg('path', { class: css, d: line(times) })]), date(from, 'start'), date(data.at, 'end')),
    el('figcaption', {}, el('span', { class: 'key created' }, `created ${created.length}`), ' ', el('span', { class: 'key closed' }, `closed ${closed.length}`)));
}

function weeks() {
  const ended = issues.reduce((latest, issue) => Math.max(latest, issue.created, issue.closed ?? 0), 0);
  const to = Math.min(data.at, ended + DAY);
  const rows = Array.from({ length: WEEKS }, (_, i) => ({ from: to - (WEEKS - i) * 7 * DAY, created: 0, closed: 0 }));
  const at = (time) => rows[WEEKS - 1 - Math.floor((to - time) / (7 * DAY))];
  for (const issue of issues) {
    const [begun, done] = [at(issue.created), issue.closed && at(issue.closed)];
    if (begun) begun.created += 1;
    if (done) done.closed += 1;
  }
  while (rows.length > 1 && !rows[0].created && !rows[0].closed) rows.shift();
  const most = Math.max(1, ...rows.flatMap((week) => [week.created, week.closed]));
  const cell = (n, css) => el('td', {}, el('meter', { class: css, min: 0, max: most, value: n }), ` ${n}`);
  return el('table', { class: 'weeks' }, el('thead', {}, el('tr', {}, ['Week from', 'Created', 'Closed'].map((text) => el('th', { scope: 'col' }, text)))),
    el('tbody', {}, rows.map((week) => el('tr', {}, el('th', { scope: 'row' }, day(week.from)), cell(week.created, 'created'), cell(week.closed, 'closed')))));
}

/** The middle of how long issues took, in days. */
function cycle() {
  const took = issues.filter((issue) => issue.closed).map((issue) => issue.closed - issue.created).sort((a, b) => a - b);
  return took.length ? took[took.length >> 1] / DAY : null;
}

const span = (days) => (days >= 1 ? `${Math.round(days)} d` : days * 24 >= 1 ? `${Math.round(days * 24)} h` : `${Math.round(days * 1440)} min`);

function progressView(main) {
  const open = issues.filter(isOpen).length;
  const days = cycle();
  const number = (n, what) => el('li', {}, el('b', {}, n), ` ${what}`);
  const epics = issues.filter((issue) => issue.type === 'epic' && isOpen(issue) && children.has(issue.id)).sort(ORDERS.priority);
  const tiles = [number(open, 'not closed'), number(issues.length - open, 'closed'), COLUMNS.slice(0, 3).map(([column, title]) => number(count(column), title.toLowerCase())),
    days !== null && number(span(days), 'from created to closed, median')];
  const rest = el('ul', { class: 'epics' });
  const more = pile(epics, CARDS, (epic) => el('li', {}, bar(progress(epic)), reference(epic.id)), rest);
  main.replaceChildren(el('div', { class: 'top' }, el('h1', {}, 'Progress')), el('ul', { class: 'tiles' }, tiles),
    el('div', { class: 'pair' }, section('Burn-up', burnUp() ?? el('p', { class: 'none' }, 'Nothing yet')), section('Weeks', weeks())), epics.length > 0 && section('Open epics', rest, more));
}
