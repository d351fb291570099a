/**
 * ClassSwitch: `PUT /<key>?storageClass=`, to a colder class.
 *
 * @module
 */
import { type Answer, emptyAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import type { StorageClass } from '../store/store.ts';
import { changedObject } from './changed-object.ts';
import { storageClass } from './particulars.ts';
import { refusal } from './refusal.ts';

export const classSwitch: FileOperation = { name: 'ClassSwitch', isPublicRead: false, answer };

/** The way back is barred. */
const COLDNESS: Readonly<Record<StorageClass, number>> = { STANDARD: 0, IA: 1, ARCHIVE: 2 };

async function answer(call: FileCall): Promise<Answer> {
  const wanted = storageClass(call.query.get('storageClass') ?? '');
  await changedObject(call, (object) => {
    if (COLDNESS[wanted] > COLDNESS[object.storageClass]) {
      return { ...object, storageClass: wanted };
    }
    throw refusal('classNotAllowed', `${object.storageClass} to ${wanted}; only colder ones are`);
  });
  return emptyAnswer(200);
}
