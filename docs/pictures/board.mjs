// Takes a picture of the board that a server shows: node board.mjs CLIENTS ADDRESS PNG

import { browse } from '../../tests/clients/page/driver.mjs';

const [, , clients, address, picture] = process.argv;
await browse(clients, async (browser) => {
  const page = await browser.newPage();
  await page.setViewportSize({ width: 1440, height: 760 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto(address);
  await page.waitForSelector('main .item');
  await page.evaluate(() => { location.hash = '#/webshop/board?issue=app-7c2d'; });
  await page.waitForSelector('#panel .facts');
  await page.screenshot({ path: picture });
});
