/**
 * Callback policies: a server may refuse them all, because the specification has none. Then requests that need one are left out.
 *
 * @module
 */

import { computeAnswer, isRefused } from '../../engine/answer.ts';
import { toControlQuestion, toQuestion } from '../../engine/judge/outcome.ts';
import type { Dialect, Question } from '../../engine/protocol.ts';
import type { Vector } from '../../engine/vector.ts';
import type { Prober } from '../../respondents/server/prober.ts';
import { hasPolicy } from '../../respondents/server/wire-request.ts';
import type { Probe } from './probe.ts';

const WHY = 'the server refuses callback policies, which the specification does not have';

/** The probe without requests that need a policy, if the server refuses every well-formed one. */
export async function withoutRefusedPolicies(
  prober: Prober,
  probe: Probe,
  dialect: Dialect,
): Promise<Probe> {
  const isRight = (question: Question): boolean => needsPolicy(question, dialect);
  const right = probe.asked
    .filter(({ expect }) => expect)
    .map(toQuestion)
    .filter(isRight);
  const replies = await prober.ask(right);
  if (right.length === 0 || replies.some(({ kind }) => kind !== 'refused')) return probe;
  const lost = probe.asked.filter((vector) => questionsOf(vector).some(isRight));
  return {
    ...probe,
    asked: probe.asked.filter((vector) => !lost.includes(vector)),
    unasked: [...probe.unasked, ...lost.map((vector) => ({ vector, why: WHY }))],
    forgeries: () => {
      const { forgeries, unshown } = probe.forgeries();
      const kept = forgeries.filter(({ control }) => !isRight(control));
      const shown = new Set(kept.flatMap(({ mistakes }) => mistakes));
      const all = new Set(forgeries.flatMap(({ mistakes }) => mistakes));
      const hidden = [...all].filter((name) => !shown.has(name));
      return { forgeries: kept, unshown: [...unshown, ...hidden.map(() => WHY)] };
    },
  };
}

function questionsOf(vector: Vector): readonly Question[] {
  return vector.control ? [toQuestion(vector), toControlQuestion(vector)] : [toQuestion(vector)];
}

/** Whether a request is correct, and carries a policy. */
function needsPolicy(question: Question, dialect: Dialect): boolean {
  const { operation, input } = question;
  return (
    operation === 'verify-authorization' &&
    hasPolicy(input['headers']) &&
    !isRefused(computeAnswer(question, dialect))
  );
}
