// Draws the scene `stats`: how many were opened and closed, in all and week by week to today, and how far the epics are.

const WEEKS = 26;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Round numbers from 0 to at least the largest, at most six. */
function ticksTo(most) {
  const rough = Math.max(1, most / 5);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((n) => n * power >= rough) * power;
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, i) => i * step);
}

/** A chart of weeks as wide as its place: round numbers beside it, each month below it where it begins; `draw` gets the scales. */
function chart(name, said, weeks, until, most, draw) {
  const [from, end] = [instant(weeks[0].week), until];
  const ticks = ticksTo(most);
  const picture = (width) => {
    const [left, right, top, bottom] = [12 + 8 * String(ticks.at(-1)).length, width - 8, 8, 208];
    const x = (time) => left + ((time - from) / Math.max(1, end - from)) * (right - left);
    const y = (n) => bottom - (n / ticks.at(-1)) * (bottom - top);
    const across = ticks.map((n) => [svg('line', { x1: left, x2: right, y1: y(n), y2: y(n) }), svg('text', { x: left - 6, y: y(n) + 4, 'text-anchor': 'end' }, n.toLocaleString('en'))]);
    const monthOf = (time, later) => Date.UTC(new Date(time).getUTCFullYear(), new Date(time).getUTCMonth() + later);
    const begins = [];
    for (let at = monthOf(from, 0); at <= end; at = monthOf(at, 1)) begins.push(at);
    // The first one has begun before; it is named where there is room before the next.
    if (begins.length > 1 && x(begins[1]) - left < 30) begins.shift();
    begins[0] = Math.max(begins[0], from);
    // Where months are narrow their first letters name them, and years where even these have no room.
    const room = ((right - left) * 30 * DAY) / (end - from);
    const called = (at) => { const date = new Date(at); const n = date.getUTCMonth(); return room > 26 ? MONTHS[n] : room > 11 ? MONTHS[n][0] : ''; };
    const years = begins.filter((at, i) => i === 0 || new Date(at).getUTCMonth() === 0);
    const word = (at, y, text) => text && svg('text', { x: Math.min(x(at), right - 8), y }, text);
    return svg('svg', { width, height: 244, role: 'img', 'aria-label': said }, across, draw(x, y, bottom, right),
      begins.map((at) => [svg('line', { x1: x(at), x2: x(at), y1: bottom, y2: bottom + 4 }), word(at, bottom + 16, called(at))]), years.map((at) => word(at, bottom + 30, new Date(at).getUTCFullYear())));
  };
  const place = el('div', { class: 'drawn' });
  new ResizeObserver(() => { if (place.clientWidth) place.replaceChildren(picture(place.clientWidth)); }).observe(place);
  return place;
}

const span = (seconds) => { const days = seconds / 86400; return days >= 1 ? `${Math.round(days)} d` : days * 24 >= 1 ? `${Math.round(days * 24)} h` : `${Math.round(seconds / 60)} min`; };

function statsScreen({ at, opened, closed, open, ready, in_progress, blocked, cycle_time, weeks, epics }) {
  const until = instant(at);
  const number = (n, what) => el('li', el('b', n.toLocaleString('en')), ` ${what}`);
  const part = (title, ...content) => el('section', { 'aria-label': title }, el('h2', title), content);
  const legend = (one, two) => el('p.legend', el('span.key.created', `created ${one.toLocaleString('en')}`), el('span.key.closed', `closed ${two.toLocaleString('en')}`));
  const total = (css, key) => (x, y, bottom, right) => {
    const ends = weeks.map((week) => [Math.min(instant(week.week) + 7 * DAY, until), week[key]]);
    const path = `M${x(instant(weeks[0].week))},${bottom}${ends.map(([time, n]) => `L${x(time)},${y(n)}`).join('')}`;
    return [svg('path', { class: `area ${css}`, d: `${path}L${right},${bottom}Z` }), svg('path', { class: css, d: path })];
  };
  const burnUp = () => chart('Burn-up', `Burn-up: ${opened} created, ${closed} closed, ${weeks[0].week} to ${at.slice(0, 10)}`, weeks, until, opened, (...scales) => [total('created', 'total_opened')(...scales), total('closed', 'total_closed')(...scales)]);
  const last = weeks.slice(-WEEKS);
  const sum = (key) => last.reduce((all, week) => all + week[key], 0);
  const bar = (x, y, bottom) => ({ week, opened: made, closed: done }) => {
    const [from, wide] = [x(instant(week)), (x(instant(week) + 7 * DAY) - x(instant(week))) * 0.38];
    const one = (css, n, i) => n > 0 && svg('rect', { class: css, x: from + 1 + i * (wide + 1), y: y(n), width: Math.max(1, wide), height: bottom - y(n) });
    return svg('g', svg('title', `Week from ${week}: ${made} created, ${done} closed`), one('created', made, 0), one('closed', done, 1));
  };
  const byWeek = () => chart('Weeks', `Weeks from ${last[0].week} to today: ${sum('opened')} created, ${sum('closed')} closed`, last, instant(last.at(-1).week) + 7 * DAY, Math.max(...last.flatMap((week) => [week.opened, week.closed])), (x, y, bottom) => last.map(bar(x, y, bottom)));
  const table = el('table.unseen', el('caption', 'Weeks'), el('tr', ['Week from', 'Created', 'Closed'].map((text) => el('th', { scope: 'col' }, text))),
    last.map((week) => el('tr', el('th', { scope: 'row' }, week.week), el('td', week.opened), el('td', week.closed))));
  const rest = el('ul.epics');
  const more = pile(epics, 40, (shown) => fill(rest, shown, (epic) => el('li', meter(epic.children, 'Children'), reference(epic))));
  return [plural(opened, 'issue'), el('div.scroll.stats', { tabindex: epics.length ? -1 : 0 },
    el('ul.tiles', number(open, 'not closed'), number(closed, 'closed'), number(ready, 'ready'), number(in_progress, 'in progress'), number(blocked, 'blocked'), cycle_time && number(span(cycle_time.median_seconds), 'median cycle time')),
    weeks.length > 0 ? el('div.pair', part('Burn-up', el('div.chart', burnUp(), legend(opened, closed))), part(`Last ${plural(last.length, 'week')}`, el('div.chart', sum('opened') + sum('closed') ? byWeek() : el('p.none.drawn', 'Nothing was created or closed in these weeks.'), legend(sum('opened'), sum('closed'))), table)) : el('p.none', 'Nothing yet'),
    epics.length > 0 && part('Open epics', rest, more))];
}
