/**
 * A shown string to sign of parameters against the expected one (§5.1), parameter by parameter.
 *
 * @module
 */
import { urlDecode } from '../../../reference/signing/bytes.ts';
import type { Pair } from '../../../reference/signing/types.ts';
import type { Input } from '../../suite/vector.ts';
import type { Attribution, TextSpan } from './span.ts';

/** A part of the text: a parameter, or the private key at its end. */
interface Entry {
  readonly name: string;
  readonly value: string;
}

/** An entry found in the shown text. */
interface Found {
  readonly entry: Entry;
  readonly start: number;
  /** Where the value starts. */
  readonly middle: number;
  end: number;
}

/** Every differing span of the string to sign, in the order of the text. */
export function parameterTextSpans(
  sorted: readonly Pair[],
  privateKey: string,
  input: Input,
  actual: string,
): readonly TextSpan[] {
  const entries = sorted.map(([name, value]): Entry => ({ name, value }));
  const right = entries.map(({ name, value }) => name + value).join('') + privateKey;
  if (right === actual) return [];
  const { text, key } = withoutPrivateKey(actual, privateKey);
  const found = foundEntries(entries, text);
  const inOrder = [...found].sort((a, b) => a.start - b.start);
  const order = inOrder.map(({ entry }) => entry);
  const shared = entries.filter((entry) => order.includes(entry));
  return [
    ...frontSpans(text, inOrder),
    ...entries.flatMap((entry) =>
      entrySpans(
        entry,
        found.find((one) => one.entry === entry),
        text,
        input,
      ),
    ),
    ...orderSpans(shared, order),
    ...key,
  ];
}

/** The text before the private key, and what is wrong with where that stands. */
function withoutPrivateKey(
  actual: string,
  privateKey: string,
): { readonly text: string; readonly key: readonly TextSpan[] } {
  const isTwice = actual.startsWith(privateKey) && actual.length > privateKey.length;
  if (actual.endsWith(privateKey) && !(isTwice && privateKey !== '')) {
    return { text: actual.slice(0, actual.length - privateKey.length), key: [] };
  }
  const at = actual.indexOf(privateKey);
  const place = at > 0 ? 'before the end' : 'at the start';
  const span: TextSpan = {
    part: at < 0 ? 'private key at the end' : `private key ${place}`,
    step: 'withPrivateKey',
    rule: '5.1/private-key-last',
    expected: privateKey,
    actual: at < 0 ? '' : privateKey,
  };
  if (at < 0) return { text: actual, key: [span] };
  return { text: actual.slice(0, at) + actual.slice(at + privateKey.length), key: [span] };
}

/** Where each entry stands: those that stand there whole first, then those of which the name does. */
function foundEntries(entries: readonly Entry[], text: string): readonly Found[] {
  const found: Found[] = [];
  const isFree = (start: number, end: number): boolean =>
    found.every((one) => end <= one.start || start >= one.end);
  const find = (
    wanted: (entry: Entry) => string,
    end: (at: number, entry: Entry) => number,
  ): void => {
    let from = 0;
    for (const entry of entries) {
      const known = found.find((one) => one.entry === entry);
      if (known) {
        from = known.end;
        continue;
      }
      const start = freePlace(text, wanted(entry), from, isFree);
      if (start === undefined) continue;
      found.push({ entry, start, middle: start + entry.name.length, end: end(start, entry) });
      from = start + entry.name.length;
    }
  };
  find(
    ({ name, value }) => name + value,
    (at, { name, value }) => at + name.length + value.length,
  );
  find(
    ({ name }) => name,
    (at, { name }) => at + name.length,
  );
  for (const one of found) {
    const next = Math.min(
      text.length,
      ...found.map(({ start }) => start).filter((at) => at >= one.end && at > one.start),
    );
    one.end = next;
  }
  return found;
}

/** From the last place on if it stands there, else anywhere. */
function freePlace(
  text: string,
  wanted: string,
  from: number,
  isFree: (start: number, end: number) => boolean,
): number | undefined {
  if (wanted === '') return undefined;
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (isFree(at, at + wanted.length)) places.push(at);
  }
  return places.find((at) => at >= from) ?? places[0];
}

const CONCATENATION: Attribution = { step: 'parameterEntry', rule: '5.1/concatenation' };

/** Text before the first parameter. */
function frontSpans(text: string, [first]: readonly Found[]): readonly TextSpan[] {
  const actual = text.slice(0, first?.start ?? text.length);
  if (actual === '') return [];
  const step = 'joinParameterEntries';
  return [{ part: 'start of the text', ...CONCATENATION, step, expected: '', actual }];
}

function entrySpans(
  { name, value }: Entry,
  found: Found | undefined,
  text: string,
  input: Input,
): readonly TextSpan[] {
  const part = `parameter ${name}`;
  if (!found) {
    return [{ part, ...missingRule(name, value, input), expected: name + value, actual: '' }];
  }
  const given = text.slice(found.middle, found.end);
  if (given === value) return [];
  const isValue = !given.startsWith(value) || value === '' || isNumber(name, value, given, input);
  if (isValue) {
    return [{ part, ...valueRule(name, value, given, input), expected: value, actual: given }];
  }
  const more = given.slice(value.length);
  const rule = moreRule(more, found.end === text.length);
  return [{ part: `behind ${part}`, ...rule, expected: '', actual: more }];
}

/** What puts more text behind a right value. */
function moreRule(more: string, isLast: boolean): Attribution {
  if (more.startsWith('Signature')) {
    return { step: 'isSignedParameter', rule: '5.1/signature-excluded' };
  }
  if (!/^[&=,;:\s|]+$/.test(more)) return { step: 'isSignedParameter', rule: '5.1/all-parameters' };
  return isLast
    ? { step: 'withPrivateKey', rule: '5.1/private-key-last' }
    : { step: 'joinParameterEntries', rule: '5.1/concatenation' };
}

/** Whether the value is a number, or looks like one that was flattened out of another parameter. */
function isNumber(name: string, value: string, given: string, input: Input): boolean {
  const own = givenValue(name, input);
  if (own !== undefined) return typeof own === 'object' && own !== null && 'number' in own;
  const NUMBER = /^-?[0-9][0-9.,eE+-]*$/;
  return NUMBER.test(value) && NUMBER.test(given);
}

function missingRule(name: string, value: string, input: Input): Attribution {
  if (value === '') return { step: 'isSignedParameter', rule: '5.1/empty-value' };
  return givenValue(name, input) === undefined && name.includes('.')
    ? { step: 'flattened', rule: '5.1/flattening' }
    : { step: 'isSignedParameter', rule: '5.1/all-parameters' };
}

/** The parameter as it was given; nothing where it was flattened out of another one. */
function givenValue(name: string, { parameters }: Input): unknown {
  const pairs = Array.isArray(parameters)
    ? (parameters as readonly (readonly [string, unknown])[])
    : [];
  return pairs.find(([given]) => given === name)?.[1];
}

/** Which step makes the text of one value differ so. */
function valueRule(name: string, value: string, given: string, input: Input): Attribution {
  if (/^[=:]/.test(given)) return CONCATENATION;
  const own = givenValue(name, input);
  const isWord = own === undefined && /^(?:true|false)$/.test(value);
  if (typeof own === 'boolean' || isWord) return { step: 'booleanText', rule: '5.1/booleans' };
  if (isNumber(name, value, given, input)) return numberRule(value, given);
  if (name === 'Password' && value === Buffer.from(given, 'utf8').toString('base64')) {
    return { step: 'password', rule: '4.2/password-signed-encoded' };
  }
  const isEncoded = [given, given.replaceAll('+', '%20')].some((text) => urlDecode(text) === value);
  return { step: isEncoded ? 'parameterEntry' : 'valueText', rule: '5.1/unescaped' };
}

function numberRule(value: string, given: string): Attribution {
  const step = 'numberText';
  if (/[eE]/.test(given)) return { step, rule: '5.1/plain-decimal' };
  return Number(given) === Number(value) && given.length > value.length
    ? { step, rule: '5.1/number-fraction' }
    : { step: 'heldNumber', rule: '5.1/number-precision' };
}

function orderSpans(expected: readonly Entry[], actual: readonly Entry[]): readonly TextSpan[] {
  const moved = expected.filter((entry, i) => entry !== actual[i]);
  if (moved.length === 0) return [];
  const names = (entries: readonly Entry[]): string => entries.map(({ name }) => name).join(', ');
  return [
    {
      part: 'order of the parameters',
      step: 'compareParameterNames',
      rule: '5.1/sort-bytes',
      expected: names(moved),
      actual: names(actual.filter((entry) => moved.includes(entry))),
    },
  ];
}
