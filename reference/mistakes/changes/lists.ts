/**
 * Changes of lists, of pairs in them, and of the pieces of laid-out texts.
 *
 * @module
 */
import type { Piece } from '../../signing/types.ts';
import { type Change, type Item, type Kind, kind } from './change.ts';

/** Changes of any list. */
export const LISTS: Kind<(items: readonly unknown[]) => readonly unknown[]> = kind('use {noun} whole, in its order', [
  ['reversed', 'is reversed', (items) => items.toReversed()],
  ['first-only', 'is cut to its first element', (items) => items.slice(0, 1)],
  ['last-only', 'is cut to its last element', (items) => items.slice(-1)],
  ['without-first', 'lacks its first element', (items) => items.slice(1)],
  ['without-last', 'lacks its last element', (items) => items.slice(0, -1)],
  ['empty', 'is empty', () => []],
  ['doubled', 'is repeated as a whole', (items) => [...items, ...items], { cost: 3 }],
  ['two-only', 'is cut to its first two elements', (items) => items.slice(0, 2), { cost: 2 }],
]);

type Pairs = (items: readonly Item[]) => readonly Item[];

export const firstOfName: Pairs = (items) => items.filter(([name], i) => items.findIndex(([other]) => other === name) === i);
export const lastOfName: Pairs = (items) => items.filter(([name], i) => items.findLastIndex(([other]) => other === name) === i);
/** The last text of each name, where the name comes first. */
export const lastInPlaceOfFirst: Pairs = (items) => [...new Map(items)];
const firstInAnyCase: Pairs = (items) => items.filter(([name], i) => items.findIndex(([other]) => other.toLowerCase() === name.toLowerCase()) === i);
const oneInAnyCase: Pairs = (items) => {
  const texts = new Map(items.map(([name, text]) => [name.toLowerCase(), text]));
  return firstInAnyCase(items).map(([name, text]) => [name, texts.get(name.toLowerCase()) ?? text]);
};

/** Changes of a list of names and texts. */
export const PAIRS: Kind<Pairs> = kind('use every pair of {noun}', [
  ['without-empty', 'lacks the pairs whose text is empty', (items) => items.filter(([, text]) => text !== '')],
  ['without-blank', 'lacks the pairs whose text is empty or blank', (items) => items.filter(([, text]) => text.trim() !== '')],
  ['without-falsy', 'lacks the pairs whose text is empty or "0", as by empty() of PHP', (items) => items.filter(([, text]) => text !== '' && text !== '0')],
  ['without-zero', 'lacks the pairs whose text is "0"', (items) => items.filter(([, text]) => text !== '0'), { cost: 2 }],
  ['without-empty-names', 'lacks the pairs whose name is empty', (items) => items.filter(([name]) => name !== ''), { cost: 2 }],
  ['first-of-name', 'keeps the first pair of each name only', firstOfName],
  ['last-of-name', 'keeps the last pair of each name only', lastOfName],
  ['last-in-place-of-first', 'has the last text of a repeated name where the name came first', lastInPlaceOfFirst],
  ['one-in-any-case', 'keeps one pair of the names that differ in case only, with the last text', oneInAnyCase],
  ['first-text-in-any-case', 'keeps the first of the pairs whose names differ in case only', firstInAnyCase, { cost: 2 }],
  ['upper-case-first-names', 'lacks the pairs whose name starts with a lower-case letter', (items) => items.filter(([name]) => !/^[a-z]/.test(name)), { cost: 3 }],
  ['without-names-with-dots', 'lacks the pairs whose name has a dot', (items) => items.filter(([name]) => !name.includes('.')), { cost: 2 }],
]);

/** What becomes of one of the fixed names of parameters: left out, first, last. */
export const arranged = (names: readonly string[]): Kind<Pairs> =>
  kind(
    'give each parameter the place that its order gives it',
    names.flatMap((name): Change<Pairs>[] => {
      const is = (item: Item): boolean => item[0] === name;
      const isNot = (item: Item): boolean => item[0] !== name;
      const id = name.toLowerCase();
      const fix = `give the parameter ${name} the place that its order gives it`;
      return [
        [`${id}-left-out`, `lacks the parameter ${name}`, (items) => items.filter(isNot), { fix: `put the parameter ${name} into {noun}` }],
        [`${id}-first`, `has the parameter ${name} first, out of order`, (items) => [...items.filter(is), ...items.filter(isNot)], { fix }],
        [`${id}-last`, `has the parameter ${name} last, out of order`, (items) => [...items.filter(isNot), ...items.filter(is)], { fix }],
      ];
    }),
  );

/** Texts that stand for line breaks and other marks by mistake. */
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

const slugOf = (name: string): string => name.replace(/^the /, '').toLowerCase().replaceAll(' ', '-');
const LINE_FEED: Piece = ['', '\n'];
const isEmpty = (pieces: Pieces, name: string): boolean => textOf(pieces, name) === '';
const textOf = (pieces: Pieces, name: string): string | undefined => pieces.find(([own]) => own === name)?.[1];
const withText = (piece: Piece, text: string): Piece => (piece[2] ? [piece[0], text, true] : [piece[0], text]);

/** A piece with its break, if one follows. */
function unit(pieces: Pieces, name: string): Pieces {
  const start = pieces.findIndex(([own]) => own === name);
  if (start < 0) return [];
  return pieces.slice(start, pieces[start + 1]?.[2] ? start + 2 : start + 1);
}
function withoutUnit(pieces: Pieces, name: string): Pieces {
  const left = unit(pieces, name);
  return pieces.filter((piece) => !left.includes(piece));
}
/** What comes in the place of one piece. */
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

function moved(name: string): Change<Layout>[] {
  const id = slugOf(name);
  const place = `put ${name} in its place in {noun}`;
  const noFeedBefore = `put no line feed before ${name} in {noun}`;
  const noFeedAfter = `put no further line feed behind ${name} in {noun}`;
  return [
    [`${id}-first`, `starts with ${name}`, (p) => [...unit(p, name), ...withoutUnit(p, name)], { fix: place, cost: 2 }],
    [`${id}-last`, `ends with ${name}`, (p) => [...withoutUnit(p, name), ...unit(p, name)], { fix: place, cost: 2 }],
    [`break-before-${id}`, `has a line feed before ${name}`, replacing(name, afterFeed), { fix: noFeedBefore }],
    [`break-before-${id}-unless-empty`, `has a line feed before ${name} where it is not empty`, replacing(name, unlessEmpty(afterFeed)), { fix: noFeedBefore }],
    [`break-after-${id}`, `has a further line feed behind ${name}`, replacing(name, beforeFeed), { fix: noFeedAfter }],
    [`break-after-${id}-unless-empty`, `has a further line feed behind ${name} where it is not empty`, replacing(name, unlessEmpty(beforeFeed)), { fix: noFeedAfter, cost: 2 }],
  ];
}

const exchanged = (name: string, others: readonly string[]): Change<Layout>[] =>
  others.map((other, i) => {
    const notes = { fix: `put ${name} before ${other} in {noun}`, cost: i === 0 ? 1 : 2 };
    return [`${slugOf(name)}-and-${slugOf(other)}-exchanged`, `has ${name} and ${other} exchanged`, exchanging(name, other), notes];
  });

/** Drops, doubles and moves the pieces of a laid-out text, and changes its breaks. */
export function laidOut(names: readonly string[], breaks: readonly string[]): Kind<Layout> {
  const all = [...names, ...breaks];
  return kind('use the breaks of {noun} that the specification gives', [
    ...all.map((name): Change<Layout> => [`without-${slugOf(name)}`, `lacks ${name}`, replacing(name, () => []), { fix: `put ${name} into {noun}` }]),
    ...names.map((name): Change<Layout> => {
      return [`without-${slugOf(name)}-and-its-break`, `lacks ${name} and the break behind it`, (p) => withoutUnit(p, name), { fix: `put ${name} and its break into {noun}` }];
    }),
    ...names.map((name): Change<Layout> => {
      const notes = { fix: `keep the break of ${name} in {noun} where it is empty` };
      return [`without-${slugOf(name)}-when-empty`, `lacks ${name} and its break where it is empty`, (p) => (isEmpty(p, name) ? withoutUnit(p, name) : p), notes];
    }),
    [
      'without-empty-pieces',
      'has no break for a part that is empty',
      (p) => names.reduce((kept, name) => (isEmpty(kept, name) ? withoutUnit(kept, name) : kept), p),
      { fix: 'keep the break of each empty part of {noun}' },
    ],
    ...all.map((name): Change<Layout> => [`${slugOf(name)}-twice`, `has ${name} twice`, replacing(name, (piece) => [piece, piece]), { fix: `put ${name} into {noun} once`, cost: 2 }]),
    ...names.flatMap(moved),
    ...names.flatMap((name, i) => exchanged(name, names.slice(i + 1))),
    ...BREAKS.flatMap(([id, mark, said]): Change<Layout>[] => [
      ...(breaks.length > 1 ? [[`breaks-${id}`, `has ${said} for each of its breaks`, (p) => p.map((piece) => (piece[2] ? withText(piece, mark) : piece))] satisfies Change<Layout>] : []),
      ...breaks.map((name): Change<Layout> => {
        return [`${slugOf(name)}-as-${id}`, `has ${said} in the place of ${name}`, replacing(name, (piece) => [withText(piece, mark)]), { fix: `write ${name} of {noun} as the specification does` }];
      }),
    ]),
  ]);
}
