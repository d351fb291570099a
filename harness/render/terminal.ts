/**
 * What the output can show: its width, whether it takes colour.
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
}

const NARROWEST = 40;

/** What is known of a stream that text goes to. */
interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Colour is for terminals, unless `NO_COLOR` is set; `FORCE_COLOR` brings it to a pipe. */
export function takesColour(stream: Screen, environment: NodeJS.ProcessEnv): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '' } = environment;
  return NO_COLOR === '' && (FORCE_COLOR !== '' ? FORCE_COLOR !== '0' : stream.isTTY === true);
}

export function terminal(stream: Screen, environment: NodeJS.ProcessEnv): Terminal {
  const wanted = takesColour(stream, environment);
  const width = (stream.isTTY === true && stream.columns) || Number.POSITIVE_INFINITY;
  return {
    width: Math.max(NARROWEST, width),
    paint: (style, text) => (wanted ? styleText(style, text, { validateStream: false }) : text),
  };
}

/** What a file can show. */
export function plainTerminal(): Terminal {
  return { width: Number.POSITIVE_INFINITY, paint: (_, text) => text };
}

const COLOUR = /\u001b\[[0-9;]*m/g;

/** Marks and format characters, which a terminal draws onto the character before. */
const WITHOUT_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

/** How many columns a terminal takes for a text. */
export function columns(text: string): number {
  return [...text.replace(COLOUR, '')].reduce(
    (sum, character) => sum + characterColumns(character),
    0,
  );
}

function characterColumns(character: string): number {
  return WITHOUT_WIDTH.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0);
}

/** The longest start of a text that takes at most so many columns. */
export function startWithin(text: string, room: number): string {
  let left = room;
  const end = [...text].findIndex((character) => {
    left -= characterColumns(character);
    return left < 0;
  });
  return end < 0 ? text : [...text].slice(0, end).join('');
}

/** A paragraph broken at spaces to the width, every line indented; what other programs wrote in it is escaped. */
export function wrapped(text: string, width: number, indent: string): string {
  return filled(harmless(text), width, indent);
}

const COMMAND = /`[^`]*`/g;

/** The same of text that is ours alone and may be coloured. A command between backticks stays on one line. */
export function filled(text: string, width: number, indent: string): string {
  const room = width - indent.length;
  const lines: string[] = [];
  let used = 0;
  for (const word of text.replace(COMMAND, (one) => one.replaceAll(' ', '\0')).split(' ')) {
    const own = columns(word);
    if (lines.length > 0 && used + 1 + own <= room) {
      lines[lines.length - 1] += ` ${word}`;
      used += 1 + own;
    } else {
      lines.push(word);
      used = own;
    }
  }
  return lines.map((line) => indent + line.replaceAll('\0', ' ')).join('\n');
}
