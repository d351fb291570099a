/**
 * Vectors in the words of a dialect.
 *
 * @module
 */
import { dialectNamed } from '../dialects.ts';
import type { Vector } from '../suite/vector.ts';

/** What is not asked in the default dialect is computed anew, and what computes it is loaded only then. */
export async function inWords(
  dialect: string,
  vectors: readonly Vector[],
): Promise<readonly Vector[]> {
  if (dialect === 'svc') return vectors;
  const { inWordsOf } = await import('../rederive/dialect.ts');
  return inWordsOf(dialectNamed(dialect), vectors);
}
