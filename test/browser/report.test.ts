import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../harness/svc-conformance.ts';
import { program } from '../harness/trial.ts';
import { launchChromium, openPage, withoutBrowser } from './chromium.ts';

const AXE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));

const LOOKS: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ['wide and light', { viewport: { width: 1600, height: 900 }, colorScheme: 'light' }],
  ['narrow and dark', { viewport: { width: 1000, height: 900 }, colorScheme: 'dark' }],
  ['a phone, light', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
];

describe.skipIf(withoutBrowser)(`the report in a browser${withoutBrowser}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-report-'));
  const path = join(folder, 'report.html');
  let browser: Browser;
  beforeAll(async () => {
    const command = program('makes-mistakes', 'folds-kept', 'resource-encoded');
    await run(`--reporter=html=${path} authorization`, command);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens the report and checks that it loads no other file and logs nothing to the console. */
  async function openReport(options: BrowserContextOptions): Promise<Page> {
    const page = await openPage(browser, options);
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('request', (request) => said.push(request.url()));
    await page.goto(pathToFileURL(path).href);
    expect(said).toEqual([pathToFileURL(path).href]);
    return page;
  }

  test.each(LOOKS)(
    'the report fits its window and has no axe violations, %s',
    async (_, options) => {
      const page = await openReport(options);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      const status = page.locator('tr[data-status=fail] td').first();
      // A cell is as high as its row, so the test counts the lines of its text.
      const lines = await status.evaluate((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getClientRects().length;
      });
      expect(lines).toBe(1);
      await page.addScriptTag({ path: AXE });
      const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
      await page.close();
    },
  );

  test('the filters show only the rows with the selected status and rule', async () => {
    const page = await openReport({});
    const shown = page.locator('tr[data-status]:visible');
    await page.selectOption('select[name=status]', 'fail');
    await page.selectOption('select[name=rule]', '5.2/headers-unfolded');
    const rows = await shown.evaluateAll((all) =>
      all.map((row) => [row.dataset['status'], row.dataset['rules']]),
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const [status, rules] of rows) {
      expect([status, rules]).toEqual(['fail', expect.stringContaining('5.2/headers-unfolded')]);
    }
    expect(await page.locator('output').textContent()).toMatch(
      new RegExp(`^${rows.length} of [0-9]+ shown$`),
    );
    expect(await shown.first().textContent()).toContain('folds-kept: a folded value is signed');
    await page.close();
  });
});
