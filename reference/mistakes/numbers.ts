/**
 * Known mistakes about the text of numbers (§5.1 step 3).
 *
 * @module
 */
import { jsonValue } from '../signing/action-forms.ts';
import { valueText } from '../signing/action-signature.ts';
import { isNumber, numberText, otherNumber } from '../signing/number-text.ts';
import type { Steps } from '../signing/steps.ts';
import type { Mistake } from './mistake.ts';

type NumberText = Steps['numberText'];

/** Of a number that became a double; what is no number is refused as ever. */
const ofDouble =
  (text: (value: number) => string): NumberText =>
  (digits) =>
    numberText(digits) && text(Number(digits));

/** Of a number with a fraction; whole ones keep their text. */
const ofFraction =
  (text: (value: number) => string): NumberText =>
  (digits) => {
    const plain = numberText(digits);
    return plain.includes('.') ? text(Number(digits)) : plain;
  };

/** `Double.toString` of Java. */
function javaDouble(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-3 && size < 1e7)) {
    return Number.isInteger(value) ? `${value}.0` : `${value}`;
  }
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  return `${mantissa}${mantissa.includes('.') ? '' : '.0'}E${exponent.replace('+', '')}`;
}

/** `str` of a Python float with a fraction. */
function pythonFloat(value: number): string {
  if (Math.abs(value) >= 1e-4) return `${value}`;
  return value.toExponential().replace(/e-([0-9])$/, 'e-0$1');
}

/** What is no number, as a language prints it; what it has no word for is refused as ever. */
const words =
  (nan: string, infinity: string, minusInfinity: string): NumberText =>
  (text) => {
    const printed: Readonly<Record<string, string>> = {
      NaN: nan,
      Infinity: infinity,
      '-Infinity': minusInfinity,
    };
    return printed[text] ?? otherNumber(text);
  };

/** The body has the text that is signed; elsewhere, it has the number, however the text of that went wrong. */
const asSigned: Steps['jsonValue'] = (value, context) =>
  typeof value === 'object' ? valueText(value, context) : jsonValue(value, context);

/** Every known mistake about the text of numbers. */
export const NUMBERS: readonly Mistake[] = [
  {
    id: 'number-as-written',
    rule: '5.1/plain-decimal',
    swap: { numberText: (digits) => numberText(digits) && digits, jsonValue: asSigned },
    cause: 'numbers are signed as they are written, 1e3 and 42.0',
    fix: 'write every number as plain decimal text, without exponent and trailing zeros',
  },
  {
    id: 'number-trailing-zeros-kept',
    rule: '5.1/number-fraction',
    swap: {
      numberText: (digits) => {
        const plain = numberText(digits);
        return /[eE]|^-0(?:[.]0+)?$/.test(digits) ? plain : digits;
      },
      jsonValue: asSigned,
    },
    cause: 'fractions keep the zeros at their end, 42.0 and 1.50',
    fix: 'drop the zeros at the end of a fraction, and the point after which nothing is left',
  },
  {
    id: 'number-double',
    rule: '5.1/number-precision',
    swap: { heldNumber: (digits) => numberText(`${Number(digits)}`) },
    cause: 'numbers become doubles and lose the digits beyond 2^53',
    fix: 'keep the digits of a number as they are given, or use a decimal type',
  },
  {
    id: 'number-fraction-double',
    rule: '5.1/number-precision',
    swap: {
      heldNumber: (digits) =>
        numberText(digits).includes('.') ? numberText(`${Number(digits)}`) : digits,
    },
    cause: 'numbers with a fraction become doubles and lose the digits beyond the seventeenth',
    fix: 'keep the digits of a number as they are given, or use a decimal type',
    seen: 'ucloud-sdk-go 0.22.17, ucloud-sdk-java-common 1.2.26',
  },
  {
    id: 'number-javascript',
    rule: '5.1/plain-decimal',
    swap: { numberText: ofDouble((value) => `${value}`) },
    cause: 'numbers are written as JavaScript prints them, 1e+21 and 1e-7',
    fix: 'write every number as plain decimal text, without an exponent',
  },
  {
    id: 'number-python',
    rule: '5.1/plain-decimal',
    swap: { numberText: ofFraction(pythonFloat) },
    cause: 'fractions are written as Python prints a float, 1e-06',
    fix: 'write every number as plain decimal text, for example format(value, "f") of a Decimal',
    seen: 'ucloud-sdk-python3 0.11.150',
  },
  {
    id: 'number-java',
    rule: '5.1/plain-decimal',
    swap: { numberText: ofDouble(javaDouble) },
    cause: 'numbers are written as Java prints a double, 2.0 and 1.0E21',
    fix: 'write whole numbers without a fraction, and none with an exponent',
  },
  {
    id: 'number-minus-zero-kept',
    rule: '5.1/number-fraction',
    swap: {
      signOfZero: (digits) => (/^-[0.]+$/.test(digits) ? '-' : ''),
      jsonValue: asSigned,
    },
    cause: 'minus zero keeps its sign, as a floating point number prints it',
    fix: 'write zero as 0, whatever its sign',
  },
  {
    id: 'number-minus-zero-fraction-kept',
    rule: '5.1/number-fraction',
    swap: {
      signOfZero: (digits) => (/^-0[.]0+$/.test(digits) ? '-' : ''),
      jsonValue: asSigned,
    },
    cause: 'minus zero keeps its sign where it has a fraction, -0 for -0.0',
    fix: 'write zero as 0, whatever its sign',
    seen: 'ucloud-sdk-go 0.22.17, ucloud-sdk-java-common 1.2.26',
  },
  {
    id: 'number-zero-before-point-left-out',
    rule: '5.1/plain-decimal',
    swap: { numberText: (digits) => numberText(digits).replace(/^(-?)0[.]/, '$1.') },
    cause: 'a fraction below one is written without the zero before its point, .5 for 0.5',
    fix: 'write the zero before the point',
    seen: 'ucloud-sdk-java-common 1.2.26',
  },
  {
    id: 'number-two-decimals',
    rule: '5.1/number-fraction',
    swap: { numberText: ofFraction((value) => value.toFixed(2)) },
    cause: 'fractions are written with two decimals',
    fix: 'write the decimals that the number has, no more and no less',
  },
  {
    id: 'number-fraction-cut',
    rule: '5.1/plain-decimal',
    swap: { numberText: (digits) => numberText(digits).replace(/[.].*/, '').replace(/^-0$/, '0') },
    cause: 'numbers become integers and lose their fraction',
    fix: 'keep the fraction of a number',
  },
  {
    id: 'number-decimal-comma',
    rule: '5.1/plain-decimal',
    swap: { numberText: (digits) => numberText(digits).replace('.', ',') },
    cause: 'the decimal point is a comma, as the locale has it',
    fix: 'write numbers with a point, whatever the locale',
    seen: 'ucloud-sdk-java-common 1.2.26, in a German locale',
  },
  {
    id: 'number-64-bits',
    rule: '5.1/number-precision',
    swap: {
      heldNumber: (digits) => {
        const plain = numberText(digits);
        return plain.includes('.') ? digits : `${BigInt.asIntN(64, BigInt(plain))}`;
      },
    },
    cause: 'whole numbers are cut to 64 bits',
    fix: 'keep all digits of a number',
  },
  {
    id: 'number-unchecked',
    rule: '5.1/number-syntax',
    swap: {
      otherNumber: (text) => text,
      jsonValue: (value, context) =>
        typeof value === 'object' && !isNumber(value.number)
          ? value.number
          : jsonValue(value, context),
    },
    cause: 'what JSON has no number for, such as NaN or 0x10, is signed as it is written',
    fix: 'refuse what has no plain decimal text',
  },
  {
    id: 'number-parsed-leniently',
    rule: '5.1/number-syntax',
    swap: { otherNumber: (text) => numberText(`${Number(text)}`) },
    cause: 'what JSON has no number for, such as 0x10 or +1, is guessed at',
    fix: 'refuse numbers that JSON would not write so',
  },
  {
    id: 'number-python-words',
    rule: '5.1/number-syntax',
    swap: { otherNumber: words('nan', 'inf', '-inf') },
    cause: 'the numbers NaN and infinity are signed as the words nan and inf',
    fix: 'refuse what has no plain decimal text',
    seen: 'ucloud-sdk-python3 0.11.150',
  },
  {
    id: 'number-go-words',
    rule: '5.1/number-syntax',
    swap: { otherNumber: words('NaN', '+Inf', '-Inf') },
    cause: 'the numbers NaN and infinity are signed as the words NaN and +Inf',
    fix: 'refuse what has no plain decimal text',
    seen: 'ucloud-sdk-go 0.22.17',
  },
  {
    id: 'number-java-words',
    rule: '5.1/number-syntax',
    swap: { otherNumber: words('NaN', '∞', '-∞') },
    cause: 'the numbers NaN and infinity are signed as NaN and ∞, as DecimalFormat of Java has it',
    fix: 'refuse what has no plain decimal text',
    seen: 'ucloud-sdk-java-common 1.2.26',
  },
];
