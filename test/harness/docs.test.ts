/**
 * `docs` serves the site to this machine, or prints a page.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startStaticServer } from '../../dist/harness/cli/docs-action.js';
import type { main as Main } from '../../dist/harness/cli/main.js';
import { narrowToSection, pageText, referenceCode } from '../../dist/harness/render/page-text.js';
import { packSite, type SiteFiles, unpackSite } from '../../dist/harness/suite/site.js';
import { ROOT } from '../root.ts';
import { copyPackage } from './package-copy.ts';

/** A package like this one, with a site of a few pages. */
const root = mkdtempSync(join(tmpdir(), 'svc-conformance-docs-'));
const site = join(root, 'dist', 'site.br');

const FILES: Readonly<Record<string, string>> = {
  'index.html': '<main><h1>First page</h1></main>',
  'rules/5.2/headers-sorted/index.html': '<main><h1>Sorted &amp; merged</h1></main>',
  'mistakes/folds-kept/index.html': '<p>folds</p>',
  'mistakes/sorted-headers/index.html':
    '<h1>place</h1><li id="none">one change of many</li><h2 id="fix">Code</h2><details open><summary>TypeScript</summary><pre>sort()</pre></details><details><summary>Go</summary>sort.Slice</details>',
  'operations/etag/index.html': '<p>operation</p>',
  'sdks/ufile/index.html': '<p>SDK</p>',
  'vectors/etag/blocks/an-old-name/index.html': '<p>renamed</p>',
  'mistakes/header-value/index.html': '<p>reason</p>',
  'guides/ci/index.html': '<p>guide</p>',
  'guides/verdict/index.html':
    '<main><h1>Verdict</h1><h2 id="levels">Levels</h2><p>levels</p><h2 id="fresh-data">Fresh</h2><p>fresh</p></main>',
  'guides/known-failures/index.html': '<p>known failures</p>',
  'reference/protocol/index.html': '<p>protocol</p>',
  'reference/cli/run/index.html': '<p>verb</p>',
  'reference/errors/171/index.html': '<p>code</p>',
  'data.json': '{}',
  'icon.svg': '<svg/>',
  'pagefind/pagefind.wasm': 'wasm',
  'pagefind/fragment/en.pf_fragment': 'bytes',
};

const PACKED = packSite(
  new Map(Object.entries(FILES).map(([name, text]) => [name, Buffer.from(text)])),
);

let server: Server;
let url: string;
let main: typeof Main;

beforeAll(async () => {
  copyPackage(root);
  mkdirSync(join(root, 'adapters', 'sdk', 'ufile'), { recursive: true });
  for (const path of ['adapter.json', 'expectations.yaml']) {
    cpSync(
      join(ROOT, 'adapters', 'sdk', 'ufile', path),
      join(root, 'adapters', 'sdk', 'ufile', path),
    );
  }
  writeFileSync(site, PACKED);
  server = await startStaticServer(unpackSite(PACKED), 0);
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  ({ main } = await import(join(root, 'dist', 'harness', 'cli', 'main.js')));
});

afterAll(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});

test.each([
  ['/', 200, 'text/html; charset=utf-8'],
  ['/rules/5.2/headers-sorted/', 200, 'text/html; charset=utf-8'],
  ['/rules/5.2/headers-sorted/?q=1', 200, 'text/html; charset=utf-8'],
  ['/data.json', 200, 'application/json'],
  ['/icon.svg', 200, 'image/svg+xml'],
  ['/pagefind/pagefind.wasm', 200, 'application/wasm'],
  ['/pagefind/fragment/en.pf_fragment', 200, 'application/octet-stream'],
  ['/rules/', 404, 'text/html; charset=utf-8'],
  ['/no/such', 404, 'text/html; charset=utf-8'],
  ['/%zz', 404, 'text/html; charset=utf-8'],
  ['/%00', 404, 'text/html; charset=utf-8'],
  ['/constructor', 404, 'text/html; charset=utf-8'],
])('%s is answered with %i and %s', async (path, status, type) => {
  const answer = await fetch(url + path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
});

/** Sends a path as it is; `fetch` removes dots. */
function send(path: string, method = 'GET'): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.end(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  let text = '';
  socket.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  return new Promise((resolve) => socket.once('close', () => resolve(text)));
}

test.each([
  '/../package.json',
  '/%2e%2e/%2e%2e/package.json',
  '/rules/..%2f..%2fpackage.json',
  '//../package.json',
  'http://localhost/../package.json',
])('the path %s is answered with 404', async (path) => {
  expect(await send(path)).toMatch(/^HTTP\/1\.1 404 /);
});

test('the packed site has every file, byte by byte', () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 7) % 256);
  const files: SiteFiles = new Map([
    ['a b/ä.html', Buffer.from('<p>\n</p>')],
    ['empty.txt', new Uint8Array()],
    ['bytes', bytes],
  ]);
  const unpacked = [...unpackSite(packSite(files))];
  expect(unpacked.map(([path, content]) => [path, [...content]])).toEqual(
    [...files].map(([path, content]) => [path, [...content]]),
  );
});

test('a folder without its final slash is redirected to the same host', async () => {
  expect(await send('/rules/5.2/headers-sorted')).toMatch(
    /^HTTP\/1\.1 301 [\s\S]*\nLocation: \/rules\/5\.2\/headers-sorted\/\r\n/,
  );
  expect(await send('//localhost/rules/5.2/headers-sorted')).toMatch(/^HTTP\/1\.1 404 /);
});

test('HEAD has no body, and other methods are refused', async () => {
  expect(await send('/', 'HEAD')).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n$/);
  expect(await send('/', 'POST')).toMatch(/^HTTP\/1\.1 405 [\s\S]*\nAllow: GET, HEAD\r\n/);
});

/** Runs the command line of the copied package; on a terminal, it is interrupted after `meanwhile`. */
async function docs(parameters: readonly string[], meanwhile?: (printed: string) => Promise<void>) {
  let interrupt = (): void => {};
  const pieces = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr'): Writable =>
    new Writable({
      write(piece: Buffer, _, done) {
        pieces[name] += piece.toString('utf8');
        if (name === 'stdout' && piece.length > 0)
          meanwhile?.(pieces.stdout).then(() => interrupt());
        done();
      },
    });
  const code = await main(['docs', ...parameters], {
    stdout: Object.assign(stream('stdout'), { isTTY: meanwhile !== undefined }),
    stderr: stream('stderr'),
    stdin: Readable.from([]),
    env: {},
    onInterrupt(listener) {
      interrupt = listener;
      return () => {};
    },
    onUncaught: () => {},
  });
  return { code, ...pieces };
}

test('on a terminal, docs prints the address of a page and serves it until it is interrupted', async () => {
  let body = '';
  const { code, stdout } = await docs(['5.2/headers-sorted'], async (printed) => {
    if (body === '') body = await (await fetch(printed.trim())).text();
  });
  expect({ code, body }).toEqual({ code: 0, body: FILES['rules/5.2/headers-sorted/index.html'] });
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/rules\/5\.2\/headers-sorted\/\n\n$/);
  await expect(fetch(stdout.trim())).rejects.toThrow();
});

test.each([
  [[], 'First page\n'],
  [['5.2/headers-sorted'], 'Sorted & merged\n'],
  [['folds-kept'], 'folds\n'],
  [['etag'], 'operation\n'],
  [['ufile'], 'SDK\n'],
  [['etag/blocks/an-old-name'], 'renamed\n'],
  [['header-value'], 'reason\n'],
  [['ci'], 'guide\n'],
  [['guides/ci'], 'guide\n'],
  [['run'], 'verb\n'],
  [['171'], 'code\n'],
  [['protocol'], 'protocol\n'],
  [['PROTOCOL.md'], 'protocol\n'],
  [['adapters/PROTOCOL.md'], 'protocol\n'],
  [['docs/guides/ci.md'], 'guide\n'],
  [['inconclusive'], 'Verdict\n\nLevels\n\nlevels\n\nFresh\n\nfresh\n'],
  [['refused'], 'Verdict\n\nLevels\n\nlevels\n\nFresh\n\nfresh\n'],
  [['open'], 'Levels\n\nlevels\n'],
  [['fresh'], 'Fresh\n\nfresh\n'],
  [['stale'], 'known failures\n'],
])('without a terminal, docs %j prints the text of the page', async (parameters, text) => {
  expect(await docs(parameters)).toEqual({ code: 0, stdout: text, stderr: '' });
});

test('docs prints one generated mistake with the step of the reference, and not the others of its place', async () => {
  const { stdout } = await docs(['sorted-headers/marks-ignored']);
  expect(stdout).toMatch(
    /^sorted-headers\/marks-ignored\n {2}cause.*\n {2}fix.*\n {2}rule.*\n {2}shown by /,
  );
  expect(stdout).toMatch(
    /\n\nTypeScript\n\nsort\(\)\n\nAll changes at sorted-headers, .*: svc-conformance docs sorted-headers\n$/,
  );
  expect(stdout).not.toContain('one change of many');
  expect((await docs(['sorted-headers'])).stdout).toContain('one change of many');
});

test('docs prints only the page of a generated mistake that the register rewords', async () => {
  expect((await docs(['unfold/kept'])).stdout).toBe('folds\n');
});

test('docs keeps the condition of a mistake', async () => {
  const generated = await docs(['sorted-headers/marks-ignored@put']);
  expect(generated.stdout).toMatch(
    /^sorted-headers\/marks-ignored@put\n {2}cause.*, but only if the verb is PUT\n/,
  );
  const { stdout } = await docs(['folds-kept@put']);
  expect(stdout).toMatch(/^folds-kept@put\n {2}cause.*, but only if the verb is PUT\n/);
  expect(stdout).toMatch(/\nfolds\n$/);
});

test('on a terminal, docs prints a generated mistake and the address of its entry', async () => {
  const { stdout } = await docs(['sorted-headers/marks-ignored'], async () => {});
  expect(stdout).toContain('sorted-headers/marks-ignored\x1b[22m\n  cause');
  expect(stdout).toMatch(
    /\nhttp:\/\/127\.0\.0\.1:\d+\/mistakes\/sorted-headers\/#marks-ignored\n\n$/,
  );
});

test('--print prints the page even on a terminal', async () => {
  const { stdout } = await docs(['folds-kept', '--print'], async () => {});
  expect(stdout).toBe('folds\n');
});

test.each([
  [['fold-kept'], 'the nearest is folds-kept'],
  [['ufil'], 'the nearest is ufile'],
  [['5.2/headers-merged'], 'the site has no page /rules/5.2/headers-merged/'],
  [['etag', 'ufile'], 'write svc-conformance docs [ID]'],
])('docs %j is a usage error that says what to write', async (parameters, hint) => {
  const { code, stderr } = await docs(parameters);
  expect(code).toBe(2);
  expect(stderr).toContain(hint);
});

test('without a site, one sentence says how to build it', async () => {
  rmSync(site);
  const { code, stderr } = await docs([]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'svc-conformance: the site is not built; build it with `npm run site` in a clone\n',
  });
});

test('the text of a page has a line for each block, and no scripts', () => {
  const page =
    '<nav>no</nav><main><script>x()</script><h1>A &lt;b&gt;</h1><p>one <b>two</b></p><ul><li>x<li>y</ul><pre>a\n  b</pre></main>';
  expect(pageText(page)).toBe('A <b>\n\none two\n\n- x\n- y\n\na\n  b\n');
});

test('items of a list and rows of a table have no empty lines between them', () => {
  const list = '<p>a</p>\n<ul><li>x</li>\n<li>y</li>\n</ul>\n<p>b</p>';
  expect(pageText(list)).toBe('a\n\n- x\n- y\n\nb\n');
  expect(pageText('<ul><li>x\n<li>y\n</ul>')).toBe('- x\n- y\n');
  const table =
    '<table><thead><tr><th>n</th></tr></thead><tbody><tr><td>1</td></tr>\n<tr><td>2</td></tr></tbody></table>';
  expect(pageText(table)).toBe('n\n  1\n  2\n');
});

test('a section ends before the next heading; without its heading, the page is whole', () => {
  const page = '<main><h1>a</h1><h2 id="b">b</h2><p>x</p><h2 id="c">c</h2><p>y</p></main>';
  const textOf = (anchor: string): string => pageText(narrowToSection(page, anchor));
  expect(textOf('b')).toBe('b\n\nx\n');
  expect(textOf('c')).toBe('c\n\ny\n');
  expect(textOf('d')).toBe(pageText(page));
  expect(referenceCode(page)).toBe('');
});
