/**
 * Which operation a request is: a stand-in until all of them are there.
 *
 * @module
 */

import { SPECIFICATION } from '../../signing/index.ts';
import { emptyAnswer } from '../answer.ts';
import { FILE_ERRORS, serviceError } from '../errors.ts';
import type { FileOperation } from '../service.ts';
import type { WireRequest } from '../wire-request.ts';

export interface FileRequest {
  readonly operation: FileOperation;
  readonly key: string;
  readonly query: ReadonlyMap<string, string>;
}

export function fileRequest(wire: WireRequest): FileRequest | undefined {
  const { steps } = SPECIFICATION;
  const query = new Map(steps.decodedQuery(wire.query) ?? []);
  const key = steps.keyOfPath(wire.path.slice(1));
  if (key === undefined) throw serviceError(FILE_ERRORS.notImplemented, 'such a path');
  const hit = wire.path === '/uploadhit' ? query.get('FileName') : undefined;
  return { operation: ANYTHING, key: hit ?? key, query };
}

const ANYTHING: FileOperation = {
  name: 'Anything',
  isPublicRead: false,
  answer: async ({ wire }) => {
    await wire.body.bytes(1024 * 1024);
    return emptyAnswer(200);
  },
};
