/**
 * Known mistakes about URL encoding (§5.3).
 *
 * @module
 */
import { urlEncode } from '../signing/percent-encoding.ts';
import type { Steps } from '../signing/steps.ts';
import { cesu8Bytes, formEncoded, latin1Bytes } from './encoders.ts';
import type { Mistake } from './mistake.ts';

/** One encoder for whatever goes into a URL, the signature of a pre-signed one too. */
const everywhere = (encoder: Steps['urlEncode']): Partial<Steps> => ({
  urlEncode: encoder,
  encodedSignature: encoder,
});

/** Percent-encoding of bytes that are no UTF-8. */
const escaped = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) =>
    byte < 128 ? urlEncode(String.fromCharCode(byte)) : `%${byte.toString(16).toUpperCase()}`,
  ).join('');

/** Every known mistake about URL encoding. */
export const ENCODING: readonly Mistake[] = [
  {
    id: 'escape-uri-component',
    rule: '5.3/escaped',
    swap: everywhere(encodeURIComponent),
    cause: `"!", "'", "(", ")" and "*" are not encoded`,
    fix: 'encode every character but letters, digits, "-", "_", "." and "~"',
  },
  {
    id: 'escape-whole-uri',
    rule: '5.3/escaped',
    swap: everywhere(encodeURI),
    cause: 'characters that separate the parts of a URL, such as "&" and "=", are not encoded',
    fix: 'encode each name and value by itself, with an encoder for components',
  },
  {
    id: 'escape-slash-kept',
    rule: '5.3/escaped',
    swap: everywhere((text) => urlEncode(text).replaceAll('%2F', '/')),
    cause: 'the slash is not encoded',
    fix: 'encode the slash as %2F; for quote of Python, pass safe=""',
  },
  {
    id: 'escape-percent-kept',
    rule: '5.3/escaped',
    swap: everywhere((text) => urlEncode(text).replace(/%25([0-9A-Fa-f]{2})/g, '%$1')),
    cause: 'a "%" before two hexadecimal digits is taken for an escape and not encoded',
    fix: 'encode every "%" as %25',
  },
  {
    id: 'escape-twice',
    rule: '5.3/escaped',
    swap: everywhere((text) => urlEncode(urlEncode(text))),
    cause: 'names and values are URL-encoded twice',
    fix: 'encode once, either by hand or by the HTTP library',
  },
  {
    id: 'escape-space-as-plus',
    rule: '5.3/space',
    swap: everywhere((text) => urlEncode(text).replaceAll('%20', '+')),
    cause: 'a space is encoded as "+"',
    fix: 'encode a space as %20',
    seen: 'ufile-gosdk 1.0.3 (Go), ucloud-sdk-go 0.22.17',
  },
  {
    id: 'escape-as-in-forms',
    rule: '5.3/space',
    swap: everywhere(formEncoded),
    cause: 'the encoding of HTML forms is used: a space is "+", "*" stays, "~" is encoded',
    fix: 'encode a space as %20 and "*" as %2A, and leave "~"',
  },
  {
    id: 'escape-tilde',
    rule: '5.3/unreserved',
    swap: everywhere((text) => urlEncode(text).replaceAll('~', '%7E')),
    cause: 'the tilde is encoded',
    fix: 'leave "~" as it is',
  },
  {
    id: 'escape-lower-case',
    rule: '5.3/upper-case',
    swap: everywhere((text) => urlEncode(text).replace(/%../g, (digits) => digits.toLowerCase())),
    cause: 'escapes have lower-case hexadecimal digits',
    fix: 'write escapes in upper case: %2F',
  },
  {
    id: 'escape-one-digit',
    rule: '5.3/escaped',
    swap: everywhere((text) => urlEncode(text).replaceAll('%0', '%')),
    cause: 'a byte below sixteen is escaped with one hexadecimal digit',
    fix: 'write two hexadecimal digits after every "%"',
  },
  {
    id: 'escape-latin-1',
    rule: '5.3/utf-8',
    swap: everywhere((text) => escaped(latin1Bytes(text))),
    cause: 'characters beyond ASCII are escaped as Latin-1',
    fix: 'escape the UTF-8 bytes of the text',
  },
  {
    id: 'escape-surrogates-apart',
    rule: '5.3/utf-8',
    swap: everywhere((text) => escaped(cesu8Bytes(text))),
    cause: 'a character above U+FFFF is escaped as two halves of three bytes each',
    fix: 'escape the UTF-8 bytes of whole characters, four above U+FFFF',
  },
  {
    id: 'escape-utf-16',
    rule: '5.3/utf-8',
    swap: everywhere(escape),
    cause:
      'characters beyond Latin-1 are escaped as %u and four digits, the old escape() of JavaScript',
    fix: 'escape the UTF-8 bytes of the text',
  },
];
