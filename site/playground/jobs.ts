/**
 * What takes longer than a keystroke: the search for causes, and the ETag of a file.
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
import { sha1 } from '../../reference/signing/digest/portable.ts';
import { type EtagStages, etagHash, SPECIFICATION } from '../../reference/signing/index.ts';

export type Job =
  | { readonly kind: 'explain'; readonly signed: SignedRequest; readonly options: ExplainOptions }
  | { readonly kind: 'etag'; readonly file: Blob };

export type Report =
  | { readonly kind: 'progress'; readonly done: number; readonly of: number }
  | { readonly kind: 'explained'; readonly explained: ExplainedRequest }
  | { readonly kind: 'etag'; readonly stages: EtagStages }
  | { readonly kind: 'failed'; readonly message: string };

/** Says how far a job is; the next part of the job waits for the result. */
type Progress = (done: number, of: number) => unknown;

/** Runs a job to its last report. */
export async function runJob(job: Job, progress: Progress): Promise<Report> {
  try {
    if (job.kind === 'explain') return explain(job.signed, job.options, progress);
    return { kind: 'etag', stages: await computeEtag(job.file, progress) };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

/** One of so many computed signatures is reported. */
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
  return etagHash({ ...SPECIFICATION, steps: { ...steps, blockHash } }).stages();
}

/** Hashes with the machine code of the browser, which it offers to secure pages only. */
async function hashBlock(block: ArrayBuffer): Promise<Uint8Array> {
  if (!globalThis.isSecureContext) return sha1(new Uint8Array(block));
  return new Uint8Array(await crypto.subtle.digest('SHA-1', block));
}
