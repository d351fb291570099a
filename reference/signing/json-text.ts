/**
 * Parses JSON without losing what is signed: the digits of numbers, repeated members, their order.
 *
 * `JSON.parse` rounds 9007199254740993 and keeps one of two members of one name.
 *
 * @module
 */
import type { ParameterValue } from './types.ts';

/** A token (RFC 8259) with the whitespace before it; of a string, only its first quote. */
const TOKEN =
  /[ \t\r\n]*(?:([{}[\]:,])|(")|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(true|false|null)|$)/y;

/** Deeper nesting is refused, before it exhausts the stack. */
const DEEPEST = 64;

/** The last text and its value: a search for the mistake of a verifier parses the same body thousands of times. */
let last: { readonly text: string; readonly value: ParameterValue | undefined } | undefined;

/** The value of a JSON text; `undefined` if it is not JSON. */
export function jsonText(text: string): ParameterValue | undefined {
  if (last?.text !== text) last = { text, value: parse(text) };
  return last.value;
}

function parse(text: string): ParameterValue | undefined {
  const tokens = tokenize(text);
  if (!tokens) return undefined;
  const reader = { tokens, next: 0 };
  const value = readValue(reader, 0);
  return reader.next === tokens.length ? value : undefined;
}

function tokenize(text: string): readonly string[] | undefined {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) return undefined;
    at = TOKEN.lastIndex;
    const [, mark, quote, number, word] = match;
    if (quote !== undefined) {
      const start = at - 1;
      at = findEndOfText(text, at);
      const token = text.slice(start, at);
      if (!isJson(token)) return undefined;
      tokens.push(token);
    } else {
      const token = mark ?? number ?? word;
      if (token !== undefined) tokens.push(token);
    }
  }
  return tokens;
}

/** The index after the closing quote. A regular expression would exhaust the stack over a long string. */
function findEndOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (text[escapes - 1] === '\\') escapes--;
    // After an even number of backslashes, the quote is not escaped.
    if ((at - escapes) % 2 === 0) return at + 1;
  }
  return text.length;
}

/** A string without escapes, and without the control characters that need them. */
const PLAIN = /^"[^"\\\u0000-\u001f]*"$/;

function isJson(token: string): boolean {
  if (PLAIN.test(token)) return true;
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false;
  }
}

/** The text of a token that starts with a quote. */
function parseText(token: string): string {
  if (!token.includes('\\')) return token.slice(1, -1);
  const text: unknown = JSON.parse(token);
  return String(text);
}

interface Reader {
  readonly tokens: readonly string[];
  next: number;
}

function readValue(reader: Reader, depth: number): ParameterValue | undefined {
  const token = reader.tokens[reader.next++];
  if (token === undefined || depth > DEEPEST) return undefined;
  if (token.startsWith('"')) return parseText(token);
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
    object.push([parseText(name), value]);
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
