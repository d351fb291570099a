/**
 * A difference as a few lines: the stage, both texts, a caret, and the correct string to sign.
 *
 * @module
 */
import { quote, shorten } from '../engine/excerpt.ts';
import type { Difference } from '../engine/judge/comparison.ts';
import { columns, endWithin, INDENT, startWithin, type Terminal, toLines } from './terminal.ts';

/** The longest string to sign that is shown whole, in characters. It is not cut to the width of the terminal, so that authors can compare it with their own. */
const LONGEST = 1000;

/** The width of excerpts if the output is not a terminal, in columns. */
const PIPE_WIDTH = 120;

export function differenceLines(
  difference: Difference,
  { width, paint, wrap }: Terminal,
  indent: string = INDENT,
  note = '',
): readonly string[] {
  const label = (text: string): string => `${indent}${text.padEnd(9)} `;
  const shown = excerptDifference(difference, width - label('').length);
  return toLines(
    wrap(
      `${difference.isDecoded ? 'decoded ' : ''}${difference.stage} differs at character ${difference.at + 1}${note}`,
      indent,
    ),
    label('expected') + shown.expected,
    label('actual') + shown.actual,
    label('') + paint('yellow', shown.caret),
    difference.toSign !== undefined &&
      `${indent}expected to sign ${shorten(quote(difference.toSign), LONGEST)}`,
  );
}

interface Excerpts {
  readonly expected: string;
  readonly actual: string;
  /** A caret below the first difference. */
  readonly caret: string;
}

/** Both texts, cut to a width around their first difference, and a caret that points at it. */
export function excerptDifference(
  { expected, actual, at }: Pick<Difference, 'expected' | 'actual' | 'at'>,
  widest: number,
): Excerpts {
  const width = Number.isFinite(widest) ? widest : PIPE_WIDTH;
  const before = quote(expected.slice(0, at)).slice(0, -1);
  const texts = [quote(expected), quote(actual)] as const;
  const longest = Math.max(...texts.map(columns));
  const isCut = longest > width;
  // Two thirds of the width show what follows the difference, because that part shows the cause.
  const room = Math.max(Math.floor(width / 3), columns(before) + width - longest - 1);
  const lead = isCut ? endWithin(before, room) : before;
  const head = lead === before ? '' : '…';
  const cut = (text: string): string => {
    const rest = head + lead + text.slice(before.length);
    return columns(rest) > width ? `${startWithin(rest, width - 1)}…` : rest;
  };
  const caret = `${' '.repeat(columns(head + lead))}^`;
  return { expected: cut(texts[0]), actual: cut(texts[1]), caret };
}
