/**
 * Measures `fuzz` on the Python adapter against a Python program that only echoes lines: `npm run bench:fuzz`.
 *
 * Both take turns. The echo gets questions of the same kind, prepared beforehand, so it is the least that any harness takes.
 *
 * @module
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { parseDialect } from '../harness/engine/dialects.ts';
import { drawQuestions } from '../harness/make/fuzz/trial.ts';
import { packagePath } from '../harness/suite/package-root.ts';
import { OPERATIONS } from '../reference/operations.ts';
import { median, table } from './load/figures.ts';

const PAIRS = Number(process.argv[2] ?? 5);
const RUNS = Number(process.argv[3] ?? 10_000);

const CLI = packagePath('dist/bin/svc-conformance.cjs');
const ADAPTER = packagePath('adapters/python/adapter.py');
const ECHO = packagePath('bench/load/echo-adapter.py');
/** Questions on the way at once, as a window of the protocol. */
const WINDOW = 64;

/** Of one program over all its questions. */
interface Speed {
  readonly questionsPerSecond: number;
}

/** From the start of the process to its end. */
function measureFuzz(seed: number): Speed {
  const from = performance.now();
  const { stdout, status } = spawnSync(
    process.execPath,
    [CLI, 'fuzz', '--seed', `${seed}`, '--runs', `${RUNS}`, '--', 'python3', ADAPTER],
    { encoding: 'utf8', maxBuffer: 2 ** 30 },
  );
  const questions = Number(/ (\d+) questions/.exec(stdout)?.[1]);
  if (status !== 0 || !(questions > 0)) throw new Error(`fuzz ended with ${status}: ${stdout}`);
  return { questionsPerSecond: (questions / (performance.now() - from)) * 1000 };
}

function prepareLines(): readonly string[] {
  const names = Object.keys(OPERATIONS);
  const circumstances = { dialect: parseDialect('svc'), operations: names, isAdvised: false };
  return drawQuestions(names, circumstances, Math.ceil(RUNS / names.length)).map(
    (question, n) => `${JSON.stringify({ n, ...question })}\n`,
  );
}

/** Keeps a window of lines on the way, and refills it at half, as the harness does. */
async function measureEcho(lines: readonly string[]): Promise<Speed> {
  const from = performance.now();
  const echo = spawn('python3', [ECHO], { stdio: ['pipe', 'pipe', 'inherit'] });
  let sent = 0;
  let received = 0;
  const refill = (): void => {
    if (sent - received > WINDOW / 2) return;
    const next = lines.slice(sent, received + WINDOW);
    sent += next.length;
    if (next.length > 0) echo.stdin.write(next.join(''));
    else if (received === lines.length) echo.stdin.end();
  };
  echo.stdout.on('data', (piece: Buffer) => {
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) received += 1;
    refill();
  });
  refill();
  await once(echo, 'close');
  return { questionsPerSecond: (lines.length / (performance.now() - from)) * 1000 };
}

const lines = prepareLines();
const pairs: (readonly [fuzz: Speed, echo: Speed])[] = [];
for (let pair = 0; pair < PAIRS; pair++) {
  pairs.push([measureFuzz(pair + 1), await measureEcho(lines)]);
}
const speeds = [0, 1].map((at) => median(pairs.map((pair) => pair[at]?.questionsPerSecond ?? 0)));
const share = median(
  pairs.map(([fuzz, echo]) => fuzz.questionsPerSecond / echo.questionsPerSecond),
);
process.stdout.write(
  table(
    [`${PAIRS} pairs of ${RUNS} requests`, 'fuzz questions/s', 'echo questions/s', 'share'],
    [['Python', ...speeds.map((speed) => speed.toFixed(0)), share.toFixed(2)]],
  ),
);
