/**
 * Usage errors that several verbs report in the same way.
 *
 * @module
 */
import { describeSystemError } from '../../reference/system-errors.ts';
import { systemCode } from '../../reference/values.ts';
import { UsageError } from '../engine/errors.ts';
import { hintNearest } from '../engine/select.ts';
import { ReadError } from '../suite/user-files.ts';

/** Calls a function that uses a file of the user. @throws UsageError with the problem, the reason of the system and the advice */
export function withFile<T>(use: () => T, problem: string, advice: string): T {
  try {
    return use();
  } catch (error) {
    if (systemCode(error) === undefined && !(error instanceof ReadError)) throw error;
    throw new UsageError(`${problem}: ${describeSystemError(error)}; ${advice}`);
  }
}

/**
 * The entry of a table with a name.
 *
 * @param otherwise the hint if no name is similar
 * @throws UsageError with the problem and the nearest name
 */
export function entryNamed<T>(
  table: Readonly<Record<string, T>>,
  name: string,
  problem: string,
  otherwise?: string,
): T {
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (entry !== undefined) return entry;
  throw new UsageError(`${problem}; ${hintNearest(name, Object.keys(table), otherwise)}`);
}
