/**
 * What is refused before a signature is compared, because a client could have moved text into it from its neighbour.
 *
 * @module
 */
import type { Refusal } from '../../signing/index.ts';
import { policyFault } from '../../signing/verifiers.ts';
import type { FileOperation, Service } from '../service.ts';
import { headerOf, type WireRequest } from '../wire-request.ts';

/** What decides whether text may stand where it stands. */
export interface Uploading {
  readonly operation: Pick<FileOperation, 'name' | 'takesPolicy'>;
  readonly method: string;
}

/** A callback policy ends the signed text as the end of a key does, so only uploads take one, and a strict server none. */
export function policyRefusal(
  { context, isStrict }: Service,
  { operation, method }: Uploading,
  policy: string,
): Refusal | undefined {
  if (policy === '') return undefined;
  if (isStrict) {
    return malformed(
      'Authorization has a callback policy; this server is strict and takes the texts of the specification only (§5.2); leave the policy out, or start the server without --strict',
    );
  }
  if (operation.takesPolicy !== true) {
    return malformed(
      `Authorization has a callback policy, which ${operation.name} does not take; only PutFile, PostFile and FinishMultipartUpload do; send the form of §5.2, public key and signature alone`,
    );
  }
  const fault = policyFault(method, policy, context);
  return fault === undefined ? undefined : malformed(fault);
}

/**
 * A Date of digits alone is signed as the Expires of a pre-signed URL is (§5.4), so it ends when the URL ends.
 *
 * The SDK for Java sends yyyyMMddHHmmss: as seconds, that is far ahead.
 */
export function expiredDate({ context, now }: Service, wire: WireRequest): Refusal | undefined {
  const { steps } = context;
  const date = steps.trimValue(headerOf(wire, 'Date') ?? '');
  const moment = steps.expirySeconds(date);
  if (moment === undefined || !steps.isExpired(moment, now())) return undefined;
  return {
    accepted: false,
    reason: 'expired',
    message: `header Date ${date} is a count of seconds, as the Expires of a pre-signed URL, and it is ${now()} (§5.4); send the date in another form, such as that of RFC 9110`,
  };
}

function malformed(message: string): Refusal {
  return { accepted: false, reason: 'authorization-malformed', message };
}
