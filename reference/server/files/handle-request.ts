/**
 * Handles a file request: finds its operation and its bucket, verifies its signature, and runs the operation.
 *
 * @module
 */
import { judgeFile } from '../authentication/file.ts';
import { judgeForm } from '../authentication/form.ts';
import { type BucketJudgement, type Candidates, unnamedHint } from '../authentication/judge.ts';
import type { FileCall, FileOperation, Service } from '../authentication/service.ts';
import { errorAnswer } from '../messages/error-answer.ts';
import { fileError, fileSignatureError } from '../messages/errors.ts';
import type { Answer, Outcome, WireRequest } from '../messages/exchange.ts';
import { vendorHeaders } from '../messages/judgement.ts';
import type { Bucket } from '../store/store.ts';
import { corsHeaders, type FileTarget, findOperation } from './operations.ts';

/** What the log shows of a request, as far as it is known. */
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
    service,
    wire,
    bucket,
    key: signedKey,
    query,
    authorizeForm: async (form) => {
      found.key = form.key;
      const judged = judgeForm(service, wire, form, operation, candidates);
      return callFor(acceptJudgement(judged, found), form.key);
    },
  });
  if (operation.signedIn) return callFor(candidates.buckets[0], key);
  const judged = judgeFile(service, { wire, key, operation }, candidates);
  const bucket = acceptJudgement(judged, found);
  if (judged.judgement.kind === 'unsigned') {
    // Without a name and without a signature, one of several buckets would be a guess.
    if (!candidates.isNamed && candidates.buckets.length > 1) {
      throw fileError('signatureMissing', unnamedHint(candidates.buckets));
    }
    await checkPublic(service, operation, bucket, key);
  }
  return callFor(bucket, key);
}

/** Throws for a wrong signature, after the log knows of it. */
function acceptJudgement({ bucket, judgement }: BucketJudgement, found: Found): Bucket {
  found.bucket = bucket.name;
  found.judgement = judgement;
  if (judgement.kind === 'wrong') throw fileSignatureError(judgement);
  return bucket;
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

/** Without a signature a client may read what is public, and do nothing else. */
async function checkPublic(
  { store }: Service,
  { isPublicRead }: FileOperation,
  bucket: Bucket,
  key: string,
): Promise<void> {
  if (isPublicRead && bucket.type === 'public') return;
  const object = isPublicRead && key !== '' ? await store.object(bucket.name, key) : undefined;
  if (object?.acl !== 'public-read') throw fileError('signatureMissing');
}

function addHeaders(answer: Answer, headers: Answer['headers']): Answer {
  return headers.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...headers] };
}
