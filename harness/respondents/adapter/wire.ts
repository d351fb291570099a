/**
 * The wire forms by their names, and the JSON form: one object per line.
 *
 * @module
 */
import { parseJson } from '../../../reference/values.ts';
import { UsageError } from '../../engine/errors.ts';
import { quoteStart } from '../../engine/excerpt.ts';
import { toJsonLine } from '../../engine/protocol.ts';
import { helloMessage, type Received, type Wire } from './messages.ts';

export async function loadWire(name: string): Promise<Wire> {
  if (name === 'json') return jsonWire;
  if (name === 'tabs') return (await import('./tab-wire.ts')).tabsWire;
  throw new UsageError(`--wire ${JSON.stringify(name)} is not a wire form; use json or tabs`);
}

export const jsonWire: Wire = {
  writeHello: (dialect) => `${JSON.stringify(helloMessage(dialect))}\n`,
  writeBody: ({ operation, keys, input }) => toJsonLine({ operation, keys, input }).slice(1, -1),
  writeQuestion: (n, body) => `{"n":${n},${body}}\n`,
  createReader: () => readLine,
  isMessage: (text) => text.trimStart().startsWith('{'),
};

function readLine(line: string): Received {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  try {
    return { text, message: parseJson(text) };
  } catch {
    return {
      text,
      fault: `the line ${quoteStart(text)} is not JSON; write logs to standard error`,
    };
  }
}
