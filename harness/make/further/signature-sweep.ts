/**
 * Asks a verifier about correct requests that it refuses, each with the signatures that possible mistakes make it expect.
 *
 * A refusal alone fits thousands of mistakes. A signature that the verifier accepts instead of the correct one fits few.
 *
 * @module
 */
import { MISTAKES, type Mistake } from '../../../reference/mistakes/index.ts';
import {
  type Diagnosis,
  type FoundCause,
  listMistakesIn,
} from '../../engine/diagnosis/diagnose.ts';
import {
  isBareVerdict,
  isWronglyRefused,
  type Observation,
  REFUSED,
} from '../../engine/diagnosis/observation.ts';
import type { Predictor } from '../../engine/diagnosis/predictor.ts';
import { createPredictor } from '../../engine/diagnosis/reference-reply.ts';
import type { ScopedMistake } from '../../engine/diagnosis/scoped-mistake.ts';
import type { Dialect, Question } from '../../engine/protocol.ts';
import type { Respondent } from '../../engine/respondent.ts';
import type { SuiteData } from '../../engine/suite-data.ts';
import { type Ask, type Asking, observeAnswers, toObservation } from './further-questions.ts';
import { signForEach, signForVerifier } from './resigned-requests.ts';

/**
 * How many refused requests of an operation are signed anew, the smallest first: if it refuses all, its mistake shows in each;
 * otherwise it may have several.
 */
const REQUESTS_OF_ALL = 1;
const REQUESTS_OF_SOME = 2;
/** The most signatures of one request, those of common mistakes first, and how many are asked about at once. */
const SIGNATURES = 1536;
const BATCH = 32;
/** A verifier that accepts more signatures of a batch does not compare them. */
const ACCEPTED = 4;

/** How many further requests a verifier is asked about with the signatures of a pair of mistakes. */
const CONFIRMATIONS = 8;

/** A respondent that takes longer for a batch hangs, and one that has worked for longer is asked no more; in milliseconds. */
const HANGING = 10_000;
const WORK = 3000;

/** What sweeps ask and predict with. */
export interface Sweeping extends Asking {
  /** What was swept without success: an operation with the mistakes that were known. */
  readonly vain: Set<string>;
}

/** For all sweeps of a run, which end once the respondent has worked for a while. */
export const createSweeping = (
  respondent: Respondent,
  dialect: Dialect,
  predictor: Predictor,
): Sweeping => ({ ask: askForAWhile(respondent), dialect, predictor, vain: new Set() });

/** What a sweep finds. */
export interface Sweep {
  readonly accepted: readonly Observation[];
  /** Pairs of mistakes, which a search among refusals does not find: one mistake of a pair explains all of them. */
  readonly pairs: readonly ScopedMistake[];
}

/**
 * Signs correct requests anew of each operation that refuses all of them: so many refusals do not tell mistakes apart. If the
 * respondent only verifies, pairs of known mistakes are tried, too.
 *
 * @param explained the ids of the answers that a cause explains which other answers show in full
 */
export async function sweepRefusing(
  answers: readonly Observation[],
  explained: ReadonlySet<string>,
  sweeping: Sweeping,
): Promise<Sweep> {
  const correct = answers.filter(({ right }) => right !== REFUSED);
  const isExplained = ({ id }: Observation): boolean => id !== undefined && explained.has(id);
  const seeing = new Set(
    correct
      .filter((one) => !isWronglyRefused(one) || isExplained(one))
      .map(({ question }) => question.operation),
  );
  const refused = correct.filter(({ question }) => !seeing.has(question.operation));
  const accepted = await sweepBelievable(refused, REQUESTS_OF_ALL, [], answers, sweeping);
  if (!answers.every(isBareVerdict)) return { accepted, pairs: [] };
  const found = new Set(accepted.map(({ question }) => question.operation));
  const left = refused.filter(({ question }) => !found.has(question.operation));
  const further = await sweepPairs(left.map(pickQuestion), sweeping);
  return { accepted: [...accepted, ...further.accepted], pairs: further.pairs };
}

/** Signs the correct requests anew that a verifier refuses without a certain cause. */
export function sweepUncertain(
  { causes }: Diagnosis,
  uncertain: readonly string[],
  observed: readonly Observation[],
  sweeping: Sweeping,
): Promise<readonly Observation[]> {
  const certain = causes.filter(({ confidence }) => confidence === 'exact');
  const refused = observed.filter(
    (one) => one.id !== undefined && uncertain.includes(one.id) && isWronglyRefused(one),
  );
  return sweepBelievable(refused, REQUESTS_OF_SOME, certain, observed, sweeping);
}

/** The acceptances that a mistake explains together with other answers. */
async function sweepBelievable(
  refused: readonly Observation[],
  requests: number,
  causes: readonly FoundCause[],
  observed: readonly Observation[],
  sweeping: Sweeping,
): Promise<readonly Observation[]> {
  const accepted = await sweepSignatures(refused.map(pickQuestion), requests, causes, sweeping);
  return accepted.filter((one) => {
    const { operation } = one.question;
    const own = observed.filter(({ question }) => question.operation === operation);
    return isAcceptedByMistake(one, listMistakesIn(operation, causes), own, sweeping.predictor);
  });
}

const pickQuestion = ({ question }: { readonly question: Question }): Question => question;

/** For each operation, a request that the verifier accepts with a wrong signature, if one is found. */
async function sweepSignatures(
  refused: readonly Question[],
  requests: number,
  causes: readonly FoundCause[],
  sweeping: Sweeping,
): Promise<readonly Observation[]> {
  const { dialect, vain } = sweeping;
  const accepted: Observation[] = [];
  for (const [operation, own] of groupByOperation(refused)) {
    const made = listMistakesIn(operation, causes);
    const name = [operation, ...made.map(({ id }) => id)].join(' ');
    if (vain.has(name)) continue;
    let found: Observation | undefined;
    for (const question of own.slice(0, requests)) {
      const signed = signForEach(question, made, dialect).slice(0, SIGNATURES);
      found = await findAccepted(signed.map(pickQuestion), sweeping);
      if (found) break;
    }
    if (found) accepted.push(found);
    else vain.add(name);
  }
  return accepted;
}

/** The questions of each operation, the smallest first. */
function groupByOperation(all: readonly Question[]): ReadonlyMap<string, readonly Question[]> {
  const sorted = [...all].sort((a, b) => sizeOf(a) - sizeOf(b));
  const operations = [...new Set(all.map(({ operation }) => operation))];
  return new Map(
    operations.map((name) => [name, sorted.filter(({ operation }) => operation === name)]),
  );
}

const sizeOf = ({ input }: Question): number => JSON.stringify(input).length;

/** For each operation, the requests that the verifier accepts with the signatures of a pair of known mistakes. */
async function sweepPairs(refused: readonly Question[], sweeping: Sweeping): Promise<Sweep> {
  const accepted: Observation[] = [];
  const pairs: ScopedMistake[] = [];
  for (const [operation, own] of groupByOperation(refused)) {
    const found = await findPair(own, sweeping);
    const confirming = found ? await confirmPair(own, found.pair, sweeping) : [];
    if (!found || !confirming.some(({ actual }) => actual !== REFUSED)) continue;
    accepted.push(found.accepted, ...confirming);
    const within = new Set([operation]);
    pairs.push(...found.pair.map((mistake) => ({ mistake, within })));
  }
  return { accepted, pairs };
}

async function findPair(
  [question]: readonly Question[],
  sweeping: Sweeping,
): Promise<{ readonly accepted: Observation; readonly pair: readonly Mistake[] } | undefined> {
  if (!question) return undefined;
  const { dialect } = sweeping;
  const known = signForEach(question, [], dialect, MISTAKES).map(({ further }) => further);
  const pairs = new Map<Question, readonly Mistake[]>();
  for (const [at, first] of known.entries()) {
    for (const signed of signForEach(question, [first], dialect, known.slice(at + 1)))
      pairs.set(signed.question, [first, signed.further]);
  }
  const accepted = await findAccepted([...pairs.keys()], sweeping);
  const pair = accepted && pairs.get(accepted.question);
  return accepted && pair && { accepted, pair };
}

/** What the verifier says to further requests that are signed as the pair makes it expect. */
async function confirmPair(
  own: readonly Question[],
  pair: readonly Mistake[],
  sweeping: Sweeping,
): Promise<readonly Observation[]> {
  const signed = own
    .slice(1)
    .flatMap((question) => signForVerifier(question, pair, sweeping.dialect) ?? []);
  return observeAnswers(signed.slice(0, CONFIRMATIONS), sweeping);
}

/** A mistake that explains fewer of the wrong answers, unless there are fewer, may explain the acceptance by chance. */
const LEAST_EXPLAINED = 2;

/** Whether a further mistake explains an acceptance and other wrong answers of its operation, and contradicts no correct one. */
function isAcceptedByMistake(
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

/** Whether a verifier that refuses correct requests accepts some with the signatures that one or two known mistakes make. */
export async function acceptsMistaken(
  respondent: Respondent,
  refused: readonly Question[],
  dialect: Dialect,
  data: SuiteData,
): Promise<boolean> {
  const sweeping = createSweeping(respondent, dialect, createPredictor(dialect, data));
  const accepted = await sweepSignatures(refused, REQUESTS_OF_ALL, [], sweeping);
  if (accepted.length > 0) return true;
  for (const own of groupByOperation(refused).values()) {
    if (await findPair(own, sweeping)) return true;
  }
  return false;
}

/** Asks a respondent until it has worked for a while; then there are no replies. */
function askForAWhile(respondent: Respondent): Ask {
  let spent = 0;
  return async (questions) => {
    if (spent > WORK) return [];
    return respondent.ask(questions, {
      within: HANGING,
      onReply(_, __, milliseconds = 0) {
        spent += milliseconds;
      },
    });
  };
}

async function findAccepted(
  questions: readonly Question[],
  { ask, predictor }: Sweeping,
): Promise<Observation | undefined> {
  for (let from = 0; from < questions.length; from += BATCH) {
    const batch = questions.slice(from, from + BATCH);
    const replies = await ask(batch);
    const accepted = batch.filter((_, i) => replies[i]?.kind === 'result');
    const [question] = accepted;
    if (accepted.length > ACCEPTED) return undefined;
    if (question) return toObservation(question, replies[batch.indexOf(question)], predictor);
    if (replies.length === 0 || replies.some(({ kind }) => kind === 'not-asked')) return undefined;
  }
  return undefined;
}
