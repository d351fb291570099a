/**
 * Mistakes in merging extra headers and in what becomes of empty ones (§5.2, step 3).
 *
 * @module
 */
import { compareBytes } from '../signing/byte-order.ts';
import { canonicalHeaders, headerEntry } from '../signing/canonical-headers.ts';
import type { HeaderList, Pair } from '../signing/types.ts';
import type { Mistake } from './mistake.ts';

/** Neighbours of one name, in the order of the request. */
function runs(headers: HeaderList): HeaderList[] {
  const found: Pair[][] = [];
  for (const header of headers) {
    const last = found.at(-1);
    if (last?.[0]?.[0].toLowerCase() === header[0].toLowerCase()) last.push(header);
    else found.push([header]);
  }
  return found;
}

/** How several headers of one name become one. */
export const MERGING: readonly Mistake[] = [
  {
    id: 'headers-merged-by-comma-space',
    rule: '5.2/headers-merged',
    swap: { joinValues: (values) => values.join(', ') },
    cause: 'repeated headers are joined with ", "',
    fix: 'join the values of one name with a bare ","',
  },
  {
    id: 'headers-lists-rewritten',
    rule: '5.2/headers-merged',
    swap: {
      joinValues: (values) =>
        values
          .join(',')
          .split(/(?<![ \t])[ \t]*,[ \t]*/)
          .join(','),
    },
    cause: 'values are split at their own commas and lose the blanks around them',
    fix: 'join the values as they are, with the commas and blanks that are in them',
  },
  {
    id: 'headers-merged-by-semicolon',
    rule: '5.2/headers-merged',
    swap: { joinValues: (values) => values.join(';') },
    cause: 'repeated headers are joined with ";"',
    fix: 'join the values of one name with a bare ","',
  },
  {
    id: 'headers-merged-without-comma',
    rule: '5.2/headers-merged',
    swap: { joinValues: (values) => values.join('') },
    cause: 'the values of repeated headers are put together without a comma',
    fix: 'join the values of one name with a bare ","',
  },
  {
    id: 'headers-last-value',
    rule: '5.2/headers-merged',
    swap: { joinValues: (values) => values.at(-1) ?? '' },
    cause: 'of a repeated header only the last value is signed, as a map keeps it',
    fix: 'keep all values of a name and join them with ","',
  },
  {
    id: 'headers-first-value',
    rule: '5.2/headers-merged',
    swap: { joinValues: (values) => values[0] ?? '' },
    cause: 'of a repeated header only the first value is signed',
    fix: 'keep all values of a name and join them with ","',
    seen: 'the US3 SDK for C++',
  },
  {
    id: 'headers-values-sorted',
    rule: '5.2/headers-merged',
    swap: { joinValues: (values) => values.toSorted(compareBytes).join(',') },
    cause: 'the values of a repeated header are sorted',
    fix: 'join the values in the order of the request',
  },
  {
    id: 'headers-values-once',
    rule: '5.2/headers-merged',
    swap: { joinValues: (values) => [...new Set(values)].join(',') },
    cause: 'equal values of a repeated header are signed once',
    fix: 'join all values, equal ones too',
  },
  {
    id: 'headers-repeats-as-lines',
    rule: '5.2/headers-merged',
    swap: {
      joinValues: (values) => values.join('\n'),
      headerEntry: (name, values) =>
        values
          .split('\n')
          .map((value) => headerEntry(name, value))
          .join(''),
    },
    cause: 'a repeated header is signed as several lines',
    fix: 'merge the headers of one name into one line',
  },
  {
    id: 'headers-merged-as-neighbours',
    rule: '5.2/headers-merged',
    swap: {
      canonicalHeaders: (headers, context) =>
        runs(headers)
          .map((run) => canonicalHeaders(run, context))
          .toSorted((a, b) => compareBytes(a.split(':', 1).join(), b.split(':', 1).join()))
          .join(''),
    },
    cause: 'repeated headers are merged only where they follow each other',
    fix: 'merge the headers of one name wherever they stand',
  },
  {
    id: 'headers-merged-by-spelling',
    rule: '5.2/headers-merged',
    swap: {
      lowerCaseName: (name) => name,
      compareHeaderNames: (a, b) => compareBytes(a.toLowerCase(), b.toLowerCase()),
      headerEntry: (name, value) => headerEntry(name.toLowerCase(), value),
    },
    cause: 'names are merged before they are converted, so other capitals give another line',
    fix: 'convert names to lower case, then merge',
  },
  {
    id: 'headers-empty-values-dropped',
    rule: '5.2/headers-empty-value',
    swap: { joinValues: (values) => values.filter((value) => value !== '').join(',') },
    cause: 'empty values are dropped when a repeated header is merged',
    fix: 'keep empty values between their commas',
  },
  {
    id: 'headers-empty-dropped',
    rule: '5.2/headers-empty-value',
    swap: { headerEntry: (name, value) => (value === '' ? '' : headerEntry(name, value)) },
    cause: 'extra headers with an empty value are left out',
    fix: 'sign a header without a value as its name and a colon',
  },
];
