/**
 * Mistakes in the value of the `Authorization` header (§5.2).
 *
 * @module
 */
import { authorizationValue } from '../signing/authorization.ts';
import { base64 } from '../signing/base64.ts';
import { urlEncode } from '../signing/percent-encoding.ts';
import type { Steps } from '../signing/steps.ts';
import { utf8Bytes } from '../signing/utf-8.ts';
import type { Mistake } from './mistake.ts';

/** The credentials in another form; a policy follows them as it should. */
function writtenAs(
  credentials: (scheme: string, publicKey: string, signature: string) => string,
): Partial<Steps> {
  return {
    authorizationValue: (scheme, publicKey, signature, policy) =>
      `${credentials(scheme, publicKey, signature)}${policy && `:${policy}`}`,
  };
}

/** Scheme, blank, public key, colon and signature, and what else people write. */
export const AUTHORIZATION_HEADER: readonly Mistake[] = [
  {
    id: 'authorization-without-scheme',
    rule: '5.2/header-form',
    swap: writtenAs((_, publicKey, signature) => `${publicKey}:${signature}`),
    cause: 'the header has no scheme',
    fix: 'write the scheme and a space before the public key',
  },
  {
    id: 'authorization-without-space',
    rule: '5.2/header-form',
    swap: writtenAs((scheme, publicKey, signature) => `${scheme}${publicKey}:${signature}`),
    cause: 'no space stands between the scheme and the public key',
    fix: 'write one space behind the scheme',
  },
  {
    id: 'authorization-space-after-colon',
    rule: '5.2/header-form',
    swap: writtenAs((scheme, publicKey, signature) => `${scheme} ${publicKey}: ${signature}`),
    cause: 'a space stands between the colon and the signature',
    fix: 'write public key, colon and signature without a space',
  },
  {
    id: 'authorization-scheme-in-lower-case',
    rule: '5.2/header-form',
    swap: writtenAs((scheme, publicKey, signature) =>
      authorizationValue(scheme.toLowerCase(), publicKey, signature, ''),
    ),
    cause: 'the scheme is written in lower case',
    fix: 'write the scheme as the documentation spells it',
  },
  {
    id: 'authorization-by-names',
    rule: '5.2/header-form',
    swap: writtenAs(
      (scheme, publicKey, signature) =>
        `${scheme} Credential=${publicKey}, SignedHeaders=host, Signature=${signature}`,
    ),
    cause: 'public key and signature are given by names and commas, as for another service',
    fix: 'write the public key, a colon and the signature behind the scheme',
  },
  {
    id: 'authorization-parts-swapped',
    rule: '5.2/header-form',
    swap: writtenAs((scheme, publicKey, signature) => `${scheme} ${signature}:${publicKey}`),
    cause: 'the signature comes before the public key',
    fix: 'write the public key first',
  },
  {
    id: 'authorization-as-basic',
    rule: '5.2/header-form',
    swap: writtenAs(
      (scheme, publicKey, signature) =>
        `${scheme} ${base64(utf8Bytes(`${publicKey}:${signature}`))}`,
    ),
    cause: 'public key and signature are written in Base64 together, as for Basic authentication',
    fix: 'write public key, colon and signature as they are',
  },
  {
    id: 'authorization-public-key-encoded',
    rule: '5.2/header-form',
    swap: writtenAs((scheme, publicKey, signature) =>
      authorizationValue(scheme, urlEncode(publicKey), signature, ''),
    ),
    cause: 'the public key is percent-encoded in the header',
    fix: 'write the public key as it is; encode it in URLs only',
  },
  {
    id: 'authorization-signature-encoded',
    rule: '5.2/header-form',
    swap: writtenAs((scheme, publicKey, signature) =>
      authorizationValue(scheme, publicKey, urlEncode(signature), ''),
    ),
    cause: 'the signature is percent-encoded in the header, as for a pre-signed URL',
    fix: 'write the Base64 of the signature as it is; encode it in URLs only',
  },
];
