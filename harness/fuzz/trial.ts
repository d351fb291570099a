/**
 * One draft put to an adapter: what is asked, what is right, and what is wrong with the replies.
 *
 * @module
 */
import type { Dialect, Question, Reply } from '../adapter/messages.ts';
import type { Observation } from '../diagnosis/observation.ts';
import { observations } from '../diagnosis/shown-reply.ts';
import { equalForm } from '../judge/equal-form.ts';
import { judge, type Verdict } from '../judge/judge.ts';
import { type Asked, answerTo, isRefused } from '../rederive/answer.ts';
import type { ContentFolder } from '../suite/content.ts';
import { resultStages } from '../suite/operations.ts';
import type { Stages, Vector } from '../suite/vector.ts';
import type { Circumstances, Draft } from './draft.ts';
import { isMalformedByAdvice } from './malformed.ts';
import { carriedSignature, RELATIONS, related } from './relations.ts';
import { isUnsignableByAdvice, unsignable } from './unsignable.ts';
import { changedMembers, type VerifyQuestion, verifyQuestion } from './verifying.ts';

/** A draft and everything that follows from it. */
export interface Trial {
  readonly draft: Draft;
  readonly vector: Vector;
  /** The request that must be answered alike, as a vector of its own. */
  readonly related?: Vector;
  /** In the order in which replies are to be given. */
  readonly questions: readonly Question[];
}

/** What an adapter got wrong. */
export interface Failure {
  readonly trial: Trial;
  /** The vector that shows it. */
  readonly vector: Vector;
  readonly verdict: Verdict;
  /** What was seen, as far as it was an answer. */
  readonly observed: readonly Observation[];
  /** The claim that two answers break together. */
  readonly claim?: string;
}

/** The trial of a draft; nothing where no right answer is known, where its change changes nothing, or where only advice refuses it. */
export function trialOf(
  draft: Draft,
  circumstances: Circumstances,
  contents: ContentFolder,
): Trial | undefined {
  const vector = vectorOf(draft, circumstances, contents);
  if (!vector) return undefined;
  const other = related(draft, circumstances);
  const relatedVector = other && vectorOf(other, circumstances, contents);
  const { operation, keys, input, control } = vector;
  const asked: readonly Asked[] = [
    { operation, keys, input },
    ...(control
      ? [{ operation, keys: control.keys ?? keys, input: { ...input, ...control.input } }]
      : []),
    ...(relatedVector ? [relatedVector] : []),
  ];
  return {
    draft,
    vector,
    ...(relatedVector && { related: relatedVector }),
    questions: asked.map((one) => ({
      operation: one.operation,
      keys: one.keys,
      input: contents.expanded(one.input),
    })),
  };
}

function vectorOf(
  draft: Draft,
  { dialect, isAdvised = false }: Circumstances,
  contents: ContentFolder,
): Vector | undefined {
  const { change } = draft;
  const byAdvice = change && (isUnsignableByAdvice(change) || isMalformedByAdvice(change));
  if (byAdvice && !isAdvised) return undefined;
  const made: VerifyQuestion | undefined = draft.operation.startsWith('verify-')
    ? verifyQuestion(draft, dialect)
    : signQuestion(draft, dialect);
  if (!made) return undefined;
  const { operation, keys, input } = made.asked;
  const right = (asked: Asked) =>
    answerTo({ ...asked, input: contents.expanded(asked.input) }, dialect);
  const common: Vector = {
    id: operation,
    operation,
    rules: [],
    level: 'must',
    why: '',
    source: '',
    keys,
    input,
  };
  const answer = right(made.asked);
  if (!made.control) return isRefused(answer) ? undefined : { ...common, expect: answer };
  const expect = right({
    operation,
    keys: made.control.keys ?? keys,
    input: { ...input, ...made.control.input },
  });
  if (!isRefused(answer) || isRefused(expect)) return undefined;
  return {
    ...common,
    refuse: { reason: answer.reason },
    control: { ...made.control, expect },
    ...(made.forged && { forged: made.forged }),
  };
}

function signQuestion(
  { operation, keys, request, change }: Draft,
  { headerPrefix }: Dialect,
): VerifyQuestion | undefined {
  if (!change) return { asked: { operation, keys, input: request } };
  const input = unsignable(request, change, headerPrefix);
  return (
    input && {
      asked: { operation, keys, input },
      control: { input: changedMembers(request, input) },
    }
  );
}

/** What is wrong with the replies to a trial; nothing where they are right, or where the adapter passes. */
export function failureOf(trial: Trial, replies: readonly Reply[]): Failure | undefined {
  const { vector, related: other, questions } = trial;
  const [reply] = replies;
  if (!reply) return undefined;
  const controlQuestion = vector.control && questions[1];
  const control = vector.control && replies[1];
  const verdict = judge(vector, reply, control);
  const observed = observations(
    vector,
    reply,
    controlQuestion && control && { question: controlQuestion, reply: control },
  );
  if (isFailure(verdict)) return { trial, vector, verdict, observed };
  const otherReply = other && replies.at(-1);
  if (!other || !otherReply || verdict.status !== 'pass') return undefined;
  const broken = brokenRelation(trial, reply, other, otherReply);
  if (!broken) return undefined;
  return {
    trial,
    vector: other,
    verdict: broken,
    observed: [...observed, ...observations(other, otherReply)],
    claim: RELATIONS[trial.draft.relation?.kind ?? '']?.claim ?? '',
  };
}

/** Neither a pass nor an absence; a refusal whose control fails is the control's matter, which is asked as well. */
function isFailure({ status }: Verdict): boolean {
  return !['pass', 'open', 'unsupported', 'not-asked', 'inconclusive'].includes(status);
}

function brokenRelation(
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
      ? String(carriedSignature(operation, result))
      : resultStages(operation)
          .map((stage) => equalForm(operation, stage, result[stage]))
          .join('\n');
  const [expected, actual] = [shown(vector, reply.result), shown(other, otherReply.result)];
  if (expected === actual) return undefined;
  let at = 0;
  while (expected[at] === actual[at]) at++;
  const stage = isForm ? 'signature' : (resultStages(other.operation)[0] ?? '');
  return { status: 'fail', message: '', difference: { stage, expected, actual, at } };
}
