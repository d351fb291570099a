import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { someOf, thorough } from '../amount.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { type Ended, svcConformance, unwrapped } from './svc-conformance.ts';
import { program, watched, watchedRun } from './trial.ts';
import { expectUsageError } from './usage-errors.ts';

const folder = folderOfFile();

let files = 0;

/** A file of expectations with these entries, each in one line of YAML. */
function expecting(...entries: readonly string[]): string {
  const path = join(folder, `${++files}.yaml`);
  writeFileSync(path, `expectations:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`);
  return path;
}

function judged(command: readonly string[], path: string, ...options: readonly string[]) {
  return watched(['run', '--expectations', path, ...options, '--', ...command]);
}

/** Runs with a file that is refused. The error is on standard error. */
function refused(path: string, ...parameters: readonly string[]): Promise<Ended> {
  return svcConformance(['run', '--expectations', path, ...parameters]);
}

const FOLDING = 'authorization/folding';
const FOLDS = program('makes-mistakes', 'folds-kept');
const TWO = program('makes-mistakes', 'folds-kept', 'headers-merged-by-comma-space');
const LETTERS = 'url-encode/ascii/keeps-letters-and-digits';
const POISON = ['--vectors', 'test/harness/vectors'];
/** An entry for failures, of this cause if it is given. */
function entry(vectors: string, cause?: string): string {
  const ofCause = cause === undefined ? '' : ` cause: ${cause},`;
  return `{ vectors: ${vectors}, status: fail,${ofCause} reason: Known. }`;
}

const FOLDS_ENTRY = entry(`${FOLDING}/**`, 'folds-kept');

test.concurrent('a failure of the expected status and cause is known', async () => {
  const path = expecting(FOLDS_ENTRY);
  const { code, stdout } = await judged(FOLDS, path, FOLDING);
  expect(code).toBe(0);
  expect(stdout).toMatch(/must .*[0-9]+ known failure/);
  expect(stdout).toContain('all as expected');
});

test.concurrent('without the file the same failures are failures', async () => {
  const { code, stdout } = await watchedRun(`${FOLDING}`, FOLDS);
  expect(code).toBe(1);
  expect(stdout).toContain('CAUSE folds-kept');
});

test.concurrent('a failure with another cause than expected is a new failure, and the report says so', async () => {
  const path = expecting(entry(`${FOLDING}/**`, 'resource-encoded'));
  const { code, stdout } = await judged(FOLDS, path, FOLDING);
  expect(code).toBe(1);
  expect(unwrapped(stdout)).toContain(
    `expected a different failure: ${path}:2:5 expects fail for the cause resource-encoded, but the cause is folds-kept`,
  );
  expect(stdout).not.toContain('known failure');
  expect(stdout).not.toContain('STALE');
});

thorough.concurrent(
  'a further cause of an expected failure is a new failure, reported without the expected cause',
  async () => {
    const path = expecting(FOLDS_ENTRY);
    const merges = 'authorization/canonical-headers/merges-*';
    const { code, stdout } = await judged(TWO, path, FOLDING, merges);
    expect(code).toBe(1);
    expect(stdout).toContain('CAUSE headers-merged-by-comma-space');
    const folds = stdout.match(/CAUSE folds-kept[\s\S]*?\n\n/)?.[0] ?? '';
    expect(folds).not.toContain(FOLDING);
  },
);

/** A failure that has both mistakes of TWO as causes. */
const MERGED = 'authorization/folding/unfolds-each-value-before-it-merges';

const ENTRIES: readonly (readonly [what: string, id: string, causes: string, isKnown: boolean])[] =
  [
    ['all causes of the failure', MERGED, 'folds-kept, headers-merged-by-comma-space', true],
    ['one of two causes', MERGED, 'folds-kept', false],
    ['one right and one wrong cause', MERGED, 'folds-kept, resource-encoded', false],
    [
      'all causes and a wrong one',
      MERGED,
      'folds-kept, headers-merged-by-comma-space, resource-encoded',
      false,
    ],
    [
      'two causes of a failure with one',
      `${FOLDING}/replaces-a-fold-with-a-tab`,
      'folds-kept, headers-merged-by-comma-space',
      false,
    ],
  ];

test.concurrent.each(someOf(ENTRIES, 5))(
  'an entry matches a failure only if it names exactly its causes: %s',
  async (_, id, causes, isKnown) => {
    const path = expecting(entry(id, `[${causes}]`));
    const report = await judged(TWO, path, FOLDING, '--reporter', 'json-lines');
    const line = report.stdout.split('\n').find((text) => text.includes(`"id":"${id}"`)) ?? '{}';
    const { status, known, otherwise } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    expect({ status, isKnown: known === true }).toEqual({ status: 'fail', isKnown });
    expect(otherwise === undefined).toBe(isKnown);
  },
);

thorough.concurrent('two entries can each name one of the causes of a failure', async () => {
  const path = expecting(FOLDS_ENTRY, entry(`${FOLDING}/**`, 'headers-merged-by-comma-space'));
  const { code, stdout } = await judged(TWO, path, FOLDING);
  expect(stdout).toContain('all as expected');
  expect(code).toBe(0);
});

test.concurrent('if several mistakes fit a failure, an entry may name any of them', async () => {
  // The adapter does not offer the operations that would tell the mistakes apart.
  const command = program('makes-mistakes', 'signature-signed');
  const codes = ['signature-signed', 'signature-signed-and-replaced', 'folds-kept'].map(
    async (cause) => {
      const path = expecting(entry('action-signature/**', cause));
      const selected = ['action-signature/published-examples', 'action-signature/values'];
      const parameters = ['run', '--expectations', path, ...selected, '--', ...command];
      return (await watched(parameters, undefined, { OFFERED: 'action-signature' })).code;
    },
  );
  expect(await Promise.all(codes)).toEqual([0, 0, 1]);
});

thorough.concurrent('a failure with another status than expected is a new failure', async () => {
  const path = expecting('{ vectors: url-encode/words/poison, status: timeout, reason: Known. }');
  const { code, stdout } = await judged(program('crashes-over-poison'), path, ...POISON);
  expect(code).toBe(1);
  expect(unwrapped(stdout)).toContain(
    `expected a different failure: ${path}:2:5 expects timeout, but it ended as crashed`,
  );
});

thorough.concurrent('an entry can expect a failure that no known mistake explains', async () => {
  const command = program('makes-unknown-mistakes', 'letter-q-doubled');
  const [right, wrong] = await Promise.all(
    ['unexplained', 'folds-kept'].map((cause) =>
      judged(command, expecting(entry(LETTERS, cause)), 'url-encode'),
    ),
  );
  expect([right?.code, wrong?.code]).toEqual([0, 1]);
});

test.concurrent.each([
  [
    'that matches nothing',
    entry('authorization/folding/no-such'),
    '2:16: no vector matches authorization/folding/no-such; remove line 2',
  ],
  ['whose vector passes', entry(LETTERS), `2:16: ${LETTERS} no longer ends as fail; remove line 2`],
  [
    'whose vectors all pass',
    '{ vectors: password/base64/pads-*, status: refused, reason: Known. }',
    '2:16: none of the 2 vectors of password/base64/pads-* still ends as refused; remove line 2',
  ],
  [
    'with a pattern whose vectors all pass',
    `vectors:\n      - ${FOLDING}\n      - password/base64/pads-*\n    status: fail\n    reason: Known.`,
    '4:9: none of the 2 vectors of password/base64/pads-* still ends as fail; remove line 4',
  ],
  [
    'with several patterns whose vectors all pass',
    'vectors:\n      - password\n      - url-encode/ascii\n    status: fail\n    reason: Known.',
    '2:5: no vector of the entry still ends as fail; remove lines 2 to 6',
  ],
  [
    'that has expired',
    '{ vectors: password/**, status: fail, reason: Known., until: 2020-02-29 }',
    '2:5: the entry expired on 2020-02-29; remove line 2',
  ],
])('an entry %s fails the run', async (_, stale, problem) => {
  const path = expecting(stale, FOLDS_ENTRY);
  const selection = [FOLDING, 'password', 'url-encode'];
  // Only the stale entry fails the run.
  const { code, stdout } = await judged(FOLDS, path, ...selection);
  expect(code).toBe(1);
  expect(stdout).not.toContain('CAUSE');
  expect(unwrapped(stdout.slice(stdout.indexOf('STALE')))).toContain(`STALE ${path}:${problem}`);
});

test.concurrent('stale entries are listed from the last to the first, so that they can be removed in this order', async () => {
  const path = expecting(entry(LETTERS), FOLDS_ENTRY, entry('password/**'), entry('etag/no-such'));
  const { code, stdout } = await judged(FOLDS, path, FOLDING, 'password', 'url-encode');
  expect(code).toBe(1);
  const removed = [...unwrapped(stdout).matchAll(/; remove line (\d)/g)].map(([, line]) => line);
  expect(removed).toEqual(['5', '4', '2']);
  expect(unwrapped(stdout)).toContain(
    'remove these lines from the file of expectations, in this order',
  );
});

test.concurrent('an entry for a forged request that is refused fails the run', async () => {
  const path = expecting('{ forged: verify-query/action-key-first, status: fail, reason: Known. }');
  const { code, stdout } = await judged(
    program('makes-mistakes'),
    path,
    'verify-query',
    '--forged',
  );
  expect(code).toBe(1);
  expect(unwrapped(stdout)).toContain(
    `STALE ${path}:2:15: verify-query/action-key-first no longer ends as fail; remove line 2`,
  );
});

test.concurrent('an entry with a cause that no longer occurs fails the run, even if another entry matches', async () => {
  const path = expecting(FOLDS_ENTRY, FOLDS_ENTRY.replace('folds-kept', 'resource-encoded'));
  const { code, stdout } = await judged(FOLDS, path, FOLDING);
  expect(code).toBe(1);
  expect(stdout.match(/^STALE .*:(\d+):/gm)).toEqual([`STALE ${path}:3:16:`]);
  expect(stdout).not.toContain('CAUSE');
});

test.concurrent('an entry is still valid on its last day', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const path = expecting(FOLDS_ENTRY.replace(' }', `, until: ${today} }`));
  expect((await judged(FOLDS, path, FOLDING)).code).toBe(0);
});

test.concurrent('a run of some vectors does not report entries for other vectors as stale', async () => {
  const path = expecting(FOLDS_ENTRY, entry(LETTERS), entry('password/**'));
  const one = await judged(FOLDS, path, FOLDING);
  expect(one.code).toBe(0);
  // Some vectors of the pattern pass, and the others are not asked.
  const part = await judged(FOLDS, path, FOLDING, 'password/base64/encodes-*');
  expect(part.code).toBe(0);
});

thorough.concurrent('an accepted forged request can be expected', async () => {
  const command = program('shares-a-mistake', 'verify-query', 'parameters-sorted-by-locale');
  const selected = ['verify-query', '--forged'];
  const plain = await watched(['run', ...selected, '--', ...command]);
  const path = expecting(
    '{ forged: verify-query/parameters-sorted-by-locale, status: fail, reason: Known. }',
  );
  const { stdout } = await judged(command, path, ...selected);
  expect(plain.stdout).toMatch(/^ {2}forged .* [0-9]+ accepted/m);
  expect(stdout).toMatch(/^ {2}forged .* [0-9]+ known failure/m);
  expect(stdout).not.toMatch(/^ {2}forged .* accepted/m);
  expect(stdout).not.toContain('FORGED');
});

test.each([
  ['{ vectors: a/b, status: fail }', '2:5: expectations/0 lacks the member "reason"'],
  ['{ vectors: a/b, status: fails, reason: Known. }', '2:29: expectations/0/status is not one of'],
  ['{ vectors: a/b, status: fail, reason: "…" }', 'expectations/0/reason does not match'],
  [
    '{ vectors: a/b, status: fail, reason: Known., cause: folds-kep }',
    'expectations/0/cause names no known mistake; the nearest is folds-kept',
  ],
  [
    '{ vectors: a/b, status: crashed, reason: Known., cause: folds-kept }',
    'expectations/0/status is not one of',
  ],
  ['{ vectors: a/b, status: fail, reason: Known., until: 2026-13-01 }', '/until does not match'],
  ['{ vectors: a/b, status: fail, reason: Known., issue: none }', '/issue does not match'],
  ['{ vectors: a/b, status: fail, reason: Known., match: x }', '/match is not a member here'],
  ['{ vectors: a/b, forged: c/d, status: fail, reason: Known. }', 'expectations/0'],
  ['{ status: fail, reason: Known. }', 'lacks the member "vectors"'],
])('the entry %s is refused, with its place', async (entry, fault) => {
  const path = expecting(entry);
  const { code, stdout, stderr } = await refused(path, '--', 'false');
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain(`${path}:2:`);
  expect(stderr).toContain(fault);
});

test('--expectations is refused for several adapters', async () => {
  await expectUsageError(
    ['run', '--expectations', expecting(FOLDS_ENTRY)],
    'svc-conformance: --expectations names the known failures of one adapter; pass a command, or --adapter NAME\n',
  );
});

test('an expectations file that does not exist is refused', async () => {
  const { code, stdout, stderr } = await refused(join(folder, 'none.yaml'), '--', 'false');
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain(
    'none.yaml:1:1: the file cannot be read: there is no such file or folder',
  );
});

interface Entry {
  readonly status: string;
  readonly cause?: string | readonly string[];
}

test('every known wrong answer of a published SDK names its causes', () => {
  const files = readdirSync('adapters/sdk', { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^[^/\\]+.expectations[.]yaml$/.test(path),
  );
  expect(files).toHaveLength(7);
  const entries = files.flatMap((file) => {
    const text = readFileSync(join('adapters/sdk', file), 'utf8');
    return (parse(text) as { expectations: Entry[] }).expectations;
  });
  const answered = entries.filter(({ status }) => status !== 'error');
  expect(answered.length).toBeGreaterThan(50);
  for (const { cause } of answered) {
    expect(cause).toBeDefined();
    expect([cause].flat()).not.toContain('unexplained');
  }
});
