/**
 * Vectors in a dialect.
 *
 * @module
 */
import { parseDialect } from '../engine/dialects.ts';
import type { Vector } from '../engine/vector.ts';

/** The vectors in a dialect. The files have the default dialect; for another one, the expected answers are computed. */
export async function inWords(
  dialect: string,
  vectors: readonly Vector[],
): Promise<readonly Vector[]> {
  if (dialect === 'svc') return vectors;
  const { translateVectors } = await import('../make/rederive/rewording.ts');
  return translateVectors(parseDialect(dialect), vectors);
}
