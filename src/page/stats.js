// Until `stats` is a scene it reads the data of the file itself.
// Burn-up, weeks, epics; all from when issues were created and closed.

const WEEKS = 12;
const sorted = (numbers) => numbers.sort((a, b) => a - b);

function burnUp() {
  const created = sorted(issues.map((issue) => issue.created));
  const closed = sorted(issues.flatMap((issue) => issue.closed ?? []));
  if (!created.length) return el('p.none', 'Nothing yet');
  const [left, right, top, bottom] = [48, 752, 12, 236];
  const from = created[0];
  const x = (time) => Math.round(left + ((time - from) / Math.max(DAY, data.at - from)) * (right - left));
  const y = (n) => Math.round(bottom - (n / created.length) * (bottom - top));
  const line = (css, times) => {
    let path = `M${left},${bottom}`;
    const step = Math.ceil(times.length / 400);
    for (let i = 0; i < times.length; i += step) path += `H${x(times[i])}V${y(i + 1)}`;
    path += `V${y(times.length)}H${x(data.at)}`;
    return [svg('path', { class: `area ${css}`, d: `${path}V${bottom}H${left}Z` }), svg('path', { class: css, d: path })];
  };
  const tick = (n) => [svg('line', { x1: left, x2: right, y1: y(n), y2: y(n) }), svg('text', { x: left - 6, y: y(n) + 4, 'text-anchor': 'end' }, Math.round(n).toLocaleString('en'))];
  const said = `Burn-up: ${created.length} created, ${closed.length} closed, ${day(from)} to ${day(data.at)}`;
  return el('figure', { class: 'chart' },
    svg('svg', { viewBox: '0 0 760 260', role: 'img', 'aria-label': said }, [0, 0.25, 0.5, 0.75, 1].map((part) => tick(part * created.length)),
      line('created', created), line('closed', closed), svg('text', { x: left, y: 254 }, day(from)), svg('text', { x: right, y: 254, 'text-anchor': 'end' }, day(data.at))),
    el('figcaption.legend', el('span.key.created', `created ${created.length}`), el('span.key.closed', `closed ${closed.length}`)));
}

function weeks() {
  const events = issues.flatMap(({ created, closed }) => [['created', created], ['closed', closed]].filter(([, time]) => time));
  const to = Math.min(data.at, events.reduce((latest, [, time]) => Math.max(latest, time), 0) + DAY);
  // Day 0 was a Thursday, three days after a Monday.
  const week = (time) => Math.floor((time / DAY + 3) / 7);
  const rows = Array.from({ length: WEEKS }, (_, i) => ({ from: ((week(to) - WEEKS + 1 + i) * 7 - 3) * DAY, created: 0, closed: 0 }));
  for (const [what, time] of events) {
    const row = rows[WEEKS - 1 - week(to) + week(time)];
    if (row) row[what] += 1;
  }
  while (rows.length > 1 && !rows[0].created && !rows[0].closed) rows.shift();
  const max = Math.max(1, ...rows.flatMap((week) => [week.created, week.closed]));
  const cell = (what, value) => el('td', el('progress', { class: what, max, value, 'aria-label': what }), ` ${value}`);
  return el('table', el('thead', el('tr', ['Week from', 'Created', 'Closed'].map((text) => el('th', { scope: 'col' }, text)))),
    el('tbody', rows.map((week) => el('tr', el('th', { scope: 'row' }, day(week.from)), cell('created', week.created), cell('closed', week.closed)))));
}

const span = (days) => (days >= 1 ? `${Math.round(days)} d` : days * 24 >= 1 ? `${Math.round(days * 24)} h` : `${Math.round(days * 1440)} min`);

function statsScreen() {
  const open = issues.filter(isOpen).length;
  const took = sorted(issues.filter((issue) => issue.closed).map((issue) => issue.closed - issue.created));
  const number = (n, what) => el('li', el('b', n), ` ${what}`);
  const count = (column) => issues.filter((issue) => issue.column === column).length;
  const tiles = [number(open, 'not closed'), number(issues.length - open, 'closed'), ['ready', 'in_progress', 'blocked'].map((column) => number(count(column), COLUMNS[column].toLowerCase())),
    took.length > 0 && number(span(took[took.length >> 1] / DAY), 'from created to closed, median')];
  const epics = issues.filter((issue) => issue.type === 'epic' && isOpen(issue) && issue.children.length).sort(ORDERS.priority);
  const rest = el('ul.epics');
  const more = pile(epics, 40, (epic) => el('li', meter(head(epic).children, 'Children'), reference(brief(epic.id))), rest);
  const part = (title, ...content) => el('section', { 'aria-label': title }, el('h2', title), content);
  return [plural(issues.length, 'issue'), el('div.scroll.stats', { tabindex: -1 }, el('ul.tiles', tiles), el('div.pair', part('Burn-up', burnUp()), part('Weeks', weeks())), epics.length > 0 && part('Open epics', rest, more))];
}
