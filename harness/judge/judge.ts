/**
 * What a reply is worth, given what the vector says.
 *
 * @module
 */
import { type Reply, shortened } from '../adapter/messages.ts';
import { internalErrorText } from '../errors.ts';
import { resultStages } from '../suite/operations.ts';
import type { Alternative, Refuse, Stages, Vector } from '../suite/vector.ts';
import { type Difference, firstDifference } from './difference.ts';

/**
 * pass: as expected. fail: another answer, or an answer where a refusal is due. refused: no answer where one is due.
 * inconclusive: refused as it should be, but so was the control. open: nobody says what is right; `met` names the answer.
 * The next ones say what happened in place of an answer. The last four are about requests of a client that show no
 * signature of this service: sent without one to what is public, sent to somebody else's host, for an operation that
 * the server has not got, or refused before the signature was looked at.
 */
export type Status =
  | 'pass'
  | 'fail'
  | 'refused'
  | 'inconclusive'
  | 'open'
  | 'unsupported'
  | 'error'
  | 'crashed'
  | 'timeout'
  | 'garbage'
  | 'not-asked'
  | 'unsigned'
  | 'foreign'
  | 'unimplemented'
  | 'unjudged';

export interface Verdict {
  readonly status: Status;
  /** One sentence about what was observed; empty where the status says it all. */
  readonly message: string;
  readonly difference?: Difference;
  /** Of an open vector: the name of the answer that was met, if any was. */
  readonly met?: string;
  /** The harness failed to judge the reply, which says nothing about the reply; the status is `unjudged`. */
  readonly isInternalError?: true;
}

/** What is claimed of the reply to a question. */
export type Claim = Pick<Vector, 'operation' | 'expect' | 'accept' | 'refuse' | 'control'>;

/** The verdict of `judge`, or that it failed: one reply that it fails over takes no other verdict with it. */
export function verdictOn(vector: Claim, reply: Reply, control?: Reply): Verdict {
  try {
    return judge(vector, reply, control);
  } catch (error) {
    return { status: 'unjudged', message: internalErrorText(error), isInternalError: true };
  }
}

/** Judges the reply to a vector's question, and to its control where it has one. */
export function judge(vector: Claim, reply: Reply, control?: Reply): Verdict {
  if (vector.accept) return judgeOpen(vector, vector.accept, reply);
  if (vector.refuse) return judgeRefusal(vector, vector.refuse, reply, control);
  return judgeAnswer(vector.operation, vector.expect ?? {}, reply);
}

/** The statuses of replies that are no answers. */
function broken(reply: Exclude<Reply, { kind: 'result' | 'refused' }>): Verdict {
  return { status: reply.kind, message: reply.message ?? '' };
}

function judgeAnswer(operation: string, expected: Stages, reply: Reply): Verdict {
  switch (reply.kind) {
    case 'result': {
      const missing = resultStages(operation).find((stage) => reply.result[stage] === undefined);
      if (missing !== undefined) {
        return {
          status: 'garbage',
          message: `the result lacks ${missing}, which ${operation} is judged by`,
        };
      }
      const difference = firstDifference(operation, expected, { ...reply.trace, ...reply.result });
      return difference
        ? { status: 'fail', message: '', difference }
        : { status: 'pass', message: '' };
    }
    case 'refused':
      return { status: 'refused', message: refusalText(reply) };
    default:
      return broken(reply);
  }
}

function judgeRefusal(
  { operation, control }: Claim,
  refuse: Refuse,
  reply: Reply,
  controlReply: Reply | undefined,
): Verdict {
  switch (reply.kind) {
    case 'result': {
      if (isCompleted({ operation, refuse, ...(control && { control }) }, reply)) {
        return { status: 'pass', message: 'added what is missing' };
      }
      const results = resultStages(operation).map((stage) => JSON.stringify(reply.result[stage]));
      return {
        status: 'fail',
        message: `answered ${shortened(results.join(', '))} where ${refuse.reason} is due`,
      };
    }
    case 'refused': {
      const verdict: Verdict = controlReply
        ? judgeAnswer(operation, control?.expect ?? {}, controlReply)
        : { status: 'not-asked', message: '' };
      // Without an answer to the control, the refusal proves nothing: the run ended, or the input cannot be expressed.
      if (verdict.status === 'not-asked' || verdict.status === 'unsupported') return verdict;
      if (verdict.status !== 'pass') {
        const what =
          verdict.status === 'fail' ? 'is answered wrongly' : `ends as ${verdict.status}`;
        const message = `refused, but the same input made right ${what}, so the refusal proves nothing`;
        return { ...verdict, status: 'inconclusive', message };
      }
      if (refuse.exact && reply.reason !== refuse.reason) {
        return {
          status: 'fail',
          message: `${refusalText(reply)}, where the reason ${refuse.reason} is due`,
        };
      }
      return { status: 'pass', message: reply.reason === refuse.reason ? '' : refusalText(reply) };
    }
    default:
      return broken(reply);
  }
}

/** Whether a signer added what the request lacks, where it may. */
export function isCompleted(
  { operation, refuse, control }: Pick<Claim, 'operation' | 'refuse' | 'control'>,
  reply: Reply,
): boolean {
  if (!refuse?.completable || !control) return false;
  return judgeAnswer(operation, control.expect, reply).status === 'pass';
}

function refusalText(reply: { readonly reason: string; readonly message: string }): string {
  return `refused as ${JSON.stringify(reply.reason)}${reply.message && `: ${reply.message}`}`;
}

function judgeOpen(
  vector: Claim,
  accept: Readonly<Record<string, Alternative>>,
  reply: Reply,
): Verdict {
  if (reply.kind !== 'result' && reply.kind !== 'refused') return broken(reply);
  const met = Object.entries(accept).find(([, { expect }]) =>
    expect
      ? judgeAnswer(vector.operation, expect, reply).status === 'pass'
      : reply.kind === 'refused',
  );
  if (met) return { status: 'open', message: met[1].because, met: met[0] };
  const answer =
    reply.kind === 'refused'
      ? refusalText(reply)
      : `answered ${shortened(
          Object.values(reply.result)
            .map((text) => JSON.stringify(text))
            .join(', '),
        )}`;
  return { status: 'open', message: `${answer}, which is none of the named answers` };
}
