/**
 * Replays: correctly signed requests that are sent again with a change.
 *
 * @module
 */
import type { HeaderList } from '../../../reference/signing/index.ts';
import type { Input, Vector } from '../../engine/vector.ts';
import { setUnusedBit } from '../forgeries.ts';
import {
  type Claim,
  changeCharacter,
  expectRefusal,
  signInput,
  type Target,
  type Within,
  withinHeader,
} from './probe-vectors.ts';

/** Changes by the ends of their ids, after "refuses-". */
type Changes = Readonly<Record<string, (input: Input) => Input>>;

const withinMember =
  (member: 'url' | 'query' | 'body', text: string | RegExp): Within =>
  (input, change) => ({
    ...input,
    [member]: String(input[member]).replace(text, (found) => change(found)),
  });

const PLACES = ['first', 'middle', 'last'] as const;

/** Changes of the character at each of some places of a text. */
function characterChanges(
  name: string,
  within: Within,
  places: readonly (typeof PLACES)[number][] = PLACES,
): Changes {
  const changes = places.map((place): [string, (input: Input) => Input] => [
    `the-${place}-character-of-${name}-changed`,
    (input) =>
      within(input, (text) => {
        const at = { first: 0, middle: Math.floor(text.length / 2), last: text.length - 1 };
        return changeCharacter(text, at[place]);
      }),
  ]);
  return Object.fromEntries(changes);
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
  const ofHeader = (name: string): Changes =>
    characterChanges(name.toLowerCase(), withinHeader(name));
  return {
    ...keyChanges((input, change) => ({ ...input, key: change(KEY) })),
    'another-method': (input) => ({ ...input, method: 'DELETE' }),
    ...ofHeader('Content-Type'),
    ...ofHeader('Date'),
    ...ofHeader(owner),
    'an-added-header': withHeaders((headers) => [...headers, [`${headerPrefix}Meta-X`, '1']]),
    'a-repeated-header': withHeaders((headers) => [...headers, [owner, 'sales']]),
    'a-removed-header': withHeaders((headers) => headers.filter(([name]) => name !== owner)),
    ...ofHeader('Authorization'),
    'an-unused-bit-of-the-signature': (input) => withinHeader('Authorization')(input, setUnusedBit),
  };
}

function urlChanges({ dialect: { headerPrefix } }: Target): Changes {
  const withinExpiry = withinMember('url', /(?<=Expires=)[^&%]*/);
  const withinSignature = withinMember('url', /(?<=Signature=)[^&%]*/);
  return {
    ...keyChanges(withinMember('url', KEY)),
    'another-method': (input) => ({ ...input, method: 'PUT' }),
    'an-added-header': withHeaders((headers) => [...headers, [`${headerPrefix}Meta-X`, '1']]),
    // A changed expiry has to be in the future.
    'the-first-character-of-expires-changed': (input) =>
      withinExpiry(input, (expires) => `9${expires.slice(1)}`),
    'the-last-character-of-expires-changed': (input) =>
      withinExpiry(input, (expires) => `${Number(expires) + 1}`),
    ...characterChanges('signature', withinSignature, ['first', 'last']),
  };
}

/** Changes of a query or a JSON body. */
function textChanges(member: 'query' | 'body', { keys }: Target): Changes {
  const replaced = (old: string, text: string) => (input: Input) =>
    withinMember(member, old)(input, () => text);
  const isQuery = member === 'query';
  return {
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
    // The signature is the last 40 hexadecimal digits.
    ...characterChanges('signature', withinMember(member, /[0-9a-f]{40}(?="?\}?$)/)),
  };
}

const keyChanges = (withinKey: Within): Changes => ({
  ...characterChanges('the-key', withinKey),
  'a-key-cut-by-its-last-character': (input) => withinKey(input, (key) => key.slice(0, -1)),
  'a-longer-key': (input) => withinKey(input, (key) => `${key}x`),
});

const withHeaders =
  (change: (headers: HeaderList) => HeaderList) =>
  (input: Input): Input => ({ ...input, headers: change(input.headers ?? []) });
