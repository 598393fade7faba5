// The board: a column for each state, or for each value that issues are grouped by.

/** Cards of a column at first, and at most. */
const [CARDS, MOST_CARDS] = [50, 200];

/** What stands above a column of the board. */
function titleOf(key, isState) {
  if (!isState) return key ?? 'None';
  return Object.hasOwn(COLUMNS, key) ? COLUMNS[key] : key === 'open' ? 'Open, not ready' : named(key);
}

function card(head) {
  const waits = head.blockers.map((blocker) => blocker.id);
  const rest = head.blockers_count - waits.length;
  const below = [
    person(head),
    head.questions && el('span.chip.b-accent', icon('question'), 'question'),
    waits.length > 0 && el('span.chip.b-red', `waits for ${waits[0]}${waits.length + rest > 1 ? ` +${waits.length + rest - 1}` : ''}`),
    !waits.length && head.blocked_for && el('span.chip.b-red', el('span.text', shortened(head.blocked_for, 60))),
    due(head), meter(head.children, 'Children'), meter(head.criteria, 'Criteria'),
    !head.blockers_count && head.unblocks && el('span.chip.b-green', { title: 'Issues that wait for it' }, `unblocks ${head.unblocks}`),
    labels(head),
  ].flat().filter(Boolean);
  return el('li.card', { 'data-card': head.id, 'data-waits': waits.join('\n') },
    el('div.line', code(head.id), priority(head), head.type !== 'task' && el('span.soft', head.type), el('span.end', when(head.at))),
    el('a.title', { href: address(head.id), 'data-item': head.id }, head.title),
    below.length > 0 && el('div.line.below', below));
}

function column({ key, title }, query, isState) {
  const [number, none, cards] = [el('span.count'), el('p.none', 'nothing'), el('ul.cards', { tabindex: -1 })];
  const more = pile([], CARDS, (shown) => fill(cards, shown, card));
  const all = el('a.more', { href: `${root('list')}list?${new URLSearchParams({ q: query })}` });
  const fold = el('button.fold', { type: 'button', 'aria-expanded': 'true', title: `Fold ${title}`, 'aria-label': `Fold ${title}`, click: () => { foldAway(box, !box.classList.contains('folded'), true); } }, icon('fold'));
  const holds = el('div.cardbox', { tabindex: -1 }, cards, more, all);
  const box = el('section.column', { 'data-column': key }, el('h2', isState && columnIcon(key), el('span.text', title), number, fold), holds, none);
  box.takes = ({ total, heads }) => {
    box.setAttribute('aria-label', visible(`${title}: ${total}`));
    number.textContent = total.toLocaleString('en');
    more.takes(heads.slice(0, MOST_CARDS));
    [all.hidden, all.textContent] = [total <= MOST_CARDS, `${total - MOST_CARDS} more in the list`];
    [none.hidden, holds.hidden] = [total > 0, !total];
  };
  return box;
}

/** Folds a column to a strip, or opens it; what the reader has chosen is kept. */
function foldAway(box, away, chosen) {
  box.classList.toggle('folded', away);
  box.querySelector('.fold').setAttribute('aria-expanded', String(!away));
  if (chosen) keep('folded', { ...kept('folded'), [box.dataset.column]: away });
}

/** Folds what has no room: what is done first, then what stands aside, never what holds the open issue. */
function makeRoom(board) {
  if (!board?.isConnected) return;
  const choice = kept('folded') ?? {};
  const columns = [...board.children];
  for (const box of columns) foldAway(box, choice[box.dataset.column] === true);
  const mayFold = (box) => !Object.hasOwn(choice, box.dataset.column) && !['ready', 'in_progress', 'blocked'].includes(box.dataset.column) && !box.querySelector('[aria-current]');
  const aside = columns.filter(mayFold).sort((a, b) => (b.dataset.column === 'done') - (a.dataset.column === 'done') || (a.dataset.column === 'review') - (b.dataset.column === 'review'));
  const room = () => columns.reduce((sum, box) => sum + (box.classList.contains('folded') ? 40 : 232), 0);
  for (const box of aside) if (innerWidth >= 640 && room() > board.clientWidth) foldAway(box, true);
}

function boardScreen(scene, { query }) {
  const board = el('div.board', { class: scene.group ? 'grouped' : null });
  board.takes = (next) => {
    if (next.group !== scene.group) return null;
    fill(board, next.columns, (it) => column(it, query, !scene.group), (it) => JSON.stringify(it.key));
    next.columns.forEach((it, i) => board.children[i].takes(it));
    return plural(next.columns.reduce((sum, it) => sum + it.total, 0), 'issue');
  };
  // The observer lives as long as the board that it looks at.
  new ResizeObserver(() => makeRoom(board)).observe(board);
  for (const event of ['mouseover', 'focusin']) board.addEventListener(event, ({ target }) => markLinked(board, target.closest('.card')));
  for (const event of ['mouseleave', 'focusout']) board.addEventListener(event, () => markLinked(board, null));
  return [board.takes(scene), board];
}

/** Marks what a card waits for, and what waits for it. */
function markLinked(board, card) {
  for (const other of board.querySelectorAll('.card.before, .card.after')) other.classList.remove('before', 'after');
  if (!card) return;
  const waits = card.dataset.waits.split('\n');
  for (const other of board.querySelectorAll('.card')) {
    if (waits.includes(other.dataset.card)) other.classList.add('before');
    if (other.dataset.waits.split('\n').includes(card.dataset.card)) other.classList.add('after');
  }
}

/** On a small screen the board begins at what is in progress. */
function atWork(board) {
  const first = board.querySelector('[data-column=in_progress]');
  if (innerWidth < 640 && first) board.scrollLeft = first.offsetLeft - board.offsetLeft;
}
