/**
 * Mistakes of verifiers in reading the parameters of a query or of a JSON body (§4.2, §5.3).
 *
 * @module
 */
import { jsonText } from '../signing/json-text.ts';
import { urlDecode } from '../signing/percent-encoding.ts';
import type { Pair, ParameterValue } from '../signing/types.ts';
import { decodedQuery } from '../signing/verify-parameters.ts';
import type { Mistake } from './mistake.ts';

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/g;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;
const TRAILING_COMMA = /,(?=\s*[}\]])/g;

/** An expression would take quadratic time for a text that only opens comments. */
function withoutComments(text: string): string {
  let left = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf('/*', at);
    const end = start < 0 ? -1 : text.indexOf('*/', start + 2);
    if (end < 0) return left + text.slice(at);
    left += text.slice(at, start);
    at = end + 2;
  }
}

/** Names and values as the query has them. */
function rawPairs(query: string): readonly Pair[] {
  const pieces = query.split('&').filter((piece) => piece !== '');
  return pieces.map((piece) => {
    const [name = '', ...value] = piece.split('=');
    return [name, value.join('=')];
  });
}

const latin1Decoded = (text: string): string =>
  text.replace(ESCAPE, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)));

/** A value whose numbers went through a double. */
function inDoubles(value: ParameterValue): ParameterValue {
  if (typeof value !== 'object' || value === null) return value;
  if ('number' in value) return { number: `${Number(value.number)}` };
  return 'list' in value
    ? { list: value.list.map(inDoubles) }
    : { object: value.object.map(([name, member]) => [name, inDoubles(member)] as const) };
}

export const VERIFYING_PARAMETERS: readonly Mistake[] = [
  {
    id: 'verify-query-undecoded',
    rule: '5.3/signed-unencoded',
    swap: { decodedQuery: rawPairs },
    cause: 'the query is verified without being decoded',
    fix: 'decode names and values before signing them',
  },
  {
    id: 'verify-query-names-undecoded',
    rule: '5.3/names-and-values',
    swap: {
      decodedQuery: (query) =>
        decodedQuery(query)?.map(([, value], i) => [rawPairs(query)[i]?.[0] ?? '', value]),
    },
    cause: 'values of the query are decoded, names are not',
    fix: 'decode the names too',
  },
  {
    id: 'verify-query-decoded-twice',
    rule: '5.3/signed-unencoded',
    swap: { decodedQuery: (query) => decodedQuery(query.replaceAll('%25', '%')) },
    cause: 'the query is decoded twice, by the framework and once more',
    fix: 'decode names and values once',
  },
  {
    id: 'verify-query-decoded-before-splitting',
    rule: '5.3/escaped',
    swap: {
      decodedQuery: (query) => {
        const decoded = urlDecode(query);
        return decoded === undefined ? undefined : rawPairs(decoded);
      },
    },
    cause: 'the query is decoded before it is split at "&" and "="',
    fix: 'split the query first and decode each name and value then',
  },
  {
    id: 'verify-query-bad-escapes-kept',
    rule: '5.3/verify-escapes',
    swap: { decodedQuery: (query) => decodedQuery(query.replace(BAD_ESCAPE, '%25')) },
    cause: 'a "%" without two hexadecimal digits is taken as it stands',
    fix: 'refuse a query with a bad escape',
  },
  {
    id: 'verify-query-in-latin-1',
    rule: '5.3/utf-8',
    swap: {
      decodedQuery: (query) =>
        rawPairs(query).map(([name, value]) => [latin1Decoded(name), latin1Decoded(value)]),
    },
    cause: 'the escapes of the query are decoded as Latin-1',
    fix: 'decode the escapes as UTF-8',
  },
  {
    id: 'verify-query-empty-values-dropped',
    rule: '5.1/empty-value',
    swap: { decodedQuery: (query) => decodedQuery(query)?.filter(([, value]) => value !== '') },
    cause: 'the query parser drops parameters with an empty value',
    fix: 'have the parser keep them: they are signed by their name',
  },
  {
    id: 'verify-query-dots-as-underscores',
    rule: '5.1/all-parameters',
    swap: {
      decodedQuery: (query) =>
        decodedQuery(query)?.map(([name, value]) => [name.replace(/[. ]/g, '_'), value]),
    },
    cause: 'the query parser makes underscores of the dots in names',
    fix: 'parse the raw query, so that names stay as they were signed',
  },
  {
    id: 'verify-json-numbers-in-doubles',
    rule: '5.1/number-precision',
    swap: {
      jsonText: (text) => {
        const value = jsonText(text);
        return value === undefined ? undefined : inDoubles(value);
      },
    },
    cause: 'the numbers of the body are read into doubles and lose digits',
    fix: 'parse the body with a decoder that keeps the digits of its numbers',
  },
  {
    id: 'verify-json-comments-and-commas',
    rule: '4.2/json-syntax',
    swap: { jsonText: (text) => jsonText(withoutComments(text).replace(TRAILING_COMMA, '')) },
    cause: 'the JSON parser takes comments and trailing commas',
    fix: 'refuse a body that is not JSON',
  },
  {
    id: 'verify-json-first-value',
    rule: '4.2/json-syntax',
    swap: {
      jsonText: (text) =>
        [...text.matchAll(/\}/g)]
          .map(({ index }) => jsonText(text.slice(0, index + 1)))
          .find((value) => value !== undefined),
    },
    cause: 'the JSON parser stops after the first value and leaves what follows it unread',
    fix: 'refuse a body that goes on after its object',
  },
  {
    id: 'verify-any-account',
    rule: '5/key-of-account',
    swap: { sameAccount: () => true },
    cause: 'the public key is not looked up: there is one private key for all',
    fix: 'compute the signature with the private key of the account that the request names',
  },
  {
    id: 'verify-action-not-required',
    rule: '4.2/action-required',
    swap: {
      missingParameter: (parameters) =>
        parameters.some(([name]) => name === 'PublicKey') ? undefined : 'PublicKey',
    },
    cause: 'a request without Action is accepted',
    fix: 'refuse a request without Action',
  },
];
