import { expect, test } from 'vitest';
import { FEW, gaps, uncaughtGaps, vectorGaps } from '../../dist/harness/diagnosis/gaps.js';
import { matrix } from '../../dist/harness/diagnosis/matrix.js';
import { catchers, generatedProof, proof } from '../../dist/harness/diagnosis/proof.js';
import { smokeSet } from '../../dist/harness/diagnosis/smoke.js';
import { dialectNamed } from '../../dist/harness/dialects.js';
import { drawnQuestions } from '../../dist/harness/fuzz/drawn-questions.js';
import { matrix as isMatrix } from '../../dist/harness/schema/data-validators.js';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import { ContentFolder } from '../../dist/harness/suite/content.js';
import { MISTAKES } from '../../dist/reference/mistakes/index.js';
import type { Vector } from '../../harness/suite/vector.ts';

const suite = bundledSuite();
const { rules } = suite;
const vectors: readonly Vector[] = suite.vectors;
const operations = [...new Set(vectors.map(({ operation }) => operation))];
const contents = new ContentFolder();
const drawn = drawnQuestions(operations, { dialect: dialectNamed('svc'), operations }, contents);
const [generated, uncaught] = await generatedProof(vectors, drawn, contents);
contents.remove();
const found = { ...(await proof(vectors)), generated };

test('every known mistake is caught by two vectors, or says why one is all there can be, and no two are alike', () => {
  expect(gaps(found)).toEqual([]);
  expect(MISTAKES.length).toBeGreaterThanOrEqual(180);
});

test('every generated mistake that a drawn request shows is caught by a vector, most of them by two', () => {
  expect(uncaughtGaps(uncaught)).toEqual([]);
  const twice = [...generated.values()].filter(({ length }) => length > 1).length;
  expect(generated.size).toBeGreaterThan(17_000);
  expect(twice / generated.size).toBeGreaterThan(0.9);
});

test('a drawn request that shows what no vector catches is a gap', async () => {
  const [question] = drawn.filter(({ operation }) => operation === 'password');
  const folder = new ContentFolder();
  const own = vectors.filter(({ operation }) => operation === 'password').slice(0, 1);
  const [, open] = await generatedProof(own, question ? [question] : [], folder);
  folder.remove();
  expect(uncaughtGaps(open)[0]).toMatch(/is caught by no vector, but password .* would show it/);
});

test('every known mistake breaks a rule of the register, and every id is used once', () => {
  const known = new Set(rules.map(({ id }) => id));
  expect(MISTAKES.filter(({ rule }) => !known.has(rule)).map(({ id }) => id)).toEqual([]);
  expect(new Set(MISTAKES.map(({ id }) => id)).size).toBe(MISTAKES.length);
});

test('without the vectors that catch it a mistake is a gap', async () => {
  const [mistake] = MISTAKES;
  if (!mistake) throw new Error('the register is empty');
  const others = vectors.filter(({ id }) => !catchers(found, mistake.id).includes(id));
  expect(gaps(await proof(others, [mistake]), [mistake])).toHaveLength(1);
});

test('every vector catches a mistake that few others catch, or says what it is kept for', () => {
  expect(vectorGaps(found, vectors)).toEqual([]);
});

test('a vector that catches nothing is a gap, and so is a reason that no vector needs', () => {
  const kept = vectors.find(({ keep }) => keep !== undefined);
  const earning = vectors.find(({ keep, level }) => keep === undefined && level === 'must');
  const open = vectors.find(({ level }) => level === 'open');
  if (!kept || !earning || !open) throw new Error('there is no such vector');
  const { keep: _, ...idle } = kept;
  const keep = 'Nobody knows.';
  const changed = new Map<Vector, Vector>([
    [kept, idle],
    [earning, { ...earning, keep }],
    [open, { ...open, keep }],
  ]);
  const others = vectors.map((vector) => changed.get(vector) ?? vector);
  const expected = [
    `vector ${idle.id} catches no mistake that at most ${FEW} vectors of its operation catch; remove it, add a mistake that it catches, or say under keep what it is for`,
    `vector ${earning.id} needs no keep, because it catches a mistake that at most ${FEW} vectors of its operation catch; take it out of keep`,
    `vector ${open.id} needs no keep, because its level is open; take it out of keep`,
  ];
  expect(vectorGaps(found, others).toSorted()).toEqual(expected.toSorted());
});

test('the smoke set is the one that the proof computes: write it with `vectors prove --write-smoke`', () => {
  const { columns, isProved } = smokeSet(found, vectors);
  expect(suite.smoke).toEqual(columns);
  expect(isProved).toBe(true);
});

test('for each operation alone, the smoke set catches all that the register has, and 99 % of what is generated', () => {
  const smoke = new Set(suite.smoke);
  const operationOf = (id: string): string => id.split('/')[0] ?? '';
  const missedOf = (
    mistakes: readonly string[],
  ): Map<string, readonly [missed: number, of: number]> => {
    const counts = new Map<string, readonly [number, number]>();
    for (const mistake of mistakes) {
      const ids = catchers(found, mistake);
      const caughtIn = new Set(ids.filter((id) => smoke.has(id)).map(operationOf));
      for (const operation of new Set(ids.map(operationOf))) {
        const [missed, all] = counts.get(operation) ?? [0, 0];
        counts.set(operation, [missed + (caughtIn.has(operation) ? 0 : 1), all + 1]);
      }
    }
    return counts;
  };
  const named = missedOf(MISTAKES.map(({ id }) => id));
  expect([...named].filter(([, [missed]]) => missed > 0)).toEqual([]);
  const few = missedOf([...generated.keys()]);
  expect(few.size).toBe(operations.length);
  expect([...few].filter(([, [missed, all]]) => missed > all / 100)).toEqual([]);
  const chosen = vectors.filter(({ id }) => smoke.has(id));
  expect(new Set(chosen.map(({ operation }) => operation))).toEqual(new Set(operations));
});

test('the matrix fits its schema and says the same from both sides', () => {
  const made = matrix(suite, found, smokeSet(found, vectors));
  expect(isMatrix(JSON.parse(JSON.stringify(made)))).toBe(true);
  expect(isMatrix({ ...made, vectors: [{ id: 'no-id' }] })).toBe(false);
  const byMistake = made.mistakes.flatMap(({ id, caughtBy }) =>
    caughtBy.map((by) => `${id} ${by}`),
  );
  const byVector = made.vectors.flatMap(({ id, catches }) => catches.map((one) => `${one} ${id}`));
  expect(byMistake.length).toBeGreaterThan(1000);
  expect(new Set(byMistake).size).toBe(byMistake.length);
  expect(byVector.sort()).toEqual(byMistake.sort());
});
