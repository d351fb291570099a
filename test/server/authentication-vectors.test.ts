import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Input, KeyPair, Vector } from '../../harness/engine/vector.ts';
import { hasPolicy } from '../../harness/respondents/server/wire-request.ts';
import { bundledSuite } from '../../harness/suite/bundle.ts';
import type { Judgement } from '../../reference/server/messages/judgement.ts';
import { SVC } from '../../reference/signing/index.ts';
import { type JudgingService, judgingService } from './judging-service.ts';
import { wireQuestion } from './vector-requests.ts';

const VERIFYING = ['verify-authorization', 'verify-presigned-url', 'verify-query', 'verify-json'];

let service: JudgingService;
beforeAll(async () => {
  // The verdict does not depend on the causes, and the search for them takes most of the time.
  service = await judgingService(SVC, () => () => undefined);
});
afterAll(() => service.stop());

/** The judgement of the service; undefined if the input cannot be sent over HTTP. */
async function judgementOf(operation: string, input: Input, keys: KeyPair) {
  const question = wireQuestion(operation, input);
  if (!question) return undefined;
  if (question.bucket !== undefined) await service.createBucket(question.bucket);
  service.settings.keys = keys;
  service.settings.now = question.now ?? 0;
  // The vectors refuse strings to sign that only SDKs use, as a strict service does. But a strict
  // service refuses every policy, so it is not strict here.
  service.settings.isStrict = !hasPolicy(input['headers'] ?? []);
  const { exchange } = await service.ask(question);
  const { judgement, code } = exchange;
  // Refused before the signature is judged, or because the request has no signature.
  if (code !== 0 && judgement?.kind !== 'wrong')
    return judgement?.kind === 'right' ? judgement : 'refused before';
  return judgement;
}

const vectors = bundledSuite().vectors.filter(({ operation }) => VERIFYING.includes(operation));

test.each(VERIFYING)(
  '§5, E1: the service gives requests the verdicts of the vectors of %s',
  async (name) => {
    const own = vectors.filter(({ operation, accept }) => operation === name && !accept);
    const wrong: string[] = [];
    let asked = 0;
    for (const vector of own) {
      const judgement = await judgementOf(name, vector.input, vector.keys);
      if (judgement === undefined) continue;
      asked += 1;
      const fault = faultOf(vector, judgement);
      if (fault !== undefined) wrong.push(`${vector.id}: ${fault}`);
    }
    expect(wrong).toEqual([]);
    // Only a few vectors have input that HTTP or the parser of Node does not allow.
    expect(asked / own.length).toBeGreaterThan(0.7);
  },
);

test.each(VERIFYING)('§5, E1: the controls of %s are accepted', async (name) => {
  const wrong: string[] = [];
  let asked = 0;
  for (const { id, operation, control, input, keys } of vectors) {
    if (operation !== name || !control) continue;
    asked += 1;
    const made = { ...input, ...control.input };
    const judgement = await judgementOf(name, made, control.keys ?? keys);
    if (judgement !== undefined && (judgement === 'refused before' || judgement.kind !== 'right')) {
      wrong.push(`${id}: ${JSON.stringify(judgement)}`);
    }
  }
  expect(asked).toBeGreaterThan(5);
  expect(wrong).toEqual([]);
});

function faultOf({ expect: due, refuse }: Vector, judgement: Judgement | 'refused before') {
  if (due) {
    const isRight = judgement !== 'refused before' && judgement.kind === 'right';
    return isRight && judgement.publicKey === due['publicKey']
      ? undefined
      : JSON.stringify(judgement);
  }
  if (judgement === 'refused before') return undefined;
  // A string to sign that only SDKs use is refused with a reason of its own.
  const reason =
    judgement.kind === 'wrong' && judgement.reason.replace(/^vendor-text$/, 'signature-mismatch');
  return reason === refuse?.reason ? undefined : JSON.stringify(judgement);
}
