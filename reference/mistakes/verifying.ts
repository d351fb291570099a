/**
 * Mistakes of verifiers in comparing signatures and in reading the Authorization header (§5, §5.2).
 *
 * @module
 */
import type { Steps } from '../signing/index.ts';
import { urlDecode } from '../signing/percent-encoding.ts';
import { isPolicy } from '../signing/policy.ts';
import { parsedAuthorization } from '../signing/verify-authorization.ts';
import type { Mistake } from './mistake.ts';

/** The standard Base64 of 20 bytes. */
const BASE64_SHA1 = /^[A-Za-z0-9+/]{27}=$/;
const PADDING = /(?<!=)=+$/;
const FOREIGN_TO_BASE64 = /[^A-Za-z0-9+/]/g;

/** A comparison of two signatures after something was done to both. */
const comparing = (read: (signature: string) => string): Pick<Steps, 'sameText'> => ({
  sameText: (expected, received) => read(expected) === read(received),
});

/** A comparison after something was done to the signature that the request carries. */
const repairing = (repair: (received: string) => string): Pick<Steps, 'sameText'> => ({
  sameText: (expected, received) => expected === repair(received),
});

const standardAlphabet = (base64: string): string =>
  base64.replaceAll('-', '+').replaceAll('_', '/');

/** The digest of a Base64 signature, whatever the two bits are that its last character has over. */
const digest = (signature: string): string =>
  BASE64_SHA1.test(signature) ? atob(signature) : signature;

/** As some decoders do: any alphabet, any padding, and what is no Base64 is skipped. */
const repaired = (signature: string): string =>
  `${standardAlphabet(signature).replace(FOREIGN_TO_BASE64, '')}=`;

/** A header's value of which something is changed before it is taken apart. */
const reading = (
  read: (value: string, scheme: string) => string,
): Pick<Steps, 'parsedAuthorization'> => ({
  parsedAuthorization: (value, scheme) => parsedAuthorization(read(value, scheme), scheme),
});

/** The bytes that a policy encodes, as text; `undefined` where it is not Base64. */
const policyText = (text: string): string | undefined => {
  try {
    return atob(standardAlphabet(text));
  } catch {
    return undefined;
  }
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

export const VERIFYING: readonly Mistake[] = [
  {
    id: 'verify-any-signature',
    rule: '5/mismatch-refused',
    swap: { sameText: () => true },
    cause: 'any signature is accepted',
    fix: 'compare the signature with the one computed for the request',
  },
  {
    id: 'verify-by-reference',
    rule: '5/match-accepted',
    swap: { sameText: () => false },
    cause: 'two byte arrays are compared by reference, so that no signature is accepted',
    fix: 'compare the contents of the signatures',
  },
  {
    id: 'verify-ignoring-case',
    rule: '5/mismatch-refused',
    swap: comparing((signature) => signature.toLowerCase()),
    cause: 'signatures are compared without regard to case',
    fix: 'compare the signatures byte by byte',
  },
  {
    id: 'verify-shorter-signature',
    rule: '5/mismatch-refused',
    swap: { sameText: (expected, received) => expected.startsWith(received) },
    cause: 'only as many characters are compared as the request carries',
    fix: 'compare the lengths of the signatures too',
  },
  {
    id: 'verify-longer-signature',
    rule: '5/mismatch-refused',
    swap: { sameText: (expected, received) => received.startsWith(expected) },
    cause: 'what follows behind the right signature is not looked at',
    fix: 'compare the lengths of the signatures too',
  },
  {
    id: 'verify-trimmed-signature',
    rule: '5/mismatch-refused',
    swap: repairing((received) => received.trim()),
    cause: 'blanks around the signature are removed before it is compared',
    fix: 'compare the signature as the request carries it',
  },
  {
    id: 'verify-signature-url-decoded',
    rule: '5/mismatch-refused',
    swap: repairing((received) => urlDecode(received) ?? received),
    cause: 'the signature is URL-decoded once more before it is compared',
    fix: 'decode the query once and the header not at all',
  },
  {
    id: 'verify-blanks-as-plus',
    rule: '5/mismatch-refused',
    swap: repairing((received) => received.replaceAll(' ', '+')),
    cause: 'blanks in the signature are taken for plus signs',
    fix: 'leave a bare "+" alone when decoding, instead of repairing blanks afterwards',
  },
  {
    id: 'verify-url-safe-signature',
    rule: '5.2/standard-base64',
    swap: repairing(standardAlphabet),
    cause: 'a signature in URL-safe Base64 is accepted',
    fix: 'accept a signature in standard Base64 only',
  },
  {
    id: 'verify-unpadded-signature',
    rule: '5.2/standard-base64',
    swap: comparing((signature) => signature.replace(PADDING, '')),
    cause: 'a signature without the padding of Base64 is accepted',
    fix: 'compare the signatures with their padding',
  },
  {
    id: 'verify-decoded-signature',
    rule: '5.2/standard-base64',
    swap: comparing(digest),
    cause: 'digests are compared, and several Base64 texts decode to each',
    fix: 'compare the Base64 texts, or decode with a decoder that refuses unused bits',
  },
  {
    id: 'verify-decoded-leniently',
    rule: '5.2/standard-base64',
    swap: {
      sameText: (expected, received) =>
        BASE64_SHA1.test(expected)
          ? digest(expected) === digest(repaired(received))
          : expected === received,
    },
    cause: 'the signature goes through a Base64 decoder that takes any alphabet and skips the rest',
    fix: 'compare the Base64 texts, or decode with a strict decoder',
  },
  {
    id: 'verify-scheme-glued',
    rule: '5.2/header-form',
    swap: reading((value, scheme) =>
      value.startsWith(scheme) ? `${scheme} ${value.slice(scheme.length).trimStart()}` : value,
    ),
    cause: 'any blanks, or none, may follow the scheme',
    fix: 'require exactly one space between the scheme and the public key',
  },
  {
    id: 'verify-blanks-after-scheme',
    rule: '5.2/header-form',
    swap: reading((value) => value.replace(/[ \t]+/, ' ')),
    cause: 'several blanks or a tab may follow the scheme',
    fix: 'require exactly one space between the scheme and the public key',
  },
  {
    id: 'verify-last-word',
    rule: '5.2/header-form',
    swap: reading((value, scheme) => `${scheme} ${value.slice(value.lastIndexOf(' ') + 1)}`),
    cause: 'what follows the last space of the header is taken, whatever stands before it',
    fix: 'require the scheme and one space at the start of the header',
  },
  {
    id: 'verify-second-word',
    rule: '5.2/header-form',
    swap: reading((value, scheme) => `${scheme} ${value.split(' ')[1] ?? ''}`),
    cause: 'the second word of the header is taken, whatever the others are',
    fix: 'compare the scheme and refuse what follows the signature',
  },
  {
    id: 'verify-policy-ignored',
    rule: '5.2/policy-signed',
    swap: {
      parsedAuthorization: (value, scheme) => {
        const parsed = parsedAuthorization(value, scheme);
        return parsed && { ...parsed, policy: '' };
      },
    },
    cause: 'the callback policy in the header is not part of the text that is verified',
    fix: 'append the policy text to the string to sign, as it was sent',
  },
  {
    id: 'verify-last-colon',
    rule: '5.2/policy-header',
    swap: {
      parsedAuthorization: (value, scheme) => {
        const parsed = parsedAuthorization(value, scheme);
        return parsed?.policy
          ? {
              publicKey: `${parsed.publicKey}:${parsed.signature}`,
              signature: parsed.policy,
              policy: '',
            }
          : parsed;
      },
    },
    cause: 'the header is split at its last colon, which makes a signature of a callback policy',
    fix: 'split at the first colon, and what follows at the next one',
  },
  {
    id: 'verify-policy-of-any-method',
    rule: '5.2/policy-of-uploads',
    swap: { takesPolicy: () => true },
    cause:
      'a callback policy is taken with every method, so a signature opens each prefix of its key',
    fix: 'refuse a third part of the header unless the request is an upload',
  },
  {
    id: 'verify-policy-of-put-and-delete',
    rule: '5.2/policy-of-uploads',
    swap: { takesPolicy: (method) => !['GET', 'HEAD'].includes(method.toUpperCase()) },
    cause: 'a callback policy is taken with every method that changes something, DELETE too',
    fix: 'refuse a third part of the header unless the request is an upload',
  },
  {
    id: 'verify-policy-of-put-only',
    rule: '5.2/policy-of-uploads',
    swap: { takesPolicy: (method) => method.toUpperCase() === 'PUT' },
    cause: 'a callback policy is refused with POST, which finishes an upload or sends a form',
    fix: 'take a callback policy with PUT and with POST',
  },
  {
    id: 'verify-policy-of-no-method',
    rule: '5.2/policy-of-uploads',
    swap: { takesPolicy: () => false },
    cause: 'a callback policy is refused with every method',
    fix: 'take a callback policy with PUT and with POST',
  },
  {
    id: 'verify-policy-not-decoded',
    rule: '5.2/policy-parsed',
    swap: { isPolicy: () => true },
    cause: 'any text is taken as a callback policy, so the end of a key is one',
    fix: 'decode the policy and parse it before the signature is compared',
  },
  {
    id: 'verify-policy-not-parsed',
    rule: '5.2/policy-parsed',
    swap: { isPolicy: (text) => policyText(text) !== undefined },
    cause: 'any Base64 is taken as a callback policy',
    fix: 'parse the decoded policy as JSON before the signature is compared',
  },
  {
    id: 'verify-policy-of-any-json',
    rule: '5.2/policy-parsed',
    swap: { isPolicy: (text) => isJson(policyText(text) ?? '') },
    cause: 'JSON that is no object is taken as a callback policy',
    fix: 'refuse a policy that is a list, a text or a number',
  },
  {
    id: 'verify-policy-not-to-its-end',
    rule: '5.2/policy-parsed',
    swap: { isPolicy: (text) => policyText(text)?.startsWith('{') ?? false },
    cause: 'Base64 of a text that begins with a brace is taken as a callback policy',
    fix: 'parse the decoded policy to its end',
  },
  {
    id: 'verify-policy-url-safe-only',
    rule: '5.2/policy-parsed',
    swap: { isPolicy: (text) => !/[+/]/.test(text) && isPolicy(text) },
    cause:
      'a callback policy in standard Base64 is refused, as the US3 SDK for JavaScript sends it',
    fix: 'decode both alphabets of Base64',
  },
  {
    id: 'verify-policy-standard-only',
    rule: '5.2/policy-parsed',
    swap: { isPolicy: (text) => !/[-_]/.test(text) && isPolicy(text) },
    cause: 'a callback policy in URL-safe Base64 is refused',
    fix: 'decode both alphabets of Base64',
  },
];
