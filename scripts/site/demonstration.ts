/**
 * Demonstrates a mistake: a vector that catches it, with the correct and the wrong text of the first stage that differs.
 *
 * @module
 */
import { listEffects, type Measures } from '../../harness/engine/insight/demonstration.ts';
import type { Question, Reply } from '../../harness/engine/protocol.ts';
import { contentSize } from '../../harness/engine/suite-data.ts';
import type { Stages, Vector } from '../../harness/engine/vector.ts';
import type { Mistake } from '../../reference/mistakes/index.ts';
import { OPERATIONS, resultStages } from '../../reference/operations.ts';
import { readingLength, stageText } from './text.ts';

export interface Demonstration {
  readonly vector: Vector;
  /** The first stage that differs, or `answer` if one side is a refusal. */
  readonly stage: string;
  readonly right: string;
  readonly wrong: string;
}

/** In bytes. Contents up to this size count as equally small, because hashing them takes no noticeable time. */
const LARGEST = 64 * 1024;

const MEASURES: Measures = {
  size: ({ input }) => (contentSize(input) > LARGEST ? contentSize(input) : 0),
  length: ({ input }) => readingLength(input),
};

/** Demonstrates a mistake with the plainest vector that shows it; undefined if no vector shows it. */
export function demonstrate(
  mistake: Mistake,
  vectors: readonly Vector[],
): Demonstration | undefined {
  for (const { vector, question, correct, wrong } of listEffects(mistake, vectors, MEASURES)) {
    const difference = findDifference(question, correct, wrong);
    if (difference) return { vector, ...difference };
  }
  return undefined;
}

function findDifference(
  { operation }: Question,
  right: Reply,
  wrong: Reply,
): Omit<Demonstration, 'vector'> | undefined {
  if (right.kind === 'result' && wrong.kind === 'result') {
    const stage = (OPERATIONS[operation]?.stages ?? []).find(
      (name) => stageText(right.result[name]) !== stageText(wrong.result[name]),
    );
    if (stage === undefined) return undefined;
    return { stage, right: stageText(right.result[stage]), wrong: stageText(wrong.result[stage]) };
  }
  const texts = { right: describeReply(operation, right), wrong: describeReply(operation, wrong) };
  return texts.right === texts.wrong ? undefined : { stage: 'answer', ...texts };
}

/** A reply as text: the answer, or the reason of the refusal. */
function describeReply(operation: string, reply: Reply): string {
  if (reply.kind === 'refused') return `refused: ${reply.reason}`;
  if (reply.kind !== 'result') return 'no answer';
  const result: Stages = reply.result;
  const stages = resultStages(operation);
  const texts = stages.map((stage) => stageText(result[stage]));
  return operation.startsWith('verify-') ? `accepted: ${texts.join(' ')}` : texts.join('\n');
}
