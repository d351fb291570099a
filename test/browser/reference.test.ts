import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { type OutputChunk, rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { svcConformance } from '../harness/svc-conformance.ts';
import type * as AnsweringPage from './answering-page.ts';
import { launchChromium, openPage, withoutBrowser } from './chromium.ts';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Bundles for browsers, so package.json resolves `#digest` to the portable digest. */
async function bundled(): Promise<OutputChunk> {
  const bundle = await rolldown({
    input: path('answering-page.ts'),
    platform: 'browser',
  });
  const { output } = await bundle.generate({ format: 'iife', name: 'answering' });
  await bundle.close();
  return output[0];
}

declare const answering: typeof AnsweringPage;

describe.skipIf(withoutBrowser)(`the reference in a browser${withoutBrowser}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-browser-'));
  let page: Page;
  let bundle: OutputChunk;
  beforeAll(async () => {
    bundle = await bundled();
    const browser = await launchChromium();
    page = await openPage(browser);
    await page.addScriptTag({ content: bundle.code });
  });
  afterAll(async () => {
    await page?.context().browser()?.close();
    rmSync(folder, { recursive: true });
  });

  test('the bundle imports no modules', () => {
    expect(bundle.imports).toEqual([]);
  });

  test.each(['svc', 'ucloud'])('every answer is correct in the dialect %s', async (dialect) => {
    const exported = await svcConformance(['export', '--dialect', dialect]);
    const answers = await page.evaluate((text) => answering.answers(text), exported.stdout);
    const file = join(folder, `${dialect}.jsonl`);
    writeFileSync(file, answers);
    const { code, stdout } = await svcConformance(['check', file]);
    expect(stdout).toMatch(/^ {2}must {6}\d{3} pass$/m);
    expect(stdout).toMatch(/^ {2}observed {2}\d{3} pass$/m);
    expect(stdout).toMatch(/all as expected.*\n$/);
    expect(code).toBe(0);
  });
});
