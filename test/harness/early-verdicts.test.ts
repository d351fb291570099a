/**
 * Verdicts that are made while the respondent still answers.
 */
import { expect, test } from 'vitest';
import { runVectors } from '../../harness/engine/judge/run.ts';
import type { Reply } from '../../harness/engine/protocol.ts';
import type { Respondent } from '../../harness/engine/respondent.ts';
import { bundledSuite } from '../../harness/suite/bundle.ts';
import { answerWith } from './find-causes.ts';

const OPERATIONS = ['url-encode', 'password'];

const vectors = bundledSuite().vectors.filter(({ operation }) => OPERATIONS.includes(operation));

/** A respondent with mistakes. It reports each reply as it arrives; the replies that it returns at the end may differ from those. */
const respondent = (last: (reply: Reply) => Reply = (reply) => reply): Respondent => ({
  stopReason: undefined,
  hello: async () => ({
    implementation: { name: 'planted', version: '1', language: 'javascript' },
    operations: OPERATIONS,
  }),
  async ask(questions, { onReply } = {}) {
    const replies = questions.map((question, i) => {
      const reply = answerWith(question, 'url-encode/encoded-twice', 'password-in-lines');
      onReply?.(i, reply);
      return reply;
    });
    return replies.map(last);
  },
  abort: () => {},
  close: async () => {},
});

test('a run reports the first failing vector of each operation before the last reply', async () => {
  const failing: string[] = [];
  let isOver = false;
  const run = await runVectors(
    respondent((reply) => {
      isOver = true;
      return reply;
    }),
    {
      vectors,
      knownGood: [],
      onFailure({ id }) {
        expect(isOver).toBe(false);
        failing.push(id);
      },
    },
  );
  const first = OPERATIONS.map((name) =>
    run.outcomes.find(
      ({ vector, verdict }) => vector.operation === name && verdict.status === 'fail',
    ),
  );
  expect(failing.toSorted()).toEqual(first.map((one) => one?.vector.id).toSorted());
});

test('a reply that changes after it arrived is judged again', async () => {
  const unsupported: Reply = { kind: 'unsupported' };
  const run = await runVectors(
    respondent(() => unsupported),
    { vectors, knownGood: [] },
  );
  expect(new Set(run.outcomes.map(({ verdict }) => verdict.status))).toEqual(
    new Set(['unsupported']),
  );
});
