/**
 * Known mistakes about lists and objects among the parameters (§5.1).
 *
 * @module
 */
import { jsonMembers } from '../signing/action-forms.ts';
import { compareBytes } from '../signing/byte-order.ts';
import { InputError } from '../signing/errors.ts';
import { flattened } from '../signing/flattening.ts';
import { numberText } from '../signing/number-text.ts';
import type { Steps } from '../signing/steps.ts';
import type { FlatParameters, ParameterValue, ScalarValue } from '../signing/types.ts';
import type { Mistake } from './mistake.ts';

type Nested = Exclude<ParameterValue, ScalarValue | null>;

function isNested(value: ParameterValue): value is Nested {
  return typeof value === 'object' && value !== null && !('number' in value);
}

/** Flattening with other names for the items of a list and the members of an object. */
function named(
  item: (list: string, index: number) => string,
  member: (object: string, name: string) => string,
): Steps['flattened'] {
  const scalars = (name: string, value: ParameterValue): FlatParameters => {
    if (!isNested(value)) return flattened([[name, value]]);
    return 'list' in value
      ? value.list.flatMap((inner, i) => scalars(item(name, i), inner))
      : value.object.flatMap(([key, inner]) => scalars(member(name, key), inner));
  };
  return (parameters) => parameters.flatMap(([name, value]) => scalars(name, value));
}

const afterDot = (object: string, name: string): string => `${object}.${name}`;
const inBrackets = (list: string, index: number | string): string => `${list}[${index}]`;

/** Lists and objects as texts of a language in place of flattening. */
const printed =
  (text: (value: ParameterValue) => string): Steps['flattened'] =>
  (parameters) =>
    flattened(parameters.map(([name, value]) => [name, isNested(value) ? text(value) : value]));

function json(value: ParameterValue): string {
  if (!isNested(value)) {
    return typeof value === 'object' && value ? value.number : JSON.stringify(value);
  }
  if ('list' in value) return `[${value.list.map(json).join(',')}]`;
  const members = value.object.map(([name, inner]) => `${JSON.stringify(name)}:${json(inner)}`);
  return `{${members.join(',')}}`;
}

/** `String(value)` of JavaScript. */
function javascript(value: ParameterValue): string {
  if (!isNested(value)) return typeof value === 'object' ? (value?.number ?? '') : `${value}`;
  return 'list' in value ? value.list.map(javascript).join(',') : '[object Object]';
}

/** `str(value)` of Python, as it is inside a list. */
function python(value: ParameterValue): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (!isNested(value)) return value?.number ?? 'None';
  if ('list' in value) return `[${value.list.map(python).join(', ')}]`;
  return `{${value.object.map(([name, inner]) => `'${name}': ${python(inner)}`).join(', ')}}`;
}

/** `toString` of Java. */
function java(value: ParameterValue): string {
  if (!isNested(value)) return typeof value === 'object' ? (value?.number ?? 'null') : `${value}`;
  if ('list' in value) return `[${value.list.map(java).join(', ')}]`;
  return `{${value.object.map(([name, inner]) => `${name}=${java(inner)}`).join(', ')}}`;
}

/** Names and values one behind the other, without numbers and dots. */
function joined(value: ParameterValue): string {
  if (!isNested(value)) {
    return typeof value === 'object' ? numberText(value?.number ?? '') : `${value}`;
  }
  if ('list' in value) return value.list.map(joined).join('');
  const members = [...value.object].sort(([a], [b]) => compareBytes(a, b));
  return members.map(([name, inner]) => name + joined(inner)).join('');
}

const isList = (value: ParameterValue): boolean => isNested(value) && 'list' in value;

function refuseListsInLists(value: ParameterValue): ParameterValue {
  if (!isNested(value)) return value;
  const inner = 'list' in value ? value.list : value.object.map(([, member]) => member);
  if (isList(value) && inner.some(isList)) {
    throw new InputError('text', 'a list in a list is not taken');
  }
  inner.forEach(refuseListsInLists);
  return value;
}

/** Every list that is an item of another one, as a language prints it. */
const withPrintedItems =
  (print: (value: ParameterValue) => string) =>
  (value: ParameterValue): ParameterValue => {
    if (!isNested(value)) return value;
    const printed = withPrintedItems(print);
    if ('object' in value) {
      return { object: value.object.map(([name, inner]) => [name, printed(inner)]) };
    }
    return { list: value.list.map((item) => (isList(item) ? print(item) : printed(item))) };
  };

/** Every list with one item, as that item. */
function withoutListsOfOne(value: ParameterValue): ParameterValue {
  if (!isNested(value)) return value;
  if ('object' in value) {
    return { object: value.object.map(([name, inner]) => [name, withoutListsOfOne(inner)]) };
  }
  const items = value.list.map(withoutListsOfOne);
  return items.length === 1 ? (items[0] ?? null) : { list: items };
}

const rewritten =
  (value: (value: ParameterValue) => ParameterValue): Steps['flattened'] =>
  (parameters) =>
    flattened(parameters.map(([name, given]) => [name, value(given)]));

/** Every known mistake about lists and objects. */
export const FLATTENING: readonly Mistake[] = [
  {
    id: 'list-counted-from-one',
    rule: '5.1/flattening',
    swap: { flattened: named((list, i) => `${list}.${i + 1}`, afterDot) },
    cause: 'the items of a list are named Name.1, Name.2',
    fix: 'count the items of a list from zero: Name.0, Name.1',
  },
  {
    id: 'list-in-brackets',
    rule: '5.1/flattening',
    swap: { flattened: named(inBrackets, inBrackets) },
    cause: 'items and members are named with brackets, Name[0] and Name[Key]',
    fix: 'name them with dots: Name.0 and Name.Key',
  },
  {
    id: 'list-in-brackets-objects-with-dots',
    rule: '5.1/flattening',
    swap: { flattened: named(inBrackets, afterDot) },
    cause: 'the items of a list are named with brackets, Name[0].Key',
    fix: 'name items and members alike, with dots: Name.0.Key',
  },
  {
    id: 'list-repeats-name',
    rule: '5.1/flattening',
    swap: { flattened: named((list) => list, afterDot), checkNames: () => undefined },
    cause: 'every item of a list gets the bare name of the list',
    fix: 'append the index of the item to the name: Name.0, Name.1',
  },
  {
    id: 'list-of-one-unwrapped',
    rule: '5.1/flattening',
    swap: { flattened: rewritten(withoutListsOfOne) },
    cause: 'a list with one item is taken for that item',
    fix: 'number the items of every list, also of a list with one: Name.0',
  },
  {
    id: 'list-as-javascript-text',
    rule: '5.1/flattening',
    swap: { flattened: printed(javascript) },
    cause: 'a list is written as its items with commas between them, an object as [object Object]',
    fix: 'flatten lists and objects into parameters of their own: Name.0, Name.Key',
  },
  {
    id: 'list-as-json',
    rule: '5.1/flattening',
    swap: { flattened: printed(json) },
    cause: 'lists and objects are written as JSON text',
    fix: 'flatten lists and objects into parameters of their own: Name.0, Name.Key',
  },
  {
    id: 'list-in-list-as-python-text',
    rule: '5.1/flattening',
    swap: { flattened: rewritten(withPrintedItems(python)) },
    cause: "a list inside a list is written as Python prints it, ['a', 'b']",
    fix: 'flatten lists to any depth: Name.0.0, Name.0.1',
    seen: 'ucloud-sdk-python3 0.11.150',
  },
  {
    id: 'list-in-list-as-java-text',
    rule: '5.1/flattening',
    swap: { flattened: rewritten(withPrintedItems(java)) },
    cause: 'a list inside a list is written as Java prints it, [a, b]',
    fix: 'flatten lists to any depth: Name.0.0, Name.0.1',
    seen: 'ucloud-sdk-java-common 1.2.26',
  },
  {
    id: 'list-in-list-refused',
    rule: '5.1/flattening',
    swap: { flattened: rewritten(refuseListsInLists) },
    cause: 'a list inside a list is declined',
    fix: 'flatten lists to any depth: Name.0.0, Name.0.1',
    seen: 'ucloud-sdk-go 0.22.17',
  },
  {
    id: 'json-nested',
    rule: '5.1/flattening',
    swap: {
      flattened: printed(joined),
      jsonMembers: (sent, given, context) => {
        const nested = new Map(given.filter(([, value]) => isNested(value)));
        return sent.map((pair) => {
          const value = nested.get(pair[0]);
          return value === undefined
            ? jsonMembers([pair], given, context).join()
            : `${JSON.stringify(pair[0])}:${json(value)}`;
        });
      },
    },
    cause:
      'lists and objects stay in the JSON body as they are, and are signed with their names and values one behind the other',
    fix: 'flatten lists and objects before signing and sending: Name.0, Name.Key',
    seen: 'ucloud-sdk-go 0.22.17',
  },
  {
    id: 'list-flattened-after-sorting',
    rule: '5.1/flattening',
    swap: {
      flattened: (parameters) => flattened([...parameters].sort(([a], [b]) => compareBytes(a, b))),
      compareParameterNames: () => 0,
    },
    cause: 'parameters are sorted before lists and objects are flattened',
    fix: 'flatten first, then sort all names together',
  },
];
