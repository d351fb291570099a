import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ActionParameters,
  actionJson,
  actionQuery,
  actionSignature,
  bucketRequest,
  SPECIFICATION,
} from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { changedText, character, keyPair, privateKey, shuffled } from './arbitraries.ts';
import { asAction, changedParameters, parameters, scalar } from './arbitrary-parameters.ts';

function signature(signed: ActionParameters, secret: string): string {
  return actionSignature(signed, secret, SPECIFICATION).signature;
}

test('§5.1: the order of the parameters does not matter', () => {
  const inTwoOrders = parameters.chain((p) => fc.tuple(fc.constant(p), shuffled(p)));
  always([inTwoOrders, privateKey], ([one, other], secret) => {
    expect(signature(other, secret)).toBe(signature(one, secret));
  });
});

test('§5.1 R4: JSON body, query and bucket request have the same signature', () => {
  always([parameters, keyPair], (rest, keys) => {
    const signed = asAction(rest, keys);
    const expected = signature(signed, keys.privateKey);
    expect(actionJson(signed, keys, SPECIFICATION).signature).toBe(expected);
    expect(actionQuery(signed, keys, SPECIFICATION).signature).toBe(expected);
    expect(bucketRequest(signed, keys, SPECIFICATION).signature).toBe(expected);
  });
});

/** Texts that sort differently in UTF-16 and UTF-8, and texts that are prefixes of each other. */
const sorting = fc.oneof(
  fc.string({ unit: fc.constantFrom('\uE000', '𐀀'), maxLength: 3 }),
  fc.string({
    unit: fc.oneof(fc.constantFrom(...'aB\x7F\x80\uD7FF\uE000\uFFFF𐀀\u{10FFFF}'), character),
    maxLength: 3,
  }),
);

test('§5.1 step 2: names are compared by their UTF-8 bytes', () => {
  always([sorting, sorting], 500, (a, b) => {
    const order = SPECIFICATION.steps.compareParameterNames(a, b);
    expect(Math.sign(order)).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
  });
});

test('§5.1 step 2: names are signed in byte order', () => {
  always([fc.uniqueArray(sorting), privateKey], (unsorted, secret) => {
    const given = unsorted.map((name) => [name, ''] as const);
    const { sortedParameters } = actionSignature(given, secret, SPECIFICATION);
    const expected = unsorted.map((name) => Buffer.from(name)).sort(Buffer.compare);
    expect(sortedParameters.map(([name]) => name)).toEqual(expected.map(String));
  });
});

test('§5.1: one changed character in a name or a value changes the signature', () => {
  always([changedParameters, privateKey], 300, ([before, after], secret) => {
    expect(signature(after, secret)).not.toBe(signature(before, secret));
  });
});

test('§5.1 step 4: one changed character in the private key changes the signature', () => {
  always([parameters, changedText], (signed, [before, after]) => {
    expect(signature(signed, after)).not.toBe(signature(signed, before));
  });
});

test('§5.1 R2: adding the parameter Signature does not change the signature', () => {
  always([parameters, scalar, fc.nat(6), privateKey], (signed, value, at, secret) => {
    const added = signed.toSpliced(at, 0, ['Signature', value]);
    expect(signature(added, secret)).toBe(signature(signed, secret));
  });
});

test('§5.1 step 6: a signature is 40 hexadecimal digits', () => {
  always([parameters, privateKey], (signed, secret) => {
    expect(signature(signed, secret)).toMatch(/^[0-9a-f]{40}$/);
  });
});
