/**
 * Replies in the form in which answers are compared.
 *
 * @module
 */
import type { Question, Reply } from '../adapter/messages.ts';
import { equalForm } from '../judge/equal-form.ts';
import { isCompleted } from '../judge/judge.ts';
import { resultStages } from '../suite/operations.ts';
import type { Stages, Vector } from '../suite/vector.ts';
import { type Observation, REFUSED } from './observation.ts';

/** A reply as far as it travels in a request; nothing where there is no answer. */
export function shownReply(operation: string, reply: Reply): string | undefined {
  if (reply.kind === 'refused') return REFUSED;
  if (reply.kind !== 'result') return undefined;
  const isWhole = resultStages(operation).every((stage) => reply.result[stage] !== undefined);
  return isWhole ? shownStages(operation, reply.result) : undefined;
}

export function shownStages(operation: string, stages: Stages): string {
  return resultStages(operation)
    .map((stage) => equalForm(operation, stage, stages[stage]))
    .join('\n');
}

/** What a vector's replies, and those to its control, were; replies that are no answers show nothing. */
export function observations(
  vector: Vector,
  reply: Reply,
  control?: { readonly question: Question; readonly reply: Reply },
): readonly Observation[] {
  const { id, operation, keys, input, expect, refuse } = vector;
  const own = shownReply(operation, reply);
  const refused = isCompleted(vector, reply) ? own : REFUSED;
  const right = expect ? shownStages(operation, expect) : refuse && refused;
  const controlled = control && shownReply(operation, control.reply);
  return [
    ...(own !== undefined && right !== undefined
      ? [{ id, question: { operation, keys, input }, right, actual: own }]
      : []),
    ...(control && controlled !== undefined
      ? [
          {
            id,
            isControl: true as const,
            question: control.question,
            right: shownStages(operation, vector.control?.expect ?? {}),
            actual: controlled,
          },
        ]
      : []),
  ];
}
