import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { RUNS, someOf, thorough } from '../amount.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { svcConformance, unwrapped, wordsOf } from './svc-conformance.ts';
import { program, watched } from './trial.ts';
import { testUsageErrors } from './usage-errors.ts';

interface Entry {
  readonly vectors?: string | readonly string[];
  readonly forged?: string | readonly string[];
  readonly status: string;
  readonly cause?: string | readonly string[];
  readonly reason: string;
}

const folder = folderOfFile();

let files = 0;

function fresh(): string {
  return join(folder, `${++files}.yaml`);
}

function entriesIn(path: string): readonly Entry[] {
  return (parse(readFileSync(path, 'utf8')) as { expectations: readonly Entry[] }).expectations;
}

function accept(path: string, ...parameters: readonly string[]): ReturnType<typeof watched> {
  return watched(['accept', '--expectations', path, '--reason', 'Known.', ...parameters]);
}

const REPLIED =
  RUNS > 1
    ? ['authorization', 'etag', 'url-encode']
    : ['authorization/folding', 'etag/contents', 'url-encode/ascii'];
const MISTAKEN = ['--', ...program('makes-mistakes', 'folds-kept', 'etag-hexadecimal')];

test.concurrent('failures are accepted by cause, and the next run passes', async () => {
  const path = fresh();
  const { code, stdout } = await accept(path, ...REPLIED, ...MISTAKEN);
  expect(code).toBe(0);
  const entries = entriesIn(path);
  expect(stdout).toContain(`${path}: ${entries.length} entries added`);
  expect(new Set(entries.map(({ cause }) => cause))).toEqual(
    new Set(['folds-kept', 'etag-hexadecimal']),
  );
  expect(new Set(entries.map(({ reason }) => reason))).toEqual(new Set(['Known.']));
  const run = await watched(['run', '--expectations', path, ...REPLIED, ...MISTAKEN]);
  expect(run.code).toBe(0);
  expect(run.stdout).toContain('known failure');
  // Nothing is accepted twice.
  const before = readFileSync(path, 'utf8');
  const again = await accept(path, ...REPLIED, ...MISTAKEN);
  expect(again).toMatchObject({
    code: 0,
    stdout: 'nothing to accept: every failure is already known\n',
  });
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test.concurrent('the failures of a whole folder become one pattern', async () => {
  const path = fresh();
  await accept(path, 'etag', '--', ...program('makes-mistakes', 'etag-hexadecimal'));
  expect(entriesIn(path).map(({ vectors }) => vectors)).toEqual(['etag/**']);
});

test.concurrent('the summary says how to judge with a file that run does not read by itself', async () => {
  const adapter = mkdtempSync(join(folder, 'adapter-'));
  const command = program('makes-mistakes', 'etag-hexadecimal');
  writeFileSync(
    join(adapter, 'adapter.json'),
    JSON.stringify({ name: 'x', dialect: 'svc', command }),
  );
  const own = join(adapter, 'expectations.yaml');
  writeFileSync(own, 'expectations: []\n');
  const path = fresh();
  const parameters = ['accept', '--reason', 'Known.', '--adapter'];
  const byDefault = await watched([...parameters, adapter, 'etag/contents']);
  expect(byDefault.stdout).toMatch(/: \d+ entr(?:y|ies) added\n/);
  expect(entriesIn(own)).not.toEqual([]);
  const named = await watched([...parameters, adapter, '--expectations', path, 'etag/contents']);
  expect(named.stdout).toContain(` added; judge with run --expectations ${path}\n`);
});

test.concurrent('existing entries and comments are kept', async () => {
  const path = fresh();
  const before = `# Mine.
expectations:
  # A comment above.
  - vectors: "url-encode/ascii/keeps-letters-and-digits" # and one beside
    status: crashed
    reason: 'Quoted: as it was.'

  # A comment below.
`;
  writeFileSync(path, before);
  const { code } = await accept(path, 'etag', ...MISTAKEN);
  expect(code).toBe(0);
  const after = readFileSync(path, 'utf8');
  for (const line of before.split('\n').filter((text) => text.trim() !== '')) {
    expect(after.split('\n')).toContain(line);
  }
  expect(entriesIn(path)).toHaveLength(2);
});

thorough.concurrent('causes that occur together are accepted together', async () => {
  const path = fresh();
  const both = ['folds-kept', 'headers-merged-by-comma-space'];
  const command = ['authorization/folding', '--', ...program('makes-mistakes', ...both)];
  await accept(path, ...command);
  expect(entriesIn(path).map(({ cause }) => cause)).toContainEqual(both);
  const run = await watched(['run', '--expectations', path, ...command]);
  expect(run.code).toBe(0);
});

thorough.concurrent('--cause accepts only the failures of that cause', async () => {
  const path = fresh();
  await accept(path, '--cause', 'folds-kept', ...REPLIED, ...MISTAKEN);
  expect(new Set(entriesIn(path).map(({ cause }) => cause))).toEqual(new Set(['folds-kept']));
  const run = await watched(['run', '--expectations', path, ...REPLIED, ...MISTAKEN]);
  expect(run.code).toBe(1);
  expect(run.stdout).toContain('CAUSE etag-hexadecimal');
  expect(run.stdout).not.toContain('CAUSE folds-kept');
});

test.concurrent('a cause with a condition is accepted by the command of the report, and the next run passes', async () => {
  const path = fresh();
  const command = ['authorization', '--', ...program('refuses-four-headers')];
  const run = await watched(['run', ...command]);
  const [, cause = ''] = /^CAUSE (undue-refusal@\S+) /m.exec(run.stdout) ?? [];
  expect(cause).toBe('undue-refusal@headers-from-4');
  const accepted = await accept(path, '--cause', cause, ...command);
  expect(accepted).toMatchObject({ code: 0, stderr: '' });
  expect(await watched(['run', '--expectations', path, ...command])).toMatchObject({ code: 0 });
});

/** The words of the accept command in a report. */
function commandIn(stdout: string): readonly string[] {
  const [, line = ''] = /^ {4}svc-conformance (accept .*)$/m.exec(stdout) ?? [];
  return wordsOf(line);
}

/** Runs the accept command of one report after the other until a run passes; returns the commands. */
async function acceptAll(parameters: readonly string[]): Promise<readonly (readonly string[])[]> {
  const path = fresh();
  const commands = new Map<string, readonly string[]>();
  let run = await watched(['run', ...parameters]);
  expect(run.code).toBe(1);
  while (run.code === 1) {
    const command = commandIn(run.stdout);
    expect(command).toContain('--reason');
    expect([...commands.keys()]).not.toContain(command.join(' '));
    commands.set(command.join(' '), command);
    const own = command.map((word) => (word === 'expectations.yaml' ? path : word));
    expect(await watched(own)).toMatchObject({ code: 0 });
    run = await watched(['run', '--expectations', path, ...parameters]);
  }
  expect(run.code).toBe(0);
  return [...commands.values()];
}

/** Programs whose mistakes forged requests, questions on fresh data and exceptions show, too. */
const PLANTED: readonly (readonly [what: string, parameters: readonly string[]])[] = [
  [
    'a signer and verifiers',
    [
      ...['verify-*', 'presigned-url', '--forged', '--no-fresh', '--'],
      ...program('makes-mistakes', 'headers-sorted-by-number', 'received-signature/form-decoded'),
    ],
  ],
  [
    'one of two verifiers of the same signature',
    [
      ...['verify-*', '--forged', '--no-fresh', '--'],
      ...program('shares-a-mistake', 'verify-authorization', 'folds-kept', 'resource-encoded'),
    ],
  ],
  [
    'exceptions',
    [
      ...['authorization/header-values', 'authorization/canonical-headers', '--'],
      ...program('throws-over-four-headers'),
    ],
  ],
  [
    'fresh data',
    [
      ...['verify-presigned-url', '--forged', '--seed', '3', '--'],
      ...program('makes-mistakes', 'bucket-of-host/characters-cut'),
    ],
  ],
];

test.concurrent.each(someOf(PLANTED, 2))(
  'the commands of the causes accept all that the causes explain: %s',
  async (_, parameters) => {
    const run = await watched(['run', ...parameters]);
    expect(run.stdout).toMatch(/^CAUSE /m);
    expect(run.stdout).not.toMatch(/^FORGED|questions on fresh data failed/m);
    const causes = [...run.stdout.matchAll(/^CAUSE /gm)].length;
    const commands = await acceptAll(parameters);
    expect(commands).toHaveLength(causes);
    for (const command of commands) expect(command).toContain('--cause');
  },
  600_000,
);

test.concurrent('a cause that explains failures on fresh data is named beside them, and no replay is suspected', async () => {
  const parameters = ['verify-presigned-url', '--seed', '3'];
  const mistaken = ['--', ...program('makes-mistakes', 'bucket-of-host/characters-cut')];
  const { code, stdout } = await watched(['run', ...parameters, ...mistaken]);
  expect(code).toBe(1);
  expect(unwrapped(stdout)).toMatch(/also explains \d+ failures on fresh data: fresh\/verify-/);
  expect(stdout).not.toContain('replay');
});

/** Enough time for a run per command, in milliseconds. */
const SEVERAL_RUNS = 1_800_000;

const REPORTS: readonly (readonly [what: string, parameters: readonly string[]])[] = [
  ['a cause', [...REPLIED, ...MISTAKEN]],
  [
    'an unexplained failure',
    ['url-encode', '--', ...program('makes-unknown-mistakes', 'letter-q-doubled')],
  ],
  ['a crash', ['--vectors', 'test/harness/vectors', '--', ...program('crashes-over-poison')]],
  [
    'a verifier that accepts everything',
    ['verify-query', '--', ...program('accepts-everything', '64')],
  ],
  [
    'a shared mistake',
    [
      ...(RUNS > 1 ? [] : ['verify-authorization', '--forged']),
      ...['--', ...program('shares-a-mistake', 'verify-authorization', 'date-reformatted')],
    ],
  ],
];

test.concurrent.each(someOf(REPORTS, 5))(
  'the accept commands of one report after the other accept every failure: %s',
  async (_, parameters) => void (await acceptAll(parameters)),
  SEVERAL_RUNS,
);

testUsageErrors([
  ['accept --expectations x.yaml -- false', 'a known failure needs a reason in words'],
  ['accept --expectations x.yaml --reason … -- false', 'a known failure needs a reason in words'],
  ['accept --reason Known. -- false', 'no file is named; write --expectations FILE'],
  ['accept --reason Known. --cause folds-kep -- false', 'did you mean folds-kept?'],
  ['accept --reason Known. --cause exeption -- false', 'did you mean exception?'],
  ['accept --reason Known. --until soon -- false', '--until does not match'],
  ['accept --reason Known. --issue mine -- false', '--issue does not match'],
  ['accept --reason Known. --expectations x.yaml', 'accept takes the failures of one adapter'],
  ['accept --reason Known. --reporter junit -- false', '--reporter is not an option of this verb'],
]);

test('no failure is accepted for an adapter that never worked', async () => {
  const path = fresh();
  const parameters = ['accept', '--expectations', path, '--reason', 'Known.', '--', 'false'];
  const { code, stderr } = await svcConformance(parameters);
  expect(code).toBe(4);
  expect(stderr).toContain('nothing is accepted: the adapter never worked');
  expect(existsSync(path)).toBe(false);
});

test('an expectations file that cannot be written is reported', async () => {
  const path = join(folder, 'no', 'such.yaml');
  const parameters = ['accept', '--expectations', path, '--reason', 'Known.', 'etag', ...MISTAKEN];
  const { code, stderr } = await svcConformance(parameters);
  expect(code).toBe(2);
  expect(stderr).toContain('cannot be written: there is no such file or folder');
});
