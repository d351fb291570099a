/**
 * Header lists at the edges of §5.2: names that are prefixes of each other, repeats, folds, spaces and tabs.
 *
 * Lists about which the rules are open are left out: no positional header is folded or repeated.
 *
 * @module
 */
import fc from 'fast-check';
import type { HeaderList, Pair } from '../../../reference/signing/index.ts';
import { character, oneOf, seldom } from './texts.ts';

const word = fc.string({
  unit: character.filter((c) => !/[ \t]/.test(c)),
  maxLength: 3,
});

/** The text before a word: spaces and tabs, or characters that only look like them. */
const gap = fc.oneof(
  { withCrossShrink: true },
  { weight: 4, arbitrary: oneOf('', ' ') },
  { weight: 1, arbitrary: oneOf('  ', '\t', ' \t', '\u00a0', ',', ', ') },
);
const fold = oneOf('\r\n ', '\n ', '\r\n\t', ' \r\n ', '\r\n   ', '\t\n \t', '\r\n \r\n ');

function headerValue(before: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(fc.tuple(before, word), { maxLength: 3 }), before)
    .map(([parts, last]) => parts.map((part) => part.join('')).join('') + last);
}

/** A value of an extra header. */
const extraValue = headerValue(
  fc.oneof(
    { withCrossShrink: true },
    { weight: 5, arbitrary: gap },
    { weight: 1, arbitrary: fold },
  ),
);

/** A value that is not folded. */
const plainValue = headerValue(gap);

const suffix = fc.oneof(
  { withCrossShrink: true },
  {
    weight: 5,
    arbitrary: oneOf(
      ...['a', 'b', 'a-b', 'aa', 'a2', 'a10', 'a_b', 'a.b', 'meta-k', 'meta-', 'Z', 'ID', 'a~', ''],
      'Date',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: oneOf(...'akBZ09-_.~!|'), minLength: 1, maxLength: 3 }),
  },
);

/** Few names in many spellings, so that headers repeat. */
function extraName(prefix: string): fc.Arbitrary<string> {
  const spelled = fc
    .tuple(
      oneOf(prefix, prefix.toLowerCase(), prefix.toUpperCase()),
      fc.oneof({ withCrossShrink: true }, suffix, fc.mixedCase(suffix)),
    )
    .map((parts) => parts.join(''));
  return seldom(
    spelled,
    spelled.map((name) => `${name} `),
  );
}

/** Names of headers that are not signed, some of them similar to signed ones. */
function otherName(prefix: string): fc.Arbitrary<string> {
  const bare = prefix.replace(/-$/, '');
  return oneOf(
    'Host',
    'Content-Length',
    'X-Other',
    bare,
    `${bare}s-a`,
    `${bare}_a`,
    `My-${prefix}a`,
    'Dates',
    'Expires',
    'X-Date',
    'Content-Language',
  );
}

export type PositionalName = 'Content-MD5' | 'Content-Type' | 'Date';

const POSITIONAL: Readonly<Record<PositionalName, fc.Arbitrary<string>>> = {
  'Content-MD5': oneOf('1B2M2Y8AsgTpgAmY7PhCfg==', 'XrY7u+Ae7tCTyyK7j1rNww=='),
  'Content-Type': oneOf('text/plain', 'text/html; charset="utf-8"', 'image/PNG'),
  Date: oneOf('Thu, 09 Jul 2026 07:15:00 GMT', '20260709071500', '2026-07-09T07:15:00Z'),
};

export const POSITIONAL_NAMES: readonly PositionalName[] = ['Content-MD5', 'Content-Type', 'Date'];

export function positionalHeader(name: PositionalName): fc.Arbitrary<Pair> {
  const spelled = fc.oneof(
    { withCrossShrink: true },
    fc.constant(name),
    oneOf(name.toLowerCase(), name.toUpperCase()),
  );
  const value = fc.oneof(
    { withCrossShrink: true },
    { weight: 2, arbitrary: POSITIONAL[name] },
    { weight: 1, arbitrary: plainValue },
  );
  return fc.tuple(spelled, value);
}

export interface HeaderKinds {
  readonly prefix: string;
  /** The positional headers that may appear, each at most once. */
  readonly positional?: readonly PositionalName[];
}

/** Extra headers, positional ones and others in any order. */
export function headerList({
  prefix,
  positional = POSITIONAL_NAMES,
}: HeaderKinds): fc.Arbitrary<HeaderList> {
  const header = fc.oneof(
    { withCrossShrink: true },
    { weight: 5, arbitrary: fc.tuple(extraName(prefix), extraValue) },
    { weight: 2, arbitrary: fc.oneof(...positional.map(positionalHeader)) },
    { weight: 1, arbitrary: fc.tuple(otherName(prefix), plainValue) },
  );
  return fc.array(header, { maxLength: 6 }).map(withoutRepeatedPositional);
}

function isPositional(name: string): boolean {
  return POSITIONAL_NAMES.some((known) => known.toLowerCase() === name.toLowerCase());
}

function withoutRepeatedPositional(headers: HeaderList): HeaderList {
  return headers.filter(
    ([name], i) =>
      !isPositional(name) ||
      headers.findIndex(([other]) => other.toLowerCase() === name.toLowerCase()) === i,
  );
}
