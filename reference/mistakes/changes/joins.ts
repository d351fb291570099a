/**
 * Ways in which implementations join entries, other than the specification's.
 *
 * @module
 */
import { compareBytes } from '../../signing/bytes.ts';
import { type Change, type Kind, kind } from './change.ts';

type Join = (entries: readonly string[]) => string;

const SEPARATORS = ['', ', ', '; ', '\n', '\r\n', '\0', ...'&=,;|:/+. '];
const IDS = 'nothing comma-space semicolon-space line-feed crlf nul ampersand equals comma semicolon bar colon slash plus dot space';
export const separatorId = (separator: string): string => `${IDS.split(' ')[SEPARATORS.indexOf(separator)]}`;
const nameOf = (separator: string): string => (separator ? JSON.stringify(separator) : 'nothing');

/** The separators that are correct in some place. */
const RIGHT = ['', ',', '&'];

const ENDS = ['&', ',', ';', '\n', '\r\n'];

const sorted = (entries: readonly string[]): readonly string[] => entries.toSorted((a, b) => compareBytes(a.toWellFormed(), b.toWellFormed()));

type Joining = (entries: readonly string[], separator: string) => string;
const JOININGS: readonly [id: string, clause: string, separators: string[], join: Joining][] = [
  ['between', 'is joined with $', SEPARATORS, (e, s) => e.join(s)],
  ['after', 'has $ after each entry', ENDS, (e, s) => e.map((entry) => entry + s).join('')],
  ['before', 'has $ before each entry', ENDS, (e, s) => e.map((entry) => s + entry).join('')],
  ['sorted', 'is sorted again and joined with $', RIGHT, (e, s) => sorted(e).join(s)],
  ['reversed', 'is reversed and joined with $', RIGHT, (e, s) => e.toReversed().join(s)],
  ['twice', 'has all entries twice, joined with $', RIGHT, (e, s) => [...e, ...e].join(s)],
  ['unique', 'loses repeated entries and is joined with $', RIGHT, (e, s) => [...new Set(e)].join(s)],
  ['filled', 'loses empty entries and is joined with $', [',', '&'], (e, s) => e.filter(Boolean).join(s)],
];

/** Wrong ways to join entries; the correct separator depends on the place, which names it in the fix. */
export const JOINS: Kind<Join> = kind('join all entries of {noun} in their order', [
  ...JOININGS.flatMap(([id, clause, separators, join]) => separators.map((s): Change<Join> => [`${separatorId(s)}-${id}`, clause.replace('$', nameOf(s)), (e) => join(e, s)])),
  ['first-only', 'is cut to its first entry', ([first = '']) => first],
  ['last-only', 'is cut to its last entry', (entries) => entries.at(-1) ?? ''],
]);
