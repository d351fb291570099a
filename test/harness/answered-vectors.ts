/**
 * Vectors whose answer is stated.
 *
 * @module
 */
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import type { Stages, Vector } from '../../harness/engine/vector.ts';

export type Answered = Vector & { readonly expect: Stages };

/** The vectors with an answer; answers of controls and accepted answers are left out. */
export const ANSWERED: readonly Answered[] = bundledSuite().vectors.flatMap((vector: Vector) =>
  vector.expect ? [{ ...vector, expect: vector.expect }] : [],
);

export function answeredVector(id: string): Answered {
  const found = ANSWERED.find((one) => one.id === id);
  if (!found) throw new Error(`no vector with an answer is named ${id}`);
  return found;
}
