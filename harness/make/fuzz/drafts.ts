/**
 * The arbitraries of drafts, for each operation; contents have sizes at which an ETag changes its form (§2).
 *
 * @module
 */
import fc from 'fast-check';
import type { Content } from '../../../reference/contents.ts';
import type { Input } from '../../engine/vector.ts';
import { actionRequest, bucketRequest, signatureRequest } from './action-requests.ts';
import {
  ANY_CHANGES,
  changeArbitrary,
  FILE_CHANGES,
  PARAMETER_CHANGES,
  UNSIGNABLE_KINDS,
} from './changes.ts';
import type { Change, Circumstances, Draft, SignedRequest } from './draft.ts';
import {
  fileRequest,
  formRequest,
  instantUpload,
  policyMembers,
  policyRequest,
  presignedRequest,
} from './file-requests.ts';
import { MALFORMATIONS } from './malformed.ts';
import { anyText, keyPair, NO_KEYS, oneOf, seldom, weighted } from './texts.ts';

const MIB = 1024 * 1024;

/** Bytes that change, or end the file, if an adapter reads it as text. */
const telling = oneOf('a\r\nb', 'a\n', '\n', '\r', 'a\0b', '\x1a', '\xef\xbb\xbfa', '\xe9');

const small = weighted(
  [3, fc.uint8Array({ maxLength: 70 }).map((bytes) => Buffer.from(bytes))],
  [1, telling.map((text) => Buffer.from(text, 'latin1'))],
).map((bytes) => ({ bytes: bytes.toString('base64') }));

/** Contents with sizes around the block size; few, because each is written and hashed in full. */
const large = fc
  .tuple(fc.constantFrom(4 * MIB, 4 * MIB + 1, 4 * MIB - 1, 8 * MIB, 8 * MIB + 1), fc.boolean())
  .map(([size, isMarked]) => ({
    recipe: {
      size,
      ...(isMarked && {
        marks: [[0, 'first'] as const, [4 * MIB - 2, 'over the end'] as const],
      }),
    },
  }));

const content: fc.Arbitrary<Input> = fc.record({
  content: weighted<Content>([9, small], [1, large]),
});

/** The arbitraries of drafts, by operation. */
export type Drafts = Readonly<Record<string, fc.Arbitrary<Draft>>>;

export function createDrafts({ dialect: { headerPrefix } }: Circumstances): Drafts {
  return { ...signDrafts(headerPrefix), ...verifyDrafts(headerPrefix) };
}

function signDrafts(prefix: string): Drafts {
  const drafts = Object.entries(signRequests(prefix)).map(
    ([operation, request]): [string, fc.Arbitrary<Draft>] => [
      operation,
      fc
        .tuple(request, unsignableChange(operation))
        .map(([one, change]): Draft => ({ operation, ...one, ...(change && { change }) })),
    ],
  );
  return Object.fromEntries(drafts);
}

function signRequests(prefix: string): Readonly<Record<string, fc.Arbitrary<SignedRequest>>> {
  const unsigned = (request: fc.Arbitrary<Input>): fc.Arbitrary<SignedRequest> =>
    request.map((input) => ({ keys: NO_KEYS, request: input }));
  return {
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
}

function signed(request: fc.Arbitrary<Input>): fc.Arbitrary<SignedRequest> {
  return fc.record({ keys: keyPair, request });
}

/** Rarely a change that makes a request one that signers must refuse. */
function unsignableChange(operation: string): fc.Arbitrary<Change | undefined> {
  const kinds = UNSIGNABLE_KINDS[operation];
  const usual = fc.constant(undefined);
  return kinds ? seldom(usual, changeArbitrary(kinds)) : usual;
}

function verifyDrafts(prefix: string): Drafts {
  // A request is still valid at the second of its expiry.
  const left = fc.constantFrom(0, 1, 900_000_000);
  const presigned = fc.tuple(presignedRequest(prefix), left).map(([request, seconds]) => ({
    ...request,
    now: `${Math.max(0, Number(request.expires) - seconds)}`,
  }));
  const fileChanges = [...FILE_CHANGES, ...(UNSIGNABLE_KINDS['authorization'] ?? [])];
  const urlChanges = [...FILE_CHANGES, 'expires', 'expired'];
  const drafts: readonly Parameters<typeof verifyDraft>[] = [
    ['verify-authorization', signed(fileRequest(prefix)), fileChanges],
    ['verify-presigned-url', signed(presigned), urlChanges],
    ['verify-query', actionRequest, PARAMETER_CHANGES],
    ['verify-json', actionRequest, PARAMETER_CHANGES],
  ];
  return Object.fromEntries(drafts.map((own) => [own[0], verifyDraft(...own)]));
}

/** Correct requests and, as often, requests with a change that makes them wrong. */
function verifyDraft(
  operation: string,
  requests: fc.Arbitrary<SignedRequest>,
  kinds: readonly string[],
): fc.Arbitrary<Draft> {
  const malformed = Object.keys(MALFORMATIONS[operation] ?? {});
  const changes = changeArbitrary([...kinds, ...ANY_CHANGES, ...malformed]);
  return fc
    .record({
      request: requests,
      change: fc.option(changes, { nil: undefined, freq: 2 }),
      writing: fc.nat(5),
    })
    .map(({ request, ...own }) => ({ operation, ...request, ...own }));
}

export function draftArbitrary(drafts: Drafts, operation: string): fc.Arbitrary<Draft> {
  const draft = drafts[operation];
  if (!draft) throw new Error(`no drafts are defined for the operation ${operation}`);
  return draft;
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
