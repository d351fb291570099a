/**
 * Known mistakes about the parameter Password (§4.2).
 *
 * @module
 */
import { base64, base64Url } from '../signing/base64.ts';
import { flattened } from '../signing/flattening.ts';
import { password } from '../signing/password.ts';
import { utf8Bytes } from '../signing/utf-8.ts';
import { latin1Bytes } from './encoders.ts';
import type { Mistake } from './mistake.ts';

function clearText(encoded: string): string {
  const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

/** Every known mistake about passwords. */
export const PASSWORDS: readonly Mistake[] = [
  {
    id: 'password-clear',
    rule: '4.2/password-base64',
    swap: { password: (text) => text },
    cause: 'the password is sent in clear',
    fix: 'send the Base64 of the password',
  },
  {
    id: 'password-encoded-twice',
    rule: '4.2/password-base64',
    swap: { password: (text) => password(password(text)) },
    cause: 'the password is encoded in Base64 twice',
    fix: 'encode the password once',
  },
  {
    id: 'password-url-safe',
    rule: '4.2/password-base64',
    swap: { password: (text) => base64Url(utf8Bytes(text)) },
    cause: 'the password is encoded in URL-safe Base64',
    fix: 'use standard Base64 with "+" and "/"',
  },
  {
    id: 'password-unpadded',
    rule: '4.2/password-base64',
    swap: { password: (text) => password(text).replace(/(?<!=)=+$/, '') },
    cause: 'the Base64 of the password has no padding',
    fix: 'keep the equals signs at the end',
  },
  {
    id: 'password-in-lines',
    rule: '4.2/password-base64',
    swap: { password: (text) => password(text).replace(/.{1,76}/g, '$&\n') },
    cause: 'the Base64 of the password is cut into lines, each with a line feed',
    fix: 'use an encoder that adds no line feeds',
  },
  {
    id: 'password-latin-1',
    rule: '4.2/password-utf-8',
    swap: { password: (text) => base64(latin1Bytes(text)) },
    cause: 'the password is encoded from its Latin-1 bytes',
    fix: 'encode the UTF-8 bytes of the password',
  },
  {
    id: 'password-signed-clear',
    rule: '4.2/password-signed-encoded',
    swap: {
      parameterEntry: (name, text) => name + (name === 'Password' ? clearText(text) : text),
    },
    cause: 'the password is signed in clear and sent in Base64',
    fix: 'sign the value of Password as it is sent, in Base64',
  },
  {
    id: 'password-encoded-again',
    rule: '4.2/password-signed-encoded',
    swap: {
      flattened: (parameters) =>
        flattened(parameters).map(([name, value]) =>
          name === 'Password' && typeof value === 'string'
            ? [name, password(value)]
            : [name, value],
        ),
    },
    cause: 'a value of Password that the caller has encoded is encoded in Base64 once more',
    fix: 'sign and send the value of Password as the caller gives it',
  },
];
