/**
 * Known mistakes about booleans, texts and nothing at all as values (§5.1 step 3).
 *
 * @module
 */
import { valueText } from '../signing/action-signature.ts';
import { urlDecode } from '../signing/percent-encoding.ts';
import type { Steps } from '../signing/steps.ts';
import type { Mistake } from './mistake.ts';

/** Signs another text than the value that is sent. */
const signing = (signed: (text: string) => string): Partial<Steps> => ({
  parameterEntry: (name, text) => name + signed(text),
});

/** Leaves a value out of the signed text, and its name with it. */
const unsigned = (left: string): Partial<Steps> => ({
  parameterEntry: (name, text) => (text === left ? '' : name + text),
});

/** Whatever is an escape is decoded, and the plus of HTML forms with it. */
const formDecoded = (text: string): string =>
  text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => urlDecode(escapes) ?? escapes);

/** Every known mistake about values that are not numbers. */
export const VALUES: readonly Mistake[] = [
  {
    id: 'boolean-in-title-case',
    rule: '5.1/booleans',
    swap: { booleanText: (value) => (value ? 'True' : 'False') },
    cause: 'booleans are signed as True and False',
    fix: 'write booleans as true and false',
  },
  {
    id: 'boolean-as-digit',
    rule: '5.1/booleans',
    swap: { booleanText: (value) => (value ? '1' : '0') },
    cause: 'booleans are signed as 1 and 0',
    fix: 'write booleans as true and false',
  },
  {
    id: 'boolean-false-as-empty-text',
    rule: '5.1/booleans',
    swap: { booleanText: (value) => (value ? '1' : '') },
    cause: 'booleans are cast to text as PHP does it, to 1 and the empty text',
    fix: 'write booleans as true and false',
  },
  {
    id: 'empty-value-unsigned',
    rule: '5.1/empty-value',
    swap: unsigned(''),
    cause: 'a parameter with an empty value is sent but not signed',
    fix: 'sign its name, followed by nothing',
  },
  {
    id: 'word-null-unsigned',
    rule: '5.1/all-parameters',
    swap: unsigned('null'),
    cause: 'the text null is taken for no value at all and not signed',
    fix: 'sign every text as it is, the word null too',
  },
  {
    id: 'value-trimmed',
    rule: '5.1/unescaped',
    swap: signing((text) => text.trim()),
    cause: 'blanks at both ends of a value are not signed',
    fix: 'sign the value as it is sent, blanks included',
  },
  {
    id: 'value-form-decoded',
    rule: '5.1/unescaped',
    swap: signing(formDecoded),
    cause: 'values are URL-decoded before signing, though nothing encoded them',
    fix: 'sign the value as the caller gave it',
  },
  {
    id: 'value-text-as-number',
    rule: '5.1/concatenation',
    swap: {
      valueText: (value, context) =>
        typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
          ? `${Number(value)}`
          : valueText(value, context),
    },
    cause: 'a text that looks like a number becomes one, 007 is signed as 7',
    fix: 'sign a text as it is, whatever it looks like',
  },
  {
    id: 'value-in-quotes',
    rule: '5.1/concatenation',
    swap: {
      valueText: (value, context) =>
        typeof value === 'string' ? JSON.stringify(value) : valueText(value, context),
    },
    cause: 'a text is signed as a JSON value, in double quotes',
    fix: 'sign the text itself, without quotes',
  },
  {
    id: 'value-json-escaped',
    rule: '5.1/unescaped',
    swap: signing((text) => JSON.stringify(text).slice(1, -1)),
    cause: 'a text is signed with the escapes it has in the JSON body',
    fix: 'sign the value before it is written as JSON',
  },
];
