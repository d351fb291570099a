/**
 * Known mistakes about the signed text of an action and its bytes (§5.1 steps 3 to 5).
 *
 * @module
 */
import { compareBytes } from '../signing/byte-order.ts';
import { urlEncode } from '../signing/percent-encoding.ts';
import { utf8Bytes } from '../signing/utf-8.ts';
import { cesu8Bytes, formEncoded, latin1Bytes, lowBytes, utf16Bytes } from './encoders.ts';
import type { Mistake } from './mistake.ts';

const pair = (name: string, text: string): string => `${name}=${text}`;
const joinedBy =
  (separator: string) =>
  (entries: readonly string[]): string =>
    entries.join(separator);

/** Puts one more entry where its name sorts. */
function withEntry(entries: readonly string[], name: string, text: string): string {
  const after = entries.findIndex((entry) => compareBytes(name, entry) < 0);
  return entries.toSpliced(after < 0 ? entries.length : after, 0, name + text).join('');
}

/** Every known mistake about the signed text of an action. */
export const ACTION_TEXT: readonly Mistake[] = [
  {
    id: 'action-text-as-query',
    rule: '5.1/concatenation',
    swap: { parameterEntry: pair, joinParameterEntries: joinedBy('&') },
    cause: 'the text is signed as a query, with "=" and "&"',
    fix: 'join names and values with nothing between them',
  },
  {
    id: 'action-text-with-equals-signs',
    rule: '5.1/concatenation',
    swap: { parameterEntry: pair },
    cause: 'an equals sign stands between each name and its value in the signed text',
    fix: 'let each value follow its name at once',
  },
  {
    id: 'action-text-with-ampersands',
    rule: '5.1/concatenation',
    swap: { joinParameterEntries: joinedBy('&') },
    cause: 'an ampersand stands between the parameters in the signed text',
    fix: 'let each name follow the value before it at once',
  },
  {
    id: 'action-text-without-names',
    rule: '5.1/concatenation',
    swap: { parameterEntry: (_name, text) => text },
    cause: 'the values are signed without their names',
    fix: 'sign each name followed by its value',
  },
  {
    id: 'action-text-percent-encoded',
    rule: '5.1/unescaped',
    swap: { parameterEntry: (name, text) => name + urlEncode(text) },
    cause: 'values are URL-encoded before they are signed',
    fix: 'sign the values before any encoding',
  },
  {
    id: 'action-text-form-encoded',
    rule: '5.1/unescaped',
    swap: { parameterEntry: (name, text) => name + formEncoded(text) },
    cause: 'values are encoded as in HTML forms before they are signed, a space as "+"',
    fix: 'sign the values before any encoding',
  },
  {
    id: 'action-text-uri-component-encoded',
    rule: '5.1/unescaped',
    swap: { parameterEntry: (name, text) => name + encodeURIComponent(text) },
    cause: 'values go through encodeURIComponent before they are signed',
    fix: 'sign the values before any encoding',
  },
  {
    id: 'action-key-missing',
    rule: '5.1/private-key-last',
    swap: { withPrivateKey: (text) => text },
    cause: 'the private key is not part of the signed text',
    fix: 'append the private key to the text before hashing it',
  },
  {
    id: 'action-key-first',
    rule: '5.1/private-key-last',
    swap: { withPrivateKey: (text, privateKey) => privateKey + text },
    cause: 'the private key stands before the parameters',
    fix: 'append the private key to the end of the text',
  },
  {
    id: 'action-key-at-both-ends',
    rule: '5.1/private-key-last',
    swap: { withPrivateKey: (text, privateKey) => privateKey + text + privateKey },
    cause: 'the private key stands before and after the parameters',
    fix: 'append the private key to the end of the text only',
  },
  {
    id: 'action-key-after-ampersand',
    rule: '5.1/private-key-last',
    swap: { withPrivateKey: (text, privateKey) => `${text}&${privateKey}` },
    cause: 'an ampersand stands before the private key',
    fix: 'append the private key with nothing before it',
  },
  {
    id: 'action-key-as-in-wechat-pay',
    rule: '5.1/private-key-last',
    swap: {
      parameterEntry: pair,
      joinParameterEntries: joinedBy('&'),
      withPrivateKey: (text, privateKey) => `${text}&key=${privateKey}`,
    },
    cause: 'the text is a query that ends with "&key=" and the private key, as WeChat Pay has it',
    fix: 'join names and values with nothing between them and append the bare private key',
  },
  {
    id: 'action-key-sorted-in',
    rule: '5.1/private-key-last',
    swap: {
      joinParameterEntries: joinedBy('\0'),
      withPrivateKey: (text, privateKey) => withEntry(text.split('\0'), 'PrivateKey', privateKey),
    },
    cause: 'the private key is signed as a parameter PrivateKey among the others',
    fix: 'append the private key to the end of the text, without a name',
  },
  {
    id: 'action-key-percent-encoded',
    rule: '5.1/private-key-last',
    swap: { withPrivateKey: (text, privateKey) => text + urlEncode(privateKey) },
    cause: 'the private key is URL-encoded before it is appended',
    fix: 'append the private key as it is',
  },
  {
    id: 'action-text-latin-1',
    rule: '5.1/utf-8',
    swap: { actionTextBytes: latin1Bytes },
    cause: 'the signed text is hashed as Latin-1, with "?" for what it lacks',
    fix: 'hash the UTF-8 bytes of the text',
  },
  {
    id: 'action-text-low-bytes',
    rule: '5.1/utf-8',
    swap: { actionTextBytes: lowBytes },
    cause: 'the low byte of every UTF-16 unit is hashed, as binary strings of JavaScript are',
    fix: 'hash the UTF-8 bytes of the text',
  },
  {
    id: 'action-text-utf-16',
    rule: '5.1/utf-8',
    swap: { actionTextBytes: utf16Bytes },
    cause: 'the signed text is hashed as UTF-16, two bytes a character',
    fix: 'hash the UTF-8 bytes of the text',
  },
  {
    id: 'action-text-surrogates-apart',
    rule: '5.1/utf-8',
    swap: { actionTextBytes: cesu8Bytes },
    cause: 'a character above U+FFFF is hashed as two halves of three bytes each',
    fix: 'hash the UTF-8 bytes of whole characters, four above U+FFFF',
  },
  {
    id: 'action-text-composed',
    rule: '5.1/utf-8',
    swap: { actionTextBytes: (text) => utf8Bytes(text.normalize('NFC')) },
    cause: 'the signed text is brought into the composed Unicode form NFC',
    fix: 'hash the text as it is, without normalization',
  },
];
