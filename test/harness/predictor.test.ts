import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatReply } from '../../harness/engine/diagnosis/observation.ts';
import { computeReply, createPredictor } from '../../harness/engine/diagnosis/reference-reply.ts';
import { parseDialect } from '../../harness/engine/dialects.ts';
import type { Question } from '../../harness/engine/protocol.ts';
import { BUNDLED, bundledSuite } from '../../harness/suite/bundle.ts';
import { MISTAKES, type Mistake, mistaken, mistakesAt } from '../../reference/mistakes/index.ts';
import { isVerifier } from '../../reference/operations.ts';
import { inDialect } from '../../reference/signing/index.ts';
import { keysOf } from '../../reference/values.ts';
import { RUNS } from '../amount.ts';
import { always } from '../properties.ts';

const DIALECT = parseDialect('svc');

/** In characters of JSON: the reference answers smaller questions in less than a millisecond. */
const SMALL = 4000;

/** Some mistakes know the arrays of digests that they were given, so a second answer differs: questions with contents are left out. */
const questions: readonly Question[] = bundledSuite()
  .vectors.filter(({ input }) => !('content' in input) && JSON.stringify(input).length < SMALL)
  .map(({ operation, input, keys }) => ({ operation, input, keys }));

const STEPS = keysOf(inDialect(DIALECT).steps).filter((step) => mistakesAt(step).length > 0);

interface Case {
  readonly question: Question;
  readonly made: readonly Mistake[];
  readonly further: readonly Mistake[];
}

const cases: fc.Arbitrary<Case> = fc.constantFrom(...questions).chain((question) => {
  const steps = createPredictor(DIALECT, BUNDLED).listSteps(question, []);
  const mistake = fc
    .constantFrom(...steps.filter((step) => mistakesAt(step).length > 0))
    .chain((step) => fc.constantFrom(...mistakesAt(step)));
  // An answer with further mistakes may lead to steps that the question does not use.
  const elsewhere = fc.constantFrom(...STEPS).chain((step) => fc.constantFrom(...mistakesAt(step)));
  // Mistakes of one step often have the same effect, so that one answer stands for many.
  const alike = fc
    .constantFrom(...steps.filter((step) => mistakesAt(step).length > 0))
    .chain((step) =>
      fc.uniqueArray(fc.constantFrom(...mistakesAt(step)), { minLength: 1, maxLength: 40 }),
    );
  return fc.record({
    question: fc.constant(question),
    made: fc.uniqueArray(fc.oneof(mistake, elsewhere), { minLength: 0, maxLength: 4 }),
    further: fc.oneof(fc.uniqueArray(mistake, { minLength: 1, maxLength: 6 }), alike),
  });
});

/** The answer of the reference with mistakes, computed without the predictor. */
function answer(question: Question, mistakes: readonly Mistake[]): string | undefined {
  const reply = computeReply(mistaken(inDialect(DIALECT), mistakes), question);
  return formatReply(question.operation, reply);
}

test('every predicted answer is the answer of the reference with the same mistakes', () => {
  always([cases], 500 * RUNS, (drawn) => {
    const { question, made, further } = drawn;
    const predictor = createPredictor(DIALECT, BUNDLED);
    expect(predictor.predict(question, made)).toBe(answer(question, made));
    const others = further.filter((one) => !made.includes(one));
    // Results for fewer mistakes are kept, and must not be used for all of them.
    for (const at of made.keys()) predictor.computeEffects(question, made.slice(0, at), others);
    for (const effect of predictor.computeEffects(question, made, others)) {
      for (const one of effect.mistakes) {
        expect(effect.answer, one.id).toBe(answer(question, [...made, one]));
      }
    }
  });
});

test('an answer stands for mistakes with the same effect only if they lead to the same further calls', () => {
  const predictor = createPredictor(DIALECT, BUNDLED);
  // A reader that gets over these texts reads on.
  const isMalformed = /%(?![0-9A-Fa-f]{2})|Expires=(?:&|$)/;
  const refused = questions.filter(
    ({ operation, input: { query, url } }) =>
      isVerifier(operation) && isMalformed.test(String(query ?? url)),
  );
  expect(refused.length).toBeGreaterThan(3);
  const readers = [...mistakesAt('decodedText'), ...mistakesAt('decodedQuery')];
  for (const question of refused) {
    for (const effect of predictor.computeEffects(question, [], readers)) {
      for (const one of effect.mistakes) {
        expect(effect.answer, `${JSON.stringify(question.input)} ${one.id}`).toBe(
          answer(question, [one]),
        );
      }
    }
  }
});

test('the answers of mistakes in steps that are called a second time with another argument are exact', () => {
  const twice = MISTAKES.filter(({ id }) => id === 'password-encoded-twice');
  expect(twice).toHaveLength(1);
  const inner = (['passwordBytes', 'passwordText'] as const).flatMap((step) => mistakesAt(step));
  const [text] = mistakesAt('passwordText').filter(({ id }) => id.endsWith('/cut-at-equals'));
  const [unrelated] = mistakesAt('hostSuffix');
  if (!text || !unrelated) throw new Error('a mistake is missing');
  const inputs = ['1e5', 'why???/ok', '50%% of a\\nb'].map((one) => ({ text: one }));
  for (const input of inputs) {
    const question: Question = {
      operation: 'password',
      keys: { publicKey: '', privateKey: '' },
      input,
    };
    for (const [made, further] of [
      [twice, inner],
      [[text, unrelated], twice],
    ] as const) {
      const effects = createPredictor(DIALECT, BUNDLED).computeEffects(question, made, further);
      for (const effect of effects) {
        for (const one of effect.mistakes) {
          expect(effect.answer, one.id).toBe(answer(question, [...made, one]));
        }
      }
    }
  }
});

test('each hash of a large content counts as several evaluations', () => {
  const ask = (size: number): Question => ({
    operation: 'etag',
    keys: { publicKey: '', privateKey: '' },
    input: { content: { recipe: { size } } },
  });
  const count = (size: number): number => {
    const predictor = createPredictor(DIALECT, BUNDLED);
    const changes = mistakesAt('blockSize').slice(0, 3);
    predictor.computeEffects(ask(size), [], changes);
    return predictor.evaluations;
  };
  expect(count(1)).toBeLessThan(10);
  expect(count(4 * 1024 ** 2)).toBeGreaterThan(300);
});
