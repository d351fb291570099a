/**
 * For each operation that verifies, the requests that it may be asked about: right ones and wrong ones.
 *
 * @module
 */
import fc from 'fast-check';
import { actionRequest } from './action-requests.ts';
import { ANY_CHANGES, changeOf, FILE_CHANGES, PARAMETER_CHANGES } from './changes.ts';
import type { Circumstances, Draft } from './draft.ts';
import { fileRequest, presignedRequest } from './file-requests.ts';
import { keyPair } from './keys.ts';
import { malformedKinds } from './malformed.ts';
import { unsignableKinds } from './unsignable.ts';

const writing = fc.nat(5);

/** The arbitraries of the verify operations, by name. */
export function verifyDrafts({
  dialect,
}: Circumstances): Readonly<Record<string, fc.Arbitrary<Draft>>> {
  const of = (
    operation: string,
    signed: fc.Arbitrary<Pick<Draft, 'keys' | 'request'>>,
    kinds: readonly string[],
  ): fc.Arbitrary<Draft> =>
    fc
      .record({
        signed,
        change: fc.option(changeOf([...kinds, ...ANY_CHANGES, ...malformedKinds(operation)]), {
          nil: undefined,
          freq: 2,
        }),
        writing,
      })
      .map(({ signed: draft, ...own }) => ({ operation, ...draft, ...own }));
  const prefix = dialect.headerPrefix;
  // A clock that shows the very second is not past it.
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
