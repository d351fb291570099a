/**
 * Counts and lists in sentences.
 *
 * @module
 */

/** A number with its noun, in the singular or the plural. */
export function formatCount(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** `a, b and c`. */
export function formatList(items: readonly string[]): string {
  return [items.slice(0, -1).join(', '), ...items.slice(-1)]
    .filter((part) => part !== '')
    .join(' and ');
}
