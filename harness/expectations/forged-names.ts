/**
 * Forged requests as expectations name them: `verify-query/action-key-first`.
 *
 * @module
 */
import type { Forgery } from '../forgeries/forgery.ts';

export function forgedName(operation: string, mistake: string): string {
  return `${operation}/${mistake}`;
}

/** Every name of a forged request: one for each mistake with which a verifier accepts it. */
export function forgedNames({
  operation,
  mistakes,
  acceptedWith = [],
}: Forgery): readonly string[] {
  return [...mistakes, ...acceptedWith].map((mistake) => forgedName(operation, mistake));
}
