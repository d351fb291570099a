/**
 * Copy: `PUT /<key>` with `X-Ufile-Copy-Source`.
 *
 * @module
 */
import { type Answer, emptyAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import type { StoredObject } from '../store/store.ts';
import { headerOf } from '../wire-request.ts';
import { copySource } from './copy-source.ts';
import { etagHeader } from './object-headers.ts';
import { contentTypeOf, metaOf, type Particulars, storageClassOf } from './particulars.ts';
import { checkNamed, newObject, placed } from './placed-object.ts';
import { badRequest } from './refusal.ts';

export const copy: FileOperation = { name: 'Copy', isPublicRead: false, answer };

async function answer(call: FileCall): Promise<Answer> {
  checkNamed(call.key);
  const source = await copySource(call);
  const object = newObject(call, call.key, particularsOf(call, source), source);
  const contents = await call.service.store.duplicate(source);
  await placed(call, { ...object, contents });
  return emptyAnswer(200, [etagHeader(object.etag)]);
}

/** Of the source, or with REPLACE of the request; the class is that of the request or the bucket. */
function particularsOf({ service, wire, bucket }: FileCall, source: StoredObject): Particulars {
  const storageClass = storageClassOf(wire) ?? bucket.storageClass;
  if (!isReplaced(headerOf(wire, 'X-Ufile-Metadata-Directive'), 'COPY')) {
    return { contentType: source.contentType, storageClass, meta: source.meta };
  }
  const contentType = contentTypeOf(wire) ?? source.contentType;
  return { contentType, storageClass, meta: metaOf(wire, service.context) };
}

/** What a metadata directive says; `otherwise` is the word for leaving it. */
export function isReplaced(
  directive: string | undefined,
  otherwise: 'COPY' | 'UNCHANGED',
): boolean {
  if (directive === 'REPLACE') return true;
  if (directive === undefined || directive === '' || directive === otherwise) return false;
  throw badRequest(
    `X-Ufile-Metadata-Directive is ${JSON.stringify(directive)}; it has to be ${otherwise} or REPLACE`,
  );
}
