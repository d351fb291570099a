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
const REQUESTS = 3;
/** The most signatures of one request, those of common mistakes first, and how many are asked about at once. */
const SIGNATURES = 1536;
const BATCH = 128;

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
    const at = replies.findIndex(({ kind }) => kind === 'result');
    const question = batch[at];
    if (question) return toObservation(question, replies[at], predictor);
    if (replies.some(({ kind }) => kind === 'not-asked')) return undefined;
  }
  return undefined;
}
