/**
 * A message written as lines of key, tab and value.
 *
 * @module
 */
import { PAIRS } from './tab-shapes.ts';

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\t': '\\t' };

/** The lines of a message, each with its line feed; the blank line that ends it is not among them. */
export function tabLines(message: object): string {
  return Object.entries(message)
    .map(([name, value]) => memberLines(name, name, value))
    .join('');
}

function memberLines(path: string, name: string, value: unknown): string {
  if (Array.isArray(value)) {
    const elements = PAIRS.has(name) ? value.map(pairLines(path)) : value.map(elementLines(path));
    return `${path}\t${value.length}\n${elements.join('')}`;
  }
  if (typeof value !== 'object' || value === null)
    return `${path}\t${String(value).replace(/[\\\n\t]/g, (character) => ESCAPES[character] ?? '')}\n`;
  return Object.entries(value)
    .map(([inner, member]) => memberLines(`${path}.${inner}`, inner, member))
    .join('');
}

/** A pair always has two elements, so no line says it. */
function pairLines(path: string): (pair: unknown[], position: number) => string {
  return (pair, position) => pair.map(elementLines(`${path}.${position}`)).join('');
}

/** What is neither a text nor tagged already is tagged here: it is the value of a parameter. */
function elementLines(path: string): (value: unknown, position: number) => string {
  return (value, position) => {
    const own = `${path}.${position}`;
    if (value === null) return `${own}.null\t\n`;
    return memberLines(typeof value === 'boolean' ? `${own}.boolean` : own, '', value);
  };
}
