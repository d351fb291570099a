/**
 * Jobs that take longer than a keystroke: the search for causes, and the ETag of a file.
 *
 * @module
 */
import { EVALUATIONS } from '../../harness/engine/explain/causes.ts';
import {
  type ExplainedRequest,
  type ExplainOptions,
  explainSignature,
} from '../../harness/engine/explain/explanation.ts';
import type { SignedRequest } from '../../harness/engine/explain/signed-request.ts';
import { explainValue, type GivenValue } from '../../harness/engine/explain/value.ts';
import type { Rule } from '../../harness/engine/vector.ts';
import { sha1 } from '../../reference/signing/digest/portable.ts';
import {
  type EtagStages,
  etagHash,
  SPECIFICATION,
  withSteps,
} from '../../reference/signing/index.ts';
import { errorMessage } from '../../reference/values.ts';

export type Job =
  | { readonly kind: 'explain'; readonly signed: SignedRequest; readonly options: ExplainOptions }
  | { readonly kind: 'value'; readonly given: GivenValue; readonly rules: readonly Rule[] }
  | { readonly kind: 'etag'; readonly file: Blob };

export type Report =
  | { readonly kind: 'progress'; readonly done: number; readonly of: number }
  | { readonly kind: 'explained'; readonly explained: ExplainedRequest }
  | { readonly kind: 'etag'; readonly stages: EtagStages }
  | { readonly kind: 'failed'; readonly message: string };

/** Reports the progress of a job, which continues after the returned promise resolves. */
type Progress = (done: number, of: number) => unknown;

/** Runs a job to its last report. */
export async function runJob(job: Job, progress: Progress): Promise<Report> {
  try {
    if (job.kind === 'explain') return explain(job.signed, job.options, progress);
    if (job.kind === 'value')
      return { kind: 'explained', explained: explainValue(job.given, job.rules) };
    return { kind: 'etag', stages: await computeEtag(job.file, progress) };
  } catch (error) {
    return { kind: 'failed', message: errorMessage(error) };
  }
}

/** The progress is reported after this many computed signatures. */
const REPORTED = 250;

function explain(signed: SignedRequest, options: ExplainOptions, progress: Progress): Report {
  const { evaluations = EVALUATIONS } = options;
  let computed = 0;
  const onSignature = (): void => {
    computed += 1;
    if (computed % REPORTED === 0) progress(Math.min(computed, evaluations), evaluations);
  };
  return { kind: 'explained', explained: explainSignature(signed, { ...options, onSignature }) };
}

async function computeEtag(file: Blob, progress: Progress): Promise<EtagStages> {
  const { steps } = SPECIFICATION;
  const digests: Uint8Array[] = [];
  for (let start = 0; start < file.size; start += steps.blockSize) {
    const block = await file.slice(start, start + steps.blockSize).arrayBuffer();
    digests.push(await hashBlock(block));
    await progress(start + block.byteLength, file.size);
  }
  const blockHash = () => ({ update: () => {}, digests: () => digests });
  return etagHash(withSteps(SPECIFICATION, { blockHash })).stages();
}

/** Hashes with the built-in SHA-1 of the browser, which is available only to secure pages. */
async function hashBlock(block: ArrayBuffer): Promise<Uint8Array> {
  if (!globalThis.isSecureContext) return sha1(new Uint8Array(block));
  return new Uint8Array(await crypto.subtle.digest('SHA-1', block));
}
