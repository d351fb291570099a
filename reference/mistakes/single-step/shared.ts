/**
 * What the files of this folder share.
 *
 * @module
 */
import { compareBytes } from '../../signing/bytes.ts';
import { trimPositional, unfoldPositional } from '../../signing/file-requests.ts';
import type { Steps } from '../../signing/index.ts';
import { type HeaderList, InputError, type InputErrorCode, type ParameterValue, type ScalarValue } from '../../signing/types.ts';
import type { ChangeNotes, Kind, StepName } from '../changes/change.ts';

/** Wrong steps, each of which replaces the correct one. */
export type Instead<Name extends StepName> = Kind<Steps[Name]>;

export function refuse(code: InputErrorCode, message: string): never {
  throw new InputError(code, message);
}

/** The methods that some implementations accept; they refuse the others. */
export const METHODS: readonly (readonly [id: string, methods: readonly string[]])[] = [
  ['get', ['GET']],
  ['get-and-head', ['GET', 'HEAD']],
  ['get-and-put', ['GET', 'PUT']],
  ['usual-methods', ['GET', 'HEAD', 'PUT', 'POST', 'DELETE']],
];

export const ANY_METHOD: ChangeNotes = { fix: 'accept every method', cost: 2 };

export function refuseOther(methods: readonly string[], method: string): void {
  if (!methods.includes(upperCase(method))) refuse('method', 'the method is not supported');
}

export const sortedByName = <T extends readonly [name: string, ...unknown[]]>(list: readonly T[]): readonly T[] => list.toSorted(([a], [b]) => compareBytes(a, b));

/** Whether two names have the same form. */
export const hasAlike = (list: readonly (readonly [name: string, ...unknown[]])[], form: (name: string) => string): boolean => new Set(list.map(([name]) => form(name))).size < list.length;

/** A list of names and values with other values. */
export const changeValues = <V, W>(list: readonly (readonly [name: string, value: V, ...unknown[]])[], change: (value: V, name: string) => W): readonly (readonly [string, W])[] =>
  list.map(([name, value]) => [name, change(value, name)]);

/** Changes a value if it is a text. */
export const ifText =
  (rewrite: (text: string) => string) =>
  <V>(value: V): V | string =>
    typeof value === 'string' ? rewrite(value) : value;

/** Splits a text at `mark`, changes each part, and joins them again. */
export function changedParts(text: string, mark: string, change: (part: string) => string): string {
  const parts = text.split(mark);
  return parts.map((part) => change(part)).join(mark);
}

export const turkish = (text: string): string => text.replaceAll('I', 'ı').toLowerCase();

export const lowerCase = (text: string): string => text.toLowerCase();

export const upperCase = (text: string): string => text.toUpperCase();

/** Whether a text starts with a prefix in any case. */
export const starts = (text: string, prefix: string): boolean => lowerCase(text).startsWith(lowerCase(prefix));

export const slugOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** A suffix that keeps the ids of `Hash` and `hash` apart. */
export const caseOf = (name: string): string => (/^[a-z]/.test(name) ? '-lower' : '');

/** Decodes Base64 to one character for each byte; `undefined` if the text is not Base64. */
export function binaryOf(encoded: string): string | undefined {
  try {
    return atob(encoded);
  } catch {
    return undefined;
  }
}

export type List = Extract<ParameterValue, { readonly list: unknown }>;

type Nested = Exclude<ParameterValue, ScalarValue | null>;

export const isNested = (value: ParameterValue): value is Nested => typeof value === 'object' && value !== null && !('number' in value);

export const isList = (value: ParameterValue): value is List => isNested(value) && 'list' in value;

export const isNumber = (value: ParameterValue): value is { readonly number: string } => typeof value === 'object' && value !== null && 'number' in value;

export const quoted = (text: string): string => JSON.stringify(text);

export const plain = (text: string): string => text;

/** Changes the values inside lists and objects at any depth. */
export function changeDeeply(value: ParameterValue, change: (scalar: Exclude<ParameterValue, Nested>) => ParameterValue): ParameterValue {
  if (!isNested(value)) return change(value);
  const changed = (inner: ParameterValue): ParameterValue => changeDeeply(inner, change);
  return isList(value) ? { list: value.list.map(changed) } : { object: value.object.map(([name, inner]) => [name, changed(inner)]) };
}

export const isZero = (value: ScalarValue): boolean => typeof value === 'object' && Number(value.number) === 0;

export const isFalsy = (value: ScalarValue): boolean => value === '' || value === false || isZero(value);

export const bareName = (header: string): string => lowerCase(header.trim());

export const filterNamed = (headers: HeaderList, name: string): HeaderList => headers.filter(([own]) => bareName(own) === lowerCase(name));

export const headerOf = (headers: HeaderList, name: string): string => trimPositional(unfoldPositional(filterNamed(headers, name)[0]?.[1] ?? ''));

export const withoutPort = (hostName: string): string => hostName.replace(/:\d+$/, '');

const ISO_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)(?:[.]\d+)?(?:Z|[+-]\d\d:\d\d)?$/;

/** An ISO time as Json.NET and ConvertFrom-Json read and write it, without regard to its time zone. */
export const dateByDotnet = (text: string): string => text.replace(ISO_TIME, '$2/$3/$1 $4');

/** The same on a machine whose time zone is UTC. */
export function dateInUtcByDotnet(text: string): string {
  if (!ISO_TIME.test(text)) return text;
  return dateByDotnet(/[+-]\d\d:\d\d$/.test(text) ? new Date(text).toISOString() : text);
}
