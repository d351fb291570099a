/**
 * The arbitraries of drafts, for each operation.
 *
 * @module
 */
import fc from 'fast-check';
import type { Input } from '../../engine/vector.ts';
import { actionRequest, bucketRequest, signatureRequest } from './action-requests.ts';
import { ANY_CHANGES, changeArbitrary, FILE_CHANGES, PARAMETER_CHANGES } from './changes.ts';
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
import { malformedKinds } from './malformed.ts';
import { relationArbitrary } from './relations.ts';
import { anyText, keyPair, NO_KEYS, seldom } from './texts.ts';
import { unsignableKinds } from './unsignable.ts';

/** By operation. */
export type Drafts = Readonly<Record<string, fc.Arbitrary<Draft>>>;

type Request = Pick<Draft, 'keys' | 'request'>;

export function createDrafts({ dialect: { headerPrefix } }: Circumstances): Drafts {
  return { ...signDrafts(headerPrefix), ...verifyDrafts(headerPrefix) };
}

function signDrafts(prefix: string): Drafts {
  const unsigned = (request: fc.Arbitrary<Input>): fc.Arbitrary<Request> =>
    request.map((input) => ({ keys: NO_KEYS, request: input }));
  const signed = (request: fc.Arbitrary<Input>): fc.Arbitrary<Request> =>
    fc.record({ keys: keyPair, request });
  const requests: Readonly<Record<string, fc.Arbitrary<Request>>> = {
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
  const drafts = Object.entries(requests).map(([operation, request]) => [
    operation,
    fc.tuple(request, relationArbitrary(operation), unsignableChange(operation)).map(
      ([one, relation, change]): Draft => ({
        operation,
        ...one,
        ...(change ? { change } : { relation }),
      }),
    ),
  ]);
  return Object.fromEntries(drafts);
}

/** Rarely a change that makes a request one that signers must refuse. */
function unsignableChange(operation: string): fc.Arbitrary<Change | undefined> {
  const kinds = unsignableKinds(operation);
  if (kinds.length === 0) return fc.constant(undefined);
  return seldom(fc.constant(undefined), changeArbitrary(kinds));
}

const writing = fc.nat(5);

/** Correct requests and, as often, requests with a change that makes them wrong. */
function verifyDrafts(prefix: string): Drafts {
  const of = (
    operation: string,
    signed: fc.Arbitrary<Request>,
    kinds: readonly string[],
  ): fc.Arbitrary<Draft> =>
    fc
      .record({
        signed,
        change: fc.option(
          changeArbitrary([...kinds, ...ANY_CHANGES, ...malformedKinds(operation)]),
          {
            nil: undefined,
            freq: 2,
          },
        ),
        writing,
      })
      .map(({ signed: draft, ...own }) => ({ operation, ...draft, ...own }));
  // A request is still valid at the second of its expiry.
  const left = fc.constantFrom(0, 1, 900_000_000);
  const presigned = fc.tuple(presignedRequest(prefix), left).map(([request, seconds]) => ({
    ...request,
    now: `${Math.max(0, Number(request['expires']) - seconds)}`,
  }));
  return {
    'verify-authorization': of(
      'verify-authorization',
      fc.record({ keys: keyPair, request: fileRequest(prefix) }),
      [...FILE_CHANGES, ...unsignableKinds('authorization')],
    ),
    'verify-presigned-url': of(
      'verify-presigned-url',
      fc.record({ keys: keyPair, request: presigned }),
      [...FILE_CHANGES, 'expires', 'expired'],
    ),
    'verify-query': of('verify-query', actionRequest, PARAMETER_CHANGES),
    'verify-json': of('verify-json', actionRequest, PARAMETER_CHANGES),
  };
}

export function draftArbitrary(drafts: Drafts, operation: string): fc.Arbitrary<Draft> {
  const known = drafts[operation];
  if (!known) throw new Error(`no drafts are defined for the operation ${operation}`);
  return known;
}

/** The first drafts in the sequence of a seed. */
export function sampleDrafts(
  drafts: Drafts,
  operation: string,
  seed: number,
  numRuns: number,
): readonly Draft[] {
  // A tuple, because a property draws a tuple; sampling the property itself yields other values than its run.
  return fc
    .sample(fc.tuple(draftArbitrary(drafts, operation)), { seed, numRuns })
    .map(([draft]) => draft);
}
