/**
 * Callback policies: a server may take none, as the specification has none, and is then asked nothing that needs one.
 *
 * @module
 */
import type { Dialect, Question } from '../adapter/messages.ts';
import { answerTo, isRefused } from '../rederive/answer.ts';
import { controlOf, questionOf } from '../run.ts';
import type { Vector } from '../suite/vector.ts';
import type { Prober } from './prober.ts';
import type { Probe } from './probing.ts';
import { hasPolicy } from './wire-request.ts';

const WHY = 'the server takes no callback policy, which the specification does not have';

/** The probe without what needs a policy, where the server refuses every well-formed one. */
export async function withoutRefusedPolicies(
  prober: Prober,
  probe: Probe,
  dialect: Dialect,
): Promise<Probe> {
  const isRight = (question: Question): boolean => needsPolicy(question, dialect);
  const right = probe.asked
    .filter(({ expect }) => expect)
    .map(questionOf)
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
  return vector.control ? [questionOf(vector), controlOf(vector)] : [questionOf(vector)];
}

/** Whether a request is correct, and carries a policy. */
function needsPolicy(question: Question, dialect: Dialect): boolean {
  const { operation, input } = question;
  return (
    operation === 'verify-authorization' &&
    hasPolicy(input['headers']) &&
    !isRefused(answerTo(question, dialect))
  );
}
