/**
 * Groups failures without a known cause by what they share, so that a report says it once.
 *
 * @module
 */
import { LONGEST_EXCERPT, shorten } from '../excerpt.ts';
import type { Insights } from '../insight/insight.ts';
import { describeShape } from '../insight/shape.ts';
import type { Outcome } from '../judge/outcome.ts';

export interface FailureGroup {
  /** What the failures share, as a clause; empty if nothing is known but their status. */
  readonly shared: string;
  /** In the order of the report; at least one. */
  readonly outcomes: readonly Outcome[];
}

/** Groups the unexplained wrong answers of each operation by their shape, by the responsible step, or by the first stage that differs. */
export function groupUnexplained(
  ids: readonly string[],
  outcomes: readonly Outcome[],
  insights: Insights,
): readonly FailureGroup[] {
  const byId = new Map(outcomes.map((outcome) => [outcome.vector.id, outcome]));
  return groupBy(
    ids.flatMap((id) => byId.get(id) ?? []),
    (outcome) => describeAnswer(outcome, insights),
    ({ vector }) => vector.operation,
  );
}

function describeAnswer(outcome: Outcome, insights: Insights): string {
  const { shape, trace } = insights.inspect(outcome);
  const [span] = trace?.spans ?? [];
  if (shape) return describeShape(shape);
  if (span) return `${span.part} differs (step ${span.step}, ${span.rule})`;
  const { difference, message, status } = outcome.verdict;
  return difference ? `${difference.stage} differs` : shorten(message, LONGEST_EXCERPT) || status;
}

/** Groups failures that have no cause because there was no answer, or that differ from the expected failure. */
export function groupOthers(
  failures: readonly Outcome[],
  diagnosed: ReadonlySet<string>,
): readonly FailureGroup[] {
  return groupBy(
    failures.filter(
      ({ vector, unexpectedFailure }) =>
        unexpectedFailure !== undefined || !diagnosed.has(vector.id),
    ),
    describeFailure,
    ({ verdict }) => verdict.status,
  );
}

function describeFailure({ verdict, unexpectedFailure }: Outcome): string {
  if (unexpectedFailure !== undefined) return `expected a different failure: ${unexpectedFailure}`;
  const { message, difference } = verdict;
  return message || (difference ? `${difference.stage} differs` : '');
}

/** Groups by kind and description: the largest group first; groups of one size in the order of their first failures. */
function groupBy(
  outcomes: readonly Outcome[],
  describe: (outcome: Outcome) => string,
  kind: (outcome: Outcome) => string,
): readonly FailureGroup[] {
  const groups = new Map<string, { readonly shared: string; readonly outcomes: Outcome[] }>();
  for (const outcome of outcomes) {
    const shared = describe(outcome);
    const key = `${kind(outcome)} ${shared}`;
    const group = groups.get(key) ?? { shared, outcomes: [] };
    group.outcomes.push(outcome);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.outcomes.length - a.outcomes.length);
}
