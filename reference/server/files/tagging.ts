/**
 * Tags of a file: `PUT`, `GET` and `DELETE /<key>?tagging`.
 *
 * @module
 */

import type { Pair } from '../../signing/index.ts';
import { type Answer, emptyAnswer, jsonAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import { changedObject } from './changed-object.ts';
import { foundObject } from './found-object.ts';
import { jsonBody } from './json-body.ts';
import { badRequest } from './refusal.ts';

export const putTagging: FileOperation = {
  name: 'PutObjectTagging',
  isPublicRead: false,
  async answer(call) {
    const tags = tagsIn(await jsonBody(call));
    await changedObject(call, (object) => ({ ...object, tags }));
    return emptyAnswer(200);
  },
};

export const getTagging: FileOperation = {
  name: 'GetObjectTagging',
  isPublicRead: false,
  async answer(call: FileCall): Promise<Answer> {
    const { tags } = await foundObject(call);
    return jsonAnswer(200, { Tags: tags.map(([name, value]) => ({ Key: name, Value: value })) });
  },
};

export const deleteTagging: FileOperation = {
  name: 'DeleteObjectTagging',
  isPublicRead: false,
  async answer(call) {
    await changedObject(call, (object) => ({ ...object, tags: [] }));
    return emptyAnswer(204);
  },
};

const MOST_TAGS = 10;

function tagsIn({ Tags: list }: Readonly<Record<string, unknown>>): readonly Pair[] {
  if (!Array.isArray(list) || list.length > MOST_TAGS) {
    throw badRequest(`Tags has to be a list of at most ${MOST_TAGS}`);
  }
  const tags = list.map(tagOf);
  if (new Set(tags.map(([name]) => name)).size < tags.length) {
    throw badRequest('two of the tags have the same Key');
  }
  return tags;
}

function tagOf(entry: unknown): Pair {
  const { Key: name, Value: value } = Object(entry) as Record<string, unknown>;
  if (typeof name === 'string' && name !== '' && typeof value === 'string') return [name, value];
  throw badRequest(
    'each of the tags has a Key, which is not empty, and a Value, both of them texts',
  );
}
