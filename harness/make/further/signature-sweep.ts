/**
 * Asks a verifier about correct requests that it refuses, each with the signatures that possible mistakes make it expect.
 *
 * A refusal alone fits thousands of mistakes. A signature that the verifier accepts instead of the correct one fits few.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import { isBareVerdict, type Observation, REFUSED } from '../../engine/diagnosis/observation.ts';
import type { Predictor } from '../../engine/diagnosis/predictor.ts';
import { createPredictor } from '../../engine/diagnosis/reference-reply.ts';
import type { Dialect, Question } from '../../engine/protocol.ts';
import type { Respondent } from '../../engine/respondent.ts';
import type { SuiteData } from '../../engine/suite-data.ts';
import { type Ask, toObservation } from './further-questions.ts';
import { signForEach } from './resigned-requests.ts';

/** How many refused requests of an operation are signed anew, the smallest first. */
const REQUESTS = 2;
/** The most signatures of one request, those of common mistakes first, and how many are asked about at once. */
const SIGNATURES = 1536;
const BATCH = 128;
/** A verifier that accepts more signatures of a batch does not compare them. */
const ACCEPTED = 4;

/** The mistakes that are known to be made in an operation. */
export type ListMade = (operation: string) => readonly Mistake[];

/** Whether an answer is the refusal of a correct request. */
export const isWronglyRefused = (one: Observation): boolean =>
  isBareVerdict(one) && one.right !== REFUSED && one.actual === REFUSED;

/** For each operation, a request that the verifier accepts with a wrong signature, if one is found. */
export async function sweepSignatures(
  refused: readonly Question[],
  listMade: ListMade,
  predictor: Predictor,
  ask: Ask,
  dialect: Dialect,
): Promise<readonly Observation[]> {
  const accepted: Observation[] = [];
  for (const operation of new Set(refused.map((question) => question.operation))) {
    const own = refused
      .filter((question) => question.operation === operation)
      .sort((a, b) => sizeOf(a) - sizeOf(b));
    for (const question of own.slice(0, REQUESTS)) {
      const signed = signForEach(question, listMade(operation), dialect);
      const found = await findAccepted(signed.slice(0, SIGNATURES), predictor, ask);
      if (!found) continue;
      accepted.push(found);
      break;
    }
  }
  return accepted;
}

/** A mistake that explains fewer of the wrong answers, unless there are fewer, may explain the acceptance by chance. */
const LEAST_EXPLAINED = 2;

/** Whether a further mistake explains an acceptance and other wrong answers of its operation, and contradicts no correct one. */
export function isAcceptedByMistake(
  accepted: Observation,
  made: readonly Mistake[],
  observed: readonly Observation[],
  predictor: Predictor,
): boolean {
  const { question, actual } = accepted;
  const fitting = predictor
    .computeAllEffects(question, made)
    .filter(({ answer }) => answer === actual)
    .flatMap(({ mistakes }) => mistakes);
  const counts = countExplained(fitting, made, observed, predictor);
  const wrong = observed.filter((one) => one.right !== one.actual);
  const least = Math.min(LEAST_EXPLAINED, wrong.length);
  return [...counts.values()].some((count) => count >= least);
}

/** How many wrong answers each further mistake explains, without those that contradict an answer. */
function countExplained(
  mistakes: readonly Mistake[],
  made: readonly Mistake[],
  observed: readonly Observation[],
  predictor: Predictor,
): ReadonlyMap<Mistake, number> {
  const counts = new Map(mistakes.map((mistake) => [mistake, 0]));
  for (const { question, actual } of observed) {
    const isKept = predictor.predict(question, made) === actual;
    for (const effect of predictor.computeChanges(question, made, [...counts.keys()])) {
      for (const mistake of effect.mistakes) {
        if (isKept) counts.delete(mistake);
        else if (effect.answer === actual) counts.set(mistake, (counts.get(mistake) ?? 0) + 1);
      }
    }
  }
  return counts;
}

/** The time limit for the questions of one sweep, in milliseconds. */
export const SWEEP_LIMIT = 5000;

/** Whether a verifier that refuses correct requests accepts one of them with the signature that a known mistake makes. */
export async function acceptsMistaken(
  respondent: Respondent,
  refused: readonly Question[],
  dialect: Dialect,
  data: SuiteData,
): Promise<boolean> {
  const ask: Ask = (questions) => respondent.ask(questions, { within: SWEEP_LIMIT });
  const predictor = createPredictor(dialect, data);
  const accepted = await sweepSignatures(refused, () => [], predictor, ask, dialect);
  return accepted.length > 0;
}

const sizeOf = ({ input }: Question): number => JSON.stringify(input).length;

async function findAccepted(
  questions: readonly Question[],
  predictor: Predictor,
  ask: Ask,
): Promise<Observation | undefined> {
  for (let from = 0; from < questions.length; from += BATCH) {
    const batch = questions.slice(from, from + BATCH);
    const replies = await ask(batch);
    const accepted = batch.filter((_, i) => replies[i]?.kind === 'result');
    const [question] = accepted;
    if (accepted.length > ACCEPTED) return undefined;
    if (question) return toObservation(question, replies[batch.indexOf(question)], predictor);
    if (replies.some(({ kind }) => kind === 'not-asked')) return undefined;
  }
  return undefined;
}
