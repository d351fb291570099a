/**
 * A header line as HTTP can send it: checks, folds, blanks (RFC 2616 §4.2, RFC 9110 §5).
 *
 * @module
 */
import { InputError } from './errors.ts';
import type { Context } from './steps.ts';
import type { HeaderList } from './types.ts';
import { checkText } from './utf-8.ts';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Line breaks inside a value, with the blanks that fold it. It looks behind, as long blanks would take quadratic time. */
const FOLD = /(?<![ \t])[ \t]*(?:\r?\n[ \t]+)+/g;

/** Only space and tab surround a colon. `trim()` would also eat U+00A0. */
const BLANKS = ' \t';

const LINE_END = /[\0\r\n]/;

/** Whether HTTP can send this as a method or as the name of a header. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** §5.2 step 4: each fold becomes a single space. */
export function unfold(value: string): string {
  return value.includes('\n') ? value.replace(FOLD, ' ') : value;
}

/** §5.2 step 5: no blanks beside the colon. The other end is RFC 9110 §5.5. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANKS.includes(text.charAt(start))) start++;
  while (end > start && BLANKS.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** §5.2 step 1. `toLowerCase()` is Unicode-wide, but a header name is a token and so ASCII. */
export function lowerCaseName(name: string): string {
  return name.toLowerCase();
}

/** Refuses header lines that no request can carry. */
export function checkHeaders(headers: HeaderList, { steps }: Context): void {
  for (const [name, value] of headers) {
    steps.checkHeaderName(name);
    steps.checkHeaderValue(name, value);
  }
}

/** Refuses a name that HTTP cannot send. */
export function checkHeaderName(name: string): void {
  if (isToken(trimBlanks(name))) return;
  throw new InputError(
    'header-name',
    `header name ${JSON.stringify(name)} is not a token (RFC 9110 §5.6.2); remove what is not a letter, a digit or "-"`,
  );
}

/** Refuses a value that would not be one header line. */
export function checkHeaderValue(name: string, value: string): void {
  checkText(`the value of header ${name}`, value);
  if (!LINE_END.test(unfold(value))) return;
  throw new InputError(
    'header-value',
    `the value of header ${name} has a line end that is not a fold, or a NUL (RFC 2616 §4.2); start the next line with a space`,
  );
}
