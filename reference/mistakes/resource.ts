/**
 * Mistakes in the resource that is signed: bucket and key (§5.2).
 *
 * @module
 */
import { canonicalResource } from '../signing/canonical-resource.ts';
import { urlDecode, urlEncode } from '../signing/percent-encoding.ts';
import type { Mistake } from './mistake.ts';

/** A path without empty segments, `.` and `..`, as libraries for files clean it. */
function cleaned(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}

/** Each run of escapes decoded, where it is UTF-8. */
function decoded(key: string): string {
  return key.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => urlDecode(escapes) ?? escapes);
}

const PARTS: readonly Mistake[] = [
  {
    id: 'resource-without-bucket',
    rule: '5.2/resource',
    swap: { canonicalResource: (_, key) => `/${key}` },
    cause: 'the path of the request is signed, without the bucket',
    fix: 'put the bucket, which the host names, before the key',
  },
  {
    id: 'resource-without-first-slash',
    rule: '5.2/resource',
    swap: { canonicalResource: (bucket, key) => `${bucket}/${key}` },
    cause: 'the resource has no slash before the bucket',
    fix: 'start the resource with a slash',
  },
  {
    id: 'resource-of-bucket-without-slash',
    rule: '5.2/resource-empty-key',
    swap: { canonicalResource: (bucket, key) => (key === '' ? `/${bucket}` : `/${bucket}/${key}`) },
    cause: 'a request on the bucket itself is signed without a slash behind the bucket',
    fix: 'write the slash behind the bucket even where no key follows',
  },
];

const KEY: readonly Mistake[] = [
  {
    id: 'resource-encoded',
    rule: '5.2/resource-raw',
    swap: {
      canonicalResource: (bucket, key) =>
        canonicalResource(bucket, key.split('/').map(urlEncode).join('/')),
    },
    cause: 'the key is signed percent-encoded, as it stands in the path',
    fix: 'sign the key as it is named, before it is encoded for the path',
  },
  {
    id: 'resource-encoded-with-slashes',
    rule: '5.2/resource-raw',
    swap: { canonicalResource: (bucket, key) => canonicalResource(bucket, urlEncode(key)) },
    cause: 'the key is signed percent-encoded, its slashes included',
    fix: 'sign the key as it is named, before it is encoded for the path',
  },
  {
    id: 'resource-decoded',
    rule: '5.2/resource-raw',
    swap: { canonicalResource: (bucket, key) => canonicalResource(bucket, decoded(key)) },
    cause: 'percent signs in the key are taken for escapes and decoded',
    fix: 'sign the key as it is named, and decode a path once',
  },
  {
    id: 'resource-plus-as-space',
    rule: '5.2/resource-raw',
    swap: {
      canonicalResource: (bucket, key) => canonicalResource(bucket, key.replaceAll('+', ' ')),
    },
    cause: 'a plus in the key is signed as a space, as forms are decoded',
    fix: 'leave a plus in a path or key as it is',
  },
  {
    id: 'resource-without-query',
    rule: '5.2/resource-raw',
    swap: {
      canonicalResource: (bucket, key) => canonicalResource(bucket, key.split(/[?#]/, 1).join()),
    },
    cause: 'the key is cut at its first "?" or "#", as a URL',
    fix: 'sign the whole key, "?" and "#" included',
  },
  {
    id: 'resource-leading-slashes-dropped',
    rule: '5.2/resource-raw',
    swap: {
      canonicalResource: (bucket, key) => canonicalResource(bucket, key.replace(/^\/+/, '')),
    },
    cause: 'slashes at the start of the key are dropped',
    fix: 'keep every slash of the key behind the one that follows the bucket',
  },
  {
    id: 'resource-slashes-collapsed',
    rule: '5.2/resource-raw',
    swap: {
      canonicalResource: (bucket, key) => canonicalResource(bucket, key).replace(/\/{2,}/g, '/'),
    },
    cause: 'several slashes in a row are signed as one',
    fix: 'keep every slash of the key',
  },
  {
    id: 'resource-path-cleaned',
    rule: '5.2/resource-raw',
    swap: { canonicalResource: (bucket, key) => canonicalResource(bucket, cleaned(key)) },
    cause:
      'the key is cleaned as the path of a file: "." and ".." are resolved, empty names removed',
    fix: 'join bucket and key as texts; a key is no path',
  },
  {
    id: 'resource-composed',
    rule: '5.2/resource-raw',
    swap: {
      canonicalResource: (bucket, key) => canonicalResource(bucket, key.normalize('NFC')),
    },
    cause: 'accents of the key are composed (NFC) before it is signed',
    fix: 'sign the characters of the key as they are, without normalization',
  },
  {
    id: 'resource-decomposed',
    rule: '5.2/resource-raw',
    swap: {
      canonicalResource: (bucket, key) => canonicalResource(bucket, key.normalize('NFD')),
    },
    cause: 'accents of the key are decomposed (NFD) before it is signed, as some file systems do',
    fix: 'sign the characters of the key as they are, without normalization',
  },
  {
    id: 'resource-backslashes-turned',
    rule: '5.2/resource-raw',
    swap: {
      canonicalResource: (bucket, key) => canonicalResource(bucket, key.replaceAll('\\', '/')),
    },
    cause: 'each backslash of the key becomes a slash, as in URL parsers and in paths of Windows',
    fix: 'join bucket and key as texts; a key is no path',
  },
];

/** What stands for the file at the end of the text. */
export const RESOURCE: readonly Mistake[] = [...PARTS, ...KEY];
