/**
 * Changes of unfolding and trimming the value of a header (§5.2 steps 4 and 5).
 *
 * @module
 */
import { InputError } from '../../signing/types.ts';
import { type Change, type Kind, kind, table, tabular } from './change.ts';
import { ASCII_SPACES, PHP_SPACES, PYTHON_SPACES, trimmed, UNICODE_SPACES, UP_TO_SPACE } from './texts.ts';

type Rewrite = (text: string) => string;

/** As in the reference: line breaks with the spaces and tabs around them, in linear time. */
const FOLD = /(?<![ \t])[ \t]*(?:\r?\n[ \t]+)+/g;
const FIRST_FOLD = new RegExp(FOLD, '');
const AT_CRLF = /(?<![ \t])[ \t]*(?:\r\n[ \t]+)+/g;
const AT_LF = /(?<![ \t])[ \t]*(?:\n[ \t]+)+/g;
/** Only LF that no CR precedes: Swift takes CR LF for one character, so a search for LF does not find it. */
const AT_BARE_LF = /(?<![ \t])[ \t]*(?:(?<!\r)\n[ \t]+)+/g;
const BY_SPACES = /(?<! ) *(?:\r?\n +)+/g;
const BEGUN_BY_SPACE = /(?<![ \t])[ \t]*(?:\r?\n [ \t]*)+/g;
/** What ends a line for `str.splitlines` of Python. */
const LINE_END = /\r\n|[\n\r\v\f\x1C-\x1E\x85\u2028\u2029]/;
const trimBlanks = trimmed(' \t');
const unfold: Rewrite = (value) => value.replace(FOLD, ' ');
const spaces: Rewrite = (fold) => ' '.repeat(fold.split('\n').length - 1);

function refuse(): never {
  throw new InputError('header-value', 'the value has a line break');
}

/** Wrong ways to unfold that keep some line breaks. */
const KEEPING: readonly Change<Rewrite>[] = table({
  'crlf-only: keeps folds whose line break is LF without CR': (v) => v.replace(AT_CRLF, ' '),
  'bare-lf-only: keeps folds whose line break is CR and LF': (v) => v.replace(AT_BARE_LF, ' '),
  'crlf-blanks-before-only: keeps spaces and tabs before a fold, and folds whose line break is LF without CR': (v) => v.replace(/(?:\r\n[ \t]+)+/g, ' '),
  'crlf-each-only: has a space for each CR LF with its indentation, and keeps spaces and tabs before it, and folds whose line break is LF without CR': (v) => v.replace(/\r\n[ \t]+/g, ' '),
  'crlf-space-only: has a space for CR, LF and one space, and keeps other spaces, tabs and folds': (v) => v.replaceAll('\r\n ', ' '),
  'spaces-only: keeps folds that have tabs': (v) => v.replace(BY_SPACES, ' '),
  'spaces-each-only: has a space for each line break with the spaces around it, and keeps folds that have tabs': (v) => v.replace(BY_SPACES, spaces),
  'spaces-after-only: has a space for each line break with the spaces after it, and keeps spaces before it and folds that have tabs': (v) => v.replace(/\r?\n +/g, ' '),
  'one-space-only: has a space for each line break with one space, and keeps folds that have tabs': (v) => v.replace(/\r?\n /g, ' '),
  'begun-by-space-only: keeps folds whose indentation begins with a tab': (v) => v.replace(BEGUN_BY_SPACE, ' '),
  'begun-by-space-each-only: has a space for each line break, and keeps those after which a tab comes': (v) => v.replace(BEGUN_BY_SPACE, spaces),
  'first-break: keeps all line breaks but the first': (v) => v.replace(/(?<![ \t])[ \t]*\r?\n[ \t]+/, ' '),
  'first-of-trimmed-only: loses spaces and tabs at both ends first, and keeps all folds but the first': (v) => trimBlanks(v).replace(FIRST_FOLD, ' '),
  'first-only: keeps all folds but the first': (v) => v.replace(FIRST_FOLD, ' '),
});

/** The same with a check for line breaks. */
const refusing = ([id, clause, unfolded]: Change<Rewrite>): Change<Rewrite> => [
  `${id}-else-refused`,
  `${clause}, and is refused if a line break is left`,
  (value) => (unfolded(value).includes('\n') ? refuse() : unfolded(value)),
];

/** Wrong ways to unfold. */
export const FOLDS: Kind<Rewrite> = kind('replace each fold of {noun}, with all its line breaks, spaces and tabs, with one space', [
  ...KEEPING,
  ...KEEPING.map(refusing),
  ...table<Rewrite>({
    'kept: keeps its line breaks': (v) => v,
    'deleted: loses its folds without a replacement': (v) => v.replace(FOLD, ''),
    'break-deleted: loses only its line breaks, as in mail': (v) => v.replace(/\r?\n(?=[ \t])/g, ''),
    'break-only: has a space for each line break, and keeps the indentation': (v) => v.replace(/\r?\n(?=[ \t])/g, ' '),
    'one-blank: loses one space or tab of the indentation': (v) => v.replace(/\r?\n[ \t]/g, ' '),
    'whitespace-around: has one space for each fold with all whitespace around it, such as U+00A0': (v) => v.replace(/(?<!\s)\s*\n\s*/g, ' '),
    'blanks-before: keeps spaces and tabs before a fold': (v) => v.replace(/(?:\r?\n[ \t]+)+/g, ' '),
    'indentation-deleted: loses each line break and the indentation behind it, and keeps spaces and tabs before it': (v) => v.replace(/\r?\n[ \t]+/g, ''),
    'several: has a space for each line break of a fold': (v) => v.replace(FOLD, spaces),
    'lf-deleted-whole: loses folds whose line break is LF without CR, and has a space for the others': (v) => v.replace(AT_CRLF, ' ').replace(FOLD, ''),
    'lf-cut: ends at its first fold whose line break is LF without CR': (v) => unfold(v.replace(/(?<![ \t])[ \t]*(?<!\r)\n[ \t].*/s, '')),
    'lf-only: keeps the CR of a fold': (v) => v.replace(AT_LF, ' '),
    'tabs-refused: is refused if a line begins with a tab': (v) => (/\n\t/.test(v) ? refuse() : unfold(v)),
    'blanks-before-each: keeps spaces and tabs before a fold, and has a space for each line break': (v) => v.replace(/\r?\n[ \t]+/g, ' '),
    'later-deleted: has a space for its first fold, and loses the others without a replacement': (v) => v.replace(FIRST_FOLD, ' ').replace(FOLD, ''),
    'cr-deleted: loses only the CR of a fold': (v) => v.replace(/\r(?=\n[ \t])/g, ''),
    'lf-deleted: loses only the LF of a fold': (v) => v.replace(/\n(?=[ \t])/g, ''),
    'as-tab: has a tab for each fold': (v) => v.replace(FOLD, '\t'),
    'as-comma: has a comma for each fold': (v) => v.replace(FOLD, ','),
    'as-crlf: has CRLF and one space for each fold': (v) => v.replace(FOLD, '\r\n '),
    'cut: ends at its first fold': (v) => v.split(FIRST_FOLD, 1)[0] ?? '',
    'last-line: starts after its last fold': (v) => v.split(FOLD).at(-1) ?? '',
    'lines-of-python: has its lines joined by spaces, with all line ends of Unicode, as by splitlines() of Python': (v) => v.split(LINE_END).map(trimBlanks).join(' '),
    'line-ends-of-unicode: has a space for each line end of Unicode, such as U+2028, and the spaces and tabs around it': (v) => unfold(v).split(LINE_END).map(trimBlanks).join(' '),
    'blanks-merged-if-folded: has one space for each run of spaces and tabs if it has a fold': (v) => (v.includes('\n') ? unfold(v).replace(/[ \t]+/g, ' ') : v),
    'whitespace-merged-if-folded: has one space for each run of whitespace if it has a fold': (v) => (v.includes('\n') ? unfold(v).replace(/\s+/g, ' ') : v),
  }),
]);

/** Wrong ways to treat whitespace inside values, folded or not. */
export const INNER_BLANKS: Kind<Rewrite> = tabular('replace only the folds of {noun} with one space, and keep all other whitespace inside it', {
  'spaces-merged: has one space for several spaces': (v) => unfold(v).replace(/ {2,}/g, ' '),
  'blanks-merged: has one space for each run of spaces and tabs': (v) => unfold(v).replace(/[ \t]+/g, ' '),
  'whitespace-merged: has one space for each run of whitespace': (v) => unfold(v).replace(/\s+/g, ' '),
  'whitespace-merged-python: has one space for each run of whitespace, as by split() and join() of Python': (v) => unfold(v).replace(/(?:[^\S\uFEFF]|[\x1C-\x1F\x85])+/g, ' '),
  'tabs-replaced: has spaces for tabs': (v) => unfold(v).replaceAll('\t', ' '),
  'blanks-deleted: loses all spaces and tabs': (v) => unfold(v).replace(/[ \t]+/g, ''),
});

/** Wrong ways to trim. */
export const TRIMS: Kind<Rewrite> = tabular('remove spaces and tabs, and nothing else, at both ends of {noun}', {
  'none: keeps spaces and tabs at both ends': (t) => t,
  'start-only: keeps spaces and tabs at its end': trimmed(' \t', true, false),
  'end-only: keeps spaces and tabs at its start': trimmed(' \t', false),
  'spaces-only: keeps tabs at both ends': trimmed(' '),
  'tabs-only: keeps spaces at both ends': trimmed('\t'),
  'one-only: loses only one space or tab at each end': (t) => t.replace(/^[ \t]|[ \t]$/g, ''),
  'one-at-start-all-at-end: keeps spaces and tabs at its start except for the first one': (t) => t.replace(/^[ \t]/, '').replace(/(?<![ \t])[ \t]+$/, ''),
  'one-at-start: keeps spaces and tabs except for one space at its start': (t) => t.replace(/^ /, ''),
  'ascii: loses all ASCII whitespace at both ends, as by isspace of C': trimmed(ASCII_SPACES),
  "controls: loses U+0000 to U+0020 at both ends, as by Java's trim": trimmed(UP_TO_SPACE),
  "unicode: loses Unicode whitespace at both ends, as by Go's TrimSpace": trimmed(UNICODE_SPACES),
  "js: loses Unicode whitespace at both ends, as by JavaScript's trim": (t) => t.trim(),
  "python: loses Unicode whitespace at both ends, as by Python's strip": trimmed(PYTHON_SPACES),
  "php: loses whitespace and NUL at both ends, as by PHP's trim": trimmed(PHP_SPACES),
  'inner: loses all spaces and tabs, also those inside': (t) => t.replace(/[ \t]+/g, ''),
  'merged: has each run of spaces and tabs inside collapsed into one space': (t) => trimBlanks(t).replace(/[ \t]+/g, ' '),
  'unquoted: loses double quotes around it': (t) => trimBlanks(t).replace(/^"(.*)"$/s, '$1'),
});
