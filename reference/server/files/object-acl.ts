/**
 * Who may read a file: `PUT` and `GET /<key>?acl`.
 *
 * @module
 */
import { emptyAnswer, jsonAnswer } from '../answer.ts';
import type { FileOperation } from '../service.ts';
import { headerOf } from '../wire-request.ts';
import { changedObject } from './changed-object.ts';
import { foundObject } from './found-object.ts';
import { badRequest } from './refusal.ts';

export const putAcl: FileOperation = {
  name: 'PutObjectAcl',
  isPublicRead: false,
  async answer(call) {
    const acl = headerOf(call.wire, 'X-Ufile-Object-Acl') ?? '';
    if (acl !== 'default' && acl !== 'public-read') {
      throw badRequest(
        `X-Ufile-Object-Acl is ${JSON.stringify(acl)}; it has to be default or public-read`,
      );
    }
    await changedObject(call, (object) => ({ ...object, acl }));
    return emptyAnswer(200);
  },
};

/** Accounts have no names here but their public keys. */
export const getAcl: FileOperation = {
  name: 'GetObjectAcl',
  isPublicRead: false,
  async answer(call) {
    const { acl } = await foundObject(call);
    const [account] = call.service.accounts;
    const owner = account?.publicKey ?? '';
    return jsonAnswer(200, {
      Owner: { ID: owner, DisplayName: owner },
      AccessControlList: { Grant: acl },
    });
  },
};
