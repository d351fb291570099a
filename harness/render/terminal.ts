/**
 * What the output can show: its width, whether it takes colour.
 *
 * @module
 */
import { styleText } from 'node:util';
import { harmless } from './harmless.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Terminal {
  /** In columns. A pipe has no width of its own. */
  readonly width: number;
  readonly paint: (style: Style, text: string) => string;
}

const PIPE_WIDTH = 120;
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
  const width = stream.isTTY === true ? stream.columns : PIPE_WIDTH;
  return {
    width: Math.max(NARROWEST, width || PIPE_WIDTH),
    paint: (style, text) => (wanted ? styleText(style, text, { validateStream: false }) : text),
  };
}

/** What a file can show. */
export function plainTerminal(): Terminal {
  return { width: PIPE_WIDTH, paint: (_, text) => text };
}

/** A paragraph broken at blanks to the width, every line indented; what other programs wrote in it is escaped. */
export function wrapped(text: string, width: number, indent: string): string {
  return filled(harmless(text), width, indent);
}

/** The same of text that is ours alone and may be coloured. */
export function filled(text: string, width: number, indent: string): string {
  const room = width - indent.length;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => indent + line).join('\n');
}
