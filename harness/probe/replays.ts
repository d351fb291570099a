/**
 * Requests that were signed rightly once and are sent again with something changed.
 *
 * @module
 */
import type { Input, Vector } from '../suite/vector.ts';
import { type About, refusedVector, signedInput } from './own-vector.ts';

type Headers = readonly (readonly [name: string, value: string])[];

/** A change by its name, which completes "refuses-…". */
type Changes = Readonly<Record<string, (input: Input) => Input>>;

/** Another character in the place of the one at a position. */
export function changedAt(text: string, at: number): string {
  const other = text[at] === 'x' ? 'y' : 'x';
  return text.slice(0, at) + other + text.slice(at + 1);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Base64 of 20 bytes ends with two bits that mean nothing; a decoder does not see that one of them is set. */
function withUnusedBit(text: string): string {
  const at = text.length - 2;
  return `${text.slice(0, at)}${ALPHABET.charAt(ALPHABET.indexOf(text.charAt(at)) + 1)}=`;
}

/** A text with its first, its middle and its last character changed. */
function changedTexts(text: string): Readonly<Record<string, string>> {
  return {
    first: changedAt(text, 0),
    middle: changedAt(text, Math.floor(text.length / 2)),
    last: changedAt(text, text.length - 1),
  };
}

/** The vectors about replays, for every place where a signature travels. */
export function replays(about: About): readonly Vector[] {
  return [
    ...replaysOf('verify-authorization', fileRequest(about), headerChanges(about), about),
    ...replaysOf('verify-presigned-url', presignedRequest(about), urlChanges(about), about),
    ...replaysOf('verify-query', actionRequest(about), textChanges('query', about), about),
    ...replaysOf('verify-json', actionRequest(about), textChanges('body', about), about),
  ];
}

function replaysOf(
  operation: string,
  request: Input,
  changes: Changes,
  about: About,
): readonly Vector[] {
  const right = signedInput(operation, request, about);
  return Object.entries(changes).flatMap(([name, change]) => {
    const claim = {
      id: `replays/refuses-${name}`,
      rules: ['5/mismatch-refused'],
      level: 'must' as const,
      why: 'Whoever saw one signed request could send another one.',
    };
    return refusedVector(operation, claim, right, change(right), about) ?? [];
  });
}

const KEY = 'replays/report-2026.txt';

function fileRequest({ bucket, dialect: { headerPrefix } }: About): Input {
  return {
    method: 'PUT',
    bucket,
    key: KEY,
    headers: [
      ['Content-Type', 'text/plain'],
      ['Date', 'Thu, 09 Jul 2026 07:15:00 GMT'],
      [`${headerPrefix}Meta-Owner`, 'accounting'],
    ],
  };
}

function presignedRequest({ bucket, fileHost, scheme, now }: About): Input {
  const expires = `${now + 3600}`;
  return { method: 'GET', bucket, key: KEY, headers: [], expires, scheme, fileHost };
}

function actionRequest({ keys }: About): Input {
  return {
    parameters: [
      ['Action', 'DescribeBucket'],
      ['Limit', '17'],
      ['Note', 'paid in full'],
      ['PublicKey', keys.publicKey],
    ],
  };
}

function headerChanges({ dialect: { headerPrefix } }: About): Changes {
  const owner = `${headerPrefix}Meta-Owner`;
  return {
    ...keyChanges((input, key) => ({ ...input, key })),
    'another-method': (input) => ({ ...input, method: 'DELETE' }),
    ...headerTextChanges('Content-Type'),
    ...headerTextChanges('Date'),
    ...headerTextChanges(owner),
    'an-added-header': withHeaders((headers) => [...headers, [`${headerPrefix}Meta-X`, '1']]),
    'a-repeated-header': withHeaders((headers) => [...headers, [owner, 'sales']]),
    'a-removed-header': withHeaders((headers) => headers.filter(([name]) => name !== owner)),
    ...headerTextChanges('Authorization'),
    'an-unused-bit-of-the-signature': withHeaders((headers) =>
      headers.map(([name, value]) =>
        name === 'Authorization' ? [name, withUnusedBit(value)] : [name, value],
      ),
    ),
  };
}

function urlChanges({ dialect: { headerPrefix } }: About): Changes {
  const parts = ['Expires', 'Signature'].flatMap((name) =>
    ['first', 'last'].map((where): [string, (input: Input) => Input] => [
      `the-${where}-character-of-${name.toLowerCase()}-changed`,
      withUrl((url) =>
        url.replace(new RegExp(`(${name}=)([^&%]*)`), (_, before: string, value: string) => {
          // Of an expiry another digit, further in the future.
          if (name === 'Expires')
            return `${before}${where === 'first' ? `9${value.slice(1)}` : `${Number(value) + 1}`}`;
          return before + (changedTexts(value)[where] ?? '');
        }),
      ),
    ]),
  );
  return {
    ...keyChanges((input, key) => withUrl((url) => url.replace(KEY, key))(input)),
    'another-method': (input) => ({ ...input, method: 'PUT' }),
    'an-added-header': withHeaders((headers) => [...headers, [`${headerPrefix}Meta-X`, '1']]),
    ...Object.fromEntries(parts),
  };
}

/** Of a query or a JSON body. */
function textChanges(member: 'query' | 'body', { keys }: About): Changes {
  const replaced = (old: string, text: string) => (input: Input) => ({
    ...input,
    [member]: String(input[member]).replace(old, text),
  });
  const isQuery = member === 'query';
  const changes: Changes = {
    'the-first-character-of-a-value-changed': replaced('paid', 'xaid'),
    'the-last-character-of-a-value-changed': replaced('full', 'fulx'),
    'the-first-character-of-a-name-changed': replaced('Note', 'xote'),
    'the-last-character-of-a-name-changed': replaced('Note', 'Notx'),
    'another-number': replaced('17', '18'),
    'another-action': replaced('DescribeBucket', 'DescribeBuckex'),
    'an-added-parameter': isQuery
      ? replaced('Action=', 'Offset=0&Action=')
      : replaced('"Action"', '"Offset":"0","Action"'),
    'a-removed-parameter': isQuery ? replaced('Limit=17&', '') : replaced('"Limit":"17",', ''),
    'another-public-key': replaced(keys.publicKey, changedAt(keys.publicKey, 0)),
  };
  return { ...changes, ...signatureChanges(member) };
}

/** The last 40 hexadecimal digits. */
function signatureChanges(member: 'query' | 'body'): Changes {
  return Object.fromEntries(
    ['first', 'middle', 'last'].map((where) => [
      `the-${where}-character-of-signature-changed`,
      (input: Input) => ({
        ...input,
        [member]: String(input[member]).replace(
          /[0-9a-f]{40}(?="?\}?$)/,
          (signature) => changedTexts(signature)[where] ?? '',
        ),
      }),
    ]),
  );
}

function keyChanges(withKey: (input: Input, key: string) => Input): Changes {
  const changed = Object.entries(changedTexts(KEY)).map(
    ([where, key]): [string, (input: Input) => Input] => [
      `the-${where}-character-of-the-key-changed`,
      (input) => withKey(input, key),
    ],
  );
  return {
    ...Object.fromEntries(changed),
    'a-key-cut-by-its-last-character': (input) => withKey(input, KEY.slice(0, -1)),
    'a-longer-key': (input) => withKey(input, `${KEY}x`),
  };
}

function headerTextChanges(header: string): Changes {
  const changes = ['first', 'middle', 'last'].map((where): [string, (input: Input) => Input] => [
    `the-${where}-character-of-${header.toLowerCase()}-changed`,
    withHeaders((headers) =>
      headers.map(([name, value]) =>
        name === header ? [name, changedTexts(value)[where] ?? ''] : [name, value],
      ),
    ),
  ]);
  return Object.fromEntries(changes);
}

function withHeaders(change: (headers: Headers) => Headers): (input: Input) => Input {
  return (input) => ({ ...input, headers: change(input['headers'] as Headers) });
}

function withUrl(change: (url: string) => string): (input: Input) => Input {
  return (input) => ({ ...input, url: change(String(input['url'])) });
}
