/**
 * Questions that tell apart the causes that fit equally well.
 *
 * @module
 */
import type { Mistake } from '../../reference/mistakes/index.ts';
import type { Question, Reply } from '../adapter/messages.ts';
import { edits } from '../fuzz/edits.ts';
import type { Vector } from '../suite/vector.ts';
import { type Cause, isMadeIn, mistakesIn } from './diagnose.ts';
import type { Predictor } from './hypothesis.ts';
import { type Observation, shownReply } from './observation.ts';

export type Ask = (questions: readonly Question[]) => Promise<readonly Reply[]>;

/** More is never asked; each question halves what is left, or nearly. */
const MOST_QUESTIONS = 8;

/** How long one question may be looked for, however busy the machine is; in microseconds. */
const CHOICE_LIMIT = 200_000;

/** Requests beside so many of the failing ones are thought of. */
const WITNESSES = 3;

/** Where further questions come from, and who is asked. */
export interface Interrogation {
  readonly ask: Ask;
  /** Vectors that the run was not about, of operations that the adapter has. */
  readonly unasked: readonly Vector[];
  /** More questions about operations; for where nothing else tells causes apart. */
  readonly drawn: (operations: readonly string[]) => Promise<readonly Question[]>;
}

/** Asks whatever the rivals of uncertain causes would answer most differently, and yields what was answered. */
export async function furtherObservations(
  causes: readonly Cause[],
  observed: readonly Observation[],
  predictor: Predictor,
  interrogation: Interrogation,
): Promise<readonly Observation[]> {
  const seen: Observation[] = [];
  for (const cause of causes) {
    const rest = causes.filter((other) => other !== cause);
    const answerOf = (mistake: Mistake, question: Question): string | undefined =>
      predictor.answer(question, [...mistakesIn(question.operation, rest), mistake]);
    let rivals = [cause.mistake, ...cause.others];
    for (const source of sources(cause, observed, interrogation)) {
      if (rivals.length < 2) break;
      const questions = (await source()).filter(({ operation }) => isMadeIn(operation, cause));
      while (rivals.length > 1 && seen.length < MOST_QUESTIONS) {
        const question = dividing(questions, rivals, answerOf);
        if (!question) break;
        const [reply] = await interrogation.ask([question]);
        const actual = reply && shownReply(question.operation, reply);
        const right = predictor.answer(question, []);
        if (actual === undefined || right === undefined) return seen;
        seen.push({ question, right, actual });
        rivals = rivals.filter((mistake) => answerOf(mistake, question) === actual);
      }
    }
  }
  return seen;
}

type Source = () => readonly Question[] | Promise<readonly Question[]>;

/** Vectors first, those of the failing operations before all; then requests beside failing ones; then drawn ones. */
function sources(
  { explains }: Cause,
  observed: readonly Observation[],
  { unasked, drawn }: Interrogation,
): readonly Source[] {
  const witnesses = observed.filter(
    ({ id, right, actual }) => id !== undefined && explains.includes(id) && right !== actual,
  );
  const operations = [...new Set(witnesses.map(({ question }) => question.operation))];
  const isNear = ({ operation }: Vector): boolean => operations.includes(operation);
  const vectors = unasked.filter(({ accept, input }) => !accept && input['content'] === undefined);
  return [
    () => [...vectors.filter(isNear), ...vectors.filter((vector) => !isNear(vector))].map(asked),
    () => witnesses.slice(0, WITNESSES).flatMap(({ question }) => questionsBeside(question)),
    () => drawn(operations),
  ];
}

function asked({ operation, keys, input }: Vector): Question {
  return { operation, keys, input };
}

function questionsBeside({ operation, keys, input }: Question): readonly Question[] {
  return edits({ operation, keys, request: input }).map(({ draft }) => ({
    operation,
    keys: draft.keys,
    input: draft.request,
  }));
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
