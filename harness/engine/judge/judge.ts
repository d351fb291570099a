/**
 * Judges replies: compares each with what its vector expects.
 *
 * @module
 */

import { resultStages } from '../../../reference/operations.ts';
import { describeInternalError } from '../errors.ts';
import { shorten } from '../excerpt.ts';
import type { Reply } from '../protocol.ts';
import type { Alternative, Refuse, Stages, Vector } from '../vector.ts';
import { type Difference, findFirstDifference } from './comparison.ts';

/**
 * - pass: as expected.
 * - fail: a wrong answer, or an answer instead of a refusal.
 * - refused: a refusal instead of an answer.
 * - inconclusive: a correct refusal, but the control got no correct answer either.
 * - open: sources disagree about the answer; `met` names the accepted one.
 * - unsupported, error, crashed, timeout, garbage, not-asked: there is no answer. garbage is a malformed reply.
 *
 * The last four are for requests of a client that show no signature of this service:
 *
 * - unsigned: sent without a signature to a public resource.
 * - foreign: sent to a host of another service.
 * - unimplemented: for an operation that the server lacks.
 * - unjudged: refused before the signature was checked.
 */
export const STATUSES = [
  'pass',
  'fail',
  'refused',
  'inconclusive',
  'open',
  'unsupported',
  'error',
  'crashed',
  'timeout',
  'garbage',
  'not-asked',
  'unsigned',
  'foreign',
  'unimplemented',
  'unjudged',
] as const;

export type Status = (typeof STATUSES)[number];

export interface Verdict {
  readonly status: Status;
  /** One sentence about the reply; empty if the status says everything. */
  readonly message: string;
  readonly difference?: Difference;
  /** The name of the accepted answer to an open question that the reply equals. */
  readonly met?: string;
  /** The harness failed to judge the reply; the status is `unjudged`. */
  readonly isInternalError?: true;
}

/** The expectation that a reply is judged by. */
export type Claim = Pick<Vector, 'operation' | 'expect' | 'accept' | 'refuse' | 'control'>;

/** Judges a reply. If judging throws, only this verdict is lost. */
export function judgeSafely(vector: Claim, reply: Reply, control?: Reply): Verdict {
  try {
    return judge(vector, reply, control);
  } catch (error) {
    return { status: 'unjudged', message: describeInternalError(error), isInternalError: true };
  }
}

/** Judges the replies to a question and to its control. */
export function judge(vector: Claim, reply: Reply, control?: Reply): Verdict {
  if (vector.accept) return judgeOpen(vector, vector.accept, reply);
  if (vector.refuse) return judgeRefusal(vector, vector.refuse, reply, control);
  return judgeAnswer(vector.operation, vector.expect ?? {}, reply);
}

const PASS: Verdict = { status: 'pass', message: '' };

function toFailedVerdict(reply: Exclude<Reply, { kind: 'result' | 'refused' }>): Verdict {
  return { status: reply.kind, message: reply.message ?? '' };
}

function judgeAnswer(operation: string, expected: Stages, reply: Reply): Verdict {
  switch (reply.kind) {
    case 'result': {
      const { result, trace } = reply;
      const missing = resultStages(operation).find((stage) => result[stage] === undefined);
      if (missing !== undefined) {
        const message = `the result lacks ${missing}, which ${operation} must return`;
        return { status: 'garbage', message };
      }
      const difference = findFirstDifference(operation, expected, { ...trace, ...result });
      return difference ? { status: 'fail', message: '', difference } : PASS;
    }
    case 'refused':
      return { status: 'refused', message: describeRefusal(reply) };
    default:
      return toFailedVerdict(reply);
  }
}

function judgeRefusal(
  vector: Claim,
  refuse: Refuse,
  reply: Reply,
  controlReply: Reply | undefined,
): Verdict {
  switch (reply.kind) {
    case 'result': {
      if (isCompletion(vector, reply)) return { status: 'pass', message: 'added what is missing' };
      const results = resultStages(vector.operation).map((stage) => reply.result[stage]);
      const message = `${describeAnswer(results)}; must be refused${describeReason(refuse)}`;
      return { status: 'fail', message };
    }
    case 'refused':
      return judgeControl(vector, controlReply) ?? judgeReason(refuse, reply);
    default:
      return toFailedVerdict(reply);
  }
}

/** Why a refusal proves nothing: the control got no correct answer; undefined if it did. */
function judgeControl(
  { operation, control }: Claim,
  reply: Reply = { kind: 'not-asked', message: '' },
): Verdict | undefined {
  const verdict = judgeAnswer(operation, control?.expect ?? {}, reply);
  const { status } = verdict;
  if (status === 'pass') return undefined;
  // The run stopped early, or the SDK cannot express the input: without an answer to the control, a refusal proves nothing.
  if (status === 'not-asked' || status === 'unsupported') return verdict;
  const named = { fail: 'got a wrong answer', refused: 'was refused too' } as const;
  const what = status === 'fail' || status === 'refused' ? named[status] : `ended as ${status}`;
  const message = `refused, but the correct input ${what}`;
  return { ...verdict, status: 'inconclusive', message };
}

function judgeReason({ exact, reason }: Refuse, reply: RefusalReply): Verdict {
  if (reply.reason === reason) return PASS;
  return exact
    ? { status: 'fail', message: describeRefusal(reply, ` instead of ${JSON.stringify(reason)}`) }
    : { status: 'pass', message: describeRefusal(reply) };
}

/** The only reason that is correct; of any reason, an example. */
function describeReason({ exact, reason }: Refuse): string {
  return ` ${exact ? 'as' : 'for example as'} ${reason}`;
}

/** Whether a signer added the missing part of a request, where the vector allows that. */
export function isCompletion(
  { operation, refuse, control }: Pick<Claim, 'operation' | 'refuse' | 'control'>,
  reply: Reply,
): boolean {
  if (!refuse?.completable || !control) return false;
  return judgeAnswer(operation, control.expect, reply).status === 'pass';
}

type RefusalReply = Extract<Reply, { kind: 'refused' }>;

function describeRefusal({ reason, message }: RefusalReply, correct = ''): string {
  return `refused as ${JSON.stringify(reason)}${correct}${message && `: ${message}`}`;
}

function describeAnswer(results: readonly unknown[]): string {
  return `answered ${shorten(results.map((one) => JSON.stringify(one)).join(', '))}`;
}

function judgeOpen(
  vector: Claim,
  accept: Readonly<Record<string, Alternative>>,
  reply: Reply,
): Verdict {
  if (reply.kind !== 'result' && reply.kind !== 'refused') return toFailedVerdict(reply);
  const met = Object.entries(accept).find(([, { expect }]) =>
    expect
      ? judgeAnswer(vector.operation, expect, reply).status === 'pass'
      : reply.kind === 'refused',
  );
  if (met) return { status: 'open', message: met[1].because, met: met[0] };
  const answer =
    reply.kind === 'refused' ? describeRefusal(reply) : describeAnswer(Object.values(reply.result));
  return { status: 'open', message: `${answer}, which is not one of the accepted answers` };
}
