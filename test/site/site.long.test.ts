/**
 * The built site: its links, sizes, ids and contents.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import { generatedMistakes, MISTAKES } from '../../dist/reference/mistakes/index.js';
import { OPERATIONS } from '../../dist/reference/operations.js';
import { buildSite } from '../../dist/scripts/site/build.js';
import { readSdks } from '../../dist/scripts/site/sdks.js';

const LARGEST_PAGE = 105_000;
/** The bytes of all files, divided by pages: a total would grow with the vectors and mistakes. */
const LARGEST_SHARE = 15_000;

interface Document {
  /** Relative to the site, with slashes: `rules/5.2/headers-sorted/index.html`. */
  readonly path: string;
  readonly text: string;
  readonly links: readonly string[];
  readonly ids: readonly string[];
}

const decode = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

function readDocuments(folder: string): readonly Document[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html'))
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const attributes = (pattern: RegExp): readonly string[] =>
        [...text.matchAll(pattern)].map(([, value = '']) => decode(value));
      return {
        path: name.split(sep).join('/'),
        text,
        links: attributes(/<[^>]* (?:href|src|action)="([^"]*)"/g),
        ids: attributes(/<[^>]* id="([^"]*)"/g),
      };
    });
}

/** The fault of a link; undefined for an external link or an existing file and anchor. */
function findFault(
  link: string,
  from: Document,
  root: string,
  ids: ReadonlyMap<string, ReadonlySet<string>>,
): string | undefined {
  if (/^https?:/.test(link)) return undefined;
  const [address = '', anchor] = link.split('#');
  const [path = ''] = address.split('?');
  if (path.startsWith('/')) return 'starts at the root of the server';
  const target = resolve(root, dirname(from.path), decodeURIComponent(path));
  if (relative(root, target).startsWith('..')) return 'leaves the site';
  const page = path === '' ? resolve(root, from.path) : toPage(target);
  if (!existsSync(page)) return 'leads nowhere';
  const known = ids.get(relative(root, page).split(sep).join('/'));
  if (anchor === undefined || known?.has(decodeURIComponent(anchor))) return undefined;
  return 'names no anchor';
}

function toPage(target: string): string {
  return existsSync(target) && statSync(target).isDirectory() ? join(target, 'index.html') : target;
}

describe('the site', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-site-'));
  let bytes = 0;
  let documents: readonly Document[] = [];
  beforeAll(async () => {
    ({ bytes } = await buildSite(folder));
    documents = readDocuments(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('every link within the site is relative, and its page and anchor exist', () => {
    const ids = new Map(documents.map((document) => [document.path, new Set(document.ids)]));
    const faults = documents.flatMap((document) =>
      [...new Set(document.links)].flatMap((link) => {
        const fault = findFault(link, document, folder, ids);
        return fault === undefined ? [] : [`${document.path}: ${link} ${fault}`];
      }),
    );
    expect(faults).toEqual([]);
  });

  test('no page has a control character, such as one from terminal output', () => {
    const damaged = documents.filter(({ text }) => /[\0-\x08\x0b-\x1f]/.test(text));
    expect(damaged.map(({ path }) => path)).toEqual([]);
  });

  test('no page has the same anchor twice', () => {
    const repeated = documents.filter(({ ids }) => new Set(ids).size < ids.length);
    expect(repeated.map(({ path }) => path)).toEqual([]);
  });

  test('every page is below its size limit, and so is the average', () => {
    const large = documents.filter(({ text }) => Buffer.byteLength(text) > LARGEST_PAGE);
    expect(large.map(({ path, text }) => `${path} ${Buffer.byteLength(text)}`)).toEqual([]);
    expect(bytes / documents.length).toBeLessThan(LARGEST_SHARE);
  });

  test('the search finds each generated change on one page only', () => {
    const listed = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/<ul class="changes"( data-pagefind-ignore)?>(.*?)<\/ul>/gs)].flatMap(
        ([, ignored, rows = '']) =>
          [...rows.matchAll(/<\/code> ([^<]*)/g)].map(([, clause = '']) => ({
            path,
            clause: clause.replace(/ \($/, '').trim(),
            isFound: ignored === undefined,
          })),
      ),
    );
    const pages = new Map<string, Set<string>>(listed.map(({ clause }) => [clause, new Set()]));
    for (const { path, clause, isFound } of listed) if (isFound) pages.get(clause)?.add(path);
    expect(pages.size).toBeGreaterThan(1000);
    expect([...pages].filter(([, { size }]) => size !== 1).map(([clause]) => clause)).toEqual([]);
  });

  test('every page has a title and one heading of the first level', () => {
    const titles = documents.filter(({ text }) => !/<title>[^<]+<\/title>/.test(text));
    expect(titles.map(({ path }) => path)).toEqual([]);
    const headings = documents.filter(({ text }) => text.match(/<h1[ >]/g)?.length !== 1);
    expect(headings.map(({ path }) => path)).toEqual([]);
  });

  const suite = bundledSuite();
  const addresses: readonly (readonly [kind: string, addresses: readonly string[]])[] = [
    ['rule', suite.rules.map(({ id }) => `rules/${id}`)],
    ['vector', suite.vectors.map(({ id }) => `vectors/${id}`)],
    ['mistake', MISTAKES.map(({ id }) => `mistakes/${id}`)],
    ['operation', Object.keys(OPERATIONS).map((name) => `operations/${name}`)],
    [
      'SDK',
      readdirSync('adapters/sdk')
        .filter(isSdk)
        .map((name) => `sdks/${name}`),
    ],
  ];
  test.each(addresses)('every %s has a page and a JSON file', (_, all) => {
    for (const address of all) {
      expect(existsSync(join(folder, address, 'index.html')), address).toBe(true);
      JSON.parse(readFileSync(join(folder, `${address}.json`), 'utf8'));
    }
  });

  test('every generated mistake has an anchor on the page of its place', () => {
    const ids = new Map(documents.map(({ path, ids: own }) => [path, new Set(own)]));
    const lost = generatedMistakes().filter(({ id }) => {
      const [place = '', change = ''] = id.split('/');
      return !ids.get(`mistakes/${place}/index.html`)?.has(change);
    });
    expect(lost.map(({ id }) => id)).toEqual([]);
  });

  const read = (path: string): string => readFileSync(join(folder, path, 'index.html'), 'utf8');

  const SYMPTOM = '<dt>symptom</dt>';

  /** What the page of a cause must contain. */
  const CAUSE_PARTS: readonly RegExp[] = [
    /Fix: |<dt>fix<\/dt><dd>/,
    /<li><span class="level [a-z]+">/,
    ...['TypeScript', 'Python', 'Go', 'Java'].map(
      (name) => new RegExp(`<summary>${name}</summary>`),
    ),
  ];

  test('every page of a mistake or a place has fix, rule and code samples', () => {
    const places = generatedMistakes().map(({ id }) => id.split('/')[0] ?? '');
    const ids = new Set([...MISTAKES.map(({ id }) => id), ...places]);
    const lacking = [...ids].filter((id) => {
      const text = read(`mistakes/${id}`);
      return !CAUSE_PARTS.every((part) => part.test(text));
    });
    expect(lacking).toEqual([]);
  });

  test('only mistakes of the register have a symptom: the changes at a place have different ones', () => {
    const places = new Set(generatedMistakes().map(({ id }) => id.split('/')[0] ?? ''));
    expect([...places].filter((id) => read(`mistakes/${id}`).includes(SYMPTOM))).toEqual([]);
    expect(MISTAKES.filter(({ id }) => !read(`mistakes/${id}`).includes(SYMPTOM))).toEqual([]);
  });

  test('the symptom of a mistake says which requests it affects', () => {
    expect(read('mistakes/action-hmac')).toContain('It affects every request.');
    expect(read('mistakes/headers-merged-by-comma-space')).toContain(
      'It affects requests with the same X-Svc-* header twice',
    );
    expect(read('mistakes/action-hexadecimal-of-big-integer')).toContain(
      'It affects one of 16 requests, those whose digest starts with the digit 0.',
    );
    expect(read('mistakes/path-escaped-in-lower-case')).toContain('It affects only some URLs.');
    expect(read('mistakes/verify-any-signature')).toContain('A verifier accepts a request');
  });

  test('the page of a place shows the step of the reference', () => {
    const page = read('mistakes/resource-key');
    expect(page).toContain('</b> resourceKey =');
    expect(page).not.toContain('</b> canonicalResource');
  });

  test('the page of every cause in SDK results links to the SDK', () => {
    for (const { name, failures } of readSdks(suite)) {
      for (const cause of new Set(failures.flatMap(({ causes = [] }) => causes))) {
        const text = read(`mistakes/${cause.split('/')[0]}`);
        expect(text, cause).toContain(`<h2 id="sdks">SDKs that show it</h2>`);
        expect(text, cause).toContain(`/sdks/${name}/">${name}</a>`);
      }
    }
  });

  test('the page of every rule with vectors has the results of SDKs', () => {
    const tested = suite.rules.filter(({ id }) =>
      suite.vectors.some(({ rules }) => rules.includes(id)),
    );
    const lacking = tested.filter(({ id }) => !read(`rules/${id}`).includes('<h2 id="results">'));
    expect(lacking).toEqual([]);
    expect(read('rules/5.1/null')).toContain('<td>refused</td>');
  });

  test('every worked example highlights bytes', () => {
    const examples = suite.rules
      .map(({ id }) => [id, read(`rules/${id}`).split('A worked example</h2>')[1]?.split('<h2')[0]])
      .filter(([, example]) => example !== undefined);
    const plain = examples.filter(([, example]) => !example?.includes('<mark'));
    expect(plain.map(([id]) => id)).toEqual([]);
    expect(examples.length).toBeGreaterThan(100);
  });

  test('the help pages of verbs format code as code', () => {
    const texts = readdirSync(join(folder, 'reference/cli'))
      .filter((name) => !name.endsWith('.json'))
      .map((name) => [name, read(`reference/cli/${name}`)] as const);
    expect(texts.filter(([, text]) => /<dd>[^<]*`/.test(text)).map(([name]) => name)).toEqual([]);
    expect(read('reference/cli/run')).toContain('<code class="option">--level</code> advised');
  });

  test('the page of a refused vector shows its reason and its control', () => {
    const refused = suite.vectors.find(({ refuse, control }) => refuse && control);
    const text = readFileSync(join(folder, 'vectors', refused?.id ?? '', 'index.html'), 'utf8');
    expect(text).toContain(refused?.refuse?.reason);
    expect(text).toContain('beside its control');
  });
});

const isSdk = (name: string): boolean => existsSync(join('adapters/sdk', name, 'adapter.json'));
