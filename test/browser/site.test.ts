import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSite } from '../../dist/scripts/site/build.js';
import { listen } from '../listen.ts';
import { launchChromium, openPage, withoutBrowser } from './chromium.ts';
import { BELOW, createFileServer } from './file-server.ts';

const AXE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));

/** A page of each kind. */
const KINDS: readonly string[] = [
  '/',
  '/spec/',
  '/rules/5.2/headers-sorted/',
  '/rules/5.1/null/',
  '/vectors/',
  '/vectors/authorization/canonical-headers/sorts-by-name-against-the-worked-example/',
  '/vectors/verify-authorization/callback-policies/refuses-to-read-a-shorter-key/',
  '/vectors/etag/blocks/hashes-4-mib-minus-1-as-a-whole/',
  '/operations/authorization/',
  '/mistakes/headers-as-in-the-worked-example/',
  '/mistakes/sorted-headers/',
  '/mistakes/places/',
  '/results/',
  '/sdks/ufile-gosdk/',
  '/guides/',
  '/guides/first-verdict/',
  '/guides/explain/',
  '/reference/cli/run/',
  '/reference/protocol/',
  '/reference/schemas/report/',
  '/reference/errors/',
  '/reference/errors/-148658/',
  '/search/?q=sorted',
  '/playground/',
];

const LOOKS: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ['wide and light', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }],
  ['wide and dark', { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' }],
  ['a phone, light', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ['a phone, dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
];

/** Search queries, each with a page that answers it. */
const QUESTIONS: readonly (readonly [words: string, answer: string])[] = [
  ['why do two equal headers break my signature', '/rules/5.2/headers-merged/'],
  ['what is -148658', '/reference/errors/-148658/'],
  ['must I escape + in a key', '/rules/5.2/resource-raw/'],
  ['signature verifyac error', '/reference/errors/171/'],
  ['chinese file name wrong signature', '/rules/5.2/utf-8/'],
  ['how is the etag computed', '/rules/2/etag-layout/'],
  ['expires seconds or milliseconds', '/rules/5.4/expires-text/'],
  ['sort parameters case', '/rules/5.1/sort-bytes/'],
  ['space as plus or %20', '/rules/5.3/space/'],
  ['multipart form content-type signed', '/rules/4.3/form-content-type/'],
  ['known failures in CI', '/guides/ci/'],
  ['exit code', '/reference/errors/'],
];

/** The answer must be among this many first results. */
const LOOKED_AT = 5;

describe.skipIf(withoutBrowser)(`the site in a browser${withoutBrowser}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-site-'));
  let server: Server;
  let browser: Browser;
  let root: string;
  beforeAll(async () => {
    await buildSite(folder);
    server = createFileServer(folder);
    root = `http://127.0.0.1:${await listen(server)}${BELOW}`;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens a page and checks that it requests nothing outside the site and logs nothing. */
  async function opened(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openPage(browser, options);
    page.on('console', (message) => said.push(message.text()));
    page.on('request', (request) => {
      if (!request.url().startsWith(root)) said.push(request.url());
    });
    await goTo(page, path);
    return page;
  }

  const said: string[] = [];

  async function goTo(page: Page, path: string): Promise<void> {
    await page.goto(root + path);
    if (path.startsWith('/search/')) await page.locator('[data-ready]').waitFor();
    expect(said).toEqual([]);
  }

  /** The serious violations that axe finds, and by how much the page is wider than its window. */
  async function findFaults(page: Page, path: string): Promise<readonly string[]> {
    await page.addScriptTag({ path: AXE });
    const { violations }: axe.AxeResults = await page.evaluate('axe.run()');
    const serious = violations.filter(
      ({ impact }) => impact === 'serious' || impact === 'critical',
    );
    const over = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
    return [
      ...serious.map(({ id, impact, nodes }) => `${path}: ${id} (${impact}) ${nodes[0]?.html}`),
      ...(over > 0 ? [`${path}: ${over} pixels too wide`] : []),
    ];
  }

  test.each(LOOKS)(
    '%s: the pages have no serious axe violations and fit the window',
    async (_, look) => {
      // The content security policy of the playground would block the axe script.
      const page = await opened('/', { ...look, bypassCSP: true });
      const faults: string[] = [];
      for (const path of KINDS) {
        await goTo(page, path);
        faults.push(...(await findFaults(page, path)));
      }
      expect(faults).toEqual([]);
      await page.close();
    },
  );

  test.each(QUESTIONS)(
    'the first search results for "%s" include its answer',
    async (words, answer) => {
      const page = await opened('/');
      await page.getByRole('searchbox').fill(words);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.locator('[data-ready]').waitFor();
      const links = page.locator('[data-list] a');
      const found = await links.evaluateAll((all) =>
        all.map((link) => (link as HTMLAnchorElement).pathname),
      );
      const at = found.indexOf(BELOW + answer);
      expect(found.slice(0, LOOKED_AT)).toContain(BELOW + answer);
      await links.nth(at).click();
      await page.waitForURL((url) => url.pathname === BELOW + answer);
      await page.close();
    },
  );

  test('every page but the search is readable without JavaScript', async () => {
    for (const path of KINDS.filter((one) => !one.startsWith('/search/'))) {
      const page = await openPage(browser, { javaScriptEnabled: false });
      await page.goto(root + path);
      expect((await page.locator('main').innerText()).length, path).toBeGreaterThan(100);
      expect(await page.getByRole('heading', { level: 1 }).count(), path).toBe(1);
      await page.close();
    }
  });

  test('a printed page shows collapsed code and has dark text', async () => {
    const page = await opened('/rules/5.2/headers-sorted/', { colorScheme: 'dark' });
    const code = page.locator('details:not([open]) pre').first();
    const isShown = (): Promise<boolean> =>
      code.evaluate((element) => element.checkVisibility({ contentVisibilityAuto: true }));
    expect(await isShown()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await isShown()).toBe(true);
    expect(await page.locator('header.site').isVisible()).toBe(false);
    const ink = await page.evaluate('getComputedStyle(document.body).color');
    expect(ink).toBe('rgb(26, 29, 33)');
    await page.close();
  });

  test('the URL keeps the filters of the results', async () => {
    const page = await opened('/results/');
    const rows = page.locator('.matrix tbody tr:visible');
    const all = await rows.count();
    await page.getByLabel('Failing in').selectOption('ufile');
    const failing = await rows.count();
    expect(failing).toBeLessThan(all);
    await page.waitForURL(/failing=ufile/);
    await page.reload();
    expect(await rows.count()).toBe(failing);
    await page.close();
  });

  test('the first Tab stop is the link that skips to the content', async () => {
    const page = await opened('/rules/5.2/headers-sorted/');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').getAttribute('href')).toBe('#main');
    await page.keyboard.press('Enter');
    // The browser updates the URL after it has handled the key.
    await page.waitForURL((url) => url.hash === '#main');
    await page.close();
  });
});
