/**
 * Notes that count reasons.
 *
 * @module
 */

/**
 * A sentence for each reason, the most frequent first.
 *
 * @param what the singular and the plural of what is counted
 */
export function reasonNotes(
  [one, several]: readonly [one: string, several: string],
  reasons: readonly string[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const why of reasons) counts.set(why, (counts.get(why) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([why, count]) => `${count} ${count === 1 ? one : several}, because ${why}`);
}
