/**
 * Builds the vectors that only apply to servers: for the server's key pair and bucket, in its dialect.
 *
 * @module
 */
import type { Steps } from '../../../reference/signing/index.ts';
import { computeAnswer, isRefused } from '../../engine/answer.ts';
import type { Dialect } from '../../engine/protocol.ts';
import type { Input, KeyPair, Level, Vector } from '../../engine/vector.ts';
import { toVerifyInput } from '../forgeries/forgeries.ts';

/** The server that a probe asks. */
export interface Target {
  readonly keys: KeyPair;
  readonly dialect: Dialect;
  readonly bucket: string;
  readonly fileHost: string;
  readonly scheme: string;
  /** The server's clock in Unix seconds. */
  readonly now: number;
}

export interface Claim {
  readonly id: string;
  readonly rules: readonly string[];
  readonly level: Level;
  readonly why: string;
}

const SOURCE = 'svc-conformance probe';

const SIGNING: Readonly<Record<string, string>> = {
  'verify-authorization': 'authorization',
  'verify-presigned-url': 'presigned-url',
  'verify-query': 'action-query',
  'verify-json': 'action-json',
};

/**
 * Signs a request and yields the input of the operation that verifies it.
 *
 * @param swap steps that differ from the specification
 */
export function signInput(
  operation: string,
  request: Input,
  { keys, dialect, now }: Target,
  swap: Partial<Steps> = {},
): Input {
  const signing = SIGNING[operation] ?? '';
  const answer = computeAnswer({ operation: signing, input: request, keys }, dialect, swap);
  if (isRefused(answer)) throw new Error(`${signing} cannot be signed: ${answer.message}`);
  const input = toVerifyInput(signing, request, answer) ?? {};
  return 'now' in input ? { ...input, now: `${now}` } : input;
}

/** A request that may be accepted or refused, but must be answered. */
export function expectAnswer(
  operation: string,
  claim: Claim,
  input: Input,
  target: Target,
): Vector {
  return {
    ...createVector(operation, claim, input, target),
    accept: {
      accepted: {
        because: 'The answer is not a signature error.',
        expect: { publicKey: target.keys.publicKey },
      },
      refused: { because: 'The answer is a refusal.', refuse: { reason: 'limit' } },
    },
  };
}

/** A request that was changed after signing and must be refused; undefined if it is correct all the same. */
export function expectRefusal(
  operation: string,
  claim: Claim,
  signed: Input,
  changed: Input,
  target: Target,
): Vector | undefined {
  const { keys, dialect } = target;
  const answer = computeAnswer({ operation, input: changed, keys }, dialect);
  if (!isRefused(answer)) return undefined;
  return {
    ...createVector(operation, claim, changed, target),
    refuse: { reason: answer.reason },
    control: { input: signed, expect: { publicKey: keys.publicKey } },
  };
}

/** The vector without an expectation. */
export function createVector(
  operation: string,
  { id, ...claim }: Claim,
  input: Input,
  { keys }: Target,
): Vector {
  return { ...claim, id: `${operation}/${id}`, operation, source: SOURCE, keys, input };
}
