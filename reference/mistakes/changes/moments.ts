/**
 * Changes of moments: the `Date` header (§5.2) and `Expires` (§5.4).
 *
 * @module
 */
import { InputError } from '../../signing/types.ts';
import { type Kind, kind, table, tabular } from './change.ts';

type Rewrite = (text: string) => string;

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const HTTP_DATE = /^[A-Z][a-z]{2}, (\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/;
const SECONDS = /^[0-9]{1,15}$/;
const END_OF_9999 = 253_402_300_799;

/** The Unix seconds of an IMF-fixdate, whatever its day of the week; `undefined` for any other text. */
function secondsOf(date: string): number | undefined {
  const [, rest = ''] = HTTP_DATE.exec(date) ?? [];
  const moment = new Date(rest);
  const isDate = !Number.isNaN(moment.getTime()) && moment.toUTCString().endsWith(rest);
  return rest && isDate ? moment.getTime() / 1000 : undefined;
}

type Written = string | ((seconds: number) => string);

/** Writes Unix seconds by the letters of `strftime`; `%1` is the day of the month without a zero. */
function written(seconds: number, as: Written): string {
  if (typeof as !== 'string') return as(seconds);
  const moment = new Date(seconds * 1000);
  const [a = '', d = '', b = '', Y = '', T = ''] = moment.toUTCString().split(/,? /);
  const [F = ''] = moment.toISOString().split('T');
  const day = `${Number(d)}`;
  const A = DAYS[moment.getUTCDay()] ?? '';
  const parts = { a, d, b, Y, T, F, A, y: Y.slice(-2), 1: day, e: day.padStart(2) };
  return as.replace(/%(.)/g, (_, letter: keyof typeof parts) => parts[letter]);
}

/** A date in another notation, `hours` east of Greenwich; any other text stays. */
function dated(as: Written, hours = 0): Rewrite {
  return (date) => {
    const seconds = secondsOf(date);
    return seconds === undefined ? date : written(seconds + hours * 3600, as);
  };
}

/** Seconds in another notation; any other text, and seconds beyond the year 9999, stay. */
function timed(as: Written): Rewrite {
  return (text) => (SECONDS.test(text) && Number(text) <= END_OF_9999 ? written(Number(text), as) : text);
}

/** Seconds as a computed number; any other text stays. */
function computed(compute: (seconds: bigint) => bigint | string): Rewrite {
  return (text) => (/^[0-9]{1,40}$/.test(text) ? `${compute(BigInt(text))}` : text);
}

const HTTP = '%a, %d %b %Y %T GMT';

/** Other notations of an HTTP date. */
export const DATES: Kind<Rewrite> = tabular('sign and send the text of {noun} as given, without parsing it', {
  'iso: is written in ISO 8601': dated('%FT%TZ'),
  'iso-ms: is written in ISO 8601 with milliseconds': dated('%FT%T.000Z'),
  'iso-offset: is written in ISO 8601 with +00:00': dated('%FT%T+00:00'),
  'iso-local: is written in ISO 8601 without a zone': dated('%FT%T'),
  'iso-basic: is written as 20060102T150405Z, as for Amazon': dated((s) => basic(s)),
  'iso-space: is written as 2006-01-02 15:04:05': dated('%F %T'),
  'iso-shanghai: is written in ISO 8601 with +08:00': dated('%FT%T+08:00', 8),
  'day: is written as only the day, such as 2006-01-02': dated('%F'),
  'seconds: is written in Unix seconds': dated((seconds) => `${seconds}`),
  'milliseconds: is written in Unix milliseconds': dated((seconds) => `${seconds * 1000}`),
  'rfc-850: is written as in RFC 850': dated('%A, %d-%b-%y %T GMT'),
  'asctime: is written as by asctime of C': dated('%a %b %e %T %Y'),
  'go: is written as Go prints a time': dated('%F %T +0000 UTC'),
  'java: is written as Java prints a Date': dated('%a %b %d %T UTC %Y'),
  'utc: ends with UTC instead of GMT': dated('%a, %d %b %Y %T UTC'),
  'plus-zero: ends with +0000 instead of GMT': dated('%a, %d %b %Y %T +0000'),
  'no-zone: loses its time zone': dated('%a, %d %b %Y %T'),
  'no-weekday: loses the day of the week': dated('%d %b %Y %T GMT'),
  'day-unpadded: has no zero before the day of the month': dated('%a, %1 %b %Y %T GMT'),
  'shanghai: is written in the time of Shanghai, with +0800': dated('%a, %d %b %Y %T +0800', 8),
  'shanghai-gmt: is written in the time of Shanghai, but with GMT': dated(HTTP, 8),
  'lower-case: is in lower case': (date) => date.toLowerCase(),
  'empty-unless-date: is empty unless it is an HTTP date': (date) => (secondsOf(date) === undefined ? '' : date),
  'empty-unless-dated: is empty unless a lenient parser reads it as a date': (date) => (Number.isNaN(Date.parse(date)) ? '' : date),
});

const basic = (seconds: number): string => written(seconds, '%FT%TZ').replace(/[-:]/g, '');

/** Keeps the zeros of a number that does not change. */
function unlessEqual(change: Rewrite): Rewrite {
  return (text) => (/^[0-9]+$/.test(text) && BigInt(change(text)) === BigInt(text) ? text : change(text));
}

function integer(pattern: RegExp): Rewrite {
  return (text) => {
    if (!pattern.test(text)) throw new InputError('text', 'this text is no integer');
    return `${BigInt(text.trim().replace('+', ''))}`;
  };
}

/** Other notations of Unix seconds. */
export const EXPIRIES: Kind<Rewrite> = kind('sign and send the text of Expires as given, in decimal Unix seconds', [
  ...table({
    'milliseconds: is in milliseconds': computed((seconds) => seconds * 1000n),
    'milliseconds-double: is in milliseconds, computed as a double': computed((seconds) => `${Number(seconds) * 1000}`),
    'milliseconds-appended: is in milliseconds, made by appending "000"': (text: string) => `${text}000`,
    'last-three-cut: loses its last three characters if it has 13 or more, as if it were in milliseconds': (text: string) => (text.length > 12 ? text.slice(0, -3) : text),
    'last-three-digits-cut: loses its last three digits if it has 13 digits or more, as if it were in milliseconds': (text: string) => text.replace(/^([0-9]{10,})[0-9]{3}$/, '$1'),
    'thousandth: is divided by 1000 if it has 13 digits or more, as if it were in milliseconds': computed((seconds) => (seconds >= 10n ** 12n ? seconds / 1000n : seconds)),
    'nanoseconds: is in nanoseconds': computed((seconds) => seconds * 1_000_000_000n),
    'iso: is a date in ISO 8601': timed('%FT%TZ'),
    'iso-basic: is a date, such as 20060102T150405Z': timed((seconds) => basic(seconds)),
    'iso-space: is a date, such as 2006-01-02 15:04:05': timed('%F %T'),
    'http-date: is written like a Date header': timed(HTTP),
    'hex: is written in hexadecimal': timed((seconds) => seconds.toString(16)),
    'point-zero: ends with ".0", as a float of Python': timed((seconds) => `${seconds}.0`),
    'go: is written as Go prints a float64, such as 1.7e+09': timed(goFloat),
    'java: is written as Java prints a double, such as 1.7E9': timed(javaDouble),
    'lua: is written as Lua prints a double, such as 1e+14': computed((seconds) => luaDouble(Number(seconds))),
    'int-32-limited: is at most 2147483647': computed((seconds) => (seconds > 2_147_483_647n ? 2_147_483_647n : seconds)),
    'int-32-limited-if-larger: is 2147483647 if it is larger': unlessEqual(computed((seconds) => (seconds > 2_147_483_647n ? 2_147_483_647n : seconds))),
    'integer: is read as an integer, and refused if it is not an integer': integer(/^[+-]?[0-9]+$/),
    'integer-trimmed: loses whitespace at both ends, is read as an integer, and is refused if it is not an integer': integer(/^\s*[+-]?[0-9]+\s*$/),
    'int-32: is cut to a signed 32-bit integer': computed((seconds) => BigInt.asIntN(32, seconds)),
    'int-32-if-larger: is cut to a signed 32-bit integer if it does not fit into one': unlessEqual(computed((seconds) => BigInt.asIntN(32, seconds))),
    'negative: has a minus sign before it': timed((seconds) => `-${seconds}`),
    'plus-sign: has a plus sign before it': timed((seconds) => `+${seconds}`),
    'zero: is 0': () => '0',
    'empty: is empty': () => '',
  }),
  ...[1, 60, 3600, 28_800].flatMap((n) =>
    table({
      [`plus-${n}: is ${n} s later`]: computed((seconds) => seconds + BigInt(n)),
      [`minus-${n}: is ${n} s earlier`]: computed((seconds) => seconds - BigInt(n)),
    }),
  ),
]);

function goFloat(value: number): string {
  return value < 1e6 ? `${value}` : value.toExponential().replace(/e\+(\d)$/, 'e+0$1');
}

function javaDouble(value: number): string {
  if (value < 1e7) return `${value}.0`;
  const [digits = '', exponent = ''] = value.toExponential().split('e+');
  return `${digits}${digits.includes('.') ? '' : '.0'}E${exponent}`;
}

/** As by %.14g. */
function luaDouble(value: number): string {
  const [digits = '', exponent = ''] = value.toExponential(13).split('e+');
  return Number(exponent) < 14 ? `${Number(value.toPrecision(14))}` : `${Number(digits)}e+${exponent}`;
}
