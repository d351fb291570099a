/**
 * Which members of a message are more than a text, by their names: lines of tabs do not show it.
 *
 * @module
 */

/** Lists of `[name, value]`. */
export const PAIRS: ReadonlySet<string> = new Set([
  ...['headers', 'fields', 'members', 'parameters', 'object', 'sortedParameters'],
]);

/** Lists of anything else. */
export const LISTS: ReadonlySet<string> = new Set(['operations', 'traces', 'list']);

export const NUMBERS: ReadonlySet<string> = new Set(['n', 'protocol', 'window', 'blockCount']);
