/**
 * Operations that read or change the metadata of a file, not its bytes.
 *
 * @module
 */

import type { Pair } from '../../signing/index.ts';
import { hasMembers, isList, isText, type Members, parseJsonIfValid } from '../../values.ts';
import type { FileCall } from '../authentication/service.ts';
import { badRequest, fileError, quote } from '../messages/errors.ts';
import { type Answer, emptyAnswer, headerValue, jsonAnswer } from '../messages/exchange.ts';
import type { StorageClass, StoredObject } from '../store/entries.ts';
import { findObject } from './downloads.ts';
import { checkMediaType, parseStorageClass } from './new-object.ts';

/** `POST /<key>?opmeta` changes the media type. */
export async function opMeta(call: FileCall): Promise<Answer> {
  const { op, metak, metav } = await readJsonBody(call);
  if (op !== 'set' || metak !== 'mimetype' || typeof metav !== 'string') {
    throw badRequest(
      `op is ${JSON.stringify(op)} and metak ${JSON.stringify(metak)}; send op "set", metak "mimetype" and a string as metav`,
    );
  }
  const contentType = checkMediaType(metav);
  await changeObject(call, (object) => ({ ...object, contentType }));
  return emptyAnswer(200);
}

const COLDNESS: Readonly<Record<StorageClass, number>> = { STANDARD: 0, IA: 1, ARCHIVE: 2 };

/** `PUT /<key>?storageClass=`, only to a colder class */
export async function classSwitch(call: FileCall): Promise<Answer> {
  const wanted = parseStorageClass(call.query.get('storageClass') ?? '');
  await changeObject(call, (object) => {
    if (COLDNESS[wanted] > COLDNESS[object.storageClass]) {
      return { ...object, storageClass: wanted };
    }
    throw fileError(
      'classNotAllowed',
      `${object.storageClass} to ${wanted}; choose a colder class`,
    );
  });
  return emptyAnswer(200);
}

/** In seconds. */
const READABLE_FOR = 3 * 24 * 60 * 60;

/** `PUT /<key>?restore`. The real service needs time; this server restores an archive at once, for every Tier. */
export async function restore(call: FileCall): Promise<Answer> {
  const tier = headerValue(call.wire, 'Tier') || 'Standard';
  if (tier !== 'Standard' && tier !== 'Expedited') {
    throw badRequest(`Tier is ${JSON.stringify(tier)}; it has to be Expedited or Standard`);
  }
  const restoredUntil = call.service.now() + READABLE_FOR;
  await changeObject(call, (object) => {
    if (object.storageClass === 'ARCHIVE') return { ...object, restoredUntil };
    throw fileError('classNotAllowed', `the file is ${object.storageClass}, not ARCHIVE`);
  });
  return emptyAnswer(200);
}

export async function putTagging(call: FileCall): Promise<Answer> {
  const tags = parseTags(await readJsonBody(call));
  await changeObject(call, (object) => ({ ...object, tags }));
  return emptyAnswer(200);
}

export async function getTagging(call: FileCall): Promise<Answer> {
  const { tags } = await findObject(call);
  return jsonAnswer(200, { Tags: tags.map(([name, value]) => ({ Key: name, Value: value })) });
}

export async function deleteTagging(call: FileCall): Promise<Answer> {
  await changeObject(call, (object) => ({ ...object, tags: [] }));
  return emptyAnswer(204);
}

const MAX_TAGS = 10;

function parseTags({ Tags: list }: Members): readonly Pair[] {
  if (!isList(list) || list.length > MAX_TAGS) {
    throw badRequest(`Tags has to be a list of at most ${MAX_TAGS}`);
  }
  const tags = list.map(parseTag);
  if (new Set(tags.map(([name]) => name)).size < tags.length) {
    throw badRequest('two of the tags have the same Key');
  }
  return tags;
}

function parseTag(entry: unknown): Pair {
  const { Key: name, Value: value } = hasMembers(entry) ? entry : {};
  if (isText(name) && name !== '' && isText(value)) return [name, value];
  throw badRequest('each tag needs a non-empty Key and a Value, both strings');
}

export async function putAcl(call: FileCall): Promise<Answer> {
  const acl = headerValue(call.wire, 'X-Ufile-Object-Acl') ?? '';
  if (acl !== 'default' && acl !== 'public-read') {
    throw badRequest(
      `X-Ufile-Object-Acl is ${JSON.stringify(acl)}; it has to be default or public-read`,
    );
  }
  await changeObject(call, (object) => ({ ...object, acl }));
  return emptyAnswer(200);
}

/** `GET /<key>?acl`. An owner is named by its public key. */
export async function getAcl(call: FileCall): Promise<Answer> {
  const { acl } = await findObject(call);
  const owner = call.bucket.owner ?? call.service.accounts[0]?.publicKey ?? '';
  return jsonAnswer(200, {
    Owner: { ID: owner, DisplayName: owner },
    AccessControlList: { Grant: acl },
  });
}

/** Changes the record of the object in one step; if `change` throws, nothing changes. */
async function changeObject(
  { service, bucket, key }: FileCall,
  change: (object: StoredObject) => StoredObject,
): Promise<void> {
  const modifyTime = service.now();
  const changed = await service.store.changeObject(bucket.name, key, (object) => ({
    ...change(object),
    modifyTime,
  }));
  if (changed === undefined) throw fileError('fileUnknown');
}

/** In bytes. */
const LARGEST_JSON = 64 * 1024;

async function readJsonBody({ wire }: FileCall): Promise<Members> {
  const text = Buffer.from(await wire.body.bytes(LARGEST_JSON)).toString('utf8');
  const members = parseJsonIfValid(text);
  if (hasMembers(members) && !isList(members)) return members;
  throw badRequest(`the body ${quote(text)} is not a JSON object`);
}
