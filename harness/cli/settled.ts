/**
 * A run after its failures were explained and compared with those that are expected.
 *
 * @module
 */
import type { Subject } from '../adapter/subject.ts';
import type { Diagnosis } from '../diagnosis/diagnose.ts';
import type { Explanation, Witness } from '../diagnosis/explanation.ts';
import { internalErrorText, isForeseen, UsageError } from '../errors.ts';
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
  let run = done;
  try {
    run = await withKnown(done, ids, expectations);
    if (!run.outcomes.some(isFailure)) return { run };
    const { diagnosed, explained } = await import('../diagnosis/explanation.ts');
    const found = await diagnosed(done, witness);
    run = withUnasked(await withKnown(done, ids, expectations, found), found.unasked);
    if (!run.outcomes.some(isFailure)) return { run };
    const explanation = await explained(run, found, witness);
    return { run: await withSharedInput(run), explanation };
  } catch (error) {
    if (isForeseen(error)) throw error;
    // The verdicts are known, though nothing explains them.
    return { run: { ...run, internalError: internalErrorText(error) } };
  } finally {
    witness.pool.endInput();
  }
}

/** The run with a note on what all its failures share, where an SDK may have no way to express it. */
export async function withSharedInput(run: Run): Promise<Run> {
  if (!run.outcomes.some(isFailure)) return run;
  const { sharedInputNote } = await import('../diagnosis/shared-input.ts');
  const note = sharedInputNote(run);
  return note === undefined ? run : { ...run, notes: [...(run.notes ?? []), note] };
}

/** Known failures whose causes were not told apart are no verdict: nothing says that they are the expected ones. */
function withUnasked(run: Run, unasked: string | undefined): Run {
  if (unasked === undefined || run.over !== undefined || run.outcomes.some(isFailure)) return run;
  return { ...run, over: `a question that tells causes apart was not asked: ${unasked}` };
}

/** A run with its explanation, or with what the harness failed over: the verdicts are known all the same. */
export async function withExplanation(
  run: Run,
  explain: () => Explanation | undefined | Promise<Explanation | undefined>,
): Promise<Settled> {
  try {
    const explanation = await explain();
    return { run, ...(explanation && { explanation }) };
  } catch (error) {
    if (isForeseen(error)) throw error;
    return { run: { ...run, internalError: internalErrorText(error) } };
  }
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
