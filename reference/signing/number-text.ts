/**
 * The text of a number (§5.1 step 3).
 *
 * @module
 */
import { InputError } from './errors.ts';

/** A number as JSON writes it (RFC 8259 §6). */
const NUMBER = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Nothing in §5.1 bounds a number; 1e999999999 must not fill the memory. */
const LONGEST_TEXT = 4096;

/** Whether JSON would write a number so. */
export function isNumber(text: string): boolean {
  return NUMBER.test(text);
}

/** Refuses what is no number: NaN and infinity have no digits, and other notations are not guessed at. */
export function otherNumber(text: string): never {
  throw new InputError(
    'number',
    `number ${JSON.stringify(text)} has no plain decimal text (§5.1 step 3); write digits as JSON does`,
  );
}

/**
 * Plain decimal text of any size, exact to the last digit: `1e21` is `1` and 21 zeros.
 *
 * §5.1 does not mention fractions: zeros at their end are dropped, and the point with them.
 *
 * @param number the number as JSON writes it
 */
export function numberText(number: string): string {
  const match = NUMBER.exec(number);
  if (!match) return otherNumber(number);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const significant = (whole + fraction).replace(/^0+/, '');
  const digits = significant.replace(/(?<!0)0+$/, '');
  if (digits === '') return '0';
  /** How many digits stand before the decimal point; none or fewer for a number below 0.1. */
  const point = significant.length - fraction.length + Number(exponent);
  const decimals = Math.max(0, digits.length - point);
  const length = sign.length + Math.max(1, point) + (decimals && 1 + decimals);
  if (length > LONGEST_TEXT) {
    throw new InputError(
      'number',
      `number ${JSON.stringify(number.slice(0, 40))} has ${length} characters as plain decimal text (§5.1 step 3), over ${LONGEST_TEXT}; send it as a text`,
    );
  }
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  const integer = digits.slice(0, point).padEnd(point, '0');
  return decimals === 0 ? sign + integer : `${sign}${integer}.${digits.slice(point)}`;
}
