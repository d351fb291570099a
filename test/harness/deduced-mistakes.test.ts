/**
 * Mistakes that are on no list: the search deduces them from the answers.
 */
import { expect, test } from 'vitest';
import { findMistake } from '../../harness/engine/proof/catalogue.ts';
import type { Question, Reply } from '../../harness/engine/protocol.ts';
import {
  guessedTypes,
  joinedSpelling,
  otherWord,
  spellingOf,
} from '../../reference/mistakes/index.ts';
import { answerWith, findCauses } from './find-causes.ts';

const TYPES: readonly (readonly [ending: string, type: string])[] = [
  ['.jpg', 'image/jpeg'],
  ['.txt', 'text/plain'],
  ['.pdf', 'application/pdf'],
];

/** Signs the type of the file name with PUT, if no Content-Type is sent, and joins repeated headers with a comma and a space. */
function guessType(question: Question): Reply {
  const { headers = [], key = '', method } = question.input;
  const type = TYPES.find(([ending]) => key.endsWith(ending))?.[1];
  const isSent = headers.some(([name]) => name.trim().toLowerCase() === 'content-type');
  const isGuessed = method?.toUpperCase() === 'PUT' && type !== undefined && !isSent;
  const signed: Question = isGuessed
    ? {
        ...question,
        input: { ...question.input, headers: [...headers, ['Content-Type', type]] },
      }
    : question;
  return answerWith(signed, 'headers-merged-by-comma-space');
}

test('guessed media types are named with the file extensions and the method', async () => {
  expect(new Map(await findCauses(['authorization'], guessType))).toEqual(
    new Map([
      ['positional-values/types-of-jpg-pdf-txt-for-put', 'exact'],
      ['headers-merged-by-comma-space', 'exact'],
    ]),
  );
});

test('media types are deduced in one operation although another one is correct', async () => {
  const causes = await findCauses(['authorization', 'presigned-url'], (question) =>
    question.operation === 'authorization' ? guessType(question) : answerWith(question),
  );
  expect(causes).toContainEqual(['positional-values/types-of-jpg-pdf-txt-for-put', 'exact']);
});

test('a mistake is not extended to an operation that other mistakes explain without it', async () => {
  const causes = await findCauses(['authorization', 'instant-upload'], (question) =>
    question.operation === 'instant-upload'
      ? answerWith(question, 'instant-upload-method/put')
      : guessType(question),
  );
  const exact = causes.filter(([, confidence]) => confidence === 'exact').map(([id]) => id);
  expect(exact).toHaveLength(causes.length);
  expect(exact.toSorted()).toEqual([
    'headers-merged-by-comma-space',
    'instant-upload-method/put',
    expect.stringMatching(/^positional-values\/types-of-jpg-(?:pdf-)?txt-for-put$/),
  ]);
});

/** Writes other words in the results of the correct answers. */
const writeWords =
  (words: Readonly<Record<string, string>>) =>
  (question: Question): Reply => {
    const reply = answerWith(question);
    if (reply.kind !== 'result') return reply;
    const result = Object.entries(reply.result).map(([stage, value]) => [
      stage,
      Object.entries(words).reduce((text, [word, other]) => text.replace(word, other), `${value}`),
    ]);
    return { ...reply, result: Object.fromEntries(result) };
  };

test.each<readonly [operation: string, words: Readonly<Record<string, string>>, ids: string[]]>([
  ['presigned-url', { '&Expires=': '&ttl=' }, ['presigned-name/Expires-as-ttl']],
  [
    'presigned-url',
    { '?SvcPublicKey=': '?key_id=', '&Signature=': '&mac=' },
    ['presigned-name/SvcPublicKey-as-key.5Fid-and-Signature-as-mac'],
  ],
  ['action-query', { '&Signature=': '&Token=' }, ['signature-name/Signature-as-Token']],
  ['action-json', { '"Signature"': '"hmac"' }, ['signature-name/Signature-as-hmac']],
  ['instant-upload', { 'Hash=': 'digest=' }, ['instant-upload-name/Hash-as-digest']],
  ['authorization', { 'Svc ': 'Signed ' }, ['sent-scheme/Svc-as-Signed']],
])('other words of %s are named: %j', async (operation, words, ids) => {
  expect(await findCauses([operation], writeWords(words))).toEqual(ids.map((id) => [id, 'exact']));
});

test.each([
  ['a=1&Expires=5', 'a=1&expires_in=5', 'Expires', 'expires_in'],
  ['a=1&Expires=5', 'a=1&ExpiresAt=5', 'Expires', 'ExpiresAt'],
  ['Svc key:1', 'Svc key:2', 'Svc', undefined],
  ['a=Expires&Expires=5', 'a=Expires&E=5', 'Expires', 'E'],
  ['Svc key:1', ' key:1', 'Svc', undefined],
])('from %j to %j, %j is written as %j', (right, actual, word, other) => {
  expect(otherWord(right, actual, word)).toBe(other);
});

test.each([
  [
    'url-encode/spelled-7ee-20p-2ak-41e',
    'has "~" and "A" escaped, has "+" for a space and has "*" unescaped',
  ],
  ['url-encode/spelled-2as', 'has "*" escaped with lower-case hexadecimal digits'],
  ['resource-key/spelled-25t', 'has "%" escaped twice'],
  ['query-value/spelled-e9l', 'has escapes with lower-case hexadecimal digits'],
  ['positional-values/types-of-jpg-txt', 'for the file extensions jpg and txt'],
  ['boolean-text/true-as-.2Ft-and-false-as-f', '"/t" instead of "true" and "f" instead of "false"'],
  ['positional-values/types-of-jpg-for-put', 'for the file extension jpg and the verb PUT'],
])('a deduced mistake is found by its id: %s', (id, clause) => {
  const found = findMistake(id);
  expect(found?.id).toBe(id);
  expect(found?.wrong).toContain(clause);
});

test.each([
  'positional-values/types-of-jpg-xyz',
  'url-encode/spelled-',
  'url-encode/spelled-zzk',
  'path/spelled-7ee',
  'presigned-name/Expires-as-a_b',
  'presigned-name/-as-a',
  'path-key/a-as-b',
])('an id that no deduced mistake has is not found: %s', (id) => {
  expect(findMistake(id)).toBeUndefined();
});

test('a guessed media type names a method only if one is given', () => {
  expect(guessedTypes(['jpg']).wrong).not.toContain('verb');
  expect(guessedTypes(['jpg'], 'PUT').wrong).toContain('and the verb PUT');
});

test('an encoder that escapes more than 24 characters otherwise is not described by a list of them', () => {
  const escaped = (text: string): string =>
    text.replace(/./g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const letters = 'abcdefghijklmnopqrstuvwxy';
  expect(spellingOf(letters, escaped(letters))).toBeUndefined();
  const halves = [letters.slice(0, 12), letters.slice(12)].flatMap(
    (half) => spellingOf(half, escaped(half)) ?? [],
  );
  expect(halves.map(({ size }) => size)).toEqual([12, 13]);
  expect(joinedSpelling(halves)).toBeUndefined();
});
