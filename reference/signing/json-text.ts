/**
 * JSON read without losing anything that gets signed: the digits of numbers, repeated members, their order.
 *
 * `JSON.parse` rounds 9007199254740993 and keeps one of two members of one name.
 *
 * @module
 */
import type { ParameterValue } from './types.ts';

/** The tokens of RFC 8259; blanks between them are skipped. */
const TOKENS =
  /[ \t\r\n]*(?:([{}[\]:,])|("(?:[^"\\\0-\x1F]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*")|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(true|false|null)|$)/y;

/** Deeper bodies are refused before they exhaust the stack. */
const DEEPEST = 500;

/** The value that a JSON text writes; `undefined` where it is not JSON. */
export function jsonText(text: string): ParameterValue | undefined {
  TOKENS.lastIndex = 0;
  const tokens: string[] = [];
  while (TOKENS.lastIndex < text.length) {
    const match = TOKENS.exec(text);
    if (!match) return undefined;
    const token = match[1] ?? match[2] ?? match[3] ?? match[4];
    if (token !== undefined) tokens.push(token);
  }
  const reader = { tokens, next: 0 };
  const value = readValue(reader, 0);
  return reader.next === tokens.length ? value : undefined;
}

interface Reader {
  readonly tokens: readonly string[];
  next: number;
}

function readValue(reader: Reader, depth: number): ParameterValue | undefined {
  const token = reader.tokens[reader.next++];
  if (token === undefined || depth > DEEPEST) return undefined;
  if (token.startsWith('"')) return JSON.parse(token) as string;
  if (token === '{') return readObject(reader, depth);
  if (token === '[') return readList(reader, depth);
  if (token === 'true' || token === 'false') return token === 'true';
  if (token === 'null') return null;
  return /^[-0-9]/.test(token) ? { number: token } : undefined;
}

function readObject(reader: Reader, depth: number): ParameterValue | undefined {
  const object: (readonly [string, ParameterValue])[] = [];
  if (reader.tokens[reader.next] === '}') {
    reader.next++;
    return { object };
  }
  for (;;) {
    const name = reader.tokens[reader.next++];
    if (!name?.startsWith('"') || reader.tokens[reader.next++] !== ':') return undefined;
    const value = readValue(reader, depth + 1);
    if (value === undefined) return undefined;
    object.push([JSON.parse(name) as string, value]);
    const separator = reader.tokens[reader.next++];
    if (separator === '}') return { object };
    if (separator !== ',') return undefined;
  }
}

function readList(reader: Reader, depth: number): ParameterValue | undefined {
  const list: ParameterValue[] = [];
  if (reader.tokens[reader.next] === ']') {
    reader.next++;
    return { list };
  }
  for (;;) {
    const value = readValue(reader, depth + 1);
    if (value === undefined) return undefined;
    list.push(value);
    const separator = reader.tokens[reader.next++];
    if (separator === ']') return { list };
    if (separator !== ',') return undefined;
  }
}
