/**
 * A run after its failures were explained and compared with those that are expected.
 *
 * @module
 */
import type { Subject } from '../adapter/subject.ts';
import type { Diagnosis } from '../diagnosis/diagnose.ts';
import type { Explanation, Witness } from '../diagnosis/explanation.ts';
import { UsageError } from '../errors.ts';
import type { Expectations } from '../expectations/expectation.ts';
import type { Run } from '../run.ts';
import { isFailure } from '../verdict.ts';
import { type Parsed, textOption } from './verb.ts';

export interface Settled {
  readonly run: Run;
  /** Where something failed that was not expected. */
  readonly explanation?: Explanation;
}

/** The file of expectations that a run names belongs to its only subject; each subject's own is read without being named. */
export async function expectationsOf(
  subjects: readonly Subject[],
  given: Parsed,
): Promise<ReadonlyMap<Subject, Expectations>> {
  const named = textOption(given, 'expectations');
  if (named !== undefined && subjects.length !== 1) {
    throw new UsageError(
      '--expectations names the known failures of one adapter; give a command, or --adapter NAME',
    );
  }
  const files = subjects.flatMap((subject) => {
    const path = named ?? subject.expectations;
    return path === undefined || subject.missing !== undefined ? [] : [{ subject, path }];
  });
  if (files.length === 0) return new Map();
  const { readExpectations } = await import('../expectations/file.ts');
  // Vectors of somebody's own are not those that the adapters of this repository are known to fail.
  const mustMatch = named !== undefined || textOption(given, 'vectors') === undefined;
  return new Map(
    files.map(({ subject, path }) => [subject, readExpectations(path, mustMatch)] as const),
  );
}

/**
 * Explains the failures of a run and marks those that are expected; most runs have none.
 *
 * @param ids of every vector of the suite
 */
export async function settled(
  done: Run,
  witness: Witness,
  ids: readonly string[],
  expectations?: Expectations,
): Promise<Settled> {
  const expected = await withKnown(done, ids, expectations);
  if (!expected.outcomes.some(isFailure)) {
    witness.pool.endInput();
    return { run: expected };
  }
  const { diagnosed, explained } = await import('../diagnosis/explanation.ts');
  const found = await diagnosed(done, witness);
  const run = await withKnown(done, ids, expectations, found);
  const explanation = run.outcomes.some(isFailure)
    ? await explained(run, found, witness)
    : undefined;
  witness.pool.endInput();
  return { run, ...(explanation && { explanation }) };
}

async function withKnown(
  done: Run,
  ids: readonly string[],
  expectations?: Expectations,
  found?: Diagnosis,
): Promise<Run> {
  if (!expectations) return done;
  const { withExpectations } = await import('../expectations/meeting.ts');
  return withExpectations(done, expectations, ids, found);
}
