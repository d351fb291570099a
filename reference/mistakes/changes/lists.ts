/**
 * Changes of lists, of pairs in them, and of the pieces of laid-out texts.
 *
 * @module
 */
import { joinPieces } from '../../signing/bytes.ts';
import type { Piece } from '../../signing/types.ts';
import { type Change, fixedBy, type Item, type Kind, kind } from './change.ts';

/** Changes of any list. */
export const LISTS: Kind<(items: readonly unknown[]) => readonly unknown[]> = kind('put every element into {noun} once, in order', [
  ['reversed', 'is reversed', (items) => items.toReversed()],
  ['first-only', 'is cut to its first element', (items) => items.slice(0, 1)],
  ['last-only', 'is cut to its last element', (items) => items.slice(-1)],
  ['without-first', 'lacks its first element', (items) => items.slice(1)],
  ['without-last', 'lacks its last element', (items) => items.slice(0, -1)],
  ['empty', 'is empty', () => []],
  ['doubled', 'is repeated as a whole', (items) => [...items, ...items], { cost: 3 }],
  ['two-only', 'is cut to its first two elements', (items) => items.slice(0, 2), { cost: 2 }],
  ['ends-only', 'is cut to its first and its last element', (items) => (items.length > 2 ? [...items.slice(0, 1), ...items.slice(-1)] : items), { cost: 2 }],
  ['single-left-out', 'is empty if it has only one element', (items) => (items.length === 1 ? [] : items), { cost: 2 }],
]);

type Pairs = (items: readonly Item[]) => readonly Item[];

export const firstOfName: Pairs = (items) => items.filter(([name], i) => items.findIndex(([other]) => other === name) === i);
export const lastOfName: Pairs = (items) => items.filter(([name], i) => items.findLastIndex(([other]) => other === name) === i);
/** The last text of each name, at the first position of the name. */
export const lastInPlaceOfFirst: Pairs = (items) => [...new Map(items)];
const firstInAnyCase: Pairs = (items) => items.filter(([name], i) => items.findIndex(([other]) => other.toLowerCase() === name.toLowerCase()) === i);
const oneInAnyCase: Pairs = (items) => {
  const texts = new Map(items.map(([name, text]) => [name.toLowerCase(), text]));
  return firstInAnyCase(items).map(([name, text]) => [name, texts.get(name.toLowerCase()) ?? text]);
};

const EMPTY_TOO = fixedBy('put every pair into {noun}, also one whose value is empty or only whitespace');
const ZERO_TOO = fixedBy('put every pair into {noun}, also one whose value is empty or "0"');

/** Changes of a list of names and texts. */
export const PAIRS: Kind<Pairs> = kind('put every pair into {noun}, whatever its name and value', [
  ['without-empty', 'lacks pairs whose value is empty', (items) => items.filter(([, text]) => text !== ''), EMPTY_TOO],
  ['without-blank', 'lacks pairs whose value is empty or only whitespace', (items) => items.filter(([, text]) => /\S/.test(text)), EMPTY_TOO],
  ['without-falsy', 'lacks pairs whose value is empty or "0", as by empty() of PHP', (items) => items.filter(([, text]) => text !== '' && text !== '0'), ZERO_TOO],
  ['without-zero', 'lacks pairs whose value is "0"', (items) => items.filter(([, text]) => text !== '0'), { ...ZERO_TOO, cost: 2 }],
  ['without-empty-names', 'lacks pairs whose name is empty', (items) => items.filter(([name]) => name !== ''), { cost: 2 }],
  ['first-of-name', 'keeps only the first pair of each name', firstOfName],
  ['last-of-name', 'keeps only the last pair of each name', lastOfName],
  ['last-in-place-of-first', 'has the last value of a repeated name at the first position of the name', lastInPlaceOfFirst],
  ['one-in-any-case', 'keeps one pair for names that differ only in case, with the last value', oneInAnyCase],
  ['first-text-in-any-case', 'keeps only the first pair of names that differ only in case', firstInAnyCase, { cost: 2 }],
  ['upper-case-first-names', 'lacks pairs whose name starts with a lower-case letter', (items) => items.filter(([name]) => !/^[a-z]/.test(name)), { cost: 3 }],
  ['without-underscored', 'lacks pairs whose name begins with an underscore', (items) => items.filter(([name]) => !name.startsWith('_')), { cost: 2 }],
  ['without-names-with-dots', 'lacks pairs whose name has a dot', (items) => items.filter(([name]) => !name.includes('.')), { cost: 2 }],
]);

/**
 * Leaves out a parameter with a fixed name, or moves it to the start or the end.
 *
 * @param position where it belongs, for the fix: `at its place in byte order`
 */
export const arranged = (names: readonly string[], position: string): Kind<Pairs> =>
  kind(
    `put each parameter ${position}`,
    names.flatMap((name): Change<Pairs>[] => {
      const is = (item: Item): boolean => item[0] === name;
      const isNot = (item: Item): boolean => item[0] !== name;
      const id = name.toLowerCase();
      const fix = `put the parameter ${name} ${position}`;
      return [
        [`${id}-left-out`, `lacks the parameter ${name}`, (items) => items.filter(isNot), { fix: `put the parameter ${name} into {noun}` }],
        [`${id}-first`, `has the parameter ${name} first`, (items) => [...items.filter(is), ...items.filter(isNot)], { fix }],
        [`${id}-last`, `has the parameter ${name} last`, (items) => [...items.filter(isNot), ...items.filter(is)], { fix }],
      ];
    }),
  );

/** Wrong separators. */
const BREAKS: readonly (readonly [id: string, text: string, said: string])[] = [
  ['crlf', '\r\n', 'a carriage return and a line feed'],
  ['lf', '\n', 'a line feed'],
  ['space', ' ', 'a space'],
  ['nothing', '', 'nothing'],
  ['backslash-n', '\\n', 'a backslash and the letter n'],
  ['comma', ',', 'a comma'],
  ['comma-space', ', ', 'a comma and a space'],
  ['ampersand', '&', 'an ampersand'],
  ['equals', '=', 'an equals sign'],
  ['slash', '/', 'a slash'],
  ['colon', ':', 'a colon'],
  ['colon-space', ': ', 'a colon and a space'],
  ['semicolon', ';', 'a semicolon'],
  ['bar', '|', 'a vertical bar'],
  ['dot', '.', 'a dot'],
  ['dash', '-', 'a dash'],
  ['two', '\n\n', 'two line feeds'],
  ['nul', '\0', 'a NUL'],
];

type Pieces = readonly Piece[];
type Layout = (pieces: Pieces) => Pieces;

const isPlural = (name: string): boolean => /^the (?:extra headers|parameters)$/.test(name);
const beOf = (name: string): string => (isPlural(name) ? 'are' : 'is');
const itOf = (name: string): string => (isPlural(name) ? 'them' : 'it');
const slugOf = (name: string): string => name.replace(/^the /, '').toLowerCase().replaceAll(' ', '-');
const LINE_FEED: Piece = ['', '\n'];
const isEmpty = (pieces: Pieces, name: string): boolean => textOf(pieces, name) === '';
const textOf = (pieces: Pieces, name: string): string | undefined => pieces.find(([own]) => own === name)?.[1];
const withText = (piece: Piece, text: string): Piece => (piece[2] ? [piece[0], text, true] : [piece[0], text]);

/** A piece with the separator after it, if it has one. */
function unit(pieces: Pieces, name: string): Pieces {
  const start = pieces.findIndex(([own]) => own === name);
  if (start < 0) return [];
  return pieces.slice(start, pieces[start + 1]?.[2] ? start + 2 : start + 1);
}
function withoutUnit(pieces: Pieces, name: string): Pieces {
  const left = unit(pieces, name);
  return pieces.filter((piece) => !left.includes(piece));
}
/** Without the separator before a piece. */
function withoutBreakBefore(pieces: Pieces, name: string): Pieces {
  const at = pieces.findIndex(([own]) => own === name);
  return pieces.filter((piece, i) => i !== at - 1 || !piece[2]);
}
/** Replaces one piece. */
const replacing = (name: string, others: (piece: Piece) => Pieces): Layout => {
  return (pieces) => pieces.flatMap((piece) => (piece[0] === name ? others(piece) : [piece]));
};
const exchanging = (name: string, other: string): Layout => {
  return (pieces) => {
    const texts = new Map([
      [name, textOf(pieces, other)],
      [other, textOf(pieces, name)],
    ]);
    return pieces.map((piece) => (texts.has(piece[0]) ? withText(piece, texts.get(piece[0]) ?? '') : piece));
  };
};
const unlessEmpty = (others: (piece: Piece) => Pieces): ((piece: Piece) => Pieces) => {
  return (piece) => (piece[1] === '' ? [piece] : others(piece));
};
const afterFeed = (piece: Piece): Pieces => [LINE_FEED, piece];
const beforeFeed = (piece: Piece): Pieces => [piece, LINE_FEED];

/** The lines of a piece after all others; nothing if the piece is empty. */
function lastLine(own: Pieces, isEnded: boolean): Pieces {
  const lines = joinPieces(own).replace(/\n$/, '');
  return lines === '' ? [] : [LINE_FEED, ['', lines], ...(isEnded ? [LINE_FEED] : [])];
}

function moved(name: string, order: string): Change<Layout>[] {
  const id = slugOf(name);
  const place = `write {noun} in this order: ${order}`;
  const noFeedBefore = `write no line feed before ${name} in {noun}`;
  const noFeedAfter = `write no additional line feed after ${name} in {noun}`;
  return [
    [`${id}-first`, `starts with ${name}`, (p) => [...unit(p, name), ...withoutUnit(p, name)], { fix: place, cost: 2 }],
    [`${id}-last`, `ends with ${name}`, (p) => [...withoutUnit(p, name), ...unit(p, name)], { fix: place, cost: 2 }],
    [`${id}-last-line`, `ends with ${name} on a line of its own, without a line feed at the end`, (p) => [...withoutUnit(p, name), ...lastLine(unit(p, name), false)], { fix: place, cost: 2 }],
    [`${id}-last-ended-line`, `ends with ${name} on a line of its own, with a line feed at the end`, (p) => [...withoutUnit(p, name), ...lastLine(unit(p, name), true)], { fix: place, cost: 2 }],
    [`break-before-${id}`, `has a line feed before ${name}`, replacing(name, afterFeed), { fix: noFeedBefore }],
    [`break-before-${id}-unless-empty`, `has a line feed before ${name}, unless ${name} ${beOf(name)} empty`, replacing(name, unlessEmpty(afterFeed)), { fix: noFeedBefore }],
    [`break-after-${id}`, `has an additional line feed after ${name}`, replacing(name, beforeFeed), { fix: noFeedAfter }],
    [`break-after-${id}-unless-empty`, `has an additional line feed after ${name}, unless ${name} ${beOf(name)} empty`, replacing(name, unlessEmpty(beforeFeed)), { fix: noFeedAfter, cost: 2 }],
  ];
}

const exchanged = (name: string, others: readonly string[]): Change<Layout>[] =>
  others.map((other, i) => {
    const notes = { fix: `write ${name} before ${other} in {noun}`, cost: i === 0 ? 1 : 2 };
    return [`${slugOf(name)}-and-${slugOf(other)}-exchanged`, `has ${name} and ${other} swapped`, exchanging(name, other), notes];
  });

/** A separator that is lost with an empty part. */
const unlessPartIsEmpty = (name: string, id: string, place: 'before' | 'after', lose: (pieces: Pieces, name: string) => Pieces): Change<Layout> => [
  `${id}-when-empty`,
  `lacks the separator ${place} ${name} if ${name} ${beOf(name)} empty`,
  (pieces) => (isEmpty(pieces, name) ? lose(pieces, name) : pieces),
  { fix: `write the separator ${place} ${name} in {noun} even if ${name} ${beOf(name)} empty` },
];

/** A line that is lost if its text is empty. */
const unlessLineIsEmpty = (name: string): Change<Layout> => [
  `without-${slugOf(name)}-when-empty`,
  `has no line for ${name} if ${name} is empty`,
  (pieces) => (isEmpty(pieces, name) ? withoutUnit(pieces, name) : pieces),
  { fix: `write an empty line for ${name} in {noun} if ${name} is empty` },
];

/** The name of a piece in sentences. */
const said = (name: string): string => name.replace('the break', 'the line feed');

/** Drops, repeats and moves the pieces of a text, and changes its separators. */
export function laidOut(names: readonly string[], breaks: readonly string[]): Kind<Layout> {
  const all = [...names, ...breaks];
  const order = names.join(', ');
  return kind(`write these separators in {noun}: ${breaks.map(said).join(', ')}`, [
    ...all.map((name): Change<Layout> => [`without-${slugOf(name)}`, `lacks ${said(name)}`, replacing(name, () => []), { fix: `write ${said(name)} in {noun}` }]),
    ...names.map((name): Change<Layout> => {
      return [`without-${slugOf(name)}-and-its-break`, `lacks ${name} and the separator after ${itOf(name)}`, (p) => withoutUnit(p, name), { fix: `write ${name} and the separator after ${itOf(name)} in {noun}` }];
    }),
    ...names.map((name) => (breaks.includes(`the break after ${name}`) ? unlessLineIsEmpty(name) : unlessPartIsEmpty(name, `without-${slugOf(name)}`, 'after', withoutUnit))),
    ...names.slice(1).map((name) => unlessPartIsEmpty(name, `without-break-before-${slugOf(name)}`, 'before', withoutBreakBefore)),
    [
      'without-empty-pieces',
      'lacks the separator after each empty part',
      (p) => names.reduce((kept, name) => (isEmpty(kept, name) ? withoutUnit(kept, name) : kept), p),
      { fix: 'write the separator after each part of {noun} even if the part is empty' },
    ],
    ...all.map((name): Change<Layout> => [`${slugOf(name)}-twice`, `has ${said(name)} twice`, replacing(name, (piece) => [piece, piece]), { fix: `write ${said(name)} in {noun} only once`, cost: 2 }]),
    ...names.flatMap((name) => moved(name, order)),
    ...names.flatMap((name, i) => exchanged(name, names.slice(i + 1))),
    ...BREAKS.flatMap(([id, mark, words]): Change<Layout>[] => [
      ...(breaks.length > 1 ? [[`breaks-${id}`, `has ${words} instead of each of its separators`, (p) => p.map((piece) => (piece[2] ? withText(piece, mark) : piece))] satisfies Change<Layout>] : []),
      ...breaks.map((name): Change<Layout> => {
        return [`${slugOf(name)}-as-${id}`, `has ${words} instead of ${said(name)}`, replacing(name, (piece) => [withText(piece, mark)]), { fix: `write ${said(name)} in {noun}, and nothing else in its place` }];
      }),
    ]),
  ]);
}
