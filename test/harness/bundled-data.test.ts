import { describe, expect, test } from 'vitest';
import { diagnose } from '../../dist/harness/engine/diagnosis/diagnose.js';
import { unpackEffects } from '../../dist/harness/engine/diagnosis/effects.js';
import { createPredictor } from '../../dist/harness/engine/diagnosis/reference-reply.js';
import { parseDialect } from '../../dist/harness/engine/dialects.js';
import { toQuestion } from '../../dist/harness/engine/judge/outcome.js';
import { BUNDLED, bundledSteps, bundledSuite } from '../../dist/harness/suite/bundle.js';
import { MISTAKES, mistakesAt } from '../../dist/reference/mistakes/index.js';
import { OPERATIONS } from '../../dist/reference/operations.js';
import { RUNS } from '../amount.ts';

const SVC = parseDialect('svc');

describe('the recorded steps of each vector', () => {
  const predictor = createPredictor(SVC, { ...BUNDLED, findSteps: () => undefined });
  const questions = bundledSuite()
    .vectors.map(toQuestion)
    .filter((question) => predictor.isLight(question));

  test('are those that the correct answer uses', () => {
    for (const question of questions) {
      const recorded = new Set(predictor.listSteps(question, []));
      expect(bundledSteps(SVC, question), JSON.stringify(question)).toEqual(recorded);
    }
    expect(questions.length).toBeGreaterThan(800);
  });

  test('are unknown for a question on other data, and in an unknown dialect', () => {
    const [question] = questions;
    if (!question) throw new Error('there is no vector');
    const other = { ...question, keys: { ...question.keys, privateKey: 'other' } };
    expect(bundledSteps(SVC, other)).toBeUndefined();
    expect(bundledSteps(parseDialect('Other,X-Other-,Key'), question)).toBeUndefined();
  });

  test('let the predictor skip exactly the mistakes in other steps', () => {
    const [question] = questions;
    if (!question) throw new Error('there is no vector');
    const steps = bundledSteps(SVC, question) ?? new Set();
    const withSteps = createPredictor(SVC, BUNDLED);
    const unrelated = mistakesAt('blockSize');
    expect(withSteps.computeChanges(question, [], unrelated)).toEqual([]);
    expect(withSteps.evaluations).toBe(0);
    const own = [...steps].flatMap((step) => mistakesAt(step)).slice(0, 50);
    expect(withSteps.computeChanges(question, [], own)).toEqual(
      predictor.computeChanges(question, [], own),
    );
    expect(withSteps.evaluations).toBeGreaterThan(0);
  });
});

describe('the mistakes that, according to the package, change the answer to a plain vector', () => {
  const plain = bundledSuite()
    .vectors.map(toQuestion)
    .flatMap((question) => {
      const packed = BUNDLED.findEffects(SVC, question);
      return packed ? [{ question, ...unpackEffects(packed) }] : [];
    });

  test('are those that change its answer', () => {
    const predictor = createPredictor(SVC, BUNDLED);
    for (const { question, changes } of plain.filter((_, at) => at % 7 === 0).slice(0, 4 * RUNS)) {
      const all = predictor.listRelevantMistakes(question);
      const effects = predictor.computeAllEffects(question, []);
      const changing = new Set(effects.flatMap(({ mistakes }) => mistakes));
      const known = all.filter(changes).map(({ id }) => id);
      const computed = all.filter((one) => changing.has(one)).map(({ id }) => id);
      expect(known, JSON.stringify(question)).toEqual(computed);
      expect(known.length).toBeGreaterThan(0);
      expect(known.length).toBeLessThan(all.length);
    }
  });

  test('are listed for each answer that they lead to, with few others', () => {
    const predictor = createPredictor(SVC, BUNDLED);
    for (const { question, listLeadingTo } of plain
      .filter((_, at) => at % 7 === 0)
      .slice(0, 4 * RUNS)) {
      if (!listLeadingTo) continue;
      const effects = predictor.computeAllEffects(question, []);
      let others = 0;
      for (const { answer, mistakes } of effects) {
        const listed = new Set(answer === undefined ? mistakes : listLeadingTo(answer));
        expect(mistakes.filter((one) => !listed.has(one))).toEqual([]);
        others += listed.size - mistakes.length;
      }
      // On average over the answers: a hash of one byte lets through one of 256.
      const count = effects.flatMap(({ mistakes }) => mistakes).length;
      expect(others / effects.length, JSON.stringify(question)).toBeLessThan(1 + count / 64);
    }
    expect(plain.filter(({ listLeadingTo }) => listLeadingTo).length).toBeGreaterThan(60);
  });

  test('are looked up instead of computed, with the same causes', () => {
    const [mistake] = MISTAKES.filter(({ id }) => id === 'action-key-first');
    if (!mistake) throw new Error('the mistake is missing');
    const correct = createPredictor(SVC, BUNDLED);
    const observed = bundledSuite()
      .vectors.filter(({ operation, expect }) => operation === 'bucket-request' && expect)
      .map((vector) => {
        const question = toQuestion(vector);
        const [right = '', actual = ''] = [[], [mistake]].map((made) =>
          correct.predict(question, made),
        );
        return { id: vector.id, question, right, actual };
      });
    const diagnoseWith = (findEffects: (typeof BUNDLED)['findEffects']) => {
      const predictor = createPredictor(SVC, { ...BUNDLED, findEffects });
      const { causes } = diagnose(observed, predictor);
      return [causes.map(({ mistake: { id } }) => id), predictor.evaluations] as const;
    };
    const [found, few] = diagnoseWith(BUNDLED.findEffects);
    const [computed, many] = diagnoseWith((dialect, question) => {
      const packed = BUNDLED.findEffects(dialect, question);
      return packed && { ...packed, isVerdict: true };
    });
    expect([found, computed]).toEqual([[mistake.id], [mistake.id]]);
    expect(few).toBeLessThan(many / 2);
  });

  test('are known for three to five vectors of each operation', () => {
    for (const name of Object.keys(OPERATIONS)) {
      const own = plain.filter(({ question }) => question.operation === name);
      expect(own.length, name).toBeGreaterThan(2);
      expect(own.length, name).toBeLessThan(6);
    }
  });

  test('are unknown in another dialect', () => {
    const other = parseDialect('Other,X-Other-,Key');
    expect(plain.filter(({ question }) => BUNDLED.findEffects(other, question))).toEqual([]);
  });
});
