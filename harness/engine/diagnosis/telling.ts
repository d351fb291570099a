/**
 * Chooses the answers that tell mistakes apart.
 *
 * @module
 */
import { groupByKey } from '../group-by-key.ts';
import { isBareVerdict, type Observation } from './observation.ts';

/** The most wrong answers that every candidate is compared with: with a result, and verdicts alone. */
const TELLING = 48;
const BARE = 24;

/** Chooses wrong answers that tell mistakes apart. Bare verdicts fit many mistakes, so they come last. */
export function selectTelling(
  wrong: readonly Observation[],
  share: number,
): readonly Observation[] {
  const solid = wrong.filter((one) => !isBareVerdict(one));
  return [
    ...interleaveByOperation(solid).slice(0, TELLING * share),
    ...interleaveByOperation(wrong.filter(isBareVerdict)).slice(0, BARE * share),
  ];
}

/** The first answer of each operation. */
export function firstOfEachOperation(observed: readonly Observation[]): readonly Observation[] {
  const seen = new Set<string>();
  return observed.filter(
    ({ question: { operation } }) => !seen.has(operation) && seen.add(operation),
  );
}

/** Alternates between the operations, the smallest observations first. */
export const interleaveByOperation = (observed: readonly Observation[]): readonly Observation[] =>
  interleave(observed, ({ question }) => question.operation);

/** Alternates between groups, in the order of their first items. */
export function interleave<T>(items: readonly T[], groupOf: (item: T) => string): readonly T[] {
  const groups = [...groupByKey(items.map((item) => [groupOf(item), item])).values()];
  const longest = Math.max(0, ...groups.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) =>
    groups.flatMap((group) => group.slice(i, i + 1)),
  ).flat();
}
