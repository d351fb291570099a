/**
 * Replaces the data in texts, inputs and key pairs: a letter by a letter of the same case, a digit by a digit.
 *
 * @module
 */
import { mulberry32 } from '../../../reference/random.ts';
import { hasMembers, isList, isPair, isText, parseJsonIfValid } from '../../../reference/values.ts';
import type { Input, KeyPair } from '../../engine/vector.ts';

/** Creates a generator of numbers from 0 to below 1, whose seed is the FNV-1a hash of the name. */
export function createRandom(name: string): () => number {
  let state = 0x811c9dc5;
  for (const byte of Buffer.from(name)) state = Math.imul(state ^ byte, 0x01000193);
  return mulberry32(state);
}

/** Yields another text of the same form, always the same one for the same text. */
export type Substitution = (text: string) => string;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '123456789';

/** Parts that stay: escapes, variables, URL schemes, header names, dates, letters with combining marks. */
const FIXED = [
  '%(?:25)*[0-9A-Fa-f]{2}',
  String.raw`\\u[0-9A-Fa-f]{4}|\\.`,
  String.raw`\{(?:signature|encoded)\}`,
  String.raw`\$\([a-z:]+\)`,
  'https?://',
  '[Xx]-[Ss][Vv][Cc]-[0-9A-Za-z_-]*',
  String.raw`^[ \t]*[Ss][Vv][Cc](?![.@])`,
  '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [0-9A-Za-z :-]*(?:GMT|UTC|[+-][0-9]{4})',
  '[0-9]{4}-?[0-9]{2}-?[0-9]{2}T[0-9:.]+Z?',
  String.raw`[A-Za-z]\p{M}+`,
  // Some SDKs guess content types from file extensions.
  String.raw`(?<=[0-9A-Za-z])\.(?:txt|html?|png|jpe?g|gif|bin|json|pdf)(?![0-9A-Za-z])`,
  '(?<![0-9A-Za-z])e30=',
  // SDKs accept only some types for the bodies of callbacks.
  'application/(?:x-www-form-urlencoded|json)',
].join('|');

/** Words with a meaning for a rule, a parser or a server; they stay. */
const MEANINGFUL =
  /^(?:true|false|null|none|undefined|nan|inf|infinity|public|private|signature|publickey|password|svc|(?:create|describe|update|delete)bucket|multipart|form|data|boundary|charset|utf|[0-9]+e[0-9]+|0[xob][0-9a-f]+|[0-9]+)$/i;

const PARTS = new RegExp(
  `(?<policy>(?:eyJ|WyJ|W3si)[0-9A-Za-z+/_-]+=*)|(?<fixed>${FIXED})|(?<word>[0-9A-Za-z]+)`,
  'gu',
);

/** Creates the substitution of a name, such as a seed with a vector's id. The digit zero stays. */
export function createSubstitution(name: string): Substitution {
  const random = createRandom(name);
  const lower = permute(LETTERS, random);
  const digits = permute(DIGITS, random);
  const characters = new Map<string, string>([
    ...lower,
    ...[...lower].map(([a, b]): [string, string] => [a.toUpperCase(), b.toUpperCase()]),
    ...digits,
  ]);
  const replaceWord = (text: string): string =>
    MEANINGFUL.test(text) ? text : text.replace(/./g, (one) => characters.get(one) ?? one);
  const substitute: Substitution = (text) =>
    text.replace(PARTS, (part, ...rest) => {
      const groups: unknown = rest.at(-1);
      const { policy, fixed } = hasMembers(groups) ? groups : {};
      if (isText(policy)) return substituteInPolicy(policy, substitute);
      return fixed === undefined ? replaceWord(part) : part;
    });
  return substitute;
}

/** Maps each character to another one. */
function permute(characters: string, random: () => number): ReadonlyMap<string, string> {
  const shuffled = [...characters];
  // Sattolo's algorithm yields a single cycle, so no character maps to itself.
  for (let i = shuffled.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * i);
    [shuffled[i], shuffled[j]] = [shuffled[j] ?? '', shuffled[i] ?? ''];
  }
  return new Map([...characters].map((character, i) => [character, shuffled[i] ?? '']));
}

/** Replaces the values of a policy. Its names, its Base64 alphabet and its padding stay. */
function substituteInPolicy(policy: string, substitute: Substitution): string {
  const json = Buffer.from(policy, 'base64').toString('utf8');
  const written = Buffer.from(substituteInJson(json, substitute)).toString('base64');
  const padded = policy.endsWith('=') ? written : written.replace(/(?<!=)=+$/, '');
  return /[+/]/.test(policy) ? padded : padded.replaceAll('+', '-').replaceAll('/', '_');
}

/** Replaces the texts that are values in JSON, well-formed or not. Names stay. */
function substituteInJson(json: string, substitute: Substitution): string {
  return json.replace(
    /(?<!\\)"((?:[^"\\]|\\.)*)"(\s*:)?/gs,
    (all, text: string, colon?: string) => {
      if (colon !== undefined) return all;
      const nested = /^[[{]/.test(text) ? parseText(all) : undefined;
      return nested === undefined
        ? `"${substitute(text)}"`
        : JSON.stringify(substituteInJson(nested, substitute));
    },
  );
}

/** The text in quotes; undefined if JSON.stringify would write it in another way. */
function parseText(quoted: string): string | undefined {
  const text = parseJsonIfValid(quoted);
  return isText(text) && JSON.stringify(text) === quoted ? text : undefined;
}

/** Replaces the values of a query, well-formed or not. Names, signatures and parameters without a value stay. */
function substituteInQuery(query: string, substitute: Substitution): string {
  return query
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const name = pair.slice(0, equals + 1);
      return equals < 0 || name === 'Signature=' ? pair : name + substitute(pair.slice(equals + 1));
    })
    .join('&');
}

export function freshKeys({ publicKey, privateKey }: KeyPair, substitute: Substitution): KeyPair {
  return { publicKey: substitute(publicKey), privateKey: substitute(privateKey) };
}

/** The input, which may lack members, with each of them changed. */
export function mapMembers(
  input: Input,
  change: (name: string, member: unknown) => unknown,
): Input {
  const entries = Object.entries(input).map(([name, member]): [string, unknown] => [
    name,
    change(name, member),
  ]);
  return Object.fromEntries(entries);
}

export function freshInput(input: Input, substitute: Substitution, fileHost: string): Input {
  return mapMembers(input, (name, member) => {
    switch (name) {
      case 'headers':
      case 'fields':
      case 'members':
      case 'parameters':
        return freshPairs(member, substitute);
      case 'bucket':
      case 'key':
      case 'policy':
      case 'text':
        return substitute(String(member));
      case 'query':
        return substituteInQuery(String(member), substitute);
      case 'body':
        return String(member).includes('"')
          ? substituteInJson(String(member), substitute)
          : substituteInQuery(String(member), substitute);
      case 'url':
        return freshUrl(String(member), substitute, fileHost);
      case 'content':
        return freshContent(member, substitute);
      default:
        return member;
    }
  });
}

function freshPairs(pairs: unknown, substitute: Substitution): unknown {
  if (!isList(pairs)) return pairs;
  return pairs.map((pair) => {
    if (!isPair(pair)) return pair;
    const [name, value] = pair;
    return [name, name === 'Signature' ? value : freshValue(value, substitute)];
  });
}

/** A parameter's value with its texts replaced, in lists and objects too. */
function freshValue(value: unknown, substitute: Substitution): unknown {
  if (typeof value === 'string') return substitute(value);
  if (!hasMembers(value)) return value;
  const { list, object } = value;
  if (isList(list)) return { list: list.map((item) => freshValue(item, substitute)) };
  return object === undefined ? value : { object: freshPairs(object, substitute) };
}

function freshUrl(url: string, substitute: Substitution, fileHost: string): string {
  const [, scheme, host, path, query] = /^([a-z]+:\/\/)?([^/?#]*)([^?#]*)(.*)/is.exec(url) ?? [];
  if (scheme === undefined || host === undefined) return url;
  const hasBucket = host.toLowerCase().endsWith(fileHost.toLowerCase());
  const bucket = hasBucket ? host.slice(0, host.length - fileHost.length) : '';
  return `${scheme}${substitute(bucket)}${host.slice(bucket.length)}${substitute(path ?? '')}${substituteInQuery(query ?? '', substitute)}`;
}

/** A content with other letters. Bytes that are not UTF-8 stay. */
function freshContent(content: unknown, substitute: Substitution): unknown {
  if (!hasMembers(content)) return content;
  const { bytes, recipe } = content;
  if (hasMembers(recipe) && isList(recipe['marks'])) {
    const marks = recipe['marks'].map((mark) =>
      isList(mark) ? [mark[0], substitute(String(mark[1]))] : mark,
    );
    return { recipe: { ...recipe, marks } };
  }
  if (!isText(bytes)) return content;
  const text = Buffer.from(bytes, 'base64').toString('utf8');
  const isUtf8 = Buffer.from(text).toString('base64') === bytes;
  return isUtf8 ? { bytes: Buffer.from(substitute(text)).toString('base64') } : content;
}
