/**
 * What a server's answer says of a signature: accepted, refused, or nothing.
 *
 * @module
 */
import { excerpt, type Reply } from '../adapter/messages.ts';
import type { NoAnswer, WireAnswer } from './sending.ts';

/** Nobody says what an action is answered with but 200, so the codes decide. */
const SIGNATURE_CODES: ReadonlyMap<number, string> = new Map([
  [-148658, 'signature-mismatch'],
  [-148643, 'authorization-missing'],
  [170, 'signature-missing'],
  [171, 'signature-mismatch'],
  [172, 'public-key-unknown'],
  [173, 'signature-mismatch'],
  [174, 'public-key-unknown'],
]);

/** Of a signature, and of what is too long to be read. */
const REFUSING_STATUSES = [401, 403, 413, 414, 431];

/** Refuses a request that is malformed; of any other one it says that something else is wrong with it than its signature. */
const BAD_REQUEST = 400;

/** 160 and 220: what every request has to have is missing. 90002 is the built-in server's for parameters that cannot be read. */
const FORM_CODES = [160, 90002];
const MISSING_PARAMETER = 220;
const REQUIRED = /Action|PublicKey|Signature/;

/**
 * Whether a request is accepted is asked of its signature alone: an unknown action or a missing file accepts it.
 *
 * @param isMalformed whether the specification refuses the request for its form
 */
export function replyOf(
  answer: WireAnswer | NoAnswer,
  publicKey: string,
  isMalformed: () => boolean,
): Reply {
  if ('kind' in answer) return answer;
  const { status, body } = answer;
  const members = membersOf(body);
  const said = `answered ${status}${body === '' ? '' : ` ${excerpt(body, 120)}`}`;
  // Not implemented: the server has no such request at all.
  if (status === 501) return { kind: 'unsupported' };
  if (status >= 500) return { kind: 'error', message: said };
  const reason = status === BAD_REQUEST && isMalformed() ? 'malformed' : reasonOf(status, members);
  return reason === undefined
    ? { kind: 'result', result: { publicKey }, trace: {} }
    : { kind: 'refused', reason, message: said };
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(body: string): Members {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Members) : {};
  } catch {
    return {};
  }
}

/** The reason in the words of the protocol where the answer shows it; nothing of an acceptance. */
function reasonOf(status: number, members: Members): string | undefined {
  const { RetCode: code, ErrMsg, Message, Signature } = members;
  const text = String(ErrMsg ?? Message ?? '');
  const isRefused =
    REFUSING_STATUSES.includes(status) ||
    SIGNATURE_CODES.has(Number(code)) ||
    FORM_CODES.includes(Number(code)) ||
    (code === MISSING_PARAMETER && REQUIRED.test(text));
  if (!isRefused) return undefined;
  const told = (Signature as Members | undefined)?.['reason'];
  if (typeof told === 'string') return told;
  // The service's word for an expired URL; its code is not published.
  if (/time ?out|expire/i.test(text)) return 'expired';
  return SIGNATURE_CODES.get(Number(code)) ?? `status ${status}`;
}
