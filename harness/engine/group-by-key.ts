/**
 * Groups values by keys, as `Map.groupBy`, which Node 20 lacks.
 *
 * @module
 */

/** The values of each key. Keys and values keep their order. */
export function groupByKey<Key, Value>(
  pairs: Iterable<readonly [Key, Value]>,
): ReadonlyMap<Key, readonly Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const [key, value] of pairs) {
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}
