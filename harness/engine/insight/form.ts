/**
 * The form of an answer: the text around it, the encoding and the length of its signature.
 *
 * @module
 */

import { decodeBase64 } from '../../../reference/contents.ts';
import { OPERATIONS } from '../../../reference/operations.ts';
import { urlDecode } from '../../../reference/signing/bytes.ts';

export interface Shape {
  readonly id: string;
  /** The fault, as a clause. */
  readonly what: string;
  /** The fix, as a clause. */
  readonly fix: string;
}

export interface Form {
  /** The marks around the text, the outermost first. */
  readonly marks: readonly Shape[];
  /** The text without its marks. */
  readonly text: string;
  readonly place: Place | undefined;
  /** The expected encoding of the signature; `undefined` if the text contains no encoded bytes. */
  readonly encoding: Encoding | undefined;
  /** The name of the signature in sentences. */
  readonly noun: string;
  readonly signatureMarks: readonly Shape[];
  /** The signature without its marks and without the escapes of a URL. */
  readonly signature: string;
  readonly traits: readonly string[];
  /** The decoded signature; `undefined` if its encoding is unknown. */
  readonly bytes: Uint8Array | undefined;
}

type Mark = readonly [id: string, clause: string, fix: string, pattern: RegExp, inner?: string];

const NOT_BEHIND = 'write nothing after it';
const NOT_IN_FRONT = 'write nothing before it';
const NO_QUOTES = 'write it without quotes';

/** Text around an answer that is not part of it. */
const MARKS: readonly Mark[] = [
  ['line-end', 'ends with a line break', NOT_BEHIND, /(?<![\r\n])[\r\n]+$/],
  ['nul', 'ends with a NUL', NOT_BEHIND, /(?<!\0)\0+$/],
  ['blank-behind', 'ends with a space or a tab', NOT_BEHIND, /(?<![ \t])[ \t]+$/],
  ['blank-in-front', 'starts with whitespace', NOT_IN_FRONT, /^[ \t\r\n]+/],
  ['byte-order-mark', 'starts with a byte order mark', NOT_IN_FRONT, /^\ufeff/],
  ['double-quotes', 'is in double quotes', NO_QUOTES, /^"(.*)"$/s, '$1'],
  ['single-quotes', 'is in single quotes', NO_QUOTES, /^'(.*)'$/s, '$1'],
  ['python-bytes', "is in b'', as Python prints bytes", 'decode it', /^b(['"])(.*)\1$/s, '$2'],
  ['whole-url', 'starts with a scheme and a host', 'leave them out', /^https?:\/\/[^/?]*(?=[/?])/],
  ['question-mark', 'starts with a question mark', 'write only the text after it', /^\/?\?/],
];

/** Line breaks in a signature, which is always one line. */
const BROKEN: Mark = ['line-broken', 'is broken into lines', 'write one line', /[\r\n]+/g];

const MOST_MARKS = 4;

/** Texts that have lost the answer. */
const LOSSES: readonly Mark[] = [
  ['empty', 'is empty', 'write the text', /^$/],
  [
    'no-value',
    'is the word {} instead of a value',
    'without an answer, reply with refused, error or unsupported',
    /^(?:null|undefined|none|nil|nan|true|false|\(null\)|<nil>|\[object \w+\])$/i,
  ],
  [
    'object-shown',
    'has an object instead of its text',
    'write the text of the object',
    /\[object \w+\]|^<[\w .]+ at 0x[0-9a-f]+>$|^\[B@[0-9a-f]+$|^System\.Byte\[\]$|^\d+ bytes$/i,
  ],
  [
    'replacement-characters',
    'has U+FFFD, as if bytes were read as text',
    'write bytes in hexadecimal or Base64',
    /\ufffd/,
  ],
];

const isHexadecimal = (text: string): boolean => /^[0-9A-Fa-f]{16,}$/.test(text);
const isBase64 = (text: string): boolean =>
  !isHexadecimal(text) && /^[\w+/-]{8,}={0,2}$/.test(text);

type Is = (text: string, inUrl: string) => boolean;

/** Traits of encodings. Without a fix of its own, the fix is to use the expected encoding. */
const TRAITS: readonly (readonly [id: string, clause: string, is: Is, fix?: string])[] = [
  ['hexadecimal', 'is in hexadecimal', isHexadecimal],
  ['base64', 'is in Base64', isBase64],
  [
    'upper-case-hexadecimal',
    'is in upper-case hexadecimal',
    (text) => isHexadecimal(text) && /[A-F]/.test(text),
  ],
  [
    'padding-missing',
    'lacks its padding',
    (text) => isBase64(text) && !text.endsWith('=') && text.length % 4 > 1,
    'end it with "=" up to a multiple of 4 characters',
  ],
  ['url-safe-alphabet', 'has "-" or "_"', (text) => isBase64(text) && /[-_]/.test(text)],
  ['standard-alphabet', 'has "+" or "/"', (text) => isBase64(text) && /[+/]/.test(text)],
  [
    'signature-not-encoded',
    'is not percent-encoded',
    (_, inUrl) => /[+/=]/.test(inUrl),
    'encode its "+", "/" and "=" too (§5.4)',
  ],
];

/** Digests by their length in bytes, and texts of a SHA-1 that were encoded like bytes. */
const DIGESTS: Readonly<Record<number, string>> = {
  4: 'a CRC-32',
  16: 'an MD5',
  28: 'a SHA-224 or the Base64 of a SHA-1',
  32: 'a SHA-256',
  40: 'the hexadecimal digits of a SHA-1',
  48: 'a SHA-384',
  64: 'a SHA-512',
};

/** @param due the form of the correct answer, whose marks are allowed; absent to parse the correct answer itself */
export function parseForm(operation: string, stage: string, whole: string, due?: Form): Form {
  const wrong = due ? MARKS.filter(([, , , pattern]) => !pattern.test(due.text)) : [];
  const [text, marks] = stripMarks(whole, 'the answer', wrong);
  const encoding = findEncoding(operation, stage);
  const noun = encoding && !encoding.isText ? 'the digest' : 'the answer';
  const place = findSignature(operation, stage, text);
  const raw = place?.signature ?? '';
  const inUrl = stage === 'url' ? raw : '';
  const inner = due ? [...MARKS, BROKEN] : [];
  const [signature, signatureMarks] = stripMarks(urlDecode(inUrl) || raw, noun, inner);
  const traits = TRAITS.filter(([, , is]) => is(signature, inUrl)).map(([id]) => id);
  const bytes = decodeBytes(signature);
  return { marks, text, place, encoding, noun, signatureMarks, signature, traits, bytes };
}

function stripMarks(
  whole: string,
  noun: string,
  marks: readonly Mark[],
): readonly [text: string, marks: readonly Shape[]] {
  const found: Shape[] = [];
  let text = whole;
  while (found.length < MOST_MARKS) {
    const mark = marks.find(([, , , pattern]) => text.search(pattern) >= 0);
    if (!mark) break;
    const [id, clause, fix, pattern, inner = ''] = mark;
    text = text.replace(pattern, inner);
    found.push({ id, what: `${noun} ${clause}`, fix });
  }
  return [text, found];
}

/** How a signature differs in form from the expected one: its marks, its encoding, its length. */
export function findSignatureShapes(
  given: Form,
  { encoding, traits, bytes }: Form,
): readonly Shape[] {
  const { noun, signatureMarks } = given;
  if (!encoding) return signatureMarks;
  const isOther = (id: string): boolean =>
    id !== encoding.trait && given.traits.includes(id) && !traits.includes(id);
  const others = TRAITS.filter(([id]) => isOther(id));
  // If the encoding differs, its alphabet and padding are not worth reporting.
  const [family] = others.filter(([id]) => id === 'hexadecimal' || id === 'base64');
  const shapes = (family ? [family] : others).map(([id, clause, , fix]) => {
    return { id, what: `${noun} ${clause}`, fix: fix ?? `write it in ${encoding.name}` };
  });
  const length = bytes && !encoding.isText ? findLengthShapes(given, bytes.length) : [];
  return [...signatureMarks, ...shapes, ...length];
}

function findLengthShapes({ bytes, signature }: Form, due: number): readonly Shape[] {
  if (!bytes && isHexadecimal(signature)) {
    const what = `the digest has ${signature.length} hexadecimal digits`;
    return [{ id: 'digit-count', what, fix: 'write two digits for each byte (§5.1)' }];
  }
  if (!bytes || bytes.length === due) return [];
  const known = DIGESTS[bytes.length];
  const like = known === undefined ? '' : `, as many as ${known}`;
  const right = due > 20 ? 'the block count, 4 bytes, and the SHA-1' : 'the SHA-1';
  const what = `the digest has ${bytes.length} bytes${like}`;
  return [{ id: 'other-length', what, fix: `use ${right}, 20 bytes` }];
}

/** How an answer lost its text; `undefined` if it may be complete. */
export function findLoss(
  { text, signature, place, noun, bytes }: Form,
  due: Form,
): Shape | undefined {
  for (const [id, clause, fix, pattern] of LOSSES) {
    const isOfText = pattern.test(text) && !pattern.test(due.text);
    if (!isOfText && !(place && pattern.test(signature))) continue;
    const shown = clause.replace('{}', signature || text);
    return { id, what: `${isOfText ? 'the answer' : noun} ${shown}`, fix };
  }
  if (!due.bytes || due.encoding?.isText || isSameBytes(bytes, due.bytes)) return undefined;
  const [length, most] = [signature.length, due.signature.length];
  if (length < 8 || !due.signature.startsWith(signature)) return undefined;
  const what = `the correct digest is cut to ${length} of ${most} characters`;
  return { id: 'cut', what, fix: 'write the whole digest' };
}

export interface Encoding {
  readonly name: string;
  /** The trait that all or some texts in this encoding have. */
  readonly trait: 'hexadecimal' | 'standard-alphabet' | 'url-safe-alphabet';
  /** The bytes are a text, not a digest. */
  readonly isText?: true;
}

/** A signature and the text around it. */
export interface Place {
  readonly before: string;
  readonly signature: string;
  readonly after: string;
}

const HEXADECIMAL: Encoding = { name: 'lower-case hexadecimal (§5.1)', trait: 'hexadecimal' };
const BASE64: Encoding = { name: 'standard Base64 (§5.2)', trait: 'standard-alphabet' };

/** Results that are encoded bytes as a whole. */
const WHOLE: Readonly<Record<string, Encoding>> = {
  etag: { name: 'URL-safe Base64 (§2)', trait: 'url-safe-alphabet' },
  policy: { name: 'URL-safe Base64', trait: 'url-safe-alphabet', isText: true },
  value: { name: 'standard Base64 (§4.2)', trait: 'standard-alphabet', isText: true },
};

/** The encoding of a result, or of the signature in it. */
function findEncoding(operation: string, stage: string): Encoding | undefined {
  const stages = OPERATIONS[operation]?.stages ?? [];
  if (!stages.includes('signature')) return WHOLE[stage];
  return stages.includes('sortedParameters') ? HEXADECIMAL : BASE64;
}

const ALL = /^()(.*)()$/s;
const IN_QUERY = /^((?:.*[?&])?Signature=)([^&#]*)(.*)/s;

const PLACES: Readonly<Record<string, RegExp>> = {
  signature: ALL,
  etag: ALL,
  policy: ALL,
  value: ALL,
  authorization: /^(.*:)([^:]*)()$/s,
  query: IN_QUERY,
  target: IN_QUERY,
  url: IN_QUERY,
  body: /^(.*"Signature"[ \t\r\n]*:[ \t\r\n]*")([^"]*)(".*)$/s,
};

/** The signature in a value that ends with a policy. */
const BEFORE_POLICY = /^(.*:)([^:]*)(:[^:]*)$/s;

/** The position of the signature in a result; `undefined` without a signature. Encoded bytes count as a signature. */
export function findSignature(operation: string, stage: string, text: string): Place | undefined {
  const hasPolicy = operation === 'policy-authorization' && stage === 'authorization';
  const found = (hasPolicy ? BEFORE_POLICY : PLACES[stage])?.exec(text);
  if (!found) return undefined;
  const [, before = '', signature = '', after = ''] = found;
  return { before, signature, after };
}

/** Decodes hexadecimal or Base64; `undefined` if the text is neither. */
export function decodeBytes(text: string): Uint8Array | undefined {
  if (/^(?:[0-9a-f]{2}){4,}$/i.test(text)) {
    return Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
  }
  // An odd number of hexadecimal digits is not Base64 either.
  if (/^[0-9a-f]{16,}$/i.test(text)) return undefined;
  return /^[\w+/-]{8,}={0,2}$/.test(text) ? decodeBase64(text) : undefined;
}

export function isSameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a !== undefined && a.length === b?.length && a.every((byte, i) => byte === b[i]);
}
