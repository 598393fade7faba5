// Takes a picture of an exported page: node board.mjs CLIENTS PAGE PNG

import { browse, open } from '../../tests/clients/page/driver.mjs';

const [, , clients, file, picture] = process.argv;
await browse(clients, async (browser) => {
  const page = await open(browser, file, { hash: '#/board', width: 1440, height: 760 });
  await page.screenshot({ path: picture });
});
