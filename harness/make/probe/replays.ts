/**
 * Replays: correctly signed requests that are sent again with a change.
 *
 * @module
 */
import type { Input, Vector } from '../../engine/vector.ts';
import {
  type Claim,
  changeCharacter,
  expectRefusal,
  signInput,
  type Target,
} from './probe-vectors.ts';

type Headers = readonly (readonly [name: string, value: string])[];

/** Changes by the ends of their ids, after "refuses-". */
type Changes = Readonly<Record<string, (input: Input) => Input>>;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Base64 of 20 bytes ends with two unused bits. Decoders ignore that one of them is set. */
function setUnusedBit(text: string): string {
  const at = text.length - 2;
  return `${text.slice(0, at)}${ALPHABET.charAt(ALPHABET.indexOf(text.charAt(at)) + 1)}=`;
}

/** The text with another first, middle or last character. */
function changeEachPlace(text: string): Readonly<Record<string, string>> {
  return {
    first: changeCharacter(text, 0),
    middle: changeCharacter(text, Math.floor(text.length / 2)),
    last: changeCharacter(text, text.length - 1),
  };
}

/** Replays for every place of a signature: header, URL, query and body. */
export function createReplayVectors(target: Target): readonly Vector[] {
  return [
    ...createReplays('verify-authorization', fileRequest(target), headerChanges(target), target),
    ...createReplays('verify-presigned-url', presignedRequest(target), urlChanges(target), target),
    ...createReplays('verify-query', actionRequest(target), textChanges('query', target), target),
    ...createReplays('verify-json', actionRequest(target), textChanges('body', target), target),
  ];
}

function createReplays(
  operation: string,
  request: Input,
  changes: Changes,
  target: Target,
): readonly Vector[] {
  const signed = signInput(operation, request, target);
  return Object.entries(changes).flatMap(([name, change]) => {
    const claim: Claim = {
      id: `replays/refuses-${name}`,
      rules: ['5/mismatch-refused'],
      level: 'must',
      why: 'An attacker who sees one signed request could send another one.',
    };
    return expectRefusal(operation, claim, signed, change(signed), target) ?? [];
  });
}

const KEY = 'replays/report-2026.txt';

function fileRequest({ bucket, dialect: { headerPrefix } }: Target): Input {
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

function presignedRequest({ bucket, fileHost, scheme, now }: Target): Input {
  const expires = `${now + 3600}`;
  return { method: 'GET', bucket, key: KEY, headers: [], expires, scheme, fileHost };
}

function actionRequest({ keys }: Target): Input {
  return {
    parameters: [
      ['Action', 'DescribeBucket'],
      ['Limit', '17'],
      ['Note', 'paid in full'],
      ['PublicKey', keys.publicKey],
    ],
  };
}

function headerChanges({ dialect: { headerPrefix } }: Target): Changes {
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
        name === 'Authorization' ? [name, setUnusedBit(value)] : [name, value],
      ),
    ),
  };
}

function urlChanges({ dialect: { headerPrefix } }: Target): Changes {
  const parts = ['Expires', 'Signature'].flatMap((name) =>
    ['first', 'last'].map((where): [string, (input: Input) => Input] => [
      `the-${where}-character-of-${name.toLowerCase()}-changed`,
      withUrl((url) =>
        url.replace(new RegExp(`(${name}=)([^&%]*)`), (_, before: string, value: string) => {
          if (name === 'Signature') return before + (changeEachPlace(value)[where] ?? '');
          // A changed expiry has to be in the future.
          const later = where === 'first' ? `9${value.slice(1)}` : Number(value) + 1;
          return `${before}${later}`;
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

/** Changes of a query or a JSON body. */
function textChanges(member: 'query' | 'body', { keys }: Target): Changes {
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
    'another-public-key': replaced(keys.publicKey, changeCharacter(keys.publicKey, 0)),
  };
  return { ...changes, ...signatureChanges(member) };
}

/** Changes of the signature: the last 40 hexadecimal digits. */
function signatureChanges(member: 'query' | 'body'): Changes {
  return Object.fromEntries(
    ['first', 'middle', 'last'].map((where) => [
      `the-${where}-character-of-signature-changed`,
      (input: Input) => ({
        ...input,
        [member]: String(input[member]).replace(
          /[0-9a-f]{40}(?="?\}?$)/,
          (signature) => changeEachPlace(signature)[where] ?? '',
        ),
      }),
    ]),
  );
}

function keyChanges(withKey: (input: Input, key: string) => Input): Changes {
  const changed = Object.entries(changeEachPlace(KEY)).map(
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
        name === header ? [name, changeEachPlace(value)[where] ?? ''] : [name, value],
      ),
    ),
  ]);
  return Object.fromEntries(changes);
}

function withHeaders(change: (headers: Headers) => Headers): (input: Input) => Input {
  return (input) => ({ ...input, headers: change(input.headers ?? []) });
}

function withUrl(change: (url: string) => string): (input: Input) => Input {
  return (input) => ({ ...input, url: change(String(input.url)) });
}
