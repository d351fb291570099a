/**
 * The signature of a file request: in its header (§5.2), in its URL (§5.4), or none.
 *
 * @module
 */

import { type Refusal, verifyAuthorization, verifyPresignedUrl } from '../../signing/index.ts';
import { findPolicyFault } from '../../signing/verifiers.ts';
import { listVendorTexts, presignedContentHeaders } from '../../vendor-texts.ts';
import { headerValue, type WireRequest } from '../messages/exchange.ts';
import type { Judgement } from '../messages/judgement.ts';
import {
  type BucketJudgement,
  type Candidates,
  judgeBuckets,
  type Signature,
  toSuspect,
} from './judge.ts';
import type { FileOperation, Service } from './service.ts';

/** A placeholder host, because the bucket is already known. */
const FILE_HOST = 'file-host.invalid';

interface Asked {
  readonly wire: WireRequest;
  readonly key: string;
  readonly operation: FileOperation;
}

type SignatureFor = (bucket: string) => Signature;

/** Judges a request whose signature is not in its body. */
export function judgeFile(service: Service, asked: Asked, candidates: Candidates): BucketJudgement {
  const inHeader = headerValue(asked.wire, 'Authorization') !== undefined;
  const inUrl = isPresigned(service, asked.wire);
  if (inHeader && inUrl) return { bucket: candidates.buckets[0], judgement: signedTwice() };
  if (!inHeader && !inUrl) {
    return { bucket: candidates.buckets[0], judgement: { kind: 'unsigned' } };
  }
  const signatureFor = inHeader ? headerSignature(service, asked) : urlSignature(service, asked);
  return judgeBuckets(service, signatureFor, candidates);
}

function isPresigned({ context }: Service, { query }: WireRequest): boolean {
  if (query === '') return false;
  const pairs = context.steps.decodedQuery(query, context) ?? [];
  return pairs.some(([name]) => [context.dialect.publicKeyParameter, 'Signature'].includes(name));
}

function headerSignature(service: Service, { wire, key, operation }: Asked): SignatureFor {
  const { context } = service;
  const { method, headers, query } = wire;
  const value = headerValue(wire, 'Authorization') ?? '';
  const parts = context.steps.parsedAuthorization(value, context.dialect.scheme, context);
  const refusal =
    refusePolicy(service, { operation, method }, parts?.policy ?? '') ??
    refuseExpiredDate(service, wire);
  return (bucket) => ({
    signedIn: 'header',
    publicKey: parts?.publicKey,
    variants: () =>
      listVendorTexts({ headers, query }, context).filter(({ operations }) =>
        operations.includes(operation.name),
      ),
    refusal,
    verify: (accounts, own) => verifyAuthorization({ method, bucket, key, headers }, accounts, own),
    suspect: toSuspect(wire, bucket, ''),
  });
}

function urlSignature({ context, now }: Service, { wire, key }: Asked): SignatureFor {
  const { method, headers, query } = wire;
  const { steps, dialect } = context;
  const path = steps.filePath(key, context);
  const pairs = steps.decodedQuery(query, context) ?? [];
  return (bucket) => ({
    signedIn: 'url',
    publicKey: pairs.find(([name]) => name === dialect.publicKeyParameter)?.[1],
    variants: () => presignedContentHeaders({ headers }, context),
    verify: (accounts, own) =>
      verifyPresignedUrl(
        {
          method,
          url: `http://${bucket}.${FILE_HOST}${path}?${query}`,
          headers,
          fileHost: FILE_HOST,
          now: now(),
        },
        accounts,
        own,
      ),
    suspect: toSuspect(wire, bucket, ''),
  });
}

function signedTwice(): Judgement {
  return {
    kind: 'wrong',
    signedIn: 'header',
    publicKey: undefined,
    reason: 'signed-twice',
    message:
      'the request has a header Authorization (§5.2) and a signature in its query (§5.4); the service accepts only one; remove one of them',
  };
}

interface Uploading {
  readonly operation: Pick<FileOperation, 'name' | 'takesPolicy'>;
  readonly method: string;
}

/** Why a callback policy is refused. In the signed text, it looks like the end of a key, so only uploads may have one, and none on a strict server. */
export function refusePolicy(
  { context, isStrict }: Service,
  { operation, method }: Uploading,
  policy: string,
): Refusal | undefined {
  if (policy === '') return undefined;
  if (isStrict) {
    return refuseMalformed(
      'Authorization has a callback policy; this server is strict and takes the texts of the specification only (§5.2); leave the policy out, or start the server without --strict',
    );
  }
  if (operation.takesPolicy !== true) {
    return refuseMalformed(
      `Authorization has a callback policy, which ${operation.name} does not take; only PutFile, PostFile and FinishMultipartUpload do; send the form of §5.2, public key and signature alone`,
    );
  }
  const fault = findPolicyFault(method, policy, context);
  return fault === undefined ? undefined : refuseMalformed(fault);
}

/**
 * A Date that has only digits is signed like the Expires of a pre-signed URL (§5.4), so it expires like the URL.
 *
 * The SDK for Java sends yyyyMMddHHmmss, which as seconds is far in the future.
 */
function refuseExpiredDate({ context, now }: Service, wire: WireRequest): Refusal | undefined {
  const { steps } = context;
  const date = steps.trimValue(headerValue(wire, 'Date') ?? '');
  const moment = steps.expirySeconds(date);
  if (moment === undefined || !steps.isExpired(moment, now())) return undefined;
  return {
    accepted: false,
    reason: 'expired',
    message: `header Date ${date} is a count of seconds, so it is read as the Expires of a pre-signed URL, which has passed (the time is ${now()}, §5.4); send the date in another form, such as that of RFC 9110`,
  };
}

function refuseMalformed(message: string): Refusal {
  return { accepted: false, reason: 'authorization-malformed', message };
}
