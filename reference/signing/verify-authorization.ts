/**
 * The other direction of §5.2: is this `Authorization` header right?
 *
 * @module
 */
import { authorization } from './authorization.ts';
import { type FileStages, fileStages } from './file-signature.ts';
import { trimBlanks, unfold } from './header-lines.ts';
import { policyFault } from './policy.ts';
import type { Context } from './steps.ts';
import type { FileRequest } from './types.ts';
import {
  type Accounts,
  judged,
  refusal,
  refusingBadInput,
  type Verification,
} from './verification.ts';

/** The parts of an `Authorization` value; the policy is empty where there is none. */
export interface ParsedAuthorization {
  readonly publicKey: string;
  readonly signature: string;
  readonly policy: string;
}

/** Takes a header's value apart: scheme, one space, public key, colon, signature, and where there is one, a colon and the policy. */
export function parsedAuthorization(
  value: string,
  scheme: string,
): ParsedAuthorization | undefined {
  if (!value.startsWith(`${scheme} `)) return undefined;
  const [publicKey = '', signature = '', policy, ...more] = value
    .slice(scheme.length + 1)
    .split(':');
  const parts = [publicKey, signature, policy ?? 'none'];
  if (more.length > 0 || parts.some((part) => part === '' || /[ \t]/.test(part))) return undefined;
  return { publicKey, signature, policy: policy ?? '' };
}

/** Verifies a file request by its `Authorization` header. */
export function verifyAuthorization(
  request: FileRequest,
  accounts: Accounts,
  context: Context,
): Verification<FileStages> {
  return refusingBadInput(() => {
    const { steps, dialect } = context;
    steps.checkRequest(request, context);
    const values = request.headers.filter(
      ([name]) => trimBlanks(name).toLowerCase() === 'authorization',
    );
    const [[, value] = [], ...others] = values;
    if (value === undefined) {
      return refusal(
        'authorization-missing',
        'header Authorization is missing; §5.2 requires it; sign the request',
      );
    }
    const parsed =
      others.length === 0 && steps.parsedAuthorization(trimBlanks(unfold(value)), dialect.scheme);
    if (!parsed) {
      return refusal(
        'authorization-malformed',
        `header Authorization is ${others.length > 0 ? `sent ${values.length} times` : JSON.stringify(value)}; §5.2 writes it once, as "${dialect.scheme} <PublicKey>:<Signature>"`,
      );
    }
    // Before the signature is compared: without the checks, part of a longer key passes as a policy.
    const fault = policyFault(request.method, parsed.policy, context);
    if (fault !== undefined) return refusal('authorization-malformed', fault);
    return judged(parsed.publicKey, parsed.signature, accounts, context, (keys) =>
      fileStages(authorization(request, keys, context, parsed.policy)),
    );
  });
}
