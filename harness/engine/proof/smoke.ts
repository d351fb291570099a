/**
 * The smoke set: for each operation, a few vectors that catch nearly all mistakes that its vectors catch.
 *
 * @module
 */
import type { Vector } from '../vector.ts';
import { findCatchers, type Proof } from './proof.ts';
import { findSmallestCover } from './smallest-cover.ts';

/** The share of generated mistakes that the smoke set of an operation may miss, to stay small; texts say that it catches 99 %. */
const MISSED = 0.008;

/** The ids of the vectors that catch the same mistakes, and the number of these mistakes. */
interface Catchers {
  readonly ids: readonly string[];
  readonly count: number;
}

/**
 * Chooses the smoke set, always the same one for the same vectors and mistakes.
 *
 * Each operation has its own set, because an adapter may offer only one operation.
 */
export function chooseSmokeSet(proof: Proof, vectors: readonly Vector[]): readonly string[] {
  const advised = new Set(vectors.filter(({ level }) => level === 'advised').map(({ id }) => id));
  const named = [...proof.effects.keys()].map((id) => findCatchers(proof, id));
  const generated = [...(proof.generated?.values() ?? [])];
  const operations = [...new Set(vectors.map(({ operation }) => operation))];
  const small = vectors.filter(({ large }) => !large);
  return operations
    .flatMap((name) => {
      const own = new Set(small.filter(({ operation }) => operation === name).map(({ id }) => id));
      return coverOperation(
        own,
        groupCatchers(own, named, advised),
        groupCatchers(own, generated, advised),
      );
    })
    .sort();
}

/** @param mistakes the ids of the vectors that catch each mistake */
function groupCatchers(
  own: ReadonlySet<string>,
  mistakes: readonly (readonly string[])[],
  advised: ReadonlySet<string>,
): readonly Catchers[] {
  const groups = new Map<string, Catchers>();
  for (const all of mistakes) {
    const caught = all.filter((id) => own.has(id));
    // Advised vectors fail no run by default, so they count only for mistakes that no other vector catches.
    const judged = caught.filter((id) => !advised.has(id));
    const ids = judged.length > 0 ? judged : caught;
    if (ids.length === 0) continue;
    const name = ids.join();
    groups.set(name, { ids, count: (groups.get(name)?.count ?? 0) + 1 });
  }
  return [...groups.values()];
}

function coverOperation(
  own: ReadonlySet<string>,
  named: readonly Catchers[],
  generated: readonly Catchers[],
): readonly string[] {
  // Every operation gets at least one vector, also if its vectors catch no mistake.
  const must = [...named.map(({ ids }) => ids), [...own]];
  const allowed = MISSED * countMissed(generated, []);
  let chosen = findSmallestCover([...must, ...generated.map(({ ids }) => ids)]);
  for (;;) {
    const [next] = chosen
      .map((dropped) => chosen.filter((id) => id !== dropped))
      .filter((rest) => must.every((ids) => ids.some((id) => rest.includes(id))))
      .map((rest) => ({ rest, missed: countMissed(generated, rest) }))
      .sort((a, b) => a.missed - b.missed);
    if (!next || next.missed > allowed) return chosen;
    chosen = next.rest;
  }
}

/** The number of mistakes that none of the chosen vectors catches. */
function countMissed(generated: readonly Catchers[], chosen: readonly string[]): number {
  const smoke = new Set(chosen);
  const missed = generated.filter(({ ids }) => !ids.some((id) => smoke.has(id)));
  return missed.reduce((sum, { count }) => sum + count, 0);
}
