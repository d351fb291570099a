/**
 * Each message as a line of JSON.
 *
 * @module
 */
import { excerpt, helloMessage } from '../messages.ts';
import type { Heard, Wire } from './wire.ts';

export const jsonWire: Wire = {
  hello: (dialect) => `${JSON.stringify(helloMessage(dialect))}\n`,
  body: ({ operation, keys, input }) => JSON.stringify({ operation, keys, input }).slice(1, -1),
  numbered: (n, body) => `{"n":${n},${body}}\n`,
  reader: () => heard,
  isMessage: (text) => text.trimStart().startsWith('{'),
};

function heard(line: string): Heard {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  try {
    return { text, message: JSON.parse(text) };
  } catch {
    return { text, fault: `the line ${excerpt(text)} is not JSON; write logs to standard error` };
  }
}
