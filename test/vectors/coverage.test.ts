import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSuite } from '../../dist/harness/suite/suite-folder.js';
import type { Suite, Vector } from '../../harness/engine/vector.ts';

const suite: Suite = readSuite('vectors');
const { rules, vectors } = suite;

test('every rule that can be tested is tested by a vector', () => {
  const tested = new Set(vectors.flatMap((vector) => vector.rules));
  const untested = rules.filter((rule) => rule.untested === undefined && !tested.has(rule.id));
  expect(untested.map(({ id }) => id)).toEqual([]);
});

test('no rule marked as untestable has a vector', () => {
  const untestable = rules.filter((rule) => rule.untested !== undefined).map(({ id }) => id);
  expect(vectors.filter((vector) => vector.rules.some((id) => untestable.includes(id)))).toEqual(
    [],
  );
});

test('the suite has at least 400 vectors, of which at least 80 must be refused', () => {
  expect(vectors.length).toBeGreaterThanOrEqual(400);
  expect(vectors.filter(({ refuse }) => refuse).length).toBeGreaterThanOrEqual(80);
});

test('dist/vectors.json equals the suite read from YAML', () => {
  expect(JSON.parse(readFileSync('dist/vectors.json', 'utf8'))).toEqual(suite);
});

/** Traits that some vectors of an operation may share, but not all of them. */
const TRAITS: Readonly<Record<string, (vector: Vector) => unknown>> = {
  'key pair': ({ keys }) => (keys.publicKey === '' ? undefined : keys),
  bucket: ({ input }) => input['bucket'],
  verb: ({ input }) => input['method'],
  host: ({ input }) => input['fileHost'],
  expiry: ({ input }) => input['expires'],
  date: ({ input }) => {
    const headers = (input['headers'] ?? []) as readonly (readonly [string, string])[];
    return headers.find(([name]) => name.toLowerCase() === 'date')?.[1];
  },
};

const operations = [...new Set(vectors.map(({ operation }) => operation))];

test.each(operations)(
  'the vectors of %s do not all have the same key pair, bucket, method, host, expiry or date',
  (operation) => {
    const own = vectors.filter((vector) => vector.operation === operation);
    for (const [trait, traitOf] of Object.entries(TRAITS)) {
      const values = own
        .map((vector) => JSON.stringify(traitOf(vector)))
        .filter((value) => value !== undefined);
      if (values.length > 1) expect(new Set(values).size, trait).toBeGreaterThan(1);
    }
  },
);

test('a run without --large hashes less than 30 MiB of content', () => {
  const small = vectors.filter(({ large }) => !large);
  const sizes = small.map(({ input }) => {
    const content = input['content'] as { recipe?: { size: number } } | undefined;
    return content?.recipe?.size ?? 0;
  });
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(30 * 1024 * 1024);
});

test('the ETag vectors cover the sizes around block boundaries, from 0 bytes to 1 GiB', () => {
  const MIB = 1024 * 1024;
  const sizes = vectors
    .filter(({ operation }) => operation === 'etag')
    .map(({ input }) => (input['content'] as { recipe?: { size: number } }).recipe?.size);
  for (const size of [
    0,
    4 * MIB - 1,
    4 * MIB,
    4 * MIB + 1,
    8 * MIB - 1,
    8 * MIB,
    8 * MIB + 1,
    40 * MIB,
    1024 * MIB,
  ]) {
    expect(sizes).toContain(size);
  }
});

test('no two vectors ask the same question', () => {
  const questions = vectors.map(({ operation, keys, input }) =>
    JSON.stringify({ operation, keys, input }),
  );
  const twice = vectors.filter((_, i) => questions.indexOf(questions[i] ?? '') !== i);
  expect(twice.map(({ id }) => id)).toEqual([]);
});
