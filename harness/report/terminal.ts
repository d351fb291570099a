/**
 * What the output can show: its width, whether it takes colour.
 *
 * @module
 */
import { styleText } from 'node:util';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Terminal {
  /** In columns. A pipe has no width of its own. */
  readonly width: number;
  readonly paint: (style: Style, text: string) => string;
}

const PIPE_WIDTH = 120;
const NARROWEST = 40;

/** Colour is for terminals, unless `NO_COLOR` is set; `FORCE_COLOR` brings it to a pipe. */
export function terminal(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): Terminal {
  const { NO_COLOR = '', FORCE_COLOR = '' } = environment;
  const wanted =
    NO_COLOR === '' && (FORCE_COLOR !== '' ? FORCE_COLOR !== '0' : stream.isTTY === true);
  const width = stream.isTTY === true ? stream.columns : PIPE_WIDTH;
  return {
    width: Math.max(NARROWEST, width || PIPE_WIDTH),
    paint: (style, text) => (wanted ? styleText(style, text) : text),
  };
}

/** What a file can show. */
export function plainTerminal(): Terminal {
  return { width: PIPE_WIDTH, paint: (_, text) => text };
}

/** A paragraph broken at blanks to the width, every line indented. */
export function wrapped(text: string, width: number, indent: string): string {
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
