/**
 * Known mistakes about which parameters are signed, and in which order (§5.1 steps 1 and 2).
 *
 * @module
 */
import { parameterEntry } from '../signing/action-signature.ts';
import { compareBytes } from '../signing/byte-order.ts';
import { flattened } from '../signing/flattening.ts';
import { urlEncode } from '../signing/percent-encoding.ts';
import type { Steps } from '../signing/steps.ts';
import type { FlatParameters, ScalarValue } from '../signing/types.ts';
import type { Mistake } from './mistake.ts';

/** Leaves a parameter out of the signed text; it is sent all the same. */
const unsigned = (left: string): Partial<Steps> => ({
  parameterEntry: (name, text) => (name === left ? '' : parameterEntry(name, text)),
});

/** What `if (value)` takes for nothing. */
const isFalsy = (value: ScalarValue): boolean =>
  typeof value === 'object' ? Number(value.number) === 0 : !value;

/** Names that differ in case only are one name: spelled as the first of them, with the value of the last. */
function inAnyCase(parameters: FlatParameters): FlatParameters {
  const own = new Map<string, readonly [string, ScalarValue]>();
  for (const [name, value] of parameters) {
    const key = name.toLowerCase();
    own.set(key, [own.get(key)?.[0] ?? name, value]);
  }
  return [...own.values()];
}

/** Order by another text than the name. */
const by =
  (text: (name: string) => string): Steps['compareParameterNames'] =>
  (a, b) =>
    compareBytes(text(a), text(b));

const lowerCase = (name: string): string => name.toLowerCase();

/** Every known mistake about the choice and the order of parameters. */
export const PARAMETERS: readonly Mistake[] = [
  {
    id: 'signature-signed',
    rule: '5.1/signature-excluded',
    swap: { isSignedParameter: () => true },
    cause: 'a parameter Signature that is already there is signed like any other',
    fix: 'leave the parameter Signature out before signing',
    seen: 'ufile 3.2.11 (Python), ucloud-sdk-python3 0.11.150, ufile-gosdk 1.0.3 (Go), ufile-client-java 2.6.6',
  },
  {
    id: 'signature-signed-and-replaced',
    rule: '5.1/signature-excluded',
    swap: { isSignedParameter: () => true, isSentParameter: (name) => name !== 'Signature' },
    cause:
      'a parameter Signature that is already there is signed, and the new one is sent in its place',
    fix: 'leave the parameter Signature out before signing, not after it',
    seen: 'ucloud-sdk-go 0.22.17, ucloud-sdk-java-common 1.2.26',
  },
  {
    id: 'signature-left-out-in-any-case',
    rule: '5.1/signature-excluded',
    swap: { isSignedParameter: (name) => lowerCase(name) !== 'signature' },
    cause: 'every parameter whose name is signature in any case is left out',
    fix: 'leave out the parameter named exactly Signature, and no other',
  },
  {
    id: 'signature-left-out-at-any-depth',
    rule: '5.1/signature-excluded',
    swap: { isSignedParameter: (name) => name.split('.').at(-1) !== 'Signature' },
    cause: 'a member Signature inside an object is left out as well',
    fix: 'leave Signature out among the parameters of the request only, not inside their values',
  },
  {
    id: 'public-key-unsigned',
    rule: '5.1/all-parameters',
    swap: unsigned('PublicKey'),
    cause: 'the parameter PublicKey is sent but not signed',
    fix: 'add PublicKey to the parameters before signing them',
  },
  {
    id: 'action-unsigned',
    rule: '5.1/all-parameters',
    swap: unsigned('Action'),
    cause: 'the parameter Action is sent but not signed',
    fix: 'add Action to the parameters before signing them',
  },
  {
    id: 'security-token-unsigned',
    rule: '5.1/all-parameters',
    swap: unsigned('SecurityToken'),
    cause: 'the parameter SecurityToken is added after signing',
    fix: 'add every parameter before signing, temporary credentials included',
  },
  {
    id: 'falsy-values-left-out',
    rule: '5.1/all-parameters',
    swap: { isPresentValue: (value) => !isFalsy(value) },
    cause: 'parameters whose value is false, 0 or the empty text are neither signed nor sent',
    fix: 'test for a value that is missing, not for one that is falsy',
  },
  {
    id: 'empty-values-left-out',
    rule: '5.1/empty-value',
    swap: { isPresentValue: (value) => value !== '' },
    cause: 'parameters whose value is the empty text are neither signed nor sent',
    fix: 'sign and send a parameter whose value is empty, and leave out none but missing ones',
    seen: 'ucloud-sdk-go 0.22.17',
  },
  {
    id: 'parameter-names-in-any-case-one',
    rule: '5.1/all-parameters',
    swap: { flattened: (given) => inAnyCase(flattened(given)) },
    cause: 'parameters whose names differ in case only overwrite each other',
    fix: 'keep parameters in a map that tells upper case from lower case',
  },
  {
    id: 'parameter-names-lower-case',
    rule: '5.1/concatenation',
    swap: {
      compareParameterNames: by(lowerCase),
      parameterEntry: (name, text) => lowerCase(name) + text,
    },
    cause: 'names of parameters are signed in lower case',
    fix: 'sort and sign the names as they are sent',
  },
  {
    id: 'parameters-unsorted',
    rule: '5.1/sort-bytes',
    swap: { compareParameterNames: () => 0 },
    cause: 'parameters are signed in the order in which they are given',
    fix: 'sort the parameters by name before signing',
  },
  {
    id: 'parameters-sorted-downwards',
    rule: '5.1/sort-bytes',
    swap: { compareParameterNames: (a, b) => compareBytes(b, a) },
    cause: 'parameters are sorted by name in descending order',
    fix: 'sort the parameters by name in ascending order',
  },
  {
    id: 'parameters-sorted-ignoring-case',
    rule: '5.1/sort-bytes',
    swap: { compareParameterNames: by(lowerCase) },
    cause: 'names of parameters are sorted without regard to case, ChargeType before CPU',
    fix: 'sort the names by their bytes, every upper-case letter before every lower-case one',
  },
  {
    id: 'parameters-sorted-by-locale',
    rule: '5.1/sort-bytes',
    swap: { compareParameterNames: new Intl.Collator('en').compare },
    cause: 'names of parameters are sorted as the words of a language are',
    fix: 'sort the names by their bytes, with no locale',
  },
  {
    id: 'parameters-sorted-naturally',
    rule: '5.1/sort-bytes',
    swap: {
      compareParameterNames: by((name) =>
        name.replace(/[0-9]+/g, (digits) => digits.padStart(20, '0')),
      ),
    },
    cause: 'digits in names are sorted as numbers, IP.2 before IP.10',
    fix: 'sort the names by their bytes, IP.10 before IP.2',
  },
  {
    id: 'parameters-sorted-by-utf-16',
    rule: '5.1/sort-bytes',
    swap: { compareParameterNames: (a, b) => (a < b ? -1 : a > b ? 1 : 0) },
    cause: 'names of parameters are sorted by their UTF-16 units',
    fix: 'sort the names by their UTF-8 bytes, which differs above U+FFFF',
    seen: 'ufile-client-java 2.6.6, ucloud-sdk-java-common 1.2.26',
  },
  {
    id: 'parameters-sorted-encoded',
    rule: '5.1/sort-bytes',
    swap: { compareParameterNames: by(urlEncode) },
    cause: 'names of parameters are sorted in their URL-encoded form',
    fix: 'sort the names before they are encoded',
  },
  {
    id: 'parameters-sorted-as-pairs',
    rule: '5.1/sort-bytes',
    swap: { compareParameterNames: by((name) => `${name}=`) },
    cause: 'texts of the form name=value are sorted, Disk.Size before Disk',
    fix: 'sort by the name alone',
  },
  {
    id: 'parameters-sorted-as-entries',
    rule: '5.1/sort-bytes',
    swap: { joinParameterEntries: (entries) => [...entries].sort(compareBytes).join('') },
    cause: 'names are joined with their values before they are sorted',
    fix: 'sort by the name alone, then append the values',
  },
];
