/**
 * The escape of a character that JSON, and messages of this project, use.
 *
 * @module
 */

/** A UTF-16 code unit as `\uXXXX`. For `replace`, with a pattern of single code units. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
