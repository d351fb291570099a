/**
 * Vectors in the words of a dialect.
 *
 * @module
 */
import { parseDialect } from '../engine/dialects.ts';
import type { Vector } from '../engine/vector.ts';

/** Vectors are written in the default dialect. For another one they are computed, with code that is loaded then. */
export async function inWords(
  dialect: string,
  vectors: readonly Vector[],
): Promise<readonly Vector[]> {
  if (dialect === 'svc') return vectors;
  const { translateVectors } = await import('../make/rederive/dialect.ts');
  return translateVectors(parseDialect(dialect), vectors);
}
