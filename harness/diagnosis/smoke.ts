/**
 * The smoke set: for each operation, the fewest of its vectors that catch what all of its vectors catch.
 *
 * @module
 */
import type { Vector } from '../suite/vector.ts';
import { catchers, type Proof } from './proof.ts';
import { type Cover, smallestCover } from './smallest-cover.ts';

/**
 * Chooses it; always the same for the same vectors and mistakes.
 *
 * Each operation on its own: an adapter that offers one operation is not asked about the vectors of another.
 */
export function smokeSet(found: Proof, vectors: readonly Vector[]): Cover {
  const advised = new Set(vectors.filter(({ level }) => level === 'advised').map(({ id }) => id));
  const mistakes = [...found.effects.keys()].map((id) => catchers(found, id));
  const operations = [...new Set(vectors.map(({ operation }) => operation))];
  const covers = operations.map((name) =>
    operationCover(
      vectors.filter(({ operation }) => operation === name),
      mistakes,
      advised,
    ),
  );
  return {
    columns: covers.flatMap(({ columns }) => columns).sort(),
    isProved: covers.every(({ isProved }) => isProved),
  };
}

function operationCover(
  vectors: readonly Vector[],
  mistakes: readonly (readonly string[])[],
  advised: ReadonlySet<string>,
): Cover {
  const own = new Set(vectors.map(({ id }) => id));
  const rows = mistakes.map((ids) => {
    const caught = ids.filter((id) => own.has(id));
    // What is advised fails no run by itself, so it catches only what nothing else does.
    const judged = caught.filter((id) => !advised.has(id));
    return judged.length > 0 ? judged : caught;
  });
  // An operation whose vectors catch no mistake is asked about too: without a question there is no verdict.
  return smallestCover([...rows, [...own]]);
}
