import { expect, test } from 'vitest';
import { catchers, gaps, proof } from '../../dist/harness/diagnosis/proof.js';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import { MISTAKES } from '../../dist/reference/mistakes/index.js';

const { vectors, rules } = bundledSuite();
const found = proof(vectors);

test('every known mistake is caught by two vectors, or says why one is all there can be, and no two are alike', () => {
  expect(gaps(found)).toEqual([]);
  expect(MISTAKES.length).toBeGreaterThanOrEqual(180);
});

test('every known mistake breaks a rule of the register, and every id is used once', () => {
  const known = new Set(rules.map(({ id }) => id));
  expect(MISTAKES.filter(({ rule }) => !known.has(rule)).map(({ id }) => id)).toEqual([]);
  expect(new Set(MISTAKES.map(({ id }) => id)).size).toBe(MISTAKES.length);
});

test('without the vectors that catch it a mistake is a gap', () => {
  const [mistake] = MISTAKES;
  if (!mistake) throw new Error('the register is empty');
  const others = vectors.filter(({ id }) => !catchers(found, mistake.id).includes(id));
  expect(gaps(proof(others, [mistake]), [mistake])).toHaveLength(1);
});
