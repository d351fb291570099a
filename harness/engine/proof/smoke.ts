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

/** The vectors that catch some mistakes, as columns of a cover, and the number of these mistakes. */
interface Row {
  readonly columns: readonly string[];
  readonly count: number;
}

/**
 * Chooses the smoke set, always the same one for the same vectors and mistakes.
 *
 * Each operation has its own set, because an adapter may offer only one operation.
 */
export function chooseSmokeSet(found: Proof, vectors: readonly Vector[]): readonly string[] {
  const advised = new Set(vectors.filter(({ level }) => level === 'advised').map(({ id }) => id));
  const named = [...found.effects.keys()].map((id) => findCatchers(found, id));
  const generated = [...(found.generated?.values() ?? [])];
  const operations = [...new Set(vectors.map(({ operation }) => operation))];
  const small = vectors.filter(({ large }) => !large);
  return operations
    .flatMap((name) => {
      const own = new Set(small.filter(({ operation }) => operation === name).map(({ id }) => id));
      return coverOperation(
        own,
        collectRows(own, named, advised),
        collectRows(own, generated, advised),
      );
    })
    .sort();
}

/** The rows of an operation, each once. */
function collectRows(
  own: ReadonlySet<string>,
  mistakes: readonly (readonly string[])[],
  advised: ReadonlySet<string>,
): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const ids of mistakes) {
    const caught = ids.filter((id) => own.has(id));
    // Advised vectors fail no run by default, so they count only for mistakes that no other vector catches.
    const judged = caught.filter((id) => !advised.has(id));
    const columns = judged.length > 0 ? judged : caught;
    if (columns.length === 0) continue;
    const name = columns.join();
    rows.set(name, { columns, count: (rows.get(name)?.count ?? 0) + 1 });
  }
  return [...rows.values()];
}

function coverOperation(
  own: ReadonlySet<string>,
  named: readonly Row[],
  generated: readonly Row[],
): readonly string[] {
  // Every operation gets at least one vector, also if its vectors catch no mistake.
  const must = [...named.map(({ columns }) => columns), [...own]];
  const allowed = MISSED * countMissed(generated, []);
  let chosen = findSmallestCover([...must, ...generated.map(({ columns }) => columns)]);
  for (;;) {
    const [next] = chosen
      .map((column) => chosen.filter((other) => other !== column))
      .filter((rest) => must.every((columns) => columns.some((column) => rest.includes(column))))
      .map((rest) => ({ rest, missed: countMissed(generated, rest) }))
      .sort((a, b) => a.missed - b.missed);
    if (!next || next.missed > allowed) return chosen;
    chosen = next.rest;
  }
}

/** The number of mistakes that none of these vectors catches. */
function countMissed(rows: readonly Row[], chosen: readonly string[]): number {
  const columns = new Set(chosen);
  return rows
    .filter((row) => !row.columns.some((column) => columns.has(column)))
    .reduce((sum, { count }) => sum + count, 0);
}
