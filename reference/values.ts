/**
 * Checks of values from outside, whose type is unknown.
 *
 * @module
 */

/** The members of a JSON object, by name. */
export type Members = Readonly<Record<string, unknown>>;

/** As `JSON.parse`, whose result TypeScript would not check. */
export function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/** As `parseJson`; undefined if the text is not JSON. */
export function parseJsonIfValid(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Whether a value has members: an object, a list, but not null. */
export function hasMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The sentence of an error, or the text of any other value that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export type AnyFunction = (...given: readonly unknown[]) => unknown;

export function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function';
}

/** The code of an error of the system, such as ENOENT; `undefined` if the error has none. */
export function systemCode(error: unknown): string | undefined {
  return hasMembers(error) && isText(error['code']) ? error['code'] : undefined;
}
