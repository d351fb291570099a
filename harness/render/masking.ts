/**
 * Hides private keys in published reports, because the string to sign of an action ends with the key.
 *
 * @module
 */
import type { Outcome } from '../engine/judge/outcome.ts';

/** Shorter keys are not masked, because they occur in other texts by chance. */
const SHORTEST = 6;

/** The outcome with its private keys replaced by asterisks, in all texts that a report shows. */
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

/** Masks a key both as it is and as messages quote it. */
function maskKey(text: string, key: string): string {
  const quoted = JSON.stringify(key).slice(1, -1);
  return text.replaceAll(key, '*'.repeat(key.length)).replaceAll(quoted, '*'.repeat(quoted.length));
}
