/**
 * Known mistakes that fit a few answers by chance.
 *
 * @module
 */
import type { Outcome } from '../run.ts';
import type { Cause, Diagnosis } from './diagnose.ts';
import { insightInto } from './insight.ts';

/**
 * The diagnosis without the causes whose step goes wrong in a way that nobody knows.
 *
 * A step is swapped in one way only. Where the traces of most failures that show this step wrong stay unexplained, the
 * few that a known mistake explains are a coincidence: now and then, any wrong order is the order of some known mistake.
 */
export function withoutCoincidences(found: Diagnosis, outcomes: readonly Outcome[]): Diagnosis {
  if (found.unexplained.length === 0 || found.causes.length === 0) return found;
  const unexplained = new Set(found.unexplained);
  const wrongSteps = outcomes
    .filter(({ vector }) => unexplained.has(vector.id))
    .map((outcome) => (insightInto(outcome)?.trace?.spans ?? []).map(({ step }) => step));
  const isCoincidence = ({ mistake, explains }: Cause): boolean => {
    const same = wrongSteps.filter((steps) => steps.some((step) => step in mistake.swap));
    return same.length > explains.length;
  };
  const causes = found.causes.filter((cause) => !isCoincidence(cause));
  const lost = found.causes.filter(isCoincidence).flatMap(({ explains }) => explains);
  const explained = new Set(causes.flatMap(({ explains }) => explains));
  return {
    causes,
    unexplained: [...found.unexplained, ...lost.filter((id) => !explained.has(id))],
  };
}
