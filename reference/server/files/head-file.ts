/**
 * HeadFile: `HEAD /<key>`, what GetFile would say and a little more.
 *
 * @module
 */

import type { HeaderList } from '../../signing/index.ts';
import { type Answer, emptyAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import type { StoredObject } from '../store/store.ts';
import { outlookOf } from './conditions.ts';
import { foundObject } from './found-object.ts';
import { httpDate, objectHeaders } from './object-headers.ts';
import { refusal } from './refusal.ts';

export const headFile: FileOperation = { name: 'HeadFile', isPublicRead: true, answer };

async function answer(call: FileCall): Promise<Answer> {
  const object = await foundObject(call);
  const outlook = outlookOf(call.wire, object);
  if (outlook === 'failed') throw refusal('preconditionFailed');
  return emptyAnswer(outlook === 'not modified' ? 304 : 200, [
    ...objectHeaders(object),
    ['Content-Length', String(object.size)],
    ['X-Ufile-Create-Time', httpDate(object.createTime)],
    ...restoration(object, call.service.now()),
  ]);
}

/** Of an archive that can be read for now; its wording is not published, this is the one of S3. */
function restoration({ restoredUntil }: StoredObject, now: number): HeaderList {
  if (restoredUntil === undefined || restoredUntil <= now) return [];
  const until = httpDate(restoredUntil);
  return [['X-Ufile-Restore', `ongoing-request="false", expiry-date="${until}"`]];
}
