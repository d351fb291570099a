/**
 * Compares wrong answers part by part.
 *
 * @module
 */
import { REFUSED } from './observation.ts';

/** What separates the parts of an answer. */
export const MARKS: RegExp = /[?&:,"/ =\n]/;

/** In characters. Longer answers are not compared part by part: one mebibyte takes a minute. */
const LONGEST_COMPARED = 64 * 1024;

/** The share of common parts of two answers, between 0 and 1; a digest counts as one part. */
export function computeLikeness(answer: string | undefined, actual: string): number {
  if (answer === undefined || actual === REFUSED || answer === REFUSED) return 0;
  if (answer === actual) return 1;
  if (actual.length > LONGEST_COMPARED) return 0;
  const same = countShared(answer, actual);
  return (same / (answer.split(MARKS).length + actual.split(MARKS).length - same)) * 0.99;
}

/** The number of common parts of two answers. */
export function countShared(answer: string | undefined, actual: string): number {
  if (answer === undefined || actual.length > LONGEST_COMPARED) return 0;
  const left = new Map<string, number>();
  for (const part of answer.split(MARKS)) left.set(part, (left.get(part) ?? 0) + 1);
  let same = 0;
  for (const part of actual.split(MARKS)) {
    const count = part === '' ? 0 : (left.get(part) ?? 0);
    if (count === 0) continue;
    left.set(part, count - 1);
    same += 1;
  }
  return same;
}

const DIGESTS: readonly (readonly [name: string, form: RegExp])[] = [
  ['hexadecimal', /^[0-9a-f]{16,}$/],
  ['upper-case hexadecimal', /^[0-9A-F]{16,}$/],
  ['base64', /^[0-9A-Za-z+/_-]{16,}$/],
];

/** The forms and lengths of the parts of an answer that look like digests. */
export const outlineOf = (answer: string): string =>
  answer
    .split(/[?&:," =\n]/)
    .flatMap((part) => {
      const name = DIGESTS.find(([, form]) => form.test(part))?.[0];
      return name === undefined ? [] : `${name} ${part.length}`;
    })
    .join();
