/**
 * UploadPart: `PUT /<key>?uploadId=&partNumber=`.
 *
 * @module
 */
import { type Answer, jsonAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import type { Content } from '../store/store.ts';
import { partNumberOf, unknownUpload, uploadOf } from './multipart-upload.ts';
import { etagHeader } from './object-headers.ts';
import { contentTypeOf } from './particulars.ts';
import { receivedContent } from './received-content.ts';

export const uploadPart: FileOperation = { name: 'UploadPart', isPublicRead: false, answer };

async function answer(call: FileCall): Promise<Answer> {
  const number = partNumberOf(call);
  const { id } = await uploadOf(call);
  return placedPart(call, id, number, await receivedContent(call, 'part'));
}

/** Puts a part in its place. Its ETag is the one of parts, of 28 characters. */
export async function placedPart(
  { service, wire }: FileCall,
  uploadId: string,
  number: number,
  content: Content,
): Promise<Answer> {
  const contentType = contentTypeOf(wire) ?? '';
  const part = { number, content, contentType, modifyTime: service.now() };
  if ((await service.store.putPart(uploadId, part)) === 'unknown') throw unknownUpload(uploadId);
  return jsonAnswer(200, { PartNumber: number }, [etagHeader(content.partEtag)]);
}
