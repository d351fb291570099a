/**
 * What a mistake changes: a vector that catches it, with the correct and the wrong text of the first stage that differs.
 *
 * @module
 */
import { computeReply } from '../../harness/engine/diagnosis/reference-reply.ts';
import { toControlQuestion, toQuestion } from '../../harness/engine/judge/outcome.ts';
import type { Question, Reply } from '../../harness/engine/protocol.ts';
import { contentSize } from '../../harness/engine/suite-data.ts';
import type { Stages, Vector } from '../../harness/engine/vector.ts';
import { type Mistake, mistaken } from '../../reference/mistakes/index.ts';
import { OPERATIONS, resultStages } from '../../reference/operations.ts';
import { SPECIFICATION } from '../../reference/signing/index.ts';
import { readingLength, stageText } from './text.ts';

export interface Demonstration {
  readonly vector: Vector;
  /** The first stage that differs, or `answer` if one of both is a refusal. */
  readonly stage: string;
  readonly right: string;
  readonly wrong: string;
}

/** The plainest of these vectors that shows the mistake. */
export function demonstrate(
  mistake: Mistake,
  vectors: readonly Vector[],
): Demonstration | undefined {
  for (const vector of sortPlainFirst(mistake, vectors)) {
    const shown = demonstrateBy(mistake, vector);
    if (shown) return shown;
  }
  return undefined;
}

const LARGEST = 64 * 1024;

/** Small contents, then answers before refusals, then vectors of the mistake's rule, then short inputs. */
function sortPlainFirst(mistake: Mistake, vectors: readonly Vector[]): readonly Vector[] {
  const rank = (vector: Vector): readonly number[] => [
    contentSize(vector.input) > LARGEST ? contentSize(vector.input) : 0,
    vector.expect ? 0 : 1,
    vector.rules.includes(mistake.rule) ? 0 : 1,
    readingLength(vector.input),
  ];
  const ranked = vectors.map((vector) => [vector, rank(vector)] as const);
  ranked.sort(([, a], [, b]) => {
    const at = a.findIndex((number, i) => number !== b[i]);
    return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
  });
  return ranked.map(([vector]) => vector);
}

/** What a mistake changes in the answer to a vector, or to its control; undefined if nothing. */
export function demonstrateBy(mistake: Mistake, vector: Vector): Demonstration | undefined {
  const questions = [toQuestion(vector), ...(vector.control ? [toControlQuestion(vector)] : [])];
  for (const question of questions) {
    const right = computeReply(SPECIFICATION, question);
    const wrong = computeReply(mistaken(SPECIFICATION, [mistake]), question);
    const difference = findDifference(question, right, wrong);
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

/** An answer, or the fact that it is refused. */
export function describeReply(operation: string, reply: Reply): string {
  if (reply.kind === 'refused') return `refused: ${reply.reason}`;
  if (reply.kind !== 'result') return 'no answer';
  const result: Stages = reply.result;
  const stages = resultStages(operation);
  const texts = stages.map((stage) => stageText(result[stage]));
  return operation.startsWith('verify-') ? `accepted: ${texts.join(' ')}` : texts.join('\n');
}
