/**
 * Parameters of actions and of bucket management: names at the edges of byte order, every kind of value (§5.1).
 *
 * Parameters about which the rules are open are left out: null, empty lists and objects, repeated names.
 *
 * @module
 */
import fc from 'fast-check';
import {
  type ActionParameters,
  type ParameterValue,
  SPECIFICATION,
} from '../../../reference/signing/index.ts';
import type { SignedRequest } from './draft.ts';
import { anyText, keyPair, oneOf, seldom, text, weighted } from './texts.ts';

const digits = fc.string({ unit: oneOf(...'102598'), minLength: 1, maxLength: 22 });

const number = weighted(
  [3, oneOf('1', '0', '42', '-1', '42.0', '0.10', '1.5', '-0', '1e3', '1E+2', '12e-1')],
  [2, oneOf('9007199254740993', '1e21', '1e-7', '0.1e1', '-1.50', '123456789e-10', '0e5')],
  [
    1,
    fc
      .tuple(
        oneOf('', '-'),
        digits.map((d) => d.replace(/^0+(?=.)/, '')),
        weighted([1, fc.constant('')], [1, digits.map((d) => `.${d}`)]),
        weighted([1, fc.constant('')], [1, fc.integer({ min: -30, max: 30 }).map((e) => `e${e}`)]),
      )
      .map((parts) => parts.join('')),
  ],
);

const scalar: fc.Arbitrary<ParameterValue> = weighted<ParameterValue>(
  [3, text],
  [1, seldom(oneOf('', 'null', 'true', '42.0', '007', 'a&b=c', 'a%20b'), anyText)],
  [2, number.map((written) => ({ number: written }))],
  [1, fc.boolean()],
);

const memberName = oneOf('a', 'Key', 'Value', 'b', '0', 'Z', 'é', 'Signature');

/** More than ten items: their indexes are sorted as texts. */
const longList: fc.Arbitrary<ParameterValue> = fc
  .integer({ min: 11, max: 12 })
  .map((length) => ({ list: Array.from({ length }, (_, i) => `${i % 10}`) }));

const { value } = fc.letrec<{ value: ParameterValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true, depthIdentifier: 'parameter' },
    { weight: 12, arbitrary: scalar },
    {
      weight: 2,
      arbitrary: fc.record({ list: fc.array(tie('value'), { minLength: 1, maxLength: 3 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        object: fc.uniqueArray(fc.tuple(memberName, tie('value')), {
          selector: ([name]) => name,
          minLength: 1,
          maxLength: 3,
        }),
      }),
    },
    { weight: 1, arbitrary: longList },
  ),
}));

/** Byte order differs for these names from UTF-16 order, case-insensitive order and dictionary order. */
const name = weighted(
  [3, oneOf('a', 'A', 'b', 'B', 'CPU', 'ChargeType', 'Zone', 'Name', 'Tag', 'aB', 'AB')],
  [3, oneOf(...'\uff5a𐀀\ue000é', 'e\u0301', '_', 'a-b', 'a.b', 'signature', 'A_', 'SecurityToken')],
  [2, text.filter((t) => t !== '')],
);

const password: fc.Arbitrary<ParameterValue> = oneOf('cGFzcw==', 'Pz8/Pj4+', 'w6k=');

const parameter = seldom(fc.tuple(name, value), fc.tuple(fc.constant('Password'), password));

/** Pairs of names: each order other than byte order reverses at least one of them. */
const pair = fc
  .tuple(
    fc.constantFrom(
      ['A', 'a'],
      ['B', 'a'],
      ['CPU', 'ChargeType'],
      ['Z', '_'],
      ['a', 'a.b'],
      ['a-b', 'a.b'],
      ['a.10', 'a.9'],
      ['z', 'é'],
      ['\uff5a', '𐀀'],
      ['\ue000', '😀'],
    ),
    // Each may be absent, so that shrinking can remove the name that a failure does not need.
    fc.option(scalar, { nil: undefined, freq: 8 }),
    fc.option(scalar, { nil: undefined, freq: 8 }),
  )
  .map(
    ([[first = '', second = ''], one, other]): ActionParameters => [
      ...(one === undefined ? [] : [[second, one] as const]),
      ...(other === undefined ? [] : [[first, other] as const]),
    ],
  );

/** Names that requests add themselves. */
const RESERVED = /^(?:Action|PublicKey|Signature|Type|BucketName)$/;

const rest: fc.Arbitrary<ActionParameters> = weighted(
  [3, fc.array(parameter, { maxLength: 5 })],
  [1, fc.tuple(pair, fc.array(parameter, { maxLength: 2 })).map((lists) => lists.flat())],
).map((parameters) => withoutRepeated(parameters.filter(([n]) => !RESERVED.test(n))));

/** Removes parameters that would repeat a name before or after flattening. */
function withoutRepeated(parameters: ActionParameters): ActionParameters {
  const seen = new Set<string>();
  return parameters.filter((one) => {
    const flat = SPECIFICATION.steps.flattened([one], SPECIFICATION).map(([n]) => n);
    const names = new Set([one[0], ...flat]);
    const isNew = new Set(flat).size === flat.length && ![...names].some((n) => seen.has(n));
    if (isNew) for (const n of names) seen.add(n);
    return isNew;
  });
}

/** A complete request: the parameters of an action, others and PublicKey, rotated to a random start. */
function request(actions: fc.Arbitrary<ActionParameters>): fc.Arbitrary<SignedRequest> {
  return fc.tuple(keyPair, actions, rest, fc.nat(3)).map(([keys, own, others, at]) => {
    const parameters = [...own, ...others, ['PublicKey', keys.publicKey] as const];
    const turn = at % parameters.length;
    return {
      keys,
      request: { parameters: [...parameters.slice(turn), ...parameters.slice(0, turn)] },
    };
  });
}

const action = oneOf('A', 'DescribeInstance').map((n): ActionParameters => [['Action', n]]);

export const actionRequest: fc.Arbitrary<SignedRequest> = request(action);

export const bucketRequest: fc.Arbitrary<SignedRequest> = request(
  fc.oneof(
    action,
    fc.constant<ActionParameters>([
      ['Action', 'CreateBucket'],
      ['Type', 'public'],
      ['BucketName', 'b'],
    ]),
  ),
);

/** Rarely with a parameter `Signature`, which is never part of the signed text. */
export const signatureRequest: fc.Arbitrary<SignedRequest> = fc
  .tuple(actionRequest, seldom(fc.constant(false), fc.constant(true)))
  .map(([one, isSignedBefore]) => {
    const parameters = one.request.parameters ?? [];
    return isSignedBefore
      ? { ...one, request: { parameters: [['Signature', 'old'], ...parameters] } }
      : one;
  });
