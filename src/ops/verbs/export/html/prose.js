// Bodies: a small part of Markdown, made of elements and text. What is not recognised is shown as it stands.

/** A line: code, strong words and the ids of issues. */
function inline(text) {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).map((part) => {
    if (/^`[^`]+`$/.test(part)) return el('code', part.slice(1, -1));
    if (/^\*\*[^*]+\*\*$/.test(part)) return el('strong', mentions(part.slice(2, -2)));
    return mentions(part);
  });
}

function mentions(text) {
  return text.split(/([\p{L}\p{N}_][\p{L}\p{N}_.-]*[\p{L}\p{N}_])/u).map((word, i) =>
    i % 2 && word.includes('-') && byId.has(word) ? el('a', { href: address(word), title: byId.get(word).title }, word) : word);
}

const FENCE = /^\s*(```|~~~)/;
const HEADING = /^#{1,6}\s+(.*)$/;
const ENTRY = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/;
const RAW = /^(\||\s{4,}\S|\t)/;
const isProse = (line) => line.trim() && !FENCE.test(line) && !HEADING.test(line) && !ENTRY.test(line) && !RAW.test(line);

/** A text as blocks. */
function prose(text) {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const blocks = [];
  let at = 0;
  const take = (wanted) => {
    const from = at;
    while (at < lines.length && wanted(lines[at])) at += 1;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    if (FENCE.test(line)) {
      at += 1;
      blocks.push(el('pre', take((next) => !FENCE.test(next)).join('\n')));
      at += 1;
    } else if (HEADING.test(line)) {
      blocks.push(el('h3', inline(line.match(HEADING)[1])));
      at += 1;
    } else if (ENTRY.test(line)) {
      blocks.push(list(take((next) => ENTRY.test(next) || /^\s+\S/.test(next))));
    } else if (RAW.test(line)) {
      blocks.push(el('pre', take((next) => RAW.test(next)).join('\n')));
    } else if (line.trim()) {
      blocks.push(el('p', inline(take(isProse).join('\n'))));
    } else {
      at += 1;
    }
  }
  return el('div.prose', blocks);
}

/** Entries, told apart by their indent; further lines belong to the entry before. */
function list(lines) {
  const entries = [];
  for (const line of lines) {
    const [, indent, mark, rest] = line.match(ENTRY) ?? [];
    if (mark) entries.push({ depth: Math.min(3, indent.replaceAll('\t', '  ').length >> 1), text: rest });
    else entries.at(-1).text += `\n${line.trim()}`;
  }
  const box = (text) => text.replace(/^\[([ xX])\] /, (_, mark) => (mark === ' ' ? '☐ ' : '☑ '));
  const ordered = /^\s*\d/.test(lines[0]);
  return el(ordered ? 'ol' : 'ul', {}, entries.map(({ depth, text }) => el('li', { class: `depth${depth}` }, inline(box(text)))));
}
