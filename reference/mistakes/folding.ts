/**
 * Mistakes in the values of extra headers and in the lines that they become (§5.2, steps 4 to 6).
 *
 * @module
 */
import { headerEntry } from '../signing/canonical-headers.ts';
import { InputError } from '../signing/errors.ts';
import { checkHeaderValue, trimBlanks, unfold } from '../signing/header-lines.ts';
import type { Mistake } from './mistake.ts';

const FOLDS: readonly Mistake[] = [
  {
    id: 'folds-kept',
    rule: '5.2/headers-unfolded',
    swap: { unfold: (value) => value },
    cause: 'a folded value is signed with its line ends',
    fix: 'replace each fold by a single space',
  },
  {
    id: 'folds-removed',
    rule: '5.2/headers-unfolded',
    swap: { unfold: (value) => value.replace(/(?<![ \t])[ \t]*(?:\r?\n[ \t]+)+/g, '') },
    cause: 'a fold is removed with nothing in its place',
    fix: 'replace each fold by a single space',
  },
  {
    id: 'folds-as-in-mail',
    rule: '5.2/headers-unfolded',
    swap: { unfold: (value) => value.replace(/\r?\n(?=[ \t])/g, '') },
    cause: 'only the line end of a fold is removed and its blanks stay, as in mail',
    fix: 'replace the line end and all blanks beside it by a single space',
  },
  {
    id: 'folds-as-two-spaces',
    rule: '5.2/headers-unfolded',
    swap: { unfold: (value) => value.replace(/\r?\n(?=[ \t])/g, ' ') },
    cause: 'the line end of a fold becomes a space and its blanks stay behind it',
    fix: 'replace the line end and all blanks beside it by a single space',
  },
  {
    id: 'folds-without-carriage-return',
    rule: '5.2/headers-unfolded',
    swap: { unfold: (value) => value.replaceAll('\r\n', '\n') },
    cause: 'of a fold only the carriage return is removed',
    fix: 'replace each fold by a single space',
  },
  {
    id: 'folds-at-crlf-only',
    rule: '5.2/headers-unfolded',
    swap: { unfold: (value) => value.replace(/(?<![ \t])[ \t]*(?:\r\n[ \t]+)+/g, ' ') },
    cause: 'a fold at a line feed without a carriage return is not taken for one',
    fix: 'unfold at CRLF and at a bare line feed',
  },
  {
    id: 'folds-at-lf-only',
    rule: '5.2/headers-unfolded',
    swap: { unfold: (value) => value.replace(/(?<![ \t])[ \t]*(?:\n[ \t]+)+/g, ' ') },
    cause: 'the carriage return before the line feed of a fold stays',
    fix: 'replace the whole fold, the carriage return included, by a single space',
  },
  {
    id: 'folds-first-only',
    rule: '5.2/headers-unfolded',
    swap: { unfold: (value) => value.replace(/(?<![ \t])[ \t]*\r?\n[ \t]+/, ' ') },
    cause: 'only the first fold of a value is replaced',
    fix: 'replace every fold of a value',
  },
  {
    id: 'folds-with-blanks-before',
    rule: '5.2/headers-unfolded',
    swap: { unfold: (value) => value.replace(/\r?\n[ \t]+/g, ' ') },
    cause: 'blanks before the line end of a fold stay',
    fix: 'replace the blanks on both sides of the line end, with it, by a single space',
  },
  {
    id: 'folds-cut-off',
    rule: '5.2/headers-unfolded',
    swap: { unfold: (value) => value.split(/\r?\n/, 1).join() },
    cause: 'a value ends at its first fold',
    fix: 'go on with the next line when it starts with a blank',
  },
  {
    id: 'folds-refused',
    rule: '5.2/headers-unfolded',
    swap: {
      checkHeaderValue: (name, value) => {
        checkHeaderValue(name, value);
        if (value.includes('\n')) {
          throw new InputError('header-value', 'a header value has a line end');
        }
      },
    },
    cause: 'a folded value is refused, as newer HTTP has it',
    fix: 'unfold the value before it is checked',
  },
];

const BLANKS: readonly Mistake[] = [
  {
    id: 'blanks-collapsed',
    rule: '5.2/headers-inner-blanks',
    swap: { trimValue: (value) => trimBlanks(value).replace(/ {2,}/g, ' ') },
    cause: 'runs of spaces inside a value become one space, as another service has it',
    fix: 'leave the spaces inside a value as they are',
  },
  {
    id: 'blanks-all-collapsed',
    rule: '5.2/headers-inner-blanks',
    swap: { unfold: (value) => unfold(value).replace(/\s+/g, ' ') },
    cause:
      'all white space inside a value, tabs and no-break spaces included, becomes single spaces',
    fix: 'replace folds only, and leave all other white space as it is',
  },
  {
    id: 'blanks-from-tabs',
    rule: '5.2/headers-inner-blanks',
    swap: { unfold: (value) => unfold(value).replaceAll('\t', ' ') },
    cause: 'tabs inside a value become spaces',
    fix: 'leave a tab that is not a part of a fold as it is',
  },
  {
    id: 'blanks-at-the-end-kept',
    rule: '5.2/headers-trailing-blanks',
    swap: { trimValue: (value) => value.replace(/^[ \t]+/, '') },
    cause: 'blanks after the value stay',
    fix: 'remove spaces and tabs at the end of the value',
  },
  {
    id: 'blanks-kept',
    rule: '5.2/headers-colon-blanks',
    swap: { trimValue: (value) => value },
    cause: 'blanks before and after the value stay',
    fix: 'remove spaces and tabs at both ends of the value',
  },
  {
    id: 'blanks-trimmed-after-merging',
    rule: '5.2/headers-colon-blanks',
    swap: {
      trimValue: (value) => value,
      joinValues: (values) => trimBlanks(values.join(',')),
    },
    cause: 'values are merged first and trimmed as one',
    fix: 'trim each value, then merge',
  },
  {
    id: 'blanks-trimmed-spaces-only',
    rule: '5.2/headers-colon-blanks',
    swap: { trimValue: (value) => value.replace(/^ +|(?<! ) +$/g, '') },
    cause: 'tabs around the value stay',
    fix: 'remove spaces and tabs at both ends of the value',
  },
  {
    id: 'blanks-trimmed-in-unicode',
    rule: '5.2/headers-colon-blanks',
    swap: { trimValue: (value) => value.trim() },
    cause: 'no-break and other Unicode spaces around the value are removed with the blanks',
    fix: 'remove spaces and tabs only',
  },
  {
    id: 'blanks-before-colon-kept',
    rule: '5.2/headers-colon-blanks',
    swap: { trimName: (name) => name },
    cause: 'blanks between the name and the colon stay',
    fix: 'remove spaces and tabs on both sides of the colon',
  },
  {
    id: 'blank-after-colon-added',
    rule: '5.2/headers-colon-blanks',
    swap: { headerEntry: (name, value) => `${name}: ${value}\n` },
    cause: 'a space is written after the colon, as in HTTP',
    fix: 'write name, colon and value without a space',
  },
];

const LINES: readonly Mistake[] = [
  {
    id: 'header-lines-in-lower-case',
    rule: '5.2/headers-lower-case',
    swap: { headerEntry: (name, value) => headerEntry(name, value).toLowerCase() },
    cause: 'the values of extra headers are converted to lower case with the names',
    fix: 'convert the name alone and leave the value as it is',
  },
  {
    id: 'header-values-cut-at-colon',
    rule: '5.2/headers-colon-blanks',
    swap: { trimValue: (value) => trimBlanks(value.replace(/:.*/s, '')) },
    cause: 'the header line is split at every colon, so a value ends at its own first one',
    fix: 'split the line at its first colon only',
  },
  {
    id: 'header-values-url-encoded',
    rule: '5.2/headers-inner-blanks',
    swap: { trimValue: (value) => encodeURI(trimBlanks(value)) },
    cause: 'values are percent-encoded before they are signed',
    fix: 'sign values as they are sent',
  },
  {
    id: 'header-lines-unended',
    rule: '5.2/headers-line-feed',
    swap: { headerEntry: (name, value) => `${name}:${value}` },
    cause: 'extra headers follow each other without line feeds',
    fix: 'end every extra header with a line feed',
  },
  {
    id: 'header-lines-last-unended',
    rule: '5.2/headers-line-feed',
    swap: { joinHeaderEntries: (entries) => entries.join('').replace(/\n$/, '') },
    cause: 'line feeds stand between the extra headers, but none before the resource',
    fix: 'end every extra header with a line feed, the last one too',
  },
  {
    id: 'header-lines-at-crlf',
    rule: '5.2/headers-line-feed',
    swap: { headerEntry: (name, value) => `${name}:${value}\r\n` },
    cause: 'extra headers end with CRLF, as in HTTP',
    fix: 'end every extra header with a line feed alone',
  },
  {
    id: 'header-lines-and-one-more',
    rule: '5.2/headers-line-feed',
    swap: { joinHeaderEntries: (entries) => `${entries.join('')}\n` },
    cause: 'one more line feed stands between the extra headers and the resource',
    fix: 'let the resource follow the line feed of the last extra header at once',
  },
  {
    id: 'header-line-for-none',
    rule: '5.2/headers-none',
    swap: { joinHeaderEntries: (entries) => entries.join('') || '\n' },
    cause: 'a request without extra headers gets an empty line in their place',
    fix: 'write nothing at all where there are no extra headers',
  },
];

/** What becomes of the values of extra headers, and of their lines. */
export const FOLDING: readonly Mistake[] = [...FOLDS, ...BLANKS, ...LINES];
