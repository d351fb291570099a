/**
 * Words in an id, such as fold, tab and empty, describe the data of the vector. Each check is false for most other vectors.
 */
import { describe, expect, test } from 'vitest';
import { readSuite } from '../../dist/harness/suite/suite-folder.js';
import type { Stages, Suite, Vector } from '../../harness/engine/vector.ts';

const { vectors }: Suite = readSuite('vectors');

type Pairs = readonly (readonly [string, unknown])[];
type Holds = (vector: Vector) => boolean;

/** Every string in a value, without the names of members. */
function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(texts);
}

const pairs = (vector: Vector, list: (typeof LISTS)[number]): Pairs =>
  (vector.input[list] ?? []) as Pairs;
const LISTS = ['headers', 'fields', 'parameters', 'members'] as const;
const inputText = (vector: Vector, name: keyof Vector['input']): string =>
  `${vector.input[name] ?? ''}`;

/** Headers that nearly every vector has, with spaces, commas, colons and signatures in their values. */
const COMMON = /^(?:date|authorization)$/i;

/** An input without the headers of nearly every vector. */
function particular(input: Vector['input']): Vector['input'] {
  const headers = (input.headers ?? []).filter(
    ([name, value]) => !COMMON.test(name) && !`${value}`.startsWith('multipart/form-data'),
  );
  return { ...input, headers };
}

const some = (vector: Vector, holds: (text: string) => boolean): boolean =>
  texts([particular(vector.input), vector.keys, particular(vector.control?.input ?? {})]).some(
    holds,
  );

/** The text, followed by its percent-decoded form if it has one. */
function withDecoded(text: string): string {
  try {
    return `${text}${decodeURIComponent(text)}`;
  } catch {
    return text;
  }
}

const includes =
  (characters: RegExp): Holds =>
  (vector) =>
    some(vector, (text) => characters.test(withDecoded(text)));

/** Whether the expected answer, or one of the accepted answers, contains the character. */
function inAnswer(vector: Vector, character: string): boolean {
  const { expect: expected, control, accept } = vector;
  const answers: unknown[] = [expected, control?.expect, ...Object.values(accept ?? {})];
  return texts(answers as unknown as Stages).some((text) => text.includes(character));
}

const json = (vector: Vector): string => JSON.stringify(vector.input);

/** The strings in a JSON body, or the body itself if it is not JSON. */
function bodyTexts(vector: Vector): readonly string[] {
  try {
    return texts(JSON.parse(inputText(vector, 'body')));
  } catch {
    return [inputText(vector, 'body')];
  }
}

const path = (vector: Vector): string =>
  /^https?:\/\/[^/]*([^?]*)/.exec(inputText(vector, 'url'))?.[1] ?? '';

const credentials = (vector: Vector): readonly string[] =>
  pairs(vector, 'headers').flatMap(([name, value]) =>
    /^authorization$/i.test(name) ? [`${value}`] : [],
  );

/** Whether a list has a name more than once. */
const repeats: Holds = (vector) =>
  LISTS.some((list) => {
    const names = pairs(vector, list).map(([name]) => name.toLowerCase());
    return new Set(names).size < names.length;
  });

const folds: Holds = (vector) => some(vector, (text) => /\r?\n[ \t]/.test(text));
const tabs: Holds = (vector) => texts(vector.input).some((text) => text.includes('\t'));
const normal = (other: 'NFC' | 'NFD'): Holds => {
  return (vector) =>
    some(vector, (text) => withDecoded(text).normalize(other) !== withDecoded(text));
};

const empty: Holds = (vector) =>
  texts(vector.input).includes('') ||
  vector.input['size'] === '0' ||
  /"(?:list|object|members)":\[\]|"size":0[,}]|\/\?/.test(json(vector)) ||
  /:""[,}]/.test(inputText(vector, 'body')) ||
  /(?:^|[?&])[^=&]*=(?:&|$)/.test(inputText(vector, 'url') || inputText(vector, 'query'));

/** A space or tab next to the colon of a header, or a colon in a text. */
const colon: Holds = (vector) =>
  includes(/:/)(vector) ||
  pairs(vector, 'headers').some(
    ([name, value]) => /[ \t]$/.test(name) || /^[ \t]/.test(`${value}`),
  );

/** Words that the specification uses in requests, in its own letter case. */
const CANON = 'Action PublicKey Signature Type BucketName Content MD5 Date Authorization';

function differInCase(vector: Vector): boolean {
  const given =
    JSON.stringify([particular(vector.input), vector.forged])
      .replace(/\{[a-z]+\}|svc\.example/g, '')
      .match(/[A-Za-z]+/g) ?? [];
  const words = new Set([...CANON.split(' '), ...given.filter((word) => word.length > 2)]);
  return new Set([...words].map((word) => word.toLowerCase())).size < words.size;
}

const names = (vector: Vector): readonly string[] => [
  ...pairs(vector, 'parameters').map(([name]) => name),
  ...inputText(vector, 'query')
    .split('&')
    .map((pair) => pair.split('=', 1).join()),
];
const sortsByCase: Holds = (vector) =>
  names(vector).toSorted().join() !==
  names(vector)
    .toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    .join();

/** Something in upper case where lower case is usual, or the other way round. */
const letterCase: Holds = (vector) =>
  differInCase(vector) ||
  sortsByCase(vector) ||
  /^(?:upper|lower)-case$/.test(`${vector.forged?.text}`) ||
  credentials(vector).some((text) => text.startsWith('svc ')) ||
  /[a-z]/.test(inputText(vector, 'method')) ||
  /[A-Z]/.test(inputText(vector, 'key')) ||
  /%[0-9a-f][a-f]|%[a-f]/.test(inputText(vector, 'url')) ||
  /"[0-9A-F]{40}\\?"|=[0-9A-F]{40}"/.test(json(vector)) ||
  pairs(vector, 'headers').some(
    ([name, value]) => /[a-z][A-Z_]|^X-SVC-|\u212a/.test(name) || /^[A-Z]+\//.test(`${value}`),
  );

/** For each word that an id may contain, the check that the data must pass. */
const CLAIMS: Readonly<Record<string, Holds>> = {
  empty,
  fold: folds,
  folds,
  folded: folds,
  tab: tabs,
  tabs,
  astral: includes(/[\u{10000}-\u{10ffff}]/u),
  space: includes(/[ \u00a0\u3000]/),
  spaces: includes(/ /),
  plus: (vector) => includes(/\+/)(vector) || inAnswer(vector, '+'),
  percent: includes(/%/),
  comma: includes(/,/),
  commas: includes(/,/),
  colon,
  newline: includes(/\n|\\n/),
  newlines: includes(/\n|\\n/),
  quote: includes(/['"]/),
  quotes: includes(/['"]/),
  tilde: includes(/~/),
  'non-ascii': includes(/[^\0-\x7f]|\\u[0-9a-fA-F]{4}/),
  nfd: normal('NFC'),
  nfc: normal('NFD'),
  long: (vector) => some(vector, (text) => Buffer.byteLength(text) > 64),
  null: (vector) => json(vector).includes('null'),
  booleans: (vector) => /true|false/.test(json(vector)),
  'question-mark': includes(/\?/),
  repeated: repeats,
  twice: repeats,
  password: (vector) => /password/i.test(json(vector)),
  case: letterCase,
};

const inKey =
  (characters: RegExp): Holds =>
  (vector) =>
    characters.test(inputText(vector, 'key'));

/** Checks of a word for one operation, whose inputs have the character in other places too. */
const CLAIMS_OF: Readonly<Record<string, Holds>> = {
  'space verify-authorization': (vector) =>
    includes(/ /)(vector) || credentials(vector).some((text) => !/^\S+ \S*$/.test(text)),
  'plus verify-authorization': (vector) =>
    texts(particular(vector.input)).some((text) => text.includes('+')) ||
    credentials(vector).some((text) => /\+.*:|:[^:]*\+.*\/|\/.*\+.*$/.test(text)),
  'plus verify-presigned-url': (vector) =>
    /\+/.test(inputText(vector, 'url')) ||
    /Signature=%2B|%2B.*Signature=/.test(JSON.stringify(vector.control ?? '')),
  'percent verify-presigned-url': (vector) => /%25|%(?![0-9A-Fa-f]{2})/.test(path(vector)),
  'percent verify-query': (vector) => /%(?![0-9A-Fa-f]{2})/.test(inputText(vector, 'query')),
  'comma verify-json': (vector) => /,\s*[}\]]/.test(inputText(vector, 'body')),
  'quote verify-json': (vector) => bodyTexts(vector).some((text) => /['"]/.test(text)),
  'long verify-json': (vector) => /[:,]-?\d{16,}/.test(inputText(vector, 'body')),
  'question-mark verify-presigned-url': (vector) => path(vector).includes('%3F'),
  'spaces form-authorization': inKey(/ /),
  'space instant-upload': inKey(/ /),
  'plus instant-upload': inKey(/\+/),
  'space policy-authorization': inKey(/ /),
};

/** Words of ids that describe a size, every answer, or what a signer did before signing. */
const NOT_OF_DATA = /-mib-plus-1-|-writes-digits-in-lower-case-|-names-signed-in-their-own-case-/;

interface Claim {
  readonly word: string;
  readonly vector: Vector;
  readonly holds: Holds;
}

const words = ({ id }: Vector): string => `-${id.split('/').at(-1)}-`;

const claims: readonly Claim[] = vectors.flatMap((vector) =>
  Object.entries(CLAIMS)
    .filter(([word]) => words(vector).includes(`-${word}-`) && word !== vector.operation)
    .filter(() => !NOT_OF_DATA.test(words(vector)))
    .map(([word, holds]) => ({
      word,
      vector,
      holds: CLAIMS_OF[`${word} ${vector.operation}`] ?? holds,
    })),
);

describe('the words of an id are true of its data', () => {
  for (const { word, vector, holds } of claims) {
    test(`${vector.id}: ${word}`, () => expect(holds(vector)).toBe(true));
  }
});

test('each claim is false for most other vectors of its operation', () => {
  const vacuous = claims.filter(({ word, vector: { operation }, holds }) => {
    const others = vectors.filter(
      (other) => other.operation === operation && !words(other).includes(`-${word}-`),
    );
    return others.filter(holds).length * 2 > others.length;
  });
  expect(vacuous.map(({ word, vector }) => `${vector.id}: ${word}`)).toEqual([]);
});

test('every check is used by an id', () => {
  const made = claims.map(({ word, vector }) => `${word} ${vector.operation}`);
  expect(Object.keys(CLAIMS_OF).filter((claim) => !made.includes(claim))).toEqual([]);
  expect(
    Object.keys(CLAIMS).filter((word) => !claims.some((claim) => claim.word === word)),
  ).toEqual([]);
});

const MIB = 1024 * 1024;

describe('an id that names a size has content of this size', () => {
  for (const vector of vectors) {
    const [found, count, sign] = /-([0-9]+)-mib(?:-(plus|minus)-1)?-/.exec(words(vector)) ?? [];
    if (found === undefined) continue;
    test(vector.id, () => {
      const size = (vector.input['content'] as { recipe?: { size: number } }).recipe?.size;
      expect(size).toBe(Number(count) * MIB + (sign === 'plus' ? 1 : sign === 'minus' ? -1 : 0));
    });
  }
});
