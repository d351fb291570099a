/**
 * A file request: its operation, its bucket, its signature, its answer.
 *
 * @module
 */
import type { Answer } from './answer.ts';
import { type BucketJudgement, type Candidates, unnamed } from './authentication/candidates.ts';
import { judgedFile } from './authentication/file.ts';
import { judgedForm } from './authentication/form.ts';
import { fileSignatureError } from './authentication/signature-error.ts';
import { vendorHeaders } from './authentication/told-judgement.ts';
import { fileErrorAnswer } from './error-answer.ts';
import { FILE_ERRORS, serviceError } from './errors.ts';
import { corsHeaders } from './files/cors.ts';
import { type FileAsked, fileRequest } from './files/operation-of.ts';
import { keyOfPath, parametersOf } from './files/request-target.ts';
import type { FileCall, FileOperation, Outcome, Service } from './service.ts';
import { ServiceError } from './service-error.ts';
import type { Bucket } from './store/store.ts';
import type { WireRequest } from './wire-request.ts';

type Found = { -readonly [Name in 'operation' | 'bucket' | 'key' | 'judgement']?: Outcome[Name] };

/** Answers a request to a bucket, or to one that the address does not name. */
export async function fileOutcome(
  service: Service,
  bucketName: string | undefined,
  wire: WireRequest,
): Promise<Outcome> {
  const found: Found = bucketName === undefined ? {} : { bucket: bucketName };
  try {
    const request = fileRequest(wire) ?? unknownRequest(wire);
    found.operation = request.operation.name;
    found.key = request.key;
    const call = await admitted(service, bucketName, wire, request, found);
    const answer = await request.operation.answer(call);
    const more = [...vendorHeaders(found.judgement), ...corsHeaders(wire)];
    return { answer: withHeaders(answer, more), ...found };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { judgement } = found;
    const message = judgement?.kind === 'wrong' ? judgement.message : error.message;
    const answer = withHeaders(fileErrorAnswer(error, wire), corsHeaders(wire));
    return { answer, message, ...found };
  }
}

/** What nobody offers is answered after its signature, which is worth knowing all the same. */
function unknownRequest(wire: WireRequest): FileAsked {
  const operation: FileOperation = {
    name: 'unknown operation',
    isPublicRead: false,
    answer: () => Promise.reject(serviceError(FILE_ERRORS.notImplemented, askedFor(wire))),
  };
  return { operation, key: keyOfPath(wire.path), query: parametersOf(wire.query) };
}

/** The parameter that comes first says what is asked for; its value may be anything, a signature too. */
function askedFor({ method, path, query }: WireRequest): string {
  const [name = ''] = query.replace(/^&/, '').split(/[=&]/);
  return `${method} ${path}${name === '' ? '' : `?${name}`}`;
}

/** The call, if whoever asks may do it. */
async function admitted(
  service: Service,
  bucketName: string | undefined,
  wire: WireRequest,
  { operation, key, query }: FileAsked,
  found: Found,
): Promise<FileCall> {
  const candidates = await candidatesFor(service, bucketName);
  const { bucket, judgement } = operation.signedIn
    ? { bucket: candidates.buckets[0], judgement: { kind: 'unsigned' } as const }
    : noted(judgedFile(service, { wire, key, operation }, candidates), found);
  if (judgement.kind === 'unsigned' && !operation.signedIn) {
    checkNamed(candidates);
    await checkPublic(service, operation, bucket, key);
  }
  const call: FileCall = {
    service,
    wire,
    bucket,
    key,
    query,
    judgement,
    judgedForm: async (form) => {
      found.key = form.key;
      const inForm = noted(judgedForm(service, wire, form, operation, candidates), found);
      return { ...call, ...inForm, key: form.key };
    },
  };
  return call;
}

/** What is judged is shown, whatever comes of it; what is wrong ends here. */
function noted(judged: BucketJudgement, found: Found): BucketJudgement {
  found.bucket = judged.bucket.name;
  found.judgement = judged.judgement;
  if (judged.judgement.kind === 'wrong') throw fileSignatureError(judged.judgement);
  return judged;
}

async function candidatesFor(
  { store }: Service,
  bucketName: string | undefined,
): Promise<Candidates> {
  if (bucketName !== undefined) {
    const bucket = await store.bucket(bucketName);
    if (!bucket) throw serviceError(FILE_ERRORS.bucketUnknown);
    return { buckets: [bucket], isNamed: true };
  }
  const [first, ...others] = await store.buckets();
  const { status, code, message } = FILE_ERRORS.bucketUnknown;
  if (!first) throw new ServiceError(status, code, `${message}: ${unnamed([])}`);
  return { buckets: [first, ...others], isNamed: false };
}

/** Without a name and without a signature, one of several buckets would be a guess. */
function checkNamed({ buckets, isNamed }: Candidates): void {
  if (isNamed || buckets.length === 1) return;
  const { status, code, message } = FILE_ERRORS.signatureMissing;
  throw new ServiceError(status, code, `${message}: ${unnamed(buckets)}`);
}

/** Without a signature anybody may read what is public, and do nothing else. */
async function checkPublic(
  { store }: Service,
  { isPublicRead }: FileOperation,
  bucket: Bucket,
  key: string,
): Promise<void> {
  if (isPublicRead && bucket.type === 'public') return;
  const object = isPublicRead && key !== '' ? await store.object(bucket.name, key) : undefined;
  if (object?.acl !== 'public-read') throw serviceError(FILE_ERRORS.signatureMissing);
}

function withHeaders(answer: Answer, headers: Answer['headers']): Answer {
  return headers.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...headers] };
}
