/**
 * Restore: `PUT /<key>?restore`, which makes an archive readable for three days.
 *
 * @module
 */
import { type Answer, emptyAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import { headerOf } from '../wire-request.ts';
import { changedObject } from './changed-object.ts';
import { badRequest, refusal } from './refusal.ts';

export const restore: FileOperation = { name: 'Restore', isPublicRead: false, answer };

/** In seconds. */
const READABLE_FOR = 3 * 24 * 60 * 60;

/** The real service takes its time; here an archive is restored at once, whatever the Tier. */
async function answer(call: FileCall): Promise<Answer> {
  const tier = headerOf(call.wire, 'Tier') || 'Standard';
  if (tier !== 'Standard' && tier !== 'Expedited') {
    throw badRequest(`Tier is ${JSON.stringify(tier)}; it has to be Expedited or Standard`);
  }
  const restoredUntil = call.service.now() + READABLE_FOR;
  await changedObject(call, (object) => {
    if (object.storageClass === 'ARCHIVE') return { ...object, restoredUntil };
    throw refusal('classNotAllowed', `the file is ${object.storageClass}, and no archive`);
  });
  return emptyAnswer(200);
}
