/**
 * Texts in other letters: each letter by a letter of its case, each digit of a word by a digit.
 *
 * @module
 */

/** Numbers from 0 to below 1, the same ones for the same name: mulberry32 over FNV-1a. */
export function randomNumbers(name: string): () => number {
  let state = 0x811c9dc5;
  for (const byte of Buffer.from(name)) state = Math.imul(state ^ byte, 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Another text of the same form; one text always becomes the same one. */
export type Substitution = (text: string) => string;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '123456789';

/** What is taken as it is: escapes, variables, addresses' schemes, names of headers, dates, and letters that marks combine with. */
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
  // Types of contents are guessed from these.
  String.raw`(?<=[0-9A-Za-z])\.(?:txt|html?|png|jpe?g|gif|bin|json|pdf)(?![0-9A-Za-z])`,
  '(?<![0-9A-Za-z])e30=',
  // SDKs know a list of types for the bodies of callbacks.
  'application/(?:x-www-form-urlencoded|json)',
].join('|');

/** Words that a rule, a parser or a server reads. */
const MEANINGFUL =
  /^(?:true|false|null|none|undefined|nan|inf|infinity|public|private|signature|publickey|password|svc|(?:create|describe|update|delete)bucket|multipart|form|data|boundary|charset|utf|[0-9]+e[0-9]+|0[xob][0-9a-f]+|[0-9]+)$/i;

const PARTS = new RegExp(
  `(?<policy>(?:eyJ|WyJ|W3si)[0-9A-Za-z+/_-]+=*)|(?<fixed>${FIXED})|(?<word>[0-9A-Za-z]+)`,
  'gu',
);

/** The substitution of a name, such as a seed and a vector's id; the digit zero stays where it stands. */
export function substitution(name: string): Substitution {
  const random = randomNumbers(name);
  const lower = exchange(LETTERS, random);
  const digits = exchange(DIGITS, random);
  const characters = new Map<string, string>([
    ...lower,
    ...[...lower].map(([a, b]): [string, string] => [a.toUpperCase(), b.toUpperCase()]),
    ...digits,
  ]);
  const word = (text: string): string =>
    MEANINGFUL.test(text) ? text : text.replace(/./g, (one) => characters.get(one) ?? one);
  const substituted: Substitution = (text) =>
    text.replace(PARTS, (part, ...rest) => {
      const { policy, fixed } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
      if (policy !== undefined) return policySubstituted(policy, substituted);
      return fixed === undefined ? word(part) : part;
    });
  return substituted;
}

/** Each character with another one; none keeps its place. */
function exchange(characters: string, random: () => number): ReadonlyMap<string, string> {
  const shuffled = [...characters];
  // Sattolo's algorithm: a single cycle.
  for (let i = shuffled.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * i);
    [shuffled[i], shuffled[j]] = [shuffled[j] ?? '', shuffled[i] ?? ''];
  }
  return new Map([...characters].map((character, i) => [character, shuffled[i] ?? '']));
}

/** A policy in its alphabet, with or without padding as it was: other values, the same names. */
function policySubstituted(policy: string, substituted: Substitution): string {
  const json = Buffer.from(policy, 'base64').toString('utf8');
  const written = Buffer.from(jsonSubstituted(json, substituted)).toString('base64');
  const padded = policy.endsWith('=') ? written : written.replace(/(?<!=)=+$/, '');
  return /[+/]/.test(policy) ? padded : padded.replaceAll('+', '-').replaceAll('/', '_');
}

/** JSON, or what was meant to be it, with other texts for values; names stay. */
export function jsonSubstituted(json: string, substituted: Substitution): string {
  return json.replace(
    /(?<!\\)"((?:[^"\\]|\\.)*)"(\s*:)?/gs,
    (all, text: string, colon?: string) => {
      if (colon !== undefined) return all;
      const nested = /^[[{]/.test(text) ? parsedText(all) : undefined;
      return nested === undefined
        ? `"${substituted(text)}"`
        : JSON.stringify(jsonSubstituted(nested, substituted));
    },
  );
}

/** A text that is JSON itself, as long as it is written as JSON is usually written. */
function parsedText(quoted: string): string | undefined {
  try {
    const text = JSON.parse(quoted) as string;
    return JSON.stringify(text) === quoted ? text : undefined;
  } catch {
    return undefined;
  }
}

/** A query, or what was meant to be one, with other values; names stay, and what was taken for no value does too. */
export function querySubstituted(query: string, substituted: Substitution): string {
  return query
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const name = pair.slice(0, equals + 1);
      return equals < 0 || name === 'Signature='
        ? pair
        : name + substituted(pair.slice(equals + 1));
    })
    .join('&');
}
