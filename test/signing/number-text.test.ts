import fc from 'fast-check';
import { expect, test } from 'vitest';
import { actionSignature, InputError, SPECIFICATION } from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { decimal } from './arbitrary-parameters.ts';

/** The text that is signed for a number. */
function numberText(number: string): string {
  const { sortedParameters } = actionSignature([['', { number }]], '', SPECIFICATION);
  return sortedParameters.map(([, text]) => text).join();
}

/** The integer and the exponent of a decimal written as integer × 10^power. */
function parsed(number: string): { readonly integer: bigint; readonly power: number } {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { integer: BigInt(whole + fraction), power: Number(exponent) - fraction.length };
}

function sameValue(one: string, other: string): boolean {
  const [a, b] = [parsed(one), parsed(other)];
  const least = Math.min(a.power, b.power);
  return a.integer * 10n ** BigInt(a.power - least) === b.integer * 10n ** BigInt(b.power - least);
}

/** Numbers whose text without an exponent has up to about 4000 characters. */
const longDecimal = fc
  .tuple(decimal, fc.integer({ min: -4000, max: 4000 }))
  .map(([number, power]) => `${number.replace(/e.*/i, '')}e${power}`);
const anyDecimal = fc.oneof(decimal, longDecimal);

const longInteger = fc
  .tuple(fc.bigInt(), fc.nat(4000))
  .map(([n, zeros]) => (n * 10n ** BigInt(zeros)).toString().slice(0, 4000))
  .map(BigInt);
const integer = fc.oneof(fc.bigInt(), longInteger);

test('§5.1 step 3: the text of an integer has all its digits', () => {
  always([integer], (n) => {
    expect(numberText(`${n}`)).toBe(`${n}`);
  });
});

test('§5.1 step 3: the text of a number is exact, without exponent and extra zeros', () => {
  fc.assert(
    fc.property(anyDecimal, (number) => {
      const text = numberText(number);
      expect(text).toMatch(/^(0|-?(?!0$)(0|[1-9][0-9]*)(\.[0-9]*[1-9])?)$/);
      expect(sameValue(text, number)).toBe(true);
    }),
    { numRuns: 300, examples: [['-0'], ['-0.0e5'], ['9007199254740993'], ['1e21'], ['1e-7']] },
  );
});

test('§5.1 step 3: converting the text of a number again does not change it', () => {
  always([anyDecimal], 300, (number) => {
    const text = numberText(number);
    expect(numberText(text)).toBe(text);
  });
});

test('§5.1 step 3: a number is accepted if and only if it is a JSON number', () => {
  const almost = fc.oneof(
    decimal,
    fc.string({ unit: fc.constantFrom(...'0019+-.eE x\n'), maxLength: 6 }),
  );
  const isNumber = (text: string): boolean => {
    try {
      return typeof JSON.parse(text) === 'number' && text.trim() === text;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(almost, (text) => {
      if (isNumber(text)) expect(numberText(text)).toMatch(/^-?[0-9.]+$/);
      else expect(() => numberText(text)).toThrow(InputError);
    }),
    { numRuns: 500, examples: [['01'], ['.5'], ['5.'], ['+1'], ['1e'], [''], ['٣'], ['1_0']] },
  );
});

test('§5.1 step 3: a number whose text would be too long is refused', () => {
  const huge = fc.tuple(
    fc.constantFrom('1', '-12.5', '0.001'),
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 5000n, max: 10n ** 400n }),
  );
  always([huge], ([number, sign, power]) => {
    expect(() => numberText(`${number}e${sign}${power}`)).toThrow(InputError);
    expect(numberText(`0.0e${sign}${power}`)).toBe('0');
  });
});
