// Cards that are moved between the columns of the board, by a pointer or by keys: the same acts as in the menu of states.

/** How a card moves between two columns. */
const wayOf = (from, to) => known(...askedOf(parsed()))?.columns?.find((it) => it.key === from)?.ways?.[to];
function moveTo(target, { act: kind }) {
  const why = whyNot(target, kind);
  if (why) { say(`${target.id}: ${why}`); return; }
  const at = [...main.querySelectorAll('[data-item]')].find((it) => it.dataset.item === target.key);
  if (kind === 'start') perform(target, { act: kind, id: target.id });
  else if (['stop', 'unblock', 'accept'].includes(kind)) perform(target, { act: kind, ids: idsOf(target) });
  else DOES[{ reopen: 'send_back' }[kind] ?? kind](target, at);
}
/** Moves a card to the next column on a side to which an act leads. */
function moveAside(target, by) {
  const card = [...main.querySelectorAll('.card [data-item]')].find((it) => it.dataset.item === target.key);
  if (!card) { say(parsed().screen === 'board' ? `${target.id} is not on the board` : 'A card is moved on the board: 2'); return; }
  const [columns, from] = [[...main.querySelectorAll('.column')], card.closest('.column')];
  const aside = by > 0 ? columns.slice(columns.indexOf(from) + 1) : columns.slice(0, columns.indexOf(from)).reverse();
  const to = aside.find((it) => wayOf(from.dataset.column, it.dataset.column));
  if (to) moveTo(target, wayOf(from.dataset.column, to.dataset.column));
  else say(`${target.id}: no act leads further to that side`);
}

let drag = null;
const isDragging = () => drag !== null;
/** Lets cards be dragged: after 4 px with a mouse, after 300 ms with a finger, which else scrolls. */
function beginDrag() {
  const over = ({ clientX: x, clientY: y }) => document.elementsFromPoint(x, y).map((it) => it.closest('.column')).find(Boolean);
  const lift = () => {
    drag.ghost = el('div.card.ghost', el('span', drag.link.textContent));
    drag.ghost.style.width = `${drag.card.offsetWidth}px`;
    document.body.append(drag.ghost);
    drag.card.classList.add('lifted');
  };
  const place = (event) => {
    drag.ghost.style.transform = `translate(${event.clientX + 8}px, ${event.clientY + 8}px)`;
    const to = over(event);
    if (to === drag.to) return;
    drag.to = to;
    for (const it of main.querySelectorAll('.column > .drop')) it.remove();
    const from = drag.card.closest('.column');
    const way = to && to !== from && wayOf(from.dataset.column, to.dataset.column);
    if (to && to !== from) to.querySelector('h2').after(el('p.drop', { class: way ? null : 'bad' }, way ? way.words : 'no act leads there'));
  };
  const end = (isDropped) => {
    clearTimeout(drag.timer);
    const { ghost, card, to, link } = drag;
    drag = null;
    pointing = false;
    if (!ghost) return;
    ghost.remove();
    card.classList.remove('lifted');
    for (const it of main.querySelectorAll('.column > .drop')) it.remove();
    // The click that follows is none on the card.
    const eats = (event) => { event.preventDefault(); event.stopPropagation(); };
    addEventListener('click', eats, true);
    setTimeout(() => removeEventListener('click', eats, true));
    const from = card.closest('.column');
    if (!isDropped || !to || to === from) return;
    const way = wayOf(from.dataset.column, to.dataset.column);
    if (way) moveTo(targetOf(link.dataset.item), way);
    else say(`${split(link.dataset.item)[1]}: no act leads there`);
  };
  main.addEventListener('pointerdown', (event) => {
    const card = event.button === 0 && !settings.read_only && event.target.closest('.card');
    if (!card || event.target.closest('.label') || event.shiftKey) return;
    drag = { card, link: card.querySelector('[data-item]'), x: event.clientX, y: event.clientY, isTouch: event.pointerType === 'touch' };
    if (drag.isTouch) drag.timer = setTimeout(() => { lift(); place(event); }, 300);
  });
  document.addEventListener('pointermove', (event) => {
    if (!drag) return;
    const isFar = Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 4;
    if (!drag.ghost && isFar && drag.isTouch) { end(false); return; }
    if (!drag.ghost && isFar) lift();
    if (drag.ghost) place(event);
  });
  document.addEventListener('pointerup', () => { if (drag) end(true); });
  document.addEventListener('pointercancel', () => { if (drag) end(false); });
  document.addEventListener('keydown', (event) => { if (drag?.ghost && event.key === 'Escape') { event.stopPropagation(); end(false); } }, true);
  main.addEventListener('dragstart', (event) => event.preventDefault());
  main.addEventListener('touchmove', (event) => { if (drag?.ghost) event.preventDefault(); }, { passive: false });
}
