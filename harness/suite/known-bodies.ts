/**
 * Bodies that match the Content-MD5 of a request: a server compares the two.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import type { HeaderList } from '../../reference/signing/index.ts';

/** Some vectors have the digests of these bodies in their Content-MD5. */
const BODIES = ['hello', 'test', '', 'hello world', 'Hello, world!'];

const md5 = (body: string, form: 'hex' | 'base64'): string =>
  createHash('md5').update(body).digest(form);

const BY_DIGEST: ReadonlyMap<string, string> = new Map(
  BODIES.flatMap((body) => (['hex', 'base64'] as const).map((form) => [md5(body, form), body])),
);

/** The known body that matches the Content-MD5 of the headers; empty without Content-MD5. */
export function bodyWithMd5(headers: HeaderList): string {
  const announced = headers.find(([name]) => name.toLowerCase() === 'content-md5')?.[1];
  return BY_DIGEST.get(announced?.trim() ?? '') ?? '';
}

/** Replaces each Content-MD5 by the digest of a known body. The digest's form and the whitespace around it stay. */
export function withKnownMd5(headers: HeaderList): HeaderList {
  return headers.map(([name, value]) => [
    name,
    name.trim().toLowerCase() === 'content-md5' ? knownDigest(value) : value,
  ]);
}

function knownDigest(value: string): string {
  const digest = value.trim();
  if (digest === '' || BY_DIGEST.has(digest)) return value;
  // The body depends on the digest, so that different digests mostly stay different.
  const units = [...digest].reduce((sum, one) => sum + one.charCodeAt(0), 0);
  const form = /^[0-9a-f]{32}$/i.test(digest) ? 'hex' : 'base64';
  return value.replace(digest, md5(BODIES[units % BODIES.length] ?? '', form));
}
