/**
 * Requests about files: headers, keys, and the additions of each way to send a signature (§4.3, §5.2, §5.4).
 *
 * Header lists about which the rules are open are left out: no positional header is folded or repeated.
 *
 * @module
 */
import fc from 'fast-check';
import type { HeaderList, Pair } from '../../../reference/signing/index.ts';
import type { Input } from '../../engine/vector.ts';
import { anyText, character, oneOf, seldom, text, weighted } from './texts.ts';

const word = fc.string({
  unit: character.filter((c) => !/[ \t]/.test(c)),
  maxLength: 3,
});

/** The text before a word: spaces and tabs, or characters that only look like them. */
const gap = weighted([4, oneOf('', ' ')], [1, oneOf('  ', '\t', ' \t', '\u00a0', ',', ', ')]);
const fold = oneOf('\r\n ', '\n ', '\r\n\t', ' \r\n ', '\r\n   ', '\t\n \t', '\r\n \r\n ');

function headerValue(before: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(fc.tuple(before, word), { maxLength: 3 }), before)
    .map(([parts, last]) => parts.map((part) => part.join('')).join('') + last);
}

/** A value of an extra header. */
const extraValue = headerValue(weighted([5, gap], [1, fold]));

/** A value that is not folded. */
const plainValue = headerValue(gap);

const suffix = weighted(
  [
    5,
    oneOf(
      ...['a', 'b', 'a-b', 'aa', 'a2', 'a10', 'a_b', 'a.b', 'meta-k', 'meta-', 'Z', 'ID', 'a~', ''],
      'Date',
    ),
  ],
  [1, fc.string({ unit: oneOf(...'akBZ09-_.~!|'), minLength: 1, maxLength: 3 })],
);

/** Few names in many spellings, so that headers repeat. */
function extraName(prefix: string): fc.Arbitrary<string> {
  const spelled = fc
    .tuple(
      oneOf(prefix, prefix.toLowerCase(), prefix.toUpperCase()),
      weighted([1, suffix], [1, fc.mixedCase(suffix)]),
    )
    .map((parts) => parts.join(''));
  return seldom(
    spelled,
    spelled.map((name) => `${name} `),
  );
}

/** Names of headers that are not signed, some of them similar to signed ones. */
function otherName(prefix: string): fc.Arbitrary<string> {
  const bare = prefix.replace(/-$/, '');
  return oneOf(
    'Host',
    'Content-Length',
    'X-Other',
    bare,
    `${bare}s-a`,
    `${bare}_a`,
    `My-${prefix}a`,
    'Dates',
    'Expires',
    'X-Date',
    'Content-Language',
  );
}

export type PositionalName = 'Content-MD5' | 'Content-Type' | 'Date';

const POSITIONAL: Readonly<Record<PositionalName, fc.Arbitrary<string>>> = {
  'Content-MD5': oneOf('1B2M2Y8AsgTpgAmY7PhCfg==', 'XrY7u+Ae7tCTyyK7j1rNww=='),
  'Content-Type': oneOf('text/plain', 'text/html; charset="utf-8"', 'image/PNG'),
  Date: oneOf('Thu, 09 Jul 2026 07:15:00 GMT', '20260709071500', '2026-07-09T07:15:00Z'),
};

export const POSITIONAL_NAMES: readonly PositionalName[] = ['Content-MD5', 'Content-Type', 'Date'];

function positionalHeader(name: PositionalName): fc.Arbitrary<Pair> {
  const spelled = weighted(
    [1, fc.constant(name)],
    [1, oneOf(name.toLowerCase(), name.toUpperCase())],
  );
  const value = weighted([2, POSITIONAL[name]], [1, plainValue]);
  return fc.tuple(spelled, value);
}

/** Extra headers, others, and each of the given positional ones at most once, in any order. */
export function headerList(
  prefix: string,
  positional: readonly PositionalName[] = POSITIONAL_NAMES,
): fc.Arbitrary<HeaderList> {
  const header = weighted(
    [5, fc.tuple(extraName(prefix), extraValue)],
    [2, fc.oneof(...positional.map(positionalHeader))],
    [1, fc.tuple(otherName(prefix), plainValue)],
  );
  return fc.array(header, { maxLength: 6 }).map(withoutRepeatedPositional);
}

function withoutRepeatedPositional(headers: HeaderList): HeaderList {
  const positional = POSITIONAL_NAMES.map((name) => name.toLowerCase());
  const names = headers.map(([name]) => name.toLowerCase());
  return headers.filter((_, i) => {
    const name = names[i] ?? '';
    return !positional.includes(name) || names.indexOf(name) === i;
  });
}

const method = weighted(
  [4, oneOf('GET', 'PUT', 'POST', 'DELETE', 'HEAD')],
  [1, oneOf('put', 'Get', 'PATCH')],
);

const bucket = oneOf('b', 'demo', 'my-bucket-1', '0b');

const key = weighted(
  [3, text],
  [
    2,
    oneOf(
      'a',
      '',
      '/',
      '/a',
      'a//b',
      'a/',
      'a b',
      'a+b',
      'a%2Fb',
      '100%',
      'a.txt',
      'a.html',
      '%61%2f',
      'a?b=c',
      'a#b',
      '\u00e9',
      'e\u0301',
      'K\u212a',
      'a/./b',
      '😀',
    ),
  ],
);

/** The second one contains the characters in which the two Base64 alphabets differ. */
const etag = oneOf('AQAAAPXSGmQ4bmdWy0n7R0rRkxvyxYbF', 'AgAAAD7-_Fb81S0o6K_xk9cQt3aJpHWw');
const size = oneOf('0', '1', '4194305');

export function fileRequest(prefix: string): fc.Arbitrary<Input> {
  return fc.record({ method, bucket, key, headers: headerList(prefix) });
}

export function policyRequest(prefix: string): fc.Arbitrary<Input> {
  return fc
    .tuple(fileRequest(prefix), oneOf('e30=', 'eyJhIjoiYiJ9', 'eyJ1IjoiaHR0cDovL2E_Yj1jIn0='))
    .map(([request, policy]) => ({ ...request, policy }));
}

export function instantUpload(prefix: string): fc.Arbitrary<Input> {
  return fc.record({ bucket, key, headers: headerList(prefix), etag, size });
}

const expires = oneOf('1783580400', '1', '4102444800', '0001785000009');

/** Without Content-MD5 and Content-Type: whether a pre-signed request signs them is open. */
export function presignedRequest(prefix: string): fc.Arbitrary<Input> {
  return fc.record({
    method,
    bucket,
    key,
    headers: headerList(prefix, ['Date']),
    expires,
    scheme: oneOf('https', 'http'),
    fileHost: oneOf('files.svc.example', 'localhost:8080'),
  });
}

const fieldName = oneOf('FileName', 'file', 'content-type', 'CONTENT-TYPE', 'X-Field');
const fieldType = oneOf('text/plain', 'image/png', 'text/html; charset=utf-8');
const md5 = oneOf('1B2M2Y8AsgTpgAmY7PhCfg==', 'XrY7u+Ae7tCTyyK7j1rNww==');

/** Each positional field appears at most once. An empty Content-MD5 header is left out: no rule covers it beside a field. */
export function formRequest(prefix: string): fc.Arbitrary<Input> {
  return fc
    .record({
      bucket,
      key,
      headers: headerList(prefix, ['Content-Type', 'Date']),
      headerMd5: fc.option(md5, { nil: undefined, freq: 2 }),
      type: fc.option(fieldType, { nil: undefined, freq: 4 }),
      fieldMd5: fc.option(md5, { nil: undefined, freq: 2 }),
      others: fc.array(fc.tuple(fieldName, text), { maxLength: 2 }),
    })
    .map(({ bucket: to, key: named, headers, headerMd5, type, fieldMd5, others }) => ({
      bucket: to,
      key: named,
      headers: [...headers, ...optional('Content-MD5', headerMd5)],
      fields: [...others, ...optional('Content-Type', type), ...optional('Content-MD5', fieldMd5)],
    }));
}

function optional(name: string, value: string | undefined): readonly Pair[] {
  return value === undefined ? [] : [[name, value]];
}

/** The members of a callback policy, each name once. */
export const policyMembers: fc.Arbitrary<Input> = fc.record({
  members: fc.uniqueArray(
    fc.tuple(
      weighted(
        [1, oneOf('a', 'callbackUrl', 'callbackBody', 'Z')],
        [1, anyText.filter((name) => name !== '')],
      ),
      weighted(
        [1, text],
        [
          1,
          oneOf('', 'http://a.example/?b=c', 'k=$(key)&b', 'a"b', 'a\\b', '>>>???', 'a\nb', 'a b'),
        ],
      ),
    ),
    { selector: ([name]) => name, minLength: 1, maxLength: 3 },
  ),
});
