// The graph and the charts: where things stand, and what is said of them.

import { becomes, check, go, open, same } from './driver.mjs';

const hash = 'decodeURIComponent(location.hash)';
const nodes = '[...document.querySelectorAll("li .node:not(.rest)")].map((node) => node.dataset.item).sort()';

/** What is crooked in the picture. Runs in the page. */
function crooked() {
  const wrong = [];
  const plan = document.querySelector('.plan').getBoundingClientRect();
  const rect = (node) => { const { left, top, right, bottom } = node.getBoundingClientRect(); return [left - plan.left, top - plan.top, right - plan.left, bottom - plan.top]; };
  const boxes = [...document.querySelectorAll('.node')].map((node) => ({ id: node.dataset.item ?? node.textContent, isPart: node.parentNode.tagName === 'LI', inside: node.closest('section') && !/^Wait/.test(node.closest('section').getAttribute('aria-label')), rect: rect(node) }));
  const frame = document.querySelector('.frame') && rect(document.querySelector('.frame'));
  const meets = ([a, b, c, d], [e, f, g, h]) => a < g && e < c && b < h && f < d;
  boxes.forEach((one, i) => boxes.slice(i + 1).forEach((other) => { if (meets(one.rect, other.rect)) wrong.push(`${one.id} lies on ${other.id}`); }));
  for (const { id, inside, isPart, rect: own } of boxes) {
    if (frame && isPart && meets(own, frame) !== inside) wrong.push(`${id} is on the wrong side of the frame`);
    if (own[0] < 0 || own[1] < 0 || own[2] > plan.width || own[3] > plan.height) wrong.push(`${id} is cut off`);
  }
  const end = (id) => { const box = boxes.find((one) => one.isPart && one.id === id); return box ? box.rect : frame; };
  for (const edge of document.querySelectorAll('.edge')) {
    const name = `${edge.dataset.first} to ${edge.dataset.then}`;
    const points = edge.getAttribute('d').match(/-?[\d.]+(e-\d+)?,-?[\d.]+(e-\d+)?/g).map((pair) => pair.split(',').map(Number));
    for (let i = 1; i < points.length; i += 1) {
      const [[x, y], [x2, y2]] = [points[i - 1], points[i]];
      if (Math.abs(x - x2) > 0.01 && Math.abs(y - y2) > 0.01) wrong.push(`${name} is slanted`);
      const line = [Math.min(x, x2) - 0.1, Math.min(y, y2) - 0.1, Math.max(x, x2) + 0.1, Math.max(y, y2) + 0.1];
      for (const box of boxes) if (meets(line, [box.rect[0] + 0.5, box.rect[1] + 0.5, box.rect[2] - 0.5, box.rect[3] - 0.5])) wrong.push(`${name} crosses ${box.id}`);
    }
    const [from, to, first, last] = [end(edge.dataset.first), end(edge.dataset.then), points[0], points.at(-1)];
    const touches = ([x, y], side, [, top, , bottom]) => Math.abs(x - side) < 1 && y > top && y < bottom;
    if (!touches(first, from[2], from) || !touches(last, to[0], to)) wrong.push(`${name} does not lead from one to the other`);
    if (Math.min(...points.map(([x]) => x)) < 0 || Math.max(...points.map(([x]) => x)) > plan.width || Math.max(...points.map(([, y]) => y)) > plan.height) wrong.push(`${name} is cut off`);
  }
  return wrong;
}

export const graphs = {
  /** No edge crosses a box, whatever the graph begins with. */
  async edges(browser, file) {
    const page = await open(browser, file, { hash: '#/graph' });
    const begin = await page.evaluate('[...document.querySelectorAll("[name=focus] option")].map((option) => option.value)');
    let edges = 0;
    for (const id of [...begin.slice(0, 20), ...begin.slice(-5)]) {
      for (const way of ['depth=1', 'depth=2&closed=1', 'depth=6&closed=1']) {
        await go(page, `#/graph/${encodeURIComponent(id)}?${way}`);
        same(await page.evaluate(crooked), [], `${id} ${way}`);
        edges += await page.evaluate('document.querySelectorAll(".edge").length');
      }
    }
    check(edges > 0, 'there are edges');
    const moved = await page.evaluate(() => {
      const [edge, node] = [document.querySelector('.edge'), document.querySelector('li .node')];
      const { x, y } = edge ? edge.getPointAtLength(edge.getTotalLength() / 2) : {};
      if (edge) Object.assign(node.style, { left: `${x - 20}px`, top: `${y - 10}px` });
      return !!edge;
    });
    check(!moved || (await page.evaluate(crooked)).length, 'a box that lies on an edge would be seen');
    return page;
  },

  /** The graph: what is linked, which way, circles that were cut, what is folded; for eyes, keys and readers. */
  async graph(browser, file) {
    const page = await open(browser, file, { hash: '#/graph/bd-use' });
    same(await page.evaluate(nodes), ['bd-api', 'bd-use'], 'around an issue');
    const x = (id) => page.evaluate((one) => document.querySelector(`li [data-item="${one}"]`).getBoundingClientRect().x, id);
    check(await x('bd-api') < await x('bd-use'), 'what comes first stands to the left');
    same(await page.evaluate('[...document.querySelectorAll(".edge.suspended")].map(({ dataset: { first, then } }) => `${first} ${then}`)'), ['bd-use bd-api'], 'a suspended edge');
    same(await page.evaluate('[...document.querySelectorAll(".step")].map((step) => `${step.getAttribute("aria-label")}: ${[...step.querySelectorAll(".node")].map((node) => node.querySelector(":scope > .unseen").textContent)}`)'),
      ['Waited for:  in_progress, waits for bd-use', 'This issue:  blocked, waits for bd-api'], 'lists for who sees no picture');
    await page.keyboard.press('j');
    await becomes(page, 'document.activeElement.dataset.item', 'bd-api', 'keys walk in a column');
    same(await page.evaluate('document.querySelectorAll(".edge.near").length'), 2, 'its edges are marked');
    await page.keyboard.press('ArrowRight');
    await becomes(page, 'document.activeElement.dataset.item', 'bd-use', 'and to the next');
    await page.keyboard.press('Enter');
    await becomes(page, hash, '#/graph/bd-use?issue=bd-use', 'Enter opens it beside the graph');
    await page.click('li >> text=Serve the API');
    await becomes(page, hash, '#/graph/bd-use?issue=bd-api', 'so does a click');
    await page.click('aside >> text=Graph');
    await becomes(page, hash, '#/graph/bd-api', 'from there its own graph');
    await page.click('.choices a');
    await becomes(page, nodes, ['bd-api', 'bd-two', 'bd-use'], 'what it is part of, with its other parts');
    same(await page.evaluate('document.querySelector(".whole").dataset.item'), 'bd-epic', 'is a box');
    await page.selectOption('[name=depth]', '1');
    await becomes(page, hash, '#/graph/bd-epic?depth=1', 'steps');
    await page.selectOption('[name=focus]', 'bd-api');
    await becomes(page, hash, '#/graph/bd-api?depth=1', 'another one');
    return page;
  },

  /** Parts that are done are folded until they are asked for. */
  async folded(browser, file) {
    const page = await open(browser, file, { hash: '#/graph/epic' });
    same(await page.evaluate('[...document.querySelectorAll(".rest")].map((node) => node.textContent)'), ['3 done'], 'folded');
    await page.click('.rest');
    await becomes(page, hash, '#/graph/epic?depth=2&closed=1', 'asked for');
    same(await page.evaluate('[...document.querySelectorAll(".step h2")].map((node) => node.textContent)'),
      ['Waited for, step 2', 'Waited for', 'Step 1', 'Step 2', 'Step 3', 'Wait for it', 'Wait for it, step 2'], 'steps');
    await page.click('text=Hide done');
    await becomes(page, hash, '#/graph/epic?depth=2', 'and hidden');
    return page;
  },

  /** The charts: round numbers, each month by its name, the weeks to today; numbers for readers. */
  async charts(browser, file) {
    const page = await open(browser, file, { hash: '#/stats' });
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const read = (n) => page.evaluate(`[...document.querySelectorAll('.chart')][${n}].querySelectorAll('text')`.replace(/^/, '[...').concat('].map((text) => text.textContent)'));
      await becomes(page, '[...document.querySelectorAll(".chart svg")].every((svg) => svg.clientWidth === svg.parentNode.clientWidth)', true, `drawn as wide as its place at ${width}`);
      const [burnUp, weeks] = [await read(0), await read(1)];
      for (const word of ['0', '20', '40', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', '2026']) check(burnUp.includes(word), `${word} at ${width}: ${burnUp}`);
      for (const word of ['Jul', 'Nov']) check(weeks.includes(word), `${word} at ${width}: ${weeks}`);
      const sizes = await page.evaluate('[...new Set([...document.querySelectorAll(".chart text")].map((text) => text.getBoundingClientRect().height > 9))]');
      same(sizes, [true], 'no text is smaller than it should be');
      const apart = await page.evaluate(() => [...document.querySelectorAll('.chart')].flatMap((chart) => { const all = [...chart.querySelectorAll('text')].map((text) => text.getBoundingClientRect());
        return all.flatMap((a, i) => all.slice(i + 1).filter((b) => a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom)); }).length);
      same(apart, 0, `words of the axes stand apart at ${width}`);
    }
    const last = await page.evaluate('[...document.querySelectorAll("table.unseen tr")].at(-1).textContent');
    const today = await page.evaluate('JSON.parse(document.querySelector("#data").textContent).at');
    const monday = new Date(today - ((new Date(today).getUTCDay() + 6) % 7) * 86400000).toISOString().slice(0, 10);
    check(last.startsWith(monday), `the last week is this one: ${last}`);
    return page;
  },
};
