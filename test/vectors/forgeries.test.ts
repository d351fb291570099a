import { expect, test } from 'vitest';
import { replyWithMistakes } from '../../dist/harness/engine/diagnosis/reference-reply.js';
import { parseDialect } from '../../dist/harness/engine/dialects.js';
import { askForgeries, selectForgeries } from '../../dist/harness/engine/judge/forgery.js';
import { findSharedMistakes } from '../../dist/harness/engine/judge/verifiers.js';
import { recreateForgeries } from '../../dist/harness/make/forgeries.js';
import { translateVectors } from '../../dist/harness/make/rederive/rewording.js';
import { Session } from '../../dist/harness/respondents/adapter/session.js';
import { bundledForgeries, bundledSuite } from '../../dist/harness/suite/bundle.js';
import { MISTAKES } from '../../dist/reference/mistakes/index.js';
import type { Mistake } from '../../dist/reference/mistakes/mistake.js';
import type { Forgery } from '../../harness/engine/judge/forgery.ts';
import type { Question, Reply } from '../../harness/engine/protocol.ts';
import { hasPython, PYTHON, withoutPython } from '../python.ts';

const SVC = parseDialect('svc');
const VERIFIERS = ['verify-authorization', 'verify-presigned-url', 'verify-query', 'verify-json'];
const forgeries: readonly Forgery[] = bundledForgeries();

/** A verifier with mistakes. */
const respondentWith = (mistakes: readonly Mistake[]) => ({
  ask: async (questions: readonly Question[]): Promise<readonly Reply[]> =>
    questions.map((question) => replyWithMistakes(question, mistakes, SVC)),
});

function mistakesOf(of: readonly Forgery[]): readonly string[] {
  return [...new Set(of.flatMap(({ mistakes }) => mistakes))].sort();
}

test.skipIf(!hasPython).each(['svc', 'ucloud', 'Acme,X-Acme-,AcmeKey'])(
  `the implementation in Python refuses every forged request and accepts its control: dialect %s${withoutPython}`,
  async (name) => {
    const dialect = parseDialect(name);
    const session = new Session([PYTHON, 'adapters/python/adapter.py'], dialect);
    try {
      await session.hello();
      const all =
        name === 'svc'
          ? forgeries
          : recreateForgeries(
              forgeries,
              translateVectors(dialect, bundledSuite().vectors),
              dialect,
            );
      const outcomes = await askForgeries(session, all);
      const wrong = outcomes.filter(
        ({ verdict }: { verdict: object }) =>
          JSON.stringify(verdict) !== '{"status":"pass","message":""}',
      );
      expect(wrong).toEqual([]);
      // In another dialect, a mistake about the prefix may lead to a correct request.
      expect(outcomes.length).toBeGreaterThanOrEqual(forgeries.length - 3);
    } finally {
      await session.close();
    }
  },
);

test.each(VERIFIERS)(
  'a verifier with %s alone receives every forged request to this operation',
  (name) => {
    const own = forgeries.filter(({ operation }) => operation === name);
    expect(selectForgeries(forgeries, [name])).toEqual(own);
    expect(mistakesOf(own).length).toBeGreaterThan(50);
  },
);

test('a verifier with all operations receives every mistake, but fewer than all forged requests', () => {
  const asked = selectForgeries(forgeries, VERIFIERS);
  expect(mistakesOf(asked)).toEqual(mistakesOf(forgeries));
  expect(asked.length).toBeLessThan(forgeries.length);
});

test('a verifier with one known mistake is reported to share it, or one with the same effect', async () => {
  const asked = selectForgeries(forgeries, VERIFIERS);
  const signing = mistakesOf(asked);
  const said = await Promise.all(
    MISTAKES.filter(({ id }: Mistake) => signing.includes(id)).map(async (mistake: Mistake) => {
      const outcomes = await askForgeries(respondentWith([mistake]), asked);
      const found: readonly (readonly string[])[] = findSharedMistakes(outcomes).map(
        ({ mistakes }: { mistakes: readonly Mistake[] }) => mistakes.map(({ id }) => id),
      );
      return { id: mistake.id, found };
    }),
  );
  // A mistake that only a signer can make does not make a verifier accept a forged request.
  const shared = said.filter(({ found }) => found.length > 0);
  expect(shared.filter(({ id, found }) => found.length > 1 || !found[0]?.includes(id))).toEqual([]);
  expect(shared.filter(({ found }) => found[0]?.length === 1).length).toBeGreaterThan(160);
});

test.each([
  ['verify-json', 'verify-ignoring-case'],
  ['verify-query', 'verify-ignoring-case'],
  ['verify-query', 'verify-query-plus-as-space'],
])('%s does not fail forgeries if it does what an open rule allows: %s', async (name, id) => {
  const allowed = MISTAKES.filter((mistake: Mistake) => mistake.id === id);
  const outcomes = await askForgeries(respondentWith(allowed), selectForgeries(forgeries, [name]));
  expect(outcomes.length).toBeGreaterThan(50);
  expect(outcomes.filter(({ verdict }) => verdict.status === 'fail')).toEqual([]);
});
