/**
 * Measures the diagnosis: plants random sets of mistakes in an adapter, and compares the causes that `run` reports.
 *
 * `npm run bench:diagnosis -- [SETS [SEED]]`
 *
 * @module
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Predictor } from '../harness/engine/diagnosis/predictor.ts';
import { createPredictor } from '../harness/engine/diagnosis/reference-reply.ts';
import { type ScopedMistake, selectMistakes } from '../harness/engine/diagnosis/scoped-mistake.ts';
import { parseDialect } from '../harness/engine/dialects.ts';
import type { Question } from '../harness/engine/protocol.ts';
import { drawQuestions } from '../harness/make/fuzz/trial.ts';
import { BUNDLED } from '../harness/suite/bundle.ts';
import { packagePath } from '../harness/suite/package-root.ts';
import { readReport } from '../harness/suite/report-file.ts';
import { readSuite } from '../harness/suite/suite-folder.ts';
import { generatedMistakes, MISTAKES, type Mistake } from '../reference/mistakes/index.ts';
import { createRandom, type Random } from './load/random.ts';

const [SETS = 200, SEED = 1] = process.argv.slice(2).map(Number);
/** The number of mistakes in a set, and the number of sets if SETS is 200. */
const SIZES = [
  [1, 200],
  [2, 200],
  [3, 100],
  [9, 20],
] as const;

const CLI = packagePath('dist/bin/svc-conformance.cjs');
const PLANTED = packagePath('test/harness/programs/makes-mistakes.mjs');

interface Verdict {
  readonly isComplete: boolean;
  /** Certain causes that were not planted and are no other words for one or two of the planted mistakes. */
  readonly wrong: readonly string[];
  /** In seconds. */
  readonly time: number;
  /** The ids of the planted mistakes. */
  readonly planted: string;
}

interface NamedCause {
  readonly mistake: string;
  readonly confidence: string;
  readonly within?: readonly string[];
}

const all = [...MISTAKES, ...generatedMistakes()];
const byId = new Map(all.map((mistake) => [mistake.id, mistake]));
const byPlace = new Map<string, Mistake[]>();
for (const mistake of all.filter(({ cost }) => cost <= 2)) {
  const [place = ''] = mistake.id.includes('/')
    ? mistake.id.split('/')
    : Object.keys(mistake.change);
  byPlace.set(place, [...(byPlace.get(place) ?? []), mistake]);
}
const places = [...byPlace.values()];

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const dialect = parseDialect('svc');
const questions: readonly Question[] = readSuite(packagePath('vectors'))
  .vectors.filter(({ expect, level }) => expect && level !== 'open')
  .map(({ operation, keys, input }) => ({ operation, keys, input }));
const operations = [...new Set(questions.map(({ operation }) => operation))];
const drawn = drawQuestions(operations, { dialect, operations });

/** A random set of mistakes, each with an effect on some vector. */
function drawSet(size: number, random: Random, predictor: Predictor): readonly Mistake[] {
  const one = (): Mistake => {
    const place = places[random(places.length)] ?? [];
    const mistake = place[random(place.length)];
    if (!mistake) throw new Error('no place has mistakes');
    return mistake;
  };
  for (;;) {
    const set = Array.from({ length: size }, one);
    const quick = questions.filter((question) => predictor.isQuick(question));
    const shows = (mistake: Mistake): boolean => {
      const rest = set.filter((other) => other !== mistake);
      return quick.some(
        (asked) => predictor.predict(asked, set) !== predictor.predict(asked, rest),
      );
    };
    if (new Set(set).size === size && set.every(shows)) return set;
  }
}

/** Runs an adapter with these mistakes and compares the reported causes. */
function judgeSet(set: readonly Mistake[], predictor: Predictor): Verdict {
  const report = join(folder, 'report.jsonl');
  const ids = set.map(({ id }) => id);
  const start = performance.now();
  spawnSync(
    process.execPath,
    [CLI, 'run', '--reporter', `json-lines=${report}`, '--', process.execPath, PLANTED, ...ids],
    { stdio: 'ignore' },
  );
  const time = (performance.now() - start) / 1000;
  const { adapters } = readReport(report);
  const causes: readonly NamedCause[] = adapters.flatMap((one) => one.causes);
  const isComplete =
    causes.length > 0 &&
    adapters.every(({ unexplained }) => unexplained.length === 0) &&
    causes.every(({ confidence }) => confidence === 'exact' || confidence === 'one of');
  const made = causes.flatMap(toScopedMistake);
  const isAlike = (question: Question): boolean =>
    predictor.predict(question, selectMistakes(question.operation, made)) ===
    predictor.predict(question, set);
  const isSame = isComplete && made.length === causes.length && drawn.every(isAlike);
  const wrong = causes
    .filter(({ mistake, confidence }) => confidence === 'exact' && !ids.includes(mistake))
    .filter((cause) => !isSame && !isSynonym(cause, causes, set, predictor))
    .map(({ mistake }) => mistake);
  if (ids.length > 0 && (!isComplete || wrong.length > 0)) {
    const named = causes.map(({ mistake, confidence }) => `${mistake} (${confidence})`);
    console.log(`  ${ids.join(' + ')}: ${named.join(' + ') || 'nothing'}`);
  }
  return { isComplete, wrong, time, planted: ids.join(' + ') };
}

/**
 * Whether a cause, by itself or with another cause, describes one or two of the planted mistakes in other words: it predicts the
 * same answers to the drawn questions.
 */
function isSynonym(
  cause: NamedCause,
  causes: readonly NamedCause[],
  set: readonly Mistake[],
  predictor: Predictor,
): boolean {
  const subsets = set.flatMap((one, i) => [[one], ...set.slice(i + 1).map((two) => [one, two])]);
  const words = [[cause], ...causes.filter((other) => other !== cause).map((two) => [cause, two])];
  return words.some((own) => {
    const made = own.flatMap(toScopedMistake);
    const asked = drawn.filter(({ operation }) =>
      own.some(({ within }) => within === undefined || within.includes(operation)),
    );
    const predictNamed = (question: Question): string | undefined =>
      predictor.predict(question, selectMistakes(question.operation, made));
    return (
      made.length === own.length &&
      subsets.some((subset) =>
        asked.every((question) => predictNamed(question) === predictor.predict(question, subset)),
      )
    );
  });
}

function toScopedMistake({ mistake, within }: NamedCause): readonly ScopedMistake[] {
  const known = byId.get(mistake);
  return known ? [{ mistake: known, ...(within && { within: new Set(within) }) }] : [];
}

const middle = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

console.log(`seed ${SEED}`);
const bare = middle(
  Array.from({ length: 5 }, () => judgeSet([], createPredictor(dialect, BUNDLED)).time),
);
try {
  for (const [size, share] of SIZES) {
    const random = createRandom(Math.imul(SEED + size, 2654435761));
    const verdicts = Array.from({ length: Math.ceil((SETS * share) / 200) }, () => {
      const predictor = createPredictor(dialect, BUNDLED);
      return judgeSet(drawSet(size, random, predictor), predictor);
    });
    const complete = verdicts.filter(({ isComplete }) => isComplete).length;
    const wrong = verdicts.flatMap((verdict) => verdict.wrong).length;
    const times = verdicts.map(({ time }) => time - bare);
    const slowest = verdicts.toSorted((a, b) => b.time - a.time)[0];
    console.log(
      `${size} planted: ${complete} of ${verdicts.length} complete, ${wrong} wrong and certain, ${middle(times).toFixed(2)} s on top of ${bare.toFixed(2)} s, at most ${Math.max(...times).toFixed(2)} s for ${slowest?.planted}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
