import { afterAll, expect, test } from 'vitest';
import { createPredictor } from '../../dist/harness/engine/diagnosis/reference-reply.js';
import { parseDialect } from '../../dist/harness/engine/dialects.js';
import { toQuestion } from '../../dist/harness/engine/judge/outcome.js';
import {
  describeUncaught,
  FEW,
  findGaps,
  findVectorGaps,
} from '../../dist/harness/engine/proof/gaps.js';
import {
  computeGeneratedProof,
  computeProof,
  createMatrix,
  findCatchers,
} from '../../dist/harness/engine/proof/proof.js';
import { chooseSmokeSet } from '../../dist/harness/engine/proof/smoke.js';
import { drawQuestions } from '../../dist/harness/make/fuzz/trial.js';
import { BUNDLED, bundledSuite } from '../../dist/harness/suite/bundle.js';
import { matrix as isMatrix } from '../../dist/harness/suite/schema/data-validators.js';
import { answerQuestion } from '../../dist/reference/answers.js';
import { MISTAKES, mistaken } from '../../dist/reference/mistakes/index.js';
import { inDialect } from '../../dist/reference/signing/index.js';
import type { Vector } from '../../harness/engine/vector.ts';
import { someOf } from '../amount.ts';
import { GoldenFile } from '../golden/golden-file.ts';
import { proofLines, recordProof } from '../golden/proof-lines.ts';

const suite = bundledSuite();
const { rules } = suite;
const vectors: readonly Vector[] = suite.vectors;
const operations = [...new Set(vectors.map(({ operation }) => operation))];

/** The operations whose vectors are tested with generated mistakes; all of them take minutes. */
const proved = someOf(operations.toReversed(), 4);
const isProved = ({ operation }: { readonly operation: string }): boolean =>
  proved.includes(operation);
const large = new Set(vectors.filter((vector) => vector.large).map(({ id }) => id));
const provedVectors = vectors.filter(isProved);
const isWhole = proved.length === operations.length;
const whole = isWhole ? '' : ' (not run: SVC_TEST_RUNS=4 tests every operation)';

/** Each mistake is relevant for hundreds of vectors, so one in so many is enough to execute it. */
const EXECUTED = 8;

const drawn = drawQuestions(proved, { dialect: parseDialect('svc'), operations });
const [generated, uncaught] = await computeGeneratedProof(provedVectors, drawn, BUNDLED);
const found = { ...(await computeProof(vectors)), generated };

/** The rows of the golden file: the proof above, and `vectors prove` itself on a few vectors. */
const PROOFS = ['vectors', 'test/harness/vectors'] as const;
const golden = new GoldenFile('prove', 'test/vectors/mistakes.long.test.ts');
afterAll(() => golden.close(PROOFS));

test('every known mistake is caught by two vectors or says why only one can catch it, and no two have the same effect', () => {
  expect(findGaps(found)).toEqual([]);
  expect(MISTAKES.length).toBeGreaterThanOrEqual(180);
});

test.runIf(isWhole)(
  `every generated mistake that a random request reveals is caught by a vector, most of them by two${whole}`,
  () => {
    expect(describeUncaught(uncaught)).toEqual([]);
    const twice = [...generated.values()].filter(({ length }) => length > 1).length;
    expect(generated.size).toBeGreaterThan(17_000);
    expect(twice / generated.size).toBeGreaterThan(0.9);
  },
);

test('no known mistake throws an exception other than a refusal', () => {
  const dialect = parseDialect('svc');
  const context = inDialect(dialect);
  const predictor = createPredictor(dialect, BUNDLED);
  const quick = vectors.filter((vector) => !vector.large && predictor.isQuick(vector));
  const throwing = new Map<string, string>();
  let tried = 0;
  for (const vector of quick.filter((_, i) => i % EXECUTED === 0)) {
    const { operation, input, keys } = toQuestion(vector);
    for (const mistake of predictor.listRelevantMistakes(vector, [])) {
      tried += 1;
      try {
        answerQuestion(operation, input, keys, mistaken(context, [mistake]));
      } catch (error) {
        throwing.set(mistake.id, `${vector.id}: ${error}`);
      }
    }
  }
  expect([...throwing]).toEqual([]);
  expect(tried).toBeGreaterThan(500_000);
});

test('a vector that expects another answer than the reference gives is reported as a gap', async () => {
  const own = vectors.filter(({ operation }) => operation === 'password').slice(0, 2);
  const wrong = own.map((vector, at) =>
    at === 0 ? { ...vector, expect: { value: 'AAAA' } } : vector,
  );
  const { refuted } = await computeProof(wrong, []);
  expect(refuted).toEqual([own[0]?.id]);
  expect(findGaps({ effects: new Map(), refuted: refuted ?? [] }, [])).toEqual([
    expect.stringMatching(/^vector password.* expects another answer than the reference gives/),
  ]);
});

test('a mistake that a random request reveals and no vector catches is reported as a gap', async () => {
  const [question] = drawQuestions(['password'], { dialect: parseDialect('svc'), operations }, 1);
  const own = vectors.filter(({ operation }) => operation === 'password').slice(0, 1);
  const [, open] = await computeGeneratedProof(own, question ? [question] : [], BUNDLED);
  expect(describeUncaught(open)[0]).toMatch(
    /is caught by no vector, but password .* would show it/,
  );
});

test('a mistake that breaks a rule other than advice is caught by a vector that is not advised', () => {
  const levelOf = new Map(rules.map(({ id, level }) => [id, level]));
  const advised = new Set(vectors.flatMap(({ id, level }) => (level === 'advised' ? [id] : [])));
  const missed = MISTAKES.filter(
    ({ id, rule }) =>
      levelOf.get(rule) !== 'advised' &&
      findCatchers(found, id).every((vector) => advised.has(vector)),
  );
  expect(missed.map(({ id }) => id)).toEqual([]);
});

test('every known mistake names an existing rule, and every id is used once', () => {
  const known = new Set(rules.map(({ id }) => id));
  expect(MISTAKES.filter(({ rule }) => !known.has(rule)).map(({ id }) => id)).toEqual([]);
  expect(new Set(MISTAKES.map(({ id }) => id)).size).toBe(MISTAKES.length);
});

test('a mistake is reported as a gap if the vectors that catch it are missing', async () => {
  const [mistake] = MISTAKES;
  if (!mistake) throw new Error('the register is empty');
  const others = vectors.filter(({ id }) => !findCatchers(found, mistake.id).includes(id));
  expect(findGaps(await computeProof(others, [mistake]), [mistake])).toHaveLength(1);
});

test('every vector catches a mistake that few others catch, or says why it is kept', () => {
  expect(findVectorGaps(found, provedVectors)).toEqual([]);
});

test('a vector that catches nothing is reported as a gap, and so is an unnecessary keep', () => {
  const kept = provedVectors.find(({ keep }) => keep !== undefined);
  const earning = provedVectors.find(({ keep, level }) => keep === undefined && level === 'must');
  const open = provedVectors.find(({ level }) => level === 'open');
  if (!kept || !earning || !open) throw new Error('there is no such vector');
  const { keep: _, ...idle } = kept;
  const keep = 'Nobody knows.';
  const changed = new Map<Vector, Vector>([
    [kept, idle],
    [earning, { ...earning, keep }],
    [open, { ...open, keep }],
  ]);
  const others = provedVectors.map((vector) => changed.get(vector) ?? vector);
  const expected = [
    `vector ${idle.id} catches no mistake that at most ${FEW} vectors of its operation catch; remove it, add a mistake that it catches, or explain under keep why it stays`,
    `vector ${earning.id} needs no keep, because it catches a mistake that at most ${FEW} vectors of its operation catch; remove it from keep`,
    `vector ${open.id} needs no keep, because its level is open; remove it from keep`,
  ];
  expect(findVectorGaps(found, others).toSorted()).toEqual(expected.toSorted());
});

test.runIf(isWhole)(
  `the smoke set is the one that the proof computes; vectors prove --write-smoke updates it${whole}`,
  () => {
    expect(suite.smoke).toEqual(chooseSmokeSet(found, vectors));
  },
);

test('for each operation, the smoke set catches every known mistake and 99 % of the generated ones', () => {
  const smoke = new Set(suite.smoke);
  const operationOf = (id: string): string => id.split('/')[0] ?? '';
  const missedOf = (
    mistakes: readonly string[],
  ): Map<string, readonly [missed: number, of: number]> => {
    const counts = new Map<string, readonly [number, number]>();
    for (const mistake of mistakes) {
      const ids = findCatchers(found, mistake).filter((id) => !large.has(id));
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
  expect(few.size).toBe(proved.length);
  expect([...few].filter(([, [missed, all]]) => missed > all / 100)).toEqual([]);
  const chosen = vectors.filter(({ id }) => smoke.has(id));
  expect(new Set(chosen.map(({ operation }) => operation))).toEqual(new Set(operations));
});

test('the matrix fits its schema, and its lists by mistake and by vector agree', () => {
  const made = createMatrix(suite, found, chooseSmokeSet(found, vectors));
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

test.runIf(isWhole)(`the proof has the recorded counts${whole}`, () => {
  const lacking = [
    ...findGaps(found),
    ...findVectorGaps(found, vectors),
    ...describeUncaught(uncaught),
  ];
  const beside = {
    generated: generated.size,
    generatedTwice: [...generated.values()].filter(({ length }) => length > 1).length,
    gaps: lacking.length,
  };
  golden.compare(
    PROOFS[0],
    proofLines(createMatrix(suite, found, chooseSmokeSet(found, vectors)), beside),
  );
});

test('`vectors prove` has the recorded counts', async () => {
  golden.compare(PROOFS[1], await recordProof(PROOFS[1]));
});
