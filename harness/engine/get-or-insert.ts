/**
 * Computes what a map lacks, as `Map.prototype.getOrInsertComputed`, which Node 20 lacks.
 *
 * @module
 */

interface MapOf<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** Returns the value of a key. If the map has none, computes and stores it. */
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
