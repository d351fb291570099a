/**
 * Questions about whatever may be asked, drawn the same in every run.
 *
 * @module
 */
import type { Question } from '../adapter/messages.ts';
import type { ContentFolder } from '../suite/content.ts';
import type { Circumstances } from './draft.ts';
import { draftsOf } from './drafts.ts';
import { sampled } from './shrinking.ts';
import { trialOf } from './trial.ts';

const SEED = 1;

/** Of each operation, where nobody says how many. */
const DRAWN = 100;

/**
 * Questions about operations, to which the right answer is known.
 *
 * @param count how many requests are drawn for each operation
 */
export function drawnQuestions(
  operations: readonly string[],
  circumstances: Circumstances,
  contents: ContentFolder,
  count: number = DRAWN,
): readonly Question[] {
  const drafts = draftsOf(circumstances);
  return operations.flatMap((operation) =>
    sampled({ drafts }, operation, SEED, count).flatMap(
      ({ relation: _, ...draft }) => trialOf(draft, circumstances, contents)?.questions ?? [],
    ),
  );
}
