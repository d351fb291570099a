/**
 * Finds answers that depend on more than the question: on earlier questions, on the time or on chance.
 *
 * @module
 */
import type { Diagnosis, FoundCause } from '../../engine/diagnosis/diagnose.ts';
import { formatReply, type Observation } from '../../engine/diagnosis/observation.ts';
import {
  CHANGING_ANSWERS,
  EARLIER_REQUESTS,
  otherCause,
} from '../../engine/explain/other-causes.ts';
import type { Respondent } from '../../engine/respondent.ts';

/** How many unexplained failures of each operation are asked anew, and of how many operations: each needs a process. */
const OF_OPERATION = 3;
const OPERATIONS = 3;

/** What the answers of an operation show, if all of them show the same. */
type Finding = typeof EARLIER_REQUESTS | typeof CHANGING_ANSWERS | undefined;

/** Adds a cause for the unexplained failures of operations whose answers differ if they are asked anew. */
export async function addChangingAnswers(
  found: Diagnosis,
  answers: readonly Observation[],
  respondent: Pick<Respondent, 'askAnew' | 'stopReason'>,
): Promise<Diagnosis> {
  if (!respondent.askAnew || respondent.stopReason !== undefined) return found;
  const open = new Set(found.unexplained);
  const wrong = answers.filter(
    ({ id, isControl, right, actual }) =>
      id !== undefined && open.has(id) && !isControl && right !== actual,
  );
  const byOperation = new Map<string, Observation[]>();
  for (const one of wrong) {
    const own = byOperation.get(one.question.operation) ?? [];
    byOperation.set(one.question.operation, [...own, one]);
  }
  const shown = new Map<string, readonly string[]>();
  for (const own of [...byOperation.values()].slice(0, OPERATIONS)) {
    const finding = await askEach(spread(own, OF_OPERATION), respondent);
    if (finding === undefined) continue;
    shown.set(finding, [...(shown.get(finding) ?? []), ...own.flatMap(({ id }) => id ?? [])]);
  }
  const causes = [...shown].map(([id, explains]): FoundCause => {
    return { mistake: otherCause(id), confidence: 'exact', others: [], explains };
  });
  const explained = new Set(causes.flatMap(({ explains }) => explains));
  return {
    ...found,
    causes: [...found.causes, ...causes],
    unexplained: found.unexplained.filter((id) => !explained.has(id)),
  };
}

async function askEach(
  wrong: readonly Observation[],
  respondent: Pick<Respondent, 'askAnew'>,
): Promise<Finding> {
  const findings = new Set<Finding>();
  for (const { question, right, actual } of wrong) {
    const reply = await respondent.askAnew?.(question);
    const answer = reply && formatReply(question.operation, reply);
    if (answer === undefined || answer === actual) return undefined;
    findings.add(answer === right ? EARLIER_REQUESTS : CHANGING_ANSWERS);
  }
  const [finding, ...others] = findings;
  return others.length === 0 ? finding : undefined;
}

/** Some of a list, from its start to its end. */
function spread<T>(list: readonly T[], count: number): readonly T[] {
  const step = Math.max(1, (list.length - 1) / (count - 1));
  return Array.from(
    { length: Math.min(count, list.length) },
    (_, i) => list[Math.round(i * step)],
  ).filter((one) => one !== undefined);
}
