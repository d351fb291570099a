/**
 * What a mistake changes: a vector with the correct and the wrong text.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import { resultStages } from '../../../reference/operations.ts';
import { SVC } from '../../../reference/signing/index.ts';
import { replyWithMistakes } from '../diagnosis/reference-reply.ts';
import { type Difference, findFirstDifference, sharedPrefixLength } from '../judge/comparison.ts';
import { toControlQuestion, toQuestion } from '../judge/outcome.ts';
import type { Question, Reply } from '../protocol.ts';
import { contentSize } from '../suite-data.ts';
import type { Stages, Vector } from '../vector.ts';

export interface Demonstration {
  readonly vector: Vector;
  /** The question of the vector or of its control. */
  readonly question: Question;
  /** In the string to sign where that differs, otherwise in a result; the stage is `answer` if one of both is a refusal. */
  readonly difference: Difference;
}

/** The smallest of these vectors that shows a mistake, with what it changes; undefined if none shows it. */
export function demonstrateMistake(
  mistake: Mistake,
  vectors: readonly Vector[],
): Demonstration | undefined {
  for (const vector of sortSmallestFirst(mistake, vectors)) {
    const questions = [toQuestion(vector), ...(vector.control ? [toControlQuestion(vector)] : [])];
    for (const question of questions) {
      const difference = findChange(question, mistake);
      if (difference) return { vector, question, difference };
    }
  }
  return undefined;
}

/** The smallest contents, then answers before refusals, then vectors of the mistake's rule, then the shortest inputs. */
function sortSmallestFirst(mistake: Mistake, vectors: readonly Vector[]): readonly Vector[] {
  const rank = (vector: Vector): readonly number[] => [
    contentSize(vector.input),
    vector.expect ? 0 : 1,
    vector.rules.includes(mistake.rule) ? 0 : 1,
    JSON.stringify(vector.input).length,
  ];
  const ranked = vectors.map((vector) => ({ vector, rank: rank(vector) }));
  ranked.sort((a, b) => {
    const at = a.rank.findIndex((number, i) => number !== b.rank[i]);
    return at < 0 ? 0 : (a.rank[at] ?? 0) - (b.rank[at] ?? 0);
  });
  return ranked.map(({ vector }) => vector);
}

function findChange(question: Question, mistake: Mistake): Difference | undefined {
  const { operation } = question;
  const correct = replyWithMistakes(question, [], SVC);
  const wrong = replyWithMistakes(question, [mistake], SVC);
  if (correct.kind === 'result' && wrong.kind === 'result') {
    return findFirstDifference(operation, correct.result, signedTexts(operation, wrong.result));
  }
  const [expected, actual] = [describe(operation, correct), describe(operation, wrong)];
  if (expected === actual) return undefined;
  return { stage: 'answer', expected, actual, at: sharedPrefixLength(expected, actual) };
}

/** The string to sign is easier to read than the pieces that it is made of. */
function signedTexts(operation: string, stages: Stages): Stages {
  const names = ['stringToSign', ...resultStages(operation)];
  return Object.fromEntries(names.map((name) => [name, stages[name]]));
}

function describe(operation: string, reply: Reply): string {
  if (reply.kind === 'refused') return `refused as ${reply.reason}`;
  if (reply.kind !== 'result') return `no answer: ${'message' in reply ? reply.message : ''}`;
  const texts = resultStages(operation).map((stage) => JSON.stringify(reply.result[stage]));
  return `answered ${texts.join(', ')}`;
}
