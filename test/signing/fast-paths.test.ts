import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  hexadecimal,
  hexadecimalBytes,
  sortList,
  startsInAnyCase,
} from '../../reference/signing/bytes.ts';
import {
  actionSignature,
  authorization,
  type Context,
  SPECIFICATION,
  type Steps,
  withSteps,
} from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { keyPair, text } from './arbitraries.ts';
import { parameters } from './arbitrary-parameters.ts';
import { fileRequest } from './arbitrary-requests.ts';

const { steps } = SPECIFICATION;

/** The specification with equal steps that are other functions, which disables the fast paths. */
const plain = (replaced: Partial<Steps>): Context => withSteps(SPECIFICATION, replaced);

test('§5.2: the fast path of HMAC gives the result of its steps', () => {
  const context = plain({ hmacSha1: (key, data) => steps.hmacSha1(key, data) });
  always([fileRequest, keyPair], (request, keys) => {
    expect(authorization(request, keys, SPECIFICATION)).toEqual(
      authorization(request, keys, context),
    );
  });
});

test('§5.1: the fast path of SHA-1 gives the result of its steps', () => {
  const context = plain({ sha1: (data) => steps.sha1(data) });
  always([parameters, text], (given, privateKey) => {
    expect(actionSignature(given, privateKey, SPECIFICATION)).toEqual(
      actionSignature(given, privateKey, context),
    );
  });
});

test('sortList is stable, for short and long lists, and does not change its input', () => {
  const item = fc.tuple(fc.nat(5), fc.nat());
  always([fc.array(item, { maxLength: 40 })], (list) => {
    const compare = ([a]: readonly number[], [b]: readonly number[]): number => (a ?? 0) - (b ?? 0);
    const before = [...list];
    expect(sortList(list, compare)).toEqual(list.toSorted(compare));
    expect(list).toEqual(before);
  });
});

test('startsInAnyCase ignores the case of ASCII letters', () => {
  const unit = fc.constantFrom('a', 'A', 'z', 'Z', '@', '[', '`', '{');
  const name = fc.string({ unit, maxLength: 2 });
  always([name, name], 2000, (long, start) => {
    const expected = long.toLowerCase().startsWith(start.toLowerCase());
    expect(startsInAnyCase(long, start)).toBe(expected);
  });
});

test('hexadecimalBytes decodes the output of hexadecimal', () => {
  always([fc.uint8Array()], (bytes) => {
    expect(hexadecimalBytes(hexadecimal(bytes))).toEqual(bytes);
  });
});
