/**
 * The upload that a request on parts is about.
 *
 * @module
 */
import { quoted } from '../quoted.ts';
import type { FileCall } from '../service.ts';
import type { Upload } from '../store/store.ts';
import { badRequest, refusal } from './refusal.ts';

/** With parts of 4 MiB more would not fit into the largest file, of 5 TB. */
const MOST_PARTS = 1_310_720;

/** What this server gives out, and looks up. */
const ID = /^[0-9a-f-]{36}$/;

/** An upload of this bucket, and of this key where the request names one. */
export async function uploadOf({ service, bucket, key, query }: FileCall): Promise<Upload> {
  const id = query.get('uploadId') ?? '';
  const upload = ID.test(id) ? await service.store.upload(id) : undefined;
  if (upload?.bucket === bucket.name && (key === '' || upload.key === key)) return upload;
  throw unknownUpload(id);
}

export function unknownUpload(id: string): Error {
  return refusal(
    'uploadUnknown',
    `no upload ${quoted(id)} of this file is under way; it was finished, aborted or never begun`,
  );
}

/** From 0. */
export function partNumberOf({ query }: FileCall): number {
  const text = query.get('partNumber') ?? '';
  if (/^\d{1,7}$/.test(text) && Number(text) < MOST_PARTS) return Number(text);
  throw badRequest(
    `partNumber is ${JSON.stringify(text)}; it has to be a number from 0 to ${MOST_PARTS - 1}`,
  );
}
