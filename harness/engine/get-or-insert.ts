/**
 * Computes what a map lacks, as `Map.prototype.getOrInsertComputed`, which Node 20 lacks.
 *
 * @module
 */

interface MapOf<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** The value of a key, which is computed and kept if there is none. */
export function getOrInsert<Key, Value extends {}>(
  map: MapOf<Key, Value>,
  key: Key,
  compute: () => NoInfer<Value>,
): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = compute();
  map.set(key, value);
  return value;
}
