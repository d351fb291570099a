/**
 * Mistakes that are deduced from answers: a percent-encoder with its own set of characters, media types that are guessed
 * for some file extensions, and other words for words of the protocol. There are too many such sets to list.
 *
 * @module
 */

import { keysOf } from '../values.ts';
import { formatList } from '../wording.ts';
import type { StepName } from './changes/change.ts';
import { ENCODERS, percent } from './changes/encoders.ts';
import { kebab } from './generated.ts';
import type { Mistake } from './mistake.ts';
import { PLACES, type Place } from './places.ts';
import { knownExtensionOf, typesOfExtensions } from './single-step/positional-lines.ts';

/** An escape, or a single character. */
const UNIT = /%[0-9A-Fa-f]{2}|[\s\S]/gu;

/** For units of the correct text, the text that an encoder writes instead. */
export type Spelling = ReadonlyMap<string, string>;

/**
 * How an encoder wrote the correct text; `undefined` if the texts are equal or differ in more than escapes.
 *
 * @param right the text as encoded by §5.3
 */
export function spellingOf(right: string, actual: string): Spelling | undefined {
  const spelling = new Map<string, string>();
  let at = 0;
  for (const unit of right.match(UNIT) ?? []) {
    const spelled = spellings(unit).find((one) => actual.startsWith(one, at));
    if (spelled === undefined) return undefined;
    // A unit that stays the same says nothing about the encoder.
    if (spelled !== unit) spelling.set(unit, spelled);
    at += spelled.length;
  }
  return at === actual.length && isUsable(spelling) ? spelling : undefined;
}

/** An encoder that spells more units than this in another way has a simpler description than a list of them. */
const MOST_UNITS = 24;

const isUsable = ({ size }: Spelling): boolean => size > 0 && size <= MOST_UNITS;

/** The texts that an encoder may write for a unit. A text comes before its own prefixes. */
function spellings(unit: string): readonly string[] {
  if (unit.length === 3) {
    const byte = Number.parseInt(unit.slice(1), 16);
    const plain = byte < 128 ? [String.fromCharCode(byte)] : [];
    return [`%25${unit.slice(1)}`, unit, unit.toLowerCase(), ...(byte === 32 ? ['+'] : []), ...plain];
  }
  const code = unit.codePointAt(0) ?? 0;
  return code < 128 ? [unit, percent(code), percent(code).toLowerCase()] : [unit];
}

/** Joins the spellings of several texts by one encoder; `undefined` if they contradict each other, are empty or spell too many units. */
export function joinedSpelling(spellings: readonly Spelling[]): Spelling | undefined {
  const all = new Map<string, string>();
  for (const [unit, spelled] of spellings.flatMap((one) => [...one])) {
    if (all.has(unit) && all.get(unit) !== spelled) return undefined;
    all.set(unit, spelled);
  }
  return isUsable(all) ? all : undefined;
}

/** Higher than the cost of listed encoders, so that a listed encoder wins if it also fits. */
const COST = 2;

type PlacedFix = readonly [place: Place, fix: string];

/** The clauses of the listed encoders by their ids. */
const CLAUSE_OF: ReadonlyMap<string, string> = new Map(ENCODERS.changes.map(([id, clause]) => [id, clause]));

/** The place of each step that can encode, with its fix for encoders. The fixes differ: at some places, every encoder is wrong. */
const ENCODING: ReadonlyMap<StepName, PlacedFix> = new Map(
  PLACES.flatMap((place) => {
    const encoder = place.changes.find(({ id, clause }) => CLAUSE_OF.get(id) === clause);
    return encoder ? [[place.step, [place, encoder.fix] as const] as const] : [];
  }),
);

const known = new Map<string, Mistake>();

/** For each of these steps that can encode, the mistake of encoding in this way. */
export function fittedEncoders(spelling: Spelling, steps: Iterable<StepName>): readonly Mistake[] {
  return [...steps].flatMap((step) => {
    const at = ENCODING.get(step);
    if (at === undefined) return [];
    const id = `${kebab(step)}/spelled-${[...spelling].map(([unit, spelled]) => codeOf(unit) + kindOf(unit, spelled)[0]).join('-')}`;
    const made = known.get(id) ?? fittedAt(at, id, spelling);
    known.set(id, made);
    return [made];
  });
}

type SpellingKind = 'kept' | 'plus' | 'twice' | 'lower' | 'escaped' | 'small';

function kindOf(unit: string, spelled: string): SpellingKind {
  if (unit === '%20' && spelled === '+') return 'plus';
  if (spelled.length === 1) return 'kept';
  if (spelled.length === 5) return 'twice';
  if (unit.length === 3) return 'lower';
  return spelled === percent(unit.codePointAt(0) ?? 0) ? 'escaped' : 'small';
}

const codeOf = (unit: string): string => (unit.length === 3 ? unit.slice(1) : (unit.codePointAt(0) ?? 0).toString(16)).toLowerCase();

function fittedAt([{ step, noun, rule }, fix]: PlacedFix, id: string, spelling: Spelling): Mistake {
  const respelled = (text: unknown): unknown => (typeof text === 'string' ? text.replace(UNIT, (unit) => spelling.get(unit) ?? unit) : text);
  const wrap =
    (right: (...given: unknown[]) => unknown) =>
    (...given: unknown[]) =>
      respelled(right(...given));
  return {
    id,
    rule,
    wrong: `${noun} ${clauseOf(spelling)}`,
    fix: fix.replaceAll('{noun}', noun),
    change: { [step]: wrap },
    steps: [step],
    order: 2,
    cost: COST,
  };
}

const CLAUSES: Readonly<Record<SpellingKind, (signs: string) => string>> = {
  kept: (signs) => `has ${signs} unescaped`,
  escaped: (signs) => `has ${signs} escaped`,
  small: (signs) => `has ${signs} escaped with lower-case hexadecimal digits`,
  plus: () => 'has "+" for a space',
  twice: (signs) => `has ${signs} escaped twice`,
  lower: () => 'has escapes with lower-case hexadecimal digits',
};

/** `has "!" and "*" unescaped and has "~" escaped`. */
function clauseOf(spelling: Spelling): string {
  const kinds = new Map<SpellingKind, string[]>();
  for (const [unit, spelled] of spelling) {
    const kind = kindOf(unit, spelled);
    kinds.set(kind, [...(kinds.get(kind) ?? []), describeUnit(unit)]);
  }
  return formatList([...kinds].map(([kind, signs]) => CLAUSES[kind](formatList(signs))));
}

/** The mistake of signing the media type of these file extensions if no Content-Type is sent; with a verb, only for that verb. */
export function guessedTypes(extensions: readonly string[], verb?: string): Mistake {
  const [suffix, clause] = verb === undefined ? ['', ''] : [`-for-${verb.toLowerCase()}`, ` and the verb ${verb}`];
  const id = `positional-values/types-of-${extensions.join('-')}${suffix}`;
  const change = typesOfExtensions(extensions, verb);
  const made = known.get(id) ?? {
    id,
    rule: '5.2/positional-absent',
    wrong: `a Content-Type is guessed from the file name and signed, but not sent, for the file ${extensions.length === 1 ? 'extension' : 'extensions'} ${formatList(extensions)}${clause}`,
    fix: 'sign an empty line if no Content-Type is sent, or send the type that is signed',
    change,
    steps: keysOf(change),
    order: 0,
    cost: COST,
  };
  known.set(id, made);
  return made;
}

/** The steps that write words of the protocol, which an implementation may replace with any other word. */
export const WORD_STEPS: readonly StepName[] = [
  'presignedName',
  'signatureName',
  'instantUploadName',
  'instantUploadPath',
  'urlScheme',
  'sentScheme',
  'booleanText',
];

/** For words of the protocol, the words that an implementation writes instead. */
export type Words = ReadonlyMap<string, string>;

/**
 * The word that an actual text has instead of a word; `undefined` if it keeps the word, or if their difference is not only there.
 *
 * @param right the text with the correct word
 */
export function otherWord(right: string, actual: string, word: string): string | undefined {
  const other = otherName(right, actual, word) ?? otherAtDifference(right, actual, word);
  return other !== undefined && other !== word && /^[!-~]{1,40}$/.test(other) ? other : undefined;
}

/** The other name of a query pair. The pairs of a pre-signed URL can be in any order. */
function otherName(right: string, actual: string, name: string): string | undefined {
  const [due, sent] = [right, actual].map((text) => text.split(/[?&]/).slice(1));
  const pair = due?.find((one) => one.startsWith(`${name}=`));
  const value = pair?.slice(name.length);
  return value === undefined ? undefined : sent?.find((one) => one.endsWith(value) && !due?.includes(one))?.slice(0, -value.length);
}

/** The other word at the first difference of two texts. */
function otherAtDifference(right: string, actual: string, word: string): string | undefined {
  let first = 0;
  while (first < right.length && right[first] === actual[first]) first += 1;
  const at = right.lastIndexOf(word, first);
  const after = at + word.length;
  if (at < 0 || first > after) return undefined;
  const end = after === right.length ? actual.length : actual.indexOf(right.charAt(after), at);
  return actual.slice(at, Math.max(at, end));
}

/** The mistake of writing other words in a step. */
export function replacedWords(step: StepName, words: Words): Mistake | undefined {
  const place = PLACES.find((one) => one.step === step);
  if (!place || words.size === 0) return undefined;
  const { noun, rule } = place;
  const id = `${kebab(step)}/${[...words].map(([word, other]) => `${escapeWord(word)}-as-${escapeWord(other)}`).join('-and-')}`;
  const pairs = [...words].map(([word, other]) => [`"${word}"`, `"${other}"`] as const);
  const made = known.get(id) ?? {
    id,
    rule,
    wrong: `${noun} is ${formatList(pairs.map(([word, other]) => `${other} instead of ${word}`))}`,
    fix: `write ${formatList(pairs.map(([word, other]) => `${word}, not ${other},`))} as ${noun}`,
    change: { [step]: replacing(words) },
    steps: [step],
    order: 2,
    cost: COST,
  };
  known.set(id, made);
  return made;
}

const replacing =
  (words: Words) =>
  (right: (...given: unknown[]) => unknown) =>
  (...given: unknown[]) => {
    const text = right(...given);
    return typeof text === 'string' ? (words.get(text) ?? text) : text;
  };

/** In ids, a dot and two hexadecimal digits stand for each other byte. */
const escapeWord = (word: string): string => word.replace(/[^A-Za-z0-9]/g, (sign) => `.${percent(sign.charCodeAt(0)).slice(1)}`);
const unescapeWord = (escaped: string): string => escaped.replace(/[.]([0-9A-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

function wordsMistake(id: string): Mistake | undefined {
  const [place, change = ''] = id.split('/');
  const step = WORD_STEPS.find((name) => kebab(name) === place);
  const words = change.split('-and-').map((pair): readonly [string, string] => {
    const [word = '', other = ''] = pair.split('-as-').map(unescapeWord);
    return [word, other];
  });
  const made = step && replacedWords(step, new Map(words));
  return made?.id === id && words.every((pair) => pair.every(Boolean)) ? made : undefined;
}

/** How the mark after a code in an id, the first letter of a kind, spells a unit. */
const SPELLED: Readonly<Record<string, (unit: string) => string>> = {
  k: (unit) => String.fromCharCode(Number.parseInt(unit.slice(1), 16)),
  e: (unit) => percent(unit.codePointAt(0) ?? 0),
  p: () => '+',
  t: (unit) => `%25${unit.slice(1)}`,
  l: (unit) => unit.toLowerCase(),
  s: (unit) => percent(unit.codePointAt(0) ?? 0).toLowerCase(),
};

/** The deduced mistake with this id, even if this process has not deduced it from an answer. */
export function fittedMistake(id: string): Mistake | undefined {
  const [, extensions, verb] = /^positional-values[/]types-of-([a-z0-9-]+?)(?:-for-([a-z]+))?$/.exec(id) ?? [];
  const guessed = extensions?.split('-') ?? [];
  if (guessed.length > 0) return guessed.every((one) => knownExtensionOf(`.${one}`) === one) ? guessedTypes(guessed, verb?.toUpperCase()) : undefined;
  const [place, codes = ''] = id.split('/spelled-');
  if (id.includes('-as-')) return wordsMistake(id);
  if (!codes.split('-').every((code) => /^[0-9a-f]{1,6}[keplst]$/.test(code))) return undefined;
  const spelling = codes.split('-').map((code): readonly [string, string] => {
    const [digits, mark] = [code.slice(0, -1), code.slice(-1)];
    const unit = mark === 'e' || mark === 's' ? String.fromCharCode(Number.parseInt(digits, 16)) : `%${digits.toUpperCase()}`;
    return [unit, SPELLED[mark]?.(unit) ?? unit];
  });
  const step = [...ENCODING.keys()].find((name) => kebab(name) === place);
  return step ? fittedEncoders(new Map(spelling), [step]).find((mistake) => mistake.id === id) : undefined;
}

const describeUnit = (unit: string): string => {
  const text = unit.length === 3 ? String.fromCharCode(Number.parseInt(unit.slice(1), 16)) : unit;
  return /^[!-~]$/.test(text) ? `"${text}"` : text === ' ' ? 'a space' : unit;
};
