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
import { type Observation, REFUSED } from './observation.ts';
import type { Effect, Predictor } from './predictor.ts';
import { shownReply } from './shown-reply.ts';

export type Ask = (questions: readonly Question[]) => Promise<readonly Reply[]>;

/** More is never asked about a cause. Some questions halve what is left; others leave out a single rival. */
const MOST_QUESTIONS = 24;

/** Questions among which one is chosen; a large content counts as many. */
export const CHOICE = 150;
const LARGE = 20;

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
        const question = dividing(questions, rivals, shares, predictor);
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

/** Questions that confirm a cause. */
const CONFIRMATIONS = 2;

/** Asks about new requests that the causes would change, so that no cause is certain by chance. */
export async function confirmingObservations(
  causes: readonly FoundCause[],
  observed: readonly Observation[],
  predictor: Predictor,
  ask: Ask,
): Promise<readonly Observation[]> {
  const known = new Set(observed.map(({ question }) => JSON.stringify(question.input)));
  const asked = causes.flatMap((cause) => {
    const rest = causes.filter((other) => other !== cause);
    const tells = (question: Question): boolean => {
      const { operation } = question;
      const made = predictor.answerTo(question, mistakesIn(operation, causes));
      const without = predictor.answerTo(question, mistakesIn(operation, rest));
      return made !== without && predictor.answer(question, []) !== undefined;
    };
    const beside = witnessesOf(cause, observed)
      .slice(0, WITNESSES)
      .flatMap(({ question }) => questionsBeside(question));
    const chosen: Question[] = [];
    for (const question of beside) {
      if (chosen.length === CONFIRMATIONS) break;
      const text = JSON.stringify(question.input);
      if (known.has(text) || !predictor.isQuick(question) || !tells(question)) continue;
      known.add(text);
      chosen.push(question);
    }
    return chosen.map((question) => [cause, question] as const);
  });
  const questions = asked.map(([, question]) => question);
  const replies = questions.length === 0 ? [] : await ask(questions);
  const answered = asked.flatMap(([cause, question], i): readonly Confirming[] => {
    const reply = replies[i];
    const actual = reply && shownReply(question.operation, reply);
    const right = predictor.answer(question, []);
    if (actual === undefined || right === undefined) return [];
    const predicted = predictor.answer(question, mistakesIn(question.operation, causes));
    return [{ cause, seen: { question, right, actual }, isPredicted: predicted === actual }];
  });
  return answered.filter((one) => !isRefusedForElse(one, answered)).map(({ seen }) => seen);
}

interface Confirming {
  readonly cause: FoundCause;
  readonly seen: Observation;
  readonly isPredicted: boolean;
}

/** Whether a verifier refuses a changed request, for whatever reason, but does with another one what the cause says. */
const isRefusedForElse = (
  { cause, seen, isPredicted }: Confirming,
  all: readonly Confirming[],
): boolean =>
  !isPredicted &&
  seen.actual === REFUSED &&
  seen.question.operation.startsWith('verify-') &&
  all.some((other) => other.cause === cause && other.isPredicted);

type Source = () => readonly Question[] | Promise<readonly Question[]>;

/** Vectors first, those of the failing operations before all; then requests beside failing ones; then drawn ones. */
function sources(
  cause: FoundCause,
  observed: readonly Observation[],
  { unasked, drawn }: Interrogation,
): readonly Source[] {
  const witnesses = witnessesOf(cause, observed);
  const operations = [...new Set(witnesses.map(({ question }) => question.operation))];
  const isNear = ({ operation }: Vector): boolean => operations.includes(operation);
  const vectors = unasked.filter(({ accept, input }) => !accept && input['content'] === undefined);
  return [
    () => vectors.filter(isNear).map(asked),
    () => inTurns(vectors.filter((vector) => !isNear(vector))).map(asked),
    () => witnesses.slice(0, WITNESSES).flatMap(({ question }) => questionsBeside(question)),
    () => drawn(operations),
  ];
}

/** One of each operation, then another of each. */
function inTurns(vectors: readonly Vector[]): readonly Vector[] {
  const counts = new Map<string, number>();
  return vectors
    .map((vector) => {
      const count = counts.get(vector.operation) ?? 0;
      counts.set(vector.operation, count + 1);
      return [count, vector] as const;
    })
    .sort(([a], [b]) => a - b)
    .map(([, vector]) => vector);
}

/** The wrong answers that a cause explains, those that it explains alone first. */
function witnessesOf(
  { explains }: FoundCause,
  observed: readonly Observation[],
): readonly Observation[] {
  const wrong = observed.filter(({ id, right, actual }) => id !== undefined && right !== actual);
  return explains.flatMap((name) => wrong.filter(({ id }) => id === name));
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
  predictor: Predictor,
): Question | undefined {
  let best: Question | undefined;
  let fewest = rivals.length ** 2;
  let left = CHOICE;
  for (const question of questions) {
    left -= predictor.isLight(question) ? 1 : LARGE;
    if (left < 0) break;
    const rest = shares(question, rivals).reduce(
      (sum, { mistakes }) => sum + mistakes.length ** 2,
      0,
    );
    if (rest < fewest) [best, fewest] = [question, rest];
    // A question that halves them is good enough.
    if (fewest <= rivals.length ** 2 / 2) break;
  }
  return best;
}
