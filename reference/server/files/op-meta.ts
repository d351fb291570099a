/**
 * OpMeta: `POST /<key>?opmeta`, which changes the media type of a file.
 *
 * @module
 */
import { type Answer, emptyAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import { changedObject } from './changed-object.ts';
import { jsonBody } from './json-body.ts';
import { checkedType } from './particulars.ts';
import { badRequest } from './refusal.ts';

export const opMeta: FileOperation = { name: 'OpMeta', isPublicRead: false, answer };

async function answer(call: FileCall): Promise<Answer> {
  const { op, metak, metav } = await jsonBody(call);
  if (op !== 'set' || metak !== 'mimetype' || typeof metav !== 'string') {
    throw badRequest(
      `op is ${JSON.stringify(op)} and metak ${JSON.stringify(metak)}; only op "set" of metak "mimetype" with a text as metav is known`,
    );
  }
  const contentType = checkedType(metav);
  await changedObject(call, (object) => ({ ...object, contentType }));
  return emptyAnswer(200);
}
