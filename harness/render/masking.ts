/**
 * Hides private keys in reports that are published: the string to sign of an action ends with one.
 *
 * @module
 */
import type { Outcome } from '../engine/judge/outcome.ts';

/** Shorter keys are in any text by chance. */
const SHORTEST = 6;

/** The outcome with asterisks for each character of its private keys, in all texts that a report shows. */
export function maskKeys(outcome: Outcome): Outcome {
  const { keys, control } = outcome.vector;
  const secrets = [keys.privateKey, control?.keys?.privateKey ?? ''].filter(
    ({ length }) => length >= SHORTEST,
  );
  const mask = (text: string): string => secrets.reduce(maskKey, text);
  const { verdict } = outcome;
  const { message, difference } = verdict;
  if (!difference) return { ...outcome, verdict: { ...verdict, message: mask(message) } };
  const { expected, actual, toSign } = difference;
  const masked = {
    ...difference,
    expected: mask(expected),
    actual: mask(actual),
    ...(toSign !== undefined && { toSign: mask(toSign) }),
  };
  return { ...outcome, verdict: { ...verdict, message: mask(message), difference: masked } };
}

/** As it is, and as messages quote it. */
function maskKey(text: string, key: string): string {
  const quoted = JSON.stringify(key).slice(1, -1);
  return text.replaceAll(key, '*'.repeat(key.length)).replaceAll(quoted, '*'.repeat(quoted.length));
}
