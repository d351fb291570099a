/**
 * Handles a file request: finds its operation and its bucket, verifies its signature, and runs the operation.
 *
 * @module
 */
import { judgeFile } from '../authentication/file.ts';
import { judgeForm } from '../authentication/form.ts';
import { type BucketJudgement, type Candidates, unnamedHint } from '../authentication/judge.ts';
import {
  type FileCall,
  type FileOperation,
  ownsBucket,
  type Service,
} from '../authentication/service.ts';
import { errorAnswer, fileError, fileSignatureError } from '../messages/errors.ts';
import type { Answer, Outcome, WireRequest } from '../messages/exchange.ts';
import { vendorHeaders } from '../messages/judgement.ts';
import type { Bucket } from '../store/entries.ts';
import { corsHeaders, type FileTarget, findOperation } from './operations.ts';

/** The data of a request for the log, as far as it is known. */
type Found = { -readonly [Name in 'operation' | 'bucket' | 'key' | 'judgement']?: Outcome[Name] };

/** @param bucketName is undefined if the address names no bucket */
export async function handleFileRequest(
  service: Service,
  bucketName: string | undefined,
  wire: WireRequest,
): Promise<Outcome> {
  const found: Found = bucketName === undefined ? {} : { bucket: bucketName };
  try {
    const target = findOperation(wire);
    found.operation = target.operation.name;
    found.key = target.key;
    const candidates = await findCandidates(service, bucketName);
    const call = await authorize(service, wire, target, candidates, found);
    const answer = await target.operation.answer(call);
    const headers = [...vendorHeaders(found.judgement), ...corsHeaders(wire)];
    return Object.assign(found, { answer: addHeaders(answer, headers) });
  } catch (error) {
    const { answer, message } = errorAnswer(error, wire);
    return Object.assign(found, { answer: addHeaders(answer, corsHeaders(wire)), message });
  }
}

/** Throws unless the request is signed, or allowed without a signature. */
async function authorize(
  service: Service,
  wire: WireRequest,
  { operation, key, query }: FileTarget,
  candidates: Candidates,
  found: Found,
): Promise<FileCall> {
  const callFor = (bucket: Bucket, signedKey: string): FileCall => ({
    service: withActor(service, found),
    wire,
    bucket,
    key: signedKey,
    query,
    authorizeForm: async (form) => {
      found.key = form.key;
      const judged = judgeForm(service, wire, form, operation, candidates);
      const { bucket } = judged;
      acceptJudgement(judged, found);
      await checkOwner(service, { operation, bucket, key: form.key }, found);
      return callFor(bucket, form.key);
    },
  });
  if (operation.skipsSignature) return callFor(candidates.buckets[0], key);
  const judged = judgeFile(service, { wire, key, operation }, candidates);
  const { bucket } = judged;
  const wanted = { operation, bucket, key };
  acceptJudgement(judged, found);
  if (judged.judgement.kind === 'unsigned') await checkUnsigned(service, wanted, candidates);
  await checkOwner(service, wanted, found);
  return callFor(bucket, key);
}

/** Logs the judgement, and throws for a wrong signature. */
function acceptJudgement({ bucket, judgement }: BucketJudgement, found: Found): void {
  found.bucket = bucket.name;
  found.judgement = judgement;
  if (judgement.kind === 'wrong') throw fileSignatureError(judgement);
}

async function findCandidates(
  { store }: Service,
  bucketName: string | undefined,
): Promise<Candidates> {
  if (bucketName !== undefined) {
    const bucket = await store.bucket(bucketName);
    if (!bucket) throw fileError('bucketUnknown');
    return { buckets: [bucket], isNamed: true };
  }
  const [first, ...others] = await store.buckets();
  if (!first) throw fileError('bucketUnknown', unnamedHint([]));
  return { buckets: [first, ...others], isNamed: false };
}

/** Throws unless the request may be sent without a signature. */
async function checkUnsigned(
  service: Service,
  wanted: Wanted,
  { isNamed, buckets }: Candidates,
): Promise<void> {
  // Without a name and without a signature, one of several buckets would be a guess.
  if (!isNamed && buckets.length > 1) throw fileError('signatureMissing', unnamedHint(buckets));
  if (!(await isPublic(service, wanted))) throw fileError('signatureMissing');
}

interface Wanted {
  readonly operation: FileOperation;
  readonly bucket: Bucket;
  readonly key: string;
}

/** Whether any client may do this, without a signature or with the signature of any account. */
async function isPublic(
  { store }: Service,
  { operation: { isPublicRead }, bucket, key }: Wanted,
): Promise<boolean> {
  if (!isPublicRead) return false;
  if (bucket.type === 'public') return true;
  const object = key === '' ? undefined : await store.object(bucket.name, key);
  return object?.acl === 'public-read';
}

/** Throws if another account has signed the request, unless it may do this with any bucket. */
async function checkOwner(service: Service, wanted: Wanted, { judgement }: Found): Promise<void> {
  if (judgement?.kind !== 'right') return;
  const { bucket } = wanted;
  if (ownsBucket(service.accounts, bucket, judgement.publicKey)) return;
  if (!(await isPublic(service, wanted))) throw fileError('notOwner', JSON.stringify(bucket.name));
}

/** With one account, the account makes no difference, and the copy would cost time. */
function withActor(service: Service, { judgement }: Found): Service {
  if (service.accounts.length === 1 || judgement?.kind !== 'right') return service;
  return { ...service, actor: judgement.publicKey };
}

function addHeaders(answer: Answer, headers: Answer['headers']): Answer {
  return headers.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...headers] };
}
