/**
 * Questions that tell apart the causes that fit equally well.
 *
 * @module
 */
import type { Mistake } from '../../reference/mistakes/index.ts';
import type { Question, Reply } from '../adapter/messages.ts';
import { edits } from '../fuzz/edits.ts';
import type { Vector } from '../suite/vector.ts';
import type { Cause } from './diagnose.ts';
import type { Predictor } from './hypothesis.ts';
import { type Observation, shownReply } from './observation.ts';

export type Ask = (questions: readonly Question[]) => Promise<readonly Reply[]>;

/** More is never asked; each question halves what is left, or nearly. */
const MOST_QUESTIONS = 8;

/** How long one question may be looked for, however busy the machine is; in microseconds. */
const CHOICE_LIMIT = 200_000;

/** Requests beside so many of the failing ones are thought of. */
const WITNESSES = 3;

/**
 * Asks whatever the rivals of uncertain causes would answer most differently, and yields what was answered.
 *
 * @param unasked vectors that the run was not about, of operations that the adapter has
 */
export async function furtherObservations(
  causes: readonly Cause[],
  observed: readonly Observation[],
  unasked: readonly Vector[],
  predictor: Predictor,
  ask: Ask,
): Promise<readonly Observation[]> {
  const seen: Observation[] = [];
  for (const cause of causes) {
    const rest = causes.filter((other) => other !== cause).map(({ mistake }) => mistake);
    const answerOf = (mistake: Mistake, question: Question): string | undefined =>
      predictor.answer(question, [...rest, mistake]);
    const questions = candidates(cause, observed, unasked, predictor);
    let rivals = [cause.mistake, ...cause.others];
    while (rivals.length > 1 && seen.length < MOST_QUESTIONS) {
      const question = dividing(questions, rivals, answerOf);
      if (!question) break;
      const [reply] = await ask([question]);
      const actual = reply && shownReply(question.operation, reply);
      const right = predictor.answer(question, []);
      if (actual === undefined || right === undefined) break;
      seen.push({ question, right, actual });
      rivals = rivals.filter((mistake) => answerOf(mistake, question) === actual);
    }
  }
  return seen;
}

/** Vectors first, whose right answer nobody doubts; then requests that differ from failing ones in one thing. */
function candidates(
  { explains }: Cause,
  observed: readonly Observation[],
  unasked: readonly Vector[],
  predictor: Predictor,
): readonly Question[] {
  const witnesses = observed.filter(({ id }) => id !== undefined && explains.includes(id));
  const operations = new Set(witnesses.map(({ question }) => question.operation));
  const vectors = unasked
    .filter(({ accept, input }) => !accept && input['content'] === undefined)
    .map(({ operation, keys, input }): Question => ({ operation, keys, input }));
  const beside = witnesses
    .filter(({ question, right, actual }) => right !== actual && predictor.isQuick(question))
    .slice(0, WITNESSES)
    .flatMap(({ question: { operation, keys, input } }) =>
      edits({ operation, keys, request: input }).map(
        ({ draft }): Question => ({ operation, keys: draft.keys, input: draft.request }),
      ),
    );
  return [
    ...vectors.filter(({ operation }) => operations.has(operation)),
    ...vectors.filter(({ operation }) => !operations.has(operation)),
    ...beside,
  ];
}

/** The question whose answer leaves the fewest rivals on average; nothing where all answer every one alike. */
function dividing(
  questions: readonly Question[],
  rivals: readonly Mistake[],
  answerOf: (mistake: Mistake, question: Question) => string | undefined,
): Question | undefined {
  const start = process.cpuUsage();
  const isLate = (): boolean => {
    const { user, system } = process.cpuUsage(start);
    return user + system > CHOICE_LIMIT;
  };
  let best: Question | undefined;
  let fewest = rivals.length ** 2;
  for (const question of questions) {
    const shares = new Map<string | undefined, number>();
    for (const mistake of rivals) {
      const answer = answerOf(mistake, question);
      shares.set(answer, (shares.get(answer) ?? 0) + 1);
    }
    const left = [...shares.values()].reduce((sum, share) => sum + share ** 2, 0);
    if (left < fewest) [best, fewest] = [question, left];
    if (fewest === rivals.length || isLate()) break;
  }
  return best;
}
