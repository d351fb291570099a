/**
 * The smoke set: for each operation, few of its vectors that catch what all of its vectors catch, or nearly so.
 *
 * @module
 */
import type { Vector } from '../suite/vector.ts';
import { catchers, type Proof } from './proof.ts';
import { type Cover, smallestCover } from './smallest-cover.ts';

/** Of the generated mistakes that all vectors of an operation catch, so many may be missed: a vector more for each is no smoke test. */
const MISSED = 0.008;

/** Mistakes that the same vectors catch. */
interface Row {
  readonly columns: readonly string[];
  readonly count: number;
}

/**
 * Chooses it; always the same for the same vectors and mistakes.
 *
 * Each operation on its own: an adapter that offers one operation is not asked about the vectors of another.
 */
export function smokeSet(found: Proof, vectors: readonly Vector[]): Cover {
  const advised = new Set(vectors.filter(({ level }) => level === 'advised').map(({ id }) => id));
  const named = [...found.effects.keys()].map((id) => catchers(found, id));
  const generated = [...(found.generated?.values() ?? [])];
  const operations = [...new Set(vectors.map(({ operation }) => operation))];
  const covers = operations.map((name) => {
    const own = new Set(vectors.filter(({ operation }) => operation === name).map(({ id }) => id));
    return operationCover(
      own,
      rowsWithin(own, named, advised),
      rowsWithin(own, generated, advised),
    );
  });
  return {
    columns: covers.flatMap(({ columns }) => columns).sort(),
    isProved: covers.every(({ isProved }) => isProved),
  };
}

/** The rows of an operation, each once. */
function rowsWithin(
  own: ReadonlySet<string>,
  mistakes: readonly (readonly string[])[],
  advised: ReadonlySet<string>,
): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const ids of mistakes) {
    const caught = ids.filter((id) => own.has(id));
    // What is advised fails no run by itself, so it catches only what nothing else does.
    const judged = caught.filter((id) => !advised.has(id));
    const columns = judged.length > 0 ? judged : caught;
    if (columns.length === 0) continue;
    const name = columns.join();
    rows.set(name, { columns, count: (rows.get(name)?.count ?? 0) + 1 });
  }
  return [...rows.values()];
}

function operationCover(
  own: ReadonlySet<string>,
  named: readonly Row[],
  generated: readonly Row[],
): Cover {
  // An operation whose vectors catch no mistake is asked about too: without a question there is no verdict.
  const must = [...named.map(({ columns }) => columns), [...own]];
  const all = smallestCover([...must, ...generated.map(({ columns }) => columns)]);
  let left = new Set(all.columns);
  let spare = MISSED * generated.reduce((sum, { count }) => sum + count, 0);
  const isMet = (columns: readonly string[], without: string): boolean =>
    columns.some((column) => column !== without && left.has(column));
  const loss = (column: string): number =>
    must.every((columns) => isMet(columns, column))
      ? generated
          .filter(({ columns }) => columns.includes(column) && !isMet(columns, column))
          .reduce((sum, { count }) => sum + count, 0)
      : Number.POSITIVE_INFINITY;
  for (;;) {
    const [cheapest] = [...left]
      .map((column) => [loss(column), column] as const)
      .sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1));
    if (!cheapest || cheapest[0] > spare) break;
    spare -= cheapest[0];
    left = new Set([...left].filter((column) => column !== cheapest[1]));
  }
  return { columns: [...left], isProved: all.isProved };
}
