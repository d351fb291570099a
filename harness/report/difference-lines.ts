/**
 * A difference as four lines: the stage, both texts, and a caret.
 *
 * @module
 */
import type { Difference } from '../judge/difference.ts';
import { excerpts } from './excerpt.ts';
import { type Terminal, wrapped } from './terminal.ts';

export function differenceLines(
  difference: Difference,
  { width, paint }: Terminal,
  indent: string,
  note = '',
): readonly string[] {
  const label = (text: string): string => `${indent}${text.padEnd(9)} `;
  const shown = excerpts(difference, width - label('').length);
  return [
    wrapped(`${difference.stage} differs at character ${difference.at + 1}${note}`, width, indent),
    label('expected') + shown.expected,
    label('actual') + shown.actual,
    label('') + paint('yellow', shown.caret),
  ];
}
