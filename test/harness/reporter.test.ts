import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RUNS, someOf, thorough } from '../amount.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { fitsReport, type Line, ofType, reportLines } from './report-lines.ts';
import { run, svcConformance, wordsOf } from './svc-conformance.ts';
import { program, watched, watchedRun } from './trial.ts';
import { expectUsageError } from './usage-errors.ts';

const folder = folderOfFile();

const SMALL = '--vectors test/harness/vectors';

function mistaken(...ids: readonly string[]): readonly string[] {
  return program('makes-mistakes', ...ids);
}

async function runReport(line: string, command: readonly string[]) {
  const { code, stdout } = await watchedRun(`--reporter json-lines ${line}`, command);
  const lines = reportLines(stdout);
  expect(lines.at(-1)).toMatchObject({ exitCode: code });
  return { code, lines };
}

test.concurrent('a report of a correct adapter has an outcome for each vector', async () => {
  const { code, lines } = await runReport(SMALL, program('is-right', '64'));
  expect(code).toBe(0);
  expect(lines[0]).toMatchObject({ vectors: 12, selection: { folder: 'test/harness/vectors' } });
  expect(lines[1]).toMatchObject({ type: 'adapter', implementation: { name: 'program' } });
  expect(ofType(lines, 'outcome').map(({ status }) => status)).toEqual(Array(12).fill('pass'));
  expect(lines.at(-1)).toMatchObject({ counts: [{ must: { pass: 12 } }] });
  expect(lines).toHaveLength(15);
});

test.concurrent('a report contains causes, their confidence and the failures that they explain', async () => {
  const { lines } = await runReport(
    'authorization/canonical-headers etag',
    mistaken('headers-merged-by-comma-space', 'etag-hexadecimal'),
  );
  const failed = ofType(lines, 'outcome').filter(({ status }) => status !== 'pass');
  const causes = ofType(lines, 'cause');
  expect(
    causes.map(({ mistake, confidence, others }) => [mistake, confidence, others]).sort(),
  ).toEqual([
    ['etag-hexadecimal', 'exact', []],
    ['headers-merged-by-comma-space', 'exact', []],
  ]);
  const explained = causes.flatMap(({ ids }) => ids);
  const wrong = failed.filter(({ status }) => status !== 'open').map(({ id }) => id);
  expect([...explained].sort()).toEqual(wrong.sort());
  expect(failed.find(({ operation }) => operation === 'etag')).toMatchObject({
    difference: { stage: 'etag' },
  });
});

// Not concurrent: the search for smaller requests has a time limit.
test('a report contains unexplained failures with their smallest request', async () => {
  const { lines } = await runReport(
    'url-encode',
    program('makes-unknown-mistakes', 'letter-q-doubled'),
  );
  expect(ofType(lines, 'cause')).toEqual([]);
  expect(ofType(lines, 'unexplained')).toMatchObject([
    {
      confidence: 'unexplained',
      ids: ['url-encode/ascii/keeps-letters-and-digits'],
      smallest: [{ operation: 'url-encode', input: { text: 'q' }, neighbour: 'with text as "Q"' }],
    },
  ]);
});

test.concurrent('a report contains the shape and the trace of a failure', async () => {
  const { lines } = await runReport(
    'authorization/folding',
    program('shows-its-mistakes', 'folds-kept', 'signature-url-safe'),
  );
  const failed = ofType(lines, 'outcome').filter(({ status }) => status === 'fail');
  expect(failed.flatMap(({ shape }) => shape ?? [])).toContainEqual(
    expect.objectContaining({ stage: 'authorization', subject: 'digest' }),
  );
  const spans = failed.flatMap(
    ({ trace }) => (trace as { spans?: Line[] } | undefined)?.spans ?? [],
  );
  expect(spans).toContainEqual(expect.objectContaining({ rule: '5.2/headers-unfolded' }));
});

thorough.concurrent('a report says which forged requests are accepted', async () => {
  const { code, lines } = await runReport(
    'verify-query --forged',
    program('shares-a-mistake', 'verify-query', 'parameters-sorted-by-locale'),
  );
  expect(code).toBe(1);
  expect(ofType(lines, 'forged')).toContainEqual(
    expect.objectContaining({ operation: 'verify-query', status: 'fail' }),
  );
  for (const { mistakes, status } of ofType(lines, 'forged')) {
    if (status === 'fail') expect(mistakes).toContain('parameters-sorted-by-locale');
  }
});

test.concurrent('a report distinguishes known failures from unexpected ones, and lists stale entries', async () => {
  const path = join(folder, 'known.yaml');
  const entry = (glob: string, cause: string): string =>
    `  - { vectors: ${glob}, status: fail, cause: ${cause}, reason: Known. }\n`;
  writeFileSync(
    path,
    `expectations:\n${entry('etag', 'etag-hexadecimal')}${entry('authorization/**', 'resource-encoded')}${entry('no/such', 'unexplained')}`,
  );
  const { code, lines } = await runReport(
    `--expectations ${path} authorization/folding etag`,
    mistaken('folds-kept', 'etag-hexadecimal'),
  );
  expect(code).toBe(1);
  const failed = ofType(lines, 'outcome').filter(({ status }) => status === 'fail');
  for (const { operation, known, reason, otherwise } of failed) {
    if (operation === 'etag') expect({ known, reason }).toEqual({ known: true, reason: 'Known.' });
    else expect(otherwise).toContain('but the cause is folds-kept');
  }
  expect(new Set(failed.map(({ operation }) => operation)).size).toBe(2);
  expect(lines[1]).toMatchObject({ stale: [expect.stringContaining(':4:16: no vector matches')] });
});

thorough.concurrent('equal runs give equal reports', async () => {
  const options = ['--reporter', 'json-lines', '--fresh', '--seed', '7'];
  const selected = ['authorization/folding', 'authorization/resource'];
  const command = mistaken('folds-kept', 'resource-encoded');
  const [one, other] = await Promise.all(
    [1, 2].map(() => svcConformance(['run', ...options, ...selected, '--', ...command])),
  );
  expect(reportLines(one?.stdout ?? '')[0]).toMatchObject({ seed: 7 });
  expect(one?.stdout).toBe(other?.stdout);
});

test.concurrent.each(
  someOf(
    [
      ['floods-output', undefined, 4],
      ['crashes-over-poison', 'crashed', 1],
      ['crashes-before-hello', undefined, 4],
      ['offers-url-encode', 'unsupported', 0],
    ] as const,
    2,
  ),
)('a report of a program that %s fits the schema', async (name, status, exitCode) => {
  const { code, lines } = await runReport(SMALL, program(name));
  expect(code).toBe(exitCode);
  if (status) expect(ofType(lines, 'outcome').map((line) => line['status'])).toContain(status);
  if (code === 4) expect(lines[1]).toMatchObject({ neverWorked: expect.any(String) });
});

thorough.concurrent('an unpaired surrogate does not make a report unreadable', async () => {
  const { lines } = await runReport(`${SMALL} url-encode`, program('answers-half-a-pair'));
  const text = JSON.stringify(lines);
  expect(text).toContain('\ufffd');
  expect(text).not.toMatch(/\\ud[89a-f]/);
});

test.concurrent('adapters of the repository are named without a path of this machine', async () => {
  const { stdout } = await svcConformance('run --adapter reference --reporter json-lines password');
  const lines = reportLines(stdout);
  expect(lines[0]).toMatchObject({ adapters: [{ name: 'reference', dialect: 'svc' }] });
  expect(stdout).not.toContain(process.cwd());
});

const posix = process.platform === 'win32' ? test.skip : test.concurrent;

posix('a run that is interrupted still writes its footer', async () => {
  const { code, stdout } = await watched(
    ['run', ...wordsOf(SMALL), '--reporter', 'json-lines', '--', ...program('hangs-over-poison')],
    async (call, recorded) => {
      await recorded('hangs');
      call.interrupt();
    },
  );
  expect(code).toBe(5);
  const lines = reportLines(stdout);
  expect(lines.at(-1)).toMatchObject({ exitCode: 5 });
  expect(lines[1]).toMatchObject({ over: 'the run was interrupted' });
});

const PASSWORD = ['password', '--', ...mistaken()];

test.concurrent('if a report goes to a file, standard output has the terminal report', async () => {
  const path = join(folder, 'one.jsonl');
  const ended = await svcConformance(['run', '--reporter', `json-lines=${path}`, ...PASSWORD]);
  expect(ended.stdout).toContain('all as expected');
  reportLines(readFileSync(path, 'utf8'));
});

test.concurrent('a report on standard output is the only output there', async () => {
  const path = join(folder, 'terminal.txt');
  const both = ['--reporter', 'json-lines', '--reporter', `terminal=${path}`];
  const ended = await svcConformance(['run', ...both, ...PASSWORD], {
    environment: { FORCE_COLOR: '1' },
  });
  reportLines(ended.stdout);
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/\nall as expected in \d+ of \d+ vectors\n$/);
  expect(text).not.toContain('\u001b');
});

test.concurrent.each([
  [
    [`json-lines=${join(folder, 'no', 'such')}`],
    'cannot be written: there is no such file or folder; name another file',
  ],
  [[`json-lines=${folder}`], 'cannot be written: it is a folder'],
  [['json-line'], '"json-line" is not a reporter; did you mean json-lines?'],
  [['pdf'], '"pdf" is not a reporter; there are terminal, json-lines, junit, markdown, tap, html'],
  [['json-lines='], '--reporter json-lines= has no file; write --reporter json-lines=FILE'],
  [['json-lines', 'terminal'], 'two reports go to standard output'],
  [['json-lines=-', 'terminal'], 'two reports go to standard output'],
] as const)('the reporters %s are refused before the adapter is started', async (values, fault) => {
  const options = values.flatMap((value) => ['--reporter', value]);
  const record = join(folder, 'never');
  await expectUsageError(['run', ...options, '--', ...program('is-silent')], fault, {
    environment: { RECORD: record },
  });
  expect(existsSync(record)).toBe(false);
});

// Only Linux has a device that is always full.
const linux = process.platform === 'linux' ? test.concurrent : test.skip;

linux('the exit code is 6 if a report cannot be written completely', async () => {
  const ended = await run(`${SMALL} --reporter json-lines=/dev/full`, mistaken());
  expect(ended.code).toBe(6);
  expect(ended.stderr).toContain('the report "/dev/full" is not complete: the disk is full');
});

test.each<[what: string, line: unknown]>([
  ['no type', { adapter: 'a' }],
  [
    'an unknown status',
    {
      type: 'outcome',
      adapter: 'a',
      id: 'a/b/c',
      level: 'must',
      operation: 'etag',
      rules: ['x'],
      status: 'passed',
    },
  ],
  [
    'a cause without ids',
    {
      type: 'cause',
      adapter: 'a',
      mistake: 'm',
      cause: 'c',
      fix: 'f',
      rule: 'r',
      confidence: 'exact',
      others: [],
      ids: [],
    },
  ],
  ['a footer without a count', { type: 'footer', counts: [], notRun: 0, exitCode: 0 }],
  ['an unknown member', { type: 'adapter', adapter: 'a', time: 1 }],
])('a line with %s does not fit the schema', (_, line) => {
  expect(fitsReport(line)).toBe(false);
});

/** The operations whose text ends with the private key (§5.1). */
const OF_ACTIONS = /^(?:action-|bucket-request|verify-query|verify-json)/;

test('no output contains a private key, except a difference in a text that ends with it (§5.1)', async () => {
  // The search for causes takes seconds for each operation.
  const ids =
    RUNS > 1 ? [] : ['authorization/canonical-headers', 'presigned-url/path', 'action-query/query'];
  const parameters = ['run', ...ids, '--all', '--fresh', '--seed', '7', '--reporter', 'json-lines'];
  const path = join(folder, 'keys.txt');
  const { code, stdout, record } = await watched([
    ...parameters,
    '--reporter',
    `terminal=${path}`,
    '--',
    ...program('tells-its-keys', '64'),
  ]);
  expect(code).toBe(1);
  const keys = new Set(
    record
      .filter((line) => line.startsWith('key '))
      .map((line) => JSON.parse(line.slice(4)) as string),
  );
  // Shorter keys appear in other texts by chance.
  const secret = [...keys].filter((key) => key.length > 5);
  expect(secret.length).toBeGreaterThan(20);
  const shows = (text: string): boolean =>
    secret.some((key) => text.includes(JSON.stringify(key).slice(1, -1)));

  const lines = reportLines(stdout);
  const allowed = (value: unknown): boolean => {
    const { stage, operation } = { ...(value as Line), ...((value as Line)['difference'] as Line) };
    return stage === 'stringToSign' && OF_ACTIONS.test(String(operation));
  };
  const removeAllowed = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (_, member) => {
        if (typeof member !== 'object' || member === null || !allowed(member)) return member;
        const { difference: __, ...others } = member as Line;
        return others;
      }),
    );
  expect(lines.filter((line) => shows(JSON.stringify(removeAllowed(line))))).toEqual([]);
  expect(shows(stdout)).toBe(true);

  const text = readFileSync(path, 'utf8').split('\n');
  const leaks = text.filter(
    (line, i) =>
      shows(line) &&
      !text.slice(Math.max(0, i - 2), i).some((above) => above.includes('stringToSign differs')),
  );
  expect(leaks).toEqual([]);
});

test('the file - is standard output', async () => {
  const run = (reporter: string) =>
    svcConformance(['run', 'password', '--adapter', 'reference', '--reporter', reporter]);
  const [named, dash] = await Promise.all([run('markdown'), run('markdown=-')]);
  expect(dash).toEqual(named);
  expect(dash.stdout).not.toBe('');
});
