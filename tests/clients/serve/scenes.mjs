// Prints what `live.js` makes of scenes of the program: node scenes.mjs SCRIPTS FILE, where FILE is a list of names with what was asked
// and what was said.

import { readFileSync } from 'node:fs';

const [scripts, file] = process.argv.slice(2);
const stores = { getItem: () => null, setItem() {} };
const hidden = { document: { getElementById: () => null }, location: { hash: '#/repo/inbox' }, sessionStorage: stores, BroadcastChannel: class {} };
const code = ['base.js', 'prose.js', 'live.js', 'menu.js', 'screens.js', 'board.js'].map((name) => readFileSync(`${scripts}/${name}`, 'utf8')).join('\n');
const made = new Function(...Object.keys(hidden), `'use strict';${code}\nreturn MADE;`)(...Object.values(hidden));
console.log(JSON.stringify(JSON.parse(readFileSync(file, 'utf8')).map(([name, asked, said]) => made[name](said, { ...asked, repo: 'repo' }))));
