/**
 * Random file requests: extra, positional and other headers in any case and order, some repeated.
 *
 * @module
 */
import fc from 'fast-check';
import type { FileRequest, HeaderList, Pair } from '../../reference/signing/index.ts';
import {
  type Change,
  changed,
  changedPair,
  changedText,
  changedWord,
  same,
  shuffled,
  text,
  tokenCharacter,
  wordCharacter,
} from './arbitraries.ts';

/** A value with single spaces inside and none around, as §5.2 signs it. */
export const headerValue: fc.Arbitrary<string> = fc
  .array(fc.string({ unit: wordCharacter, minLength: 1, maxLength: 4 }), { maxLength: 3 })
  .map((words) => words.join(' '));

const suffix = fc.oneof(
  fc.constantFrom('', 'a', 'a-b', 'aa', 'ab', 'meta-k', 'k'),
  fc.string({ unit: tokenCharacter, maxLength: 3 }),
);
/** Few names in upper and lower case, so that names repeat. */
export const extraName: fc.Arbitrary<string> = fc.mixedCase(suffix.map((s) => `x-svc-${s}`));

export const positionalName: fc.Arbitrary<string> = fc.mixedCase(
  fc.constantFrom('Content-MD5', 'Content-Type', 'Date'),
);
/** Unsigned names that resemble signed ones. */
const otherName = fc.mixedCase(
  fc.constantFrom(
    'Host',
    'X-Svc',
    'XSvc-a',
    'X-Svcs-a',
    'My-X-Svc-a',
    'X_Svc_a',
    'Dates',
    'Expires',
    'Content-MD',
  ),
);

export const extraHeaders: fc.Arbitrary<HeaderList> = fc.array(fc.tuple(extraName, headerValue), {
  maxLength: 6,
});
export const positionalHeaders: fc.Arbitrary<HeaderList> = fc.uniqueArray(
  fc.tuple(positionalName, headerValue),
  { selector: ([name]) => name.toLowerCase(), maxLength: 3 },
);
export const otherHeaders: fc.Arbitrary<HeaderList> = fc.array(fc.tuple(otherName, headerValue), {
  maxLength: 3,
});
export const headerList: fc.Arbitrary<HeaderList> = fc
  .tuple(extraHeaders, positionalHeaders, otherHeaders)
  .chain((lists) => shuffled(lists.flat()));

const method = fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'get', 'Put');
const label = fc.string({ unit: fc.constantFrom(...'abz019'), minLength: 1, maxLength: 3 });
export const bucket: fc.Arbitrary<string> = fc
  .array(label, { minLength: 1, maxLength: 2 })
  .map((labels) => labels.join('-'));
export const key: fc.Arbitrary<string> = fc.oneof(
  text,
  fc.constantFrom(
    '',
    '.',
    '..',
    'a/../b',
    '/',
    '//a',
    'a//',
    'a b',
    'a+b',
    '%2F',
    '%',
    '?a=b',
    '#',
    'a\nb',
  ),
);
export const fileRequest: fc.Arbitrary<FileRequest> = fc.record({
  method,
  bucket,
  key,
  headers: headerList,
});

function changedPart<Name extends keyof FileRequest>(
  name: Name,
  change: fc.Arbitrary<Change<FileRequest[Name]>>,
): fc.Arbitrary<Change<FileRequest>> {
  return fc.tuple(fileRequest, change).map(([request, [a, b]]) => [
    { ...request, [name]: a },
    { ...request, [name]: b },
  ]);
}

const differIgnoringCase = ([a, b]: Change<string>): boolean => a.toLowerCase() !== b.toLowerCase();

/** Two values that differ even if case is ignored. */
function twoDifferent(one: fc.Arbitrary<string>): fc.Arbitrary<Change<string>> {
  return fc.tuple(one, one).filter(differIgnoringCase);
}

function changedHeader(
  others: fc.Arbitrary<HeaderList>,
  change: fc.Arbitrary<Change<Pair>>,
): fc.Arbitrary<Change<HeaderList>> {
  return fc.tuple(others, change, fc.boolean()).map(([rest, [a, b], first]) =>
    first
      ? [
          [a, ...rest],
          [b, ...rest],
        ]
      : [
          [...rest, a],
          [...rest, b],
        ],
  );
}

const changedExtraName = changed(tokenCharacter)
  .filter(differIgnoringCase)
  .map(([a, b]): Change<string> => [`X-Svc-${a}`, `X-Svc-${b}`]);
const changedExtra = fc.oneof(
  changedPair(same(extraName), changedWord),
  changedPair(changedExtraName, same(headerValue)),
);
const changedPositional = changedPair(same(positionalName), changedWord);

/** Two requests that differ in one part that §5.4 signs. */
export const changedPresigned: fc.Arbitrary<Change<FileRequest>> = fc.oneof(
  changedPart('method', twoDifferent(method)),
  changedPart('bucket', twoDifferent(bucket)),
  changedPart('key', changedText),
  changedPart('headers', changedHeader(headerList, changedExtra)),
);
/** Two requests that differ in one part that §5.2 signs. */
export const changedRequest: fc.Arbitrary<Change<FileRequest>> = fc.oneof(
  { weight: 3, arbitrary: changedPresigned },
  changedPart('headers', changedHeader(extraHeaders, changedPositional)),
);
