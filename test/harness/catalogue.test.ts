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

test('a rule shows the steps and the function for Python that follow it, and counts its generated mistakes', async () => {
  const shown = await text('show', RULE);
  expect(shown).toContain(
    '  steps   compareHeaderNames, sortedHeaders, in reference/signing\n  python  canonicalized_svc_headers, in adapters/python\n',
  );
  const [, count, command = ''] =
    /^ {2}generated mistakes \((\d+)\): svc-conformance (.*)$/m.exec(shown) ?? [];
  const listed = await text(...command.replaceAll("'", '').split(' '));
  expect(listed.trimEnd().split('\n')).toHaveLength(Number(count));
  const [entry = {}] = await objects('show', RULE);
  expect(entry).toMatchObject({ generated: Number(count), python: ['canonicalized_svc_headers'] });
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

test('the example of a mistake is about its rule and plain ASCII, and a comparison of texts if there is one', async () => {
  const { vectors } = bundledSuite();
  for (const id of [
    'is-expired/text-as-sent',
    'verify-expiry-ignored',
    'url-encode/first-space-only',
  ]) {
    const [{ rule, example } = {}] = await objects('show', id);
    const { vector, input, stage } = example as Record<string, unknown>;
    expect(vectors.find((one) => one.id === vector)?.rules[0]).toBe(rule);
    expect(JSON.stringify(input)).toMatch(/^[ -~]*$/);
    expect(stage === 'answer').toBe(!id.startsWith('url-encode/'));
  }
});

test('show replaces a generated mistake by the known mistake that is the same', async () => {
  const [entry = {}] = await objects('show', 'password-text/base64-url');
  expect(entry['id']).toBe('password-url-safe');
});

test('a mistake keeps the condition of its id', async () => {
  const id = 'form-positional-values/md5-empty@content-md5';
  const [entry = {}] = await objects('show', id);
  expect(entry).toMatchObject({
    id,
    cause:
      'the string to sign of a form upload has an empty Content-MD5 line, but only if the header Content-MD5 is sent',
  });
  const [bare = {}] = await objects('show', 'form-positional-values/md5-empty');
  const ids = entry['vectors'] as readonly string[];
  expect(ids.length).toBeLessThan((bare['vectors'] as readonly string[]).length);
  const headers = bundledSuite()
    .vectors.filter((vector) => ids.includes(vector.id))
    .map(({ input }) => JSON.stringify(input['headers']));
  expect(headers.filter((text) => !/content-md5/i.test(text))).toEqual([]);
});

test('a cause that changes no step keeps its condition', async () => {
  const [entry] = await objects('show', 'undue-refusal@key-space');
  expect(entry).toMatchObject({
    type: 'cause',
    id: 'undue-refusal@key-space',
    cause:
      'a correct request is refused, or leads to an exception, but only if the key has a space',
  });
});

test.each([
  ['header-x-svc-subject', 'if the header x-svc-subject is sent'],
  ['header-x-svc-', 'if a header is sent whose name starts with "x-svc-"'],
  ['parameter-Zone', 'if a parameter is named Zone'],
  ['not-key-dot', 'unless the key has a dot'],
  ['key-bytes-from-20', 'if the key has 20 bytes or more'],
  ['verb-OPTIONS-PATCH', 'if the verb is OPTIONS or PATCH'],
  ['not-verb-DELETE-GET-PUT', 'if the verb is not DELETE, GET or PUT'],
  ['headers-to-3', 'if the request has 3 headers or fewer'],
  ['its-dot', 'if it has a dot'],
  ['not-key-dot@put', 'if the verb is PUT, and unless the key has a dot'],
])('the condition %s is read as "%s"', async (condition, phrase) => {
  const [entry = {}] = await objects('show', `resource-key/lower-case@${condition}`);
  expect(entry['id']).toBe(`resource-key/lower-case@${condition}`);
  expect(String(entry['cause']).endsWith(phrase)).toBe(true);
});

test('the verdicts of a verifier are shown as verdicts, not as texts that differ', async () => {
  const shown = await text('show', 'verify-expiry-ignored');
  expect(shown).toContain(
    '    expected  refused as expired\n    actual    accepted for "pub-example"\n  vectors',
  );
  expect(shown).not.toContain('differs at character');
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
  ['show folds-kept@nothing', 'the nearest is folds-kept'],
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
