/**
 * `vectors prove`: which mistakes the vectors catch, and which vectors are needed.
 *
 * @module
 */

import { writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { parseDialect } from '../engine/dialects.ts';
import { EXIT } from '../engine/errors.ts';
import { formatCount } from '../engine/excerpt.ts';
import { describeUncaught, findGaps, findVectorGaps } from '../engine/proof/gaps.ts';
import {
  computeGeneratedProof,
  computeProof,
  createMatrix,
  findCatchers,
  type Proof,
  type Uncaught,
} from '../engine/proof/proof.ts';
import { chooseSmokeSet } from '../engine/proof/smoke.ts';
import type { Suite } from '../engine/vector.ts';
import { drawQuestions } from '../make/fuzz/trial.ts';
import { BUNDLED } from '../suite/bundle.ts';
import { readSuite, SMOKE_FILE, writeSmoke } from '../suite/suite-folder.ts';
import { withFile } from '../suite/user-files.ts';
import { type Call, startProgress } from './call.ts';
import { flagOption, type Parsed, textOption } from './verb.ts';

/** Proves the vectors of a folder and returns the exit code. */
export async function proveFolder(folder: string, given: Parsed, call: Call): Promise<number> {
  const interruption = new AbortController();
  const ignore = call.io.onInterrupt(() => interruption.abort());
  const progress = startProgress(call, 'proving the known mistakes');
  try {
    const suite = readSuite(folder, !flagOption(given, 'write-smoke'));
    // The event loop must turn for a signal to arrive.
    const pause = async (): Promise<void> => {
      await turn();
      interruption.signal.throwIfAborted();
    };
    const named = await computeProof(suite.vectors, undefined, pause);
    progress.next('proving the generated mistakes');
    const operations = [...new Set(suite.vectors.map(({ operation }) => operation))];
    const drawn = drawQuestions(operations, { dialect: parseDialect('svc'), operations });
    const [generated, uncaught] = await computeGeneratedProof(suite.vectors, drawn, BUNDLED, pause);
    return reportProof(suite, { ...named, generated }, uncaught, folder, given, call);
  } catch (error) {
    if (error !== interruption.signal.reason) throw error;
    call.print('the proof was interrupted; nothing is proved or written\n');
    return EXIT.aborted;
  } finally {
    progress.stop();
    ignore();
  }
}

function reportProof(
  suite: Suite,
  found: Proof,
  uncaught: readonly Uncaught[],
  folder: string,
  given: Parsed,
  call: Call,
): number {
  const lacking = [
    ...findGaps(found),
    ...findVectorGaps(found, suite.vectors),
    ...describeUncaught(uncaught),
  ];
  const smoke = chooseSmokeSet(found, suite.vectors);
  const matrix = textOption(given, 'matrix');
  if (matrix !== undefined) writeMatrix(matrix, createMatrix(suite, found, smoke));
  if (flagOption(given, 'write-smoke')) writeSmoke(folder, smoke);
  else if (suite.smoke && suite.smoke.join() !== smoke.join()) {
    lacking.push(`${SMOKE_FILE} is stale; update it with --write-smoke`);
  }
  for (const gap of lacking) call.print(`${gap}\n`);
  call.print(summary(suite, found, smoke, lacking.length));
  return lacking.length === 0 ? EXIT.asExpected : EXIT.failures;
}

function writeMatrix(path: string, matrix: object): void {
  withFile(
    () => writeFileSync(path, `${JSON.stringify(matrix, null, 2)}\n`),
    `${JSON.stringify(path)} cannot be written`,
    'name a file in a folder that exists',
  );
}

function summary(
  { vectors }: Suite,
  found: Proof,
  smoke: readonly string[],
  gapCount: number,
): string {
  const counts = [...found.effects.keys()].map((id) => findCatchers(found, id).length);
  const caught = counts.filter((count) => count > 0).length;
  const twice = counts.filter((count) => count > 1).length;
  const often = [...(found.generated?.values() ?? [])].filter(({ length }) => length > 1).length;
  const kept = vectors.filter(({ keep }) => keep !== undefined).length;
  return (
    `${counts.length} known mistakes: ${caught} caught, ${twice} of them by two vectors or more\n` +
    `${found.generated?.size ?? 0} generated mistakes caught, ${often} of them by two vectors or more\n` +
    `${vectors.length} vectors: ${kept} kept for a reason other than a rarely caught mistake\n` +
    `smoke set: ${smoke.length} vectors catch the same known mistakes, and 99 % of the generated ones\n` +
    `${formatCount(gapCount, 'gap')}\n`
  );
}
