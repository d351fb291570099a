import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { folderOfFile } from '../temporary-folder.ts';
import { onceCalled, run, svcConformance, unwrapped } from './svc-conformance.ts';
import { program } from './trial.ts';

const folder = folderOfFile();

const fits = new Ajv2020({ allErrors: true }).compile(
  JSON.parse(readFileSync('schema/comparison.schema.json', 'utf8')),
);

interface Change {
  readonly name: string;
  readonly before?: string;
  readonly after?: string;
  readonly causes?: readonly string[];
}

type Comparison = Readonly<
  Record<'regressions' | 'fixes' | 'changed' | 'added' | 'gone', readonly Change[]> &
    Record<'newCauses' | 'goneCauses', readonly string[]>
>;

let files = 0;

/** The path of the report of a run. */
async function report(
  line: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const path = join(folder, `${++files}.jsonl`);
  await run(`--reporter=json-lines=${path} ${line}`, command, { environment });
  return path;
}

/** The report on an adapter with this mistake, which several tests compare. */
const mistaken = {
  folds: onceCalled(() => reportOn('folds-kept')),
  hexadecimal: onceCalled(() => reportOn('etag-hexadecimal')),
};

function reportOn(id: string): Promise<string> {
  return report('authorization etag', program('makes-mistakes', id));
}

async function compare(a: string, b: string) {
  const { code, stdout } = await svcConformance(['compare', '--json', a, b]);
  const json = JSON.parse(stdout) as { readonly adapters: readonly Comparison[] };
  expect(fits(json), JSON.stringify(fits.errors)).toBe(true);
  const [only] = json.adapters;
  if (!only) throw new Error('nothing is compared');
  return { code, ...only };
}

test('equal reports have no change', async () => {
  const [a, b] = [await mistaken.folds(), await reportOn('folds-kept')];
  expect(await compare(a, b)).toMatchObject({
    code: 0,
    ...{ regressions: [], fixes: [], changed: [], added: [], gone: [] },
    ...{ newCauses: [], goneCauses: [] },
  });
  const { code, stdout } = await svcConformance(['compare', a, b]);
  expect(code).toBe(0);
  expect(unwrapped(stdout)).toMatch(/no change no regressions$/);
});

test('a new mistake is a regression with its cause, and a mistake that is gone is a fix', async () => {
  const [before, after] = [await mistaken.hexadecimal(), await mistaken.folds()];
  const { code, regressions, fixes, newCauses, goneCauses } = await compare(before, after);
  expect(code).toBe(1);
  expect(regressions).toContainEqual({
    name: 'authorization/folding/replaces-a-fold-with-a-tab',
    before: 'pass',
    after: 'fail',
    causes: ['folds-kept'],
  });
  expect(regressions.every(({ name }) => name.includes('authorization/'))).toBe(true);
  expect(fixes.length).toBeGreaterThan(0);
  expect(fixes.every(({ name, after: now }) => name.includes('etag/') && now === 'pass')).toBe(
    true,
  );
  expect([newCauses, goneCauses]).toEqual([['folds-kept'], ['etag-hexadecimal']]);
  const { stdout } = await svcConformance(['compare', before, after]);
  expect(stdout).toContain('replaces-a-fold-with-a-tab: pass → fail (folds-kept)');
  expect(stdout).toMatch(/regressions\n$/);
});

test('another cause of the same failure is a change, not a regression', async () => {
  const before = await mistaken.hexadecimal();
  const after = await reportOn('etag-count-left-out');
  const { code, regressions, changed } = await compare(before, after);
  expect([code, regressions]).toEqual([0, []]);
  expect(changed).toContainEqual(
    expect.objectContaining({ before: 'fail', after: 'fail', causes: ['etag-count-left-out'] }),
  );
});

test('vectors that only one report has are listed as added or gone, not as regressions', async () => {
  const right = program('makes-mistakes', 'folds-kept');
  const small = await report('etag --no-fresh', right);
  const large = await report('etag authorization/folding --no-fresh', right);
  const { code, added, gone } = await compare(small, large);
  expect([code, gone]).toEqual([0, []]);
  expect(added).toContainEqual(expect.objectContaining({ after: 'fail', causes: ['folds-kept'] }));
  expect((await compare(large, small)).gone).toHaveLength(added.length);
});

test('an adapter that no longer starts is a regression', async () => {
  const before = await report('etag', program('makes-mistakes'));
  const after = await report('etag', program('crashes-before-hello'));
  const { code, regressions } = await compare(before, after);
  expect(code).toBe(1);
  expect(regressions).toEqual([{ name: 'the run', before: 'complete', after: 'never worked' }]);
});

test('an operation that is no longer supported is a regression', async () => {
  const before = await report('etag url-encode', program('makes-mistakes'));
  const after = await report('etag url-encode', program('makes-mistakes'), {
    OFFERED: 'url-encode',
  });
  const { code, regressions } = await compare(before, after);
  expect(code).toBe(1);
  expect(regressions).toContainEqual(
    expect.objectContaining({ before: 'pass', after: 'unsupported' }),
  );
});

test('a forged request that is newly accepted is a regression', async () => {
  const before = await report('', program('makes-mistakes'));
  const shares = program('shares-a-mistake', 'verify-query', 'parameters-sorted-by-locale');
  const after = await report('', shares);
  const { regressions } = await compare(before, after);
  expect(regressions).toContainEqual(
    expect.objectContaining({ before: 'refused', after: 'accepted' }),
  );
});
