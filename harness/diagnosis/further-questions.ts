/**
 * Questions that tell apart the causes that fit equally well.
 *
 * @module
 */
import type { Mistake } from '../../reference/mistakes/index.ts';
import type { Question, Reply } from '../adapter/messages.ts';
import { edits } from '../fuzz/edits.ts';
import type { Vector } from '../suite/vector.ts';
import { type FoundCause, isMadeIn, isMistake, mistakesIn } from './diagnose.ts';
import type { Observation } from './observation.ts';
import type { Effect, Predictor } from './predictor.ts';
import { shownReply } from './shown-reply.ts';

export type Ask = (questions: readonly Question[]) => Promise<readonly Reply[]>;

/** More is never asked about a cause. Some questions halve what is left; others leave out a single rival. */
const MOST_QUESTIONS = 24;

/** Questions among which one is chosen. */
const CHOICE = 400;

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

export interface Further {
  readonly observed: readonly Observation[];
  /** Causes of which no question is known that would tell them from their rivals: these are the same mistake in other words. */
  readonly settled: ReadonlySet<string>;
}

/** Asks whatever the rivals of uncertain causes would answer most differently, and yields what was answered. */
export async function furtherObservations(
  causes: readonly FoundCause[],
  observed: readonly Observation[],
  predictor: Predictor,
  interrogation: Interrogation,
): Promise<Further> {
  const seen: Observation[] = [];
  const settled = new Set<string>();
  for (const cause of causes) {
    const rest = causes.filter((other) => other !== cause);
    const shares = (question: Question, rivals: readonly Mistake[]): readonly Effect[] =>
      predictor.effectsOf(question, mistakesIn(question.operation, rest), rivals);
    let rivals = [cause.mistake, ...cause.others].filter(isMistake);
    const last = seen.length + MOST_QUESTIONS;
    for (const source of sources(cause, observed, interrogation)) {
      if (rivals.length < 2) break;
      const questions = (await source()).filter(({ operation }) => isMadeIn(operation, cause));
      while (rivals.length > 1 && seen.length < last) {
        const question = dividing(questions, rivals, shares);
        if (!question) break;
        const [reply] = await interrogation.ask([question]);
        const actual = reply && shownReply(question.operation, reply);
        const right = predictor.answer(question, []);
        if (actual === undefined || right === undefined) return { observed: seen, settled };
        seen.push({ question, right, actual });
        const left = shares(question, rivals).find(({ answer }) => answer === actual);
        rivals = left ? [...left.mistakes] : [];
      }
    }
    if (rivals.length > 0 && seen.length < last) for (const { id } of rivals) settled.add(id);
  }
  return { observed: seen, settled };
}

type Source = () => readonly Question[] | Promise<readonly Question[]>;

/** Vectors first, those of the failing operations before all; then requests beside failing ones; then drawn ones. */
function sources(
  { explains }: FoundCause,
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
  shares: (question: Question, rivals: readonly Mistake[]) => readonly Effect[],
): Question | undefined {
  let best: Question | undefined;
  let fewest = rivals.length ** 2;
  for (const question of questions.slice(0, CHOICE)) {
    const left = shares(question, rivals).reduce(
      (sum, { mistakes }) => sum + mistakes.length ** 2,
      0,
    );
    if (left < fewest) [best, fewest] = [question, left];
    // A question that halves them is good enough.
    if (fewest <= rivals.length ** 2 / 2) break;
  }
  return best;
}
