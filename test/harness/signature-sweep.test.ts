/**
 * Verifiers that refuse correct requests: the signature that they accept instead names their mistake.
 */
import { expect, test } from 'vitest';
import { type Observation, REFUSED } from '../../harness/engine/diagnosis/observation.ts';
import { createPredictor } from '../../harness/engine/diagnosis/reference-reply.ts';
import { toQuestion } from '../../harness/engine/judge/outcome.ts';
import { runVectors } from '../../harness/engine/judge/run.ts';
import type { Question, Reply } from '../../harness/engine/protocol.ts';
import type { Respondent } from '../../harness/engine/respondent.ts';
import type { Vector } from '../../harness/engine/vector.ts';
import {
  acceptsMistaken,
  createSweeping,
  sweepUncertain,
} from '../../harness/make/further/signature-sweep.ts';
import { BUNDLED, bundledSuite } from '../../harness/suite/bundle.ts';
import { thorough } from '../amount.ts';
import { answerWith, findCauses, SVC } from './find-causes.ts';

test.each([
  ['verify-json', 'action-digest/sha256-twice'],
  ['verify-presigned-url', 'hmac-key-bytes/aws4'],
])('a mistake of %s that makes all signatures wrong is named: %s', async (operation, id) => {
  expect(await findCauses([operation], (question) => answerWith(question, id))).toEqual([
    [id, 'exact'],
  ]);
});

test('two mistakes of a verifier that make every signature wrong are named as the causes', async () => {
  const ids = ['action-key-first', 'action-text-with-equals-signs'];
  const causes = await findCauses(['verify-json'], (question) => answerWith(question, ...ids));
  expect(causes.toSorted()).toEqual(ids.map((id) => [id, 'exact']));
});

const verifier = (operation: string, answer: (question: Question) => Reply): Respondent => ({
  stopReason: undefined,
  hello: async () => ({
    implementation: { name: 'verifier', version: '1', language: 'javascript' },
    operations: [operation],
  }),
  ask: async (questions) => questions.map(answer),
  abort: () => {},
  close: async () => {},
});

const vectorsOf = (operation: string): readonly Vector[] =>
  bundledSuite().vectors.filter((vector) => vector.operation === operation);

/** Why a verifier is reported as "never worked"; undefined if it works. */
async function neverWorked(operation: string, answer: (question: Question) => Reply) {
  const vectors = vectorsOf(operation);
  const respondent = verifier(operation, answer);
  const run = await runVectors(respondent, {
    vectors,
    knownGood: vectors.filter(({ id }) => bundledSuite().knownGood.includes(id)),
    acceptsMistaken: (refused) => acceptsMistaken(respondent, refused, SVC, BUNDLED),
  });
  return run.neverWorked;
}

const correctRequests = (): readonly Question[] =>
  vectorsOf('verify-json').flatMap((vector) => (vector.expect ? [toQuestion(vector)] : []));

const refusal: Reply = { kind: 'refused', reason: 'signature-mismatch', message: '' };

const answerAtRandom = ({ input, keys }: Question): Reply =>
  /"Signature":"[0-7]/.test(input.body ?? '')
    ? { kind: 'result', result: { publicKey: keys.publicKey }, trace: {} }
    : refusal;

test('a verifier works if it accepts a request with the signature of a known mistake', async () => {
  const answer = (question: Question): Reply => answerWith(question, 'action-digest/sha256-twice');
  expect(await neverWorked('verify-json', answer)).toBeUndefined();
});

test('a verifier works if it accepts a request with the signature of two known mistakes', async () => {
  const answer = (question: Question): Reply =>
    answerWith(question, 'hmac-arguments-swapped', 'resource-without-bucket');
  expect(await neverWorked('verify-authorization', answer)).toBeUndefined();
});

test('a verifier that refuses every signature is reported as "never worked"', async () => {
  expect(await neverWorked('verify-json', () => refusal)).toMatch(/^it refuses everything/);
});

test('a verifier that accepts many signatures of a request does not count as one with a mistake', async () => {
  const respondent = verifier('verify-json', answerAtRandom);
  expect(await acceptsMistaken(respondent, correctRequests(), SVC, BUNDLED)).toBe(false);
});

test('an accepted signature is evidence only if its mistake contradicts no other answer', async () => {
  const predictor = createPredictor(SVC, BUNDLED);
  const observe = (areAllRefused: boolean): readonly Observation[] =>
    correctRequests().map((question, i) => {
      const right = predictor.predict(question, []) ?? '';
      return { id: `${i}`, question, right, actual: areAllRefused || i === 0 ? REFUSED : right };
    });
  // The other requests are accepted although this mistake would change their signatures.
  const respondent = verifier('verify-json', (question) =>
    answerWith(question, 'action-digest/sha256-twice'),
  );
  const nothing = { causes: [], unexplained: ['0'] };
  const sweep = (seen: readonly Observation[]): Promise<readonly Observation[]> =>
    sweepUncertain(nothing, ['0'], seen, createSweeping(respondent, SVC, predictor));
  expect(await sweep(observe(true))).toHaveLength(1);
  expect(await sweep(observe(false))).toEqual([]);
});

test('a slow verifier is asked only a limited number of questions', async () => {
  let asked = 0;
  const fast = verifier('verify-json', () => refusal);
  const respondent: Respondent = {
    ...fast,
    ask(questions, asking) {
      asked += questions.length;
      for (const i of questions.keys()) asking?.onReply?.(i, refusal, 100);
      return fast.ask(questions, asking);
    },
  };
  expect(await acceptsMistaken(respondent, correctRequests(), SVC, BUNDLED)).toBe(false);
  expect(asked).toBe(32);
});

thorough('a verifier that accepts signatures at random has no certain cause', async () => {
  const causes = await findCauses(['verify-json'], answerAtRandom);
  expect(causes.filter(([, confidence]) => confidence === 'exact')).toEqual([]);
});
