/**
 * Requests about files: headers, keys, and the additions of each way to send a signature (§4.3, §5.2, §5.4).
 *
 * @module
 */
import fc from 'fast-check';
import type { Pair } from '../../../reference/signing/index.ts';
import type { Input } from '../../engine/vector.ts';
import { headerList } from './headers.ts';
import { anyText, oneOf, text } from './texts.ts';

const method = fc.oneof(
  { withCrossShrink: true },
  { weight: 4, arbitrary: oneOf('GET', 'PUT', 'POST', 'DELETE', 'HEAD') },
  { weight: 1, arbitrary: oneOf('put', 'Get', 'PATCH') },
);

const bucket = oneOf('b', 'demo', 'my-bucket-1', '0b');

const key = fc.oneof(
  { withCrossShrink: true },
  { weight: 3, arbitrary: text },
  {
    weight: 2,
    arbitrary: oneOf(
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
  },
);

/** The second one contains the characters in which the two Base64 alphabets differ. */
const etag = oneOf('AQAAAPXSGmQ4bmdWy0n7R0rRkxvyxYbF', 'AgAAAD7-_Fb81S0o6K_xk9cQt3aJpHWw');
const size = oneOf('0', '1', '4194305');

export function fileRequest(prefix: string): fc.Arbitrary<Input> {
  return fc.record({ method, bucket, key, headers: headerList({ prefix }) });
}

export function policyRequest(prefix: string): fc.Arbitrary<Input> {
  return fc
    .tuple(fileRequest(prefix), oneOf('e30=', 'eyJhIjoiYiJ9', 'eyJ1IjoiaHR0cDovL2E_Yj1jIn0='))
    .map(([request, policy]) => ({ ...request, policy }));
}

export function instantUpload(prefix: string): fc.Arbitrary<Input> {
  return fc.record({ bucket, key, headers: headerList({ prefix }), etag, size });
}

const expires = oneOf('1783580400', '1', '4102444800', '0001785000009');

/** Without Content-MD5 and Content-Type: whether a pre-signed request signs them is open. */
export function presignedRequest(prefix: string): fc.Arbitrary<Input> {
  return fc.record({
    method,
    bucket,
    key,
    headers: headerList({ prefix, positional: ['Date'] }),
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
      headers: headerList({ prefix, positional: ['Content-Type', 'Date'] }),
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
      fc.oneof(
        { withCrossShrink: true },
        oneOf('a', 'callbackUrl', 'callbackBody', 'Z'),
        anyText.filter((name) => name !== ''),
      ),
      fc.oneof(
        { withCrossShrink: true },
        text,
        oneOf('', 'http://a.example/?b=c', 'k=$(key)&b', 'a"b', 'a\\b', '>>>???', 'a\nb', 'a b'),
      ),
    ),
    { selector: ([name]) => name, minLength: 1, maxLength: 3 },
  ),
});
