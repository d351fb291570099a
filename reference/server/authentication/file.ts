/**
 * The signature of a file request: in its header (§5.2), in its URL (§5.4), or none.
 *
 * @module
 */
import { verifyAuthorization, verifyPresignedUrl } from '../../signing/index.ts';
import type { Judgement, SuspectRequest } from '../judgement.ts';
import type { FileOperation, Service } from '../service.ts';
import { headerOf, type WireRequest } from '../wire-request.ts';
import { type BucketJudgement, type Candidates, judgedAmong } from './candidates.ts';
import { judged, type Signature } from './judging.ts';
import { expiredDate, policyRefusal } from './moved-texts.ts';
import { presignedContentHeaders, vendorTexts } from './vendor-texts.ts';

/** A host that no request has: where the bucket stands is settled already. */
const FILE_HOST = 'file-host.invalid';

/** What is signed, apart from the bucket. */
interface Asked {
  readonly wire: WireRequest;
  readonly key: string;
  readonly operation: FileOperation;
}

type SignatureFor = (bucket: string) => Signature;

/** Judges a request whose signature does not stand in its body. */
export function judgedFile(
  service: Service,
  asked: Asked,
  candidates: Candidates,
): BucketJudgement {
  const inHeader = headerOf(asked.wire, 'Authorization') !== undefined;
  const inUrl = isPresigned(service, asked.wire);
  if (inHeader && inUrl) return { bucket: candidates.buckets[0], judgement: signedTwice() };
  if (!inHeader && !inUrl) {
    return { bucket: candidates.buckets[0], judgement: { kind: 'unsigned' } };
  }
  const signatureFor = inHeader ? headerSignature(service, asked) : urlSignature(service, asked);
  return judgedSignature(service, signatureFor, candidates);
}

/** Tries a signature with each bucket, and looks for the cause of one that fits none once. */
export function judgedSignature(
  service: Service,
  signatureFor: SignatureFor,
  candidates: Candidates,
): BucketJudgement {
  const quick: Service = { ...service, diagnose: () => undefined };
  return judgedAmong(candidates, ({ name }, isLast) =>
    judged(isLast ? service : quick, signatureFor(name)),
  );
}

/** The request as those see it who look for the cause. */
export function suspectOf(
  { method, target, headers }: WireRequest,
  bucket: string | undefined,
  body: string,
): SuspectRequest {
  return { method, target, headers, body, bucket };
}

function isPresigned({ context }: Service, { query }: WireRequest): boolean {
  const pairs = context.steps.decodedQuery(query, context) ?? [];
  return pairs.some(([name]) => [context.dialect.publicKeyParameter, 'Signature'].includes(name));
}

function headerSignature(service: Service, { wire, key, operation }: Asked): SignatureFor {
  const { context } = service;
  const { method, headers, query } = wire;
  const value = headerOf(wire, 'Authorization') ?? '';
  const parts = context.steps.parsedAuthorization(value, context.dialect.scheme, context);
  const refusal =
    policyRefusal(service, { operation, method }, parts?.policy ?? '') ??
    expiredDate(service, wire);
  return (bucket) => ({
    signedIn: 'header',
    publicKey: parts?.publicKey,
    variants: vendorTexts({ headers, query }, context).filter(({ operations }) =>
      operations.includes(operation.name),
    ),
    refusal,
    verify: (accounts, own) => verifyAuthorization({ method, bucket, key, headers }, accounts, own),
    suspect: suspectOf(wire, bucket, ''),
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
    variants: presignedContentHeaders({ headers }, context),
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
    suspect: suspectOf(wire, bucket, ''),
  });
}

function signedTwice(): Judgement {
  return {
    kind: 'wrong',
    signedIn: 'header',
    publicKey: undefined,
    reason: 'signed-twice',
    message:
      'the request has a header Authorization (§5.2) and a signature in its query (§5.4); the service takes one; leave one of them out',
  };
}
