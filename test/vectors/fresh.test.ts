import { describe, expect, test } from 'vitest';
import { parseDialect } from '../../dist/harness/engine/dialects.js';
import { findGaps } from '../../dist/harness/engine/proof/gaps.js';
import { computeProof } from '../../dist/harness/engine/proof/proof.js';
import { freshVectors } from '../../dist/harness/make/rederive/fresh-vectors.js';
import { translateVectors } from '../../dist/harness/make/rederive/rewording.js';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import { MISTAKES } from '../../dist/reference/mistakes/index.js';
import type { Vector } from '../../harness/engine/vector.ts';
import { RUNS, someOf } from '../amount.ts';
import { program, watched } from '../harness/trial.ts';
import { hasPython, withoutPython } from '../python.ts';
import { SEED } from '../seed.ts';
import { askPython } from './python-answers.ts';

const vectors: readonly Vector[] = bundledSuite().vectors;
const SEEDS = someOf([1, 77_777, 2], 3);

/** Computed once for each seed. */
const made = new Map<number, readonly Vector[]>();

function fresh(seed: number): readonly Vector[] {
  const known = made.get(seed) ?? freshVectors(vectors, seed);
  made.set(seed, known);
  return known;
}

const data = ({ keys, input, control }: Vector): string =>
  JSON.stringify([keys, input, control?.input]);

test
  .skipIf(!hasPython)
  .each(
    someOf(
      [[RUNS > 1 ? 3 : 1, 'ucloud'] as const, ...SEEDS.map((seed) => [seed, 'svc'] as const)],
      4,
    ),
  )(
  `the implementation in Python gives every stage and every reason of the vectors on fresh data: seed %i, dialect %s${withoutPython}`,
  async (seed, name) => {
    const dialect = parseDialect(name);
    const asked = name === 'svc' ? fresh(seed) : translateVectors(dialect, fresh(seed));
    expect((await askPython(dialect, asked)).differences).toEqual([]);
  },
);

test('the same seed gives the same suite, and another seed gives different data', async () => {
  const some = someOf(vectors, 4);
  const one = freshVectors(some, 1);
  const other = freshVectors(some, 2);
  expect(freshVectors(some, 1)).toEqual(one);
  const alike = one.filter(
    (vector, i) => vector !== some[i] && data(vector) === data(other[i] ?? vector),
  );
  expect(alike.map(({ id }) => id)).toEqual([]);
});

test.each(SEEDS)(
  'fresh data changes more than nine in ten vectors that an adapter can fail: seed %i',
  async (seed) => {
    const later = fresh(seed);
    const judged = vectors.flatMap((vector, i) => (vector.accept ? [] : [{ vector, i }]));
    const changed = judged.filter(({ vector, i }) => data(later[i] ?? vector) !== data(vector));
    expect(changed.length / judged.length).toBeGreaterThan(0.9);
    expect(later.map(({ id, why, rules }) => ({ id, why, rules }))).toEqual(
      vectors.map(({ id, why, rules }) => ({ id, why, rules })),
    );
  },
);

test('the vectors on fresh data still catch the known mistakes and tell them apart', async () => {
  const mistakes = someOf(MISTAKES, 16);
  expect(findGaps(await computeProof(fresh(1), mistakes), mistakes)).toEqual([]);
});

test('fresh data leaves published examples unchanged', async () => {
  const later = fresh(1);
  const published = vectors.filter(({ source }) => source.startsWith('published,'));
  expect(published.length).toBeGreaterThan(10);
  for (const vector of published) expect(later).toContain(vector);
});

/** Hides which letters and digits a text has, but keeps their kind and all other characters. */
function skeleton(text: string): string {
  return text.replace(/[0-9]/g, '0').replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A');
}

test('fresh data keeps the form of keys and buckets, and leaves methods and names unchanged', async () => {
  for (const [i, { keys, input }] of fresh(1).entries()) {
    const old = vectors[i];
    if (!old) continue;
    expect(skeleton(keys.privateKey)).toBe(skeleton(old.keys.privateKey));
    expect(skeleton(keys.publicKey)).toBe(skeleton(old.keys.publicKey));
    for (const name of ['bucket', 'key'] as const) {
      expect(skeleton(String(input[name]))).toBe(skeleton(String(old.input[name])));
    }
    for (const name of [
      'method',
      'scheme',
      'fileHost',
      'expires',
      'now',
      'size',
      'etag',
    ] as const) {
      expect(input[name]).toEqual(old.input[name]);
    }
    for (const name of ['headers', 'fields', 'parameters', 'members'] as const) {
      expect(names(input[name])).toEqual(names(old.input[name]));
    }
  }
});

function names(pairs: unknown): unknown {
  return (pairs as readonly (readonly [string, unknown])[] | undefined)?.map(([name]) => name);
}

test('a correct adapter passes on fresh data, and the report shows the seed', async () => {
  const options = ['--fresh', '--seed', String(SEED)];
  const { code, stdout } = await watched(['run', ...options, '--', ...program('makes-mistakes')]);
  expect(stdout).toMatch(
    /^svc-conformance \S+ · [0-9]+ vectors, [0-9]+ more with --large · [1-9][0-9]{3} on fresh data, --seed [0-9]+\n/,
  );
  expect(code).toBe(0);
});

test('an adapter that knows the answers passes without fresh data, and fails with it', async () => {
  const command = ['--', ...program('knows-the-answers', '50')];
  // Each run creates its files anew, so the adapter cannot recognize questions about files.
  const which =
    RUNS > 1
      ? ['authorization/*', 'verify-*', 'action-*', 'presigned-url/*', 'policy*/*']
      : ['authorization/resource', 'authorization/signature', 'action-signature/texts'];
  const [known, unknown] = await Promise.all([
    watched(['run', '--no-fresh', ...which, ...command]),
    watched(['run', '--fresh', '5', ...which, ...command]),
  ]);
  expect(known.code).toBe(0);
  expect(unknown.code).toBe(1);
  const count = Number(/· ([0-9]+) on fresh data, --seed 5\n/.exec(unknown.stdout)?.[1]);
  const census = [...unknown.stdout.matchAll(/^ {2}(?:must|observed|advised) .*$/gm)].join('\n');
  const failures = [...census.matchAll(/([0-9]+) (?:wrongly refused|inconclusive)/g)];
  expect(count).toBeGreaterThan(RUNS > 1 ? 500 : 45);
  expect(failures.reduce((sum, [, number]) => sum + Number(number), 0)).toBe(count);
});

describe('--rounds', () => {
  const rounds = (name: string, ...options: readonly string[]) =>
    watched(['run', 'url-encode/beyond-ascii/*', ...options, '--', ...program(name)]);

  test('rounds stop at the first failure, and the report names the seed that repeats it', async () => {
    const { code, stdout } = await rounds('errs-once', '--fresh', '5', '--rounds', '9');
    expect(code).toBe(1);
    const [, round, seed] =
      /this is round (\d) of 9, with the seed (\d); the rounds before, from the seed 5 on,/.exec(
        stdout,
      ) ?? [];
    expect([1, 9]).not.toContain(Number(round));
    expect(Number(seed)).toBe(4 + Number(round));
    expect(stdout).toContain(` on fresh data, --seed ${seed}\n`);
    expect(stdout).toMatch(new RegExp(`^ {4}svc-conformance accept .* --seed ${seed} `, 'm'));
  });

  test('without a failure, the last round is reported', async () => {
    const { code, stdout } = await rounds('is-right', '--fresh', '5', '--rounds', '3');
    expect(code).toBe(0);
    expect(stdout).toContain('this is round 3 of 3, with the seed 7; the rounds before');
  });
});
