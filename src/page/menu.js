// Menus: what can be copied of an issue, what a screen can be narrowed by, the keys.

/** A word as a shell takes it. */
const quoted = (word) => (/^[\p{L}\p{N}_.][\p{L}\p{N}_.-]*$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Says something for a moment, to a screen reader too. */
let silence = 0;
function say(text) {
  clearTimeout(silence);
  $('said').textContent = visible(text);
  const end = () => { if ($('said').contains(document.activeElement)) silence = setTimeout(end, 1000); else $('said').textContent = ''; };
  silence = setTimeout(end, 10000);
}

/** Copies a text as one line with nothing hidden: it may be pasted into a terminal. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(visible(text).trim().replace(/\s+/g, ' '));
    say(`Copied ${shortened(text, 80)}`);
  } catch {
    say('The browser lets nothing be copied');
  }
}

/** Shows what floats under an element, or in the middle. */
function float(box, anchor) {
  box.showPopover();
  // What it is about is seen while it is open.
  document.querySelector('.meant')?.classList.remove('meant');
  anchor?.closest?.('.item, .card, tr')?.classList.add('meant');
  // A whole screen is no place to be under.
  const isPlace = anchor?.isConnected && anchor.offsetHeight < 200;
  const [from, size] = [isPlace && anchor.getBoundingClientRect(), box.getBoundingClientRect()];
  const inside = (at, most) => Math.max(8, Math.min(at, most - 8));
  box.style.left = `${inside(from ? from.left : (innerWidth - size.width) / 2, innerWidth - size.width)}px`;
  box.style.top = `${inside(from ? from.bottom + 4 : 96, innerHeight - size.height)}px`;
}

/** Opens a menu under an element, or in the middle; an entry has words, what it does, perhaps a key, and the opposite. `typed` may add to it. Answers what adds entries. */
function openMenu(title, anchor, entries, hasField, typed) {
  const menu = $('menu');
  const line = (entry) => (entry.heading ? el('li.heading', entry.heading) : el('li', { 'data-word': entry.text.toLowerCase() },
    el('button.entry', { type: 'button', 'data-key': entry.key, 'aria-disabled': entry.why && 'true', 'aria-current': entry.isNow && 'true', title: entry.why, click: () => { menu.hidePopover(); entry.run(); } }, entry.key && el('kbd', entry.key), el('span.text', entry.text), entry.note != null && el('span.note.text', entry.note)),
    entry.not && el('button.not', { type: 'button', 'aria-label': `Not ${entry.text}`, title: `Not ${entry.text} (-)`, click: () => { menu.hidePopover(); entry.not(); } }, '−')));
  const list = el('ul', entries.map(line));
  const narrow = () => {
    const words = field ? field.value.toLowerCase().trim() : '';
    for (const line of list.querySelectorAll('[data-word]')) line.hidden = !line.dataset.word.includes(words);
    for (const heading of list.querySelectorAll('.heading')) heading.hidden = !!words;
    typed?.(field.value.trim(), list, line);
  };
  const field = hasField && el('input', { type: 'search', 'aria-label': title, placeholder: title, autocomplete: 'off', input: narrow });
  menu.replaceChildren(el('h2', { class: hasField ? 'unseen' : null }, title), ...[field, list].filter(Boolean));
  menu.setAttribute('aria-label', title);
  delete menu.dataset.loads;
  float(menu, anchor);
  (field || (list.querySelector('[aria-current]') ?? list.querySelector('button')))?.focus();
  // What comes later: the field is there at once, and takes what is typed.
  return (more) => { list.append(...more.map(line)); if (field) narrow(); };
}

/** Takes the entry that was typed: one that is just that, else the first that has it. */
function takeTyped(text) {
  const entries = [...$('menu').querySelectorAll('.entry')].filter((entry) => entry.checkVisibility());
  (entries.find((entry) => entry.parentNode.dataset.word === text.trim().toLowerCase()) ?? entries[0])?.click();
}

/** Keys in an open menu: arrows move, a letter picks, a dash takes the opposite. */
function menuKey(event) {
  const { key, target } = event;
  const entries = [...$('menu').querySelectorAll('.entry')].filter((entry) => entry.checkVisibility());
  const isField = target.tagName === 'INPUT';
  const at = entries.indexOf(target);
  const picked = (!isField || (!target.value && /\d/.test(key))) && entries.find((entry) => entry.dataset.key === key);
  const down = key === 'ArrowDown' || (!isField && key === 'j');
  const up = key === 'ArrowUp' || (!isField && key === 'k');
  if (key === 'Escape') $('menu').hidePopover();
  else if (picked) picked.click();
  else if (down || up) entries.at(down ? Math.min(at + 1, entries.length - 1) : Math.max(at - 1, 0))?.focus();
  else if (isField && key === 'Enter') {
    // Nothing is chosen by nothing, and only once all is here.
    if ($('menu').dataset.loads) $('menu').dataset.loads = 'taken';
    else if (target.value.trim()) takeTyped(target.value);
  }
  else if (!isField && key === '-') target.parentNode.querySelector('.not')?.click();
  else return;
  event.preventDefault();
}

function copyMenu(id, title, anchor) {
  const link = `${location.href.split('#')[0]}${address(id)}`;
  const entries = [['y', 'Id', id], ['t', 'Title', title], ['s', 'Command to start it', `git beads start ${quoted(id)}`], ['l', 'Link', link], ['c', 'Closing line', `Closes: ${id}`]];
  openMenu('Copy', anchor, entries.map(([key, text, what]) => ({ key, text, note: shortened(what, 40), run: () => copy(what) })));
}

const KINDS = { is: 'State', status: 'Status', priority: 'Priority', type: 'Type', assignee: 'Assignee', label: 'Label', in: 'Part of' };
/** What a screen can be narrowed by: the words of one issue, or all that issues have. */
function filterMenu(words, anchor, add) {
  const entries = words.filter(({ values }) => values.length).flatMap(({ key, values }) => [{ heading: KINDS[key] }, ...values.map(({ value, count, title }) => ({
    text: title ? `${value} ${title}` : value, note: count?.toLocaleString('en'), run: () => add(term(key, value)), not: () => add(`-${term(key, value)}`) }))]);
  openMenu('Narrow by', anchor, entries, true);
}
