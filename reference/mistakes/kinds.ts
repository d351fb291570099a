/**
 * How the changes of a kind become changes of a step: of what it returns, of what it is given, or of the whole step.
 *
 * @module
 */
import type { Steps } from '../signing/index.ts';
import type { Piece } from '../signing/types.ts';
import type { Item, Kind } from './changes/change.ts';
import type { StepName, Wraps } from './mistake.ts';

/** Any step; which one it is, its place knows. */
export type Step = (...given: readonly unknown[]) => unknown;

/** A change of a step, with the words that go behind the noun of its place. */
export interface StepChange {
  readonly id: string;
  readonly clause: string;
  readonly fix: string;
  readonly cost: number;
  readonly order: number;
  readonly wrap: (right: never) => unknown;
  /** Further steps that the same slip of the pen changes. */
  readonly also?: Wraps | undefined;
}

/** On one step: replacements first, then lists and their order, then texts, then encodings. */
const ORDER = { instead: 0, list: 1, text: 2 } as const;

/** Makes the changes of a kind into changes of a step, once for all places. */
type Way = <F>(kind: Kind<F>) => readonly StepChange[];

function way(order: number, wrap: (apply: Step) => (right: Step) => unknown): Way {
  const made = new Map<unknown, readonly StepChange[]>();
  return (kind) => {
    const known = made.get(kind);
    if (known) return known;
    const changes = kind.changes.map(([id, clause, apply, notes]): StepChange => {
      const { fix = kind.fix, cost = 1, also } = notes ?? {};
      return { id, clause, fix, cost, order, wrap: wrap(apply as Step), also };
    });
    made.set(kind, changes);
    return changes;
  };
}

const afterStep =
  (apply: Step) =>
  (right: Step): Step =>
  (...given) =>
    apply(right(...given));
const aroundStep =
  (apply: Step) =>
  (right: Step): Step =>
  (...given) =>
    apply(right, ...given);

/** Changes what the step returns. */
export const returned: Way = way(ORDER.text, afterStep);

/** Changes the list that the step returns. */
export const listed: Way = way(ORDER.list, afterStep);

/** Changes what the step is given first. */
export const given: Way = way(
  ORDER.text,
  (apply) =>
    (right): Step =>
    (first, ...rest) =>
      right(apply(first), ...rest),
);

/** Puts another step, or another value, in the place of the right one. */
export const instead: Way = way(ORDER.instead, (apply) => () => apply);

/** A change of one step, which is given the right one before what that is given. */
export type Around<Name extends StepName> = Steps[Name] extends (...given: infer Given) => infer Made ? (right: Steps[Name], ...given: Given) => Made : never;

/** Changes of what one step is given or returns, where no other way has all that they need. */
export const around: Way = way(ORDER.instead, aroundStep);
/** The same, on the lists that the step returns. */
export const aroundList: Way = way(ORDER.list, aroundStep);
/** The same, on the texts that the step returns. */
export const aroundText: Way = way(ORDER.text, aroundStep);

/** JSON's numbers; what is none is refused, or accepted by another mistake. */
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

const inPlaceOfNumbers: Way = way(
  ORDER.instead,
  (apply) =>
    (right): Step =>
    (...given) =>
      (NUMBER.test(String(given[0])) ? apply : right)(...given),
);

/** Puts another step in the place of the right one where that is given a number; dearer than in the steps that it takes, which it hides. */
export const insteadForNumbers: Way = (kind) => inPlaceOfNumbers(kind).map((change) => ({ ...change, cost: change.cost + 1 }));

/** Changes a decision; `always` and `never` are what the implementation does then. */
export function decided(always: string | undefined, never: string | undefined, fix: string): readonly StepChange[] {
  const one = (id: string, clause: string | undefined, value: boolean): readonly StepChange[] =>
    clause === undefined ? [] : [{ id, clause, fix, cost: 1, order: ORDER.instead, wrap: () => () => value }];
  return [...one('always', always, true), ...one('never', never, false)];
}

/** Leaves a check out. */
export const unchecked = (fix: string): readonly StepChange[] => [
  {
    id: 'unchecked',
    clause: 'is not checked',
    fix,
    cost: 1,
    order: 0,
    wrap: () => () => undefined,
  },
];

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

type Layout = (pieces: readonly Piece[]) => readonly Piece[];

/** Drops, doubles and moves the pieces of a laid-out text, and changes its breaks. */
export function laidOut(names: readonly string[], breaks: readonly string[]): readonly StepChange[] {
  const all = [...names, ...breaks];
  const change = (id: string, clause: string, fix: string, layout: Layout, cost = 1): StepChange => ({
    id,
    clause,
    fix,
    cost,
    order: ORDER.list,
    wrap: ((right: Step) =>
      (...parts: unknown[]) =>
        layout(right(...parts) as readonly Piece[])) as StepChange['wrap'],
  });
  const slug = (name: string): string => name.replace(/^the /, '').toLowerCase().replaceAll(' ', '-');
  const at = (pieces: readonly Piece[], name: string): number => pieces.findIndex(([own]) => own === name);
  const without = (pieces: readonly Piece[], name: string): readonly Piece[] => pieces.filter(([own]) => own !== name);
  /** With its break, if one follows. */
  const unit = (pieces: readonly Piece[], name: string): readonly Piece[] => {
    const start = at(pieces, name);
    if (start < 0) return [];
    return pieces.slice(start, pieces[start + 1]?.[2] ? start + 2 : start + 1);
  };
  const withoutUnit = (pieces: readonly Piece[], name: string): readonly Piece[] => pieces.filter((piece) => !unit(pieces, name).includes(piece));
  const text = (piece: Piece, other: string): Piece => (piece[2] ? [piece[0], other, true] : [piece[0], other]);
  return [
    ...all.map((name) => change(`without-${slug(name)}`, `lacks ${name}`, `put ${name} into {noun}`, (p) => without(p, name))),
    ...names.map((name) =>
      change(`without-${slug(name)}-and-its-break`, `lacks ${name} and the break behind it`, `put ${name} and its break into {noun}`, (p) =>
        withoutUnit(p, name),
      ),
    ),
    ...names.map((name) =>
      change(
        `without-${slug(name)}-when-empty`,
        `lacks ${name} and its break where it is empty`,
        `keep the break of ${name} in {noun} where it is empty`,
        (p) => (p[at(p, name)]?.[1] === '' ? withoutUnit(p, name) : p),
      ),
    ),
    change('without-empty-pieces', 'has no break for a part that is empty', 'keep the break of each empty part of {noun}', (p) =>
      names.reduce((kept, name) => (kept[at(kept, name)]?.[1] === '' ? withoutUnit(kept, name) : kept), p),
    ),
    ...all.map((name) =>
      change(
        `${slug(name)}-twice`,
        `has ${name} twice`,
        `put ${name} into {noun} once`,
        (p) => p.flatMap((piece) => (piece[0] === name ? [piece, piece] : [piece])),
        2,
      ),
    ),
    ...names.flatMap((name) => [
      change(`${slug(name)}-first`, `starts with ${name}`, `put ${name} in its place in {noun}`, (p) => [...unit(p, name), ...withoutUnit(p, name)], 2),
      change(`${slug(name)}-last`, `ends with ${name}`, `put ${name} in its place in {noun}`, (p) => [...withoutUnit(p, name), ...unit(p, name)], 2),
      change(`break-before-${slug(name)}`, `has a line feed before ${name}`, `put no line feed before ${name} in {noun}`, (p) =>
        p.flatMap((piece) => (piece[0] === name ? ([['', '\n'], piece] as const) : [piece])),
      ),
      change(
        `break-before-${slug(name)}-unless-empty`,
        `has a line feed before ${name} where it is not empty`,
        `put no line feed before ${name} in {noun}`,
        (p) => p.flatMap((piece) => (piece[0] === name && piece[1] !== '' ? ([['', '\n'], piece] as const) : [piece])),
      ),
      change(`break-after-${slug(name)}`, `has a further line feed behind ${name}`, `put no further line feed behind ${name} in {noun}`, (p) =>
        p.flatMap((piece) => (piece[0] === name ? ([piece, ['', '\n']] as const) : [piece])),
      ),
      change(
        `break-after-${slug(name)}-unless-empty`,
        `has a further line feed behind ${name} where it is not empty`,
        `put no further line feed behind ${name} in {noun}`,
        (p) => p.flatMap((piece) => (piece[0] === name && piece[1] !== '' ? ([piece, ['', '\n']] as const) : [piece])),
        2,
      ),
    ]),
    ...names.flatMap((name, i) =>
      names.slice(i + 1).map((other) =>
        change(
          `${slug(name)}-and-${slug(other)}-exchanged`,
          `has ${name} and ${other} exchanged`,
          `put ${name} before ${other} in {noun}`,
          (p) => {
            const [a, b] = [p[at(p, name)]?.[1] ?? '', p[at(p, other)]?.[1] ?? ''];
            return p.map((piece) => (piece[0] === name ? text(piece, b) : piece[0] === other ? text(piece, a) : piece));
          },
          i + 1 === names.indexOf(other) ? 1 : 2,
        ),
      ),
    ),
    ...BREAKS.flatMap(([id, mark, said]) => [
      ...(breaks.length > 1
        ? [
            change(`breaks-${id}`, `has ${said} for each of its breaks`, 'use the breaks of {noun} that the specification gives', (p) =>
              p.map((piece) => (piece[2] ? text(piece, mark) : piece)),
            ),
          ]
        : []),
      ...breaks.map((name) =>
        change(`${slug(name)}-as-${id}`, `has ${said} in the place of ${name}`, `write ${name} of {noun} as the specification does`, (p) =>
          p.map((piece) => (piece[0] === name ? text(piece, mark) : piece)),
        ),
      ),
    ]),
  ];
}

/** What becomes of one of the fixed names in a list of pairs: left out, first, last, doubled. */
export function arranged(names: readonly string[], what: string): readonly StepChange[] {
  const named = (id: string, name: string, clause: string, fix: string, list: (items: readonly Item[]) => readonly Item[]): StepChange => ({
    id: `${name.toLowerCase()}-${id}`,
    clause,
    fix,
    cost: 1,
    order: ORDER.list,
    wrap: ((right: Step) =>
      (...all: unknown[]) =>
        list(right(...all) as readonly Item[])) as StepChange['wrap'],
  });
  return names.flatMap((name) => {
    const is = (item: Item): boolean => item[0] === name;
    const isNot = (item: Item): boolean => item[0] !== name;
    return [
      named('left-out', name, `lacks ${what} ${name}`, `put ${what} ${name} into {noun}`, (l) => l.filter(isNot)),
      named('first', name, `has ${what} ${name} first, out of order`, `give ${what} ${name} the place that its order gives it`, (l) => [
        ...l.filter(is),
        ...l.filter(isNot),
      ]),
      named('last', name, `has ${what} ${name} last, out of order`, `give ${what} ${name} the place that its order gives it`, (l) => [
        ...l.filter(isNot),
        ...l.filter(is),
      ]),
    ];
  });
}

/** Changes of any list. */
export const LISTS: Kind<(items: readonly unknown[]) => readonly unknown[]> = {
  fix: 'use {noun} whole, in its order',
  changes: [
    ['reversed', 'is reversed', (items) => [...items].reverse()],
    ['first-only', 'is cut to its first element', (items) => items.slice(0, 1)],
    ['last-only', 'is cut to its last element', (items) => items.slice(-1)],
    ['without-first', 'lacks its first element', (items) => items.slice(1)],
    ['without-last', 'lacks its last element', (items) => items.slice(0, -1)],
    ['empty', 'is empty', () => []],
    ['doubled', 'is repeated as a whole', (items) => [...items, ...items], { cost: 3 }],
    ['two-only', 'is cut to its first two elements', (items) => items.slice(0, 2), { cost: 2 }],
  ],
};

/** Changes of a list of names and texts. */
export const PAIRS: Kind<(items: readonly Item[]) => readonly Item[]> = {
  fix: 'use every pair of {noun}',
  changes: [
    ['without-empty', 'lacks the pairs whose text is empty', (items) => items.filter(([, text]) => text !== '')],
    ['without-blank', 'lacks the pairs whose text is empty or blank', (items) => items.filter(([, text]) => text.trim() !== '')],
    ['without-falsy', 'lacks the pairs whose text is empty or "0", as by empty() of PHP', (items) => items.filter(([, text]) => text !== '' && text !== '0')],
    ['without-zero', 'lacks the pairs whose text is "0"', (items) => items.filter(([, text]) => text !== '0'), { cost: 2 }],
    ['without-empty-names', 'lacks the pairs whose name is empty', (items) => items.filter(([name]) => name !== ''), { cost: 2 }],
    ['first-of-name', 'keeps the first pair of each name only', (items) => items.filter(([name], i) => items.findIndex(([other]) => other === name) === i)],
    ['last-of-name', 'keeps the last pair of each name only', (items) => items.filter(([name], i) => items.findLastIndex(([other]) => other === name) === i)],
    [
      'last-in-place-of-first',
      'has the last text of a repeated name where the name came first',
      (items) =>
        items
          .filter(([name], i) => items.findIndex(([other]) => other === name) === i)
          .map(([name]) => [name, items.findLast(([other]) => other === name)?.[1] ?? '']),
    ],
    [
      'one-in-any-case',
      'keeps one pair of the names that differ in case only, with the last text',
      (items) => {
        const own = new Map<string, Item>();
        for (const [name, text] of items) {
          const key = name.toLowerCase();
          own.set(key, [own.get(key)?.[0] ?? name, text]);
        }
        return [...own.values()];
      },
    ],
    [
      'first-text-in-any-case',
      'keeps the first of the pairs whose names differ in case only',
      (items) => items.filter(([name], i) => items.findIndex(([other]) => other.toLowerCase() === name.toLowerCase()) === i),
      { cost: 2 },
    ],
    [
      'upper-case-first-names',
      'lacks the pairs whose name starts with a lower-case letter',
      (items) => items.filter(([name]) => !/^[a-z]/.test(name)),
      { cost: 3 },
    ],
    ['without-names-with-dots', 'lacks the pairs whose name has a dot', (items) => items.filter(([name]) => !name.includes('.')), { cost: 2 }],
  ],
};
