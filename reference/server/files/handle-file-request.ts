/**
 * Handles a file request: finds its operation and its bucket, verifies its signature, and runs the operation.
 *
 * @module
 */
import { judgeFile, judgeForm } from '../authentication/file.ts';
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
    authorizeForm: (form) =>
      accept(judgeForm(service, wire, form, operation, candidates), form.key),
  });
  const accept = async (judged: BucketJudgement, signedKey: string): Promise<FileCall> => {
    const { bucket, judgement } = judged;
    Object.assign(found, { bucket: bucket.name, key: signedKey, judgement });
    if (judgement.kind === 'wrong') throw fileSignatureError(judgement);
    await checkAccess(service, operation, judged, signedKey, candidates);
    return callFor(bucket, signedKey);
  };
  if (operation.skipsSignature) return callFor(candidates.buckets[0], key);
  return accept(judgeFile(service, { wire, key, operation }, candidates), key);
}

/** Throws unless the account that has signed the request owns the bucket, or any client may do this. */
async function checkAccess(
  { accounts, store }: Service,
  { isPublicRead }: FileOperation,
  { bucket, judgement }: BucketJudgement,
  key: string,
  { isNamed, buckets }: Candidates,
): Promise<void> {
  const isSigned = judgement.kind === 'right';
  if (isSigned && ownsBucket(accounts, bucket, judgement.publicKey)) return;
  // Without a name and without a signature, one of several buckets would be a guess.
  const isGuess = !isSigned && !isNamed && buckets.length > 1;
  if (isPublicRead && !isGuess) {
    if (bucket.type === 'public') return;
    const object = key === '' ? undefined : await store.object(bucket.name, key);
    if (object?.acl === 'public-read') return;
  }
  if (isSigned) throw fileError('notOwner', JSON.stringify(bucket.name));
  throw fileError('signatureMissing', isGuess ? unnamedHint(buckets) : undefined);
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

/** With one account, the account makes no difference, and the copy would cost time. */
function withActor(service: Service, { judgement }: Found): Service {
  if (service.accounts.length === 1 || judgement?.kind !== 'right') return service;
  return { ...service, actor: judgement.publicKey };
}

function addHeaders(answer: Answer, headers: Answer['headers']): Answer {
  return headers.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...headers] };
}
