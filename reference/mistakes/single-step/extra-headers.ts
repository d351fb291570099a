/**
 * Changes of the steps that select, check and join extra headers (§5.2).
 *
 * @module
 */
import { compareBytes } from '../../signing/bytes.ts';
import type { Context, HeaderList, Pair } from '../../signing/types.ts';
import { before } from '../changes/bytes.ts';
import { type Around, type Change, type Kind, kind, replaceSteps } from '../changes/change.ts';
import { encode } from '../changes/encoders.ts';
import { separatorId } from '../changes/joins.ts';
import { firstOfName, lastInPlaceOfFirst, lastOfName } from '../changes/lists.ts';
import { trimmed } from '../changes/texts.ts';
import { hasAlike, type Instead, lowerCase, quoted, refuse, sortedByName, starts, turkish, upperCase } from './shared.ts';

type Selection = (name: string, prefix: string) => boolean;

const alsoThose = (isTaken: (name: string) => boolean): Selection => {
  return (name, prefix) => starts(name, prefix) || isTaken(name);
};

const OTHER_PREFIXES = 'X-Svc- X-UCloud- X-Ufile- X-Amz- X-Oss- X-Cos- X-Obs- X-Goog- X-Ms- X-Bce- X-Qs- X-Kss- X-Emc-'.split(' ');

/** Headers that a signer or another service leaves out of the signed text. */
const LEFT_OUT_HEADERS = 'Date Encryption-Key Trace-Id Request-Id Security-Token Content-Sha256 Signature'.split(' ');

const FURTHER_HEADERS = 'Host Content-Type Content-MD5 Date Content-Length Authorization Expires Range Content-Encoding Cache-Control If-Match'.split(' ');

/** Sets of characters that authors expect in names. */
const FEW_CHARACTERS: readonly (readonly [id: string, said: string, pattern: RegExp])[] = [
  ['letters-only', 'letters, digits and hyphens', /^[A-Za-z0-9-]+$/],
  ['letters-and-hyphens-only', 'letters and hyphens', /^[A-Za-z-]+$/],
  ['word-only', 'letters, digits, hyphens and underscores', /^[\w-]+$/],
];

export const SELECTIONS: Kind<Selection> = kind('sign the headers whose names start with X-Svc- (X-UCloud- in the dialect ucloud) in any case, and no others', [
  ['none', 'accepts no header', () => false],
  ['all', 'accepts every header', () => true],
  ['as-documented', 'accepts the prefix only as X-Svc-, not in another letter case', (name, prefix) => name.startsWith(prefix)],
  ['lower-case', 'accepts the prefix only in lower case, x-svc-', (name, prefix) => name.startsWith(lowerCase(prefix))],
  ['documented-or-lower', 'accepts the prefix only as X-Svc- or x-svc-, not as X-SVC-', (name, prefix) => name.startsWith(prefix) || name.startsWith(lowerCase(prefix)), { cost: 2 }],
  ['upper-case', 'accepts the prefix only in upper case, X-SVC-', (name, prefix) => name.startsWith(upperCase(prefix)), { cost: 2 }],
  ['without-hyphen', 'compares the prefix without its last hyphen, so it also accepts X-SvcOther', (name, prefix) => starts(name, prefix.slice(0, -1))],
  ['anywhere', 'accepts every name that contains the prefix', (name, prefix) => lowerCase(name).includes(lowerCase(prefix))],
  ['metadata-only', 'accepts only metadata headers', (name, prefix) => starts(name, `${prefix}Meta-`)],
  ['without-metadata', 'accepts no metadata headers', (name, prefix) => starts(name, prefix) && !starts(name, `${prefix}Meta-`)],
  ['all-x', 'accepts every name that starts with X-', (name) => starts(name, 'X-')],
  ['not-bare-prefix', 'rejects a name that is only the prefix', (name, prefix) => starts(name, prefix) && name.length > prefix.length],
  ['letter-first', 'accepts only names with a letter directly after the prefix', (name, prefix) => starts(name, prefix) && /^[A-Za-z]/.test(name.slice(prefix.length)), { cost: 2 }],
  ...LEFT_OUT_HEADERS.map((left): Change<Selection> => {
    return [`without-${left.toLowerCase()}`, `rejects the extra header X-Svc-${left}`, (name, prefix) => starts(name, prefix) && !starts(name, `${prefix}${left}`), { cost: 2 }];
  }),
  ...FEW_CHARACTERS.flatMap(([id, said, pattern]): Change<Selection>[] => [
    [id, `accepts only names that consist of ${said}`, (name, prefix) => starts(name, prefix) && pattern.test(name), { cost: 2 }],
    [`${id}-behind-prefix`, `accepts only names that have ${said} after the prefix`, (name, prefix) => starts(name, prefix) && pattern.test(name.slice(prefix.length)), { cost: 2 }],
  ]),
  ['without-underscores', 'rejects names with an underscore, as behind nginx', (name, prefix) => starts(name, prefix) && !name.includes('_')],
  [
    'underscore-as-hyphen',
    'also accepts names with underscores instead of hyphens',
    (name, prefix) => starts(name.replaceAll('_', '-'), prefix),
    { also: { lowerCaseName: (right) => (name) => right(name).replaceAll('_', '-') } },
  ],
  ['prefix-as-pattern', 'accepts any character for each hyphen of the prefix, as a pattern does for a dot', (name, prefix) => new RegExp(`^${prefix.replaceAll('-', '.')}`, 'i').test(name), { cost: 3 }],
  [
    'prefix-as-lua-pattern',
    'accepts every name that contains the prefix as a pattern of Lua, in which "c-" is any number of c',
    // No repetition fits too, so the letters before the hyphens count for nothing.
    (name, prefix) => lowerCase(name).includes(lowerCase(prefix).replace(/\w-/g, '')),
    { cost: 3 },
  ],
  ['turkish', 'converts names to lower case by the rules of Turkish, where I becomes ı', (name, prefix) => turkish(name).startsWith(lowerCase(prefix)), { cost: 3 }],
  ...OTHER_PREFIXES.flatMap((other): Change<Selection>[] => {
    const id = other.slice(2, -1).toLowerCase();
    return [
      [`only-${id}`, `accepts only names that start with ${other}`, (name) => starts(name, other), { cost: 2 }],
      [`also-${id}`, `also accepts names that start with ${other}`, alsoThose((name) => starts(name, other)), { cost: 2 }],
    ];
  }),
  ['with-positional', 'also accepts Content-MD5, Content-Type and Date', alsoThose((name) => /^(?:content-md5|content-type|date)$/i.test(name))],
  ...FURTHER_HEADERS.map((other): Change<Selection> => [`with-${other.toLowerCase()}`, `also accepts ${other}`, alsoThose((name) => lowerCase(name) === lowerCase(other))]),
  ['with-content', 'also accepts every name that starts with Content-', alsoThose((name) => starts(name, 'Content-'))],
]);

export const HEADER_VALUES: Kind<(value: string) => string> = kind('sign {noun} whatever characters it has', [
  ['empty-beyond-ascii', 'is empty if it has characters other than printable ASCII and tabs', (value) => (/^[\t -~]*$/.test(value) ? value : '')],
  [
    'split-at-spaces',
    'is split at its spaces and commas, and joined with commas',
    (value) => value.replace(/ +/g, ' ').replace(/ ?, ?/g, ',').replaceAll(' ', ','),
    { fix: 'do not split {noun}: keep its spaces and commas' },
  ],
]);

export const HEADER_NAMES: Instead<'lowerCaseName'> = kind('convert the names of extra headers to lower case, by the rules of ASCII', [
  ['as-written', 'keeps its case', (name) => name],
  ['upper-case', 'is in upper case', upperCase, { cost: 2 }],
  ['title-case', 'is in title case, as in X-Svc-Meta', (name) => lowerCase(name).replace(/(?:^|-)[a-z]/g, upperCase)],
  ['turkish', 'is in lower case by the rules of Turkish, where I becomes ı', turkish],
  ['hyphens-for-underscores', 'has hyphens instead of underscores', (name) => lowerCase(name).replaceAll('_', '-')],
  ['first-character-only', 'has only its first character in lower case', (name) => name.charAt(0).toLowerCase() + name.slice(1), { cost: 3 }],
]);

export const SIGNED_NAMES: Instead<'signedHeaderName'> = kind('sign the whole name of an extra header', [
  ['without-prefix', 'lacks the prefix', (name) => name.replace(/^x-[a-z]+-/, '')],
  ['without-meta-prefix', 'lacks the prefix of metadata', (name) => name.replace(/^x-[a-z]+-meta-/, '')],
  ['without-x', 'lacks "x-" at its start', (name) => name.replace(/^x-/, '')],
]);

export const EXTRA_LISTS: Kind<(headers: HeaderList) => HeaderList> = kind('sign extra headers whatever characters their values have', [
  ['without-beyond-ascii', 'lacks headers whose values have characters other than printable ASCII and tabs', (headers) => headers.filter(([, value]) => /^[\t -~]*$/.test(value))],
]);

/** Runs of neighbouring header lines with the same name. */
function runs(headers: HeaderList): HeaderList[] {
  const found: Pair[][] = [];
  for (const header of headers) {
    const last = found.at(-1);
    if (last?.[0]?.[0].toLowerCase() === header[0].toLowerCase()) last.push(header);
    else found.push([header]);
  }
  return found;
}

/** Header names have no blanks around them when they are sorted. */
const sortedByTrimmedName = (headers: HeaderList): HeaderList => headers.toSorted(([a], [b]) => compareBytes(a.trim(), b.trim()));

/** Headers in the order of their names as sent, but all values of one name together, in the order of the request. */
function groupedAsWritten(headers: HeaderList, spellings = headers): HeaderList {
  const names = new Set(sortedByTrimmedName(spellings).map(([name]) => lowerCase(name.trim())));
  return [...names].flatMap((name) => headers.filter(([own]) => lowerCase(own.trim()) === name));
}

const firstOfEachName = (headers: HeaderList): HeaderList => [...new Map(headers.toReversed().map((header) => [lowerCase(header[0].trim()), header])).values()];

export const HEADER_ROUTES: Kind<Around<'extraHeaders'>> = kind('convert the names to lower case first, then sort and merge', [
  ['sorted-as-written', 'has its headers sorted by their names in the case in which they are sent', (right, headers, context) => right(sortedByTrimmedName(headers), context), { cost: 2 }],
  [
    'neighbours-lost',
    'lacks each header directly after one that was found, as by a regular expression of JavaScript with the flag g',
    (right, headers, context) => right(withoutNeighbours(headers, context), context),
    { fix: 'use a regular expression without the flag g', cost: 2 },
  ],
]);

/** With the flag g, a search starts where the last one ended, and from the start again after one that failed. */
function withoutNeighbours(headers: HeaderList, { steps, dialect }: Context): HeaderList {
  let isFound = false;
  return headers.filter(([name]) => {
    const isExtra = steps.isExtraHeader(steps.trimName(name), dialect.headerPrefix);
    const isLost = isFound;
    isFound = isExtra && !isLost;
    return !(isExtra && isLost);
  });
}

export const VALUE_JOINS: Kind<Around<'joinValues'>> = kind(
  'join all values of one header with "," and no space between them',
  ['', ', ', ';', ' '].map((separator) => [
    `later-${separatorId(separator)}`,
    `has ${separator === '' ? 'nothing' : quoted(separator)} instead of "," before the third value and later ones`,
    (right, values) => [right(values.slice(0, 2)), ...values.slice(2)].join(separator),
    { cost: 2 },
  ]),
);

const withoutEmptyStart = (values: readonly string[]): readonly string[] => {
  const start = values.findIndex((value) => value !== '');
  return values.slice(Math.max(0, start));
};

export const VALUE_LISTS: Kind<(values: readonly string[]) => readonly string[]> = kind('join all values of one name with a comma, in the order in which they are sent, and leave none out', [
  ['sorted', 'is sorted', (values) => values.toSorted(compareBytes)],
  ['without-duplicates', 'lacks repeated values', (values) => [...new Set(values)]],
  ['without-empty', 'lacks empty values', (values) => values.filter((value) => value !== '')],
  ['without-empty-at-start', 'lacks the empty values at its start', withoutEmptyStart, { fix: 'write a comma after an empty value as well' }],
  [
    'commas-quoted',
    'has double quotes around values with a comma, if there are several',
    (values) => (values.length > 1 ? values.map((value) => (value.includes(',') ? `"${value}"` : value)) : values),
    { fix: 'join the values without quotes' },
  ],
  [
    'split-at-commas',
    'is split at the commas inside values, and trimmed',
    (values) => values.flatMap((value) => value.split(',').map(trimmed(' \t'))),
    { fix: 'join the values without splitting them at their own commas' },
  ],
]);

function withFirstNames(headers: readonly Pair[], most: number): readonly Pair[] {
  const names = new Set([...new Set(headers.map(([name]) => name))].slice(0, most));
  return headers.filter(([name]) => names.has(name));
}

/** All headers, each with the value of the only header of its name in a shorter list. */
const withValuesOf = (only: readonly Pair[], headers: readonly Pair[]): readonly Pair[] => headers.map(([name, value]) => [name, only.find(([own]) => own === name)?.[1] ?? value]);

/** Merges the first two headers of each name, and keeps the others apart. */
const pairsMerged: Around<'mergedHeaders'> = (right, headers, context) => {
  const counts = new Map<string, number>();
  const isLater = ([name]: Pair): boolean => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count > 2;
  };
  const later = new Set(headers.filter(isLater));
  const first = headers.filter((header) => !later.has(header));
  return [...right(first, context), ...later];
};

const OWN_VALUES = { fix: 'read the value of each header from that header; do not look values up by name' };

export const MERGES: Kind<Around<'mergedHeaders'>> = kind('merge all headers of one name into one entry, with all values in order', [
  [
    'repeated-refused',
    'is refused if two of its headers have the same name',
    (right, headers, context) => (hasAlike(headers, lowerCase) ? refuse('header-repeated', 'an extra header is repeated') : right(headers, context)),
    { fix: 'merge all headers of one name into one entry' },
  ],
  ['unmerged', 'has an entry of its own for each header of the same name', (_, headers) => headers],
  ['pairs-only', 'has only the first two headers of a name merged, and an entry of its own for each further one', pairsMerged],
  ['neighbours-only', 'has only adjacent headers merged', (right, headers, context) => runs(headers).flatMap((run) => right(run, context))],
  [
    'first-value-repeated',
    'repeats the first value of a name for each header of this name: first,first instead of first,second',
    (right, headers, context) => right(withValuesOf(firstOfName(headers), headers), context),
    OWN_VALUES,
  ],
  [
    'last-value-repeated',
    'repeats the last value of a name for each header of this name: second,second instead of first,second',
    (right, headers, context) => right(withValuesOf(lastOfName(headers), headers), context),
    OWN_VALUES,
  ],
  ...[10, 16, 20].map((most): Change<Around<'mergedHeaders'>> => {
    const firstOnly: Around<'mergedHeaders'> = (right, headers, context) => right(withFirstNames(headers, most), context);
    return [`first-${most}-names`, `has only the first ${most} names of the request`, firstOnly, { cost: 2, fix: 'sign every extra header, however many there are' }];
  }),
  ['first-line-only', 'has only the first header of each name', (_, headers) => firstOfName(headers)],
  ['last-line-only', 'has only the last header of each name', (_, headers) => lastOfName(headers)],
  ['last-in-place-of-first', 'has the last value of each name at the first position of the name', (_, headers) => lastInPlaceOfFirst(headers)],
]);

/** Merges headers whose names have the same spelling, and converts the names to lower case after that. */
const mergedBySpelling =
  (isSortedFirst: boolean): Around<'canonicalHeaders'> =>
  (_, headers, context) => {
    const { steps } = context;
    const entries = steps.mergedHeaders(steps.extraHeaders(headers, replaceSteps(context, { lowerCaseName: (name) => name })), context);
    const sort = (list: readonly Pair[]): readonly Pair[] => list.toSorted(([a], [b]) => steps.compareHeaderNames(a, b));
    const lowered = (isSortedFirst ? sort(entries) : entries).map(([name, value]): Pair => [steps.lowerCaseName(name), value]);
    const sorted = isSortedFirst ? lowered : sort(lowered);
    return steps.joinHeaderEntries(sorted.map(([name, value]) => steps.headerEntry(name, value, context)));
  };

const groupedBySpelling = (headers: HeaderList): HeaderList => [...new Set(headers.map(([name]) => name))].flatMap((own) => headers.filter(([name]) => name === own));

/** The headers in one spelling of each name: of its spellings in the order of the request, the one at an index. */
const inOneSpelling =
  (index: 0 | -1): Around<'canonicalHeaders'> =>
  (right, headers, context) => {
    const trimmedHeaders = headers.map(([name, value]): Pair => [context.steps.trimName(name), value]);
    const spellings = [...new Set(trimmedHeaders.map(([name]) => name))];
    const isKept = ([name]: Pair): boolean => spellings.filter((own) => lowerCase(own) === lowerCase(name)).at(index) === name;
    return right(trimmedHeaders.filter(isKept), context);
  };

const mergedAsNeighbours: Around<'canonicalHeaders'> = (right, headers, context) => {
  const entries = runs(headers).map((run) => right(run, context));
  return entries.sort((a, b) => compareBytes(before(a, ':'), before(b, ':'))).join('');
};

/** Runs a step on the merged values of a name instead of on each value. */
const afterMerging = (step: 'trimValue' | 'unfold'): Around<'canonicalHeaders'> => {
  return (right, headers, context) => {
    const { steps } = context;
    return right(headers, replaceSteps(context, { [step]: (value: string) => value, joinValues: (values) => steps[step](steps.joinValues(values)) }));
  };
};

export const VALUES: Instead<'signedHeaderValue'> = kind('do not percent-encode values of extra headers: sign their UTF-8 bytes', [
  ['encoded-beyond-ascii', 'is percent-encoded where it has characters beyond ASCII', (value) => value.replace(/[^\0-\x7F]+/g, encode)],
  [
    'whitespace-collapsed',
    'has each run of whitespace merged into one space, as by re.sub(r"\\s+", " ", value) in Python',
    (value) => value.replace(/(?:[^\S\uFEFF]|[\x1C-\x1F\x85])+/g, ' '),
    { fix: 'remove spaces and tabs at both ends, replace each fold by one space, and change no other whitespace' },
  ],
  ['encoded-if-beyond-ascii', 'is percent-encoded as a whole if it has characters beyond ASCII', (value) => (/[^\0-\x7F]/.test(value) ? encode(value) : value), { cost: 2 }],
]);

/** Trims values before it unfolds them, and calls a function with each unfolded value. */
const trimmedFirst = (then: (value: string) => string = (value) => value): Around<'canonicalHeaders'> => {
  return (right, headers, context) => {
    const { steps } = context;
    return right(headers, replaceSteps(context, { unfold: (value) => then(steps.unfold(steps.trimValue(value))), trimValue: (value) => value }));
  };
};

/** Removes spaces and tabs at the start of values before it unfolds them, and those at the end afterwards. */
const startTrimmedFirst: Around<'canonicalHeaders'> = (right, headers, context) => {
  const { steps } = context;
  const unfold = (value: string): string => steps.unfold(trimmed(' \t', true, false)(value));
  return right(headers, replaceSteps(context, { unfold, trimValue: trimmed(' \t', false) }));
};

const refuseBreak = (value: string): string => (/[\r\n]/.test(value) ? refuse('header-value', 'a line break is left') : value);

const withoutEmptyEntries: Around<'canonicalHeaders'> = (right, headers, context) => {
  const { steps } = context;
  return right(headers, replaceSteps(context, { headerEntry: (name, value, inner) => (value === '' ? '' : steps.headerEntry(name, value, inner)) }));
};

const LOWER_CASE_FIRST = 'convert the names to lower case, then sort them';
const LOWER_CASE_FIRST_MERGE = 'convert the names to lower case, then merge the values of equal names';

/** Puts the headers into an order, and does not sort them later. */
const inOrder = (order: (headers: HeaderList) => HeaderList): Around<'canonicalHeaders'> => {
  return (right, headers, context) => right(order(headers), replaceSteps(context, { sortedHeaders: (list) => list }));
};

const RESOURCE_NEXT = 'write the resource directly after the line feed of the last extra header, or of the Date line';

const endedUnlessEmpty = (text: string): string => text && `${text}\n`;

export const CANONICAL: Kind<Around<'canonicalHeaders'>> = kind('convert the names to lower case, then sort and merge', [
  ['merged-by-spelling', 'has headers merged only if their names are in the same case', mergedBySpelling(false)],
  [
    'values-by-spelling',
    'has the values of one name grouped by the case in which the name is sent',
    (right, headers, context) => right(groupedBySpelling(headers), context),
    { cost: 2, fix: 'merge the values of one name in the order of the request, whatever the case of each name' },
  ],
  ['first-spelling-only', 'has only the values of the first spelling of each name', inOneSpelling(0), { cost: 2, fix: LOWER_CASE_FIRST_MERGE }],
  ['last-spelling-only', 'has only the values of the last spelling of each name', inOneSpelling(-1), { cost: 2, fix: LOWER_CASE_FIRST_MERGE }],
  ['lowered-last', 'has its headers merged and sorted by their names in the case in which they are sent, and converted to lower case last', mergedBySpelling(true), { cost: 2 }],
  ['sorted-as-written', 'has its headers sorted by their names in the case in which they are sent', inOrder(sortedByTrimmedName)],
  ['sorted-as-received', 'has its headers sorted by their names as they are received, with spaces and tabs before the colon', inOrder(sortedByName), { cost: 2 }],
  ['grouped-as-written', 'is sorted by its names in the case in which they are sent, with the values of one name in order', inOrder(groupedAsWritten), { cost: 2, fix: LOWER_CASE_FIRST }],
  [
    'grouped-by-first-spelling',
    'is sorted by the first spelling of each name, with the values of one name in order',
    inOrder((headers) => groupedAsWritten(headers, firstOfEachName(headers))),
    { cost: 2, fix: LOWER_CASE_FIRST },
  ],
  ['without-empty', 'lacks headers whose value is empty', withoutEmptyEntries, { fix: 'sign a header with an empty value as its name and a colon' }],
  ['trimmed-after-merging', 'has values trimmed only after they are merged', afterMerging('trimValue'), { fix: 'trim each value, then merge' }],
  ['unfolded-after-merging', 'has values unfolded only after they are merged', afterMerging('unfold'), { cost: 2, fix: 'unfold each value, then merge' }],
  ['merged-as-neighbours', 'has headers of one name merged only if they are adjacent', mergedAsNeighbours, { cost: 2, fix: 'merge all headers of one name, adjacent or not' }],
  ['trimmed-before-unfolding', 'has values trimmed before they are unfolded', trimmedFirst(), { fix: 'unfold each value, then trim it' }],
  ['start-trimmed-before-unfolding', 'has spaces and tabs at the start of values removed only before they are unfolded', startTrimmedFirst, { fix: 'unfold each value, then trim it', cost: 2 }],
  ['trimmed-before-unfolding-checked', 'has values trimmed before they are unfolded, and is refused if a line break is left', trimmedFirst(refuseBreak), { fix: 'unfold each value, then trim it', cost: 2 }],
  ['line-for-none', 'is a line feed if the request has no extra headers', (right, headers, context) => right(headers, context) || '\n', { fix: 'write nothing for the extra headers if the request has none' }],
  ['then-line-feed', 'is followed by an additional line feed', (right, headers, context) => `${right(headers, context)}\n`, { fix: RESOURCE_NEXT }],
  ['then-line-feed-unless-none', 'is followed by an additional line feed if it is not empty', (right, headers, context) => endedUnlessEmpty(right(headers, context)), { fix: RESOURCE_NEXT }],
  ['without-last-line-feed', 'lacks its last line feed', (right, headers, context) => right(headers, context).replace(/\n$/, ''), { fix: 'end every extra header with a line feed, including the last one' }],
]);
