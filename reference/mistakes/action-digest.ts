/**
 * Known mistakes about the digest of an action and its text (§5.1 steps 5 and 6).
 *
 * @module
 */
import { hmacSha1 } from '#digest';
import { base64 } from '../signing/base64.ts';
import { hexadecimal } from '../signing/hexadecimal.ts';
import { urlEncode } from '../signing/percent-encoding.ts';
import type { Steps } from '../signing/steps.ts';
import { utf8Bytes } from '../signing/utf-8.ts';
import type { Mistake } from './mistake.ts';

/** An HMAC needs the key by itself, but the digest is given one text: a NUL stands between the two. */
const HMAC = {
  withPrivateKey: (text, privateKey) => `${privateKey}\0${text}`,
  sha1: (bytes) => {
    const end = bytes.indexOf(0);
    return hmacSha1(bytes.subarray(0, end), bytes.subarray(end + 1));
  },
} satisfies Partial<Steps>;

/** Hexadecimal with another text for each byte. */
const hexadecimalBy =
  (text: (byte: number) => string, separator = ''): Steps['actionSignatureText'] =>
  (digest) =>
    Array.from(digest, text).join(separator);

const twoDigits = (byte: number): string => byte.toString(16).padStart(2, '0');

/** Every known mistake about the digest of an action. */
export const ACTION_DIGEST: readonly Mistake[] = [
  {
    id: 'action-hmac',
    rule: '5.1/sha1',
    swap: HMAC,
    cause: 'the private key is the key of an HMAC in place of the end of the text',
    fix: 'append the private key to the text and hash it with SHA-1',
  },
  {
    id: 'action-signed-as-a-file',
    rule: '5.1/sha1',
    swap: { ...HMAC, actionSignatureText: base64 },
    cause: 'the action is signed as a file request is, with an HMAC in Base64',
    fix: 'append the private key to the text and write its SHA-1 in hexadecimal',
  },
  {
    id: 'action-signed-as-in-aliyun',
    rule: '5.1/sha1',
    swap: {
      ...HMAC,
      parameterEntry: (name, text) => `${urlEncode(name)}=${urlEncode(text)}`,
      joinParameterEntries: (entries) => `GET&%2F&${urlEncode(entries.join('&'))}`,
      withPrivateKey: (text, privateKey) => HMAC.withPrivateKey(text, `${privateKey}&`),
      actionSignatureText: base64,
    },
    cause: 'the action is signed as the RPC API of Aliyun has it',
    fix: 'hash sorted names and values, followed by the private key, with SHA-1',
  },
  {
    id: 'action-hexadecimal-upper-case',
    rule: '5.1/lower-case',
    swap: { actionSignatureText: (digest) => hexadecimal(digest).toUpperCase() },
    cause: 'the signature is written in upper-case hexadecimal',
    fix: 'write the hexadecimal digits in lower case',
  },
  {
    id: 'action-base64',
    rule: '5.1/hexadecimal',
    swap: { actionSignatureText: base64 },
    cause: 'the digest is written in Base64',
    fix: 'write the digest in hexadecimal',
  },
  {
    id: 'action-base64-of-hexadecimal',
    rule: '5.1/hexadecimal',
    swap: { actionSignatureText: (digest) => base64(utf8Bytes(hexadecimal(digest))) },
    cause: 'the hexadecimal digits are encoded in Base64 on top',
    fix: 'send the forty hexadecimal digits themselves',
  },
  {
    id: 'action-hexadecimal-unpadded',
    rule: '5.1/hexadecimal',
    swap: { actionSignatureText: hexadecimalBy((byte) => byte.toString(16)) },
    cause: 'a byte below sixteen is written with one hexadecimal digit',
    fix: 'write two hexadecimal digits for every byte',
  },
  {
    id: 'action-hexadecimal-sign-extended',
    rule: '5.1/hexadecimal',
    swap: {
      actionSignatureText: hexadecimalBy((byte) => (byte < 128 ? '' : 'ffffff') + twoDigits(byte)),
    },
    cause: 'a byte from 0x80 on is taken for a negative integer, written as ffffff80',
    fix: 'mask each byte with 0xff before it is written',
  },
  {
    id: 'action-hexadecimal-of-big-integer',
    rule: '5.1/hexadecimal',
    swap: { actionSignatureText: (digest) => hexadecimal(digest).replace(/^0+/, '') },
    cause: 'the digest is written as one big integer, without the zeros it begins with',
    fix: 'pad the hexadecimal digits to forty with zeros in front',
  },
  {
    id: 'action-hexadecimal-with-hyphens',
    rule: '5.1/hexadecimal',
    swap: { actionSignatureText: hexadecimalBy((byte) => twoDigits(byte).toUpperCase(), '-') },
    cause: 'the bytes are written in upper case with hyphens between them',
    fix: 'remove the hyphens and write the digits in lower case',
  },
  {
    id: 'action-hexadecimal-cut',
    rule: '8/signature-length',
    swap: { actionSignatureText: (digest) => hexadecimal(digest).slice(0, 32) },
    cause: 'the signature is cut to 32 characters, the length of an MD5',
    fix: 'send all forty characters',
  },
];
