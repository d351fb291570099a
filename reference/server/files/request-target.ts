/**
 * The key and the parameters of a request on a bucket (§4.3), decoded.
 *
 * @module
 */

import { urlDecode } from '../../signing/index.ts';
import { quoted } from '../quoted.ts';
import { badRequest } from './refusal.ts';

/** In bytes of UTF-8. */
const LONGEST_KEY = 1023;

/** What follows the first slash of a path; a client may send it raw, or with its slashes escaped. */
export function keyOfPath(path: string): string {
  return checkedKey(decoded('the path', path.slice(1)));
}

/** A key; empty where the request is about the bucket. */
export function checkedKey(key: string): string {
  const size = Buffer.byteLength(key, 'utf8');
  if (size <= LONGEST_KEY) return key;
  throw badRequest(`the key has ${size} bytes; at most ${LONGEST_KEY} are allowed`);
}

/**
 * The parameters of a query, the first of a name.
 *
 * Between two ampersands, or before the first as the PHP SDK writes `?&a=b`, is a parameter without a name. The SDKs for Go
 * and Python write queries as forms, in which a space is a plus, and a plus is always escaped; a signature, in which it is
 * not, is read elsewhere.
 */
export function parametersOf(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const piece of query.replaceAll('+', '%20').split('&')) {
    const equals = piece.indexOf('=');
    const name = decoded('the query', equals < 0 ? piece : piece.slice(0, equals));
    const value = equals < 0 ? '' : decoded('the query', piece.slice(equals + 1));
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return parameters;
}

function decoded(what: string, text: string): string {
  const plain = urlDecode(text);
  if (plain !== undefined) return plain;
  throw badRequest(
    `${what} ${quoted(text)} has a bad escape; write each byte of its UTF-8 form as %XY (§5.3)`,
  );
}

/** A whole number in a parameter, or what counts without it. */
export function countOf(
  query: ReadonlyMap<string, string>,
  name: string,
  otherwise: number,
): number {
  const text = query.get(name) ?? '';
  if (text === '') return otherwise;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw badRequest(`${name} is ${JSON.stringify(text)}; it has to be a number of digits`);
}
