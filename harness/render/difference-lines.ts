/**
 * A difference as a few lines: the stage, both texts, a caret, and what should have been signed.
 *
 * @module
 */

import { excerptDifference, quote } from '../engine/excerpt.ts';
import type { Difference } from '../engine/judge/comparison.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** More of a string to sign is not shown, in characters. */
const LONGEST = 1000;

export function differenceLines(
  difference: Difference,
  { width, paint }: Terminal,
  indent: string,
  note = '',
): readonly string[] {
  const label = (text: string): string => `${indent}${text.padEnd(9)} `;
  const shown = excerptDifference(difference, width - label('').length);
  return [
    wrapped(`${difference.stage} differs at character ${difference.at + 1}${note}`, width, indent),
    label('expected') + shown.expected,
    label('actual') + shown.actual,
    label('') + paint('yellow', shown.caret),
    ...(difference.toSign === undefined
      ? []
      : [label('to sign') + start(quote(difference.toSign))]),
  ];
}

/** Not cut to the width of the terminal: it is there to be compared with the author's own. */
function start(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
