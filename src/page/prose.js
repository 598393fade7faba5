// Texts, which come as trees of Markdown (`model/prose.rs`): drawn with elements and text.

/** A line: texts with the ids and characters in them, and parts in a style of their own. */
const inline = (parts) => parts.map((part) => {
  if (typeof part === 'string') return mentions(part);
  const [kind, first, rest] = part;
  if (kind === 'c') return el('code', first);
  if (kind === 'a') {
    const link = (text) => el('a', { href: leads(first) && first, rel: 'noreferrer' }, text);
    return said(rest) === first ? link(first) : [link(said(rest)), ' (', link(first), ')'];
  }
  return el({ b: 'strong', i: 'em', s: 's' }[kind], inline(first));
});

/** Whether an address leads to the web or to mail, and runs nothing. */
const leads = (to) => /^(https?:\/\/|mailto:)/i.test(to);

/** The issues that texts name, by their ids: each scene brings its own. */
let mentioned = {};
function mentions(text) {
  return text.split(/([\p{L}\p{N}_][\p{L}\p{N}_.-]*[\p{L}\p{N}_])/u).map((word, i) =>
    i % 2 && Object.hasOwn(mentioned, word) ? el('a', { href: address(word), title: mentioned[word] }, word) : word);
}

const DRAWN = {
  p: (parts) => el('p', inline(parts)),
  h: (level, parts) => el('h4', inline(parts)),
  c: (word, text) => el('pre', { 'aria-label': word || null }, word && el('span.word', `${word}\n`), text),
  q: (inner) => el('blockquote', blocks(inner)),
  l: (first, entries) => el(first === null ? 'ul' : 'ol', { start: first }, entries.map((entry) => el('li', blocks(entry)))),
  t: ([head, ...rows]) => el('div.table', el('table', el('thead', el('tr', head.map((cell) => el('th', { scope: 'col' }, inline(cell))))),
    el('tbody', rows.map((row) => el('tr', row.map((cell) => el('td', inline(cell)))))))),
  r: () => el('hr'),
};
const blocks = (all) => all.map((block) => (typeof block === 'string' ? el('p', mentions(block)) : DRAWN[block[0]](...block.slice(1))));

/** The words of a line, and of blocks, as they are searched. */
function said(parts) {
  return parts.map((part) => (typeof part === 'string' ? part : part[0] === 'c' ? part[1] : said(part.at(-1)))).join('');
}
function plain(all) {
  return all.map((block) => {
    if (typeof block === 'string') return block;
    const [kind, ...rest] = block;
    if (kind === 'p' || kind === 'h') return searchable(rest.at(-1));
    if (kind === 'q') return plain(rest[0]);
    if (kind === 'l') return rest[1].map(plain).join('\n');
    return kind === 't' ? rest[0].map((row) => row.map(searchable).join(' ')).join('\n') : rest.join('\n');
  }).join('\n');
}
function searchable(parts) {
  const addresses = parts.filter((part) => part[0] === 'a' && typeof part !== 'string').map((part) => part[1]);
  return [said(parts), ...addresses].join(' ');
}

/** A text as blocks. */
const prose = (tree) => el('div.prose', blocks(tree));
