/**
 * Converts a server's response to a reply: accepted, refused, or an error.
 *
 * @module
 */

import { computeAnswer, isRefused } from '../../engine/answer.ts';
import { quoteStart } from '../../engine/excerpt.ts';
import type { Dialect, Question, Reply } from '../../engine/protocol.ts';
import type { NoResponse, Response } from './connection.ts';

/** Responses to actions may have the status 200 even for errors, so their codes decide. */
const SIGNATURE_CODES: ReadonlyMap<number, string> = new Map([
  [-148658, 'signature-mismatch'],
  [-148643, 'authorization-missing'],
  [170, 'signature-missing'],
  [171, 'signature-mismatch'],
  [172, 'public-key-unknown'],
  [173, 'signature-mismatch'],
  [174, 'public-key-unknown'],
]);

/** For signatures, and for requests that are too long to be read. */
const REFUSING_STATUSES = [401, 403, 413, 414, 431];

/** Refuses a malformed request. For any other request, it reports a problem that is not the signature. */
const BAD_REQUEST = 400;

/** 160: a required parameter is missing. 90002: the built-in server cannot read the parameters. */
const FORM_CODES = [160, 90002];

/** 220: a parameter is missing, whose name is in the message. */
const MISSING_PARAMETER = 220;
const REQUIRED_PARAMETERS = /Action|PublicKey|Signature/;

/**
 * Any response except a signature error counts as accepted, such as an unknown action or a missing file.
 *
 * @param isMalformed whether the specification refuses the request for its form
 */
export function toReply(
  response: Response | NoResponse,
  publicKey: string,
  isMalformed: () => boolean,
): Reply {
  if ('kind' in response) return response;
  const { status, body } = response;
  const members = parseMembers(body);
  const message = `answered ${status}${body === '' ? '' : ` ${quoteStart(body, 120)}`}`;
  // 501 Not Implemented: the server does not support the request.
  if (status === 501) return { kind: 'unsupported' };
  if (status >= 500) return { kind: 'error', message };
  const reason =
    status === BAD_REQUEST && isMalformed() ? 'malformed' : findReason(status, members);
  return reason === undefined
    ? { kind: 'result', result: { publicKey }, trace: {} }
    : { kind: 'refused', reason, message };
}

type Members = Readonly<Record<string, unknown>>;

function parseMembers(body: string): Members {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Members) : {};
  } catch {
    return {};
  }
}

/** Finds the reason code of a refusal, or names its status; undefined for an accepted request. */
function findReason(status: number, members: Members): string | undefined {
  const { RetCode: code, ErrMsg, Message, Signature } = members;
  const text = String(ErrMsg ?? Message ?? '');
  const isSignatureError =
    REFUSING_STATUSES.includes(status) ||
    SIGNATURE_CODES.has(Number(code)) ||
    FORM_CODES.includes(Number(code)) ||
    (code === MISSING_PARAMETER && REQUIRED_PARAMETERS.test(text));
  if (!isSignatureError) return undefined;
  const reason = (Signature as Members | undefined)?.['reason'];
  if (typeof reason === 'string') return reason;
  // The code for an expired URL is not published, but its message has these words.
  if (/time ?out|expire/i.test(text)) return 'expired';
  return SIGNATURE_CODES.get(Number(code)) ?? `status ${status}`;
}

/** The reasons for which the specification refuses a well-formed request. */
const SIGNATURE_REASONS: readonly string[] = [
  'signature-mismatch',
  'public-key-unknown',
  'expired',
];

/** Whether the specification refuses the request of a question for its form, before its signature is compared. */
export function isMalformed(question: Question, dialect: Dialect): boolean {
  const answer = computeAnswer(question, dialect);
  return isRefused(answer) && !SIGNATURE_REASONS.includes(answer.reason);
}
