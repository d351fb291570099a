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

/** What the service makes of it; nothing where it cannot be said on the wire. */
async function judgementOf(
  operation: string,
  input: Input,
  keys: KeyPair,
): Promise<Judgement | 'refused before' | undefined> {
  const question = wireQuestion(operation, input);
  if (!question) return undefined;
  if (question.bucket !== undefined) await service.createBucket(question.bucket);
  service.settings.keys = keys;
  service.settings.now = question.now ?? 0;
  // What only an SDK signs is no answer to the questions of the specification; a policy is another matter.
  service.settings.isStrict = !hasPolicy(input['headers'] ?? []);
  const { exchange } = await service.ask(question);
  const { judgement, code } = exchange;
  // Refused without a look at the signature, or as a request that has none.
  if (code !== 0 && judgement?.kind !== 'wrong')
    return judgement?.kind === 'right' ? judgement : 'refused before';
  return judgement;
}

const vectors = bundledSuite().vectors.filter(({ operation }) => VERIFYING.includes(operation));

test.each(VERIFYING)(
  '§5, E1: the service judges requests as the vectors of %s do',
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
    // Few of them say what HTTP, or Node's reader of it, does not let through.
    expect(asked / own.length).toBeGreaterThan(0.7);
  },
);

test.each(VERIFYING)('§5, E1: the controls of %s are accepted', async (name) => {
  const wrong: string[] = [];
  for (const { id, operation, control, input, keys } of vectors) {
    if (operation !== name || !control) continue;
    const made = { ...input, ...control.input };
    const judgement = await judgementOf(name, made, control.keys ?? keys);
    if (judgement !== undefined && (judgement === 'refused before' || judgement.kind !== 'right')) {
      wrong.push(`${id}: ${JSON.stringify(judgement)}`);
    }
  }
  expect(wrong).toEqual([]);
});

function faultOf(
  { expect: due, refuse }: Vector,
  judgement: Judgement | 'refused before',
): string | undefined {
  if (due) {
    const isRight = judgement !== 'refused before' && judgement.kind === 'right';
    return isRight && judgement.publicKey === due['publicKey']
      ? undefined
      : JSON.stringify(judgement);
  }
  if (judgement === 'refused before') return undefined;
  // A text that some SDK signs is refused by its name.
  const reason =
    judgement.kind === 'wrong' && judgement.reason.replace(/^vendor-text$/, 'signature-mismatch');
  return reason === refuse?.reason ? undefined : JSON.stringify(judgement);
}
