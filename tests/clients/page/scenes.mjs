// Prints scenes of the data of a page, as its own scripts make them: node scenes.mjs SCRIPTS PAGE ASKED, where ASKED is a list of
// names with what is asked

import { readFileSync } from 'node:fs';

const [scripts, page, asked] = process.argv.slice(2);
const [, held] = /<script type="application\/json" id="data">([^]*?)<\/script>/.exec(readFileSync(page, 'utf8'));
const document = { getElementById: (id) => (id === 'data' ? { textContent: held } : null) };
const code = ['base.js', 'prose.js', 'dates.js', 'local.js', 'query.js', 'find.js', 'screens.js', 'board.js'].map((name) => readFileSync(`${scripts}/${name}`, 'utf8')).join('\n');
const scene = new Function('document', `'use strict';${code}\nreturn scene;`)(document);
console.log(JSON.stringify(JSON.parse(asked).map(([name, what]) => scene(name, what))));
