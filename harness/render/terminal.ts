/**
 * The properties of the output: its width, and whether it shows colours.
 *
 * @module
 */
import { styleText } from 'node:util';
import { eastAsianWidth } from 'get-east-asian-width';
import { harmless } from './harmless.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Terminal {
  /** In columns; infinite for pipes and files, whose readers wrap lines themselves. */
  readonly width: number;
  readonly paint: (style: Style, text: string) => string;
  /**
   * A paragraph broken at spaces to fit the width. Its further lines hang below the text after a label, or two columns further
   * in. Control characters in it are escaped.
   */
  readonly wrap: (text: string, indent?: string) => string;
}

const NARROWEST = 40;

/** The indent of the lines below a heading. */
export const INDENT = '  ';

/** The properties of an output stream. */
interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Whether to write colours: only to terminals, unless `NO_COLOR` or `FORCE_COLOR` says otherwise. */
export function takesColour(stream: Screen, environment: NodeJS.ProcessEnv): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '' } = environment;
  return NO_COLOR === '' && (FORCE_COLOR !== '' ? FORCE_COLOR !== '0' : stream.isTTY === true);
}

export function terminal(stream: Screen, environment: NodeJS.ProcessEnv): Terminal {
  const width = (stream.isTTY === true && stream.columns) || Number.POSITIVE_INFINITY;
  return createTerminal(Math.max(NARROWEST, width), takesColour(stream, environment));
}

/** The properties of a file: no colour, no width. */
export function plainTerminal(): Terminal {
  return createTerminal(Number.POSITIVE_INFINITY, false);
}

function createTerminal(width: number, isColoured: boolean): Terminal {
  return {
    width,
    paint: (style, text) => (isColoured ? styleText(style, text, { validateStream: false }) : text),
    wrap: (text, indent) => filled(harmless(text), width, indent, hangingIndent(text)),
  };
}

const COLOUR = /\u001b\[[0-9;]*m/g;

/** Combining marks and format characters, which take no column of their own. */
const WITHOUT_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

/** The number of columns that a text takes on a terminal. */
export function columns(text: string): number {
  return [...text.replace(COLOUR, '')].reduce(
    (sum, character) => sum + characterColumns(character),
    0,
  );
}

function characterColumns(character: string): number {
  return WITHOUT_WIDTH.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0);
}

/** An escape of JSON or a character, which an excerpt shows whole or not at all. */
const UNIT = /\\u[0-9a-f]{4}|\\.|./gsu;

/** The longest start of a quoted text that fits into `room` columns. */
export function startWithin(text: string, room: number): string {
  return unitsWithin(text.match(UNIT) ?? [], room).join('');
}

/** The longest end of a quoted text that fits into `room` columns. */
export function endWithin(text: string, room: number): string {
  return unitsWithin((text.match(UNIT) ?? []).toReversed(), room)
    .toReversed()
    .join('');
}

function unitsWithin(units: readonly string[], room: number): readonly string[] {
  let left = room;
  const end = units.findIndex((unit) => {
    left -= columns(unit);
    return left < 0;
  });
  return end < 0 ? units : units.slice(0, end);
}

const COMMAND = /`[^`]*`/g;

const LONGEST_LABEL = 'cause:'.length;

/** A sentence after a label that is recognizable without colours. */
export function labelled(label: string, sentence: string): string {
  return `${`${label}:`.padEnd(LONGEST_LABEL)} ${sentence}`;
}

const LABEL = /^[a-z]+: +/;

function hangingIndent(text: string): string {
  return ' '.repeat(LABEL.exec(text)?.[0].length ?? INDENT.length);
}

/**
 * As `wrap` but without escaping, for our own text, which may have colours. A command between backticks stays on one line.
 *
 * @param hang the further indent of all lines but the first
 */
export function filled(text: string, width: number, indent: string = INDENT, hang = ''): string {
  const room = width - indent.length;
  if (room === Number.POSITIVE_INFINITY) return indent + text;
  const lines: string[] = [];
  let used = 0;
  for (const word of text.replace(COMMAND, (one) => one.replaceAll(' ', '\0')).split(' ')) {
    const own = columns(word);
    if (lines.length > 0 && used + 1 + own <= room) {
      lines[lines.length - 1] += ` ${word}`;
      used += 1 + own;
    } else {
      lines.push(lines.length === 0 ? word : hang + word);
      used = columns(lines.at(-1) ?? '');
    }
  }
  return lines.map((line) => indent + line.replaceAll('\0', ' ')).join('\n');
}

/** A line or several; one that does not apply is undefined, false or empty. */
export type Part = string | false | undefined | readonly string[];

/** The lines that apply, in this order. */
export function toLines(...parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => part || []);
}

/** Blocks of lines with a blank line after each; a block without lines is left out. */
export function toBlocks(blocks: readonly (string | readonly string[])[]): string {
  const shown = blocks.filter(({ length }) => length > 0);
  return shown.map((block) => `${[block].flat().join('\n')}\n\n`).join('');
}

/** The texts of the first items, then a line that counts the others. */
export function showSome<Item>(
  items: readonly Item[],
  most: number,
  show: (item: Item) => string,
  indent = '',
  describeRest: (others: readonly Item[]) => string = ({ length }) => `${length} more`,
): readonly string[] {
  const others = items.slice(most);
  const rest = `${indent}… and ${describeRest(others)}; --all shows them`;
  return toLines(items.slice(0, most).map(show), others.length > 0 && rest);
}
