/**
 * Bodies that have the Content-MD5 that a request announces: a server compares the two.
 *
 * @module
 */
import { createHash } from 'node:crypto';

type Headers = readonly (readonly [name: string, value: string])[];

/** Some of the vectors' digests are digests of these. */
const BODIES = ['hello', 'test', '', 'hello world', 'Hello, world!'];

type Form = 'hex' | 'base64';

function md5(body: string, form: Form): string {
  return createHash('md5').update(body).digest(form);
}

const BY_DIGEST: ReadonlyMap<string, string> = new Map(
  BODIES.flatMap((body) => (['hex', 'base64'] as const).map((form) => [md5(body, form), body])),
);

/** The body that has the digest which the headers announce; none where they announce none. */
export function bodyWithMd5(headers: Headers): string {
  const announced = headers.find(([name]) => name.toLowerCase() === 'content-md5')?.[1];
  return BY_DIGEST.get(announced?.trim() ?? '') ?? '';
}

/** Each Content-MD5 as the digest of a known body, in its form and with the blanks around it; different ones stay different. */
export function withKnownMd5(headers: Headers): Headers {
  return headers.map(([name, value]) => [
    name,
    name.trim().toLowerCase() === 'content-md5' ? knownDigest(value) : value,
  ]);
}

function knownDigest(value: string): string {
  const digest = value.trim();
  if (digest === '' || BY_DIGEST.has(digest)) return value;
  const units = [...digest].reduce((sum, one) => sum + one.charCodeAt(0), 0);
  const form = /^[0-9a-f]{32}$/i.test(digest) ? 'hex' : 'base64';
  return value.replace(digest, md5(BODIES[units % BODIES.length] ?? '', form));
}
