/**
 * The smoke set: the fewest vectors that catch every known mistake and ask about every operation.
 *
 * @module
 */
import type { Vector } from '../suite/vector.ts';
import { catchers, type Proof } from './proof.ts';
import { type Cover, smallestCover } from './smallest-cover.ts';

/** Chooses it; always the same for the same vectors and mistakes. */
export function smokeSet(found: Proof, vectors: readonly Vector[]): Cover {
  const mistakes = [...found.effects.keys()].map((id) => catchers(found, id));
  const operations = new Map<string, string[]>();
  for (const { id, operation } of vectors) {
    operations.set(operation, [...(operations.get(operation) ?? []), id]);
  }
  // An adapter that offers a single operation must be asked something, or there is no verdict.
  return smallestCover([...mistakes, ...operations.values()]);
}
