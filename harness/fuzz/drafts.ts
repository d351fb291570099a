/**
 * For each operation, the questions that may be asked about it.
 *
 * @module
 */
import fc from 'fast-check';
import type { Input } from '../suite/vector.ts';
import { actionRequest, bucketRequest, signatureRequest } from './action-requests.ts';
import { changeOf } from './changes.ts';
import { content } from './contents.ts';
import type { Change, Circumstances, Draft } from './draft.ts';
import {
  fileRequest,
  formRequest,
  instantUpload,
  policyMembers,
  policyRequest,
  presignedRequest,
} from './file-requests.ts';
import { keyPair, NO_KEYS } from './keys.ts';
import { relationOf } from './relations.ts';
import { anyText, seldom } from './texts.ts';
import { unsignableKinds } from './unsignable.ts';
import { verifyDrafts } from './verify-drafts.ts';

type Drawn = Pick<Draft, 'keys' | 'request'>;

/** The arbitraries by the names of their operations. */
export function draftsOf(
  circumstances: Circumstances,
): Readonly<Record<string, fc.Arbitrary<Draft>>> {
  const prefix = circumstances.dialect.headerPrefix;
  const unsigned = (request: fc.Arbitrary<Input>): fc.Arbitrary<Drawn> =>
    request.map((made) => ({ keys: NO_KEYS, request: made }));
  const signed = (request: fc.Arbitrary<Input>): fc.Arbitrary<Drawn> =>
    fc.record({ keys: keyPair, request });
  const drawn: Readonly<Record<string, fc.Arbitrary<Drawn>>> = {
    'url-encode': unsigned(fc.record({ text: anyText })),
    password: unsigned(fc.record({ text: anyText })),
    'action-signature': signatureRequest,
    'action-json': actionRequest,
    'action-query': actionRequest,
    'bucket-request': bucketRequest,
    authorization: signed(fileRequest(prefix)),
    'form-authorization': signed(formRequest(prefix)),
    policy: unsigned(policyMembers),
    'policy-authorization': signed(policyRequest(prefix)),
    'instant-upload': signed(instantUpload(prefix)),
    'presigned-url': signed(presignedRequest(prefix)),
    etag: unsigned(content),
    'part-etag': unsigned(content),
  };
  const drafts = Object.entries(drawn).map(([operation, arbitrary]) => [
    operation,
    fc.tuple(arbitrary, relationOf(operation), spoilingOf(operation)).map(
      ([one, relation, change]): Draft => ({
        operation,
        ...one,
        ...(change ? { change } : { relation }),
      }),
    ),
  ]);
  return { ...Object.fromEntries(drafts), ...verifyDrafts(circumstances) };
}

/** Now and then, what makes a request one that must be refused. */
function spoilingOf(operation: string): fc.Arbitrary<Change | undefined> {
  const kinds = unsignableKinds(operation);
  if (kinds.length === 0) return fc.constant(undefined);
  return seldom(fc.constant(undefined), changeOf(kinds));
}
