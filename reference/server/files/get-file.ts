/**
 * GetFile: `GET /<key>`, with a range and conditions.
 *
 * @module
 */

import { type HeaderList, urlEncode } from '../../signing/index.ts';
import { type Answer, emptyAnswer } from '../answer.ts';
import type { FileCall, FileOperation } from '../service.ts';
import type { StoredObject } from '../store/store.ts';
import { headerOf } from '../wire-request.ts';
import { type ByteRange, contentRange, rangeOf } from './byte-range.ts';
import { isRangeWanted, outlookOf } from './conditions.ts';
import { foundObject } from './found-object.ts';
import { isFrozen, objectHeaders } from './object-headers.ts';
import { refusal } from './refusal.ts';

export const getFile: FileOperation = { name: 'GetFile', isPublicRead: true, answer };

/** How often an object may be replaced between its being found and its being opened. */
const TRIES = 5;

async function answer(call: FileCall): Promise<Answer> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const object = await foundObject(call);
    const opened = await answerOf(call, object);
    if (opened) return opened;
  }
  throw refusal('fileUnknown');
}

/** Nothing where the object was replaced meanwhile. */
async function answerOf(call: FileCall, object: StoredObject): Promise<Answer | undefined> {
  const { service, wire } = call;
  const outlook = outlookOf(wire, object);
  if (outlook === 'failed') throw refusal('preconditionFailed');
  if (outlook === 'not modified') return emptyAnswer(304, objectHeaders(object));
  if (isFrozen(object, service.now())) throw refusal('frozen');

  const range = wantedRange(call, object);
  if (range === 'unsatisfiable') return unsatisfiable(object);
  const { start, end } = range ?? { start: 0, end: object.size };
  const pieces = await service.store.opened(object, start, end);
  if (pieces === undefined) return undefined;
  return {
    status: range ? 206 : 200,
    headers: [
      ...objectHeaders(object),
      ...(range ? [['Content-Range', contentRange(range, object.size)] as const] : []),
      ...disposition(call),
    ],
    body: { kind: 'pieces', length: end - start, pieces },
    code: 0,
  };
}

function wantedRange(
  { wire }: FileCall,
  object: StoredObject,
): ByteRange | 'unsatisfiable' | undefined {
  const header = headerOf(wire, 'Range');
  if (header === undefined || !isRangeWanted(wire, object)) return undefined;
  return rangeOf(header, object.size);
}

function unsatisfiable({ size }: StoredObject): never {
  throw refusal('badRange', `the file has ${size} bytes, which the Range does not reach into`);
}

/** The name that a browser saves the file under. */
function disposition({ query }: FileCall): HeaderList {
  const name = query.get('ufileattname');
  if (!name) return [];
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  return [
    ['Content-Disposition', `attachment; filename="${plain}"; filename*=UTF-8''${urlEncode(name)}`],
  ];
}
