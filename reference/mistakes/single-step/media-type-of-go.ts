/**
 * A media type that mime.ParseMediaType of Go reads and mime.FormatMediaType writes again.
 *
 * @module
 */
import { utf8 } from '#digest';
import { urlDecode } from '../../signing/index.ts';
import { percent } from '../changes/encoders.ts';
import { trimmed, UNICODE_SPACES } from '../changes/texts.ts';

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const TYPE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:\/[!#$%&'*+.^_`|~0-9A-Za-z-]+)?$/;
const WORD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** A backslash before another character than these stays. */
const SPECIAL = '[()<>@,;:\\\\"/[\\]?=]';
const QUOTED = `"((?:\\\\${SPECIAL}|[^"\\r\\n\\\\]|\\\\(?!${SPECIAL}))*)"`;
const GAP = `[${UNICODE_SPACES}]*`;
const trim = trimmed(UNICODE_SPACES);
const PARAMETER = new RegExp(`${GAP};${GAP}(${TOKEN})${GAP}=${GAP}(?:(${TOKEN})|${QUOTED})`, 'y');
const ESCAPED = /\\([()<>@,;:\\"/[\]?=])/g;
/** Bytes that an extended value (RFC 2231) has escaped, beside those beyond ASCII. */
const UNSAFE = /[\0- *'%()<>@,;:\\"/[\]?=\x7F]/;

/** The media type as Go writes it again; a text that Go does not parse stays unchanged. */
export function mediaTypeOfGo(line: string): string {
  const [type, parameters] = parse(line) ?? [line, new Map<string, string>()];
  const sorted = [...parameters].sort(([a], [b]) => (a < b ? -1 : 1));
  return type + sorted.map(formatParameter).join('');
}

/** The same without parameters. */
export const typeOfGo = (line: string): string => parse(line)?.[0] ?? line;

function parse(line: string): readonly [type: string, parameters: ReadonlyMap<string, string>] | undefined {
  const [base = ''] = line.split(';', 1);
  const type = trim(base).toLowerCase();
  const parameters = TYPE.test(type) ? parseParameters(line.slice(base.length)) : undefined;
  return parameters && [type, parameters];
}

/** The parameters by their names in lower case; `undefined` for malformed ones, and for two values of one name. */
function parseParameters(text: string): ReadonlyMap<string, string> | undefined {
  const found = new Map<string, string>();
  let end = 0;
  for (;;) {
    PARAMETER.lastIndex = end;
    const [whole, name = '', word, quoted = ''] = PARAMETER.exec(text) ?? [];
    if (whole === undefined) break;
    end += whole.length;
    const own = name.toLowerCase();
    const value = word ?? quoted.replace(ESCAPED, '$1');
    if ((found.get(own) ?? value) !== value) return undefined;
    found.set(own, value);
  }
  return ['', ';'].includes(trim(text.slice(end))) ? new Map([...found].flatMap(readExtended)) : undefined;
}

/** A parameter whose name ends with "*" has an escaped value after its character set and language; one with "*" elsewhere is dropped. */
function readExtended([name, value]: readonly [string, string]): readonly (readonly [string, string])[] {
  if (!name.includes('*')) return [[name, value]];
  const [charset = '', , escaped] = name.endsWith('*') ? value.split("'") : [];
  const decoded = escaped !== undefined && /^(?:us-ascii|utf-8)$/i.test(charset) ? urlDecode(escaped) : undefined;
  return decoded === undefined ? [] : [[name.slice(0, -1), decoded]];
}

function formatParameter([name, value]: readonly [string, string]): string {
  if (/[^\t -~]/.test(value)) return `; ${name}*=utf-8''${Array.from(utf8(value), escapeByte).join('')}`;
  return `; ${name}=${WORD.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`}`;
}

function escapeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return byte > 0x7f || UNSAFE.test(character) ? percent(byte) : character;
}
