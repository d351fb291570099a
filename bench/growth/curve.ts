/**
 * A curve of growth: time and memory at each size.
 *
 * @module
 */

export interface Point {
  readonly size: number;
  readonly milliseconds: number;
  readonly mebibytes: number;
}

export interface Curve {
  /** Of its files, and to choose it on the command line. */
  readonly name: string;
  /** What grows, as the label of the axis. */
  readonly sizes: string;
  /** What took the time, and whose memory it is. */
  readonly time: string;
  readonly memory: string;
  /** Measures each size that is at most `largest`. The folder is empty and gone afterwards. */
  readonly measure: (largest: number, folder: string) => AsyncIterable<Point> | Iterable<Point>;
}

/** What is written beside its picture. */
export interface DrawnCurve extends Omit<Curve, 'measure'> {
  /** Where and under which load. */
  readonly measured: string;
  readonly points: readonly Point[];
}

/** The sizes up to the largest. */
export const sizesUpTo = (largest: number, sizes: readonly number[]): readonly number[] =>
  sizes.filter((size) => size <= largest);
