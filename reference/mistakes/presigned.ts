/**
 * Mistakes in pre-signed URLs: the text, the signature, the parameters (§5.4).
 *
 * @module
 */
import { urlDecode, urlEncode } from '../signing/percent-encoding.ts';
import { presignedPositionalValues, presignedQuery } from '../signing/presigned-url.ts';
import type { Steps } from '../signing/steps.ts';
import { type SignedParts, signedText } from '../signing/string-to-sign.ts';
import type { Pair } from '../signing/types.ts';
import type { Mistake } from './mistake.ts';

/** Marks the text of a pre-signed URL; no header value can be like it. */
const MARK = '\0';

/** The text of pre-signed URLs laid out in another way, that of other requests as it is. */
function laidOut(layout: (parts: SignedParts) => string): Partial<Steps> {
  return {
    presignedPositionalValues: (request) => ({
      ...presignedPositionalValues(request),
      contentMd5: MARK,
    }),
    signedText: (parts) =>
      parts.contentMd5 === MARK ? layout({ ...parts, contentMd5: '' }) : signedText(parts),
  };
}

/** The query with some of its pairs changed. */
function queryWith(change: (name: string, encoded: string) => Pair): Partial<Steps> {
  return {
    presignedQuery: (pairs) =>
      presignedQuery(pairs.map(([name, encoded]) => change(name, encoded))),
  };
}

const isPublicKey = (name: string): boolean => name !== 'Expires' && name !== 'Signature';

const TEXT: readonly Mistake[] = [
  {
    id: 'presigned-headers-in-positions',
    rule: '5.4/empty-positions',
    swap: {
      presignedPositionalValues: ({ headers, expires }, context) => ({
        contentMd5: context.steps.positionalValue(headers, 'Content-MD5', context),
        contentType: context.steps.positionalValue(headers, 'Content-Type', context),
        date: expires,
      }),
    },
    cause: 'a pre-signed URL signs the Content-MD5 and Content-Type of the request',
    fix: 'leave both lines empty, whatever the request sends',
    seen: 'ufile 3.2.11 (Python)',
  },
  {
    id: 'presigned-type-in-position',
    rule: '5.4/empty-positions',
    swap: {
      presignedPositionalValues: ({ headers, expires }, context) => ({
        contentMd5: '',
        contentType: context.steps.positionalValue(headers, 'Content-Type', context),
        date: expires,
      }),
    },
    cause: 'a pre-signed URL signs the Content-Type of the request',
    fix: 'leave the line of Content-Type empty, whatever the request sends',
    seen: 'ufile-client-java 2.7.5 (Java)',
  },
  {
    id: 'presigned-date-for-expires',
    rule: '5.4/expires-position',
    swap: {
      presignedPositionalValues: ({ headers }, context) => ({
        contentMd5: '',
        contentType: '',
        date: context.steps.positionalValue(headers, 'Date', context),
      }),
    },
    cause: 'a pre-signed URL signs the Date and not its Expires',
    fix: 'write Expires on the line of Date',
  },
  {
    id: 'presigned-expires-as-number',
    rule: '5.4/expires-text',
    swap: {
      presignedPositionalValues: (request) =>
        presignedPositionalValues({ ...request, expires: `${Number(request.expires)}` }),
      ...queryWith((name, encoded) => [name, name === 'Expires' ? `${Number(encoded)}` : encoded]),
    },
    cause: 'Expires goes through a number of the language, which loses digits',
    fix: 'sign and send the text of Expires as it is given',
  },
  {
    id: 'presigned-positions-left-out',
    rule: '5.4/empty-positions',
    swap: laidOut((parts) =>
      [parts.verb, parts.date, parts.canonicalHeaders + parts.canonicalResource].join('\n'),
    ),
    cause: 'Expires follows the verb at once, without the two empty lines between',
    fix: 'keep the empty lines of Content-MD5 and Content-Type',
  },
  {
    id: 'presigned-headers-left-out',
    rule: '5.4/canonicalization',
    swap: laidOut((parts) => signedText({ ...parts, canonicalHeaders: '' })),
    cause: 'a pre-signed URL does not sign extra headers',
    fix: 'sign the extra headers that the request will have',
  },
  {
    id: 'presigned-as-get',
    rule: '5.2/verb',
    swap: laidOut((parts) => signedText({ ...parts, verb: 'GET' })),
    cause: 'every pre-signed URL is signed as GET',
    fix: 'sign the verb of the request that the URL is for',
  },
];

const SIGNATURE: readonly Mistake[] = [
  {
    id: 'presigned-signature-unencoded',
    rule: '5.4/signature-encoded',
    swap: { encodedSignature: (signature) => signature },
    cause: 'the signature stands in the URL as it is, with "+", "/" and "="',
    fix: 'percent-encode the signature',
    seen: 'ufile 3.2.11 (Python)',
  },
  {
    id: 'presigned-signature-encoded-twice',
    rule: '5.4/signature-encoded',
    swap: { encodedSignature: (signature) => urlEncode(urlEncode(signature)) },
    cause: 'the signature is percent-encoded twice',
    fix: 'encode the signature once, or let the URL library do it',
  },
  {
    id: 'presigned-signature-plus-as-space',
    rule: '5.4/signature-encoded',
    swap: { encodedSignature: (signature) => urlEncode(signature.replaceAll('+', ' ')) },
    cause: 'a plus of the signature is read as a space before it is encoded',
    fix: 'encode the signature itself, so that a plus becomes "%2B"',
  },
  {
    id: 'presigned-signature-with-slashes',
    rule: '5.4/signature-encoded',
    swap: { encodedSignature: (signature) => urlEncode(signature).replaceAll('%2F', '/') },
    cause: 'slashes of the signature are not encoded, as in a path',
    fix: 'encode the signature as a value, "/" as "%2F"',
  },
  {
    id: 'presigned-signature-url-safe',
    rule: '5.4/signature-encoded',
    swap: {
      encodedSignature: (signature) =>
        urlEncode(signature.replaceAll('+', '-').replaceAll('/', '_')),
    },
    cause: 'the signature in the URL has the URL-safe alphabet of Base64',
    fix: 'percent-encode the standard Base64 of the signature',
  },
  {
    id: 'presigned-signature-escaped-in-lower-case',
    rule: '5.4/signature-encoded',
    swap: {
      encodedSignature: (signature) =>
        urlEncode(signature).replace(/%../g, (digits) => digits.toLowerCase()),
    },
    cause: 'the escapes of the signature have lower-case digits',
    fix: 'write escapes with upper-case digits',
  },
];

const QUERY: readonly Mistake[] = [
  {
    id: 'presigned-public-key-unencoded',
    rule: '5.3/escaped',
    swap: queryWith((name, encoded) => [
      name,
      isPublicKey(name) ? (urlDecode(encoded) ?? encoded) : encoded,
    ]),
    cause: 'the public key stands in the URL as it is',
    fix: 'percent-encode the public key',
    seen: 'ufile 3.2.11 (Python)',
    once: 'the specification says as well that a public key needs no encoding, so it takes one that ends its parameter',
  },
  {
    id: 'presigned-parameter-public-key',
    rule: '5.4/parameters',
    swap: queryWith((name, encoded) => [isPublicKey(name) ? 'PublicKey' : name, encoded]),
    cause: 'the public key is sent as PublicKey, as in the action API',
    fix: 'name the parameter as pre-signed URLs do',
  },
  {
    id: 'presigned-parameters-in-lower-case',
    rule: '5.4/parameters',
    swap: queryWith((name, encoded) => [name.toLowerCase(), encoded]),
    cause: 'the names of the parameters are in lower case',
    fix: 'write the names as the documentation spells them',
  },
  {
    id: 'presigned-expires-not-sent',
    rule: '5.4/parameters',
    swap: {
      presignedQuery: (pairs) => presignedQuery(pairs.filter(([name]) => name !== 'Expires')),
    },
    cause: 'Expires is signed but not sent',
    fix: 'send Expires in the query',
  },
  {
    id: 'presigned-ampersands-escaped',
    rule: '5.4/parameters',
    swap: { presignedQuery: (pairs) => presignedQuery(pairs).replaceAll('&', '&amp;') },
    cause: 'the parameters are joined by "&amp;", as in HTML',
    fix: 'join the parameters by "&"; escape a URL only where HTML is written',
  },
];

/** What is signed into a URL, and the query that says so. */
export const PRESIGNED: readonly Mistake[] = [...TEXT, ...SIGNATURE, ...QUERY];
