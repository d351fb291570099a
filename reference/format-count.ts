/**
 * A number with its noun, in the singular or the plural.
 *
 * @module
 */
export function formatCount(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}
