/**
 * Mistakes of verifiers of pre-signed URLs: host, path, parameters, clock (§4.3, §5.4).
 *
 * @module
 */
import { urlDecode } from '../signing/percent-encoding.ts';
import { decodedQuery } from '../signing/verify-parameters.ts';
import { bucketOfHost } from '../signing/verify-presigned-url.ts';
import type { Mistake } from './mistake.ts';

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/g;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;
const RESERVED = /%(?=2[346BCF]|3[ABDF]|40)/gi;
const FIFTEEN_MINUTES = 900;
const PARAMETERS = ['Action', 'PublicKey', 'Expires', 'Signature'];

const byte = (digits: string): number => Number.parseInt(digits, 16);

/** The bytes of an encoded text, read as UTF-8 with U+FFFD for what is none. */
function replacing(encoded: string): string {
  const bytes = encodeURI(encoded.replace(BAD_ESCAPE, '%25'))
    .replaceAll('%25', '%')
    .replace(ESCAPE, (_, digits: string) => String.fromCharCode(byte(digits)));
  return new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}

export const VERIFYING_URLS: readonly Mistake[] = [
  {
    id: 'verify-host-case-sensitive',
    rule: '4.3/host',
    swap: {
      bucketOfHost: (host, fileHost) =>
        host.endsWith(fileHost) ? bucketOfHost(host, fileHost) : undefined,
    },
    cause: 'the host is compared with regard to case',
    fix: 'compare host names without regard to case',
  },
  {
    id: 'verify-first-label',
    rule: '4.3/host',
    swap: { bucketOfHost: (host) => host.split('.')[0] || undefined },
    cause: 'the first label of any host is taken for the bucket',
    fix: 'require the file host behind the bucket',
  },
  {
    id: 'verify-expiry-ignored',
    rule: '5.4/expiry',
    swap: { isExpired: () => false },
    cause: 'the expiry is not compared with the clock',
    fix: 'refuse the URL once the clock is past its expiry',
  },
  {
    id: 'verify-expiry-too-early',
    rule: '5.4/expiry',
    swap: { isExpired: (expires, now) => now >= expires },
    cause: 'the URL is refused in the second in which it expires',
    fix: 'refuse the URL only once the clock is past its expiry',
  },
  {
    id: 'verify-expiry-with-tolerance',
    rule: '5.4/expiry',
    swap: { isExpired: (expires, now) => now > expires + FIFTEEN_MINUTES },
    cause: 'the URL is accepted up to 15 minutes past its expiry',
    fix: 'refuse the URL once the clock is past its expiry, without tolerance',
  },
  {
    id: 'verify-clock-in-milliseconds',
    rule: '5.4/expires-text',
    swap: { isExpired: (expires, now) => now * 1000 > expires },
    cause: 'a clock in milliseconds is compared with an expiry in seconds',
    fix: 'compare seconds with seconds',
  },
  {
    id: 'verify-expiry-as-text',
    rule: '5.4/expires-text',
    swap: { isExpired: (expires, now) => `${now}` > `${expires}` },
    cause: 'expiry and clock are compared as texts',
    fix: 'compare expiry and clock as numbers',
  },
  {
    id: 'verify-expiry-in-32-bits',
    rule: '5.4/expires-text',
    swap: { isExpired: (expires, now) => now > (expires | 0) },
    cause: 'the expiry overflows an integer of 32 bits',
    fix: 'hold the expiry in 64 bits',
  },
  {
    id: 'verify-path-undecoded',
    rule: '5.4/path-encoded',
    swap: { keyOfPath: (path) => path },
    cause: 'the path is signed as the URL spells it, without being decoded',
    fix: 'decode the path once to get the key',
  },
  {
    id: 'verify-path-decoded-twice',
    rule: '5.4/path-encoded',
    swap: { keyOfPath: (path) => urlDecode(path.replaceAll('%25', '%')) },
    cause: 'the path is decoded twice, by the framework and once more',
    fix: 'decode the path once to get the key',
  },
  {
    id: 'verify-path-reserved-undecoded',
    rule: '5.4/path-encoded',
    swap: { keyOfPath: (path) => urlDecode(path.replace(RESERVED, '%25')) },
    cause: 'escapes of "/", "?", "#", "&" and the like stay in the key',
    fix: 'decode every escape of the path',
  },
  {
    id: 'verify-path-plus-as-space',
    rule: '5.4/path-encoded',
    swap: { keyOfPath: (path) => urlDecode(path.replaceAll('+', '%20')) },
    cause: 'a plus sign in the path is taken for a space',
    fix: 'leave plus signs alone: only forms write a space so',
  },
  {
    id: 'verify-path-in-latin-1',
    rule: '5.4/path-encoded',
    swap: {
      keyOfPath: (path) =>
        path.replace(ESCAPE, (_, digits: string) => String.fromCharCode(byte(digits))),
    },
    cause: 'the escapes of the path are decoded as Latin-1',
    fix: 'decode the escapes as UTF-8',
  },
  {
    id: 'verify-path-repaired',
    rule: '5.3/verify-escapes',
    swap: { keyOfPath: replacing },
    cause: 'escapes of the path that are none, or no UTF-8, are kept or replaced',
    fix: 'refuse a path that cannot be decoded',
  },
  {
    id: 'verify-path-dots-resolved',
    rule: '5.4/path-encoded',
    swap: { keyOfPath: (path) => urlDecode(new URL(`http://host/${path}`).pathname.slice(1)) },
    cause: 'dot segments of the path are resolved by the URL library',
    fix: 'take the path as the request line has it',
  },
  {
    id: 'verify-path-slashes-merged',
    rule: '5.4/path-encoded',
    swap: { keyOfPath: (path) => urlDecode(path.replace(/\/{2,}/g, '/')) },
    cause: 'several slashes of the path are merged into one by the router',
    fix: 'take the path as the request line has it',
  },
  {
    id: 'verify-query-plus-as-space',
    rule: '5.4/plus-literal',
    swap: { decodedQuery: (query) => decodedQuery(query.replaceAll('+', '%20')) },
    cause: 'a plus sign in the query is decoded as a space',
    fix: 'leave plus signs alone: only forms write a space so',
  },
  {
    id: 'verify-parameter-names-in-any-case',
    rule: '4.2/signature-required',
    swap: {
      decodedQuery: (query) =>
        decodedQuery(query)?.map(([name, value]) => [
          PARAMETERS.find((known) => known.toLowerCase() === name.toLowerCase()) ?? name,
          value,
        ]),
    },
    cause: 'the names of parameters are recognized in any case',
    fix: 'compare the names of parameters with regard to case',
  },
  {
    id: 'verify-expires-as-parse-int',
    rule: '5.4/expires-text',
    swap: {
      expirySeconds: (expires) => {
        const seconds = Number.parseInt(expires, 10);
        return Number.isNaN(seconds) ? undefined : seconds;
      },
    },
    cause: 'the digits at the start of Expires are read and the rest is left unread',
    fix: 'refuse an Expires that is not a count of seconds from end to end',
  },
  {
    id: 'verify-expires-as-number',
    rule: '5.4/expires-text',
    swap: {
      expirySeconds: (expires) => (Number.isNaN(Number(expires)) ? undefined : Number(expires)),
    },
    cause: 'any number is taken for Expires, and nothing for 0',
    fix: 'refuse an Expires that is not a count of seconds in digits',
  },
  {
    id: 'verify-expires-unchecked',
    rule: '5.4/expires-text',
    swap: { expirySeconds: Number },
    cause: 'an Expires that is no number is compared with the clock, and never is past',
    fix: 'refuse an Expires that is not a count of seconds in digits',
  },
];
