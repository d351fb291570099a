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

/** Sends a PUT request that is signed as a GET. */
async function wronglySigned({ url, keys }: RunningServer): Promise<void> {
  const request = { method: 'GET', bucket: 'demo', key: KEY, headers: [] };
  const { authorization: value } = authorization(request, keys, SPECIFICATION);
  await fetch(`${url}/${encodeURIComponent(KEY)}`, {
    method: 'PUT',
    headers: { Authorization: value },
    body: Buffer.from('text'),
  });
}

describe.skipIf(withoutBrowser)(`the built-in pages in a browser${withoutBrowser}`, () => {
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

  /**
   * Opens the page and checks that it requests nothing from other servers and logs nothing to the
   * console, where the browser reports styles and scripts that the policy blocks.
   */
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

  test('a click on a wrongly signed request shows its cause', async () => {
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

  test.each([1200, 360])(
    'each page has its style and fits a window %i pixels wide',
    async (width) => {
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
    },
  );

  test('links lead from the list of buckets to a file and back', async () => {
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

  test('the page follows the preferred color scheme', async () => {
    const page = await opened('/-/', 800);
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).not.toBe(light);
  });
});
