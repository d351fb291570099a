/**
 * Minimum set cover: the fewest columns that cover every row, unless the search takes too many steps.
 *
 * @module
 */

/** The columns that cover the row. */
type Row = ReadonlySet<string>;

/** The limit of the search. It counts steps, not seconds, so that the same rows give the same cover on every machine. */
const STEPS = 20_000;

/** Finds a cover, sorted by name. Rows without columns are ignored. */
export function findSmallestCover(rows: readonly (readonly string[])[]): readonly string[] {
  const met = rows.filter((row) => row.length > 0).map((row) => new Set([...row].sort()));
  const search = new Search(STEPS);
  const { forced, rows: core } = reduce(met);
  const columns = splitIndependent(core).flatMap((part) => search.cover(part));
  return [...forced, ...columns].sort();
}

interface Reduction {
  /** Columns that are part of some smallest cover. */
  readonly forced: readonly string[];
  /** The rows that these columns do not cover. */
  readonly rows: readonly Row[];
}

/** Reduces the problem until only real choices are left. */
function reduce(given: readonly Row[]): Reduction {
  const forced: string[] = [];
  let rows = given;
  for (;;) {
    const before = rows;
    const only = new Set(rows.filter(({ size }) => size === 1).flatMap((row) => [...row]));
    forced.push(...only);
    rows = rows.filter((row) => ![...row].some((column) => only.has(column)));
    rows = dropImpliedRows(rows);
    rows = dropWorseColumns(rows);
    if (countEntries(rows) === countEntries(before)) return { forced, rows };
  }
}

function countEntries(rows: readonly Row[]): number {
  return rows.reduce((sum, { size }) => sum + size, 0);
}

/** A column that covers a row also covers every row that contains all columns of that row. */
function dropImpliedRows(rows: readonly Row[]): readonly Row[] {
  const kept: Row[] = [];
  for (const row of [...rows].sort((a, b) => a.size - b.size)) {
    if (!kept.some((smaller) => isWithin(smaller, row))) kept.push(row);
  }
  return kept;
}

/** A column is worse than another that covers the same rows and more, or the same rows with an earlier name. */
function dropWorseColumns(rows: readonly Row[]): readonly Row[] {
  const meets = groupByColumn(rows);
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

function groupByColumn(rows: readonly Row[]): ReadonlyMap<string, ReadonlySet<Row>> {
  const meets = new Map<string, Set<Row>>();
  for (const row of rows) {
    for (const column of row) meets.set(column, (meets.get(column) ?? new Set()).add(row));
  }
  return meets;
}

function isWithin<T>(part: ReadonlySet<T>, whole: ReadonlySet<T>): boolean {
  return part.size <= whole.size && [...part].every((one) => whole.has(one));
}

/** Splits the rows into groups that share no column, so that each group can be searched alone. */
function splitIndependent(rows: readonly Row[]): readonly (readonly Row[])[] {
  const meets = groupByColumn(rows);
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

/** Branch and bound, with one limit for all groups. */
class Search {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  cover(rows: readonly Row[]): readonly string[] {
    return this.#coverBelow(rows, coverGreedily(rows).length) ?? coverGreedily(rows);
  }

  /** The smallest cover with fewer columns than `limit`; `undefined` if every cover has more. */
  #coverBelow(given: readonly Row[], limit: number): readonly string[] | undefined {
    const { forced, rows } = reduce(given);
    if (rows.length === 0) return forced.length < limit ? forced : undefined;
    if (this.#left-- <= 0 || forced.length + countDisjoint(rows) >= limit) return undefined;
    const meets = groupByColumn(rows);
    const gain = (column: string): number => meets.get(column)?.size ?? 0;
    const shortest = rows.reduce((best, row) => (row.size < best.size ? row : best));
    let best: readonly string[] | undefined;
    const tried = new Set<string>();
    for (const column of [...shortest].sort((a, b) => gain(b) - gain(a) || (a < b ? -1 : 1))) {
      // Covers with the columns that were tried before are known.
      const open = rows
        .filter((row) => !row.has(column))
        .map((row) => new Set([...row].filter((one) => !tried.has(one))));
      tried.add(column);
      if (open.some(({ size }) => size === 0)) continue;
      const rest = this.#coverBelow(open, (best?.length ?? limit) - forced.length - 1);
      if (rest) best = [...forced, column, ...rest];
    }
    return best;
  }
}

/** A lower bound: rows that share no column need one column each. */
function countDisjoint(rows: readonly Row[]): number {
  const used = new Set<string>();
  let count = 0;
  for (const row of [...rows].sort((a, b) => a.size - b.size)) {
    if ([...row].some((column) => used.has(column))) continue;
    for (const column of row) used.add(column);
    count++;
  }
  return count;
}

/** Takes the column that covers the most rows, until all are covered. */
function coverGreedily(rows: readonly Row[]): readonly string[] {
  const chosen: string[] = [];
  for (let left = rows; left.length > 0; ) {
    const [best] = [...groupByColumn(left)].reduce((a, b) => (b[1].size > a[1].size ? b : a));
    chosen.push(best);
    left = left.filter((row) => !row.has(best));
  }
  return chosen;
}
