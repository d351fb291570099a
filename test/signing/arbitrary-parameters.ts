/**
 * Random parameters of actions: texts, JSON numbers, and nested lists and objects.
 *
 * @module
 */
import fc from 'fast-check';
import {
  type ActionParameters,
  type KeyPair,
  type ParameterValue,
  SPECIFICATION,
} from '../../reference/signing/index.ts';
import { type Change, changedPair, changedText, same, text } from './arbitraries.ts';

const digits = fc.string({ unit: fc.constantFrom(...'001259'), minLength: 1, maxLength: 25 });
const exponent = fc
  .tuple(
    fc.constantFrom('e', 'E'),
    fc.constantFrom('', '+', '-'),
    fc.constantFrom('', '0'),
    fc.nat(40),
  )
  .map((parts) => parts.join(''));
/** A JSON number, with or without a fraction and an exponent. */
export const decimal: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits.map((d) => d.replace(/^0+(?=.)/, '')),
    fc.oneof(
      fc.constant(''),
      digits.map((d) => `.${d}`),
    ),
    fc.oneof(fc.constant(''), exponent),
  )
  .map((parts) => parts.join(''));

export const parameterName: fc.Arbitrary<string> = fc.oneof(
  text,
  fc.constantFrom(
    'CPU',
    'ChargeType',
    'A',
    'A.0',
    'a',
    'signature',
    'Signature.0',
    '\uFFFF',
    '𐀀',
    '__proto__',
  ),
);
export const scalar: fc.Arbitrary<ParameterValue> = fc.oneof(
  text,
  fc.boolean(),
  decimal.map((number) => ({ number })),
);
function members(values: fc.Arbitrary<ParameterValue>): fc.Arbitrary<ActionParameters> {
  const member = fc.tuple(parameterName, values);
  return fc.uniqueArray(member, { selector: ([name]) => name, maxLength: 4 });
}
const { value } = fc.letrec<{ value: ParameterValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'parameter' },
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: fc.record({ list: fc.array(tie('value'), { maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ object: members(tie('value')) }) },
  ),
}));

function haveOneNameEach(parameters: ActionParameters): boolean {
  const names = SPECIFICATION.steps.flattened(parameters, SPECIFICATION).map(([name]) => name);
  return new Set(names).size === names.length;
}

/** Nested parameters without repeated names and without those that §4.2 requires. */
export const parameters: fc.Arbitrary<ActionParameters> = members(value).filter(haveOneNameEach);

/** Parameters that differ in one character of one name or of one value. */
export const changedParameters: fc.Arbitrary<Change<ActionParameters>> = fc
  .tuple(
    parameters,
    fc.oneof(changedPair(changedText, same(text)), changedPair(same(parameterName), changedText)),
  )
  .map(
    ([rest, [a, b]]): Change<ActionParameters> => [
      [...rest, a],
      [...rest, b],
    ],
  )
  .filter((change) => change.every(haveOneNameEach));

/** Adds the parameters that every action has (§4.2). */
export function asAction(rest: ActionParameters, keys: KeyPair): ActionParameters {
  return [['Action', 'Describe'], ...rest, ['PublicKey', keys.publicKey]];
}
