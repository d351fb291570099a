/**
 * The input of a vector, changed for one server: its bucket, its hosts, its clock, and only actions that change nothing.
 *
 * @module
 */
import { urlDecode, urlEncode } from '../../../reference/signing/index.ts';
import type { Input } from '../../engine/vector.ts';
import { withKnownMd5 } from '../../suite/known-bodies.ts';

export interface Place {
  readonly bucket: string;
  readonly fileHost: string;
  /** Of the server's URL: http or https. */
  readonly scheme: string;
  /** The clock in Unix seconds. */
  readonly now: number;
}

/** It only reads. A correctly signed probe must not buy a machine or delete a disk. */
const HARMLESS_ACTION = 'DescribeBucket';

/**
 * Moves an input, which may lack members, from one place to another. Names of other buckets stay.
 *
 * @param later seconds that are added to validities
 */
export function relocateInput(input: Input, from: Place, to: Place, later: number): Input {
  const clocks = { before: Number(input.now ?? from.now), now: to.now, later };
  const entries = Object.entries(input).map(([name, member]): [string, unknown] => [
    name,
    relocateMember(name, member, from, to, clocks),
  ]);
  return Object.fromEntries(entries);
}

function relocateMember(
  name: string,
  member: unknown,
  from: Place,
  to: Place,
  clocks: Clocks,
): unknown {
  switch (name) {
    case 'bucket':
      return member === from.bucket ? to.bucket : member;
    case 'fileHost':
    case 'scheme':
      return to[name];
    case 'now':
      return `${to.now}`;
    case 'expires':
      return prolong(String(member), clocks);
    case 'headers':
      return withKnownMd5(member as readonly (readonly [string, string])[]);
    case 'url':
      return moveExpiry(relocateUrl(String(member), from, to), clocks);
    case 'query':
      return harmlessQuery(String(member));
    case 'body':
      return harmlessJson(String(member));
    case 'parameters':
      return (member as readonly (readonly [string, unknown])[]).map(harmlessPair);
    default:
      return member;
  }
}

function relocateUrl(url: string, from: Place, to: Place): string {
  const [all, scheme = '', host = ''] = /^(https?:\/\/)([^/?#]*)/.exec(url) ?? [];
  const suffix = host.slice(-from.fileHost.length);
  if (all === undefined || suffix.toLowerCase() !== from.fileHost.toLowerCase()) return url;
  const before = host.slice(0, host.length - from.fileHost.length);
  const bucket = before === `${from.bucket}.` ? `${to.bucket}.` : before;
  const isUpper = suffix !== from.fileHost && suffix !== suffix.toLowerCase();
  const fileHost = isUpper ? to.fileHost.toUpperCase() : to.fileHost;
  return `${scheme && `${to.scheme}://`}${bucket}${fileHost}${url.slice(all.length)}`;
}

function harmlessQuery(query: string): string {
  return query.replace(/(^|&)Action=([^&]*)/g, (pair, before: string, value: string) =>
    isAction(urlDecode(value)) ? `${before}Action=${HARMLESS_ACTION}` : pair,
  );
}

function harmlessJson(body: string): string {
  return body.replace(
    /("Act(?:i|\\u0069)on"\s*:\s*")[A-Za-z]+"/g,
    (_, before: string) => `${before}${HARMLESS_ACTION}"`,
  );
}

function harmlessPair(pair: readonly [string, unknown]): readonly [string, unknown] {
  const [name, value] = pair;
  return name === 'Action' && isAction(value) ? [name, HARMLESS_ACTION] : pair;
}

function isAction(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z]+$/.test(value);
}

/** Seconds, as everything below. A clock that shows whole seconds may be one behind, and a request takes time. */
const PAST_MARGIN = 2;

/** A valid request stays valid for so long after it is asked. */
const FUTURE_MARGIN = 3600;

/** A moment that is further in the past stays: it may be the point of the vector, such as another century. */
const LONG_AGO = 86_400;

interface Clocks {
  /** The clock of the vector. */
  readonly before: number;
  /** The clock of the server. */
  readonly now: number;
  /** Is added to validities, so that another text is signed. */
  readonly later: number;
}

/** Moves each `Expires` of a URL: its distance from the server's clock becomes that from the vector's clock. */
function moveExpiry(url: string, clocks: Clocks): string {
  return url.replace(/(^[^?]*\?|&)([^=&#]*)=([^&#]*)/g, (pair, before, name, value) =>
    urlDecode(name) === 'Expires' ? `${before}${name}=${moveValue(value, clocks)}` : pair,
  );
}

/** Leading zeros, escapes of digits and any text after the digits stay. */
function moveValue(value: string, clocks: Clocks): string {
  const [all = '', zeros = '', digits = ''] =
    /^((?:0|%30)*)((?:[0-9]|%3[0-9]){1,45})(?![0-9%])/.exec(value) ?? [];
  const plain = urlDecode(digits) ?? '';
  if (!/^[0-9]{1,15}$/.test(plain)) return value;
  const moved = `${moveMoment(Number(plain), clocks)}`;
  const written = moved.length === plain.length ? escapeLike(digits, moved) : moved;
  return zeros + written + value.slice(all.length);
}

/** Keeps the distance from the clock. A moment that is clearly on the same side of both clocks stays. */
function moveMoment(moment: number, { before, now, later }: Clocks): number {
  const left = moment - before;
  const isStillValid = moment - now > FUTURE_MARGIN;
  if (left >= 0) return isStillValid ? moment : now + Math.max(left, FUTURE_MARGIN) + later;
  return left < -LONG_AGO ? moment : now + Math.min(left, -PAST_MARGIN);
}

/** Escapes the digits at the same positions as in `written`. */
function escapeLike(written: string, digits: string): string {
  const tokens = written.match(/%3[0-9]|[0-9]/g) ?? [];
  return tokens
    .map((token, at) => (token.length > 1 ? `%3${digits.charAt(at)}` : digits.charAt(at)))
    .join('');
}

/** The expiry of a request that is to be signed: if it is a moment, it moves to the server's future. */
function prolong(expires: string, clocks: Clocks): string {
  if (!/^[0-9]{1,15}$/.test(expires)) return expires;
  const digits = expires.replace(/^0+(?=.)/, '');
  const before = Number(digits);
  return '0'.repeat(expires.length - digits.length) + moveMoment(before, { ...clocks, before });
}

/**
 * Replaces each occurrence by the other key, escaped in the same way.
 *
 * @param replaceRest is applied to the text around the keys
 */
export function replacePublicKey(
  text: string,
  from: string,
  to: string,
  replaceRest: (text: string) => string,
): string {
  if (from === '') return replaceRest(text);
  return text
    .split(escapedForms(from))
    .map((piece, at) => (at % 2 === 0 ? replaceRest(piece) : escapeKeyLike(piece, from, to)))
    .join('');
}

/** Each character as it is, or as an escape of a URL or of JSON; or all characters in upper case. */
function escapedForms(key: string): RegExp {
  const forms = [...key].map((one) => `(?:${plain(one)}|${percent(one)}|${plain(unicode(one))})`);
  return new RegExp(`(${forms.join('')}|${plain(key.toUpperCase())})`);
}

function plain(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function escapeKeyLike(found: string, from: string, to: string): string {
  if (found === from) return to;
  if (found === urlEncode(from)) return urlEncode(to);
  if (found === from.toUpperCase()) return to.toUpperCase();
  const toEscape = found.includes('\\u') ? unicode : percent;
  const like = [...to].map((one) => (found.includes(toEscape(one)) ? toEscape(one) : one)).join('');
  // If the other key has none of the escaped characters, its first character is escaped instead.
  return like === to ? toEscape(to.charAt(0)) + to.slice(1) : like;
}

function percent(character: string): string {
  const hex = Buffer.from(character).toString('hex').toUpperCase();
  return hex.replace(/../g, (byte) => `%${byte}`);
}

function unicode(character: string): string {
  return character.replace(/./gs, (unit) => {
    const hex = unit.charCodeAt(0).toString(16).toUpperCase();
    return `\\u${hex.padStart(4, '0')}`;
  });
}
