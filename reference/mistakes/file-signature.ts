/**
 * Mistakes between the signed text of a file request and its signature (§5.2).
 *
 * @module
 */
import { base64, base64Url } from '../signing/base64.ts';
import { hexadecimal } from '../signing/hexadecimal.ts';
import { STEPS } from '../signing/specification.ts';
import { utf8Bytes } from '../signing/utf-8.ts';
import type { Mistake } from './mistake.ts';

/** One byte for a character up to `last`, a question mark for any other. */
function singleBytes(text: string, last: number): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code <= last ? code : 0x3f;
  });
}

/** UTF-16, least significant byte first. */
function utf16Bytes(text: string): Uint8Array {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return Uint8Array.from(units.flatMap((unit) => [unit & 0xff, unit >> 8]));
}

/** UTF-8 in which each half of a surrogate pair has three bytes of its own. */
function surrogateBytes(text: string): Uint8Array {
  return Uint8Array.from(
    Array.from(text).flatMap((character) => {
      if (character.length === 1) return [...utf8Bytes(character)];
      const halves = [character.charCodeAt(0), character.charCodeAt(1)];
      return halves.flatMap((half) => [0xed, 0x80 | ((half >> 6) & 0x3f), 0x80 | (half & 0x3f)]);
    }),
  );
}

function bytesOf(binary: string): Uint8Array {
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

const HEXADECIMAL = /^(?:[0-9A-Fa-f]{2})+$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const HMAC: readonly Mistake[] = [
  {
    id: 'hmac-arguments-swapped',
    rule: '5.2/hmac-sha1',
    swap: { hmacSha1: (key, text) => STEPS.hmacSha1(text, key) },
    cause: 'the text is the key of the HMAC, and the private key is the text',
    fix: 'give the private key as the key and the text as the message',
  },
  {
    id: 'hmac-left-out',
    rule: '5.2/hmac-sha1',
    swap: { hmacSha1: (key, text) => STEPS.sha1(Uint8Array.of(...text, ...key)) },
    cause: 'the text with the private key behind it is hashed by SHA-1, as for the action API',
    fix: 'compute the HMAC-SHA1 of the text with the private key as its key',
  },
  {
    id: 'hmac-long-key-cut',
    rule: '5.2/hmac-sha1',
    swap: { hmacSha1: (key, text) => STEPS.hmacSha1(key.subarray(0, 64), text) },
    cause: 'a private key of more than 64 bytes is cut',
    fix: 'hash a key that is longer than 64 bytes, as RFC 2104 has it, or use a library for HMAC',
  },
  {
    id: 'hmac-key-of-a-block-hashed',
    rule: '5.2/hmac-sha1',
    swap: {
      hmacSha1: (key, text) => STEPS.hmacSha1(key.length === 64 ? STEPS.sha1(key) : key, text),
    },
    cause: 'a private key of exactly 64 bytes is hashed first',
    fix: 'hash only a key that is longer than 64 bytes',
  },
  {
    id: 'hmac-key-in-latin-1',
    rule: '5.2/hmac-key-utf-8',
    swap: { hmacKeyBytes: (privateKey) => singleBytes(privateKey, 0xff) },
    cause: 'the private key is taken in ISO 8859-1',
    fix: 'take the UTF-8 bytes of the private key',
  },
  {
    id: 'hmac-key-from-hexadecimal',
    rule: '5.2/hmac-sha1',
    swap: {
      hmacKeyBytes: (privateKey) =>
        HEXADECIMAL.test(privateKey)
          ? Uint8Array.from(privateKey.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
          : utf8Bytes(privateKey),
    },
    cause: 'a private key of hexadecimal digits is decoded first',
    fix: 'take the private key as text, whatever it looks like',
  },
  {
    id: 'hmac-key-from-base64',
    rule: '5.2/hmac-sha1',
    swap: {
      hmacKeyBytes: (privateKey) =>
        BASE64.test(privateKey) ? bytesOf(atob(privateKey)) : utf8Bytes(privateKey),
    },
    cause: 'a private key in Base64 is decoded first',
    fix: 'take the private key as text, whatever it looks like',
  },
];

const CHARSET: readonly Mistake[] = [
  {
    id: 'text-in-latin-1',
    rule: '5.2/utf-8',
    swap: { hmacTextBytes: (text) => singleBytes(text, 0xff) },
    cause: 'the text is signed in ISO 8859-1, as HTTP libraries write headers',
    fix: 'sign the UTF-8 bytes of the text',
  },
  {
    id: 'text-in-ascii',
    rule: '5.2/utf-8',
    swap: { hmacTextBytes: (text) => singleBytes(text, 0x7f) },
    cause: 'the text is signed in ASCII, with a question mark for every other character',
    fix: 'sign the UTF-8 bytes of the text',
  },
  {
    id: 'text-in-utf-16',
    rule: '5.2/utf-8',
    swap: { hmacTextBytes: utf16Bytes },
    cause: 'the text is signed in UTF-16, as the platform holds it in memory',
    fix: 'sign the UTF-8 bytes of the text',
  },
  {
    id: 'text-in-surrogates',
    rule: '5.2/utf-8',
    swap: { hmacTextBytes: surrogateBytes },
    cause: 'a character beyond U+FFFF is signed in six bytes, three for each half of its pair',
    fix: 'encode whole characters, in four bytes',
  },
];

const ENCODING: readonly Mistake[] = [
  {
    id: 'signature-url-safe',
    rule: '5.2/standard-base64',
    swap: { fileSignatureText: base64Url },
    cause: 'the signature is written in the URL-safe alphabet of Base64',
    fix: 'write the signature in standard Base64, with "+" and "/"',
  },
  {
    id: 'signature-without-padding',
    rule: '5.2/standard-base64',
    swap: { fileSignatureText: (digest) => base64(digest).replace(/(?<!=)=+$/, '') },
    cause: 'the Base64 of the signature has no padding',
    fix: 'keep the "=" at the end',
  },
  {
    id: 'signature-with-line-feed',
    rule: '5.2/standard-base64',
    swap: { fileSignatureText: (digest) => `${base64(digest)}\n` },
    cause: 'the Base64 of the signature ends with a line feed, as encoders for mail write it',
    fix: 'encode without line breaks, or cut off the last one',
  },
  {
    id: 'signature-in-hexadecimal',
    rule: '5.2/standard-base64',
    swap: { fileSignatureText: hexadecimal },
    cause: 'the signature is written in hexadecimal',
    fix: 'write the 20 bytes of the digest in Base64',
  },
  {
    id: 'signature-of-hexadecimal',
    rule: '5.2/standard-base64',
    swap: { fileSignatureText: (digest) => base64(utf8Bytes(hexadecimal(digest))) },
    cause: 'the hexadecimal text of the digest is written in Base64',
    fix: 'write the 20 bytes of the digest in Base64, not their hexadecimal text',
  },
  {
    id: 'signature-of-text',
    rule: '5.2/standard-base64',
    swap: { fileSignatureText: (digest) => base64(utf8Bytes(String.fromCharCode(...digest))) },
    cause: 'the digest is turned into a text, whose UTF-8 bytes are written in Base64',
    fix: 'write the 20 bytes of the digest in Base64, without a text between',
  },
];

/** The HMAC, the bytes that go into it, and how its digest is written. */
export const FILE_SIGNATURE: readonly Mistake[] = [...HMAC, ...CHARSET, ...ENCODING];
