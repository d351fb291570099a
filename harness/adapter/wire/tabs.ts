/**
 * Each message as lines of key, tab and value, up to a blank line: for languages without JSON.
 *
 * @module
 */
import { excerpt, helloMessage } from '../messages.ts';
import { LONGEST_LINE } from '../process.ts';
import { messageIn } from './tab-reading.ts';
import { tabLines } from './tab-writing.ts';
import type { Heard, Wire } from './wire.ts';

/** Longer messages are not read on; in characters. */
const LONGEST_MESSAGE = LONGEST_LINE;

export const tabsWire: Wire = {
  hello: (dialect) => `${tabLines(helloMessage(dialect))}\n`,
  body: ({ operation, keys, input }) => tabLines({ operation, keys, input }),
  numbered: (n, body) => `${tabLines({ n })}${body}\n`,
  reader,
  isMessage: (text) => text.includes('\t'),
};

function reader(): (line: string) => Heard | undefined {
  let lines: string[] = [];
  let length = 0;
  return (line) => {
    if (line !== '' && !line.includes('\t'))
      return stray(line, `the line ${excerpt(line)} is no key, tab and value`);
    if (line !== '') {
      length += line.length + 1;
      lines.push(line);
      if (length <= LONGEST_MESSAGE) return undefined;
      return { flood: `a message of more than ${LONGEST_MESSAGE / 1024 / 1024} MiB` };
    }
    if (lines.length === 0) return stray(line, 'a blank line ends no message');
    const whole = lines;
    lines = [];
    length = 0;
    return { text: whole.join('\n'), ...messageIn(whole) };
  };
}

function stray(text: string, what: string): Heard {
  return { text, fault: `${what}; write logs to standard error` };
}
