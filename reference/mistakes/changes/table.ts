/**
 * Changes written as a table: `'id: clause': change`.
 *
 * @module
 */
import type { Change } from './change.ts';

/** @param fix if the fix of the kind does not fit */
export const table = <F>(rows: Readonly<Record<string, F>>, cost = 1, fix?: string): readonly Change<F>[] =>
  Object.entries(rows).map(([row, apply]) => {
    const colon = row.indexOf(': ');
    return [row.slice(0, colon), row.slice(colon + 2), apply, fix === undefined ? { cost } : { cost, fix }];
  });
