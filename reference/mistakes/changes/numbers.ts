/**
 * Wrong texts of numbers and booleans (§5.1).
 *
 * @module
 */
import { InputError } from '../../signing/types.ts';
import { type Change, type Fix, fixedBy, type Kind, kind } from './change.ts';

type NumberText = (digits: string) => string;
type NumberChange = Change<NumberText>;

/** 0.DIGITS × 10^point, without zeros at the end; zero has no digits, and infinity has an infinite point. */
interface Decimal {
  readonly sign: string;
  readonly digits: string;
  readonly point: number;
}

/** A JSON number. */
export const JSON_NUMBER: RegExp = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
/** 1e999999999 must not fill the memory. */
const FARTHEST_POINT = 4096;

/** A number as written: `scale` of its digits are decimals. */
function written(text: string): { sign: string; digits: string; scale: number } {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = JSON_NUMBER.exec(text) ?? [];
  const power = Math.max(-FARTHEST_POINT, Math.min(Number(exponent), FARTHEST_POINT));
  return { sign, digits: (whole + fraction).replace(/^0+/, ''), scale: fraction.length - power };
}

function toDecimal(sign: string, digits: string, point: number): Decimal {
  const significant = digits.replace(/(?<!0)0+$/, '');
  return { sign, digits: significant, point: significant === '' ? 0 : point };
}

function decimal(text: string): Decimal {
  const { sign, digits, scale } = written(text);
  return toDecimal(sign, digits, digits.length - scale);
}

/** Plain decimal text with at least as many decimals; zero keeps its sign. */
function plain({ sign, digits, point }: Decimal, decimals = 0): string {
  const whole = digits.slice(0, Math.max(point, 0)).padEnd(point, '0') || '0';
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits;
  const shown = fraction.padEnd(decimals, '0');
  return sign + whole + (shown && `.${shown}`);
}

/** The correct plain decimal text. */
const tidy = (value: Decimal): string => (value.digits ? plain(value) : '0');

const unsignedZero = (value: Decimal): Decimal => (value.digits ? value : { ...value, sign: '' });

/** Whether to round away from zero, given how the rest compares with a half. */
type Rounding = (rest: number, odd: boolean, minus: boolean) => boolean;
const halfEven: Rounding = (rest, odd) => rest > 0 || (rest === 0 && odd);
const halfAway: Rounding = (rest) => rest >= 0;
const towardZero: Rounding = () => false;
const awayFromZero: Rounding = () => true;

function rounded(value: Decimal, keep: number, away = halfEven): Decimal {
  const { sign, digits, point } = value;
  if (keep >= digits.length) return value;
  const head = digits.slice(0, Math.max(keep, 0));
  const rest = keep < 0 ? '0' : digits.slice(keep);
  const odd = '13579'.includes(head.at(-1) ?? '0');
  const up = away(rest === '5' ? 0 : rest > '5' ? 1 : -1, odd, sign === '-');
  const kept = up ? `${BigInt(head) + 1n}` : head;
  return toDecimal(sign, kept, point + kept.length - head.length - Math.min(keep, 0));
}

const atDecimals = (value: Decimal, decimals: number, away = halfEven): Decimal => rounded(value, value.point + decimals, away);

/** Digits of a double, the sign of zero included. */
type Digits = (value: number) => Decimal;
const ofFinite =
  (digits: Digits, held: (value: number) => number = Number): Digits =>
  (given) => {
    const value = held(given);
    const sign = value < 0 || Object.is(value, -0) ? '-' : '';
    if (!Number.isFinite(value)) return { sign, digits: '', point: Number.POSITIVE_INFINITY };
    return { ...digits(Math.abs(value)), sign };
  };

const exact = ofFinite((value) => {
  let [size, halvings] = [value, 0];
  for (; !Number.isInteger(size); halvings += 1) size *= 2;
  const digits = `${BigInt(size) * 5n ** BigInt(halvings)}`;
  return toDecimal('', size ? digits : '', digits.length - halvings);
});
const fewest: Digits = (value) => decimal(value.toExponential());
const fewestOfSingle: Digits = (float) => {
  for (let digits = 1; ; digits += 1) {
    // At a power of two, only the next decimal above may do.
    for (const away of [halfEven, awayFromZero]) {
      const decimal = rounded(exact(float), digits, away);
      if (Math.fround(Number(plain(decimal))) === float) return decimal;
    }
  }
};
/** Java takes two digits where one would do. */
const two = (digits: Decimal, value: number): Decimal => (digits.digits.length === 1 ? decimal(value.toExponential(1)) : digits);

const shortest = ofFinite(fewest);
const signlessZero = ofFinite(fewest, (value) => value + 0);
const javaDouble = ofFinite((value) => two(fewest(value), value));
const single = ofFinite(fewestOfSingle, Math.fround);
const javaSingle = ofFinite((value) => two(fewestOfSingle(value), value), Math.fround);
const singleAsDouble = ofFinite(fewest, Math.fround);
const significant = (count: number): Digits => {
  return (value) => rounded(exact(value), count);
};

/** Plain text where `low < point <= high`, otherwise with an exponent; `inside` also where the point is inside the digits. */
const style =
  (low: number, high: number, mark = 'e+', width = 2, zeros = 0, zerosBesideE = 0, inside = false) =>
  (value: Decimal): string => {
    const { sign, digits, point } = value;
    const isLow = point <= high || (inside && point < digits.length);
    if (digits === '' || (point > low && isLow)) return plain(value, zeros);
    const fraction = digits.slice(1).padEnd(zerosBesideE, '0');
    const exponent = `${Math.abs(point - 1)}`.padStart(width, '0');
    const e = point < 1 ? `${mark.charAt(0)}-` : mark;
    return `${sign}${digits.charAt(0)}${fraction && `.${fraction}`}${e}${exponent}`;
  };

/** With an exponent only where that is shorter, as R prints numbers. */
function shorter(value: Decimal): string {
  const [fixed, scientific] = [plain(value), style(0, 0)(value)];
  return fixed.length <= scientific.length ? fixed : scientific;
}

/** The correct text of a JSON number. */
const right = (text: string): string => tidy(decimal(text));
const integer = (text: string): bigint => BigInt(plain(atDecimals(decimal(text), 0, towardZero)));
const isWhole = (text: string): boolean => !right(text).includes('.');
/** As `to_s` of a decimal prints a number in Ruby: with a point before all its digits. */
function rubyDecimal(text: string): string {
  const { sign, digits, point } = decimal(text);
  return digits === '' ? '0.0' : `${sign}0.${digits}e${point}`;
}

const isFloat = (text: string): boolean => /[.eE]/.test(text);
const isWide = (text: string): boolean => isFloat(text) || limited(64, true, integer(text)) !== integer(text);
/** Whether a number is no 64-bit integer, be it signed or unsigned. */
export const isWider = (text: string): boolean => isWide(text) && (isFloat(text) || limited(64, false, integer(text)) !== integer(text));

const SCOPES: Readonly<Record<string, readonly [string, (text: string) => boolean]>> = {
  floats: [', if it is given with a point or an exponent', isFloat],
  fractions: [', if it has a fraction', (text) => !isWhole(text)],
  whole: [', if it is whole', isWhole],
  exponents: [', if it is given with an exponent', (text) => /[eE]/.test(text)],
  'plus-exponents': [', if it is given with an exponent that has a plus sign', (text) => /[eE][+]/.test(text)],
  'whole-exponents': [', if it is whole and given with an exponent', (text) => isWhole(text) && /[eE]/.test(text)],
  'capital-exponents': [', if it is given with an exponent after a capital E', (text) => text.includes('E')],
  points: [', if it is given with a point and no exponent', (text) => text.includes('.') && !/[eE]/.test(text)],
  'negative-exponents': [', if it is given with a negative exponent', (text) => /[eE]-/.test(text)],
  'positive-exponents': [', if it is given with a positive exponent', (text) => /[eE][+\d]/.test(text)],
  'whole-doubles': [', if its double is whole and between -2^63 and 2^63', (text) => Number.isInteger(Number(text)) && Math.abs(Number(text)) < 2 ** 63],
  'doubles-without-fraction': [', if its double is whole', (text) => Number.isInteger(Number(text))],
  integers: [', if it is given with neither a point nor an exponent', (text) => !isFloat(text)],
  wide: [', unless it is given as a 64-bit integer', isWide],
  wider: [', unless it is given as a 64-bit integer, signed or unsigned', isWider],
  beyond: [', unless its value is a 64-bit integer, signed or unsigned', (text) => !isWhole(text) || isWider(right(text))],
  bigints: [', if it is given as an integer beyond 64 bits', (text) => !isFloat(text) && isWide(text)],
  long: [', if it is given as an integer of 17 digits or more', (text) => /^-?[0-9]{17,}$/.test(text)],
  serde: [', unless it is given as a 64-bit integer, signed or unsigned, other than -0', (text) => isWider(text) || text === '-0'],
  huge: [', if it is a whole number beyond 64 bits', (text) => isWhole(text) && limited(64, true, integer(text)) !== integer(text)],
};

/** One change for each scope; numbers outside the scope stay correct. */
const scoped = (scopes: string, id: string, clause: string, text: NumberText, notes: Fix): NumberChange[] =>
  scopes.split(' ').map((scope) => {
    const [condition, has] = SCOPES[scope] ?? [];
    if (!has) return [id, clause, text, notes];
    return [`${id}-${scope}`, clause + condition, (t) => (has(t) ? text(t) : right(t)), notes];
  });

/** A double as digits and a style print it. */
const printed =
  (digits: Digits, show: (value: Decimal) => string, infinity = 'Infinity'): NumberText =>
  (text) => {
    const value = digits(Number(text));
    if (Number.isFinite(value.point)) return show(value);
    if (infinity === 'refused') return refuseNumber();
    return value.sign ? infinity.replace(/^\+?(?=[i∞])/i, '-') : infinity;
  };

/** Rounds to 15 digits, but in plain text only the decimals: R prints all digits of an integer. */
function byR(text: string): string {
  const value = Number(text) || 0;
  if (!Number.isFinite(value)) return value < 0 ? '-Inf' : 'Inf';
  const kept = significant(15)(value);
  const short = shorter(kept);
  return short.includes('e') ? short : plain(atDecimals(exact(value), Math.max(0, kept.digits.length - kept.point)));
}

const byDelphi = printed(significant(15), style(-5, 15, 'E', 1), 'INF');

const PRECISION = '5.1/number-precision';
const FRACTION = '5.1/number-fraction';
const PLAIN_DECIMAL = '5.1/plain-decimal';
const ZERO_SIGN = '; write 0 for -0';
const NOT_A_DOUBLE = 'keep {noun} as text or in a decimal type, not in a float or double; write all its digits';
const PRINTED = fixedBy(`${NOT_A_DOUBLE}, but no exponent and no zeros at the end of a fraction${ZERO_SIGN}`, PLAIN_DECIMAL);
const DIGITS = fixedBy(NOT_A_DOUBLE, PRECISION);
const ROUNDED = fixedBy('write all digits of {noun}, without rounding or cutting it', PRECISION);
const DECIMALS = fixedBy('write as many decimals of {noun} as it has, with no zeros at the end of a fraction', FRACTION);
const ANY_SIZE = fixedBy('accept numbers of every size, with and without a fraction or an exponent');
const INTEGER = fixedBy('write all digits of {noun}, with its fraction: an integer type cannot hold them', PRECISION);
const NO_EXPONENT = fixedBy('write {noun} without an exponent: 1e3 is 1000, and 1e-7 is 0.0000001', PLAIN_DECIMAL);
const NO_END_ZEROS = fixedBy('write {noun} without zeros at the end of a fraction: 42.10 is 42.1, and 42.0 is 42', FRACTION);
const NO_EXPONENT_OR_ZEROS = fixedBy(`write {noun} without an exponent and without zeros at the end of a fraction${ZERO_SIGN}`, PLAIN_DECIMAL);
const POWERS = fixedBy('multiply {noun} by its power of ten: 1.5e3 is 1500, and 1.5 stays 1.5', PLAIN_DECIMAL);
const END_ZEROS_ONLY = fixedBy('remove zeros at the end of {noun} only after a decimal point: 100 stays 100', PLAIN_DECIMAL);
const NO_SIGN_OF_ZERO = fixedBy('write 0 for -0', FRACTION);
const MINUS = fixedBy('write "-" before a negative number, and only its digits after that');
const NO_LOCALE = fixedBy('write {noun} without a locale: only digits, "-" before a negative number, and "." before a fraction');
const NOTHING_BEFORE = fixedBy('write nothing before a positive number');
const NO_QUOTES = fixedBy('write {noun} without quotes');
const AS_DIGITS = fixedBy('write {noun} in decimal digits, also 0 and 1');

type Printer = [id: string, as: string, scopes: string, infinity: string, digits: Digits, ...style: Parameters<typeof style>];

/** How languages print a double; `as` says which language or function it is. */
const PRINTERS: readonly Printer[] = [
  ['javascript', 'JavaScript', 'all fractions whole exponents', 'Infinity', signlessZero, -6, 21, 'e+', 1],
  ['dart', 'Dart', 'all floats bigints wide', 'Infinity', shortest, -6, 21, 'e+', 1, 1],
  ['python', 'Python', 'all floats fractions', 'inf', shortest, -4, 16, 'e+', 2, 1],
  ['python-2', 'Python 2', 'floats', 'inf', significant(12), -4, 12, 'e+', 2, 1],
  ['ruby', 'Ruby', 'all floats', 'Infinity', shortest, -4, 15, 'e+', 2, 1, 1, true],
  ['ruby-point-zero-lost', 'Ruby, but 42 instead of 42.0', 'all floats', 'Infinity', shortest, -4, 15, 'e+', 2, 0, 1, true],
  ['python-point-zero-lost', 'Python, but 42 instead of 42.0', 'all floats', 'inf', shortest, -4, 16],
  ['java-point-zero-lost', 'Java, but 42 instead of 42.0', 'all floats', 'Infinity', javaDouble, -3, 7, 'E', 1, 0, 1],
  ['go', '%v of Go', 'all floats fractions', '+Inf', shortest, -4, 6],
  ['go-json', 'encoding/json of Go', 'all', '+Inf', shortest, -6, 21, 'e+', 1],
  ['java', 'Java', 'all floats fractions wide', 'Infinity', javaDouble, -3, 7, 'E', 1, 1, 1],
  ['php', 'PHP', 'wide huge fractions bigints', 'INF', significant(14), -4, 14, 'E+', 1, 0, 1],
  ['php-17', 'PHP with precision 17', 'wide bigints', 'INF', significant(17), -4, 17, 'E+', 1, 0, 1],
  ['php-json', 'json_encode of PHP', 'wide', '', shortest, -4, 17, 'e+', 1, 0, 1],
  ['dotnet-15', 'the .NET Framework', 'floats', 'Infinity', significant(15), -4, 15, 'E+'],
  ['rust-json', 'serde_json of Rust', 'floats', 'null', shortest, -5, 16, 'e+', 1, 1],
  ['rust-ryu', 'ryu of Rust', 'floats', 'inf', shortest, -5, 16, 'e', 1, 1],
  ['rust', 'serde_json of Rust', 'serde', 'refused', shortest, -5, 16, 'e', 1, 1],
  ['rust-plus', 'a recent serde_json of Rust', 'serde', 'refused', shortest, -5, 16, 'e+', 1, 1],
  ['lua', 'Lua', 'floats', 'inf', significant(14), -4, 14, 'e+', 2, 1],
  ['dotnet', '.NET', 'floats fractions wide', 'Infinity', shortest, -4, 17, 'E+'],
  ['decimals-20', '%.20e', 'all floats fractions', 'inf', significant(21), 0, 0, 'e+', 2, 0, 20],
  ['decimals-6', '%e', 'all floats fractions', 'inf', significant(7), 0, 0, 'e+', 2, 0, 6],
  ['java-float', 'Java', 'all floats', 'Infinity', javaSingle, -3, 7, 'E', 1, 1, 1],
  ...[6, 14, 15, 16, 17].map((n): Printer => {
    return [`significant-${n}`, `%.${n}g`, 'all floats fractions wide beyond', 'inf', significant(n), -4, n];
  }),
];

/** The same change where minus zero loses its sign first. */
const withoutMinusZero = ([id, clause, text, notes]: NumberChange): NumberChange => [
  `${id}-zero-unsigned`,
  `${clause}; -0 becomes 0, which is correct`,
  (t) => text(right(t) === '0' ? t.replace('-', '') : t),
  { ...notes, fix: `${notes?.fix}`.replace(ZERO_SIGN, '') },
];

type Plain = [id: string, clause: string, fix: Fix, scopes: string, digits: Digits, decimals?: number];
/** Wrong digits in plain decimal text. */
const PLAIN: readonly Plain[] = [
  ['double', 'goes through a double and loses digits', DIGITS, 'all fractions whole integers whole-doubles doubles-without-fraction exponents wide wider bigints long', shortest],
  ['double-exact', 'goes through a double and is written with all digits of the double', DIGITS, 'all fractions whole integers whole-doubles doubles-without-fraction exponents whole-exponents long', exact],
  ['float', 'goes through a 32-bit float and loses digits', DIGITS, 'all fractions whole', single],
  ['float-as-double', 'goes through a 32-bit float, then a double, and loses digits', DIGITS, 'all fractions', singleAsDouble],
  ...[0, 1, 2, 3, 4, 6, 8, 10].map((n): Plain => {
    return [`fixed-${n}`, `is written with exactly ${n === 1 ? '1 decimal' : `${n} decimals`}`, DECIMALS, 'all floats fractions points exponents', (v) => atDecimals(exact(v), n), n];
  }),
  ['fixed-2-half-away', 'is written with exactly 2 decimals, halves rounded away from zero, as by toFixed of JavaScript', DECIMALS, 'all floats fractions', (v) => atDecimals(exact(v), 2, halfAway), 2],
  ...[2, 3, 4, 6, 8].map((n): Plain => {
    return [`rounded-${n}`, `goes through a double and is rounded to ${n} decimals`, ROUNDED, 'fractions points exponents wide wider', (v) => atDecimals(exact(v), n)];
  }),
];

function limited(bits: number, signed: boolean, value: bigint): bigint {
  const lowest = signed ? -(2n ** BigInt(bits - 1)) : 0n;
  const highest = lowest + 2n ** BigInt(bits) - 1n;
  return value < lowest ? lowest : value > highest ? highest : value;
}

const integers: NumberChange[] = [32, 64].flatMap((bits) =>
  [true, false].flatMap((signed) => {
    const id = `${signed ? '' : 'u'}int${bits}`;
    const kind = `${signed ? 'a signed' : 'an unsigned'} ${bits}-bit integer`;
    const wrap = signed ? BigInt.asIntN : BigInt.asUintN;
    const wrapped: NumberText = (t) => `${wrap(bits, integer(t))}`;
    const limit: NumberText = (t) => `${limited(bits, signed, integer(t))}`;
    return [...scoped('whole integers all', `${id}-wrapped`, `overflows in ${kind}`, wrapped, INTEGER), ...scoped('whole integers all', `${id}-limited`, `is cut to the range of ${kind}`, limit, INTEGER)];
  }),
);

/** With an exponent for many zeros beside the digits, as by jq 1.6. */
function asByJq(value: Decimal): string {
  const { digits, point } = value;
  return point <= -4 || point > digits.length + 15 ? style(0, 0)(value) : plain(value);
}

/** A 32-bit integer in full; else 15 digits if the double that they give is near enough, and 17 if not. */
function cjson(text: string): string {
  const value = Number(text);
  if (value === Math.trunc(value) && Math.abs(value) < 2 ** 31) return `${value}`;
  const short = printed(significant(15), style(-4, 15), 'null')(text);
  const isEnough = short === 'null' || Math.abs(Number(short) - value) <= Math.abs(value) * Number.EPSILON;
  return isEnough ? short : printed(significant(17), style(-4, 17))(text);
}

/** A double converted to a 64-bit integer, as by `toLong` of Kotlin. */
const doubleAsLong: NumberText = (text) => `${limited(64, true, integer(plain(exact(Number(text)))))}`;

/** Whole digits in groups of three. */
function grouped(text: string, mark: string, point = '.'): string {
  const [sign = '', whole = '', rest = ''] = /^(-?)(\d+)(.*)/.exec(text)?.slice(1) ?? [];
  const digits = Array.from(whole, (digit, i) => ((whole.length - i) % 3 || !i ? digit : mark + digit));
  return sign + digits.join('') + rest.replace('.', point);
}

/** As `toLocaleString` of JavaScript. */
const inLocale = printed(shortest, (value) => plain(atDecimals(value, 3, halfAway)), '∞');

/** `BigDecimal.toString` of Java, and of a negative zero, `str` of Python's Decimal. */
function bigDecimal(text: string, zeroSign = ''): string {
  const { sign, digits, scale } = written(text);
  const shown = digits || '0';
  const power = shown.length - scale - 1;
  const before = digits ? sign : zeroSign;
  if (scale >= 0 && power >= -6) return plain({ sign: before, digits, point: digits.length - scale }, scale);
  return `${before}${shown.replace(/^.(?=.)/, '$&.')}E${power < 0 ? '' : '+'}${power}`;
}

function refuseNumber(): never {
  throw new InputError('number', 'this number is not supported');
}

const stripped = (r: string): string => bigDecimal(r.replace(/(?<=[1-9])0+$/, (zeros) => `e${zeros.length}`));
const wholeBy = (text: string, away: Rounding): string => tidy(atDecimals(decimal(text), 0, away));
/** The mantissa with its point moved by adding zeros alone. */
function zerosAdded(right: string, given: string): string {
  const [, mantissa = '', power = '0'] = /^(.*)[eE][+]?(\d+)$/.exec(given) ?? [];
  return Number(power) === 0 ? right : `${mantissa.replace('.', '')}${'0'.repeat(Math.min(Number(power), FARTHEST_POINT))}`;
}

/** What a decimal of .NET keeps of a number: 96 bits, at most 28 of its digits decimals. A larger number is refused. */
function dotnetDecimal(text: string): Decimal {
  const value = decimal(text);
  const limit = 2n ** 96n;
  for (let decimals = 28; decimals >= 0; decimals -= 1) {
    const kept = atDecimals(value, decimals);
    if (BigInt(kept.digits.padEnd(kept.point + decimals, '0')) < limit) return kept;
  }
  return refuseNumber();
}

const endZerosLost = (r: string): string => r.replace(/(?<!0)0+$/, '') || '0';
const endZerosOrPointLost = (text: string): string => text.replace(/(?<!0)0+$/, '').replace(/[.]$/, '');
const hexadecimal = (r: string): string => (r.includes('.') ? r : BigInt(r).toString(16));

/** Changes of the correct text `r`, or of the text `t` as the input writes it. */
const OTHERS: readonly [id: string, clause: string, text: (r: string, t: string) => string, notes: Fix][] = [
  ['int64-refused', 'is refused, or leads to an exception, if it is a whole number beyond 64 bits', (r) => (isWhole(r) && isWide(r) ? refuseNumber() : r), ANY_SIZE],
  ['int53-refused', 'is refused, or leads to an exception, if it is a whole number beyond 2^53', (r) => (isWhole(r) && !Number.isSafeInteger(Number(r)) ? refuseNumber() : r), ANY_SIZE],
  ['fractions-refused', 'is refused, or leads to an exception, if it has a fraction', (r) => (isWhole(r) ? r : refuseNumber()), ANY_SIZE],
  ['exponents-refused', 'is refused, or leads to an exception, if it is given with an exponent', (r, t) => (/[eE]/.test(t) ? refuseNumber() : r), ANY_SIZE],
  ['as-written', 'is written as it is given, such as 1e3 and 42.0', (_, t) => t, NO_EXPONENT_OR_ZEROS],
  ['zeros-kept', 'keeps zeros at the end of its fraction', (r, t) => plain(decimal(r), written(t).scale), NO_END_ZEROS],
  ['zeros-kept-unless-zero', 'keeps zeros at the end of its fraction unless it is zero', (r, t) => (r === '0' ? r : plain(decimal(r), written(t).scale)), NO_END_ZEROS],
  ['zeros-kept-unless-point-zero', 'loses ".0" at its end, and keeps other zeros at the end of a fraction', (r, t) => (r === '0' ? r : plain(decimal(r), written(t).scale).replace(/\.0$/, '')), NO_END_ZEROS],
  ['zeros-kept-signed', 'keeps zeros at the end of its fraction and the sign of -0', (_, t) => plain(decimal(t), written(t).scale), fixedBy(`${NO_END_ZEROS.fix}${ZERO_SIGN}`, FRACTION)],
  [
    'zeros-kept-signed-unless-whole',
    'keeps zeros at the end of its fraction and the sign of -0.0, but not that of -0',
    (_, t) => plain(decimal(t), written(t).scale).replace(/^-0$/, '0'),
    fixedBy(`${NO_END_ZEROS.fix}${ZERO_SIGN}`, FRACTION),
  ],
  ['big-decimal', 'keeps its exponent and zeros, such as 1E+3 and 42.0 (as by BigDecimal of Java)', (_, t) => bigDecimal(t), NO_EXPONENT_OR_ZEROS],
  ['python-decimal', 'keeps its exponent, zeros and the sign of -0, such as 1E+3 and 42.0 (as by Decimal of Python)', (_, t) => bigDecimal(t, written(t).sign), NO_EXPONENT_OR_ZEROS],
  ['big-decimal-stripped', 'is written with an exponent for zeros at its end, such as 1E+3 (as by BigDecimal of Java without trailing zeros)', (r) => stripped(r), NO_EXPONENT_OR_ZEROS],
  ['dotnet-decimal', 'goes through a decimal of .NET, which has at most 29 digits', (_, t) => tidy(dotnetDecimal(t)), ROUNDED],
  [
    'dotnet-decimal-g29',
    'is written with an exponent if it is small, such as 1E-05 (as by ToString("G29") of a decimal in .NET)',
    (_, t) => style(-4, FARTHEST_POINT, 'E+')(unsignedZero(dotnetDecimal(t))),
    NO_EXPONENT_OR_ZEROS,
  ],
  ['haskell', 'is written with an exponent such as 5.0e-2 (as by show of Scientific in Haskell) if it has a fraction', (r, t) => (r.includes('.') ? style(-1, 7, 'e', 1, 1, 1)(decimal(t)) : r), NO_EXPONENT],
  ['exponent-as-zeros', 'has as many zeros at its end as its exponent says, such as 15000 for 1.5e3', zerosAdded, POWERS],
  ['one-zero-lost', 'loses a fraction of one zero, as in 42.0, but keeps one of several zeros, as in 42.00', (_, t) => (/^-?\d+[.]0{2,}$/.test(t) ? t : right(t)), NO_END_ZEROS],
  ['fraction-zeros-lost', 'loses zeros between its point and the first digit after it, such as 0.5 for 0.05', (r) => r.replace(/[.]0+(?=[1-9])/, '.'), DECIMALS],
  ['capital-exponent-lost', 'loses an exponent after a capital E', (r, t) => (t.includes('E') ? right(t.replace(/E.*/, '')) : r), POWERS],
  ['exponent-unsigned', 'has a negative exponent read as a positive one', (_, t) => right(t.replace(/(?<=[eE])-/, '')), POWERS],
  ['unscaled', 'loses its point and exponent', (_, t) => `${BigInt(t.replace(/[eE].*|[.]/g, ''))}`, POWERS],
  ['cut', 'is cut at its decimal point or exponent', (_, t) => t.replace(/[.eE].*/, ''), POWERS],
  ['scientific', 'is always written with an exponent', (_, t) => style(0, 0, 'e+', 1)(decimal(t)), NO_EXPONENT],
  ['ruby-decimal', 'is written like 0.15e1 (as by to_s of a decimal in Ruby) if it is given with a point or an exponent', (r, t) => (isFloat(t) ? rubyDecimal(r) : r), NO_EXPONENT],
  ['point-zero', 'ends with ".0" if it is whole', (r) => plain(decimal(r), 1), NO_END_ZEROS],
  ['point-zero-kept', 'ends with ".0" if it is given as a whole number with a point, such as 42.00', (r, t) => (/^-?\d+[.]0+$/.test(t) ? `${r}.0` : r), NO_END_ZEROS],
  ['point-zero-floats', 'ends with ".0" if it is whole and given with a point or an exponent', (r, t) => plain(decimal(r), +isFloat(t)), NO_END_ZEROS],
  ['ruby-decimal-plain', 'ends with ".0" if it is whole (as by to_s("F") of a decimal in Ruby) if it is given with a point or an exponent', (r, t) => (isFloat(t) ? plain(decimal(t), 1) : r), NO_END_ZEROS],
  ['point-at-end', 'ends with a point if it is whole', (r) => (r.includes('.') ? r : `${r}.`), NO_END_ZEROS],
  ['point-at-end-unless-zero', 'ends with a point if it is whole and not zero', (r) => (r.includes('.') || r === '0' ? r : `${r}.`), NO_END_ZEROS],
  ['point-at-end-floats', 'ends with a point if it is whole and given with a point or an exponent', (r, t) => (r.includes('.') || !isFloat(t) ? r : `${r}.`), NO_END_ZEROS],
  ...[2, 3, 4, 5, 6, 8, 10].map((n): (typeof OTHERS)[number] => [`cut-${n}`, `is cut after ${n} decimals`, (_, t) => tidy(atDecimals(decimal(t), n, towardZero)), ROUNDED]),
  ['no-leading-zero', 'loses the zero before its point', (r) => r.replace(/^(-?)0[.]/, '$1.'), fixedBy('write 0 before the point of {noun}: 0.5, not .5')],
  ['zero-decimals-kept', 'keeps the decimals of zero, as in 0.00', (r, t) => (r === '0' ? plain(decimal('0'), written(t).scale) : r), NO_END_ZEROS],
  ['end-zeros-lost', 'loses zeros at its end, even without a point', (r) => endZerosLost(r), END_ZEROS_ONLY],
  ['end-zeros-lost-as-written', 'loses ".0" at its end, or else the zeros at its end, even without a point', (r, t) => (r === '0' ? r : endZerosOrPointLost(plain(decimal(r), written(t).scale))), END_ZEROS_ONLY],
  [
    'zeros-and-points-lost',
    'loses zeros and points at its end, even zeros before the point, if it is given with a point',
    (r, t) => (r !== '0' && /[.]/.test(t) ? plain(decimal(t), Math.max(1, written(t).scale)).replace(/(?<![.0])[.0]+$/, '') : r),
    END_ZEROS_ONLY,
  ],
  ['small-exponent', 'has an exponent if it is below 0.000001, such as 1e-7', (r) => style(-6, FARTHEST_POINT, 'e+', 1)(decimal(r)), NO_EXPONENT],
  ['smaller-exponent', 'has an exponent if it is below 0.0001, such as 1e-05', (r) => style(-4, FARTHEST_POINT)(decimal(r)), NO_EXPONENT],
  ['great-exponent', 'has an exponent from 1e+21 on', (r) => style(-FARTHEST_POINT, 21, 'e+', 1)(decimal(r)), NO_EXPONENT],
  ...[15, 16, 17, 28, 34].map((n): (typeof OTHERS)[number] => [`digits-${n}`, `is rounded to ${n} digits`, (_, t) => tidy(rounded(decimal(t), n)), ROUNDED]),
  ['rounded-to-20', 'is rounded to 20 decimals', (_, t) => tidy(atDecimals(decimal(t), 20, halfAway)), ROUNDED],
  ['minus-zero', 'keeps the sign of -0', (_, t) => plain(decimal(t)), NO_SIGN_OF_ZERO],
  ['minus-zero-floats', 'keeps the sign of -0 if it is given with a point or an exponent, as -0.0', (r, t) => (isFloat(t) ? plain(decimal(t)) : r), NO_SIGN_OF_ZERO],
  ['shorter-form', 'has an exponent where that is shorter, such as 1e+05', (r) => shorter(decimal(r)), NO_EXPONENT],
  ['shorter-form-to-15-digits', 'has an exponent where that is shorter, such as 1e+05, unless it has more than 15 digits', (r) => (decimal(r).digits.length > 15 ? r : shorter(decimal(r))), NO_EXPONENT],
  ['comma', 'has a decimal comma instead of the point', (r) => r.replace('.', ','), NO_LOCALE],
  ['locale-english', 'is written as in the English locale, such as 1,234.568', (_, t) => grouped(inLocale(t), ','), NO_LOCALE],
  ['locale-ungrouped', 'is rounded to three decimals (as by toLocaleString of JavaScript, without grouping)', (_, t) => inLocale(t), NO_LOCALE],
  ['plus', 'has a plus sign unless it is negative', (r) => r.replace(/^(?!-)/, '+'), NOTHING_BEFORE],
  ['space-for-plus', 'has a space before it unless it is negative', (r) => r.replace(/^(?!-)/, ' '), NOTHING_BEFORE],
  ['space-before', 'has a space before it', (r) => ` ${r}`, NOTHING_BEFORE],
  ['uint64-wrapped-below-zero', 'is written as an unsigned 64-bit integer if it is whole and negative', (r) => (isWhole(r) && r.startsWith('-') ? `${BigInt.asUintN(64, BigInt(r))}` : r), MINUS],
  ['small-sign-lost', 'loses its minus sign if it is between -1 and 0', (r) => r.replace(/^-0/, '0'), MINUS],
  ['minus-sign', 'has the minus sign U+2212', (r) => r.replace('-', '\u2212'), MINUS],
  ['arabic-digits', 'has Arabic-Indic digits, as by a formatter in an Arabic locale', (r) => r.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit))), NO_LOCALE],
  ['quoted', 'is in double quotes', (r) => `"${r}"`, NO_QUOTES],
  ['single-quoted', 'is in single quotes', (r) => `'${r}'`, NO_QUOTES],
  ['zero-one-as-booleans', 'is written as false if it is 0, and as true if it is 1', (r) => (r === '0' ? 'false' : r === '1' ? 'true' : r), AS_DIGITS],
  ['zero-empty', 'is empty if it is zero', (r) => (r === '0' ? '' : r), AS_DIGITS],
  ['hexadecimal', 'is written in hexadecimal if it is whole', (r) => hexadecimal(r), AS_DIGITS],
  ['thousands-comma', 'has commas between thousands', (r) => grouped(r, ','), NO_LOCALE],
  ['thousands-dot', 'has dots between thousands and a decimal comma', (r) => grouped(r, '.', ','), NO_LOCALE],
  ['thousands-space', 'has spaces between thousands', (r) => grouped(r, ' '), NO_LOCALE],
  ['thousands-narrow', 'has U+202F between thousands and a decimal comma', (r) => grouped(r, '\u202f', ','), NO_LOCALE],
  ['thousands-apostrophe', 'has apostrophes between thousands', (r) => grouped(r, "'"), NO_LOCALE],
  ['truncated', 'loses its fraction', (_, t) => wholeBy(t, towardZero), ROUNDED],
  ['floor', 'is rounded down to an integer', (_, t) => wholeBy(t, (_rest, _odd, minus) => minus), ROUNDED],
  ['ceiling', 'is rounded up to an integer', (_, t) => wholeBy(t, (_rest, _odd, minus) => !minus), ROUNDED],
  ['half-up', 'is rounded to an integer, halves up', (_, t) => wholeBy(t, (rest, _odd, minus) => rest >= +minus), ROUNDED],
  ['half-away', 'is rounded to an integer, halves away from zero', (_, t) => wholeBy(t, halfAway), ROUNDED],
  ['half-even', 'is rounded to an integer, halves to even', (_, t) => wholeBy(t, halfEven), ROUNDED],
];

const tenDecimals: Digits = (value) => atDecimals(exact(value), 10);
const oneDecimalAtLeast = (value: Decimal): string => plain(value, 1);

const FURTHER_SCOPES: Readonly<Record<string, string>> = { 'point-zero': ' points', 'as-written': ' capital-exponents plus-exponents', 'end-zeros-lost': ' points', 'big-decimal-stripped': ' floats points' };

const changes: readonly NumberChange[] = [
  ...OTHERS.map(([id, clause, text, notes]): NumberChange => [id, clause, (t) => text(right(t), t), notes]),
  ...OTHERS.filter(([id]) => /^(?:as-written|big-decimal|big-decimal-stripped|python-decimal|end-zeros-lost|point-zero)$/.test(id)).flatMap(([id, clause, text, notes]) =>
    scoped(`exponents negative-exponents positive-exponents${FURTHER_SCOPES[id] ?? ''}`, id, clause, (t) => text(right(t), t), notes),
  ),
  ...OTHERS.filter(([id]) => id === 'dotnet-decimal').flatMap(([id, clause, text, notes]) => scoped('fractions', id, clause, (t) => text(right(t), t), notes)),
  ...OTHERS.filter(([id]) => id.startsWith('thousands-')).flatMap(([id, clause, text, notes]) => scoped('integers', id, clause, (t) => text(right(t), t), notes)),
  ...PRINTERS.flatMap(([id, as, scopes, infinity, digits, ...how]) => {
    const print = printed(digits, style(...how), infinity);
    const sample = (scope: string): string => print(scope === 'fractions' ? '1e-7' : '1e21');
    const isSigned = print('-0').startsWith('-');
    return scopes.split(' ').flatMap((scope) => {
      const clause = `goes through a ${id === 'java-float' ? '32-bit float' : 'double'}, which is printed like ${sample(scope)} (as by ${as})`;
      const changes = scoped(scope, id, clause, print, PRINTED);
      return isSigned ? [...changes, ...changes.map(withoutMinusZero)] : changes;
    });
  }),
  ...PLAIN.flatMap(([id, clause, fix, scopes, digits, decimals]) => {
    const show = decimals === undefined ? tidy : (value: Decimal) => plain(value, decimals);
    return scoped(scopes, id, clause, printed(digits, show), fix);
  }),
  ...integers,
  ...scoped('floats', 'compact-10', 'is written with 1 to 10 decimals (as by float_to_binary of Erlang)', printed(tenDecimals, oneDecimalAtLeast), DECIMALS).flatMap((change) => [change, withoutMinusZero(change)]),
  ...scoped('floats', 'e-unpadded', 'goes through a double, which is printed with an exponent below 0.0001 and from 1.0e16 on', printed(shortest, style(-4, 16, 'e', 1, 1, 1), 'refused'), PRINTED),
  ...scoped('wide', 'delphi-comma', 'goes through a double, which is printed with a decimal comma, such as 1,5 (as by FloatToStr of Delphi)', (t) => byDelphi(t).replace('.', ','), NO_LOCALE),
  ...scoped('all floats', 'shorter-form-15', 'is written with 15 digits at most, and with an exponent where that is shorter, such as 1e+05', byR, PRINTED),
  [
    'java-or-long',
    'goes through a double, which is written as a 64-bit integer if it is whole, and otherwise printed like 1.0E-7 (as by Java)',
    (t) => (isWhole(plain(shortest(Number(t)))) ? doubleAsLong(t) : printed(javaDouble, style(-3, 7, 'E', 1, 1, 1))(t)),
    PRINTED,
  ],
  ['cjson', 'goes through a double, which is printed like 1e+21 (as by cJSON)', cjson, PRINTED],
  ['go-decimal', 'goes through a double and loses digits, and -0 keeps its sign (as by FormatFloat of Go)', printed(shortest, plain, 'refused'), fixedBy(`${NOT_A_DOUBLE}${ZERO_SIGN}`, PRECISION)],
  ['jq', 'goes through a double, which is printed like 1e-05 (as by jq 1.6)', printed(shortest, asByJq, '1.7976931348623157e+308'), PRINTED],
  ...scoped(
    'all floats',
    'python-or-int',
    'goes through a double, which is written with all its digits if it is whole, and otherwise printed like 1e-07 (as by Python)',
    (t) => (isWhole(plain(shortest(Number(t)))) ? printed(exact, tidy, 'inf')(t) : printed(shortest, style(-4, 16, 'e+', 2, 1), 'inf')(t)),
    PRINTED,
  ),
];

/** Changes of the text of a number; texts that are not JSON numbers stay unchanged. */
export const NUMBERS: Kind<NumberText> = {
  fix: NO_EXPONENT_OR_ZEROS.fix,
  changes: changes.map(([id, clause, text, notes]) => [id, clause, (t) => (JSON_NUMBER.test(t) ? text(t) : t), notes]),
};

/** The change of numbers with this id. */
export function numberAs(id: string): NumberText {
  const found = NUMBERS.changes.find(([own]) => own === id);
  if (!found) throw new Error(`no change of numbers is named ${id}`);
  return found[2];
}

/** The texts of true and of false; a missing text is empty. */
const BOOLEAN_TEXTS =
  'title-case True False|upper-case TRUE FALSE|digits 1 0|digit-or-empty 1|empty-if-false true|' +
  'null-if-false true null|empty|null null null|yes-no yes no|on-off on off|letters T F|y-n Y N|' +
  'quoted "true" "false"|minus-one -1 0|always-true true true|inverted false true';

const unsigned: NumberText = (text) => text.replace(/^-/, '');

/** Changes of the sign of a number, however its digits are written. */
export const NUMBER_SIGNS: Kind<(text: string) => string> = kind('keep the minus sign of {noun}', [
  ['sign-lost', 'loses its minus sign', unsigned],
  ['sign-lost-whole', 'loses its minus sign, if it is whole', (text) => (isWhole(text) ? unsigned(text) : text)],
  ['sign-lost-fractions', 'loses its minus sign, if it has a fraction', (text) => (isWhole(text) ? text : unsigned(text))],
]);

/** Changes of the text of a boolean. */
export const BOOLEANS: Kind<(value: boolean) => string> = {
  fix: 'write {noun} as true or false',
  changes: BOOLEAN_TEXTS.split('|').map((row) => {
    const [id = '', yes = '', no = ''] = row.split(' ');
    const clause = yes === no ? `is always ${yes || 'empty'}` : `is ${yes || 'empty'} for true and ${no || 'empty'} for false`;
    return [id, clause, (value) => (value ? yes : no)];
  }),
};
