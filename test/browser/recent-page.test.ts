import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../../harness/respondents/serve/start.ts';
import { authorization, SPECIFICATION } from '../../reference/signing/index.ts';
import { launchChromium, openPage, withoutBrowser } from './chromium.ts';

const KEY =
  'a <b>key</b> with "quotes", a tab\t, and of quite some length, so that it needs many lines'.repeat(
    3,
  );

const PAGES = ['/-/', '/-/wrong', '/-/buckets', '/-/bucket?name=docs&prefix=guides%2F'];

/** A request that is signed as a GET and sent as a PUT. */
async function wronglySigned({ url, keys }: RunningServer): Promise<void> {
  const request = { method: 'GET', bucket: 'demo', key: KEY, headers: [] };
  const { authorization: value } = authorization(request, keys, SPECIFICATION);
  await fetch(`${url}/${encodeURIComponent(KEY)}`, {
    method: 'PUT',
    headers: { Authorization: value },
    body: Buffer.from('text'),
  });
}

describe.skipIf(withoutBrowser)(`the pages of the server in a browser${withoutBrowser}`, () => {
  let server: RunningServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startServer({
      port: 0,
      buckets: [{ name: 'demo' }],
      boundHosts: { '127.0.0.1:0': 'demo' },
      folders: [{ bucket: 'docs', folder: 'docs' }],
    });
    await wronglySigned(server);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** The page, which says nothing in the console: a style or a script that its policy refuses would be there. */
  async function opened(path: string, width: number): Promise<Page> {
    const page = await openPage(browser, { viewport: { width, height: 800 } });
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('requestfinished', (request) => said.push(...elsewhere(request.url())));
    await page.goto(`${server.url}${path}`);
    expect(said).toEqual([]);
    return page;
  }

  const elsewhere = (url: string): readonly string[] => (url.startsWith(server.url) ? [] : [url]);

  /** By how many pixels the page is wider than its window. */
  const overflow = (page: Page): Promise<number> =>
    page.evaluate('document.documentElement.scrollWidth - innerWidth');

  test('a click on a wrong request shows its cause', async () => {
    const page = await opened('/-/', 1200);
    const cause = page.getByText('signed as GET, but it is sent as PUT');
    expect(await cause.last().isVisible()).toBe(false);
    await page.getByText('wrong', { exact: true }).click();
    expect(await cause.last().isVisible()).toBe(true);
    await page.getByRole('link', { name: '1' }).click();
    await page.waitForURL(`${server.url}/-/wrong`);
    expect(await cause.last().isVisible()).toBe(true);
    expect(await page.locator('b', { hasText: 'key' }).count()).toBe(0);
  });

  test.each([1200, 360])('it has its style, and fits a window of %i pixels', async (width) => {
    for (const path of PAGES) {
      const page = await opened(path, width);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      expect(
        await page
          .locator('ol.requests, ul.entries')
          .evaluate((list) => getComputedStyle(list).listStyleType),
      ).toBe('none');
      await page.close();
    }
  });

  test('links lead from the buckets to a file, and back', async () => {
    const page = await opened('/-/', 1200);
    for (const name of ['Buckets', 'docs', 'guides/', 'serve.md']) {
      await page.getByRole('link', { name, exact: true }).click();
    }
    await page.waitForURL(`${server.url}/-/file?bucket=docs&key=guides%2Fserve.md`);
    await page.goBack();
    await page.getByRole('heading', { name: 'Bucket docs' }).waitFor();
    await page.getByRole('link', { name: 'docs', exact: true }).click();
    await page.waitForURL(`${server.url}/-/bucket?name=docs`);
  });

  test('it is dark where the reader wants it dark', async () => {
    const page = await opened('/-/', 800);
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).not.toBe(light);
  });
});
