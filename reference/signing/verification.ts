/**
 * What a verifier says of a request (§5, E1).
 *
 * @module
 */
import { InputError, type InputErrorCode } from './errors.ts';
import type { Context } from './steps.ts';
import type { KeyPair } from './types.ts';

/** Why a request is refused. §7 names no codes; these are this project's. */
export type RefusalReason =
  | InputErrorCode
  | 'authorization-malformed'
  | 'authorization-missing'
  | 'body-malformed'
  | 'expired'
  | 'expires-malformed'
  | 'public-key-unknown'
  | 'query-malformed'
  | 'signature-mismatch'
  | 'signature-missing'
  | 'url-malformed';

export interface Refusal {
  readonly accepted: false;
  readonly reason: RefusalReason;
  /** One sentence: what, observed, rule. Never a private key, never the right signature. */
  readonly message: string;
}

export interface Acceptance<Stages> {
  readonly accepted: true;
  readonly publicKey: string;
  /** What led to the right signature, which is the one that the request carries. */
  readonly stages: Stages;
}

export type Verification<Stages> = Acceptance<Stages> | Refusal;

/** Finds the key pair of an account by its public key (§1). */
export type Accounts = (publicKey: string) => KeyPair | undefined;

export function refusal(reason: RefusalReason, message: string): Refusal {
  return { accepted: false, reason, message };
}

/** Compares two texts in a time that depends on the length of the expected one only. */
export function sameText(expected: string, received: string): boolean {
  let difference = expected.length ^ received.length;
  for (let i = 0; i < expected.length; i++) {
    // Past the end of `received` this is NaN, which `^` takes as 0; the lengths differ already.
    difference |= expected.charCodeAt(i) ^ received.charCodeAt(i);
  }
  return difference === 0;
}

/** Recomputes the signature with the account's key and compares (§1, §5); input that has no signature is refused. */
export function judged<Stages extends { readonly signature: string }>(
  publicKey: string,
  received: string,
  accounts: Accounts,
  context: Context,
  sign: (keys: KeyPair) => Stages,
): Verification<Stages> {
  const keys = accounts(publicKey);
  if (!keys) {
    return refusal(
      'public-key-unknown',
      `public key ${JSON.stringify(publicKey)} belongs to no account here; use the key of an account (§1)`,
    );
  }
  const stages = sign(keys);
  if (!context.steps.sameText(stages.signature, received)) {
    return refusal(
      'signature-mismatch',
      `signature ${JSON.stringify(received)} is not the one of this request and account (§7 E1); compare the string to sign`,
    );
  }
  return { accepted: true, publicKey, stages };
}

/** Runs a verification in which input that §5 gives no signature to is refused with its code. */
export function refusingBadInput<Stages>(verify: () => Verification<Stages>): Verification<Stages> {
  try {
    return verify();
  } catch (error) {
    if (error instanceof InputError) return refusal(error.code, error.message);
    throw error;
  }
}
