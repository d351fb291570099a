/**
 * A trial: a draft as questions to an adapter, and the failure that the replies show.
 *
 * @module
 */
import { isVerifier } from '../../../reference/operations.ts';
import { computeAnswer, isRefused } from '../../engine/answer.ts';
import type { Neighbour, ShrunkFailure } from '../../engine/diagnosis/explanation.ts';
import { type Observation, toObservations } from '../../engine/diagnosis/observation.ts';
import { judge, type Verdict } from '../../engine/judge/judge.ts';
import { toControlQuestion, toQuestion } from '../../engine/judge/outcome.ts';
import type { Dialect, Question, Reply } from '../../engine/protocol.ts';
import type { Respondent } from '../../engine/respondent.ts';
import type { Vector } from '../../engine/vector.ts';
import { isUnsignableByAdvice, makeUnsignable } from './changes.ts';
import type { Circumstances, Draft } from './draft.ts';
import { createDrafts, sampleDrafts } from './drafts.ts';
import { isMalformedByAdvice } from './malformed.ts';
import { changedMembers, createVerifyQuestion, type VerifyQuestion } from './verifying.ts';

export interface Trial {
  readonly draft: Draft;
  readonly vector: Vector;
  /** In the order of the replies: the vector's, its control's. */
  readonly questions: readonly Question[];
}

export interface Failure {
  readonly trial: Trial;
  readonly verdict: Verdict;
  /** The replies that are answers. */
  readonly observed: readonly Observation[];
}

/** The failure as reports show it. */
export function toShrunkFailure(
  { trial: { vector }, verdict }: Failure,
  besides: number,
  neighbour?: Neighbour,
): ShrunkFailure {
  return { vector, verdict, besides, ...(neighbour && { neighbour }) };
}

/** Undefined if the correct answer is not known, the change has no effect, or only advised rules refuse the request. */
export function createTrial(draft: Draft, circumstances: Circumstances): Trial | undefined {
  const vector = createVector(draft, circumstances);
  if (!vector) return undefined;
  const questions = [toQuestion(vector), ...(vector.control ? [toControlQuestion(vector)] : [])];
  return { draft, vector, questions };
}

function createVector(draft: Draft, { dialect, isAdvised }: Circumstances): Vector | undefined {
  const { change, operation } = draft;
  const byAdvice = change && (isUnsignableByAdvice(change) || isMalformedByAdvice(change));
  if (byAdvice && !isAdvised) return undefined;
  const made: VerifyQuestion | undefined = isVerifier(operation)
    ? createVerifyQuestion(draft, dialect)
    : createSignQuestion(draft, dialect);
  return made && addAnswers(made, dialect);
}

/** The vector of a question, with the answer of the reference; undefined if the change has no effect. */
function addAnswers(
  { asked, control, forged }: VerifyQuestion,
  dialect: Dialect,
): Vector | undefined {
  const { operation } = asked;
  const common: Vector = { ...asked, id: operation, rules: [], level: 'must', why: '', source: '' };
  const answer = computeAnswer(asked, dialect);
  if (!control) return isRefused(answer) ? undefined : { ...common, expect: answer };
  const controlQuestion = toControlQuestion({ ...common, control: { ...control, expect: {} } });
  const expect = computeAnswer(controlQuestion, dialect);
  if (!isRefused(answer) || isRefused(expect)) return undefined;
  return {
    ...common,
    refuse: { reason: answer.reason },
    control: { ...control, expect },
    ...(forged && { forged }),
  };
}

function createSignQuestion(
  { operation, keys, request, change }: Draft,
  { headerPrefix }: Dialect,
): VerifyQuestion | undefined {
  if (!change) return { asked: { operation, keys, input: request } };
  const input = makeUnsignable(request, change, headerPrefix);
  return (
    input && {
      asked: { operation, keys, input },
      control: { input: changedMembers(request, input) },
    }
  );
}

/** Asks about all trials at once. The replies are grouped by trial; a trial that does not exist has none. */
export async function askTrials(
  session: Pick<Respondent, 'ask'>,
  trials: readonly (Trial | undefined)[],
): Promise<readonly (readonly Reply[])[]> {
  const replies = await session.ask(trials.flatMap((trial) => trial?.questions ?? []));
  let from = 0;
  return trials.map((trial) => {
    const start = from;
    from += trial?.questions.length ?? 0;
    return replies.slice(start, from);
  });
}

/** The answers of a trial. */
export function observeTrial(
  { vector, questions }: Trial,
  [reply, second]: readonly Reply[],
): readonly Observation[] {
  if (!reply) return [];
  const question = vector.control && questions[1];
  return toObservations(vector, reply, question && second && { question, reply: second });
}

/** The failure that the replies to a trial show; undefined if the adapter passes. */
export function findFailure(trial: Trial, replies: readonly Reply[]): Failure | undefined {
  const { vector } = trial;
  const [reply, second] = replies;
  if (!reply) return undefined;
  const verdict = judge(vector, reply, vector.control && second);
  return isFailure(verdict)
    ? { trial, verdict, observed: observeTrial(trial, replies) }
    : undefined;
}

/** An inconclusive refusal is no failure: its control fails, and other drafts ask for the control. */
function isFailure({ status }: Verdict): boolean {
  return !['pass', 'open', 'unsupported', 'not-asked', 'inconclusive'].includes(status);
}

const SEED = 1;

/** How many requests are drawn for each operation, by default. */
const DRAWN = 100;

/** Random questions with known answers, the same ones in every run. */
export function drawQuestions(
  operations: readonly string[],
  circumstances: Circumstances,
  count: number = DRAWN,
): readonly Question[] {
  const drafts = createDrafts(circumstances);
  return operations.flatMap((operation) =>
    sampleDrafts(drafts, operation, SEED, count).flatMap(
      (draft) => createTrial(draft, circumstances)?.questions ?? [],
    ),
  );
}
