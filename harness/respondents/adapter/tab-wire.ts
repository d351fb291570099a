/**
 * The wire form for languages without JSON: a message is lines of key, tab and value, and a blank line ends it.
 *
 * @module
 */

import { quoteStart } from '../../engine/excerpt.ts';
import { helloMessage, LONGEST_LINE, type Received, type Wire } from './messages.ts';
import { parseTabLines, writeTabLines } from './tab-lines.ts';

/** The most that the harness reads of one message; in characters. */
const LONGEST_MESSAGE = LONGEST_LINE;

export const tabsWire: Wire = {
  writeHello: (dialect) => `${writeTabLines(helloMessage(dialect))}\n`,
  writeBody: ({ operation, keys, input }) => writeTabLines({ operation, keys, input }),
  writeQuestion: (n, body) => `${writeTabLines({ n })}${body}\n`,
  createReader,
  isMessage: (text) => text.includes('\t'),
};

function createReader(): (line: string) => Received | undefined {
  let lines: string[] = [];
  let length = 0;
  return (line) => {
    if (line !== '' && !line.includes('\t'))
      return toStray(line, `the line ${quoteStart(line)} is not a key, a tab and a value`);
    if (line !== '') {
      length += line.length + 1;
      lines.push(line);
      if (length <= LONGEST_MESSAGE) return undefined;
      return { overflow: `a message of more than ${LONGEST_MESSAGE / 1024 / 1024} MiB` };
    }
    if (lines.length === 0) return toStray(line, 'a blank line without a message before it');
    const message = lines;
    lines = [];
    length = 0;
    return { text: message.join('\n'), ...parseTabLines(message) };
  };
}

function toStray(text: string, problem: string): Received {
  return { text, fault: `${problem}; write logs to standard error` };
}
