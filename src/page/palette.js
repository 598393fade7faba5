// The palette: whatever can be done or found, by its words.

async function openPalette() {
  $('keys').close();
  const id = chosen();
  const target = id == null ? null : targetOf(id);
  const repo = here() || (target ? target.repo : desk.here ?? desk.repos[0].repo);
  const acts = settings.keys.lines.filter(({ does }) => (target && Object.hasOwn(DOES, does) && does !== 'mark') || (Object.hasOwn(ALONE, does) && does !== 'palette'));
  const entries = [
    ...acts.map(({ does, keys, words }) => ({ text: Object.hasOwn(DOES, does) ? `${target.id}: ${words}` : words, note: keys[0], run: () => { if (target) [...main.querySelectorAll('[data-item]')].find((it) => it.dataset.item === target.key)?.focus(); begins(does, undefined, target); } })),
    ...SCREENS.map((screen, i) => ({ text: TITLES[screen], note: `${i + 1}`, run: () => visit({ screen, query: '' }) })),
    ...['', ...desk.repos.map(({ repo }) => repo)].map((repo) => ({ text: repo || 'All repositories', run: () => elsewhereTo(repo) })),
  ];
  const find = async (text) => (await sceneOf(repo, 'named', { text })).issues ?? [];
  const add = openMenu('Find and do', null, entries, true, grows(find, (it) => ({ text: `${it.id} ${it.title}`, run: () => visit(`#/${enc(repo)}/issue/${enc(it.id)}`) })));
  const { queries } = await wordsOf(repo);
  add(queries.map(({ name, query }) => ({ text: `Query ${name}`, note: query, run: () => visit({ screen: 'list', query }) })));
}
