/**
 * A message read from lines of key, tab and value.
 *
 * @module
 */
import { excerpt } from '../messages.ts';
import { LISTS, NUMBERS, PAIRS } from './tab-shapes.ts';

/** What stands under a key and under longer ones that begin with it. */
interface Place {
  value?: string;
  readonly members: Map<string, Place>;
}

/** Why lines are no message. */
class Misfit extends Error {}

/** In characters; members lie no deeper in any message. */
const LONGEST_KEY = 1000;

const DECIMAL = /^(?:0|[1-9][0-9]{0,14})$/;

const ESCAPED: Readonly<Record<string, string>> = { '\\\\': '\\', '\\n': '\n', '\\t': '\t' };

/** The message that the lines are, or what is wrong with them and, where it says so, to which question it belongs. */
export function messageIn(
  lines: readonly string[],
): { readonly message: unknown } | { readonly fault: string; readonly n?: number } {
  const root: Place = { members: new Map() };
  try {
    for (const line of lines) put(root, line);
    return { message: membersAt(root) };
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    const n = root.members.get('n')?.value ?? '';
    return { fault: error.message, ...(DECIMAL.test(n) && { n: Number(n) }) };
  }
}

function put(root: Place, line: string): void {
  const tab = line.indexOf('\t');
  const key = line.slice(0, tab);
  if (key.length > LONGEST_KEY)
    throw new Misfit(`the key ${excerpt(key)} has more than ${LONGEST_KEY} characters`);
  let place = root;
  for (const step of key.split('.')) {
    const next = place.members.get(step) ?? { members: new Map() };
    place.members.set(step, next);
    place = next;
  }
  if (place.value !== undefined) throw new Misfit(`the key ${excerpt(key)} stands there twice`);
  place.value = line.slice(tab + 1);
  if (place.value.includes('\t'))
    throw new Misfit(`the value of ${excerpt(key)} has a tab; a tab is written \\t`);
}

function membersAt({ members }: Place): unknown {
  return Object.fromEntries([...members].map(([name, place]) => [name, valueAt(place, name)]));
}

function valueAt(place: Place, name: string): unknown {
  if (PAIRS.has(name)) return elementsAt(place, name, countAt(place, name)).map(pairAt(name));
  if (LISTS.has(name)) return elementsAt(place, name, countAt(place, name)).map(elementAt);
  const { value, members } = place;
  if (members.size === 0) return leaf(value ?? '', name);
  if (value === undefined) return membersAt(place);
  throw new Misfit(`${excerpt(name)} has both a value and members`);
}

function countAt({ value }: Place, name: string): number {
  if (value !== undefined && DECIMAL.test(value)) return Number(value);
  throw new Misfit(`the list ${name} lacks the line with its number of elements`);
}

function elementsAt({ members }: Place, name: string, count: number): readonly Place[] {
  const elements = Array.from(members.keys(), (_, i) => members.get(`${i}`));
  if (members.size === count && elements.every((element) => element !== undefined)) return elements;
  throw new Misfit(`the elements of ${name} are not the ${count} that it says`);
}

function pairAt(name: string): (place: Place) => unknown {
  return (place) => {
    if (place.value !== undefined) throw new Misfit(`a pair of ${name} has a line of its own`);
    return elementsAt(place, `a pair of ${name}`, 2).map(elementAt);
  };
}

/** A text, or the value of a parameter with its tag. */
function elementAt(place: Place): unknown {
  const [[tag, { value }] = ['', place]] = place.members;
  if (place.members.size === 1 && tag === 'null' && value === '') return null;
  if (place.members.size === 1 && tag === 'boolean' && value === 'true') return true;
  if (place.members.size === 1 && tag === 'boolean' && value === 'false') return false;
  return valueAt(place, '');
}

function leaf(value: string, name: string): unknown {
  if (NUMBERS.has(name) && DECIMAL.test(value)) return Number(value);
  if (name === 'unsupported' && value === 'true') return true;
  return value.replace(/\\.?/gsu, (written) => {
    const character = ESCAPED[written];
    if (character !== undefined) return character;
    throw new Misfit(`a value has ${written}; a backslash is written \\\\`);
  });
}
