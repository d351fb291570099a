/**
 * Changes of unfolding and trimming the value of a header (§5.2 steps 4 and 5).
 *
 * @module
 */
import { InputError } from '../../signing/types.ts';
import { type Change, type Kind, kind, table, tabular } from './change.ts';
import { ASCII_SPACES, PHP_SPACES, PYTHON_SPACES, trimmed, UNICODE_SPACES, UP_TO_SPACE } from './texts.ts';

type Rewrite = (text: string) => string;

/** The pattern of the reference: line breaks with the spaces and tabs around them, in linear time. */
const FOLD = /(?<![ \t])[ \t]*(?:\r?\n[ \t]+)+/g;
const FIRST_FOLD = new RegExp(FOLD, '');
const CRLF_FOLD = /(?<![ \t])[ \t]*(?:\r\n[ \t]+)+/g;
const LF_FOLD = /(?<![ \t])[ \t]*(?:\n[ \t]+)+/g;
/** Only LF that no CR precedes: Swift takes CR LF for one character, so a search for LF does not find it. */
const BARE_LF_FOLD = /(?<![ \t])[ \t]*(?:(?<!\r)\n[ \t]+)+/g;
const FOLD_OF_SPACES = /(?<! ) *(?:\r?\n +)+/g;
const CRLF_FOLD_OF_SPACES = /(?<![ \t])[ \t]*(?:\r\n +)+/g;
const FOLD_BEGUN_BY_SPACE = /(?<![ \t])[ \t]*(?:\r?\n [ \t]*)+/g;
/** The line breaks of `str.splitlines` of Python. */
const LINE_BREAK = /\r\n|[\n\r\v\f\x1C-\x1E\x85\u2028\u2029]/;
const trimSpacesAndTabs = trimmed(' \t');
const unfold: Rewrite = (value) => value.replace(FOLD, ' ');
const spaces: Rewrite = (fold) => ' '.repeat(fold.split('\n').length - 1);

function refuse(): never {
  throw new InputError('header-value', 'the value has a line break');
}

/** Wrong ways to unfold that keep some line breaks. */
const KEEPING: readonly Change<Rewrite>[] = table({
  'crlf-only: keeps folds whose line break is LF alone': (v) => v.replace(CRLF_FOLD, ' '),
  'bare-lf-only: keeps folds whose line break is CR and LF': (v) => v.replace(BARE_LF_FOLD, ' '),
  'crlf-blanks-before-only: keeps spaces and tabs before a fold, and folds whose line break is LF alone': (v) => v.replace(/(?:\r\n[ \t]+)+/g, ' '),
  'crlf-each-only: has each CR LF and its indentation replaced by a space, but keeps spaces and tabs before it, and folds whose line break is LF alone': (v) => v.replace(/\r\n[ \t]+/g, ' '),
  'crlf-space-only: has only CR, LF and one space replaced by a space, and keeps further spaces, tabs and other folds': (v) => v.replaceAll('\r\n ', ' '),
  'crlf-spaces-only: keeps folds whose line break is LF alone, and folds that have tabs': (v) => v.replace(CRLF_FOLD_OF_SPACES, ' '),
  'spaces-only: keeps folds that have tabs': (v) => v.replace(FOLD_OF_SPACES, ' '),
  'spaces-each-only: has each line break and the spaces around it replaced by a space, but keeps folds that have tabs': (v) => v.replace(FOLD_OF_SPACES, spaces),
  'spaces-after-only: has each line break and the spaces after it replaced by a space, but keeps spaces before it, and folds that have tabs': (v) => v.replace(/\r?\n +/g, ' '),
  'spaces-after-group-only: keeps a tab in the indentation of a fold, and what follows it': (v) => v.replace(/(?<![ \t])[ \t]*(?:\r?\n +)+/g, ' '),
  'one-space-only: has each line break and one space after it replaced by a space, but keeps further spaces, and folds that have tabs': (v) => v.replace(/\r?\n /g, ' '),
  'begun-by-space-only: keeps folds whose indentation begins with a tab': (v) => v.replace(FOLD_BEGUN_BY_SPACE, ' '),
  'begun-by-space-each-only: has one space for each line break of a fold, and keeps folds whose indentation begins with a tab': (v) => v.replace(FOLD_BEGUN_BY_SPACE, spaces),
  'first-break: keeps all line breaks but the first': (v) => v.replace(/(?<![ \t])[ \t]*\r?\n[ \t]+/, ' '),
  'first-of-trimmed-only: is trimmed first, and then keeps all folds but the first': (v) => trimSpacesAndTabs(v).replace(FIRST_FOLD, ' '),
  'first-only: keeps all folds but the first': (v) => v.replace(FIRST_FOLD, ' '),
});

/** The same with a check for line breaks. */
const refusing = ([id, clause, unfolded]: Change<Rewrite>): Change<Rewrite> => [
  `${id}-else-refused`,
  `${clause}; it is refused if a line break is left`,
  (value) => (/[\r\n]/.test(unfolded(value)) ? refuse() : unfolded(value)),
];

/** Wrong ways to unfold. */
export const FOLDS: Kind<Rewrite> = kind('replace each fold of {noun} (line breaks, CRLF or LF, with all spaces and tabs around them) with one space', [
  ...KEEPING,
  ...KEEPING.map(refusing),
  ...table<Rewrite>({
    'kept: keeps its line breaks': (v) => v,
    'deleted: loses its folds, and no space replaces them': (v) => v.replace(FOLD, ''),
    'break-deleted: loses only its line breaks and keeps the indentation after them, as in mail': (v) => v.replace(/\r?\n(?=[ \t])/g, ''),
    'break-only: has each line break replaced by a space, but keeps the indentation after it': (v) => v.replace(/\r?\n(?=[ \t])/g, ' '),
    'one-blank: has each line break and one space or tab after it replaced by a space, but keeps the rest of the indentation': (v) => v.replace(/\r?\n[ \t]/g, ' '),
    'whitespace-around: has each fold replaced by a space together with all whitespace around it, such as U+00A0': (v) => v.replace(/(?<!\s)\s*\n\s*/g, ' '),
    'blanks-before: keeps spaces and tabs before a fold': (v) => v.replace(/(?:\r?\n[ \t]+)+/g, ' '),
    'indentation-deleted: loses each line break and the indentation after it, but keeps spaces and tabs before it, and no space is added': (v) => v.replace(/\r?\n[ \t]+/g, ''),
    'several: has one space for each line break of a fold, not one for the whole fold': (v) => v.replace(FOLD, spaces),
    'lf-deleted-whole: loses folds whose line break is LF alone, and no space replaces them': (v) => v.replace(CRLF_FOLD, ' ').replace(FOLD, ''),
    'lf-cut: ends at its first fold whose line break is LF alone': (v) => unfold(v.replace(/(?<![ \t])[ \t]*(?<!\r)\n[ \t].*/s, '')),
    'lf-only: keeps the CR of a fold': (v) => v.replace(LF_FOLD, ' '),
    'tabs-refused: is refused if a line begins with a tab': (v) => (/\n\t/.test(v) ? refuse() : unfold(v)),
    'blanks-before-each: keeps spaces and tabs before a fold, and has one space for each line break of it': (v) => v.replace(/\r?\n[ \t]+/g, ' '),
    'later-deleted: loses all folds but the first, and no space replaces them': (v) => v.replace(FIRST_FOLD, ' ').replace(FOLD, ''),
    'cr-deleted: loses only the CR of a fold': (v) => v.replace(/\r(?=\n[ \t])/g, ''),
    'lf-deleted: loses only the LF of a fold': (v) => v.replace(/\n(?=[ \t])/g, ''),
    'as-tab: has a tab instead of each fold': (v) => v.replace(FOLD, '\t'),
    'as-comma: has a comma instead of each fold': (v) => v.replace(FOLD, ','),
    'as-crlf: has CRLF and one space instead of each fold': (v) => v.replace(FOLD, '\r\n '),
    'cut: ends at its first fold': (v) => v.split(FIRST_FOLD, 1)[0] ?? '',
    'last-line: starts after its last fold': (v) => v.split(FOLD).at(-1) ?? '',
    'lines-of-python: has its lines joined by spaces, and is split at all line breaks of Unicode, as by splitlines() of Python': (v) => v.split(LINE_BREAK).map(trimSpacesAndTabs).join(' '),
    'line-ends-of-unicode: has each line break of Unicode, such as U+2028, replaced by a space, with the spaces and tabs around it': (v) => unfold(v).split(LINE_BREAK).map(trimSpacesAndTabs).join(' '),
    'blanks-merged-if-folded: has each run of spaces and tabs merged into one space if it has a fold': (v) => (v.includes('\n') ? unfold(v).replace(/[ \t]+/g, ' ') : v),
    'whitespace-merged-if-folded: has each run of whitespace merged into one space if it has a fold': (v) => (v.includes('\n') ? unfold(v).replace(/\s+/g, ' ') : v),
  }),
]);

/** Wrong ways to treat whitespace inside values, folded or not. */
export const INNER_WHITESPACE: Kind<Rewrite> = tabular('replace only folds of {noun} (a line break with the spaces and tabs around it) with one space, and keep all other whitespace inside it', {
  'spaces-merged: has several spaces in a row merged into one': (v) => unfold(v).replace(/ {2,}/g, ' '),
  'blanks-merged: has each run of spaces and tabs merged into one space': (v) => unfold(v).replace(/[ \t]+/g, ' '),
  'whitespace-merged: has each run of whitespace merged into one space': (v) => unfold(v).replace(/\s+/g, ' '),
  'whitespace-merged-python: has each run of whitespace merged into one space, as by split() and join() of Python': (v) => unfold(v).replace(/(?:[^\S\uFEFF]|[\x1C-\x1F\x85])+/g, ' '),
  'tabs-replaced: has tabs replaced by spaces': (v) => unfold(v).replaceAll('\t', ' '),
  'blanks-deleted: loses all spaces and tabs': (v) => unfold(v).replace(/[ \t]+/g, ''),
});

/** Wrong ways to trim. */
export const TRIMS: Kind<Rewrite> = tabular('remove spaces and tabs at both ends of {noun}, and change nothing else in it', {
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
  'merged: has each run of spaces and tabs inside it merged into one space': (t) => trimSpacesAndTabs(t).replace(/[ \t]+/g, ' '),
  'unquoted: loses double quotes at its ends': (t) => trimSpacesAndTabs(t).replace(/^"(.*)"$/s, '$1'),
});
