import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { folderOfFile } from '../temporary-folder.ts';
import { type Line, ofType, reportLines } from './report-lines.ts';
import { onceCalled, run, svcConformance } from './svc-conformance.ts';
import { program, watched } from './trial.ts';
import { testUsageErrors } from './usage-errors.ts';

const folder = folderOfFile();

const COUNT = 4;

/** A signer with two mistakes whose verifiers share one of them. */
const COMMAND = program('makes-mistakes', 'headers-merged-by-comma-space', 'etag-hexadecimal');

function pathOf(name: string): string {
  return join(folder, `${name}.jsonl`);
}

const linesOf = (path: string): readonly Line[] => reportLines(readFileSync(path, 'utf8'));

async function writeReport(
  name: string,
  command: readonly string[],
  ...options: readonly string[]
) {
  const path = pathOf(name);
  await svcConformance(['run', `--reporter=json-lines=${path}`, ...options, '--', ...command]);
  return path;
}

async function runShards(name: string, command: readonly string[]): Promise<readonly string[]> {
  const paths: string[] = [];
  for (let i = 1; i <= COUNT; i += 1) {
    paths.push(await writeReport(`${name}-${i}`, command, '--shard', `${i}/${COUNT}`));
  }
  return paths;
}

async function merge(paths: readonly string[], ...options: readonly string[]) {
  const path = pathOf('merged');
  const reporter = `--reporter=json-lines=${path}`;
  const ended = await svcConformance(['merge', ...paths, ...options, reporter]);
  return { ...ended, lines: ended.code === 2 ? [] : linesOf(path) };
}

/** The run without shards, with its report for JUnit. */
const WHOLE_JUNIT = join(folder, 'whole.xml');
const runWhole = onceCalled(() =>
  run(
    `--reporter=terminal --reporter=json-lines=${pathOf('whole')} --reporter=junit=${WHOLE_JUNIT}`,
    COMMAND,
  ),
);

let shards: readonly string[] = [];
beforeAll(async () => {
  shards = await runShards('wrong', COMMAND);
});

test('the last rounds of all shards are merged, and rounds with different seeds are refused', async () => {
  const round = (shard: string, ...options: readonly string[]) =>
    writeReport(
      `round-${shard}-${options.length}`,
      program('makes-mistakes'),
      'url-encode/beyond-ascii/*',
      '--fresh',
      '5',
      ...options,
      '--shard',
      `${shard}/2`,
    );
  const [one, two, early] = [
    await round('1', '--rounds', '2'),
    await round('2', '--rounds', '2'),
    await round('2'),
  ];
  const merged = await merge([one, two]);
  expect(merged.code).toBe(0);
  expect(ofType(merged.lines, 'header')[0]).toMatchObject({ seed: 6, vectors: 8 });
  const [adapter] = ofType(merged.lines, 'adapter');
  expect(adapter?.['notes']).toEqual([expect.stringContaining('this is round 2 of 2')]);
  const { code, stderr } = await merge([one, early]);
  expect(code).toBe(2);
  expect(stderr).toContain('the seed is 6 in');
  expect(stderr).toContain('repeat that round in all shards with --fresh SEED');
});

test('the shards of a run divide its vectors into parts of about the same size', async () => {
  const ids = shards.map((path) => ofType(linesOf(path), 'outcome').map(({ id }) => id));
  const all = ids.flat();
  expect(new Set(all).size).toBe(all.length);
  const fair = all.length / COUNT;
  for (const own of ids) {
    expect(own.length).toBeGreaterThan(0.7 * fair);
    expect(own.length).toBeLessThan(1.3 * fair);
  }
  expect(linesOf(shards[1] ?? '')[0]).toMatchObject({ shard: { index: 2, count: COUNT } });
});

test('four merged shards of a wrong adapter equal one whole run: verdicts, counts, causes', async () => {
  await runWhole();
  const whole = linesOf(pathOf('whole'));
  const { code, lines } = await merge([...shards].reverse());
  expect(code).toBe(1);
  expect(ofType(lines, 'outcome', 'forged')).toEqual(ofType(whole, 'outcome', 'forged'));
  expect(ofType(whole, 'forged').length).toBeGreaterThan(0);
  expect(ofType(lines, 'header')).toEqual(ofType(whole, 'header'));
  expect(lines.at(-1)).toMatchObject({ counts: whole.at(-1)?.['counts'], exitCode: 1 });
  const causes = (of: readonly Line[]): unknown =>
    ofType(of, 'cause').map(({ mistake, confidence, ids }) => ({
      mistake,
      confidence,
      ids: [...(ids as string[])].sort(),
    }));
  expect(causes(lines)).toEqual(causes(whole));
});

test('four merged shards of a correct adapter equal one whole run in every line', async () => {
  const right = program('makes-mistakes');
  const whole = linesOf(await writeReport('whole-right', right));
  const { code, lines } = await merge(await runShards('right', right));
  expect(code).toBe(0);
  const inOrder = (of: readonly Line[]): readonly string[] =>
    of.map((line) => JSON.stringify(line)).sort();
  expect(inOrder(lines)).toEqual(inOrder(whole));
});

test('a merged report can be written in other formats', async () => {
  const junit = join(folder, 'merged.xml');
  const { stdout } = await merge(shards, `--reporter=junit=${junit}`, '--reporter', 'terminal');
  expect(stdout).toContain('CAUSE headers-merged-by-comma-space');
  expect(stdout).toContain('CAUSE etag-hexadecimal');
  const said = await runWhole();
  // Each shard takes the vectors of the others for passed, so it may choose other questions on fresh data.
  const casesIn = (path: string): readonly string[] =>
    (readFileSync(path, 'utf8').match(/<testcase classname="(?!fresh\/)[^>]*>/g) ?? []).map(
      (line) => line.replace(/ time="[0-9.]+"/, ''),
    );
  const failuresIn = (path: string): string | undefined =>
    /<testsuites .*?(failures=.*?)(?: time=|>)/.exec(readFileSync(path, 'utf8'))?.[1];
  expect([...casesIn(junit)].sort()).toEqual([...casesIn(WHOLE_JUNIT)].sort());
  expect(casesIn(junit).length).toBeGreaterThan(1000);
  expect(failuresIn(junit)).toMatch(/failures="[1-9]/);
  expect(failuresIn(junit)).toBe(failuresIn(WHOLE_JUNIT));
  const counts = (text: string): readonly string[] =>
    text.match(/^ {2}(?:must|forged) .*$/gm) ?? [];
  expect(counts(stdout)).toEqual(counts(said.stdout));
});

test('only the report of a shard has times, and merge writes them to JUnit XML', async () => {
  const runSmall = async (name: string, ...options: readonly string[]): Promise<string> => {
    const reporter = `--reporter=json-lines=${pathOf(name)}`;
    const small = ['--vectors', 'test/harness/vectors'];
    await watched(['run', reporter, ...small, ...options, '--', ...program('is-right')]);
    return pathOf(name);
  };
  const timesOf = (path: string): readonly unknown[] =>
    ofType(linesOf(path), 'outcome').map(({ milliseconds }) => milliseconds);
  expect(timesOf(await runSmall('times'))).toEqual(Array(12).fill(undefined));
  const parts = [
    await runSmall('times-1', '--shard', '1/2'),
    await runSmall('times-2', '--shard', '2/2'),
  ];
  const times = parts.flatMap(timesOf);
  expect(times).toEqual(Array(12).fill(expect.any(Number)));
  const junit = join(folder, 'times.xml');
  await merge(parts, `--reporter=junit=${junit}`);
  const written = [...readFileSync(junit, 'utf8').matchAll(/<testcase [^>]* time="(.*?)"/g)];
  const sorted = (all: readonly number[]): readonly string[] =>
    all.map((seconds) => seconds.toFixed(6)).sort();
  expect(sorted(written.map(([, seconds]) => Number(seconds)))).toEqual(
    sorted(times.map((time) => Number(time) / 1000)),
  );
});

test('missing shards, repeated shards and shards of other runs are refused', async () => {
  const [first = '', second = '', ...rest] = shards;
  const refusal = async (...paths: readonly string[]): Promise<string> => {
    const { code, stderr } = await merge(paths);
    expect(code).toBe(2);
    return stderr;
  };
  expect(await refusal(first, ...rest)).toContain('shard 2/4 of the run is missing');
  expect(await refusal(first)).toContain('shards 2/4, 3/4, 4/4 of the run are missing');
  expect(await refusal(...shards, second)).toContain('shard 2/4 is repeated');
  const other = await writeReport('other', COMMAND, '--shard', '2/4', 'etag');
  expect(await refusal(first, other, ...rest)).toContain(
    'belong to different runs: the selection is',
  );
  const whole = await writeReport('no-shard', COMMAND, 'etag');
  expect(await refusal(whole)).toContain('is the report of a whole run');
  expect(await refusal()).toContain('no report is named');
  expect(await refusal(join(folder, 'no-such-file'))).toContain(
    'cannot be read: there is no such file or folder',
  );
});

test('a truncated or malformed report is refused with the reason', async () => {
  const [first = ''] = shards;
  const path = pathOf('cut');
  const text = readFileSync(first, 'utf8');
  const refusal = async (wrong: string): Promise<string> => {
    writeFileSync(path, wrong);
    const { code, stderr } = await svcConformance(['merge', path, ...shards.slice(1)]);
    expect(code).toBe(3);
    return stderr;
  };
  expect(await refusal(text.slice(0, text.lastIndexOf('{"type"')))).toContain(
    'the report is incomplete',
  );
  expect(await refusal(text.slice(0, -9))).toMatch(/cut\.jsonl:\d+: .* is not JSON/);
  expect(await refusal('{"type":"hello"}\n')).toContain('is not a line of a report');
  expect(await refusal(text.replace('"status":"pass"', '"status":"great"'))).toContain(
    'status is not one of "pass"',
  );
});

testUsageErrors([
  ...['0/4', '5/4', '1', 'a/b', '1/999'].map(
    (shard) => [`run --shard ${shard} -- true`, shard] as const,
  ),
  [
    'run password --shard 1/200 -- true',
    'vectors is in shard 1/200; split the run into fewer shards',
  ],
  ['fuzz --shard 1/2 -- true', '--shard needs a --seed'],
]);

test('the shards of a fuzz run together ask as many requests as one fuzz run', async () => {
  const fuzz = async (...options: readonly string[]) => {
    const parameters = ['fuzz', '--seed', '5', '--operation', 'url-encode', '--runs', '400'];
    const { stdout } = await svcConformance([
      ...parameters,
      ...options,
      '--',
      ...program('makes-mistakes'),
    ]);
    return Number(/^(\d+) requests/m.exec(stdout)?.[1]);
  };
  const parts = [await fuzz('--shard', '1/2'), await fuzz('--shard', '2/2')];
  expect(Math.min(...parts)).toBeGreaterThan(0);
  expect(parts.reduce((sum, part) => sum + part)).toBe(await fuzz());
});
