/**
 * Demonstrates a mistake: a vector with the correct and the wrong text.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import { isVerifier, resultStages } from '../../../reference/operations.ts';
import { SVC } from '../../../reference/signing/index.ts';
import { replyWithMistakes } from '../diagnosis/reference-reply.ts';
import { type Difference, findFirstDifference, sharedPrefixLength } from '../judge/comparison.ts';
import { toControlQuestion, toQuestion } from '../judge/outcome.ts';
import type { Question, Reply } from '../protocol.ts';
import { estimateDifficulty } from '../select.ts';
import { sortByRank } from '../sort-by-rank.ts';
import { contentSize } from '../suite-data.ts';
import type { Vector } from '../vector.ts';

/** The stage of a difference between a refusal and an answer, or another refusal. */
export const ANSWER = 'answer';

export interface Demonstration {
  readonly vector: Vector;
  /** The question of the vector or of its control. */
  readonly question: Question;
  /** The first difference: in the string to sign if that differs, or else in a result. The stage is `ANSWER` if one side is a refusal. */
  readonly difference: Difference;
}

/**
 * Demonstrates a mistake with the vector that shows it best: with texts to compare if there is one, like the report of a run; undefined
 * if no vector shows it.
 */
export function demonstrateMistake(
  mistake: Mistake,
  vectors: readonly Vector[],
): Demonstration | undefined {
  let verdict: Demonstration | undefined;
  for (const effect of listEffects(mistake, vectors)) {
    const difference = findChange(effect);
    if (!difference) continue;
    const { vector, question } = effect;
    if (difference.stage !== ANSWER) return { vector, question, difference };
    verdict ??= { vector, question, difference };
  }
  return verdict;
}

/** A question, with the correct reply and the one with a mistake. */
interface Effect {
  readonly vector: Vector;
  /** The question of the vector or of its control. */
  readonly question: Question;
  readonly correct: Reply;
  readonly wrong: Reply;
}

/** The replies to the vectors, the plainest first, then those to their controls. */
function* listEffects(mistake: Mistake, vectors: readonly Vector[]): Generator<Effect> {
  const sorted = sortVectors(mistake, vectors);
  const own = sorted.map((vector) => ({ vector, question: toQuestion(vector) }));
  const controls = sorted
    .filter(({ control }) => control)
    .map((vector) => ({ vector, question: toControlQuestion(vector) }));
  for (const { vector, question } of [...own, ...controls]) {
    const correct = replyWithMistakes(question, [], SVC);
    yield { vector, question, correct, wrong: replyWithMistakes(question, [mistake], SVC) };
  }
}

const ASCII = /^[ -~]*$/;

/** The smallest contents, then questions with an answer, then vectors about the mistake's rule, then plain ASCII, then the shortest inputs. */
function sortVectors(mistake: Mistake, vectors: readonly Vector[]): readonly Vector[] {
  const rank = (vector: Vector): readonly number[] => [
    contentSize(vector.input),
    // A verifier answers every question with a verdict.
    vector.expect || isVerifier(vector.operation) ? 0 : 1,
    vector.rules[0] === mistake.rule ? 0 : 1,
    ASCII.test(JSON.stringify(vector.input)) ? 0 : 1,
    estimateDifficulty(vector),
  ];
  return sortByRank(vectors, rank);
}

function findChange({ question, correct, wrong }: Effect): Difference | undefined {
  const { operation } = question;
  if (correct.kind === 'result' && wrong.kind === 'result') {
    // A difference in the string to sign is easier to read than one in its parts.
    const names = ['stringToSign', ...resultStages(operation)];
    const shown = names.map((name) => [name, wrong.result[name]] as const);
    return findFirstDifference(operation, correct.result, Object.fromEntries(shown));
  }
  const [expected, actual] = [describe(operation, correct), describe(operation, wrong)];
  if (expected === actual) return undefined;
  return { stage: ANSWER, expected, actual, at: sharedPrefixLength(expected, actual) };
}

function describe(operation: string, reply: Reply): string {
  if (reply.kind === 'refused') return `refused as ${reply.reason}`;
  if (reply.kind !== 'result') return `no answer: ${'message' in reply ? reply.message : ''}`;
  const texts = resultStages(operation).map((stage) => JSON.stringify(reply.result[stage]));
  return `${isVerifier(operation) ? 'accepted for' : 'answered'} ${texts.join(', ')}`;
}
