/**
 * The same claims on other key pairs, buckets, names and contents: nobody passes by knowing the answers.
 *
 * @module
 */
import { ContentFolder } from '../suite/content.ts';
import type { Vector } from '../suite/vector.ts';
import { caughtMistakes, keepsClaim } from './claim.ts';
import { ATTEMPTS, canBeReworded, hasOtherData, reworded } from './reworded.ts';
import { substitution } from './substitution.ts';

/** The vectors on fresh data; those whose claim would not survive are the same objects as before. */
export async function freshVectors(
  vectors: readonly Vector[],
  seed: number,
): Promise<readonly Vector[]> {
  const contents = new ContentFolder();
  try {
    return vectors.map((vector) => freshVector(vector, seed, contents) ?? vector);
  } finally {
    contents.remove();
  }
}

/** Absent where nothing can be replaced, or no other data say what the vector claims. */
function freshVector(vector: Vector, seed: number, contents: ContentFolder): Vector | undefined {
  if (!canBeReworded(vector)) return undefined;
  const caught = caughtMistakes(vector);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const fresh = reworded(vector, substitution(`${seed} ${vector.id} ${attempt}`), contents);
    if (fresh && !hasOtherData(vector, fresh)) return undefined;
    if (fresh && keepsClaim(vector, caught, fresh)) return fresh;
  }
  return undefined;
}
