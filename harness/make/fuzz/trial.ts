/**
 * A trial: a draft as questions to an adapter, and the failure that the replies show.
 *
 * @module
 */
import { isVerifier, resultStages } from '../../../reference/operations.ts';
import { computeAnswer, isRefused } from '../../engine/answer.ts';
import type { Neighbour, ShrunkFailure } from '../../engine/diagnosis/explanation.ts';
import { type Observation, toObservations } from '../../engine/diagnosis/observation.ts';
import { normalizeStage } from '../../engine/judge/comparison.ts';
import { judge, type Verdict } from '../../engine/judge/judge.ts';
import { toControlQuestion, toQuestion } from '../../engine/judge/outcome.ts';
import type { Dialect, Question, Reply } from '../../engine/protocol.ts';
import type { Respondent } from '../../engine/respondent.ts';
import type { Stages, Vector } from '../../engine/vector.ts';
import { isUnsignableByAdvice, makeUnsignable } from './changes.ts';
import type { Circumstances, Draft } from './draft.ts';
import { createDrafts, sampleDrafts } from './drafts.ts';
import { isMalformedByAdvice } from './malformed.ts';
import { createRelated, extractSignature, RELATIONS } from './relations.ts';
import { changedMembers, createVerifyQuestion, type VerifyQuestion } from './verifying.ts';

export interface Trial {
  readonly draft: Draft;
  readonly vector: Vector;
  /** The related request, which must have the same answer. */
  readonly related?: Vector;
  /** In the order of the replies: the vector's, its control's, the related one. */
  readonly questions: readonly Question[];
}

export interface Failure {
  readonly trial: Trial;
  /** The vector that fails: that of the trial, or the related one. */
  readonly vector: Vector;
  readonly verdict: Verdict;
  /** The replies that are answers. */
  readonly observed: readonly Observation[];
  /** The claim that two answers break together. */
  readonly claim?: string;
}

/** The failure as reports show it. */
export function toShrunkFailure(
  { vector, verdict, claim }: Failure,
  besides: number,
  neighbour?: Neighbour,
): ShrunkFailure {
  return {
    vector,
    verdict,
    besides,
    ...(claim !== undefined && { claim }),
    ...(neighbour && { neighbour }),
  };
}

/** Undefined if the correct answer is not known, the change has no effect, or only advised rules refuse the request. */
export function createTrial(draft: Draft, circumstances: Circumstances): Trial | undefined {
  const vector = createVector(draft, circumstances);
  if (!vector) return undefined;
  const other = createRelated(draft, circumstances);
  const related = other && createVector(other, circumstances);
  const questions = [
    toQuestion(vector),
    ...(vector.control ? [toControlQuestion(vector)] : []),
    ...(related ? [toQuestion(related)] : []),
  ];
  return { draft, vector, ...(related && { related }), questions };
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

/** The answers of a trial, without that to the related request. */
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
  const { vector, related } = trial;
  const [reply] = replies;
  if (!reply) return undefined;
  const verdict = judge(vector, reply, vector.control && replies[1]);
  const observed = observeTrial(trial, replies);
  if (isFailure(verdict)) return { trial, vector, verdict, observed };
  const relatedReply = related && replies.at(-1);
  if (!related || !relatedReply || verdict.status !== 'pass') return undefined;
  const broken = compareRelated(trial, reply, related, relatedReply);
  if (!broken) return undefined;
  return {
    trial,
    vector: related,
    verdict: broken,
    observed: [...observed, ...toObservations(related, relatedReply)],
    claim: RELATIONS[trial.draft.relation?.kind ?? '']?.claim ?? '',
  };
}

/** The failure of the vector itself. An inconclusive refusal is not one: its control fails, and other drafts ask for the control. */
function isFailure({ status }: Verdict): boolean {
  return !['pass', 'open', 'unsupported', 'not-asked', 'inconclusive'].includes(status);
}

/** The verdict if the related request does not have the same answer. */
function compareRelated(
  { vector, draft }: Trial,
  reply: Reply,
  other: Vector,
  otherReply: Reply,
): Verdict | undefined {
  if (reply.kind !== 'result') return undefined;
  if (otherReply.kind !== 'result') {
    const verdict = judge(other, otherReply);
    return isFailure(verdict) ? verdict : undefined;
  }
  const isForm = draft.relation?.kind === 'other-form';
  const shown = ({ operation }: Vector, result: Stages): string =>
    isForm
      ? String(extractSignature(operation, result))
      : resultStages(operation)
          .map((stage) => normalizeStage(operation, stage, result[stage]))
          .join('\n');
  const [expected, actual] = [shown(vector, reply.result), shown(other, otherReply.result)];
  if (expected === actual) return undefined;
  let at = 0;
  while (expected[at] === actual[at]) at++;
  const stage = isForm ? 'signature' : (resultStages(other.operation)[0] ?? '');
  return { status: 'fail', message: '', difference: { stage, expected, actual, at } };
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
      ({ relation: _, ...draft }) => createTrial(draft, circumstances)?.questions ?? [],
    ),
  );
}
