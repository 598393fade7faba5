// Parses a flowchart as Mermaid does, and says what it has understood: node mermaid.mjs CLIENTS FILE
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [clients, file] = process.argv.slice(2);
const { JSDOM } = createRequire(`${clients}/package.json`)('jsdom');
const { window } = new JSDOM('<!doctype html><body></body>');
Object.assign(globalThis, { window, document: window.document });
const { default: mermaid } = await import(pathToFileURL(`${clients}/node_modules/mermaid/dist/mermaid.core.mjs`).href);
const text = readFileSync(file, 'utf8');
await mermaid.parse(text);
const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
// Mermaid marks characters that are written as numbers until it draws them.
const drawn = (text) => text.replace(/ﬂ°°(\d+)¶ß/g, (_, n) => String.fromCodePoint(Number(n)));
console.log(JSON.stringify({
  type: diagram.type,
  nodes: [...diagram.db.getVertices().values()].map((node) => drawn(node.text)),
  edges: diagram.db.getEdges().map((edge) => [edge.start, edge.end, edge.stroke, drawn(edge.text)]),
}));
