/**
 * Finds answers that depend on more than the question: on earlier questions, on the time or on chance.
 *
 * @module
 */
import type { Diagnosis, FoundCause } from '../../engine/diagnosis/diagnose.ts';
import { formatReply, type Observation, REFUSED } from '../../engine/diagnosis/observation.ts';
import {
  CHANGING_ANSWERS,
  EARLIER_REQUESTS,
  otherCause,
} from '../../engine/explain/other-causes.ts';
import type { Respondent } from '../../engine/respondent.ts';

/** How many unexplained failures of each operation are asked anew, and of how many operations: each needs a process. */
const OF_OPERATION = 3;
const OPERATIONS = 3;

/** How many causes of acceptances are checked. */
const ACCEPTING = 3;

/** What the answers of an operation show, if all of them show the same. */
type Finding = typeof EARLIER_REQUESTS | typeof CHANGING_ANSWERS | undefined;

/** Adds a cause for failures whose answers differ if they are asked anew: unexplained ones, and acceptances. */
export async function addChangingAnswers(
  found: Diagnosis,
  answers: readonly Observation[],
  respondent: Pick<Respondent, 'askAnew' | 'stopReason'>,
): Promise<Diagnosis> {
  if (!respondent.askAnew || respondent.stopReason !== undefined) return found;
  const left = await withoutRemembered(found, answers, respondent);
  const shown = new Map<string, readonly string[]>();
  for (const own of groupOpen(left, answers).slice(0, OPERATIONS)) {
    const finding = await askEach(spread(own, OF_OPERATION), respondent);
    if (finding === undefined) continue;
    shown.set(finding, [...(shown.get(finding) ?? []), ...own.flatMap(({ id }) => id ?? [])]);
  }
  const causes = [...shown].map(([id, explains]): FoundCause => {
    return { mistake: otherCause(id), confidence: 'exact', others: [], explains };
  });
  const explained = new Set(causes.flatMap(({ explains }) => explains));
  return {
    ...left,
    causes: [...left.causes, ...causes],
    unexplained: left.unexplained.filter((id) => !explained.has(id)),
  };
}

/** The unexplained wrong answers of each operation. */
function groupOpen(
  { unexplained }: Diagnosis,
  answers: readonly Observation[],
): readonly (readonly Observation[])[] {
  const open = new Set(unexplained);
  const byOperation = new Map<string, Observation[]>();
  for (const one of answers) {
    const { id, isControl, right, actual, question } = one;
    if (id === undefined || !open.has(id) || isControl || right === actual) continue;
    byOperation.set(question.operation, [...(byOperation.get(question.operation) ?? []), one]);
  }
  return [...byOperation.values()];
}

/** Leaves out the causes of acceptances that a new process refuses: a verifier that remembers signatures fits many causes. */
async function withoutRemembered(
  found: Diagnosis,
  answers: readonly Observation[],
  respondent: Pick<Respondent, 'askAnew'>,
): Promise<Diagnosis> {
  const accepted = new Map<string, Observation>();
  for (const one of answers) {
    if (one.id === undefined || one.isControl) continue;
    if (one.right === REFUSED && one.actual !== REFUSED) accepted.set(one.id, one);
  }
  const suspected = found.causes.filter(({ explains }) => explains.every((id) => accepted.has(id)));
  const remembered: FoundCause[] = [];
  for (const cause of suspected.slice(0, ACCEPTING)) {
    const first = cause.explains.flatMap((id) => accepted.get(id) ?? []).slice(0, 1);
    if (first.length > 0 && (await askEach(first, respondent)) === EARLIER_REQUESTS)
      remembered.push(cause);
  }
  return {
    ...found,
    causes: found.causes.filter((cause) => !remembered.includes(cause)),
    unexplained: [...found.unexplained, ...remembered.flatMap(({ explains }) => explains)],
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
