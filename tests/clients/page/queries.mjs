// Runs the queries of a table on the data of a page, with the scripts of the page itself.
// node queries.mjs SCRIPTS PAGE TABLE

import { readFileSync } from 'node:fs';

const [scripts, page, table] = process.argv.slice(2);
const { queries, faults } = JSON.parse(readFileSync(table, 'utf8'));
const [, held] = /<script type="application\/json" id="data">([^]*?)<\/script>/.exec(readFileSync(page, 'utf8'));
const document = { getElementById: (id) => (id === 'data' ? { textContent: held } : null) };
const code = ['base.js', 'prose.js', 'dates.js', 'local.js', 'query.js', 'find.js'].map((name) => readFileSync(`${scripts}/${name}`, 'utf8')).join('\n');
const made = new Function('document', `'use strict';${code}\nreturn { understood, issues, isOpen, ordered, ORDERS, GROUPS, together };`);
const { understood, issues, isOpen, ordered, ORDERS, GROUPS, together } = made(document);

const wrong = [];
for (const [text, ids] of queries) {
  let found;
  try {
    const { test, lifts, sort, group } = understood(text, false);
    const order = ordered(sort ?? 'priority');
    const groups = group ? together(GROUPS[group]) : () => 0;
    found = issues.filter((issue) => (lifts || isOpen(issue)) && test(issue)).sort((a, b) => groups(a, b) || order(a, b) || ORDERS.id(a, b)).map((issue) => issue.id);
  } catch (error) {
    found = [String(error)];
  }
  if (found.join(' ') !== ids.join(' ')) wrong.push(`${text}: ${found.join(' ')}, not ${ids.join(' ')}`);
}
for (const [text, what, marks] of faults) {
  let said = 'nothing';
  try {
    understood(text, false);
  } catch (fault) {
    said = `${fault.message}\n${' '.repeat(fault.from)}${'^'.repeat(Math.max(1, fault.to - fault.from))}`;
  }
  if (said !== `${what}\n${marks}`) wrong.push(`${text}: ${said}, not ${what}\n${marks}`);
}
console.log(wrong.length ? wrong.join('\n') : 'ok');
