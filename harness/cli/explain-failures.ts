/**
 * Explains the failures of a run and compares them with the known ones.
 *
 * @module
 */
import type { Diagnosis } from '../engine/diagnosis/diagnose.ts';
import type { Explanation } from '../engine/diagnosis/explanation.ts';
import { parseDialect } from '../engine/dialects.ts';
import { describeInternalError, isUserError, UsageError } from '../engine/errors.ts';
import type { Expectations, Run } from '../engine/judge/outcome.ts';
import { hasFailures, isFailure } from '../engine/judge/summary.ts';
import type { Subject } from '../engine/respondent.ts';
import type { Suite } from '../engine/vector.ts';
import { BUNDLED } from '../suite/bundle.ts';
import { translateTo } from './selection.ts';
import type { Started } from './subjects.ts';
import { type Parsed, textOption } from './verb.ts';

export interface ExplainedRun {
  /** The run, with its known failures marked. */
  readonly run: Run;
  /** Present if a failure was not expected. */
  readonly explanation?: Explanation;
}

/** The known failures of each subject: from the file that `--expectations` names, or from the file in the folder of the adapter. */
export async function readAllExpectations(
  subjects: readonly Subject[],
  given: Parsed,
): Promise<ReadonlyMap<Subject, Expectations>> {
  const named = textOption(given, 'expectations');
  if (named !== undefined && subjects.length !== 1) {
    throw new UsageError(
      '--expectations names the known failures of one adapter; pass a command, or --adapter NAME',
    );
  }
  const files = subjects.flatMap((subject) => {
    const path = named ?? subject.expectations;
    return path === undefined || subject.missing !== undefined ? [] : [{ subject, path }];
  });
  if (files.length === 0) return new Map();
  const { readExpectations } = await import('../suite/expectations.ts');
  // An adapter's own file names vectors of the package, which are not part of a run with --vectors.
  const mustMatch = named !== undefined || textOption(given, 'vectors') === undefined;
  return new Map(
    files.map(({ subject, path }) => [subject, readExpectations(path, mustMatch)] as const),
  );
}

/** Explains the failures of a run over vectors of a suite, with further questions to its respondent, and marks the known ones. */
export async function explainFailures(
  done: Run,
  { dialect, respondent }: Pick<Started, 'dialect' | 'respondent'>,
  { vectors }: Suite,
  expectations?: Expectations,
): Promise<ExplainedRun> {
  const ids = vectors.map(({ id }) => id);
  const asked = new Set(done.outcomes.map(({ vector }) => vector.id));
  const others = vectors.filter(({ id }) => !asked.has(id));
  const unasked = () => translateTo(dialect, others);
  const context = { respondent, dialect: parseDialect(dialect), data: BUNDLED, unasked };
  let run = done;
  try {
    run = await markKnown(done, ids, expectations);
    if (!done.outcomes.some(isFailure) || !hasFailures(run)) return { run };
    const { diagnoseRun, explainRun } = await import('../make/further/interrogation.ts');
    const { addFurtherFailures } = await import('../engine/diagnosis/further-failures.ts');
    const found = await diagnoseRun(done, context);
    const explained = addFurtherFailures(done, found, context.dialect, BUNDLED);
    run = abortIfUnseparated(await markKnown(explained, ids, expectations, found), found.unasked);
    if (!run.outcomes.some(isFailure)) return { run };
    const explanation = await explainRun(run, found, context);
    return { run: await withSharedInput(run), explanation };
  } catch (error) {
    return { run: withInternalError(run, error) };
  } finally {
    respondent.endInput?.();
  }
}

/** The run with a note if all failures share an input that the SDK may not be able to express. */
export async function withSharedInput(run: Run): Promise<Run> {
  if (!run.outcomes.some(isFailure)) return run;
  const { describeSharedInput } = await import('../engine/diagnosis/shared-input.ts');
  const note = describeSharedInput(run);
  return note === undefined ? run : { ...run, notes: [...(run.notes ?? []), note] };
}

/** Aborts a run without unexpected failures if its candidate causes could not be separated: its failures may have other causes. */
function abortIfUnseparated(run: Run, unasked: string | undefined): Run {
  if (unasked === undefined || run.stopReason !== undefined || run.outcomes.some(isFailure))
    return run;
  return { ...run, stopReason: `a question that separates causes was not asked: ${unasked}` };
}

/** The run with its known failures marked, and an explanation if something failed. If the explanation fails, the verdicts stay. */
export async function withExplanation(
  run: Run,
  explain: () => Explanation | Promise<Explanation>,
  expectations?: Expectations,
): Promise<ExplainedRun> {
  try {
    const found = run.outcomes.some(isFailure) ? await explain() : undefined;
    const ids = run.outcomes.map(({ vector }) => vector.id);
    const known = await markKnown(run, ids, expectations, found);
    if (!found || !expectations) return { run: known, ...(found && { explanation: found }) };
    const { filterUnexpected } = await import('../engine/expectations/unexpected.ts');
    return { run: known, explanation: { ...found, ...filterUnexpected(found, known) } };
  } catch (error) {
    return { run: withInternalError(run, error) };
  }
}

/** The run with an error of the harness; its verdicts stay. @throws the error if the user caused it */
export function withInternalError(run: Run, error: unknown): Run {
  if (isUserError(error)) throw error;
  return { ...run, internalError: describeInternalError(error) };
}

async function markKnown(
  done: Run,
  ids: readonly string[],
  expectations?: Expectations,
  found?: Diagnosis,
): Promise<Run> {
  if (!expectations) return done;
  const { applyExpectations } = await import('../engine/expectations/matching.ts');
  return applyExpectations(done, expectations, ids, found);
}
