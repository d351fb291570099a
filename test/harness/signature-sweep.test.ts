/**
 * Verifiers that refuse correct requests: the signature that they accept instead names their mistake.
 */
import { expect, test } from 'vitest';
import { runVectors } from '../../harness/engine/judge/run.ts';
import type { Question, Reply } from '../../harness/engine/protocol.ts';
import type { Respondent } from '../../harness/engine/respondent.ts';
import { acceptsMistaken } from '../../harness/make/further/signature-sweep.ts';
import { BUNDLED, bundledSuite } from '../../harness/suite/bundle.ts';
import { answerWith, findCauses, SVC } from './find-causes.ts';

test.each([
  ['verify-json', 'action-digest/sha256-twice'],
  ['verify-presigned-url', 'hmac-key-bytes/aws4'],
])('a mistake of %s that spoils every signature is named: %s', async (operation, id) => {
  expect(await findCauses([operation], (question) => answerWith(question, id))).toEqual([
    [id, 'exact'],
  ]);
});

/** Whether a verifier that answers so is taken for one that never worked. */
async function neverWorked(operation: string, answer: (question: Question) => Reply) {
  const vectors = bundledSuite().vectors.filter((vector) => vector.operation === operation);
  const respondent: Respondent = {
    stopReason: undefined,
    hello: async () => ({
      implementation: { name: 'verifier', version: '1', language: 'javascript' },
      operations: [operation],
    }),
    ask: async (questions) => questions.map(answer),
    abort: () => {},
    close: async () => {},
  };
  const run = await runVectors(respondent, {
    vectors,
    knownGood: vectors.filter(({ id }) => bundledSuite().knownGood.includes(id)),
    acceptsMistaken: (refused) => acceptsMistaken(respondent, refused, SVC, BUNDLED),
  });
  return run.neverWorked;
}

const refusal: Reply = { kind: 'refused', reason: 'signature-mismatch', message: '' };

test('a verifier works if it accepts a request with the signature of a known mistake', async () => {
  const answer = (question: Question): Reply => answerWith(question, 'action-digest/sha256-twice');
  expect(await neverWorked('verify-json', answer)).toBeUndefined();
});

test('a verifier that refuses every signature never worked', async () => {
  expect(await neverWorked('verify-json', () => refusal)).toMatch(/^it refuses everything/);
});

test('a verifier that accepts signatures at random has no certain cause', async () => {
  const causes = await findCauses(['verify-json'], ({ input, keys }) =>
    /"Signature":"[0-7]/.test(input.body ?? '')
      ? { kind: 'result', result: { publicKey: keys.publicKey }, trace: {} }
      : refusal,
  );
  expect(causes.filter(([, confidence]) => confidence === 'exact')).toEqual([]);
});
