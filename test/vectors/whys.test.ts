/**
 * A `why` is read at once: short, plain, in full sentences, and its own.
 */
import { expect, test } from 'vitest';
import { readSuite } from '../../dist/harness/suite/suite-folder.js';
import type { Suite } from '../../harness/engine/vector.ts';

const { vectors }: Suite = readSuite('vectors');

const texts = vectors.flatMap(({ id, why, accept }) => [
  [id, why ?? ''] as const,
  ...Object.values(accept ?? {}).map(({ because }) => [id, `${because}`] as const),
]);

/** Words that leave the actor open, or that this project uses in no other place. */
const VAGUE = /\b(?:who|whoever|nobody|somebody|anybody|everybody|stands?|blanks?|line ends?)\b/i;
const MOST_WORDS = 27;

const those = (wrong: (text: string) => boolean): readonly string[] =>
  texts.filter(([, text]) => wrong(text)).map(([id, text]) => `${id}: ${text}`);

test('whys and answers name the actor and use standard terms', () => {
  expect(those((text) => VAGUE.test(text))).toEqual([]);
});

test(`whys and answers have at most ${MOST_WORDS} words, and end with a full stop`, () => {
  expect(those((text) => text.split(' ').length > MOST_WORDS || !text.endsWith('.'))).toEqual([]);
});

test('no two vectors of a file have the same why', () => {
  const seen = new Set<string>();
  const repeated = vectors.filter(({ id, why }) => {
    const inFile = `${id.slice(0, id.lastIndexOf('/'))}: ${why}`;
    return seen.size === seen.add(inFile).size;
  });
  expect(repeated.map(({ id }) => id)).toEqual([]);
});
