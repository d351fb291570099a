/**
 * How two answers are compared, and where they first differ.
 *
 * @module
 */

import { decodeBase64 } from '../../../reference/contents.ts';
import { OPERATIONS, resultStages } from '../../../reference/operations.ts';
import { base64Url, compareBytes, utf8Bytes } from '../../../reference/signing/bytes.ts';
import { jsonText } from '../../../reference/signing/json-text.ts';
import type { ParameterValue } from '../../../reference/signing/types.ts';
import type { Stages } from '../vector.ts';

export interface Difference {
  readonly stage: string;
  /** The correct text, which makes the choices that the specification leaves open as `actual` does. */
  readonly expected: string;
  readonly actual: string;
  /** Both texts are the JSON in a policy. */
  readonly isDecoded?: true;
  /** The index of the first difference. */
  readonly at: number;
  /** The correct string to sign, if the reply contains none. */
  readonly toSign?: string;
}

/**
 * Finds the first stage that differs. Only the results decide whether an answer is wrong; the earlier stages, if the
 * adapter shows them, locate the mistake.
 */
export function findFirstDifference(
  operation: string,
  expected: Stages,
  actual: Stages,
): Difference | undefined {
  // The vectors of a verify operation contain its result only, but a verifier may show every stage.
  const differs = (stage: string): boolean =>
    expected[stage] !== undefined &&
    expected[stage] !== actual[stage] &&
    normalizeStage(operation, stage, expected[stage]) !==
      normalizeStage(operation, stage, actual[stage]);
  if (!resultStages(operation).some(differs)) return undefined;
  const stages = OPERATIONS[operation]?.stages ?? [];
  const stage = stages.find((name) => actual[name] !== undefined && differs(name));
  if (stage === undefined) return undefined;
  const shown = showTexts(operation, stage, expected[stage], actual[stage]);
  const at = sharedPrefixLength(shown.expected, shown.actual);
  const toSign = expected['stringToSign'];
  const isHidden = typeof toSign === 'string' && actual['stringToSign'] === undefined;
  return { stage, ...shown, at, ...(isHidden && { toSign }) };
}

type Texts = Pick<Difference, 'expected' | 'actual' | 'isDecoded'>;

/** Both texts of a stage as they are shown: the actual one as it was sent, the expected one with the same choices. */
function showTexts(operation: string, stage: string, expected: unknown, actual: unknown): Texts {
  const normal = {
    expected: normalizeStage(operation, stage, expected),
    actual: normalizeStage(operation, stage, actual),
  };
  if (typeof expected !== 'string' || typeof actual !== 'string') return normal;
  const aligned = alignTexts(stage, expected, actual);
  return aligned.expected === aligned.actual ? normal : aligned;
}

/** The length of the common prefix; it never splits a surrogate pair. */
export function sharedPrefixLength(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const before = a.charCodeAt(at - 1);
  return before >= 0xd800 && before < 0xdc00 ? at - 1 : at;
}

/**
 * Normalizes a stage for comparison.
 *
 * It removes only the differences that the specification allows: the order of query parameters and of JSON members, the
 * notation of JSON numbers, and an escaped slash in the path of a URL. Everything else must match byte for byte.
 */
export function normalizeStage(operation: string, stage: string, value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  switch (stage) {
    case 'query':
      return normalizeSignedQuery(value);
    case 'target':
      if (operation !== 'bucket-request') return normalizeTarget(value);
      return value.startsWith('/?') ? `/?${normalizeSignedQuery(value.slice(2))}` : value;
    case 'url':
      return normalizeUrl(value);
    case 'body':
      return normalizeJson(value);
    case 'policy':
      return normalizePolicy(value);
    default:
      return value;
  }
}

/** §5.3 puts `Signature` last and leaves the order of the other parameters open. */
function normalizeSignedQuery(query: string): string {
  const pairs = query.split('&');
  const last = pairs.at(-1) ?? '';
  return last.startsWith('Signature=') ? [...pairs.slice(0, -1).sort(), last].join('&') : query;
}

/** A path may contain an escaped slash. */
function normalizeUrl(url: string): string {
  const end = findQueryStart(url);
  return url.slice(0, end).replaceAll(/%2[Ff]/g, '/') + normalizeTarget(url.slice(end));
}

/** The index of the query of a URL, or the length without one. A wrong unescaped "?" in the path does not start the query. */
function findQueryStart(url: string): number {
  const mark = [...url.matchAll(/[?](?=[A-Za-z]+=)/g)].at(-1)?.index ?? url.indexOf('?');
  return mark < 0 ? url.length : mark;
}

/** In other URLs, all parameters may have any order. */
function normalizeTarget(target: string): string {
  const start = target.indexOf('?') + 1;
  const parameters = target.slice(start).split('&');
  return start === 0 ? target : target.slice(0, start) + parameters.sort().join('&');
}

/**
 * Sorts the members of JSON and normalizes its numbers.
 *
 * An object that is not JSON, because of a value such as `True` or `1,000`, has its members sorted too, and the whitespace
 * between its tokens removed. Otherwise, no mistake could explain it, because an adapter chooses both.
 */
function normalizeJson(text: string): string {
  const value = jsonText(text);
  return value === undefined ? sortMalformedMembers(text) : writeJson(normalizeValue(value));
}

/** A string, a punctuation mark, or a run of other characters. A string without end goes up to the end of the text, in linear time. */
const LENIENT_TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\]:,]|[^ \t\r\n"{}[\]:,]+/gs;

const PUNCTUATION = '{}[]:,';

/** A text that is no object stays unchanged. */
function sortMalformedMembers(text: string): string {
  const [open, ...tokens] = text.match(LENIENT_TOKENS) ?? [];
  if (open !== '{' || tokens.pop() !== '}') return text;
  const members = [''];
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    if (depth === 0 && token === ',' && tokens[i + 1]?.startsWith('"') && tokens[i + 2] === ':') {
      members.push('');
      continue;
    }
    // Without the space, `1 2` would become the number 12.
    const isGlued = [token, tokens[i - 1] ?? ','].some((one) => PUNCTUATION.includes(one));
    members.push(`${members.pop()}${isGlued ? '' : ' '}${token}`);
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
  }
  return `{${members.sort().join()}}`;
}

/** Members in the order of their names. Members of one name keep their order, because readers differ in the one that they take. */
function normalizeValue(value: ParameterValue): ParameterValue {
  if (typeof value !== 'object' || value === null) return value;
  if ('number' in value) return { number: normalizeNumber(value.number) };
  if ('list' in value) return { list: value.list.map(normalizeValue) };
  const sorted = [...value.object].sort(([a], [b]) => compareBytes(a, b));
  return { object: sorted.map(([name, member]) => [name, normalizeValue(member)]) };
}

function writeJson(value: ParameterValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('number' in value) return value.number;
  if ('list' in value) return `[${value.list.map(writeJson).join()}]`;
  const members = value.object.map(
    ([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`,
  );
  return `{${members.join()}}`;
}

/** The exact value of a JSON number: its significant digits and the power of ten of the last one. */
function normalizeNumber(token: string): string {
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/(?<!0)0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** Normalizes the JSON in a policy. A policy with whitespace in its JSON, or in another Base64 alphabet, stays unchanged. */
function normalizePolicy(policy: string): string {
  const json = decodePolicy(policy);
  return json === undefined ? policy : base64Url(utf8Bytes(normalizeJson(json)));
}

/** The JSON in a policy; undefined if it contains whitespace, or if the policy is no such text in URL-safe Base64. */
function decodePolicy(policy: string): string | undefined {
  const json = new TextDecoder('utf-8', { ignoreBOM: true }).decode(decodeBase64(policy));
  const canonical = base64Url(utf8Bytes(json));
  const hasWhitespace = /[ \t\r\n]/.test(json.replace(/(?<!\\)"(?:[^"\\]|\\.)*"/g, ''));
  return canonical === policy && !hasWhitespace ? json : undefined;
}

/** Writes an expected text with the choices of the actual one: the order of parameters and members, the notation of numbers, escaped slashes. */
function alignTexts(stage: string, expected: string, actual: string): Texts {
  switch (stage) {
    case 'query':
    case 'target':
      return { expected: alignQuery(expected, actual), actual };
    case 'url': {
      const [left, right] = [findQueryStart(expected), findQueryStart(actual)];
      const path = alignPath(expected.slice(0, left), actual.slice(0, right));
      return { expected: path + alignQuery(expected.slice(left), actual.slice(right)), actual };
    }
    case 'body':
      return alignJson(expected, actual);
    case 'policy': {
      const [left, right] = [decodePolicy(expected), decodePolicy(actual)];
      if (left === undefined || right === undefined) return { expected, actual };
      return { ...alignJson(left, right), isDecoded: true };
    }
    default:
      return { expected, actual };
  }
}

/** A path in which each slash is escaped that the actual one escapes, up to the first difference. */
function alignPath(expected: string, actual: string): string {
  const characters = [...expected];
  let aligned = '';
  for (const [i, character] of characters.entries()) {
    const given = actual.slice(aligned.length, aligned.length + 3);
    const written = character === '/' && given.toUpperCase() === '%2F' ? given : character;
    if (!given.startsWith(written)) return aligned + characters.slice(i).join('');
    aligned += written;
  }
  return aligned;
}

/** A query, or a target with one, whose parameters have the order of the actual one; first a parameter that is equal, then one with the same name. */
function alignQuery(expected: string, actual: string): string {
  const [start, given] = [expected.indexOf('?') + 1, actual.indexOf('?') + 1];
  const nameOf = (parameter: string): string => parameter.split('=')[0] ?? '';
  const left = expected.slice(start).split('&');
  const taken = actual
    .slice(given)
    .split('&')
    .map((parameter) => {
      const equal = left.indexOf(parameter);
      const at = equal < 0 ? left.findIndex((one) => nameOf(one) === nameOf(parameter)) : equal;
      return at < 0 ? [] : left.splice(at, 1);
    });
  return expected.slice(0, start) + [...taken.flat(), ...left].join('&');
}

/** JSON texts without whitespace between tokens; the expected one with the order of the actual members and its notation of equal numbers. */
function alignJson(expected: string, actual: string): Texts {
  const [left, right] = [jsonText(expected), jsonText(actual)];
  if (left === undefined || right === undefined) {
    return { expected: normalizeJson(expected), actual: normalizeJson(actual) };
  }
  return { expected: writeJson(alignValue(left, right)), actual: writeJson(right) };
}

function alignValue(expected: ParameterValue, actual: ParameterValue | undefined): ParameterValue {
  if (typeof expected !== 'object' || typeof actual !== 'object') return expected;
  if (expected === null || actual === null) return expected;
  if ('number' in expected && 'number' in actual) {
    return normalizeNumber(expected.number) === normalizeNumber(actual.number) ? actual : expected;
  }
  if ('list' in expected && 'list' in actual) {
    return { list: expected.list.map((item, i) => alignValue(item, actual.list[i])) };
  }
  return 'object' in expected && 'object' in actual
    ? { object: alignMembers(expected.object, actual.object) }
    : expected;
}

type Members = readonly (readonly [name: string, value: ParameterValue])[];

function alignMembers(expected: Members, actual: Members): Members {
  const left = [...expected];
  const taken = actual.flatMap(([name, value]) => {
    const at = left.findIndex(([own]) => own === name);
    return left
      .splice(at < 0 ? left.length : at, 1)
      .map(([own, due]) => [own, alignValue(due, value)] as const);
  });
  return [...taken, ...left];
}
