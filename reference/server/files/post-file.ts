/**
 * PostFile: a `POST` of a form with the file in it, to any path (§4.3).
 *
 * @module
 */
import { type Answer, emptyAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import type { Content } from '../store/store.ts';
import { headerOf } from '../wire-request.ts';
import { callbackOfAuthorization, calledBack } from './callback.ts';
import { announcedMd5, checkMd5 } from './content-md5.ts';
import { type Form, fieldOf, openedForm } from './form.ts';
import { etagHeader } from './object-headers.ts';
import {
  checkedType,
  metaOf,
  type Particulars,
  storageClassOf,
  UNKNOWN_TYPE,
} from './particulars.ts';
import { bytesOf, checkNamed, newObject, placed } from './placed-object.ts';
import { kept, LARGEST_BODY } from './received-content.ts';
import { badRequest } from './refusal.ts';
import { checkedKey } from './request-target.ts';

export const postFile: FileOperation = {
  name: 'PostFile',
  isPublicRead: false,
  signedIn: 'form',
  takesPolicy: true,
  answer,
};

async function answer(call: FileCall): Promise<Answer> {
  const form = await openedForm(call.wire, LARGEST_BODY);
  try {
    return await answerTo(call, form);
  } finally {
    form.close();
  }
}

/** Not a byte of the file is kept before the form is judged, so its fields have to come first. */
async function answerTo(asked: FileCall, form: Form): Promise<Answer> {
  const key = keyOf(form);
  const call = await asked.judgedForm({ key, fields: form.fields, fileType: form.fileType });
  const particulars = particularsOf(call, form);
  const callback = callbackOfAuthorization(fieldOf(form.fields, 'Authorization'));
  const content = await receivedFile(call, form);
  const object = newObject(call, key, particulars, bytesOf(content));
  await placed(call, object);
  return calledBack(call, callback, emptyAnswer(200, [etagHeader(object.etag)]));
}

function keyOf({ fields }: Form): string {
  const key = fieldOf(fields, 'FileName', 'ObjectName');
  if (key === undefined) {
    throw badRequest('the form has no field FileName before its file, which names the key');
  }
  checkNamed(key);
  return checkedKey(key);
}

/** Class and metadata come in headers of the request, the type in the form. */
function particularsOf({ service, wire, bucket }: FileCall, form: Form): Particulars {
  const type = fieldOf(form.fields, 'Content-Type') || form.fileType || UNKNOWN_TYPE;
  return {
    contentType: checkedType(type),
    storageClass: storageClassOf(wire) ?? bucket.storageClass,
    meta: metaOf(wire, service.context),
  };
}

/** The file, once the form around it is read to its end. */
async function receivedFile({ service, wire }: FileCall, form: Form): Promise<Content> {
  const header = headerOf(wire, 'Content-MD5');
  const announced = announcedMd5(header ?? fieldOf(form.fields, 'Content-MD5'));
  const wanted = { partEtag: false, md5: announced !== undefined };
  const content = await service.store.content(form.file, wanted);
  return kept(service, content, async () => {
    await form.rest;
    checkMd5(content, announced);
    return content;
  });
}
