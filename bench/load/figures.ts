/**
 * Computes and prints figures.
 *
 * @module
 */

/** The value below which a part of all values lies: 0.5 is the median. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** In MB/s. */
export const speed = (bytes: number, milliseconds: number): number => bytes / milliseconds / 1000;

export const mebibytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(0);

/** The first column is left-aligned, the others are right-aligned. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows];
  const widths = heading.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, at) =>
          at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
        )
        .join('  '),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
