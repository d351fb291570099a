/**
 * `list` and `show` for vectors, rules and mistakes.
 */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { OTHER_CAUSES } from '../../dist/harness/engine/other-causes.js';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import { MISTAKES } from '../../dist/reference/mistakes/index.js';
import { svcConformance } from './svc-conformance.ts';
import { testUsageErrors } from './usage-errors.ts';

const fits = new Ajv2020({ strictTypes: false }).compile(
  JSON.parse(readFileSync('schema/catalogue.schema.json', 'utf8')) as object,
);

type Entry = Readonly<Record<string, unknown>>;

async function text(...parameters: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await svcConformance(parameters);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function objects(...parameters: readonly string[]): Promise<readonly Entry[]> {
  const lines = (await text(...parameters, '--json')).trimEnd().split('\n');
  return lines.map((line) => {
    const entry = JSON.parse(line) as Entry;
    expect([fits(entry), fits.errors]).toEqual([true, null]);
    return entry;
  });
}

const RULE = '5.2/headers-sorted';

test('a rule shows its text, its vectors, and the mistakes that break it', async () => {
  const shown = await text('show', RULE);
  expect(shown).toContain('  level   must\n  cites   5.2 step 2');
  expect(shown).toContain(
    'authorization/canonical-headers/sorts-by-name-against-the-worked-example',
  );
  expect(shown).toMatch(/^ {4}headers-as-in-the-worked-example: extra headers stay/m);
  const [entry = {}] = await objects('show', RULE);
  const own = bundledSuite().vectors.filter(({ rules }) => rules.includes(RULE));
  expect(entry['vectors']).toEqual(own.map(({ id }) => id));
  expect(entry['mistakes']).toEqual(
    MISTAKES.filter(({ rule }) => rule === RULE).map(({ id }) => id),
  );
});

test('a mistake shows its cause, its fix, and the correct text beside the wrong one', async () => {
  const shown = await text('show', 'folds-kept');
  expect(shown).toContain('cause: a folded value is signed with its line breaks\n');
  expect(shown).toContain(
    'fix:   replace the line break and all spaces and tabs around it with a single space\n',
  );
  expect(shown).toContain('rule:  5.2/headers-unfolded (must): ');
  expect(shown).toMatch(/expected {2}".*x-svc-subject:one two\\n/);
  expect(shown).toMatch(/actual {4}".*x-svc-subject:one\\n two\\n/);
  expect(shown).toMatch(/vectors that catch it \(\d+\)/);
});

test('every cause that changes no step shows its cause, its fix and its rule', async () => {
  const ids = OTHER_CAUSES.map(({ id }) => id);
  expect(await objects('show', ...ids)).toEqual(
    OTHER_CAUSES.map(({ id, rule, wrong, fix }) => ({
      type: 'cause',
      id,
      rule,
      cause: wrong,
      fix,
    })),
  );
  expect(await text('show', 'key-left-out')).toMatch(
    /^key-left-out\n {2}cause: the request was signed without its key\n {2}fix: .*\n {2}rule: /,
  );
});

test('a mistake shows the published SDKs that make it, from their known failures', async () => {
  const shown = await text('show', 'headers-left-out');
  expect(shown).toMatch(/known failures of SDKs \(\d+\)\n {4}ufile-gosdk: Authorization and/);
  expect(shown).toContain('seen in ufile-gosdk 1.0.3 (Go)');
  const [entry = {}] = await objects('show', 'headers-left-out');
  expect(entry['sdks']).toContainEqual(
    expect.objectContaining({ sdk: 'ufile-gosdk', cause: 'headers-left-out' }),
  );
  const [rule = {}] = await objects('show', '5.2/headers-selected');
  expect(rule['sdks']).toEqual(expect.arrayContaining(entry['sdks'] as unknown[]));
});

test('the example of a mistake is among the vectors that catch it, and its texts differ', async () => {
  const ids = ['etag-single-hash', 'signature-signed', 'sorted-headers/marks-ignored'];
  for (const { example, vectors } of await objects('show', ...ids)) {
    const { vector, correct, wrong, at } = example as Record<string, string> & { at: number };
    expect(vectors).toContain(vector);
    expect(correct?.slice(0, at)).toBe(wrong?.slice(0, at));
    expect(correct?.[at]).not.toBe(wrong?.[at]);
  }
});

test('show replaces a generated mistake by the known mistake that is the same', async () => {
  const [entry = {}] = await objects('show', 'password-text/base64-url');
  expect(entry['id']).toBe('password-url-safe');
});

test('every vector in full fits the schema', async () => {
  const { vectors } = bundledSuite();
  const operations = [...new Set(vectors.map(({ operation }) => operation))];
  expect(await objects('show', ...operations)).toHaveLength(vectors.length);
});

test('rules, mistakes and vectors are shown by one call', async () => {
  const entries = await objects('show', 'etag/contents/hashes-one-zero-byte', 'folds-kept', RULE);
  expect(entries.map(({ type }) => type)).toEqual(['rule', 'mistake', 'vector']);
});

test('list --rules lists every rule, or those of a glob, a level or --rule', async () => {
  const { rules } = bundledSuite();
  expect(await objects('list', '--rules')).toEqual(
    rules.map((rule) => ({ type: 'rule', ...rule })),
  );
  expect(await text('list', '--rules', '--level', 'must', '--rule', '8/*')).toMatch(
    /^8\/etag-block-size\tmust\tThe block size.*\n8\/signature-length\tmust\t.*\n$/,
  );
});

test('list --mistakes lists the register; an id or a glob finds generated ones', async () => {
  expect(await objects('list', '--mistakes')).toHaveLength(MISTAKES.length);
  const own = await objects('list', '--mistakes', '--rule', RULE);
  expect(own.map(({ id }) => id)).toContain('headers-sorted-by-locale');
  expect(own.every(({ rule }) => rule === RULE)).toBe(true);
  expect(await text('list', '--mistakes', 'sorted-headers/*')).toMatch(
    /^sorted-headers\/marks-ignored\t5\.2\/headers-sorted\t/m,
  );
});

test('list --json describes vectors, too', async () => {
  const [entry] = await objects('list', 'etag/contents');
  expect(entry).toMatchObject({ type: 'vector', operation: 'etag', level: expect.any(String) });
});

testUsageErrors([
  ['show fold-kept', 'the nearest is folds-kept'],
  ['show 5.2/header-sorted', 'the nearest is 5.2/headers-sorted'],
  ['show sorted-header/marks-ignored', 'the nearest is sorted-headers/marks-ignored'],
  [`show ${RULE} --level must`, '--level selects vectors, not rules and mistakes'],
  ['list --mistakes folds-kep', 'the nearest is folds-kept'],
  ['list --mistakes --smoke', '--smoke selects vectors, not mistakes'],
  ['list --rules --operation etag', '--operation selects vectors, not rules'],
  ['list --rules --mistakes', '--rules and --mistakes cannot be combined'],
  ['list --rules --level open --rule 8/*', 'no rule matches all filters'],
  ['run authorisation', 'the nearest is authorization\n'],
  [`run ${RULE}`, `write --rule ${RULE}`],
]);
