/**
 * `CanonicalizedSvcHeaders` (§5.2).
 *
 * @module
 */
import type { Context } from './steps.ts';
import type { HeaderList } from './types.ts';

/** Extra headers are those whose names start with the dialect's prefix, in any case. */
export function isExtraHeader(name: string, prefix: string): boolean {
  return name.toLowerCase().startsWith(prefix.toLowerCase());
}

/** §5.2 step 3: one entry for one name, the values joined by a bare comma. */
export function joinValues(values: readonly string[]): string {
  return values.join(',');
}

/** §5.2 step 6: the entry of one name, with its line feed. */
export function headerEntry(name: string, value: string): string {
  return `${name}:${value}\n`;
}

/** The signed form of the extra headers; empty when there are none. */
export function canonicalHeaders(headers: HeaderList, { steps, dialect }: Context): string {
  const valuesByName = new Map<string, string[]>();
  for (const [rawName, rawValue] of headers) {
    const trimmedName = steps.trimName(rawName); // step 5, before the colon
    if (!steps.isExtraHeader(trimmedName, dialect.headerPrefix)) continue;
    const name = steps.lowerCaseName(trimmedName); // step 1
    const value = steps.trimValue(steps.unfold(rawValue)); // step 4; step 5, after the colon
    const values = valuesByName.get(name);
    if (values) values.push(value);
    else valuesByName.set(name, [value]);
  }
  return steps.joinHeaderEntries(
    [...valuesByName]
      .sort(([a], [b]) => steps.compareHeaderNames(a, b)) // step 2
      .map(([name, values]) => steps.headerEntry(name, steps.joinValues(values))), // steps 3, 6
  );
}
