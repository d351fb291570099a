/**
 * The signature of a file request: in its header (§5.2), in its URL (§5.4), in a field of its form (§4.3), or none.
 *
 * @module
 */

import {
  type Context,
  formAuthorization,
  type KeyPair,
  type Pair,
  type Refusal,
  verifyAuthorization,
  verifyPresignedUrl,
  withSteps,
} from '../../signing/index.ts';
import type { FileStages } from '../../signing/types.ts';
import { accept, catchRefusal, findPolicyFault, refuse } from '../../signing/verifiers.ts';
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
import type { FileOperation, Service, SignedForm } from './service.ts';

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
    refusePolicy(service, operation, method, parts?.policy) ?? refuseExpiredDate(service, wire);
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

/** Why a callback policy is refused. In the signed text, it looks like the end of a key, so only uploads may have one, and none on a strict server. */
function refusePolicy(
  { context, isStrict }: Service,
  { name, takesPolicy }: FileOperation,
  method: string,
  policy = '',
): Refusal | undefined {
  if (policy === '') return undefined;
  const otherwise = takesPolicy
    ? findPolicyFault(method, policy, context)
    : `Authorization has a callback policy, which ${name} does not take; only PutFile, PostFile and FinishMultipartUpload do; send the form of §5.2, public key and signature alone`;
  const message = isStrict
    ? 'Authorization has a callback policy; this server is strict and takes the texts of the specification only (§5.2); leave the policy out, or start the server without --strict'
    : otherwise;
  if (message === undefined) return undefined;
  return { accepted: false, reason: 'authorization-malformed', message };
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

/** Judges a form by its fields. Ignores the Authorization header, because the SDK for PHP sends one that signs another text. */
export function judgeForm(
  service: Service,
  wire: WireRequest,
  form: SignedForm,
  operation: FileOperation,
  candidates: Candidates,
): BucketJudgement {
  const { context } = service;
  const written = form.fields.filter(([name]) => name === 'Authorization').map(([, text]) => text);
  const { scheme } = context.dialect;
  const parts = context.steps.parsedAuthorization(written[0] ?? '', scheme, context);
  const refusal = refusePolicy(service, operation, wire.method, parts?.policy);
  const signatureFor = (bucket: string): Signature => ({
    signedIn: 'form',
    publicKey: parts?.publicKey,
    refusal,
    verify: (accounts, own) =>
      catchRefusal(() => {
        if (written.length !== 1 || !parts) return refuseUnreadable(written, context);
        const { publicKey, signature, policy } = parts;
        const fields = withFileType(form);
        const request = { bucket, key: form.key, headers: wire.headers, fields };
        const sign = (keys: KeyPair): readonly FileStages[] => [
          formAuthorization(request, keys, withPolicy(own, policy)),
        ];
        return accept(publicKey, signature, accounts, own, sign, 'form');
      }),
    suspect: toSuspect(wire, bucket, bodyWithoutFile(wire, form)),
  });
  return judgeBuckets(service, signatureFor, candidates);
}

/** The fields with the signed Content-Type. Most SDKs send no field Content-Type; then the Content-Type of the file part is signed. */
function withFileType({ fields, fileType }: SignedForm): readonly Pair[] {
  const hasType = fields.some(([name]) => name === 'Content-Type');
  return hasType || fileType === undefined ? fields : [...fields, ['Content-Type', fileType]];
}

/** Adds the policy to the end of the signed text, because the SDK for JavaScript also signs a callback policy with a form. */
function withPolicy(context: Context, policy: string): Context {
  return withSteps(context, { signedPolicy: () => policy });
}

/** The body with an empty file, because the real file is not read yet. */
function bodyWithoutFile(wire: WireRequest, { fields, fileType }: SignedForm): string {
  const type = headerValue(wire, 'Content-Type') ?? '';
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type) ?? [];
  const boundary = quoted ?? bare ?? '';
  const part = (name: string, more: string, text: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name.replaceAll(/["\r\n]/g, '_')}"${more}\r\n\r\n${text}\r\n`;
  const ofFile = fileType === undefined ? '' : `\r\nContent-Type: ${fileType}`;
  const parts = [
    ...fields.map(([name, text]) => part(name, '', text)),
    part('file', `; filename="file"${ofFile}`, ''),
  ];
  return `${parts.join('')}--${boundary}--\r\n`;
}

function refuseUnreadable(written: readonly string[], { dialect }: Context): never {
  const [value = '', ...others] = written;
  if (written.length === 0) {
    refuse(
      'authorization-missing',
      'the form has no field Authorization before its file; §4.3 puts the signature there; sign the form',
    );
  }
  const observed = others.length > 0 ? `sent ${written.length} times` : JSON.stringify(value);
  return refuse(
    'authorization-malformed',
    `the form field Authorization is ${observed}; §5.2 allows one; write it as "${dialect.scheme} <PublicKey>:<Signature>"`,
  );
}
