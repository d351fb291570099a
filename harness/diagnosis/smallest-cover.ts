/**
 * The smallest choice of columns that meets every row: minimum set cover, exact where the search ends in time.
 *
 * @module
 */

/** The columns any one of which meets the row. */
type Row = ReadonlySet<string>;

export interface Cover {
  /** In the order of their names. */
  readonly columns: readonly string[];
  /** No smaller choice exists: the search saw or excluded each. */
  readonly isProved: boolean;
}

/** Steps of the search, not seconds: so that the same rows give the same choice on every machine. */
const STEPS = 20_000;

/** Chooses columns; a row without any is not met by any choice and left out. */
export function smallestCover(rows: readonly (readonly string[])[]): Cover {
  const met = rows.filter((row) => row.length > 0).map((row) => new Set([...row].sort()));
  const search = new Search(STEPS);
  const { forced, rows: core } = reduction(met);
  const columns = parts(core).flatMap((part) => search.cover(part));
  return { columns: [...forced, ...columns].sort(), isProved: !search.isSpent };
}

interface Reduction {
  /** Columns that a smallest choice may be assumed to hold. */
  readonly forced: readonly string[];
  /** What they leave to be met. */
  readonly rows: readonly Row[];
}

/** Takes whatever needs no choice until nothing is left that does not. */
function reduction(given: readonly Row[]): Reduction {
  const forced: string[] = [];
  let rows = given;
  for (;;) {
    const before = rows;
    const only = new Set(rows.filter(({ size }) => size === 1).flatMap((row) => [...row]));
    forced.push(...only);
    rows = rows.filter((row) => ![...row].some((column) => only.has(column)));
    rows = withoutImplied(rows);
    rows = withoutWorse(rows);
    if (weight(rows) === weight(before)) return { forced, rows };
  }
}

function weight(rows: readonly Row[]): number {
  return rows.reduce((sum, { size }) => sum + size, 0);
}

/** Whoever meets a row meets every row that holds all of its columns. */
function withoutImplied(rows: readonly Row[]): readonly Row[] {
  const kept: Row[] = [];
  for (const row of [...rows].sort((a, b) => a.size - b.size)) {
    if (!kept.some((smaller) => isWithin(smaller, row))) kept.push(row);
  }
  return kept;
}

/** A column is worse than one that meets the same rows, and more or an earlier name. */
function withoutWorse(rows: readonly Row[]): readonly Row[] {
  const meets = byColumn(rows);
  const worse = new Set<string>();
  for (const [column, own] of meets) {
    const [first] = own;
    for (const other of first ?? []) {
      const others = meets.get(other) ?? own;
      if (other === column || worse.has(other) || !isWithin(own, others)) continue;
      if (own.size < others.size || other < column) worse.add(column);
    }
  }
  return rows.map((row) => new Set([...row].filter((column) => !worse.has(column))));
}

function byColumn(rows: readonly Row[]): ReadonlyMap<string, ReadonlySet<Row>> {
  const meets = new Map<string, Set<Row>>();
  for (const row of rows) {
    for (const column of row) meets.set(column, (meets.get(column) ?? new Set()).add(row));
  }
  return meets;
}

function isWithin<T>(part: ReadonlySet<T>, whole: ReadonlySet<T>): boolean {
  return part.size <= whole.size && [...part].every((one) => whole.has(one));
}

/** Groups of rows that share no column with those of another: each is a search of its own. */
function parts(rows: readonly Row[]): readonly (readonly Row[])[] {
  const meets = byColumn(rows);
  const seen = new Set<Row>();
  return rows.flatMap((start) => {
    if (seen.has(start)) return [];
    const part = new Set([start]);
    for (const row of part) {
      for (const column of row) for (const other of meets.get(column) ?? []) part.add(other);
    }
    for (const row of part) seen.add(row);
    return [[...part]];
  });
}

/** Branch and bound within a number of steps over all parts. */
class Search {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  cover(rows: readonly Row[]): readonly string[] {
    return this.#below(rows, greedy(rows).length) ?? greedy(rows);
  }

  /** A cover of fewer columns than `limit`, the smallest; nothing where there is none. */
  #below(given: readonly Row[], limit: number): readonly string[] | undefined {
    const { forced, rows } = reduction(given);
    if (rows.length === 0) return forced.length < limit ? forced : undefined;
    if (this.#left-- <= 0 || forced.length + disjoint(rows) >= limit) return undefined;
    const meets = byColumn(rows);
    const gain = (column: string): number => meets.get(column)?.size ?? 0;
    const shortest = rows.reduce((best, row) => (row.size < best.size ? row : best));
    let best: readonly string[] | undefined;
    const tried = new Set<string>();
    for (const column of [...shortest].sort((a, b) => gain(b) - gain(a) || (a < b ? -1 : 1))) {
      // Covers with a column that was tried already are known.
      const open = rows
        .filter((row) => !row.has(column))
        .map((row) => new Set([...row].filter((one) => !tried.has(one))));
      tried.add(column);
      if (open.some(({ size }) => size === 0)) continue;
      const rest = this.#below(open, (best?.length ?? limit) - forced.length - 1);
      if (rest) best = [...forced, column, ...rest];
    }
    return best;
  }
}

/** How many rows share no column, at least: each needs a column of its own. */
function disjoint(rows: readonly Row[]): number {
  const used = new Set<string>();
  let count = 0;
  for (const row of [...rows].sort((a, b) => a.size - b.size)) {
    if ([...row].some((column) => used.has(column))) continue;
    for (const column of row) used.add(column);
    count++;
  }
  return count;
}

/** Takes the column that meets the most rows, until all are met. */
function greedy(rows: readonly Row[]): readonly string[] {
  const chosen: string[] = [];
  for (let left = rows; left.length > 0; ) {
    const [best] = [...byColumn(left)].reduce((a, b) => (b[1].size > a[1].size ? b : a));
    chosen.push(best);
    left = left.filter((row) => !row.has(best));
  }
  return chosen;
}
