import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasPolicy } from '../../harness/respondents/server/wire-request.ts';
import { bundledForgeries } from '../../harness/suite/bundle.ts';
import { someOf } from '../amount.ts';
import { type JudgingService, judgingService } from './judging-service.ts';
import { type WireQuestion, wireQuestion } from './vector-requests.ts';

let service: JudgingService;
beforeAll(async () => {
  service = await judgingService();
});
afterAll(() => service.stop());

interface Planted {
  /** The mistakes that all give this signature. */
  readonly mistakes: readonly string[];
  readonly question: WireQuestion;
  readonly keys: { readonly publicKey: string; readonly privateKey: string };
}

const JUDGED = ['signature-mismatch', 'authorization-malformed', 'public-key-unknown'];

/** For each known mistake, the first request that shows it and that can be sent over HTTP. */
function planted(): readonly Planted[] {
  const byMistake = new Map<string, Planted>();
  for (const { mistakes, operation, input, keys, reason } of bundledForgeries()) {
    const question = wireQuestion(operation, input);
    if (!question || !JUDGED.includes(reason)) continue;
    for (const id of mistakes) {
      if (!byMistake.has(id)) byMistake.set(id, { mistakes, question, keys });
    }
  }
  return [...new Set(byMistake.values())];
}

/** Mistakes that the server cannot name, because what was signed is lost in the request it gets. */
const LOST_ON_THE_WIRE: readonly string[] = [
  // The parameters are sent differently from how they were signed.
  'escape-latin-1',
  'escape-percent-kept',
  'escape-space-as-plus',
  'escape-twice',
  'escape-whole-uri',
  'json-numbers-as-doubles',
  'json-texts-as-numbers',
  'list-in-list-as-java-text',
  'number-python',
  'presigned-public-key-unencoded',
  'query-bare',
  'query-empty-value-left-out',
  'query-names-bare',
  // The path is sent differently from how it was signed.
  'path-dots-resolved',
  'path-encoded-twice',
  'path-escapes-kept',
  'path-first-slash-dropped',
  'path-slashes-collapsed',
  // HTTP removes the whitespace around a value.
  'blanks-kept',
  'blanks-trimmed-after-merging',
  'blanks-trimmed-spaces-only',
  'positional-blanks-kept',
  // The policy is not JSON, so it is refused before signatures are compared.
  'policy-encoded-twice',
  // The signed policy is not sent.
  'policy-not-sent',
  // The signed value of Signature is replaced.
  'signature-signed-and-replaced',
];

test('the answer to a wrong signature names its mistake, for all known mistakes', async () => {
  const unnamed = new Set<string>();
  const all = planted();
  const asked = someOf(all, 8);
  for (const { mistakes, question, keys } of asked) {
    if (question.bucket !== undefined) await service.createBucket(question.bucket);
    // A strict service refuses a policy before it compares signatures.
    const isStrict = !hasPolicy(question.headers);
    Object.assign(service.settings, { keys, now: question.now ?? 0, isStrict });
    const { exchange } = await service.ask(question);
    const { judgement } = exchange;
    const diagnosis = judgement?.kind === 'wrong' ? judgement.diagnosis : undefined;
    const named = (diagnosis?.causes ?? []).flat().map(({ id }) => id);
    if (!mistakes.some((id) => named.includes(id))) for (const id of mistakes) unnamed.add(id);
  }
  const ids = asked.flatMap(({ mistakes }) => mistakes);
  const isWhole = asked.length === all.length;
  const lost = LOST_ON_THE_WIRE.filter((id) => isWhole || ids.includes(id));
  expect([...unnamed].sort()).toEqual([...lost].sort());
  expect(all.length).toBeGreaterThan(5 * LOST_ON_THE_WIRE.length);
});
