import { cpSync, createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { playgroundPage, writePlayground } from '../../dist/scripts/site/playground.js';
import { writePages } from '../../dist/scripts/site/write.js';
import { bundledSuite } from '../../harness/suite/bundle.ts';
import { packagePath } from '../../harness/suite/package-root.ts';
import { answerQuestion } from '../../reference/answers.ts';
import { isVerifier, OPERATIONS, resultStages } from '../../reference/operations.ts';
import { etagOfStream, inDialect, SPECIFICATION, SVC } from '../../reference/signing/index.ts';
import { showStage, stageText } from '../../scripts/site/text.ts';
import { EXAMPLES } from '../../site/playground/examples.ts';
import { decodeState, encodeState, START } from '../../site/playground/state.ts';
import { listen } from '../listen.ts';
import { launchChromium, openPage, withoutBrowser } from './chromium.ts';
import { BELOW, createFileServer } from './file-server.ts';
import { findWrongSignatures } from './wrong-signatures.ts';

const SUITE = bundledSuite();

/** The size of the file to hash, in bytes; not a multiple of the block size. */
const LARGE = 200 * 1000 * 1000;

/** In milliseconds; hashing the file takes much longer. */
const LONGEST_GAP = 500;

const KEY_OF_OWN = 'nobody-may-read-this-key';

describe.skipIf(withoutBrowser)(`the playground in a browser${withoutBrowser}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-playground-'));
  let server: Server;
  let browser: Browser;
  let address: string;
  let asked: string[];
  beforeAll(async () => {
    writePages(folder, [playgroundPage({ suite: SUITE })], SUITE.version);
    cpSync(packagePath('site/static'), folder, { recursive: true });
    await writePlayground(folder);
    server = createFileServer(folder);
    const port = await listen(server);
    address = `http://127.0.0.1:${port}${BELOW}/playground/`;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens the page and checks that it logs nothing to the console. */
  async function opened(fragment = ''): Promise<Page> {
    const page = await openPage(browser);
    const said: string[] = [];
    asked = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    page.context().on('request', (request) => asked.push(request.url()));
    await page.goto(address + fragment);
    expect(said).toEqual([]);
    return page;
  }

  const field = (page: Page, name: string) => page.locator(`[name="${name}"]`);
  const stage = (page: Page, name: string) => page.locator(`[data-stage="${name}"]`);

  /** Waits until the comparison has finished and returns the text of the verdict. */
  async function readVerdict(page: Page): Promise<string> {
    const verdict = page.locator('#verdict:not([aria-busy])');
    await verdict.locator('.said').waitFor();
    return verdict.innerText();
  }

  test('every example has an answer, and every stage links to a rule', async () => {
    const page = await opened();
    for (const operation of Object.keys(EXAMPLES)) {
      await field(page, 'operation').selectOption(operation);
      const names = await page.locator('dt').allInnerTexts();
      expect(
        names.filter((name) => name !== ''),
        operation,
      ).toEqual(OPERATIONS[operation]?.stages);
      const links = await page
        .locator('.stages dd')
        .evaluateAll((all) => all.map((dd) => dd.querySelectorAll('a').length));
      expect(
        links.every((count) => count > 0),
        operation,
      ).toBe(true);
      if (isVerifier(operation)) expect(await readVerdict(page)).toMatch(/^correctly/);
    }
    const rules = await page
      .locator('.stages a')
      .evaluateAll((all) => all.map((a) => a.textContent));
    expect(SUITE.rules.map(({ id }) => id)).toEqual(expect.arrayContaining(rules));
    await page.close();
  });

  test('all vectors but those of ETags have the same stages as on Node', async () => {
    const page = await opened();
    const vectors = SUITE.vectors.filter(({ operation }) => !operation.endsWith('etag'));
    const items = vectors.map(({ operation, input, keys }) => {
      const answer = answerQuestion(operation, input, keys, inDialect(SVC));
      const stages = 'stages' in answer ? Object.entries(answer.stages) : [];
      return {
        fragment: encodeState({ ...START, operation, input, publicKey: keys.publicKey }, ''),
        privateKey: keys.privateKey,
        expected: stages.map(([name, value]) => [name, showStage(name)(stageText(value)).html]),
        reason: 'reason' in answer ? answer.reason : '',
      };
    });
    const wrong = await page.evaluate(compareStages, items);
    expect(wrong.map((i) => vectors[i]?.id)).toEqual([]);
    expect(items.filter(({ expected }) => expected.length > 0).length).toBeGreaterThan(500);
    await page.close();
  });

  test('the page names the mistakes of 40 wrong signatures, 12 of them with two', async () => {
    const wrongs = findWrongSignatures();
    expect(wrongs.length).toBe(40);
    expect(wrongs.filter(({ ids }) => ids.length === 2).length).toBe(12);
    const page = await opened();
    const missed: string[] = [];
    for (const { operation, input, publicKey, received, ids } of wrongs) {
      const state = { ...START, operation, input: { ...input }, publicKey, received };
      await page.goto(address + encodeState(state, ''));
      await readVerdict(page);
      const links = await page.locator('#verdict a').allInnerTexts();
      if (!ids.every((id) => links.includes(id))) missed.push(`${operation}: ${ids} (${links})`);
    }
    expect(missed).toEqual([]);
    await page.close();
  });

  /** Wrong results of operations that sign nothing, with the known mistake, if any. */
  const WRONG_VALUES = [
    ['url-encode', 'Gr%C3%B6%C3%9Fe%3DM+%26+L%2F~', 'escape-space-as-plus'],
    ['password', 'cORzc3dvcmQ=', 'password-latin-1'],
    ['policy', '{"callbackUrl":"http://app.example/done","callbackBody":"size=1"}', ''],
    ['etag', '"AQAAACqubDXJT8+0FdvpX0CLnOke6Ebt"', 'etag-standard-base64'],
    ['etag', 'KqpsNclPz7QV2-lfQIuc6R7oRu0=', ''],
    ['part-etag', 'AQAAACqubDXJT8-0FdvpX0CLnOke6Ebt', 'part-etag-with-count'],
  ] as const;

  test.each(WRONG_VALUES)(
    'the %s result %s is reported as wrong, with its cause if known',
    async (operation, value, cause) => {
      const page = await opened();
      await field(page, 'operation').selectOption(operation);
      await field(page, 'received').fill(value);
      expect(await readVerdict(page)).toMatch(/^wrong /);
      const links = await page.locator('#verdict a').allInnerTexts();
      if (cause !== '') expect(links).toContain(cause);
      const [stageName = ''] = resultStages(operation);
      const text = await stage(page, stageName).innerText();
      await field(page, 'received').fill(text.replaceAll('␣', ' '));
      expect(await readVerdict(page)).toMatch(/^correct /);
      await page.close();
    },
  );

  test('the verdict shows "Comparing" while it is aria-busy', async () => {
    const page = await opened();
    const before = "getComputedStyle(document.querySelector('#verdict'), '::before').content";
    expect(await page.evaluate(before)).toBe('none');
    await page.evaluate("document.querySelector('#verdict').setAttribute('aria-busy', 'true')");
    expect(await page.evaluate(before)).toContain('Comparing');
    await field(page, 'received').fill('AAAAAAAAAAAAAAAAAAAAAAAAAAA=');
    await readVerdict(page);
    expect(await page.evaluate(before)).toBe('none');
    await page.close();
  });

  test('a file of 200 MB gets its ETag while the page stays responsive', async () => {
    const path = join(folder, 'large.bin');
    const piece = Buffer.from(Array.from({ length: 1000 }, (_, i) => (i * i) % 251));
    writeFileSync(path, Buffer.alloc(LARGE, piece));
    const { etag } = await etagOfStream(createReadStream(path), SPECIFICATION);
    const page = await opened();
    await page.evaluate(watchGaps);
    await page.locator('#file').setInputFiles(path);
    await page.locator('#etag-result progress').waitFor();
    await field(page, 'key').or(field(page, 'input.key')).fill('typed-meanwhile.txt');
    expect(await stage(page, 'canonicalResource').innerText()).toContain('typed-meanwhile.txt');
    expect(await page.locator('[data-etag]').innerText()).toBe(etag);
    expect(await page.evaluate(() => Number(document.body.dataset['gap']))).toBeLessThan(
      LONGEST_GAP,
    );
    await page.close();
  });

  const HTTP =
    'PUT /a.txt HTTP/1.1\nHost: demo.files.svc.example\nX-Svc-Foo: 1\nX-Svc-Bar: 2\nAuthorization: Svc pub-example:acCO7taWNprJdMafIOe/TUB9LHg=\n\n';
  const CURL = `* Connected\n${HTTP.trimEnd()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')}\n>\n< HTTP/1.1 403 Forbidden\n`;
  const URL_TEXT = String(EXAMPLES['verify-presigned-url'].url);

  test.each([
    ['HTTP', HTTP, 'authorization', /^wrongly signed/],
    ['output of curl -v', CURL, 'authorization', /^wrongly signed/],
    ['a URL', URL_TEXT, 'url', /^correctly signed/],
  ])('a pasted request is recognized: %s', async (_, text, last, verdict) => {
    const page = await opened();
    await page.getByLabel('Paste a request').check();
    await field(page, 'capture').fill(text);
    expect(await readVerdict(page)).toMatch(verdict);
    expect(await stage(page, last).count()).toBe(1);
    await page.close();
  });

  test('the stages mark the characters that an edit changed', async () => {
    const page = await opened();
    await field(page, 'input.method').fill('PUTS');
    expect(await stage(page, 'stringToSign').locator('mark').allInnerTexts()).toEqual(['S']);
    expect(await stage(page, 'canonicalHeaders').locator('mark').count()).toBe(0);
    await page.close();
  });

  test('a shared link restores the page without the private key', async () => {
    const page = await opened();
    await field(page, 'operation').selectOption('presigned-url');
    await field(page, 'input.key').fill(`ключ ${KEY_OF_OWN}.txt`);
    await field(page, 'publicKey').fill('own');
    await field(page, 'privateKey').fill(KEY_OF_OWN);
    await field(page, 'received').fill(Buffer.from(KEY_OF_OWN).toString('base64'));
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.waitForURL(/#./);
    const { hash } = new URL(page.url());
    expect(JSON.stringify(decodeState(hash))).not.toMatch(new RegExp(KEY_OF_OWN, 'i'));
    const other = await opened(hash);
    expect(await field(other, 'operation').inputValue()).toBe('presigned-url');
    expect(await field(other, 'input.key').inputValue()).toBe('ключ <private key>.txt');
    expect(await field(other, 'received').inputValue()).toBe('<private key>');
    expect(await field(other, 'privateKey').inputValue()).toBe('');
    await field(other, 'publicKey').fill('pub-example');
    expect(await stage(other, 'signature').count()).toBe(1);
    await page.close();
    await other.close();
  });

  test('a private key that is not a test key gets a warning and is hidden', async () => {
    const page = await opened();
    await field(page, 'operation').selectOption('action-query');
    const warning = page.locator('#warning');
    expect(await warning.innerText()).toBe('');
    expect(await stage(page, 'stringToSign').innerText()).toContain('priv-example');
    await field(page, 'privateKey').fill(KEY_OF_OWN);
    expect(await warning.innerText()).toContain('not test keys');
    expect(await field(page, 'privateKey').getAttribute('type')).toBe('password');
    expect(await page.locator('body').innerText()).not.toContain(KEY_OF_OWN);
    await page.close();
  });

  test('the page loads only its own files, and its policy blocks fetch', async () => {
    const page = await opened();
    await field(page, 'received').fill('AAAAAAAAAAAAAAAAAAAAAAAAAAA=');
    await readVerdict(page);
    await page.locator('#file').setInputFiles({
      name: 'a.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('hello world'),
    });
    expect(await page.locator('[data-etag]').innerText()).toBe('AQAAACqubDXJT8-0FdvpX0CLnOke6Ebt');
    const own = ['', 'playground.js', '../page.js', '../style.css', '../icon.svg'];
    const known = own.map((path) => new URL(path, address).href);
    expect(asked.filter((url) => !url.startsWith('blob:') && !known.includes(url))).toEqual([]);
    expect(await page.evaluate(tryToConnect)).toEqual(['page: refused', 'worker: refused']);
    await page.close();
  });

  test('a page opened from a file computes without a worker', async () => {
    const page = await openPage(browser);
    await page.goto(pathToFileURL(join(folder, 'playground/index.html')).href);
    await field(page, 'input.key').fill('b.txt');
    await field(page, 'received').fill('Svc pub-example:acCO7taWNprJdMafIOe/TUB9LHg=');
    expect(await readVerdict(page)).toMatch(/^wrongly signed/);
    await page.close();
  });
});

interface Item {
  readonly fragment: string;
  readonly privateKey: string;
  readonly expected: readonly (readonly string[])[];
  readonly reason: string;
}

/** Runs in the page: the indexes of the items whose stages differ. */
async function compareStages(items: readonly Item[]): Promise<readonly number[]> {
  const wrong: number[] = [];
  const model = document.createElement('pre');
  for (const [i, { fragment, privateKey, expected, reason }] of items.entries()) {
    if (location.hash !== fragment) {
      const isRestored = new Promise((resolve) =>
        addEventListener('hashchange', resolve, { once: true }),
      );
      location.hash = fragment;
      await isRestored;
    }
    const control = document.querySelector('[name=privateKey]') as HTMLInputElement;
    control.value = privateKey;
    // The second event changes no value, so the page marks nothing.
    for (const _ of 'ab') control.dispatchEvent(new Event('input', { bubbles: true }));
    const same = expected.every(([name, html = '']) => {
      model.innerHTML = html;
      return document.querySelector(`[data-stage="${name}"]`)?.innerHTML === model.innerHTML;
    });
    const refused = document.querySelector('#stages > .said code')?.textContent ?? '';
    if (!same || refused !== reason) wrong.push(i);
  }
  return wrong;
}

/** Runs in the page: records the longest time between two calls of a timer. */
function watchGaps(): void {
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    const { dataset } = document.body;
    dataset['gap'] = String(Math.max(Number(dataset['gap'] ?? 0), now - last));
    last = now;
  }, 10);
}

/** Runs in the page: the results of `fetch` in the page and in a worker. */
async function tryToConnect(): Promise<readonly string[]> {
  const attempt = `fetch(${JSON.stringify(location.href)}).then(() => 'sent', () => 'refused')`;
  const source = new Blob([`${attempt}.then((outcome) => postMessage(outcome))`]);
  const worker = new Worker(URL.createObjectURL(source));
  const inWorker = await new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
  });
  const here = await fetch(location.href).then(
    () => 'sent',
    () => 'refused',
  );
  return [`page: ${here}`, `worker: ${inWorker}`];
}
