/**
 * The input of a vector as it is about one server: its bucket, its hosts, its clock, and actions that change nothing.
 *
 * @module
 */
import { urlDecode } from '../../reference/signing/index.ts';
import type { Input } from '../suite/vector.ts';
import { type Clocks, movedMoment, withExpiry } from './expiry.ts';
import { withKnownMd5 } from './known-bodies.ts';

export interface Place {
  readonly bucket: string;
  readonly fileHost: string;
  /** Of the server's URL: http or https. */
  readonly scheme: string;
  /** The clock in Unix seconds. */
  readonly now: number;
}

/** It only reads: a probe that is signed rightly must not buy a machine or delete a disk. */
const HARMLESS_ACTION = 'DescribeBucket';

/**
 * The input, or some of its members, moved from one place to another; a bucket that is not of that place stays.
 *
 * @param later what validities are prolonged by; in seconds
 */
export function placedInput(input: Input, from: Place, to: Place, later: number): Input {
  const clocks = { before: Number(input['now'] ?? from.now), now: to.now, later };
  const entries = Object.entries(input).map(([name, member]): [string, unknown] => [
    name,
    placedMember(name, member, from, to, clocks),
  ]);
  return Object.fromEntries(entries);
}

function placedMember(
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
      return stillValid(String(member), clocks);
    case 'headers':
      return withKnownMd5(member as readonly (readonly [string, string])[]);
    case 'url':
      return withExpiry(placedUrl(String(member), from, to), clocks);
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

/** What a signer lets expire, where it is a moment, expires in the server's future. */
function stillValid(expires: string, clocks: Clocks): string {
  if (!/^[0-9]{1,15}$/.test(expires)) return expires;
  const digits = expires.replace(/^0+(?=.)/, '');
  const before = Number(digits);
  return '0'.repeat(expires.length - digits.length) + movedMoment(before, { ...clocks, before });
}

function placedUrl(url: string, from: Place, to: Place): string {
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
