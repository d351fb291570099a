/**
 * Checks of what holds for all drawn values.
 *
 * @module
 */
import fc from 'fast-check';

type Drawn<Values> = { readonly [Index in keyof Values]: fc.Arbitrary<Values[Index]> };

type Holds<Values extends unknown[]> = (...values: Values) => void;

/** Checks drawn values 100 times, or as often as the number before the function says. Fails if the function throws or returns `false`. */
export function always<Values extends unknown[]>(
  drawn: Drawn<Values>,
  ...[first, second]: [holds: Holds<Values>] | [runs: number, holds: Holds<Values>]
): void {
  const [numRuns, holds] = typeof first === 'number' ? [first, second] : [100, first];
  const property = fc.property(fc.tuple<Values>(...drawn), (values) => holds?.(...values));
  fc.assert(property, { numRuns });
}
