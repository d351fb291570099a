/**
 * UploadPartCopy: an UploadPart whose bytes are those of a file, or a range of them.
 *
 * @module
 */
import type { Answer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import type { StoredObject } from '../store/store.ts';
import { headerOf } from '../wire-request.ts';
import { type ByteRange, contentRange } from './byte-range.ts';
import { copySource } from './copy-source.ts';
import { partNumberOf, uploadOf } from './multipart-upload.ts';
import { refusal } from './refusal.ts';
import { placedPart } from './upload-part.ts';

export const uploadPartCopy: FileOperation = {
  name: 'UploadPartCopy',
  isPublicRead: false,
  answer,
};

async function answer(call: FileCall): Promise<Answer> {
  const { store } = call.service;
  const number = partNumberOf(call);
  const { id } = await uploadOf(call);
  const source = await copySource(call);
  const range = copyRange(headerOf(call.wire, 'X-Ufile-Copy-Source-Range'), source);
  const pieces = await store.opened(source, range.start, range.end);
  if (pieces === undefined) throw refusal('fileUnknown');
  const placed = await placedPart(call, id, number, await store.content(pieces));
  const said = ['Content-Range', contentRange(range, source.size)] as const;
  return { ...placed, headers: [...placed.headers, said] };
}

/** The whole without a range. A range has to lie within the file: nothing says that it is cut to fit. */
function copyRange(header: string | undefined, { size }: StoredObject): ByteRange {
  if (header === undefined || header === '') return { start: 0, end: size };
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(header) ?? [];
  const range = { start: Number(first), end: Number(last) + 1 };
  if (range.start < range.end && range.end <= size) return range;
  throw refusal(
    'badCopyRange',
    `X-Ufile-Copy-Source-Range is ${JSON.stringify(header)}; it has to be bytes=a-b within the ${size} bytes of the source`,
  );
}
