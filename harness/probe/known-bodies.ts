/**
 * Bodies that have the Content-MD5 that a request announces.
 *
 * @module
 */
import { createHash } from 'node:crypto';

/** What the vectors' digests are digests of. */
const BODIES = ['', 'hello', 'test', 'Hello, world!', 'hello world'];

const BY_DIGEST: ReadonlyMap<string, string> = new Map(
  BODIES.flatMap((body) =>
    (['hex', 'base64'] as const).map((form) => [createHash('md5').update(body).digest(form), body]),
  ),
);

/** A server compares the digest with the body, so a body that has it is sent where one is known. */
export function bodyWithMd5(headers: readonly (readonly [string, string])[]): string {
  const announced = headers.find(([name]) => name.toLowerCase() === 'content-md5')?.[1];
  return BY_DIGEST.get(announced?.trim() ?? '') ?? '';
}
