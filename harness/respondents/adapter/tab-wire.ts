/**
 * The wire form for languages without JSON: a message is lines of key, tab and value, and a blank line ends it.
 *
 * @module
 */
import { hasMembers, isList } from '../../../reference/values.ts';
import { quoteStart } from '../../engine/excerpt.ts';
import { helloMessage, LONGEST_LINE, type Received, type Wire } from './messages.ts';

/** Members that are lists of `[name, value]`. */
const PAIRS = new Set(['headers', 'fields', 'members', 'parameters', 'object', 'sortedParameters']);

/** Members that are lists of anything else. */
const LISTS = new Set(['operations', 'traces', 'list']);

const NUMBERS = new Set(['n', 'protocol', 'window', 'blockCount']);

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\t': '\\t' };
const ESCAPED: Readonly<Record<string, string>> = { '\\\\': '\\', '\\n': '\n', '\\t': '\t' };

/** Writes the lines of a message, each with its LF, without the blank line that ends the message. */
export function writeTabLines(message: object): string {
  return Object.entries<unknown>({ ...message })
    .map(([name, value]) => writeMember(name, name, value))
    .join('');
}

function writeMember(path: string, name: string, value: unknown): string {
  if (isList(value)) {
    const write = PAIRS.has(name) ? writePair : writeElement;
    return `${path}\t${value.length}\n${value.map((element, i) => write(`${path}.${i}`, element)).join('')}`;
  }
  if (!hasMembers(value))
    return `${path}\t${String(value).replace(/[\\\n\t]/g, (character) => ESCAPES[character] ?? '')}\n`;
  return Object.entries(value)
    .map(([inner, member]) => writeMember(`${path}.${inner}`, inner, member))
    .join('');
}

/** Writes no count, because a pair always has two elements. */
function writePair(path: string, pair: unknown): string {
  if (!isList(pair)) return writeElement(path, pair);
  return pair.map((element, i) => writeElement(`${path}.${i}`, element)).join('');
}

/** Null and booleans occur only as values of parameters, which are tagged with their type. */
function writeElement(path: string, value: unknown): string {
  if (value === null) return `${path}.null\t\n`;
  return writeMember(typeof value === 'boolean' ? `${path}.boolean` : path, '', value);
}

/** The value of a key, and the members whose longer keys begin with it. */
interface Node {
  value?: string;
  readonly members: Map<string, Node>;
}

/** Lines that are not a message; the error's message says why. */
class TabLineError extends Error {}

/** In characters. Limits how deeply members can be nested. */
const LONGEST_KEY = 1000;

const DECIMAL = /^(?:0|[1-9][0-9]{0,14})$/;

/** Parses the lines of a message. A fault has the number of its question, if the lines before it say so. */
export function parseTabLines(
  lines: readonly string[],
): { readonly message: unknown } | { readonly fault: string; readonly n?: number } {
  const root: Node = { members: new Map() };
  try {
    for (const line of lines) addLine(root, line);
    return { message: readMembers(root) };
  } catch (error) {
    if (!(error instanceof TabLineError)) throw error;
    const n = root.members.get('n')?.value ?? '';
    return { fault: error.message, ...(DECIMAL.test(n) && { n: Number(n) }) };
  }
}

function addLine(root: Node, line: string): void {
  const tab = line.indexOf('\t');
  const key = line.slice(0, tab);
  if (key.length > LONGEST_KEY)
    throw new TabLineError(`the key ${quoteStart(key)} has more than ${LONGEST_KEY} characters`);
  let node = root;
  for (const step of key.split('.')) {
    const next = node.members.get(step) ?? { members: new Map() };
    node.members.set(step, next);
    node = next;
  }
  if (node.value !== undefined) throw new TabLineError(`the key ${quoteStart(key)} appears twice`);
  node.value = line.slice(tab + 1);
  if (node.value.includes('\t'))
    throw new TabLineError(`the value of ${quoteStart(key)} has a tab; a tab is written \\t`);
}

function readMembers({ members }: Node): unknown {
  return Object.fromEntries([...members].map(([name, node]) => [name, readValue(node, name)]));
}

function readValue(node: Node, name: string): unknown {
  if (PAIRS.has(name))
    return readElements(node, name, readCount(node, name)).map((pair) => readPair(pair, name));
  if (LISTS.has(name)) return readElements(node, name, readCount(node, name)).map(readElement);
  const { value, members } = node;
  if (members.size === 0) return readLeaf(value ?? '', name);
  if (value === undefined) return readMembers(node);
  throw new TabLineError(`${quoteStart(name)} has both a value and members`);
}

function readCount({ value }: Node, name: string): number {
  if (value !== undefined && DECIMAL.test(value)) return Number(value);
  throw new TabLineError(`the list ${name} lacks the line with its number of elements`);
}

function readElements({ members }: Node, name: string, count: number): readonly Node[] {
  const elements = Array.from(members.keys(), (_, i) => members.get(`${i}`));
  if (members.size === count && elements.every((element) => element !== undefined)) return elements;
  throw new TabLineError(`${name} does not have ${count} elements, numbered from 0`);
}

function readPair(node: Node, name: string): unknown {
  if (node.value !== undefined)
    throw new TabLineError(`a pair of ${name} has a line without a position`);
  return readElements(node, `a pair of ${name}`, 2).map(readElement);
}

/** Reads a text, or the value of a parameter with the tag of its type. */
function readElement(node: Node): unknown {
  const [[tag, { value }] = ['', node]] = node.members;
  if (node.members.size === 1 && tag === 'null' && value === '') return null;
  if (node.members.size === 1 && tag === 'boolean' && value === 'true') return true;
  if (node.members.size === 1 && tag === 'boolean' && value === 'false') return false;
  return readValue(node, '');
}

function readLeaf(value: string, name: string): unknown {
  if (NUMBERS.has(name) && DECIMAL.test(value)) return Number(value);
  if (name === 'unsupported' && value === 'true') return true;
  return value.replace(/\\.?/gsu, (sequence) => {
    const character = ESCAPED[sequence];
    if (character !== undefined) return character;
    throw new TabLineError(`a value has ${sequence}; a backslash is written \\\\`);
  });
}

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
      if (length <= LONGEST_LINE) return undefined;
      return { overflow: `a message of more than ${LONGEST_LINE / 1024 / 1024} MiB` };
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
